"""Questions and clients: where an invocation begins and ends, and what its calls of the model were."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest

pytest.importorskip("claude_agent_sdk")

from claude_agent_sdk import AssistantMessage, HookMatcher, ResultMessage, query

from agentassert import NotRecordedError, Outcome, Status, assert_that, capture
from tests.adapters.claude_agent_sdk_parts import aask, ask, client, executed, get_booking, looks_up, options, say
from tests.scripted.claude_agent_sdk import Response, ScriptedCode, asks_for, own, says

GET = own("get_booking")


def only_call(cap):
    """The only call of the model."""
    (call,) = cap.invocation.own_chat_model_calls
    return call


def test_several_messages_of_one_response_are_one_call():
    asked = Response(("Let me", " see.", (GET, {"number": "1"}, "c1"), (GET, {"number": "2"}, "c2")))
    with capture(on_doubt="fail") as cap:
        ask(asked, "done", tools=[get_booking])

    first, second = cap.invocation.own_chat_model_calls
    assert (first.response_text, second.response_text) == ("Let me see.", "done")
    assert [(one.name, one.call_id, one.answered) for one in first.tool_execution_requests] == [
        ("get_booking", "c1", True),
        ("get_booking", "c2", True),
    ]
    assert first.model == "claude-scripted"
    assert_that(cap).has_tools_executed_exactly_in_order("get_booking", "get_booking")


def test_a_tool_that_ends_before_the_response_has_is_part_of_it_all_the_same():
    asked = Response(((GET, {"number": "1"}, "c1"), None, "And", (GET, {"number": "2"}, "c2")))
    with capture(on_doubt="fail") as cap:
        ask(asked, "done", tools=[get_booking])

    first, second = cap.invocation.own_chat_model_calls
    assert (first.response_text, second.response_text) == ("And", "done")
    assert [one.answered for one in first.tool_execution_requests] == [True, True]
    assert [one.arguments for one in cap.invocation.tool_executions] == [{"number": "1"}, {"number": "2"}]


def test_tokens_of_single_calls_are_not_known_without_the_stream_of_the_model():
    with capture(on_doubt="fail") as cap:
        ask(looks_up(), "done", tools=[get_booking])

    usages = [one.token_usage for one in cap.invocation.own_chat_model_calls]
    assert [(one.input_tokens, one.output_tokens, one.total_tokens) for one in usages] == [(11, None, None)] * 2
    with pytest.raises(NotRecordedError, match="reported no token usage"):
        assert_that(cap).has_total_tokens_at_most(1000)


def test_tokens_of_the_only_call_are_those_of_the_result():
    with capture(on_doubt="fail") as cap:
        ask(says("done", tokens=(20, 7)))

    assert (only_call(cap).token_usage.input_tokens, only_call(cap).token_usage.output_tokens) == (20, 7)
    assert_that(cap).has_total_tokens_at_most(27)


def test_tokens_are_counted_once_with_the_stream_of_the_model():
    with capture(on_doubt="fail") as cap:
        ask(script=ScriptedCode(looks_up(), says("done", tokens=(20, 7)), telling=True), tools=[get_booking])

    assert [one.token_usage.total_tokens for one in cap.invocation.own_chat_model_calls] == [14, 27]
    assert [one.raw_finish_reason for one in cap.invocation.own_chat_model_calls] == ["tool_use", "end_turn"]
    with pytest.raises(AssertionError, match="it used 41"):
        assert_that(cap).has_total_tokens_at_most(40)


def test_the_result_tells_why_the_last_response_ended():
    with capture(on_doubt="fail") as cap:
        ask(looks_up(), says("cut", stop_reason="max_tokens"), tools=[get_booking])

    assert [one.raw_finish_reason for one in cap.invocation.own_chat_model_calls] == [None, "max_tokens"]
    assert_that(cap).has_finish_reason("length")


def test_an_error_of_the_provider_is_a_failed_call_and_the_error_that_the_program_gets():
    with capture(expecting_failure=True) as cap, pytest.raises(Exception, match=r"no answer|exit code") as caught:
        ask(looks_up(), ConnectionError("no answer"), tools=[get_booking])

    first, second = cap.invocation.own_chat_model_calls
    assert (first.failed, second.failed, second.error) == (False, True, "API Error: no answer")
    assert cap.invocation.status is Status.FAILED
    assert cap.invocation.error is caught.value or str(caught.value) in str(cap.invocation.error)
    assert_that(cap).has_failed_with(Exception).has_tool_executed("get_booking")


def test_a_stream_of_prompts_is_the_input():
    async def prompts():
        yield {"type": "user", "message": {"role": "user", "content": "Where is"}}
        yield {"type": "user", "message": {"role": "user", "content": [{"type": "text", "text": "my booking?"}]}}

    with capture(on_doubt="fail") as cap:
        asyncio.run(aask(ScriptedCode("one", "two"), prompt=prompts()))

    assert (cap.invocation.input, cap.output_text) == (["Where is", "my booking?"], "two")


def test_a_question_whose_answer_was_read_is_answered_though_its_stream_is_left():
    async def answered():
        async for message in query(prompt="Hi", options=options(), transport=ScriptedCode("done").transport()):
            if isinstance(message, ResultMessage):
                return message.result
        return None

    async def run():
        async with capture(on_doubt="fail") as cap:
            assert await answered() == "done"
        return cap

    assert_that(asyncio.run(run())).has_succeeded()


def test_structured_output_is_the_output():
    with capture(on_doubt="fail") as cap:
        ask(script=ScriptedCode("done", result={"structured_output": {"n": 1}}))

    assert (cap.output, cap.output_text) == ({"n": 1}, "done")


def with_client(work, *steps, **fields):
    """What was recorded while a connected client works."""

    async def run():
        async with capture(on_doubt="fail") as cap, client(*steps, tools=[get_booking], **fields) as connected:
            await work(connected)
        return cap

    return asyncio.run(run())


def test_each_question_to_a_client_is_an_invocation():
    async def work(connected):
        await say(connected, "first")
        await say(connected, "second")

    cap = with_client(work, looks_up(), "one", "two")
    assert [(one.input, one.output_text, one.status) for one in cap.invocations] == [
        ("first", "one", Status.COMPLETED),
        ("second", "two", Status.COMPLETED),
    ]
    assert [executed(one) for one in cap.invocations] == [[("get_booking", Outcome.SUCCEEDED)], []]


def test_a_question_that_a_client_connects_with():
    async def run():
        connected = client("one")
        async with capture(on_doubt="fail") as cap:
            await connected.connect("Hi")
            async for _ in connected.receive_response():
                pass
            await connected.disconnect()
        return cap

    cap = asyncio.run(run())
    assert (cap.invocation.input, cap.output_text) == ("Hi", "one")


def test_a_client_that_was_connected_before_the_capture():
    async def run():
        async with client(looks_up("0", "c0"), "zero", looks_up(), "one", tools=[get_booking]) as connected:
            await say(connected, "before")
            async with capture(on_doubt="fail") as cap:
                await say(connected, "first")
            await connected.query("after")
        return cap

    cap = asyncio.run(run())
    assert [(one.input, one.output_text) for one in cap.invocations] == [("first", "one")]
    assert cap.invocation.tool_executions[0].arguments == {"number": "MS-777"}


def test_a_client_that_was_connected_before_there_was_any_capture_in_the_process():
    code = """if True:
        import asyncio
        from agentassert import assert_that, capture
        from tests.adapters.claude_agent_sdk_parts import client, get_booking, looks_up, say

        async def run():
            async with client(looks_up(), "one", tools=[get_booking]) as connected:
                async with capture(on_doubt="fail") as cap:
                    await say(connected, "first")
            assert_that(cap).has_succeeded().has_tool_executed("get_booking")
            print(cap.output_text)

        asyncio.run(run())
    """
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (ended.stdout, ended.returncode) == ("one\n", 0), ended.stderr


def test_a_stream_of_prompts_to_a_client():
    async def prompts():
        yield {"type": "user", "message": {"role": "user", "content": "Where is it?"}}

    async def work(connected):
        await say(connected, prompts())

    assert with_client(work, "one").invocation.input == "Where is it?"


async def wait() -> str:
    """Wait for ever."""
    await asyncio.Event().wait()
    return "never"


def test_an_interrupted_answer_is_cancelled():
    async def work(connected):
        await connected.query("Hi")
        async for message in connected.receive_response():
            if isinstance(message, AssistantMessage):
                await asyncio.sleep(0.01)
                await connected.interrupt()
        await say(connected, "Again")

    bash = {"Bash": lambda given: wait()}
    script = ScriptedCode(asks_for(("Bash", {"command": "sleep"}, "c1")), "two", tools=bash)
    cap = with_client(work, script=script)

    assert [one.status for one in cap.invocations] == [Status.CANCELLED, Status.COMPLETED]
    assert executed(cap.invocations[0]) == [("Bash", Outcome.CANCELLED)]


def test_a_client_that_is_disconnected_in_the_middle():
    async def work(connected):
        await connected.query("Hi")
        async for message in connected.receive_response():
            if isinstance(message, AssistantMessage):
                return

    script = ScriptedCode(asks_for(("Bash", {"command": "sleep"}, "c1")), tools={"Bash": lambda given: wait()})
    cap = with_client(work, script=script)

    assert (cap.invocation.status, executed(cap)) == (Status.CANCELLED, [("Bash", Outcome.CANCELLED)])


def test_a_connection_that_is_lost_is_the_failure_of_what_was_asked():
    async def run():
        async with capture(expecting_failure=True) as cap, client(tools=[get_booking]) as connected:
            await say(connected, "Hi")
        return cap

    cap = asyncio.run(run())
    assert_that(cap).has_failed_with(Exception).has_failed_with_message_containing("its script has no step")


def test_a_result_that_is_an_error_is_the_failure_of_what_a_client_asked():
    """The process of Claude Code lives on, so that nothing is raised."""
    ended = {"subtype": "error_max_turns", "is_error": True, "result": None, "errors": ["Reached maximum number of turns (1)"]}

    async def work(connected):
        await say(connected, "Hi")

    cap = with_client(work, script=ScriptedCode("one", result=ended))
    assert_that(cap).has_failed_with_message_containing("Reached maximum number of turns (1)")


def test_tokens_of_one_call_in_each_of_several_turns_are_those_of_their_results():
    async def prompts():
        for said in ("one?", "two?"):
            yield {"type": "user", "message": {"role": "user", "content": said}}

    with capture(on_doubt="fail") as cap:
        asyncio.run(aask(ScriptedCode("one", says("two", tokens=(20, 7))), prompt=prompts()))

    assert [one.token_usage.total_tokens for one in cap.invocation.own_chat_model_calls] == [14, 27]


def test_a_question_whose_answer_comes_after_its_capture_leaves_the_next_one_alone():
    async def work():
        async with client("one", "two") as connected:
            with capture() as first:
                await connected.query("a")
            async for _ in connected.receive_response():
                pass
            async with capture(on_doubt="fail") as second:
                await say(connected, "b")
        return first, second

    first, second = asyncio.run(work())
    assert [one.status for one in first.invocations] == [Status.CANCELLED]
    assert [(one.input, one.output_text) for one in second.invocations] == [("b", "two")]


def test_a_question_that_waits_for_an_answer_belongs_where_it_was_asked():
    async def work():
        connected = client("zero", "one", "two")
        async with capture():
            await connected.connect()
            await say(connected, "z")
        async with capture(on_doubt="fail") as cap:
            await connected.query("a")
            await connected.query("b")
            for _ in range(2):
                async for _ in connected.receive_response():
                    pass
        await connected.disconnect()
        return cap

    cap = asyncio.run(work())
    assert [(one.input, one.output_text) for one in cap.invocations] == [("a", "one"), ("b", "two")]


def test_a_hook_that_is_called_beside_the_work_begins_none():
    heard = []

    async def notified(given, key, context):
        heard.append(given["message"])
        return {}

    async def work():
        hooks = {"Notification": [HookMatcher(hooks=[notified])], "PreToolUse": [HookMatcher(hooks=[notified])]}
        async with capture(on_doubt="fail") as cap, client("one", hooks=hooks) as connected:
            told = {"hook_event_name": "Notification", "message": "waiting"}
            ask_hook = connected._custom_transport._request
            await ask_hook(subtype="hook_callback", callback_id="hook_0", input=told, tool_use_id=None)
            await say(connected, "Hi")
            await ask_hook(subtype="hook_callback", callback_id="hook_0", input=told, tool_use_id="n1")
        return cap

    assert [one.output_text for one in asyncio.run(work()).invocations] == ["one"]
    assert heard == ["waiting", "waiting"]
