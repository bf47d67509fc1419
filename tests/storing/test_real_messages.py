"""Messages that the libraries themselves make: what a list tells is what was seen while it grew."""

from __future__ import annotations

import json
import typing

import pytest

pytest.importorskip("openai")
pytest.importorskip("anthropic")
pytest.importorskip("langchain_core")

import anthropic
import openai
from anthropic.types import ContentBlock, ContentBlockParam
from langchain_core.load import dumpd
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    convert_to_openai_messages,
    messages_to_dict,
)
from openai.types.chat import ChatCompletionContentPartParam
from openai.types.responses import ResponseInputContent, ResponseInputItem, ResponseOutputItem

from agentassert import Capture, Outcome, assert_that, capture
from agentassert.storing import anthropic_messages, chat_messages, response_items
from tests.adapters.sdk_styles import talking
from tests.scripted import anthropic_sdk
from tests.scripted.openai_sdk import chat, function_call, message, response

USER = {"role": "user", "content": "MS-777?"}
LOOK, PAY = ("look", {"number": "MS-777"}), ("pay", {"amount": 5})
TOOLS = {"look": lambda number: f"{number}: confirmed", "pay": lambda amount: f"paid {amount}"}


def chat_loop(client):
    messages = [USER]
    while True:
        said = client.chat.completions.create(model="m", messages=messages).choices[0].message
        messages.append(said)
        if not said.tool_calls:
            return messages
        for call in said.tool_calls:
            result = TOOLS[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})


def response_loop(client):
    items = [USER]
    while True:
        said = client.responses.create(model="m", input=items)
        items += said.output
        calls = [item for item in said.output if item.type == "function_call"]
        if not calls:
            return items
        for one in calls:
            output = TOOLS[one.name](**json.loads(one.arguments))
            items.append({"type": "function_call_output", "call_id": one.call_id, "output": output})


def anthropic_loop(client):
    messages = [USER]
    while True:
        said = client.messages.create(model="c", max_tokens=5, messages=messages)
        messages.append({"role": "assistant", "content": said.content})
        calls = [block for block in said.content if block.type == "tool_use"]
        if not calls:
            return messages
        results = [
            {"type": "tool_result", "tool_use_id": one.id, "content": TOOLS[one.name](**one.input), "is_error": one.name == "pay"}
            for one in calls
        ]
        messages.append({"role": "user", "content": results})


def plain(value):
    """Messages as they are stored as JSON."""
    if isinstance(value, list):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    return value.model_dump(mode="json") if hasattr(value, "model_dump") else value


def without_null(value):
    """Messages without what SDKs leave out when they send them."""
    if isinstance(value, dict):
        return {key: without_null(one) for key, one in value.items() if one is not None}
    return [without_null(one) for one in value] if isinstance(value, (list, tuple)) else value


LOOPS = {
    "chat": (openai.OpenAI, "/v1", chat_loop, [chat(None, LOOK, PAY), chat("Hm.", LOOK), chat("Done.")]),
    "responses": (
        openai.OpenAI,
        "/v1",
        response_loop,
        [
            response(function_call(*LOOK), function_call(*PAY, "call_1")),
            response(message("Hm."), function_call(*LOOK)),
            response(message("Done.")),
        ],
    ),
    "anthropic": (
        anthropic.Anthropic,
        "",
        anthropic_loop,
        [
            anthropic_sdk.message(anthropic_sdk.tool_use(*LOOK), anthropic_sdk.tool_use(*PAY, "toolu_1")),
            anthropic_sdk.message(anthropic_sdk.text("Hm."), anthropic_sdk.tool_use(*LOOK)),
            anthropic_sdk.message(anthropic_sdk.text("Done.")),
        ],
    ),
}


def seen(cap):
    """What of a capture does not depend on whether it was live."""
    invocation = cap.invocation
    tools = [(one.name, one.arguments, one.result, one.outcome, one.call_id, one.inferred) for one in invocation.tool_executions]
    calls = [
        (one.response_text, one.messages, [(asked.name, asked.call_id, asked.answered) for asked in one.tool_execution_requests])
        for one in invocation.own_chat_model_calls
    ]
    return invocation.name, invocation.status, invocation.output, tools, calls


@pytest.mark.parametrize("stored", [False, True], ids=["objects", "json"])
@pytest.mark.parametrize("loop", LOOPS)
def test_the_messages_of_a_loop_tell_what_was_recorded_while_it_ran(loop, stored):
    kind, path, run, script = LOOPS[loop]
    with talking(kind, *script, path=path) as (client, _):
        with capture() as live:
            messages = run(client)

    cap = Capture.from_messages(json.loads(json.dumps(plain(messages))) if stored else messages)

    assert len(cap.invocation.tool_executions) == 3
    assert plain(seen(cap)[:4]) == plain(seen(live)[:4])
    assert [(text, asked) for text, _, asked in seen(cap)[4]] == [(text, asked) for text, _, asked in seen(live)[4]]
    if not stored:
        assert without_null([sent for _, sent, _ in seen(cap)[4]]) == without_null([sent for _, sent, _ in seen(live)[4]])
    assert Capture.from_json(cap.to_json()).invocation == cap.invocation


