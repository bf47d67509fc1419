"""Tools over the `anthropic` SDK: those its tool runner runs, those the provider runs, and what requests send back of others."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("anthropic")

import anthropic
from anthropic import beta_async_tool, beta_tool

from agentassert import Outcome, assert_that, capture, record, recorder
from agentassert.recording.events import ModelCallEvent
from agentassert.recording.exchanges import SentRequest, SentResult
from tests.adapters.sdk_styles import run, talking
from tests.scripted.anthropic_sdk import message, text, tool_use

ASKED = {"model": "claude-test", "max_tokens": 50}
USER = {"role": "user", "content": "MS-777?"}


@beta_tool
def get_booking(number: str) -> str:
    """Look a booking up.

    Args:
        number: its number.
    """
    if number == "MS-0":
        raise LookupError(number)
    return f"{number}: confirmed"


@beta_async_tool
async def cancel_booking(number: str) -> str:
    """Cancel a booking.

    Args:
        number: its number.
    """
    return f"{number}: cancelled"


def rounds(*uses):
    """What asks for these tools, and the answer."""
    return message(*uses), message(text("Confirmed."))


def looked_up(number, call_id="toolu_0"):
    """What asks for `get_booking`."""
    return tool_use("get_booking", {"number": number}, call_id)


@pytest.mark.parametrize("streaming", [False, True])
def test_tools_of_the_tool_runner_are_executions_seen_once(streaming):
    with talking(anthropic.Anthropic, *rounds(looked_up("MS-777"), looked_up("MS-0", "toolu_1"))) as (client, _):
        with capture() as cap:
            runner = client.beta.messages.tool_runner(**ASKED, messages=[USER], tools=[get_booking], stream=streaming)
            for one in runner:
                if streaming:
                    one.get_final_message()

    first, second = cap.invocation.tool_executions
    assert (first.name, first.arguments, first.result) == ("get_booking", {"number": "MS-777"}, "MS-777: confirmed")
    assert (first.outcome, second.outcome, type(second.error)) == (Outcome.SUCCEEDED, Outcome.FAILED, LookupError)
    assert [(one.inferred, one.call_id) for one in (first, second)] == [(False, "toolu_0"), (False, "toolu_1")]
    assert_that(cap).has_own_chat_model_call_count(2).output_text().is_equal_to("Confirmed.")
    assert all(request.answered for request in cap.invocation.tool_execution_requests)


def test_asynchronous_tools_of_the_tool_runner_are_executions():
    async def loop(client):
        runner = client.beta.messages.tool_runner(**ASKED, messages=[USER], tools=[cancel_booking])
        return await runner.until_done()

    with talking(anthropic.AsyncAnthropic, *rounds(tool_use("cancel_booking", {"number": "MS-777"}))) as (client, _):
        with capture() as cap:
            run(client, loop)

    assert_that(cap).has_tool_executed_with("cancel_booking", {"number": "MS-777"}).has_no_more_tool_executions()


def test_an_asynchronous_tool_that_fails_or_is_cancelled_is_recorded_so():
    waiting = asyncio.Event()

    @beta_async_tool
    async def wait(seconds: int) -> str:
        """Wait.

        Args:
            seconds: how long.
        """
        if seconds == 0:
            raise LookupError("no time")
        waiting.set()
        await asyncio.sleep(seconds)
        return "waited"

    async def loop(client):
        task = asyncio.ensure_future(client.beta.messages.tool_runner(**ASKED, messages=[USER], tools=[wait]).until_done())
        await waiting.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    first, second = tool_use("wait", {"seconds": 0}), tool_use("wait", {"seconds": 60}, "toolu_1")
    with talking(anthropic.AsyncAnthropic, *rounds(first, second)) as (client, _):
        with capture() as cap:
            run(client, loop)

    assert [one.outcome for one in cap.invocation.tool_executions] == [Outcome.FAILED, Outcome.CANCELLED]


def test_tools_that_are_not_there_are_said(monkeypatch):
    from agentassert.adapters.anthropic_sdk.adapter import AnthropicToolsAdapter
    from agentassert.adapters.base import HookMissingError

    monkeypatch.delattr("anthropic.lib.tools._beta_functions.BetaAsyncFunctionTool")
    with pytest.raises(HookMissingError, match="BetaAsyncFunctionTool"):
        AnthropicToolsAdapter().attach()


def test_what_a_tool_calls_is_not_the_loops_own():
    @beta_tool
    def ask(question: str) -> str:
        """Ask another model.

        Args:
            question: what.
        """
        return client.messages.create(**ASKED, messages=[{"role": "user", "content": question}]).content[0].text

    inner = message(text("Oslo."))
    asks, answer = rounds(tool_use("ask", {"question": "Where?"}))
    with talking(anthropic.Anthropic, asks, inner, answer) as (client, _):
        with capture() as cap:
            client.beta.messages.tool_runner(**ASKED, messages=[USER], tools=[ask]).until_done()

    assert [call.own for call in cap.invocation.model_calls] == [True, False, True]
    assert_that(cap).has_tool_executed("ask").has_own_chat_model_call_count(2)


def test_arguments_that_a_tool_does_not_take_are_a_failed_execution():
    with talking(anthropic.Anthropic, *rounds(tool_use("get_booking", {"id": 1}))) as (client, _):
        with capture() as cap:
            client.beta.messages.tool_runner(**ASKED, messages=[USER], tools=[get_booking]).until_done()

    assert_that(cap).has_tool_execution_failed("get_booking").has_no_more_tool_executions()


def test_a_tool_that_is_recorded_by_hand_too_is_one_execution():
    @beta_tool
    @record.tool
    def look(number: str) -> str:
        """Look.

        Args:
            number: what.
        """
        return number

    with talking(anthropic.Anthropic, *rounds(tool_use("look", {"number": "1"}))) as (client, _):
        with capture() as cap:
            client.beta.messages.tool_runner(**ASKED, messages=[USER], tools=[look]).until_done()

    assert_that(cap).has_tools_executed_exactly_in_order("look")


def test_tools_of_the_provider_are_executions():
    blocks = [
        {"type": "server_tool_use", "id": "srv_0", "name": "web_search", "input": {"query": "weather"}},
        {
            "type": "web_search_tool_result",
            "tool_use_id": "srv_0",
            "content": [{"type": "web_search_result", "title": "T", "url": "u", "encrypted_content": "e", "page_age": None}],
        },
        {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {"query": "more"}},
        {
            "type": "web_search_tool_result",
            "tool_use_id": "srv_1",
            "content": {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"},
        },
        {"type": "mcp_tool_use", "id": "mcp_0", "name": "pay", "server_name": "s", "input": {}},
        {"type": "mcp_tool_result", "tool_use_id": "mcp_0", "is_error": True, "content": [{"type": "text", "text": "no amount"}]},
        {"type": "server_tool_use", "id": "srv_2", "name": "code_execution", "input": {"code": "1"}},
        text("Sunny."),
    ]
    for stream in (False, True):
        with talking(anthropic.Anthropic, message(*blocks)) as (client, _):
            with capture() as cap:
                answer = client.beta.messages.create(**ASKED, messages=[USER], stream=stream)
                list(answer)

        executions = cap.invocation.tool_executions
        assert [(one.name, one.outcome, one.call_id) for one in executions] == [
            ("web_search", Outcome.SUCCEEDED, "srv_0"),
            ("web_search", Outcome.FAILED, "srv_1"),
            ("pay", Outcome.FAILED, "mcp_0"),
            ("code_execution", Outcome.UNKNOWN, "srv_2"),
        ]
        assert executions[0].arguments == {"query": "weather"}
        assert [one.error for one in executions[1:3]] == ["max_uses_exceeded", "no amount"]
        assert cap.invocation.tool_execution_requests == ()


def test_messages_are_recorded_by_role_with_their_requests_and_results():
    history = [
        USER,
        {"role": "assistant", "content": [text("Let me see."), looked_up("MS-777", "a"), looked_up("MS-0", "b")]},
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": [text("con"), text("firmed")]},
                {"type": "tool_result", "tool_use_id": "b", "content": "unknown", "is_error": True},
                text("And?"),
            ],
        },
    ]
    with talking(anthropic.Anthropic, message(text("Done."))) as (client, _):
        with capture() as cap:
            client.messages.create(**ASKED, messages=history, system=[text("Be brief.")])
            (event,) = recorder.open_captures[-1].events

    messages = cap.invocation.own_chat_model_calls[0].messages
    assert [one["role"] for one in messages] == ["system", "user", "assistant", "tool", "tool", "user"]
    assert messages[2]["tool_calls"][0] == {"name": "get_booking", "arguments": {"number": "MS-777"}, "call_id": "a"}
    assert [one.get("status") for one in messages[3:5]] == ["success", "error"]
    chain = assert_that(cap).chat_model_call(0).has_system_message_containing("brief")
    chain.has_last_user_message_containing("And?").has_user_message_containing("MS-777?")
    assert event.exchange.sent[1].requests[1] == SentRequest("get_booking", {"number": "MS-0"}, "b")
    assert event.exchange.sent[2].results == (SentResult("a", "confirmed", failed=False), SentResult("b", "unknown", failed=True))
    assert event.exchange.response_id.startswith("msg_")


def test_a_message_has_one_key_as_received_and_written_by_hand_and_wherever_the_cache_ends():
    with talking(anthropic.Anthropic, message(text("Hi."), looked_up("MS-777"))) as (client, _):
        with capture():
            said = client.messages.create(**ASKED, messages=[USER])
            marked = {"type": "text", "text": USER["content"], "cache_control": {"type": "ephemeral"}}
            for user in (USER, {"role": "user", "content": [marked]}):
                for content in (said.content, [block.model_dump() for block in said.content], [text("Hi."), looked_up("MS-777")]):
                    client.messages.create(**ASKED, messages=[user, {"role": "assistant", "content": content}])
            events = [event for event in recorder.open_captures[-1].events if isinstance(event, ModelCallEvent)]

    assert len({event.exchange.sent[0].key for event in events}) == 1
    assert len({event.exchange.sent[1].key for event in events[1:]}) == 1
