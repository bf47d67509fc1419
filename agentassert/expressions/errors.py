"""What is wrong with an expression or an expectation, found when it is read and before any agent runs."""

from __future__ import annotations

from agentassert import render

_LONGEST_SHOWN = 120


class ExpressionError(ValueError):
    """An expression that cannot be read.

    Args:
        problem: what is wrong and what to write instead, without the place.
        expression: the whole expression.
        column: where it is wrong, from 1, counted in the expression.

    Example:
        >>> ExpressionError("this is no name", expression="1 == 1", column=1)
        ExpressionError("'1 == 1', column 1: this is no name")
    """

    def __init__(self, problem: str, *, expression: str, column: int) -> None:
        super().__init__(f"{render.value(expression, limit=_LONGEST_SHOWN)}, column {column}: {problem}")
        self.problem = problem
        self.expression = expression
        self.column = column


class ExpectationError(ValueError):
    """Expectations that cannot be read.

    Args:
        problem: what is wrong and what to write instead, without the place.
        path: the keys and indexes that lead to it in the data. Where it is in an expression, that one's error is the cause.

    Example:
        >>> ExpectationError("this is empty", path=("expected_tool_calls", 0))
        ExpectationError('expected_tool_calls[0]: this is empty')
    """

    def __init__(self, problem: str, *, path: tuple[str | int, ...]) -> None:
        place = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")
        super().__init__(f"{place}: {problem}" if place else problem)
        self.problem = problem
        self.path = path
