"""Tools: those that run in this process, those of Claude Code, and those that were not to run."""

from __future__ import annotations

import asyncio
import json

import pytest

pytest.importorskip("claude_agent_sdk")

from claude_agent_sdk import (
    ClaudeAgentOptions,
    HookMatcher,
    PermissionResultAllow,
    PermissionResultDeny,
    create_sdk_mcp_server,
    query,
    tool,
)

from agentassert import AgentAssertionError, Decision, NotRecordedError, Outcome, assert_that, capture, record
from tests.adapters.claude_agent_sdk_parts import aask, ask, get_booking, looks_up, options, refund
from tests.adapters.kits.claude_agent_sdk import tool_of
from tests.scripted.claude_agent_sdk import ScriptedCode, ScriptedTransport, asks_for, own

BASH = {"command": "ls"}


async def answers(result):
    """A tool's function that gives a result as it is."""
    return result


def giving(name, result):
    """A tool of the SDK that gives a result as it is."""
    return tool(name, name, {"type": "object", "properties": {}})(lambda arguments: answers(result))


def recorded(*steps, tools=(), script=None, prompt="Hi", **fields):
    """A capture of one question."""
    with capture(on_doubt="fail") as cap:
        asyncio.run(aask(script or ScriptedCode(*steps), *tools, prompt=prompt, **fields))
    return cap


def test_the_exception_of_a_tool_is_its_error():
    def fragile() -> str:
        """Fail."""
        raise LookupError("kaput")

    cap = recorded(asks_for((own("fragile"), {}, "c1")), "sorry", tools=[fragile])

    assert repr(cap.invocation.tool_executions[0].error) == "LookupError('kaput')"
    assert_that(cap).has_succeeded().has_tool_execution_failed("fragile")


def test_a_result_that_says_it_is_an_error_is_a_failure():
    told = {"content": [{"type": "text", "text": "too late"}], "is_error": True}
    cap = recorded(asks_for((own("pay"), {}, "c1")), "sorry", tools=[giving("pay", told)])

    (execution,) = cap.invocation.tool_executions
    assert (execution.outcome, execution.error, execution.result) == (Outcome.FAILED, "too late", "too late")


@pytest.mark.parametrize(
    ("content", "result"),
    [
        ([], None),
        ([{"type": "text", "text": "paid"}], "paid"),
        ([{"type": "text", "text": '{"paid": 5}'}], {"paid": 5}),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "[1]"}], ["a", [1]]),
    ],
)
def test_results_are_what_the_blocks_hold(content, result):
    cap = recorded(asks_for((own("pay"), {}, "c1")), "done", tools=[giving("pay", {"content": content})])

    assert cap.invocation.tool_executions[0].result == result


def test_tools_of_claude_code_are_recorded_by_its_messages():
    def read(given):
        if given["file_path"] == "b":
            raise ValueError("File does not exist.")
        return "text"

    asked = asks_for(("Read", {"file_path": "a"}, "c1"), ("Read", {"file_path": "b"}, "c2"))
    cap = recorded(script=ScriptedCode(asked, "done", tools={"Read": read}))

    first, second = cap.invocation.tool_executions
    assert (first.name, first.arguments, first.call_id, first.outcome) == ("Read", {"file_path": "a"}, "c1", Outcome.SUCCEEDED)
    assert (first.result, first.raw_result) == ("text", {"stdout": "text"})
    assert (second.outcome, second.error) == (Outcome.FAILED, "File does not exist.")


def test_a_tool_has_its_own_name_and_that_of_its_server_where_two_have_the_same():
    other = {"mcp__other__get_booking": lambda given: "other", "mcp__other__list": lambda given: "listed"}
    asked = asks_for(
        ("mcp__other__get_booking", {}, "c1"), (own("get_booking"), {"number": "1"}, "c2"), ("mcp__other__list", {}, "c3")
    )
    cap = recorded(script=ScriptedCode(asked, "done", tools=other), tools=[get_booking])

    assert [one.name for one in cap.invocation.tool_executions] == ["mcp__other__get_booking", own("get_booking"), "list"]
    assert cap.invocation.own_chat_model_calls[0].tools_offered == ("mcp__other__get_booking", "list", own("get_booking"))


def test_a_full_name_that_nothing_is_recorded_by_is_said():
    cap = recorded(looks_up(), "done", tools=[get_booking])

    with pytest.raises(AgentAssertionError, match="Did you mean 'get_booking'"):
        assert_that(cap).has_no_tool_executions(own("get_booking"))


def test_a_tool_that_claude_code_forbids_was_requested_and_rejected():
    cap = recorded(
        script=ScriptedCode(asks_for(("Bash", BASH, "c1")), "sorry", tools={"Bash": lambda given: "x"}, forbids=["Bash"])
    )

    (approval,) = cap.invocation.approvals
    assert (approval.tool, approval.arguments, approval.decision) == ("Bash", BASH, Decision.REJECT)
    assert [one.answered for one in cap.invocation.tool_execution_requests] == [False]
    assert_that(cap).has_no_tool_executions().has_tool_rejected("Bash").has_tool_requested("Bash")


