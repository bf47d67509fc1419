"""What an agent's work changed in the state of a conversation."""

from __future__ import annotations

import enum
from typing import Any

import attrs


class ConversationEventKind(enum.StrEnum):
    """What changed.

    Example:
        >>> ConversationEventKind("slot_set") is ConversationEventKind.SLOT_SET
        True
    """

    SLOT_SET = "slot_set"
    FLOW_STARTED = "flow_started"
    FLOW_COMPLETED = "flow_completed"
    FLOW_CANCELLED = "flow_cancelled"


@attrs.frozen(kw_only=True)
class ConversationEvent:
    """A slot that was set, or a flow that started, completed or was cancelled.

    Args:
        kind: which of these.
        name: of the slot or the flow.
        value: what the slot was set to.
        step: where the flow stood, if that was told.
        order: its place in the recorder's own sequence.

    Example:
        >>> ConversationEvent(kind=ConversationEventKind.SLOT_SET, name="seats", value=2).value
        2
    """

    kind: ConversationEventKind
    name: str
    value: Any = None
    step: str | None = None
    order: int = 0
