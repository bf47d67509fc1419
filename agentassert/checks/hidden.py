"""Arguments and results that nobody recorded: a span may say that a tool ran, and not with what, or what came of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from agentassert.errors import NotRecordedError
from agentassert.failures import Failure
from agentassert.records import NOT_RECORDED, ToolExecution

_HOW_TO_RECORD: Final = (
    "Spans hold no content unless asked to. Where the agent runs, set OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY, "
    "or what its framework has for it."
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
