"""What a tool's result stands for whose sender does not say whether it means success."""

from __future__ import annotations

import re

import pytest

from agentassert import NotRecordedError, Outcome, assert_that, capture, record, recorder
from agentassert.doubles import functions
from tests.loops import Loop, text, told


def loop_over_a_sdk():
    loop = Loop(text("Cancel 1"))
    loop.ask(("cancel", {"id": 1}))
    loop.tell(told("cancelled"))
    loop.ask(("notify", {"id": 1}))


@pytest.fixture(autouse=True)
def _nothing_is_decorated():
    """The messages tell of the functions that this process knows, and other modules of tests decorate theirs when they are imported."""
    functions.known.clear()


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project with settings, in whose directory the test runs."""

    def write(settings):
        (tmp_path / "pyproject.toml").write_text(f"[tool.agentassert]\n{settings}\n")

    (tmp_path / "tests").mkdir()
    monkeypatch.chdir(tmp_path / "tests")
    write("")
    return write


def outcomes(cap):
    return [one.outcome for one in cap.invocation.tool_executions]


def test_without_a_word_a_result_says_nothing_about_success():
    with capture() as cap:
        loop_over_a_sdk()

    assert outcomes(cap) == [Outcome.UNKNOWN, Outcome.UNKNOWN]
    with pytest.raises(NotRecordedError) as caught:
        assert_that(cap).has_tool_executed("cancel")
    assert str(caught.value) == (
        "Expected invocation 'capture' to have executed 'cancel',\n"
        "but that depends on 1 execution of 'cancel' whose outcome was not reported.\n"
        "The result alone does not say whether it means success. "
        "Decorate the function with `@record.tool` to have its outcome recorded, "
        'or say by `capture(unreported_tools="succeeded")` that a result means success.\n'
        "Tool executions:\n"
        "  [1] cancel(id=1) (inferred) -> 'cancelled' (outcome not reported)\n"
        "  [2] notify(id=1) (inferred) (may never have run: nothing answered)"
    )


def test_a_result_may_be_said_to_mean_success():
    with capture(unreported_tools="succeeded") as cap:
        loop_over_a_sdk()

    assert_that(cap).has_tool_executed_with("cancel", {"id": 1}).results_of("cancel").is_equal_to(["cancelled"])


def test_a_request_that_nothing_answered_has_no_result_that_could_mean_success():
    with capture(unreported_tools="succeeded") as cap:
        loop_over_a_sdk()

    assert outcomes(cap) == [Outcome.SUCCEEDED, Outcome.UNKNOWN]
    with pytest.raises(NotRecordedError) as caught:
        assert_that(cap).has_no_tool_executions("notify")
    assert str(caught.value) == (
        "Expected invocation 'capture' to have executed none of 'notify',\n"
        "but that depends on 1 request for 'notify' which may never have run: nothing answered.\n"
        "If it ran, `@record.tool` on the function has that recorded; if a person had to agree first, `record.approval(...)` does. "
        '`capture(unreported_tools="succeeded")` speaks of results that were sent back, and there is none.\n'
        "Tool executions:\n"
        "  [1] cancel(id=1) (inferred) -> 'cancelled'\n"
        "  [2] notify(id=1) (inferred) (may never have run: nothing answered)"
    )


def test_a_failure_that_is_reported_stays_one():
    with capture(unreported_tools="succeeded") as cap:
        loop = Loop(text("Cancel 1"))
        loop.ask(("cancel", {"id": 1}))
        loop.tell(told("no such booking", failed=True))
        loop.ask()

    assert_that(cap).has_tool_execution_failed("cancel").has_no_more_tool_executions()


def test_it_speaks_of_every_tool_whose_outcome_nobody_reports():
    with capture(unreported_tools="succeeded") as cap, record.invocation("support"):
        recorder.start_tool("cancel", {}, adapter="record").end_unknown("cancelled")
        recorder.start_tool("notify", {}, adapter="record").end_unknown(None)

    assert outcomes(cap) == [Outcome.SUCCEEDED, Outcome.UNKNOWN]


def test_captures_around_each_other_may_differ():
    with capture() as outer, capture(unreported_tools="succeeded") as inner:
        loop_over_a_sdk()

    assert outcomes(outer)[0] is Outcome.UNKNOWN
    assert outcomes(inner)[0] is Outcome.SUCCEEDED


def test_the_project_may_say_it(project):
    project('unreported_tools = "succeeded"')
    with capture() as cap:
        loop_over_a_sdk()

    assert outcomes(cap)[0] is Outcome.SUCCEEDED


def test_a_capture_knows_better_than_the_project(project):
    project('unreported_tools = "succeeded"')
    with capture(unreported_tools="unknown") as cap:
        loop_over_a_sdk()

    assert outcomes(cap)[0] is Outcome.UNKNOWN


@pytest.mark.parametrize("value", ["failed", "", True, "Succeeded", ["succeeded"]], ids=repr)
def test_anything_else_is_refused(value):
    words = re.escape(f"unreported_tools must be 'unknown' or 'succeeded', but was {value!r}")
    with pytest.raises(ValueError, match=f"^{words}$"):
        capture(unreported_tools=value)
