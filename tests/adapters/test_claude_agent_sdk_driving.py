"""Claude Code, run by us: answered, with doubles in the place of tools of this process, and over several turns."""

from __future__ import annotations

import pytest

pytest.importorskip("claude_agent_sdk")

from claude_agent_sdk import HookMatcher

from agentassert import Decision, Outcome, Status, assert_that, fails, returns, run
from agentassert.conversations import conversation
from agentassert.driving import drive, tools_of
from tests.adapters.claude_agent_sdk_parts import client, executed, get_booking, options, refund
from tests.scripted.claude_agent_sdk import ScriptedCode, asks_for, own

REFUND = own("refund")
APPROVED = [{"tool": "refund", "decision": "approve"}]


async def permit(tool, given, context):
    raise AssertionError("a run that is driven asks nobody")


async def defer(given, key, context):
    gated = {"hookEventName": "PreToolUse", "permissionDecision": "defer"}
    return {"hookSpecificOutput": gated} if given["tool_name"] == REFUND else {}


DEFERRING = {"PreToolUse": [HookMatcher(hooks=[defer])]}


def cashier(amount=50, *, gated=None, function=refund, **fields):
    """An agent that refunds an amount."""
    script = ScriptedCode(asks_for((REFUND, {"amount": amount}, "c1")), "done", asks=[REFUND] if gated == "asking" else [])
    if gated == "asking":
        fields["can_use_tool"] = permit
    elif gated == "deferring":
        fields["hooks"] = DEFERRING
    return client(tools=[function], script=script, **fields)


def test_a_client_is_run():
    cap = run(cashier(), "Refund the lamp", name="cashier")

    assert_that(cap).has_succeeded().has_tool_executed_with("refund", {"amount": 50})
    assert (cap.invocation.name, cap.invocation.input, cap.output_text) == ("cashier", "Refund the lamp", "done")


def test_an_agent_that_is_chosen_by_name_has_that_name():
    assert run(cashier(extra_args={"agent": "clerk"}), "Refund", name="cashier").invocation.name == "clerk"


def test_a_mapping_is_the_prompt_as_json_text():
    assert run(cashier(), {"article": "lamp"}).invocation.input == '{"article": "lamp"}'


@pytest.mark.parametrize("gated", ["asking", "deferring"])
@pytest.mark.parametrize(("decision", "ran"), [("approve", [50]), ("reject", []), ("timeout", [])])
def test_permissions_and_deferred_tools_are_answered(gated, decision, ran):
    cap = run(cashier(gated=gated), "Refund", approvals=[{"tool": "refund", "decision": decision}])

    assert (cap.invocation.status, cap.output_text) == (Status.COMPLETED, "done")
    assert [one.decision for one in cap.invocation.approvals] == [Decision(decision)]
    assert [one.arguments["amount"] for one in cap.invocation.tool_executions] == ran
    assert_that(cap).has_own_chat_model_call_count(2)


@pytest.mark.parametrize("gated", ["asking", "deferring"])
def test_without_a_decision_the_run_waits(gated):
    cap = run(cashier(gated=gated), "Refund")

    assert_that(cap).has_approval_requested("refund", {"amount": 50}).has_no_tool_executions("refund")
    assert cap.invocation.status is Status.AWAITING_APPROVAL


@pytest.mark.parametrize(("approvals", "ran"), [([], []), ([{"tool": "Bash", "decision": "approve"}], ["Bash"])])
def test_a_tool_of_claude_code_that_is_asked_about_runs_when_it_may(approvals, ran):
    script = ScriptedCode(
        asks_for(("Bash", {"command": "ls"}, "c1")), "done", asks=["Bash"], tools={"Bash": lambda given: "a.txt"}
    )
    cap = run(client(script=script, can_use_tool=permit), "List", approvals=approvals)

    assert [one.name for one in cap.invocation.tool_executions] == ran
    assert cap.invocation.status is (Status.COMPLETED if ran else Status.AWAITING_APPROVAL)


