"""What a tree is made of, before it becomes text or HTML: everything in it is masked, bounded and free of control characters."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import NamedTuple

import attrs


class Tone(enum.StrEnum):
    """How a piece of text is meant."""

    PLAIN = "plain"
    STRONG = "strong"
    QUIET = "quiet"
    GOOD = "good"
    BAD = "bad"
    DOUBT = "doubt"


class Span(NamedTuple):
    """A piece of a line."""

    text: str
    tone: Tone = Tone.PLAIN


class Field(NamedTuple):
    """What is known of a node beyond its line: a text, which may have several lines, or rows."""

    label: str
    text: str = ""
    rows: tuple[Field, ...] = ()


@attrs.frozen(kw_only=True)
class Node:
    """One thing that happened, and what lies inside it.

    Args:
        kind: `capture`, `agent`, `model`, `tool`, `request`, `approval`, `sources`, `source`, `event`, `strays`, `note` or `more`.
        line: what it is, in one line.
        badges: short words about its state.
        facts: numbers: a duration, tokens.
        fields: the rest of what is known of it.
        below: what lies inside it, in order.
        marks: what machines may look for, such as `{"outcome": "failed", "checked": "no"}`.
        expanded: whether its inside is to be seen at first.
    """

    kind: str
    line: tuple[Span, ...]
    badges: tuple[Span, ...] = ()
    facts: tuple[str, ...] = ()
    fields: tuple[Field, ...] = ()
    below: tuple[Node, ...] = ()
    marks: Mapping[str, str] = attrs.field(factory=dict)
    expanded: bool = False


@attrs.define
class Limits:
    """How much a tree shows. What is left out is counted.

    Args:
        items: things shown inside one invocation.
        nodes: things shown in all; nested invocations beyond it stay closed.
        depth: invocations nested in each other.
        line: characters of a value on a line.
        text: characters of a value in a field.
        characters: of all fields together; as they are used up, each gets less.
    """

    items: int = 100
    nodes: int = 1000
    depth: int = 25
    line: int = 80
    text: int = 4000
    characters: int = 400_000

    def room(self) -> int:
        """The characters that the next field may take."""
        return max(200, min(self.text, self.characters // 40))

    def spend(self, field: Field) -> Field:
        """The same field, once its characters are counted."""
        self.characters -= len(field.text) + sum(len(row.text) + len(row.label) for row in field.rows)
        return field
