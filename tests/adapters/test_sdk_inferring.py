"""Loops over the real SDKs as users write them, with functions that nothing marks: which executions are inferred."""

from __future__ import annotations

import asyncio
import json

import pytest

pytest.importorskip("openai")
pytest.importorskip("anthropic")

import anthropic
import openai

from agentassert import Capture, Outcome, assert_that, capture
from tests.scripted import anthropic_sdk, openai_sdk
from tests.scripted.loopback import serving

UNKNOWN, SUCCEEDED, FAILED = Outcome.UNKNOWN, Outcome.SUCCEEDED, Outcome.FAILED
LOOKED_UP = ("get", {"number": "MS-777"}, {"number": "MS-777"}, UNKNOWN)
CANCELLED = ("cancel", {"number": "MS-777"}, "cancelled MS-777", UNKNOWN)


def get(number):
    return json.dumps({"number": number})


def cancel(number):
    return f"cancelled {number}"


TOOLS = {"get": get, "cancel": cancel}
ASKED = [("get", {"number": "MS-777"}), ("cancel", {"number": "MS-777"})]


def inferred(cap):
    assert all(one.inferred for one in cap.invocation.tool_executions)
    return [(one.name, one.arguments, one.result, one.outcome) for one in cap.invocation.tool_executions]


def chat_results(message):
    return [
        {"role": "tool", "tool_call_id": one.id, "content": TOOLS[one.function.name](**json.loads(one.function.arguments))}
        for one in message.tool_calls
    ]


def chat_loop(client):
    messages = [{"role": "user", "content": "Cancel MS-777"}]
    while True:
        said = client.chat.completions.create(model="m", messages=messages).choices[0].message
        if not said.tool_calls:
            return said.content
        messages.append(said)
        messages += chat_results(said)


async def async_chat_loop(client):
    messages = [{"role": "user", "content": "Cancel MS-777"}]
    while True:
        said = (await client.chat.completions.create(model="m", messages=messages)).choices[0].message
        if not said.tool_calls:
            return said.content
        messages += [said.model_dump(exclude_unset=True), *chat_results(said)]


def streamed_chat_loop(client):
    messages = [{"role": "user", "content": "Cancel MS-777"}]
    while True:
        with client.chat.completions.stream(model="m", messages=messages) as stream:
            said = stream.get_final_completion().choices[0].message
        if not said.tool_calls:
            return said.content
        messages += [{"role": "assistant", "tool_calls": [call.model_dump() for call in said.tool_calls]}, *chat_results(said)]


def outputs(response):
    return [
        {"type": "function_call_output", "call_id": one.call_id, "output": TOOLS[one.name](**json.loads(one.arguments))}
        for one in response.output
        if one.type == "function_call"
    ]


def responses_loop(client):
    items = [{"role": "user", "content": "Cancel MS-777"}]
    while True:
        response = client.responses.create(model="m", input=items)
        if not outputs(response):
            return response.output_text
        items += [*response.output, *outputs(response)]


def continued_loop(client):
    response = client.responses.create(model="m", input="Cancel MS-777")
    while outputs(response):
        response = client.responses.create(model="m", input=outputs(response), previous_response_id=response.id)
    return response.output_text


def conversation_loop(client):
    response = client.responses.create(model="m", input="Cancel MS-777", conversation="conv_1")
    while outputs(response):
        response = client.responses.create(model="m", input=outputs(response), conversation="conv_1")
    return response.output_text


def messages_loop(client, tools=TOOLS):
    messages = [{"role": "user", "content": "Cancel MS-777"}]
    while True:
        said = client.messages.create(model="m", max_tokens=100, messages=messages)
        calls = [block for block in said.content if block.type == "tool_use"]
        if not calls:
            return said.content[0].text
        results = []
        for call in calls:
            result = {"type": "tool_result", "tool_use_id": call.id}
            try:
                results.append({**result, "content": tools[call.name](**call.input)})
            except LookupError as error:
                results.append({**result, "content": str(error), "is_error": True})
        messages += [{"role": "assistant", "content": said.content}, {"role": "user", "content": results}]


