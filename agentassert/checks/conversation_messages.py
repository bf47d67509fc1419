"""What the bot said in a conversation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from agentassert.checks.conversation import Passage, message_line, not_recorded
from agentassert.errors import AmbiguousError
from agentassert.failures import Failure, shortened
from agentassert.raw_events import UNSEEN_MESSAGE
from agentassert.turns import BotMessage, Button


@attrs.frozen(kw_only=True)
class ButtonPattern:
    """A button that is expected.

    Args:
        title: what it says.
        payload: what pressing it sends; `None` for a button that sends nothing of its own.
        any_payload: whether the payload does not matter.
    """

    title: str
    payload: str | None = None
    any_payload: bool = False

    def accepts(self, button: Button) -> bool:
        """Whether a button is the one expected."""
        return button.title == self.title and (self.any_payload or button.payload == self.payload)

    def __str__(self) -> str:
        return repr(self.title) if self.any_payload or self.payload is None else f"{self.title!r} ({self.payload})"


@attrs.frozen(kw_only=True)
class MessagePattern:
    """A bot message that is expected, or forbidden; what is `None` does not matter.

    Args:
        name: of the response that it is made from.
        text: what is searched for in its text.
        buttons: what it offers to press.
        any_button: whether one of the buttons is enough; else they are all of them, in order.
        source: what made it.
    """

    name: str | None = None
    text: re.Pattern[str] | None = None
    buttons: tuple[ButtonPattern, ...] | None = None
    any_button: bool = False
    source: str | None = None

    def accepts(self, message: BotMessage) -> bool:
        """Whether one and the same message is all of it."""
        return (
            (self.name is None or message.name == self.name)
            and (self.source is None or message.source == self.source)
            and (self.text is None or (message.text is not None and self.text.search(message.text) is not None))
            and (self.buttons is None or self._offered(message))
        )

    def needs(self) -> Iterator[str]:
        """Kinds of things that must have been recorded."""
        if self.name is not None or self.source is not None:
            yield "responses"
        if self.buttons is not None:
            yield "buttons"
        yield "messages"

    def __str__(self) -> str:
        parts = [
            "" if self.name is None else f"named {self.name!r}",
            "" if self.source is None else f"from {self.source!r}",
            "" if self.text is None else f"with a text that matches '{self.text.pattern}'",
            "" if self.buttons is None else self._buttons(),
        ]
        return " ".join(["a message", *filter(None, parts)])

    def _buttons(self) -> str:
        if not self.buttons:
            return "without buttons"
        return f"with {'one of ' if self.any_button else ''}the buttons {', '.join(map(str, self.buttons))}"

    def _offered(self, message: BotMessage) -> bool:
        wanted, there = self.buttons or (), message.buttons
        if self.any_button:
            return any(one.accepts(button) for one in wanted for button in there)
        return len(wanted) == len(there) and all(one.accepts(button) for one, button in zip(wanted, there, strict=True))


def uttered(passage: Passage, pattern: MessagePattern) -> Failure | int:
    """The bot said such a message; the place of the first."""
    unseen = _unseen(passage, pattern)
    if unseen is not None:
        return unseen
    messages = passage.those(lambda one: one.bot_messages)
    for one in messages:
        if pattern.accepts(one):
            return one.order
    if passage.holds(UNSEEN_MESSAGE):
        return not_recorded("messages")
    return Failure(
        expected=f"to have uttered {pattern}",
        found="but it uttered" if messages else "but it uttered nothing",
        details=shortened(messages, message_line),
        wanted=str(pattern),
        actual=tuple(messages),
    )


def not_uttered(passage: Passage, pattern: MessagePattern) -> Failure | None:
    """The bot said no such message."""
    unseen = _unseen(passage, pattern)
    if unseen is not None:
        return unseen
    messages = [one for one in passage.those(lambda one: one.bot_messages) if pattern.accepts(one)]
    if not messages:
        return not_recorded("messages") if passage.holds(UNSEEN_MESSAGE) else None
    details = shortened(messages, message_line)
    return Failure(expected=f"not to have uttered {pattern}", found="but it uttered", details=details, actual=tuple(messages))


def only_response(passage: Passage, pattern: MessagePattern) -> Failure | BotMessage:
    """The one message with a text that is meant, where a judge is asked about it."""
    unseen = _unseen(passage, pattern)
    if unseen is not None:
        return unseen
    messages = [one for one in passage.those(lambda one: one.bot_messages) if one.text and one.text.strip()]
    found = [one for one in messages if pattern.accepts(one)]
    if len(found) == 1:
        return found[0]
    if not found and passage.holds(UNSEEN_MESSAGE):
        return not_recorded("messages")
    if not found:
        details: tuple[Any, ...] = shortened(messages, message_line)
        said = "but it uttered" if messages else "but it uttered nothing with a text"
        return Failure(expected=f"to have uttered {pattern}, which a judge can score", found=said, details=details)
    return Failure(
        expected=f"to have uttered one message that can be meant by {str(pattern)!r}",
        found=f"but there are {len(found)}",
        details=shortened(found, message_line),
        advice="Say which one, with name=… or source=….",
        kind=AmbiguousError,
    )


def ground_truth(metadata: Mapping[str, Any]) -> str:
    """What a generated message may rest on: what was found, else what it rephrases; empty where neither was recorded.

    Example:
        >>> ground_truth({"search_results": ["Dogs may board.", "Cats may not."]})
        'Dogs may board.\\nCats may not.'
    """
    for key in ("search_results", "domain_ground_truth"):
        found = metadata.get(key)
        if found:
            return "\n".join(map(str, found)) if isinstance(found, (list, tuple)) else str(found)
    return ""


def _unseen(passage: Passage, pattern: MessagePattern) -> Failure | None:
    missing = [one for one in pattern.needs() if one in passage.not_recorded]
    return not_recorded(missing[0]) if missing else None
