"""What must be said about an invocation before anything else may be asserted about it."""

from __future__ import annotations

import pytest

from agentassert import AdapterError, AgentAssertionError, Status, assert_that, soft_assertions
from tests.assertions.every_assertion import ASSERTIONS, UNGATED, call
from tests.factories import captured, execution, failed, invocation, message, strays

GATED = [one for one in ASSERTIONS if one not in UNGATED]


@pytest.mark.parametrize("method", GATED)
@pytest.mark.parametrize(
    ("status", "how"),
    [
        (
            "unfinished",
            "Expected invocation 'support' to be over before anything is asserted about it,\nbut it has not finished.",
        ),
        ("cancelled", "but it was cancelled.\nIf that is what the test expects, say so first: was_cancelled();"),
        ("blocked", "but it was blocked.\nIf that is what the test expects, say so first: was_blocked();"),
        ("failed", "but it failed.\nIf that is what the test expects, say so first: has_failed_with(…) or"),
    ],
)
def test_an_invocation_that_did_not_complete_fails_every_assertion(method, status, how):
    cap = captured(invocation("support", execution("pay"), status=Status(status)))

    with pytest.raises(AgentAssertionError) as caught:
        call(assert_that(cap), method)
    assert how in str(caught.value)


@pytest.mark.parametrize("method", UNGATED)
def test_an_unfinished_invocation_fails_those_on_its_end_too(method):
    with pytest.raises(AgentAssertionError, match="\nbut it has not finished"):
        call(assert_that(captured(invocation("support", status=Status.UNFINISHED))), method)


@pytest.mark.parametrize(
    ("status", "unlock"),
    [
        ("cancelled", lambda chain: chain.was_cancelled()),
        ("blocked", lambda chain: chain.was_blocked()),
        ("failed", lambda chain: chain.has_failed_with(TimeoutError)),
        ("failed", lambda chain: chain.has_failed_with_message_containing("no answer")),
    ],
)
def test_once_the_end_was_checked_what_happened_before_can_be_asserted_on(status, unlock):
    cap = captured(invocation("support", execution("pay"), status=Status(status), error=TimeoutError("no answer")))

    unlock(assert_that(cap)).has_tool_executed("pay")
    assert_that(cap).has_no_more_tool_executions()
    assert "to have succeeded,\nbut it" in message(assert_that(cap).has_succeeded)


def test_a_check_of_the_end_that_fails_unlocks_nothing():
    cap = captured(failed("support", execution("pay")))

    with pytest.raises(AgentAssertionError):
        assert_that(cap).has_failed_with(KeyError)
    assert "If that is what the test expects" in message(assert_that(cap).has_tool_executed, "pay")


def test_a_chain_that_failed_once_goes_on_checking():
    chain = assert_that(captured(failed("support", execution("pay"))))

    with pytest.raises(AgentAssertionError):
        chain.has_tool_executed("pay")
    with pytest.raises(AgentAssertionError):
        chain.has_failed_with(KeyError)
    chain.has_failed_with(TimeoutError).has_tool_executed("pay")


def test_the_failure_of_one_invocation_says_nothing_about_another_one():
    cap = captured(failed("one"), failed("two"))
    assert_that(cap.invocations[0]).has_failed_with(TimeoutError)

    assert_that(cap.invocations[0]).has_no_tool_executions()
    assert "invocation 'two' to have completed" in message(assert_that(cap.invocations[1]).has_no_tool_executions)


def test_forgetting_the_checks_locks_it_again():
    cap = captured(failed())
    assert_that(cap).has_failed_with(TimeoutError)
    cap.forget_checks()

    assert "to have completed" in message(assert_that(cap).has_no_tool_executions)


def test_an_unfinished_invocation_in_scope_fails_and_one_out_of_scope_does_not():
    nested = invocation("reader", status=Status.UNFINISHED)
    cap = captured(invocation("support", execution("pay"), nested=[nested]))

    assert_that(cap).top_level_only().has_tool_executed("pay")
    assert_that(cap).has_nested_invocation("reader")
    assert message(assert_that(cap).including_nested().has_tool_executed, "pay").startswith(
        "Expected invocation 'reader' to be over before anything is asserted about it,"
    )


def test_a_nested_failure_that_was_handled_does_not_matter():
    cap = captured(invocation("support", execution("pay"), nested=[failed("reader"), invocation("x", status=Status.CANCELLED)]))

    assert_that(cap).has_succeeded().including_nested().has_tool_executed("pay")


@pytest.mark.parametrize("method", ASSERTIONS)
def test_half_a_record_passes_and_fails_nothing(method):
    cap = captured(invocation(), faults=("the langchain adapter broke: ValueError: x",))

    with pytest.raises(AdapterError) as caught:
        call(assert_that(cap), method)
    assert str(caught.value) == (
        "The recording is incomplete, because a hook of this library broke while the agent ran:\n"
        "  the langchain adapter broke: ValueError: x"
    )


