"""Arguments, results and outputs that nobody recorded: a span may say that a tool ran, and not with what, or what came of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from agentassert.errors import NotRecordedError
from agentassert.failures import Failure
from agentassert.records import NOT_RECORDED, Invocation, ToolExecution

_HOW_TO_RECORD: Final = (
    "Spans hold no content unless asked to. Where the agent runs, set OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY, "
    "or what its framework has for it."
)
_HOW_TO_HAVE_AN_OUTPUT: Final = (
    "Decorate the function that runs it with `@record.agent`: what that returns is then the output. Where spans tell of it: "
    + _HOW_TO_RECORD
)


def is_hidden(execution: ToolExecution) -> bool:
    """Whether it is not known what the tool was called with, which is not the same as without arguments.

    Example:
        >>> is_hidden(ToolExecution(id="1", name="look")), is_hidden(ToolExecution(id="1", name="look", arguments={}))
        (True, False)
    """
    return execution.arguments is None and execution.raw_arguments is None


def hidden_arguments(expected: str, executions: Iterable[ToolExecution]) -> Failure | None:
    """The failure of a check that needs the arguments of these executions, where some were not recorded."""
    return _failure(expected, "arguments", [one for one in executions if is_hidden(one)])


def hidden_results(expected: str, executions: Iterable[ToolExecution]) -> Failure | None:
    """The same where it needs their results."""
    return _failure(expected, "results", [one for one in executions if one.result is NOT_RECORDED])


def hidden_output(expected: str, invocation: Invocation) -> Failure | None:
    """The failure of a check that needs what the invocation produced, where that was not recorded."""
    if invocation.output is not NOT_RECORDED:
        return None
    found, advice = "but its output was not recorded", _HOW_TO_RECORD
    if invocation.implicit:
        found, advice = "but no agent was seen around it, and no answer of a model with a text", _HOW_TO_HAVE_AN_OUTPUT
    return Failure(expected=expected, found=found, advice=advice, kind=NotRecordedError)


def _failure(expected: str, what: str, hidden: Sequence[ToolExecution]) -> Failure | None:
    if not hidden:
        return None
    names = ", ".join(sorted({repr(one.name) for one in hidden}))
    return Failure(
        expected=expected,
        found=f"but the {what} of {names} were not recorded",
        advice=_HOW_TO_RECORD,
        kind=NotRecordedError,
        important=tuple(one.id for one in hidden),
    )
