"""Arguments and results that spans do not hold, and times that nobody saw."""

from __future__ import annotations

import attrs
import pytest

from agentassert import NOT_RECORDED, NotRecordedError, assert_that, execution_of, result_of
from agentassert.checks.sequences import finished_before
from agentassert.checks.view import View
from tests.factories import captured, execution, invocation


def hidden(name="look", result="ok"):
    return attrs.evolve(execution(name, {}, result), arguments=None, raw_arguments=None)


def of(*executions):
    return assert_that(captured(invocation("agent", *executions, framework="opentelemetry", recorded_by=("opentelemetry",))))


@pytest.mark.parametrize(
    "check",
    [
        lambda: of(hidden()).has_tools_executed_exactly_in_order(execution_of("look", {"id": 1})),
        lambda: of(hidden()).has_tools_executed_exactly_in_any_order(execution_of("look", {"id": 1})),
        lambda: of(execution("look", {"id": 1}, NOT_RECORDED), execution("pay", {"to": 1})).has_tool_executed_with(
            "pay", {"to": [result_of("look")]}
        ),
        lambda: of(execution("look", {"id": 1}, NOT_RECORDED)).meets(expected_tool_calls=[{"look": "result == 1"}]),
    ],
    ids=["exactly", "in any order", "referenced", "expression"],
)
def test_nothing_passes_on_content_that_was_not_recorded(check):
    with pytest.raises(NotRecordedError):
        check()


def test_executions_whose_times_nobody_saw_have_no_order():
    first = attrs.evolve(execution("look"), inferred=True, started_order=1, ended_order=4)
    second = attrs.evolve(execution("pay"), inferred=True, started_order=2, ended_order=5)
    one = attrs.evolve(invocation("loop"), tool_executions=(first, second))
    with pytest.raises(NotRecordedError, match="inferred"):
        found = finished_before(View(subject="the loop", invocations=(one,)), "look", "pay")
        raise found.error("the loop")
