"""What a tool's result stands for whose sender does not say whether it means success."""

from __future__ import annotations

from typing import Literal, TypeAlias

from agentassert.records import Outcome

UnreportedTools: TypeAlias = Literal["unknown", "succeeded"]


def outcome_of(unreported_tools: UnreportedTools | None) -> Outcome:
    """The outcome that such a result stands for; without a word about it, the one that the project's settings name.

    Raises:
        ValueError: for any other word.

    Example:
        >>> outcome_of("succeeded")
        <Outcome.SUCCEEDED: 'succeeded'>
    """
    if unreported_tools is None:
        from agentassert import settings

        unreported_tools = settings.current().unreported_tools
    if unreported_tools not in ("unknown", "succeeded"):
        raise ValueError(f"unreported_tools must be 'unknown' or 'succeeded', but was {unreported_tools!r}")
    return Outcome(unreported_tools)
