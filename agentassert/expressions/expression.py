"""Expressions: read once, evaluated as often as needed, and able to say why they do not hold."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import attrs

from agentassert import render
from agentassert.expressions.accessors import Reading
from agentassert.expressions.compiling import compiled
from agentassert.expressions.operators import UNKNOWN
from agentassert.expressions.source import Source
from agentassert.expressions.terms import Term

RESULT_NAMES: Final = ("output", "output_text", "error", "status", "context")
"""What an expression about the result of an invocation may look at."""
TOOL_NAMES: Final = ("params", "result", "invocations", "context")
"""What an expression about the executions of a tool may look at."""
PAYLOAD_NAMES: Final = ("payload", "payload_raw", "context")
"""What an expression about the payload of a nested invocation may look at."""
APPROVAL_NAMES: Final = ("params", "context")
"""What an expression about a tool that waits for approval may look at."""

_MOST_REASONS: Final = 20


_KEPT: Final = 512
"""Expressions that are read once, however often they stand in a suite: an alias of YAML makes thousands of one."""


@functools.lru_cache(_KEPT)
def _read(text: str, names: tuple[str, ...]) -> Term:
    return compiled(Source.of(text), names)


@attrs.frozen
class Verdict:
    """What an evaluation came to.

    Args:
        satisfied: whether the expression holds; what ends unknown does not.
        reasons: why it does not, a line each.
        unrecorded: the paths that it depends on and that nobody recorded, where it neither holds nor fails without them.

    Example:
        >>> verdict = Expression.parse("output.id == 10", RESULT_NAMES).evaluate({"output": {"id": 9}})
        >>> verdict.satisfied, verdict.reasons
        (False, ('output.id was 9',))
    """

    satisfied: bool
    reasons: tuple[str, ...] = ()
    unrecorded: tuple[str, ...] = ()

    @property
    def explanation(self) -> str:
        """The reasons in one line; empty when it holds."""
        return "; ".join(self.reasons)


@attrs.frozen(eq=False, repr=False)
class Expression:
    """A condition in the language of the suites. Made by :meth:`parse`.

    Args:
        text: as it was written.
        column: where it stands in what it was taken from, from 1.

    Example:
        >>> order = Expression.parse('output.id == 10 and "ok" in output.notes', RESULT_NAMES)
        >>> order.evaluate({"output": {"id": 9, "notes": "ok"}}).explanation
        'output.id was 9'
    """

    text: str
    column: int
    _term: Term

    @classmethod
    def parse(cls, text: str, names: Sequence[str]) -> Expression:
        """Read an expression.

        Args:
            text: the expression.
            names: the names that it may use, such as `RESULT_NAMES`.

        Raises:
            ExpressionError: when it is none, with the place and the fix.
            TypeError: when it is no text.

        Example:
            >>> Expression.parse("outptu.id == 10", RESULT_NAMES)
            Traceback (most recent call last):
                ...
            agentassert.expressions.errors.ExpressionError: 'outptu.id == 10', column 1: 'outptu' is unknown here; did you mean ...
        """
        if not isinstance(text, str):
            raise TypeError(f"an expression is text, but was {render.value(text)} ({type(text).__name__})")
        return cls(text, 1, _read(text, tuple(names)))

    def holds(self, values: Mapping[str, Any]) -> bool:
        """Whether it holds; the arguments are those of :meth:`evaluate`, which tells why not.

        Example:
            >>> Expression.parse("output.id == 10", RESULT_NAMES).holds({"output": {"id": 9}})
            False
        """
        return self._term.of(Reading(values)) is True

    def evaluate(self, values: Mapping[str, Any]) -> Verdict:
        """Whether it holds, and why not.

        Args:
            values: JSON-like values by name, as records hold them; a name without one is missing.

        Example:
            >>> Expression.parse("output.id == 10", RESULT_NAMES).evaluate({"output": {"id": 9}}).reasons
            ('output.id was 9',)
        """
        reading = Reading(values)
        value = self._term.of(reading)
        if value is True:
            return Verdict(True)
        unrecorded = tuple(dict.fromkeys(reading.unrecorded)) if value is UNKNOWN else ()
        return Verdict(False, tuple(itertools.islice(self._reasons(values), _MOST_REASONS)), unrecorded)

    def mentions(self, *names: str) -> bool:
        """Whether it looks at one of the names.

        Example:
            >>> Expression.parse('status == "failed"', RESULT_NAMES).mentions("status", "error")
            True
        """
        return any(one.accessor.root in names for one in self._term.seen)

    def keys_of(self, name: str) -> frozenset[str | int]:
        """The first steps of the paths that begin with the name.

        Example:
            >>> Expression.parse("output.order.id == 10", RESULT_NAMES).keys_of("output")
            frozenset({'order'})
        """
        accessors = [one.accessor for one in self._term.seen]
        return frozenset(one.steps[0] for one in accessors if one.root == name and one.steps)

    def numbers(self) -> frozenset[float]:
        """The numbers that are written in it.

        Example:
            >>> Expression.parse("output.id == 10", RESULT_NAMES).numbers()
            frozenset({10})
        """
        return frozenset(self._term.numbers)

    def conjuncts(self) -> tuple[Expression, ...]:
        """The expressions that `and` joins at the top, parentheses around some of them aside.

        Example:
            >>> [one.text for one in Expression.parse('output.id == 10 and status == "completed"', RESULT_NAMES).conjuncts()]
            ['output.id == 10', 'status == "completed"']
        """
        return tuple(Expression(part.text, part.column, part) for part in self._term.parts or (self._term,))

    def _reasons(self, values: Mapping[str, Any]) -> Iterator[str]:
        """What the conditions that do not hold looked at, each path once, and what made no sense in them."""
        told: set[str] = set()
        for part in self._term.parts or (self._term,):
            reading = Reading(values)
            if part.of(reading) is True:
                continue
            for one in part.seen:
                if one.accessor.text not in told:
                    told.add(one.accessor.text)
                    yield one.accessor.told(reading, one.compared_with)
            yield from dict.fromkeys(reading.notes)

    def __repr__(self) -> str:
        return f"Expression({self.text!r})"