CHAT = [openai_sdk.chat(None, one) for one in ASKED] + [openai_sdk.chat("Done.")]
RESPONSES = [openai_sdk.response(openai_sdk.function_call(*one)) for one in ASKED]
RESPONSES += [openai_sdk.response(openai_sdk.message("Done."))]
MESSAGES = [anthropic_sdk.message(anthropic_sdk.text("I will."), anthropic_sdk.tool_use(*one)) for one in ASKED]
MESSAGES += [anthropic_sdk.message(anthropic_sdk.text("Done."))]


@pytest.mark.parametrize(
    ("loop", "replies"),
    [
        (chat_loop, CHAT),
        (streamed_chat_loop, CHAT),
        (responses_loop, RESPONSES),
        (continued_loop, RESPONSES),
        (conversation_loop, RESPONSES),
    ],
    ids=lambda one: getattr(one, "__name__", ""),
)
def test_a_loop_over_openai_whose_provider_reuses_ids(loop, replies):
    with capture() as cap, serving(*replies) as provider, openai.OpenAI(base_url=provider.url, api_key="none") as client:
        assert loop(client) == "Done."

    assert inferred(cap) == [LOOKED_UP, CANCELLED]
    assert_that(cap).has_own_chat_model_call_count(3).has_tool_requested("get").has_tool_requested("cancel")


def test_a_loop_over_openai_in_async_code_with_others_beside_it():
    async def run():
        # Each provider gives its own loop its replies; the loops take turns and say the same.
        async with capture(unreported_tools="succeeded") as cap:
            with serving(*CHAT) as one, serving(*CHAT) as other:
                async with openai.AsyncOpenAI(base_url=one.url, api_key="none") as first:
                    async with openai.AsyncOpenAI(base_url=other.url, api_key="none") as second:
                        await asyncio.gather(async_chat_loop(first), async_chat_loop(second))
        return cap

    assert_that(asyncio.run(run())).has_tool_executed_times("get", 2).has_tool_executed_times(
        "cancel", 2
    ).has_no_more_tool_executions()


def test_parallel_requests_of_a_response():
    calls = [openai_sdk.function_call(*one, f"call_{index}") for index, one in enumerate(ASKED)]
    replies = openai_sdk.response(openai_sdk.message("I will."), *calls), RESPONSES[-1]

    with capture() as cap, serving(*replies) as provider, openai.OpenAI(base_url=provider.url, api_key="none") as client:
        responses_loop(client)

    assert inferred(cap) == [LOOKED_UP, CANCELLED]


def test_a_request_that_is_retried_by_the_sdk_sends_its_results_once():
    replies = CHAT[0], openai_sdk.failure(), *CHAT[1:]

    with capture() as cap, serving(*replies) as provider, openai.OpenAI(base_url=provider.url, api_key="none") as client:
        chat_loop(client)

    assert inferred(cap) == [LOOKED_UP, CANCELLED]


def test_a_loop_over_anthropic_reports_how_its_tools_ended():
    def refuse(number):
        raise LookupError(f"no booking {number}")

    with capture() as cap, serving(*MESSAGES) as provider, anthropic.Anthropic(base_url=provider.url, api_key="none") as client:
        assert messages_loop(client, {**TOOLS, "cancel": refuse}) == "Done."

    assert inferred(cap) == [(*LOOKED_UP[:3], SUCCEEDED), ("cancel", {"number": "MS-777"}, "no booking MS-777", FAILED)]
    assert_that(cap).has_tool_executed("get").has_tool_execution_failed("cancel").has_no_more_tool_executions()


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")  # by which the SDK says that it expected texts
@pytest.mark.parametrize("ids", [(7, 8), ("", "")], ids=["numbers", "empty texts"])
def test_ids_that_are_no_texts_are_joined_and_can_be_stored(ids):
    replies = openai_sdk.chat(None, *ASKED, ids=ids), openai_sdk.chat("Done.")
    with capture() as cap, serving(*replies) as provider, openai.OpenAI(base_url=provider.url, api_key="none") as client:
        chat_loop(client)

    assert inferred(cap) == [LOOKED_UP, CANCELLED]
    assert [one.call_id for one in cap.invocation.tool_executions] == [str(one) or None for one in ids]
    stored = Capture.from_json(cap.to_json()).invocation
    assert [one.call_id for one in stored.tool_execution_requests] == [str(one) or None for one in ids]
