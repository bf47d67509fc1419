"""deepeval: its metric for the correctness of tool calls, which asks no model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from deepeval.metrics import ToolCorrectnessMetric
from deepeval.test_case import LLMTestCase, ToolCall, ToolCallParams
from trajectories import Call, executed, shuffled
from worker import Runs, timed


def _calls(calls: Sequence[Call]) -> list[ToolCall]:
    return [ToolCall(name=name, input_parameters=arguments) for name, arguments in calls]


def _measured(expected: Callable[[int], Sequence[Call]], **options: Any) -> Callable[[int], Runs]:
    def prepare(size: int) -> Runs:
        case = LLMTestCase(
            input="Do it", actual_output="Done", tools_called=_calls(executed(size)), expected_tools=_calls(expected(size))
        )
        metric = ToolCorrectnessMetric(threshold=1.0, include_reason=False, async_mode=False, **options)

        def check(case: LLMTestCase) -> bool:
            return metric.measure(case, _show_indicator=False) == 1

        return timed(lambda: case, check)

    return prepare


CELLS = {
    "executed": _measured(lambda size: executed(size)[-1:]),
    "exactly in order": _measured(executed, should_exact_match=True),
    "in order": _measured(executed, should_consider_ordering=True),
    "in any order": _measured(shuffled),
    "in any order, with arguments": _measured(shuffled, evaluation_params=[ToolCallParams.INPUT_PARAMETERS]),
}