def test_a_message_that_anthropic_answered_is_taken_as_it_is_and_tells_tokens_and_model():
    with talking(anthropic.Anthropic, anthropic_sdk.message(anthropic_sdk.text("Hi."))) as (client, _):
        said = client.messages.create(model="c", max_tokens=5, messages=[USER])

    cap = Capture.from_messages([USER, said])

    assert_that(cap).has_total_tokens_at_most(12).has_finish_reason("stop")
    assert cap.invocation.model_calls[0].model == anthropic_sdk.MODEL


LANGCHAIN = [
    SystemMessage("Be kind."),
    HumanMessage([{"type": "text", "text": "MS-777?"}]),
    AIMessage(
        "",
        tool_calls=[
            {"name": "look", "args": {"id": 7}, "id": "c1", "type": "tool_call"},
            {"name": "pay", "args": {"amount": 5}, "id": "c2", "type": "tool_call"},
        ],
        invalid_tool_calls=[{"name": "send", "args": "{", "id": "c3", "error": "no JSON", "type": "invalid_tool_call"}],
        usage_metadata={"input_tokens": 3, "output_tokens": 2, "total_tokens": 5},
        response_metadata={"finish_reason": "tool_calls", "model_name": "m"},
    ),
    ToolMessage('{"fee": 12}', tool_call_id="c1", name="look"),
    ToolMessage("no money", tool_call_id="c2", status="error"),
    ToolMessage("no JSON", tool_call_id="c3", status="error"),
    AIMessageChunk("Sor", chunk_position="last"),
]
FORMS = {
    "objects": LANGCHAIN,
    "model_dump": [one.model_dump() for one in LANGCHAIN],
    "messages_to_dict": messages_to_dict(LANGCHAIN),
    "dumpd": [dumpd(one) for one in LANGCHAIN],
}


@pytest.mark.parametrize("form", FORMS)
def test_langchain_messages_tell_the_same_in_every_form_that_langchain_gives_them(form):
    cap = Capture.from_messages(FORMS[form])

    assert [(one.name, one.arguments, one.result, one.outcome) for one in cap.invocation.tool_executions] == [
        ("look", {"id": 7}, {"fee": 12}, Outcome.SUCCEEDED),
        ("pay", {"amount": 5}, "no money", Outcome.FAILED),
        ("send", None, "no JSON", Outcome.FAILED),
    ]
    first, last = cap.invocation.model_calls
    assert (first.model, first.token_usage.total_tokens, first.finish_reason) == ("m", 5, "tool_execution")
    assert (last.response_text, cap.output_text) == ("Sor", "Sor")
    assert first.messages == (
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": [{"type": "text", "text": "MS-777?"}]},
    )


def test_langchain_messages_in_openais_form_tell_the_same_but_for_the_flags():
    asked = LANGCHAIN[2].model_copy(update={"invalid_tool_calls": []})
    cap = Capture.from_messages(convert_to_openai_messages([*LANGCHAIN[:2], asked, *LANGCHAIN[3:5], AIMessage("Hm.")]))

    assert cap.output == "Hm."
    assert [(one.name, one.arguments, one.result, one.outcome) for one in cap.invocation.tool_executions] == [
        ("look", {"id": 7}, {"fee": 12}, Outcome.UNKNOWN),
        ("pay", {"amount": 5}, "no money", Outcome.UNKNOWN),
    ]


def test_other_langchain_messages_are_read():
    cap = Capture.from_messages(
        [ChatMessage("Hi", role="user"), FunctionMessage("x", name="f"), ChatMessage("Hello", role="assistant")]
    )
    assert cap.output == "Hello"
    assert cap.health.doubts == ("results of tools whose request is not in the messages, which are not recorded: 1",)


def types_in(union):
    """The values of `type` that the members of a union of the SDK's own types have."""
    if typing.get_origin(union) is typing.Annotated:
        return types_in(typing.get_args(union)[0])
    members = typing.get_args(union)
    if members and typing.get_origin(union) is not typing.Literal:
        return {found for member in members for found in types_in(member)}
    if hasattr(union, "model_fields"):
        return set(typing.get_args(union.model_fields["type"].annotation)) & set(words(union.model_fields["type"].annotation))
    return (
        set(words(typing.get_type_hints(union, include_extras=False).get("type"))) if hasattr(union, "__annotations__") else set()
    )


def words(hint):
    found = typing.get_args(hint)
    return [one for one in found if isinstance(one, str)] + [word for one in found for word in words(one)]


def test_every_type_that_the_sdks_know_today_is_known():
    known = {"message", *response_items._OF_MODEL, *response_items._OF_PROGRAM}
    assert types_in(ResponseInputItem) | types_in(ResponseOutputItem) <= known
    assert types_in(ResponseInputContent) <= set(response_items._PARTS)
    assert types_in(ChatCompletionContentPartParam) <= set(chat_messages._PARTS)
    blocks = types_in(ContentBlock) | types_in(ContentBlockParam)
    assert {"text", "tool_use", "tool_result"} <= blocks
    assert {one for one in blocks if not one.endswith("_tool_result")} <= set(anthropic_messages._BLOCKS)
