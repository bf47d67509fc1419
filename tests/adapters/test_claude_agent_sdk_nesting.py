"""Sub-agents of Claude Code, and agents in the tools of this process."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("claude_agent_sdk")

from claude_agent_sdk import HookMatcher

from agentassert import Outcome, Status, assert_that, capture, record
from tests.adapters.claude_agent_sdk_parts import aask, ask, client, executed, get_booking, looks_up, say
from tests.scripted.claude_agent_sdk import ScriptedCode, asks_for, own, says


def delegates(key="a1", kind="researcher", **fields):
    """The model asks another agent."""
    return asks_for(("Agent", {"subagent_type": kind, "description": "d", "prompt": "Look it up", **fields}, key))


def researching(*steps, **fields):
    """A script in which one agent asks another."""
    return ScriptedCode(delegates(), "done", sub_agents={"researcher": steps}, **fields)


@pytest.mark.parametrize("forwards", [False, True])
def test_a_sub_agent_is_nested_in_the_tool_that_asks_it(forwards):
    with capture(on_doubt="fail") as cap:
        ask(script=researching(looks_up("7"), "found 7", forwards=forwards), tools=[get_booking])

    (nested,) = cap.invocation.nested_invocations
    (asking,) = cap.invocation.tool_executions
    assert (nested.name, nested.input, nested.output_text, nested.awaited) == ("researcher", "Look it up", "found 7", True)
    assert (asking.name, asking.outcome, nested.started_by) == ("Agent", Outcome.SUCCEEDED, asking.id)
    assert executed(nested) == [("get_booking", Outcome.SUCCEEDED)]
    assert [one.response_text for one in nested.own_chat_model_calls] == [None if not forwards else "", "found 7"] or not forwards
    assert [len(one.own_chat_model_calls) for one in (cap.invocation, nested)] == [2, 2]
    assert_that(cap).top_level_only().has_own_chat_model_call_count(2).has_tools_executed_exactly_in_order("Agent")


def test_a_sub_agent_that_answers_at_once():
    with capture(on_doubt="fail") as cap:
        ask(script=researching("known"))

    (nested,) = cap.invocation.nested_invocations
    assert [one.response_text for one in nested.own_chat_model_calls] == ["known"]


def test_tools_of_claude_code_in_a_sub_agent():
    read = asks_for(("Read", {"file_path": "a"}, "c1"))
    with capture(on_doubt="fail") as cap:
        ask(script=researching(read, "read", tools={"Read": lambda given: "text"}))

    assert executed(cap.invocation.nested_invocations[0]) == [("Read", Outcome.SUCCEEDED)]
    assert executed(cap.invocation) == [("Agent", Outcome.SUCCEEDED)]


def test_sub_agents_side_by_side():
    both = asks_for(*(("Agent", {"subagent_type": f"r{n}", "description": "d", "prompt": n}, f"a{n}") for n in "12"))
    script = ScriptedCode(both, "done", sub_agents={f"r{n}": [looks_up(n, f"c{n}"), f"found {n}"] for n in "12"})
    with capture(on_doubt="fail") as cap:
        ask(script=script, tools=[get_booking])

    assert {one.name: (one.output_text, one.tool_executions[0].arguments) for one in cap.invocation.nested_invocations} == {
        "r1": ("found 1", {"number": "1"}),
        "r2": ("found 2", {"number": "2"}),
    }


def test_a_sub_agent_in_the_background_is_not_awaited():
    async def slow(number: str) -> str:
        """Take a while."""
        await asyncio.sleep(0.02)
        return number

    async def work():
        script = ScriptedCode(
            delegates(run_in_background=True),
            "started",
            "and it was found",
            sub_agents={"researcher": [asks_for((own("slow"), {"number": "7"}, "c1")), "found 7"]},
        )
        async with capture(on_doubt="fail") as cap, client(script=script, tools=[slow]) as connected:
            await say(connected, "Hi")
            before = cap.invocation.output_text
            await asyncio.sleep(0.1)
            await say(connected, "And?")
        return before, cap

    before, cap = asyncio.run(work())
    first, second = cap.invocations
    (nested,) = first.nested_invocations
    assert (before, second.output_text) == ("started", "and it was found")
    assert (nested.awaited, nested.output_text, nested.status) == (False, "found 7", Status.COMPLETED)
    assert executed(nested) == [("slow", Outcome.SUCCEEDED)]


def test_what_claude_code_goes_on_with_by_itself_is_an_invocation():
    async def work():
        script = ScriptedCode("one", "by itself")
        async with capture(on_doubt="fail") as cap, client(script=script) as connected:
            await say(connected, "Hi")
            connected._custom_transport._prompts.put_nowait({"message": {"content": "a task has ended"}})
            async for _ in connected.receive_response():
                pass
        return cap

    cap = asyncio.run(work())
    assert [(one.input, one.output_text) for one in cap.invocations] == [("Hi", "one"), (None, "by itself")]


def test_a_sub_agent_that_nobody_permits_is_none():
    async def refuse(given, key, context):
        return {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}}

    with capture(on_doubt="fail") as cap:
        ask(script=researching("never"), hooks={"PreToolUse": [HookMatcher(hooks=[refuse])]})

    assert cap.invocation.nested_invocations == ()
    assert_that(cap).has_no_tool_executions().has_tool_rejected("Agent")


def test_a_sub_agent_whose_run_is_left_is_cancelled():
    async def forever() -> str:
        """Wait for ever."""
        await asyncio.Event().wait()
        return "never"

    async def work():
        async with capture(on_doubt="fail") as cap:
            script = researching(asks_for((own("forever"), {}, "c1")))
            task = asyncio.create_task(aask(script, forever))
            await asyncio.sleep(0.1)
            task.cancel()
            await asyncio.wait([task])
        return cap

    cap = asyncio.run(work())
    (nested,) = cap.invocation.nested_invocations
    assert (cap.invocation.status, nested.status) == (Status.CANCELLED, Status.CANCELLED)
    assert (executed(cap.invocation), executed(nested)) == ([("Agent", Outcome.CANCELLED)], [("forever", Outcome.CANCELLED)])


def test_a_sub_agent_that_is_cut_off_by_the_end_of_the_run_is_cancelled():
    async def work():
        script = researching(asks_for(("Read", {}, "c1")), tools={"Read": lambda given: asyncio.Event().wait()})
        async with capture(on_doubt="fail") as cap, client(script=script) as connected:
            await connected.query("Hi")
            await asyncio.sleep(0.05)
            connected._custom_transport._result(subtype="error_max_budget", is_error=True, errors=["Out of money"])
            async for _ in connected.receive_response():
                pass
        return cap

    cap = asyncio.run(work())
    (nested,) = cap.invocation.nested_invocations
    assert (cap.invocation.status, nested.status) == (Status.FAILED, Status.CANCELLED)
    assert (executed(cap.invocation), executed(nested)) == ([("Agent", Outcome.CANCELLED)], [("Read", Outcome.CANCELLED)])


def test_what_a_permission_asks_is_part_of_the_run():
    @record.agent("guard")
    def judge(tool):
        return "yes"

    async def before(given, key, context):
        judge(given["tool_name"])
        return {}

    with capture(on_doubt="fail") as cap:
        ask(looks_up(), says("done"), tools=[get_booking], hooks={"PreToolUse": [HookMatcher(hooks=[before])]})

    assert [one.name for one in cap.invocation.nested_invocations] == ["guard"]


def test_a_question_in_a_tool_of_a_client_is_one_of_its_own():
    async def research(topic: str) -> str:
        """Ask Claude Code."""
        answered = await aask(ScriptedCode(looks_up("7"), "found 7"), get_booking, prompt=topic)
        return answered[-1].result

    async def work():
        script = ScriptedCode(asks_for((own("research"), {"topic": "x"}, "r1")), "done")
        async with capture(on_doubt="fail") as cap, client(script=script, tools=[research]) as connected:
            await say(connected, "Hi")
        return cap

    cap = asyncio.run(work())
    (nested,) = cap.invocation.nested_invocations
    assert (cap.invocation.input, nested.input, nested.output_text) == ("Hi", "x", "found 7")
    assert (executed(cap.invocation), executed(nested)) == (
        [("research", Outcome.SUCCEEDED)],
        [("get_booking", Outcome.SUCCEEDED)],
    )
