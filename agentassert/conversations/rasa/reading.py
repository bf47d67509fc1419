"""From what a test file says to assertions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from agentassert import render
from agentassert.conversations.rasa.flows import ClarificationContains, FlowEnded, FlowStarted
from agentassert.conversations.rasa.generative import GenerativeResponse
from agentassert.conversations.rasa.mantle import HAPPENINGS, Happened, ToolExecuted, ToolsWithinOneTurn
from agentassert.conversations.rasa.scene import RasaAssertion
from agentassert.conversations.rasa.slots import MemoryWasCleared, ValueWasNotSet, ValueWasSet
from agentassert.conversations.rasa.utterances import ActionExecuted, BotDidNotUtter, BotUttered
from agentassert.text.nearest import did_you_mean

CALM: Final[Mapping[str, type[RasaAssertion]]] = {
    "flow_started": FlowStarted,
    "flow_completed": FlowEnded,
    "flow_cancelled": FlowEnded,
    "pattern_clarification_contains": ClarificationContains,
    "action_executed": ActionExecuted,
    "slot_was_set": ValueWasSet,
    "slot_was_not_set": ValueWasNotSet,
    "generative_response_is_relevant": GenerativeResponse,
    "generative_response_is_grounded": GenerativeResponse,
}
"""Those that only the CALM engine has."""

MANTLE: Final[Mapping[str, type[RasaAssertion]]] = {
    **dict.fromkeys(HAPPENINGS, Happened),
    "memory_was_set": ValueWasSet,
    "memory_was_not_set": ValueWasNotSet,
    "memory_was_cleared": MemoryWasCleared,
    "tool_executed": ToolExecuted,
    "tools_within_one_turn": ToolsWithinOneTurn,
}
"""Those that only the Mantle engine has."""

KINDS: Final[Mapping[str, type[RasaAssertion]]] = {
    **CALM,
    **MANTLE,
    "bot_uttered": BotUttered,
    "bot_did_not_utter": BotDidNotUtter,
}
"""Every kind of assertion."""


def read_assertion(written: Any) -> RasaAssertion:
    """The assertion that a test file holds.

    Args:
        written: one item of the list `assertions`: a mapping from the kind to what is asked.

    Raises:
        ValueError: when it is not well-formed, naming the kind, the value and what was meant.

    Example:
        >>> read_assertion({"action_executed": "action_greet"})
        ActionExecuted(name='action_greet')
        >>> read_assertion({"action_execute": "action_greet"})
        Traceback (most recent call last):
        ValueError: there is no assertion 'action_execute'; did you mean 'action_executed'?
    """
    if not isinstance(written, Mapping):
        raise ValueError(f"an assertion must be a mapping from its kind to what it asks, but was {render.value(written)}")  # noqa: TRY004
    if len(written) != 1:
        kinds = ", ".join(map(repr, written)) or "none"
        raise ValueError(f"an assertion has one kind, but this one has {kinds}: write each as an item of its own")
    ((kind, body),) = written.items()
    if kind not in KINDS:
        meant = did_you_mean(str(kind), KINDS)
        raise ValueError(f"there is no assertion {kind!r}" + (f"; {meant}" if meant else ""))
    return KINDS[kind].read(kind, body)
