"""What one assertion of a Rasa test looks at, and what it finds there."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Self

import attrs

from agentassert.failures import Failure
from agentassert.raw_events import RawEvent, metadata_of

if TYPE_CHECKING:
    from agentassert.judges.responses import ResponseJudge


@attrs.frozen(kw_only=True)
class Scene:
    """The events that an assertion may be about.

    Args:
        turn: the user's message and what follows it, up to the next one.
        prior: what came before it.
        user: the user's message.
        first: whether it is the first step of its test case, in which some assertions look at `prior`, too.
        judge: who scores generated responses.
    """

    turn: tuple[RawEvent, ...]
    prior: tuple[RawEvent, ...]
    user: str
    first: bool
    judge: ResponseJudge | None = None

    def within(self, *, wide: bool) -> tuple[RawEvent, ...]:
        """The events in scope, in order."""
        return (*self.prior, *self.turn) if wide and self.first else self.turn


@attrs.frozen(kw_only=True)
class Finding:
    """What came of an assertion.

    Args:
        failure: why it does not hold, by Rasa's rules.
        matched: the event that it matched; none for what says that something did not happen.
        pitfalls: why the verdict is hardly what was meant, a sentence each; one that passes by it fails where pitfalls do.
        notes: likewise, of what no verdict depends on.
        entry: of a list of slots, the place of the one that failed.
    """

    failure: Failure | None = None
    matched: RawEvent | None = None
    pitfalls: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    entry: int | None = None


class RasaAssertion(ABC):
    """One assertion, as it was written."""

    wide: ClassVar[bool] = False
    """Whether the first step of a test case looks at what came before it."""

    @classmethod
    @abstractmethod
    def read(cls, kind: str, body: Any) -> Self:
        """The assertion that `kind: body` stands for.

        Raises:
            ValueError: when it is none.
        """

    @property
    @abstractmethod
    def needs(self) -> tuple[str, ...]:
        """Kinds of things that must have been recorded."""

    @abstractmethod
    def evaluate(self, scene: Scene) -> Finding:
        """Rasa's verdict, and what is doubtful about it."""


def of_kind(events: tuple[RawEvent, ...], kind: str, holds: Callable[[RawEvent], bool] = bool) -> Iterator[RawEvent]:
    """The events of one kind, in order."""
    return (one for one in events if one["event"] == kind and holds(one))


def source_of(event: RawEvent) -> Any:
    """What made a bot message."""
    return metadata_of(event).get("utter_source")
