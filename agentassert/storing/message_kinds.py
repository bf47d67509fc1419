"""Of which kind a list of messages is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import attrs

from agentassert import render
from agentassert.errors import MessageError
from agentassert.stored.message_lists import ANTHROPIC, LANGCHAIN, OPENAI_CHAT, OPENAI_RESPONSES
from agentassert.storing import anthropic_messages, chat_messages, langchain_messages, response_items
from agentassert.storing.message_parts import MisfitError, Parts


@attrs.frozen
class MessageKind:
    """One kind of messages.

    Args:
        name: what messages call it, and what records say recorded them.
        look: refuses a message that is of another kind.
        parts: reads a list of them.
    """

    name: str
    look: Callable[[Any], None]
    parts: Parts


_KINDS: Final = (
    MessageKind(OPENAI_CHAT, chat_messages.look, chat_messages.parts),
    MessageKind(ANTHROPIC, anthropic_messages.look, anthropic_messages.parts),
    MessageKind(OPENAI_RESPONSES, response_items.look, response_items.parts),
    MessageKind(LANGCHAIN, langchain_messages.look, langchain_messages.parts),
)


def kind_of(messages: Sequence[Any]) -> MessageKind:
    """The kind that all messages are of. Messages of a text alone are the same in several, which makes no difference to what they tell.

    Raises:
        MessageError: when there is none, naming the index and the key of the first message that is not as those before.

    Example:
        >>> kind_of([{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "ok"}]}]).name
        'Anthropic messages'
    """
    fitting: Sequence[MessageKind] = _KINDS
    for index, message in enumerate(messages):
        misfits = {kind.name: _misfit(kind, message) for kind in _KINDS}
        still = [kind for kind in fitting if misfits[kind.name] is None]
        if not still:
            others = [kind.name for kind in _KINDS if misfits[kind.name] is None]
            raise _mixed(index, fitting, others, misfits) if others else _unknown(index, message, fitting, misfits)
        fitting = still
    return fitting[0]


def looks_like_message(value: Any) -> bool:
    """Whether a value is a message of some kind.

    Example:
        >>> looks_like_message({"role": "user", "content": "Hi"}), looks_like_message({"agentassert": 1})
        (True, False)
    """
    return any(_misfit(kind, value) is None for kind in _KINDS)


def _misfit(kind: MessageKind, message: Any) -> MisfitError | None:
    try:
        kind.look(message)
    except MisfitError as misfit:
        return misfit
    return None


def _mixed(
    index: int, fitting: Sequence[MessageKind], others: Sequence[str], misfits: dict[str, MisfitError | None]
) -> MessageError:
    misfit = misfits[fitting[0].name]
    before = " or ".join(kind.name for kind in fitting)
    this = " or ".join(others)
    return MessageError(
        f"{_place(index, misfit)}: this is one of {this}, but those before it are {before}: give a list of one kind"
    )


def _unknown(index: int, message: Any, fitting: Sequence[MessageKind], misfits: dict[str, MisfitError | None]) -> MessageError:
    """Refuse what is of no kind for the reason of the kind that it comes closest to: the one that finds fault in a detail."""
    kind, misfit = max(
        ((kind, misfit) for kind in fitting if (misfit := misfits[kind.name]) is not None), key=lambda one: one[1].closeness
    )
    if not hasattr(message, "__dict__") and not isinstance(message, dict):
        return MessageError(
            f"messages[{index}]: a message is a mapping or an object of a library, but was {render.value(message)}"
        )
    return MessageError(f"{_place(index, misfit)}: {misfit.problem}, to be one of {kind.name}")


def _place(index: int, misfit: MisfitError | None) -> str:
    key = "" if misfit is None else misfit.key
    return f"messages[{index}]{key and '.'}{key}"
