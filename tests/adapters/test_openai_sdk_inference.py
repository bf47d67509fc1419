"""Loops over the SDKs, in which the executions are inferred from what their requests send back."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("openai")
pytest.importorskip("anthropic")

import anthropic
import openai

from agentassert import NotRecordedError, Outcome, assert_that, capture, record
from tests.adapters.sdk_styles import talking
from tests.scripted import anthropic_sdk
from tests.scripted.openai_sdk import chat, failure, function_call, message, response

USER = {"role": "user", "content": "MS-777?"}
LOOK, PAY = ("look", {"number": "MS-777"}), ("pay", {"amount": 5})


def look(number):
    return f"{number}: confirmed"


def pay(amount):
    return f"paid {amount}"


TOOLS = {"look": look, "pay": pay}


def chat_loop(client, tools=TOOLS, *, streaming=False, dumping=False):
    """A loop over chat completions, which sends back what it got as it is, or as plain data."""
    messages = [USER]
    while True:
        if streaming:
            with client.chat.completions.stream(model="m", messages=messages) as stream:
                said = stream.get_final_completion().choices[0].message
        else:
            said = client.chat.completions.create(model="m", messages=messages).choices[0].message
        if not said.tool_calls:
            return
        messages.append(said.model_dump(exclude={"parsed"}) if dumping else said)
        for call in said.tool_calls:
            result = tools[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})


def response_loop(client, *, continuing):
    """A loop over responses, which goes on from the last one by its id or sends everything again."""
    sent, last = [USER], None
    while True:
        said = client.responses.create(model="m", input=sent, previous_response_id=last)
        calls = [item for item in said.output if item.type == "function_call"]
        if not calls:
            return
        results = [
            {"type": "function_call_output", "call_id": one.call_id, "output": TOOLS[one.name](**json.loads(one.arguments))}
            for one in calls
        ]
        sent, last = (results, said.id) if continuing else ([*sent, *said.output, *results], None)


def inferred(cap):
    """The executions of a capture, as far as they differ."""
    assert cap.health.doubts == ()
    return [(one.name, one.arguments, one.result, one.outcome) for one in cap.invocation.tool_executions if one.inferred]


EXPECTED = [
    ("look", {"number": "MS-777"}, "MS-777: confirmed", Outcome.UNKNOWN),
    ("pay", {"amount": 5}, "paid 5", Outcome.UNKNOWN),
]


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize("dumping", [False, True])
@pytest.mark.parametrize("script", [(chat(None, LOOK, PAY), chat("Done.")), (chat(None, LOOK), chat("Hm.", PAY), chat("Done."))])
def test_executions_of_a_chat_loop_are_inferred(script, dumping, streaming):
    with talking(openai.OpenAI, *script, path="/v1") as (client, _):
        with capture() as cap:
            chat_loop(client, streaming=streaming, dumping=dumping)

    assert inferred(cap) == EXPECTED
    assert all(request.answered for request in cap.invocation.tool_execution_requests)
    with pytest.raises(NotRecordedError):
        assert_that(cap).has_tool_executed("pay")


@pytest.mark.parametrize("continuing", [False, True])
def test_executions_of_a_loop_over_responses_are_inferred(continuing):
    script = response(function_call(*LOOK)), response(message("Hm."), function_call(*PAY)), response(message("Done."))
    with talking(openai.OpenAI, *script, path="/v1") as (client, _):
        with capture(unreported_tools="succeeded") as cap:
            response_loop(client, continuing=continuing)

    assert_that(cap).has_tools_executed_exactly_in_order("look", "pay").has_no_more_tool_executions()
    assert [one.inferred for one in cap.invocation.tool_executions] == [True, True]


def test_a_decorated_function_joins_the_execution_that_is_inferred():
    with talking(openai.OpenAI, chat(None, LOOK, PAY), chat("Done."), path="/v1") as (client, _):
        with capture() as cap:
            chat_loop(client, {"look": record.tool(look), "pay": pay})

    assert inferred(cap) == EXPECTED[1:]
    assert_that(cap).has_tool_executed_with("look", {"number": "MS-777"})
    assert len(cap.invocation.tool_executions) == 2


def test_a_retried_request_changes_nothing():
    with talking(openai.OpenAI, chat(None, LOOK, PAY), failure(), chat("Done."), path="/v1") as (client, _):
        with capture() as cap:
            chat_loop(client)

    assert inferred(cap) == EXPECTED


def test_two_sdks_in_turns_are_two_conversations_and_an_open_stream_of_one_takes_no_call_of_the_other():
    asks = anthropic_sdk.message(anthropic_sdk.tool_use(*PAY))
    answer = anthropic_sdk.message(anthropic_sdk.text("Done."))
    with (
        talking(openai.OpenAI, chat("Hello there."), path="/v1") as (one, _),
        talking(anthropic.Anthropic, asks, answer) as (other, _),
    ):
        with capture() as cap:
            stream = one.chat.completions.create(model="m", messages=[USER], stream=True)
            next(stream)
            said = other.messages.create(model="c", max_tokens=5, messages=[USER])
            result = {"type": "tool_result", "tool_use_id": said.content[0].id, "content": "paid 5"}
            history = [USER, {"role": "assistant", "content": said.content}, {"role": "user", "content": [result]}]
            other.messages.create(model="c", max_tokens=5, messages=history)
            list(stream)

    assert [call.response_text for call in cap.invocation.model_calls] == ["Hello there.", "", "Done."]
    assert inferred(cap) == [("pay", {"amount": 5}, "paid 5", Outcome.SUCCEEDED)]


@pytest.mark.parametrize(
    "said",
    [None, {"text": ""}, {"text": "", "tool_execution_requests": [{"name": "pay", "arguments": {"amount": 5}}]}],
    ids=["nothing", "text", "requests"],
)
def test_a_call_recorded_by_hand_hides_nothing_of_what_is_seen_of_it(said):
    with talking(openai.OpenAI, chat(None, PAY), chat("Paid."), path="/v1") as (client, _):
        with capture() as cap, record.invocation("desk"):
            messages = [USER]
            for answer in (said, {"text": "Paid."}):
                with record.model_call("m", messages=messages) as call:
                    messages.append(client.chat.completions.create(model="m", messages=messages).choices[0].message)
                    if answer is not None:
                        call.respond(**answer)
                messages.append({"role": "tool", "tool_call_id": "call_0", "content": "paid 5"})

    (execution,) = cap.invocation.tool_executions
    assert (execution.name, execution.arguments, execution.result) == ("pay", {"amount": 5}, "paid 5")
    assert (execution.inferred, execution.outcome) == (True, Outcome.UNKNOWN)
    assert [call.response_text for call in cap.invocation.model_calls] == ["", "Paid."]
    chain = assert_that(cap).has_tool_requested("pay")
    with pytest.raises(AssertionError, match="but it executed 'pay' once"):
        chain.has_no_tool_executions()
