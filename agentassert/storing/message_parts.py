"""What the readers of message lists have in common: what they find in a list, and how they refuse a message."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Final, Never, TypeAlias

import attrs

from agentassert.adapters.stainless.fields import field
from agentassert.adapters.stainless.routes import Answer, Opening
from agentassert.recording.exchanges import SentResult
from agentassert.render import value as rendered

_FOREIGN: Final = "does not belong there"


@attrs.frozen(kw_only=True)
class Part:
    """What one message tells; of the Responses API, the items of one response.

    Args:
        inputs: as the messages of a later model call.
        results: what it sends back for tools that ran.
        answer: what it says, where the model says it.
        model: the name of that model, where it is told.
        is_stand_in: whether it stands for messages that are not there: it refers to them, or sums them up.
    """

    inputs: Sequence[Mapping[str, Any]]
    results: Sequence[SentResult] = ()
    answer: Answer | None = None
    model: str | None = None
    is_stand_in: bool = False


def results_in(opened: Opening) -> list[SentResult]:
    """What a message sends back, as an adapter reads it."""
    return [] if opened.exchange is None else [result for sent in opened.exchange.sent for result in sent.results]


Parts: TypeAlias = Callable[[Sequence[Any]], Iterator[Part]]


class MisfitError(Exception):
    """A message is of another kind, or of none.

    Args:
        key: of what is wrong in it; empty for the whole.
        problem: what is wrong.
    """

    def __init__(self, key: str, problem: str) -> None:
        super().__init__(f"{key}: {problem}")
        self.key = key
        self.problem = problem

    @property
    def closeness(self) -> tuple[bool, bool, int]:
        """Greater for a message that is more likely meant to be of the kind that it does not fit: it is wrong in a detail."""
        return self.key.rpartition(".")[2] != "type", self.problem != _FOREIGN, self.key.count(".") + self.key.count("[")


def foreign(key: str) -> MisfitError:
    """The error about what only messages of other kinds have."""
    return MisfitError(key, _FOREIGN)


def refuse(key: str, wanted: str, value: Any) -> Never:
    """Refuse a message for what it has under a key."""
    raise MisfitError(key, "is missing" if value is None else f"must be {wanted}, but was {rendered(value)}")


def need_text(item: Any, name: str, inside: str = "") -> None:
    """Refuse an item without a text under a name; `inside` is the key of the item itself."""
    value = field(item, name)
    if not isinstance(value, str):
        refuse(f"{inside}{name}", "a text", value)


def need_name(item: Any, inside: str = "") -> None:
    """Refuse an item that names no tool."""
    need_text(item, "name", inside)
    if not field(item, "name"):
        raise MisfitError(f"{inside}name", "is empty")


def need_one_of(item: Any, name: str, known: Collection[str], inside: str = "") -> None:
    """Refuse an item that has something else under a name than one of these words."""
    value = field(item, name)
    if not isinstance(value, str) or value not in known:
        refuse(f"{inside}{name}", f"one of {', '.join(map(repr, known))}", value)


def need_absent(item: Any, *names: str) -> None:
    """Refuse an item that has what only items of other kinds have."""
    for name in names:
        if field(item, name):
            raise foreign(name)


def need_each(item: Any, name: str, look: Callable[[Any, str], None], inside: str = "") -> None:
    """Refuse an item whose list under a name has a part that is refused; nothing under it will do."""
    value = field(item, name)
    if value is None:
        return
    if not isinstance(value, (list, tuple)):
        refuse(f"{inside}{name}", "a list", value)
    for index, one in enumerate(value):
        look(one, f"{inside}{name}[{index}].")


def need_content(item: Any, known: Collection[str]) -> None:
    """Refuse an item whose content is neither a text nor a list of texts and parts of these types."""
    content = field(item, "content")
    if isinstance(content, str):
        return
    if not isinstance(content, (list, tuple)):
        refuse("content", "a text or a list of parts", content)
    need_each(item, "content", lambda part, inside: need_one_of(part, "type", known, inside))
