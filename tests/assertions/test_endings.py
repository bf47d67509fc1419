"""How an invocation ended."""

from __future__ import annotations

import pytest

from agentassert import AgentAssertionError, NotRecordedError, Status, assert_that, capture, record
from agentassert.stored.recorded_errors import RecordedError
from tests.factories import captured, execution, failed, invocation, message


def with_status(status, **fields):
    return captured(invocation("support", status=Status(status), **fields))


def raised_from(error, cause):
    error.__cause__ = cause
    return error


def test_a_completed_invocation_has_succeeded():
    assert_that(with_status("completed")).has_succeeded()


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (
            "failed",
            "Expected invocation 'support' to have completed,\nbut it failed.\nIf that is what the test expects, say so first: "
            "has_failed_with(…) or has_failed_with_message_containing(…); then assert on what happened before.",
        ),
        (
            "cancelled",
            "Expected invocation 'support' to have completed,\nbut it was cancelled.\n"
            "If that is what the test expects, say so first: was_cancelled(); then assert on what happened before.",
        ),
        (
            "blocked",
            "Expected invocation 'support' to have completed,\nbut it was blocked.\n"
            "If that is what the test expects, say so first: was_blocked(); then assert on what happened before.",
        ),
        ("awaiting_approval", "Expected invocation 'support' to have succeeded,\nbut it awaits an approval."),
        (
            "unfinished",
            "Expected invocation 'support' to be over before anything is asserted about it,\nbut it has not finished.\n"
            "Wait for its result inside the block, or give the capture more time: capture(wait=seconds); "
            "in a coroutine by `async with capture(…)`, since a plain `with` cannot wait there.",
        ),
    ],
)
def test_any_other_one_has_not(status, text):
    assert message(assert_that(with_status(status)).has_succeeded) == f"{text}\nTool executions: none"


@pytest.mark.parametrize(
    ("status", "how"),
    [
        ("completed", "completed"),
        ("failed", "failed"),
        ("blocked", "was blocked"),
        ("awaiting_approval", "awaits an approval"),
        ("unfinished", "has not finished"),
    ],
)
def test_only_a_cancelled_one_was_cancelled(status, how):
    assert_that(with_status("cancelled")).was_cancelled()

    assert message(assert_that(with_status(status)).was_cancelled) == (
        f"Expected invocation 'support' to have been cancelled,\nbut it {how}.\nTool executions: none"
    )


@pytest.mark.parametrize(("status", "how"), [("completed", "completed"), ("failed", "failed"), ("cancelled", "was cancelled")])
def test_only_a_blocked_one_was_blocked(status, how):
    assert_that(with_status("blocked")).was_blocked()

    assert message(assert_that(with_status(status)).was_blocked) == (
        f"Expected invocation 'support' to have been blocked by a guardrail,\nbut it {how}.\nTool executions: none"
    )


@pytest.mark.parametrize(
    "error",
    [
        TimeoutError("no answer"),
        raised_from(RuntimeError("outer"), TimeoutError("no answer")),
        ExceptionGroup("several", [KeyError("a"), raised_from(ValueError("b"), TimeoutError("no answer"))]),
        raised_from(RuntimeError("outer"), ExceptionGroup("several", [TimeoutError("no answer")])),
    ],
)
def test_the_error_its_causes_and_members_of_groups_are_looked_at(error):
    assert_that(captured(failed(error=error))).has_failed_with(TimeoutError)
    assert_that(captured(failed(error=error))).has_failed_with(OSError)
    assert_that(captured(failed(error=error))).has_failed_with(KeyError, IndexError, TimeoutError)
    assert_that(captured(failed(error=error))).has_failed_with_message_containing("no ans")


def test_what_was_only_being_handled_when_the_error_was_raised_is_no_cause():
    error = RuntimeError("outer")
    error.__context__ = TimeoutError("no answer")

    assert "\nbut it failed with RuntimeError: outer." in message(
        assert_that(captured(failed(error=error))).has_failed_with, OSError
    )


def test_another_error_is_shown_with_its_causes():
    error = raised_from(RuntimeError("outer"), ExceptionGroup("several", [KeyError("a")]))

    assert message(
        assert_that(captured(failed("support", execution("pay"), error=error))).has_failed_with, ValueError, OSError
    ) == (
        "Expected invocation 'support' to have failed with ValueError or OSError,\n"
        "but it failed with RuntimeError: outer:\n"
        "  ExceptionGroup: several (1 sub-exception)\n"
        "  KeyError: 'a'\n"
        "Tool executions:\n"
        "  [1] pay() -> 'ok'"
    )


def test_a_cycle_of_causes_ends():
    one, other = RuntimeError("one"), RuntimeError("other")
    one.__cause__, other.__cause__ = other, one

    with pytest.raises(RuntimeError, match="one"), capture() as cap, record.invocation("support"):
        raise one
    assert "  RuntimeError: other" in message(assert_that(cap).has_failed_with, KeyError)