def test_every_fault_is_told_and_the_error_carries_them():
    cap = captured(invocation(), faults=("the langchain adapter broke: ValueError: x", "the mcp adapter broke: KeyError: 'y'"))

    with pytest.raises(AdapterError) as caught:
        assert_that(cap).has_succeeded()
    assert str(caught.value).endswith(
        "ran:\n  the langchain adapter broke: ValueError: x\n  the mcp adapter broke: KeyError: 'y'"
    )
    assert (caught.value.subject, caught.value.actual) == ("the capture", cap.health)


def test_every_doubt_is_told_and_the_error_carries_them():
    cap = captured(invocation(), late=1, notes=("a doubt",), on_doubt="fail")

    with pytest.raises(AgentAssertionError) as caught:
        assert_that(cap).has_succeeded()
    assert str(caught.value).endswith("had ended: 1\n  a doubt")
    error = caught.value
    assert (error.subject, error.expected, error.actual) == ("the capture", "no doubts", cap.health.doubts)


@pytest.mark.parametrize("scope", ["top_level_only", "including_nested", "whole_capture"])
@pytest.mark.parametrize("nested", [False, True])
def test_a_gate_tells_of_the_invocation_that_it_is_about_alone(scope, nested):
    unfinished = invocation("reader", execution("read"), status=Status.UNFINISHED)
    top = invocation("support", execution("pay"), nested=[unfinished]) if nested else failed("support", execution("pay"))
    cap = captured(top, strays=strays(execution("mail")))
    if nested and scope == "top_level_only":
        getattr(assert_that(cap), scope)().has_tool_executed("pay")
        return

    shown = message(getattr(assert_that(cap), scope)().has_tool_executed, "pay")

    assert shown.startswith(f"Expected invocation {'reader' if nested else 'support'!r} to ")
    assert "Recorded outside" not in shown
    assert shown.endswith(f"Tool executions:\n  [1] {'read' if nested else 'pay'}() -> 'ok'")


@pytest.mark.parametrize("method", ASSERTIONS)
def test_a_doubt_fails_everything_where_that_was_asked_for(method):
    cap = captured(invocation(), notes=("langchain 9.0 was never tested",), on_doubt="fail")

    with pytest.raises(AgentAssertionError) as caught:
        call(assert_that(cap), method)
    assert str(caught.value) == (
        "The recording is in doubt, which this capture counts as a failure:\n  langchain 9.0 was never tested"
    )


def test_a_doubt_is_said_with_every_failure():
    cap = captured(invocation(), late=2, notes=("langchain 9.0 was never tested",))
    assert_that(cap).has_no_tool_executions()

    shown = message(assert_that(cap).has_tool_executed, "pay")
    assert shown.startswith(
        "Expected invocation 'support' to have executed 'pay',\nbut it was never executed.\nTool executions: none\n"
    )
    assert "\nIn doubt:\n  events dropped, because they came after their capture or their invocation had ended: 2\n" in shown
    assert shown.endswith("\n  langchain 9.0 was never tested")


def test_in_a_soft_block_the_rest_of_a_chain_whose_gate_failed_is_ignored():
    cap = captured(failed())

    with pytest.raises(AssertionError) as caught, soft_assertions():
        chain = assert_that(cap).has_tool_executed("pay").has_tool_executed("ship").has_succeeded()
        chain.output().is_equal_to(3)
        assert_that(cap).has_failed_with(KeyError)
    assert [str(one).splitlines()[0] for one in caught.value.failures] == [
        "Expected invocation 'support' to have completed,",
        "Expected invocation 'support' to have failed with KeyError,",
    ]


@pytest.mark.parametrize(
    "of",
    [
        lambda: assert_that(captured(failed())).has_no_tool_executions(),
        lambda: assert_that(captured(failed())).output(),
        lambda: assert_that(captured(invocation(nested=[invocation("reader")]))).has_no_tool_executions(),
        lambda: assert_that(captured()).has_succeeded(),
        lambda: captured(invocation("one"), invocation("two")).invocation,
    ],
    ids=["gate", "navigation", "scope", "no invocation", "two invocations"],
)
def test_pytest_shows_the_line_of_the_test_and_nothing_of_ours(of):
    with pytest.raises(AgentAssertionError) as caught:
        of()

    assert (caught.value.__context__, caught.value.__cause__) == (None, None)
    shown = caught.traceback.filter(caught)
    assert {str(entry.path) for entry in shown} == {__file__}
    assert "Stopped" not in str(caught.getrepr())