@pytest.mark.parametrize("name", ["Bash", own("refund")])
@pytest.mark.parametrize(
    ("answer", "decision", "reason", "ran"),
    [
        (PermissionResultAllow(), Decision.APPROVE, None, [{"amount": 5}]),
        (PermissionResultAllow(updated_input={"amount": 6}), Decision.EDIT, None, [{"amount": 6}]),
        (PermissionResultDeny(message="too much"), Decision.REJECT, "too much", []),
        (ValueError("kaput"), Decision.REJECT, "kaput", []),
    ],
)
def test_what_the_program_permits_is_an_approval(name, answer, decision, reason, ran):
    asked = []

    async def permit(tool, given, context):
        asked.append((tool, given))
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def prompts():
        yield {"type": "user", "message": {"role": "user", "content": "Refund"}}

    bash = {"Bash": lambda given: f"paid {given['amount']}"}
    script = ScriptedCode(asks_for((name, {"amount": 5}, "c1")), "done", asks=[name], tools=bash)
    cap = recorded(script=script, tools=[refund], prompt=prompts(), can_use_tool=permit)

    (approval,) = cap.invocation.approvals
    assert asked == [(name, {"amount": 5})]
    assert (approval.arguments, approval.decision, approval.reason) == ({"amount": 5}, decision, reason)
    assert [one.arguments for one in cap.invocation.tool_executions] == ran
    assert [one.result for one in cap.invocation.tool_executions] == [f"paid {one['amount']}" for one in ran]
    assert_that(cap).has_no_pending_approvals()


def test_what_a_hook_refuses_did_not_run():
    async def refuse(given, key, context):
        return {
            "hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "no"}
        }

    script = ScriptedCode(
        asks_for(("Bash", BASH, "c1"), (own("refund"), {"amount": 1}, "c2")), "ok", tools={"Bash": lambda given: "x"}
    )
    cap = recorded(script=script, tools=[refund], hooks={"PreToolUse": [HookMatcher(hooks=[refuse])]})

    assert_that(cap).has_no_tool_executions()
    assert [one.answered for one in cap.invocation.tool_execution_requests] == [False, False]


def test_the_same_tool_for_two_captures_at_once_belongs_to_each():
    both = asyncio.Barrier(2)

    @record.tool
    def fetch(number):
        return number

    async def look_up(number: str) -> str:
        """Look up."""
        await both.wait()
        return fetch(number)

    shared = options(look_up)

    async def run(key):
        script = ScriptedCode(asks_for((own("look_up"), {"number": "1"}, key)), "done")
        async with capture(on_doubt="fail") as cap:
            async for _ in query(prompt="Hi", options=shared, transport=script.transport()):
                pass
        return cap

    async def at_once():
        return await asyncio.gather(run("c1"), run("c2"))

    for cap, key in zip(asyncio.run(at_once()), ("c1", "c2"), strict=True):
        outer, inner = sorted(cap.invocation.tool_executions, key=lambda one: one.name != "look_up")
        assert (outer.name, outer.call_id, outer.outcome, inner.name) == ("look_up", key, Outcome.SUCCEEDED, "fetch")


def test_a_tool_that_the_program_itself_calls_is_no_execution_and_is_called_as_it_is():
    made = giving("pay", {"content": []})
    function = made.handler

    with capture() as cap:
        assert asyncio.run(made.handler({})) == {"content": []}
    assert cap.invocations == ()
    assert made.handler is function


def test_results_of_a_tool_are_json_text_decoded_and_the_raw_result_is_what_it_returned():
    cap = recorded(looks_up("7"), "done", tools=[get_booking])

    (execution,) = cap.invocation.tool_executions
    assert execution.raw_result == {"content": [{"type": "text", "text": json.dumps({"number": "7", "customer": "Ann"})}]}


def test_messages_to_the_model_are_not_recorded_and_retrievers_neither():
    cap = recorded("done")

    assert cap.invocation.own_chat_model_calls[0].messages == ()
    with pytest.raises(NotRecordedError):
        assert_that(cap).has_no_retrieved_sources()


def test_ask_without_a_capture_gives_the_same_messages():
    without = ask(looks_up(), "done", tools=[get_booking])
    with capture():
        within = ask(looks_up(), "done", tools=[get_booking])

    assert [type(one) for one in without] == [type(one) for one in within]


def test_a_tool_runs_with_the_arguments_that_a_hook_gives_it():
    ran = []

    async def rewrite(given, key, context):
        allowed = {"hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": {"command": "echo"}}
        return {"hookSpecificOutput": allowed}

    script = ScriptedCode(asks_for(("Bash", BASH, "c1")), "done", tools={"Bash": lambda given: ran.append(given) or "x"})
    cap = recorded(script=script, hooks={"PreToolUse": [HookMatcher(hooks=[rewrite])]})

    assert ran == [{"command": "echo"}]
    assert [one.arguments for one in cap.invocation.tool_executions] == ran
    assert [one.arguments for one in cap.invocation.tool_execution_requests] == [BASH]


def test_a_server_whose_name_claude_code_spells_in_its_own_way(monkeypatch):
    class Spelling(ScriptedTransport):
        """Requests bear the server's own name, those of tools that of Claude Code's making."""

        async def _request(self, **request):
            return await super()._request(**{**request, **({"server_name": "my shop"} if "server_name" in request else {})})

    monkeypatch.setattr("tests.scripted.claude_agent_sdk.SERVER", "my_shop")
    server = create_sdk_mcp_server("my shop", tools=[tool_of(get_booking)])
    transport = Spelling(ScriptedCode(looks_up(), "done"))

    async def work():
        async for _ in query(prompt="Hi", options=ClaudeAgentOptions(mcp_servers={"my shop": server}), transport=transport):
            pass

    with capture(on_doubt="fail") as cap:
        asyncio.run(work())

    (execution,) = cap.invocation.tool_executions
    assert (execution.name, execution.outcome, execution.call_id) == ("get_booking", Outcome.SUCCEEDED, "c1")
