"""What is asked of the executions of one tool: filter, then count."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

import attrs

from agentassert.expressions.errors import ExpressionError
from agentassert.expressions.expression import TOOL_NAMES, Expression
from agentassert.records import NOT_RECORDED

_OF_ONE: Final = ("params", "result")
_HOW_TO_SPLIT: Final = (
    "`params` and `result` are about one execution and `invocations` about all that match: join them with `and` alone"
)


@attrs.frozen(eq=False)
class Condition:
    """An expression about the executions of a tool, split at its top-level `and`. Made by :meth:`parse`.

    Args:
        text: as it was written.
        filters: what an execution must satisfy in order to count.
        counts: what the number of those must satisfy.
        gates: what is about neither.

    Example:
        >>> condition = Condition.parse("invocations == 1 and params.a == 4 and context.ready")
        >>> [[one.text for one in part] for part in (condition.filters, condition.counts, condition.gates)]
        [['params.a == 4'], ['invocations == 1'], ['context.ready']]
    """

    text: str
    filters: tuple[Expression, ...]
    counts: tuple[Expression, ...]
    gates: tuple[Expression, ...]

    @classmethod
    def parse(cls, text: str) -> Condition:
        """Read a condition.

        Raises:
            ExpressionError: when it is none, mixes what is about one execution with what is about their number, or asks of the
                number what every number satisfies.
        """
        filters: list[Expression] = []
        counts: list[Expression] = []
        gates: list[Expression] = []
        for part in Expression.parse(text, TOOL_NAMES).conjuncts():
            is_count = part.mentions("invocations")
            if is_count and part.mentions(*_OF_ONE):
                raise ExpressionError(_HOW_TO_SPLIT, expression=text, column=part.column)
            if is_count and _always_holds(part):
                problem = f"{part.text} holds for every number of executions, so it asks for nothing"
                raise ExpressionError(problem, expression=text, column=part.column)
            (counts if is_count else filters if part.mentions(*_OF_ONE) else gates).append(part)
        return cls(text, tuple(filters), tuple(counts), tuple(gates))

    def counts_hold(self, number: int, context: Mapping[str, Any]) -> bool:
        """Whether so many matching executions are what is asked for; without a word about the number, at least one."""
        values = {"invocations": number, "context": context}
        return all(one.holds(values) for one in self.counts) if self.counts else number > 0


def _always_holds(count: Expression) -> bool:
    """Whether no number of executions fails it, whatever the context: its answer changes only at a number written in it, or after."""
    candidates = {max(0, math.floor(number) + step) for number in (0, *count.numbers()) for step in (0, 1)}
    return all(count.holds({"invocations": number, "context": NOT_RECORDED}) for number in candidates)