def test_a_double_stands_in_for_a_tool_of_this_process():
    cap = run(cashier(), "Refund", mocks={"refund": lambda amount: f"mocked {amount}"})

    assert_that(cap).results_of("refund").is_equal_to(["mocked 50"])
    assert_that(run(cashier(), "Refund")).results_of("refund").is_equal_to(["paid 50"])


def test_a_double_gives_what_is_no_text():
    cap = run(cashier(), "Refund", mocks={"refund": returns({"paid": 50})})

    assert_that(cap).results_of("refund").is_equal_to([{"paid": 50}])


def test_a_replaced_tool_that_needs_a_permission_needs_it_still():
    mocks = {"refund": returns("mocked")}

    assert executed(run(cashier(gated="asking"), "Refund", mocks=mocks)) == []
    cap = run(cashier(gated="asking"), "Refund", mocks=mocks, approvals=APPROVED)
    assert_that(cap).results_of("refund").is_equal_to(["mocked"])


def test_a_double_fails_as_the_tool_would():
    cap = run(cashier(), "Refund", mocks={"refund": fails(TimeoutError("no answer"))})

    assert executed(cap) == [("refund", Outcome.FAILED)]
    assert repr(cap.invocation.tool_executions[0].error) == "TimeoutError('no answer')"


def test_a_call_that_the_real_tool_does_not_take_does_not_reach_its_double():
    cap = run(cashier("much"), "Refund", mocks={"refund": returns("mocked")})

    assert executed(cap) == [("refund", Outcome.FAILED)]
    assert "'much' is not of type 'integer'" in str(cap.invocation.tool_executions[0].error)


def test_a_mock_of_what_runs_in_claude_code_fails_the_run():
    script = ScriptedCode(asks_for(("Bash", {"command": "ls"}, "c1")), "done", tools={"Bash": lambda given: "a.txt"})
    driven = drive(client(script=script), "List", mocks={"Bash": returns("mocked")})

    assert driven.problems() == ("'Bash' is mocked, but the real tool ran: nothing could be put in its place there",)


def test_which_tools_there_are_is_known_only_to_a_run():
    assert tools_of(options(get_booking)) is None
    assert drive(cashier(), "Refund", mocks={"refnd": returns(1)}).problems()[0].startswith("'refnd' is mocked, but no tool")


def test_a_run_that_takes_too_long_is_cancelled():
    async def slow() -> str:
        """Wait for ever."""
        import asyncio

        await asyncio.Event().wait()
        return "never"

    cap = run(client(asks_for((own("slow"), {}, "c1")), tools=[slow]), "Hi", timeout_s=0.3)

    assert_that(cap).has_failed_with_message_containing("timed out")
    assert executed(cap) == [("slow", Outcome.CANCELLED)]


def test_an_error_of_the_provider_is_a_failed_run():
    cap = run(client(ConnectionError("no answer")), "Hi")

    assert_that(cap).has_failed_with_message_containing("API Error: no answer")


def test_a_conversation_is_one_session():
    booking = client("Which crossing?", "Booked.")

    with conversation(booking) as talk:
        assert talk.say("Book a ferry").bot_messages[0].text == "Which crossing?"
        assert talk.say("Moss").bot_messages[0].text == "Booked."


def test_tools_that_are_asked_about_side_by_side_have_an_answer_each():
    ran = []

    def play(name):
        return lambda given: ran.append(name) or name

    script = ScriptedCode(
        asks_for(("Bash", {}, "c1"), ("Write", {}, "c2"), ("Edit", {}, "c3")),
        "done",
        asks=["Bash", "Write", "Edit"],
        tools={name: play(name) for name in ("Bash", "Write", "Edit")},
    )
    decided = [("Bash", "approve"), ("Write", "reject"), ("Edit", "approve")]
    approvals = [{"tool": name, "decision": decision} for name, decision in decided]
    cap = run(client(script=script, can_use_tool=permit), "Go", approvals=approvals)

    assert (ran, cap.invocation.status) == (["Bash", "Edit"], Status.COMPLETED)
    assert [(one.tool, str(one.decision)) for one in cap.invocation.approvals] == decided
