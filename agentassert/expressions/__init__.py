"""The expression language, and the expectations that are written in it: pure, from records to a verdict.

Example:
    >>> from agentassert.expressions import RESULT_NAMES, Expression
    >>> Expression.parse("output.id == 10", RESULT_NAMES).evaluate({"output": {"id": 9}}).explanation
    'output.id was 9'
"""

from __future__ import annotations

from agentassert.expressions.errors import ExpectationError, ExpressionError
from agentassert.expressions.expectations import ChildExpectation, Expectations, ToolExpectation
from agentassert.expressions.expression import (
    APPROVAL_NAMES,
    PAYLOAD_NAMES,
    RESULT_NAMES,
    TOOL_NAMES,
    Expression,
    Verdict,
)
from agentassert.expressions.unmet import unmet

__all__ = [
    "APPROVAL_NAMES",
    "PAYLOAD_NAMES",
    "RESULT_NAMES",
    "TOOL_NAMES",
    "ChildExpectation",
    "ExpectationError",
    "Expectations",
    "Expression",
    "ExpressionError",
    "ToolExpectation",
    "Verdict",
    "unmet",
]