def test_an_error_that_stands_in_a_group_twice_hides_none_after_it():
    both = KeyError("a")

    with pytest.raises(ExceptionGroup), capture() as cap, record.invocation("support"):
        raise ExceptionGroup("several", [both, both, TimeoutError("no answer")])
    assert_that(cap).has_failed_with(TimeoutError)


def test_another_message_is_shown():
    assert message(assert_that(captured(failed())).has_failed_with_message_containing, "No Answer") == (
        "Expected invocation 'support' to have failed with a message containing 'No Answer',\n"
        "but it failed with TimeoutError: no answer.\n"
        "Tool executions: none"
    )


@pytest.mark.parametrize(("method", "argument"), [("has_failed_with", KeyError), ("has_failed_with_message_containing", "x")])
def test_what_did_not_fail_failed_with_nothing(method, argument):
    assert "\nbut it completed." in message(getattr(assert_that(with_status("completed")), method), argument)


def test_what_was_cancelled_did_not_fail_whatever_its_error_was():
    with pytest.raises(AgentAssertionError, match="\nbut it was cancelled with stopped") as caught:
        assert_that(with_status("cancelled", error="stopped")).has_failed_with(KeyError)
    assert not isinstance(caught.value, NotRecordedError)


def test_a_blocked_invocation_failed_with_what_blocked_it():
    cap = with_status("blocked", error=ValueError("an address"))

    assert_that(cap).has_failed_with(ValueError).has_no_tool_executions()


def test_of_an_error_known_by_its_text_nobody_knows_the_type():
    cap = captured(failed(error="no answer"))

    assert_that(cap).has_failed_with_message_containing("no answer")
    with pytest.raises(NotRecordedError) as caught:
        assert_that(cap).has_failed_with(TimeoutError)
    assert str(caught.value) == (
        "Expected invocation 'support' to have failed with TimeoutError,\n"
        "but of its error only the text was recorded: no answer.\n"
        "Use has_failed_with_message_containing(text).\n"
        "Tool executions: none"
    )


@pytest.mark.parametrize(("method", "argument"), [("has_failed_with", KeyError), ("has_failed_with_message_containing", "x")])
def test_an_error_that_was_not_recorded_decides_nothing(method, argument):
    with pytest.raises(NotRecordedError, match="\nbut it failed, with an error that was not recorded"):
        getattr(assert_that(with_status("failed")), method)(argument)


def test_the_type_is_recognised_by_its_name_in_a_loaded_capture():
    class QuotaError(TimeoutError):
        pass

    assert_that(captured(failed(error=QuotaError("no answer")))).has_failed_with(QuotaError).has_failed_with(TimeoutError)


def test_an_error_carries_what_was_expected_and_found():
    with pytest.raises(AgentAssertionError) as caught:
        assert_that(with_status("awaiting_approval")).has_succeeded()

    error = caught.value
    assert (error.subject, error.expected, error.actual) == (
        "invocation 'support'",
        "to have succeeded",
        Status.AWAITING_APPROVAL,
    )


@pytest.mark.parametrize(
    ("fields", "actual"),
    [
        ({"status": "completed"}, Status.COMPLETED),
        ({"status": "failed", "error": "no answer"}, "no answer"),
        ({"status": "failed"}, "but it failed, with an error that was not recorded"),
    ],
)
def test_an_error_carries_how_it_ended_instead_of_failing_so(fields, actual):
    with pytest.raises(AgentAssertionError) as caught:
        assert_that(with_status(**fields)).has_failed_with(KeyError)
    assert caught.value.actual == actual


def test_an_error_carries_the_error_that_there_was():
    with pytest.raises(AgentAssertionError) as caught:
        assert_that(captured(failed(error=TimeoutError("no answer")))).has_failed_with(KeyError)
    assert (type(caught.value.actual), str(caught.value.actual)) == (RecordedError, "no answer")


@pytest.mark.parametrize(
    ("types", "error", "text"),
    [
        ((), ValueError, "has_failed_with needs an exception class; has_failed_with(Exception) takes any failure"),
        (("TimeoutError",), TypeError, "has_failed_with: each type must be an exception class, but was 'TimeoutError'"),
        ((int,), TypeError, "has_failed_with: each type must be an exception class, but was <class 'int'>"),
    ],
)
def test_what_is_no_exception_class_is_refused(types, error, text):
    with pytest.raises(error) as caught:
        assert_that(captured(failed())).has_failed_with(*types)

    assert str(caught.value) == text


def test_an_empty_message_would_be_in_every_one():
    with pytest.raises(ValueError, match="has_failed_with_message_containing: text must not be empty"):
        assert_that(captured(failed())).has_failed_with_message_containing("")
