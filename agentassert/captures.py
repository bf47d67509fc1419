"""What a capture holds, live or loaded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, Self

import attrs

from agentassert import events, render
from agentassert.books import Books
from agentassert.building import Built, build
from agentassert.errors import AmbiguousError
from agentassert.failures import counted, hidden
from agentassert.records import Invocation

if TYPE_CHECKING:
    from agentassert.stored import StoredCapture
    from agentassert.telemetry.loading import SpanSource

__tracebackhide__ = hidden

OnDoubt = Literal["warn", "fail"]

_IF_NOTHING_RAN: Final = "Was the agent run inside the block, and is its framework supported, or decorated with `record`?"
_IF_NOTHING_WAS_STORED: Final = "It was stored without one: look at what was captured, before it is stored."


@attrs.frozen
class Health:
    """How far a recording can be trusted.

    Args:
        late: events that came after their capture was closed, or after their invocation had ended; they are not recorded.
        adopted: events without a known place, given to the only open captures.
        unattributed: events of which nobody could say to which of several open captures they belong; they are not recorded.
        notes: doubts in words, such as an untested framework version or a tool name that nobody offered.
        faults: errors of this library's own hooks, which make every assertion on the capture fail.

    Example:
        >>> with capture() as cap:
        ...     pass
        >>> cap.health.doubts
        ()
    """

    late: int = 0
    adopted: int = 0
    unattributed: int = 0
    notes: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()

    @property
    def doubts(self) -> tuple[str, ...]:
        """Everything that is doubtful, a sentence each; empty when nothing is."""
        counted = (
            (self.late, "dropped, because they came after their capture or their invocation had ended"),
            (self.adopted, "given to the only open capture, because nothing said where they belong"),
            (
                self.unattributed,
                "not recorded, because several captures were open side by side and nothing said where they belong",
            ),
        )
        return (*(f"events {what}: {count}" for count, what in counted if count), *self.notes, *self.faults)


class Recording(Protocol):
    """Where a capture's records come from."""

    name: str | None
    error: BaseException | str | None
    if_empty: str
    """What to look at when there is no invocation."""

    @property
    def is_open(self) -> bool:
        """Whether more may be recorded."""
        ...

    def built(self) -> Built:
        """The records as they are now; the same object as long as nothing changed."""
        ...

    def health(self) -> Health:
        """How far they can be trusted."""
        ...

    def visibility(self) -> Mapping[str, frozenset[str]]:
        """What each adapter is able to see."""
        ...


class Capture:
    """What was recorded: the invocations, how far they can be trusted, and what assertions have checked so far.

    Made by :func:`capture`, :meth:`from_json` or :meth:`from_otlp`.

    Example:
        >>> from agentassert import record
        >>> @record.agent
        ... def greeter(name):
        ...     return f"Hello {name}"
        >>> with capture() as cap:
        ...     text = greeter("Ann")
        >>> cap.invocation.name, cap.output_text
        ('greeter', 'Hello Ann')
    """

    def __init__(self, source: Recording, *, on_doubt: OnDoubt = "warn") -> None:
        self._source = source
        self.on_doubt: Final = on_doubt
        self.books: Final = Books()
        self._notes: list[str] = []
        self._memo: tuple[Built | None, dict[Any, Any]] = (None, {})

    @property
    def name(self) -> str | None:
        """The name given to :func:`capture`."""
        return self._source.name

    @property
    def invocations(self) -> tuple[Invocation, ...]:
        """The top-level invocations, in the order started."""
        return self._source.built().invocations

    @property
    def strays(self) -> Invocation | None:
        """What was recorded outside every invocation while there was one, as an invocation of its own; else `None`."""
        return self._source.built().strays

    @property
    def invocation(self) -> Invocation:
        """The only top-level invocation.

        Raises:
            AmbiguousError: when there are several, naming them, or none.
        """
        return self._single(self.invocations, "")

    def invocation_named(self, name: str) -> Invocation:
        """The only top-level invocation of that name.

        Args:
            name: the agent's name.

        Raises:
            AmbiguousError: when there is no such invocation or several, listing what is there.

        Example:
            >>> from agentassert import record
            >>> with capture() as cap:
            ...     with record.invocation("triage"):
            ...         pass
            >>> cap.invocation_named("triage").status
            <Status.COMPLETED: 'completed'>
        """
        return self._single(tuple(one for one in self.invocations if one.name == name), f" named {name!r}")

    @property
    def output(self) -> Any:
        """What the only top-level invocation produced."""
        return self.invocation.output

    @property
    def output_text(self) -> str | None:
        """The text that the only top-level invocation produced."""
        return self.invocation.output_text

    @property
    def error(self) -> BaseException | str | None:
        """The exception that left the block, else that of the only top-level invocation, else `None`."""
        if self._source.error is not None or len(self.invocations) != 1:
            return self._source.error
        return self.invocations[0].error

    @property
    def health(self) -> Health:
        """How far the recording can be trusted."""
        health = self._source.health()
        return attrs.evolve(health, notes=(*health.notes, *self._notes)) if self._notes else health

    @property
    def is_open(self) -> bool:
        """Whether the block has not ended, so that what runs may still succeed."""
        return self._source.is_open

    @property
    def visibility(self) -> Mapping[str, frozenset[str]]:
        """What each adapter that was switched on is able to see."""
        return self._source.visibility()

    def forget_checks(self) -> None:
        """Start the books over: nothing is checked, no failure is unlocked.

        Example:
            >>> with capture() as cap:
            ...     pass
            >>> cap.forget_checks()
            >>> cap.books.passed
            []
        """
        self.books.clear()

    def doubt(self, note: str) -> None:
        """Add a doubt in words to :attr:`health`.

        Example:
            >>> with capture() as cap:
            ...     pass
            >>> cap.doubt("the clock was set")
            >>> cap.health.doubts
            ('the clock was set',)
        """
        if note not in self._notes:
            self._notes.append(note)

    def memo(self, key: Any, compute: Callable[[], Any]) -> Any:
        """`compute()`, done once for the records as they are now.

        Example:
            >>> with capture() as cap:
            ...     pass
            >>> cap.memo("count", lambda: 1), cap.memo("count", lambda: 2)
            (1, 1)
        """
        built = self._source.built()
        if self._memo[0] is not built:
            self._memo = (built, {})
        remembered = self._memo[1]
        if key not in remembered:
            remembered[key] = compute()
        return remembered[key]

    def to_json(self) -> str:
        """The capture as JSON text, to be stored and asserted on elsewhere; what assertions have checked is not part of it.

        JSON values are kept exactly; of anything else its class and its text are kept.

        Example:
            >>> with capture("stored") as cap:
            ...     pass
            >>> Capture.from_json(cap.to_json()).name
            'stored'
        """
        from agentassert.stored import StoredCapture, dumps

        health = self.health
        return dumps(
            StoredCapture(
                name=self.name,
                invocations=self.invocations,
                strays=self.strays,
                visibility=dict(self.visibility),
                late=health.late,
                adopted=health.adopted,
                unattributed=health.unattributed,
                notes=health.notes,
                faults=health.faults,
                error=self._source.error,
            )
        )

    @classmethod
    def from_json(cls, text: str | bytes, *, on_doubt: OnDoubt = "warn") -> Self:
        """The capture that was stored with :meth:`to_json`, to be asserted on like a live one.

        Args:
            text: the JSON text, or its bytes in UTF-8.
            on_doubt: as for :func:`capture`; there is no block whose end could warn.

        Raises:
            ValueError: when it is no stored capture, naming the place.

        Example:
            >>> with capture() as cap, record.invocation("triage"):
            ...     pass
            >>> Capture.from_json(cap.to_json()).invocation.name
            'triage'
        """
        from agentassert.stored import loads

        source = Loaded(loads(text))
        capture = cls(source, on_doubt=on_doubt)
        source.belong_to(capture)
        return capture

    @classmethod
    def from_otlp(cls, source: SpanSource, *, name: str | None = None, on_doubt: OnDoubt = "warn") -> Self:
        """The capture of what OpenTelemetry spans tell, by the GenAI or the OpenInference conventions.

        Each run of an agent that lies in no other one is a top-level invocation.

        Args:
            source: the path of a file, plain or compressed by gzip: OTLP JSON (one document, or a line each), what the SDK's
                `ConsoleSpanExporter` printed, or an export of Phoenix. Or such a document, or a list of them, parsed already.
            name: names the capture, and the implicit invocation of work that no agent's span is around.
            on_doubt: as for :func:`capture`; there is no block whose end could warn.

        Raises:
            TypeError: when it is no path, mapping or list.
            OSError: when the file cannot be read.
            SpanError: when it holds something else, naming the span and the field; and for the text of a document.

        Example:
            >>> tool = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.call.arguments": '{"number": "MS-777"}'}
            >>> span = {
            ...     "name": "execute_tool cancel_booking",
            ...     "context": {"trace_id": "0x1", "span_id": "0x2"},
            ...     "start_time": "2026-01-02T09:00:00Z",
            ...     "end_time": "2026-01-02T09:00:01Z",
            ...     "attributes": tool,
            ... }
            >>> cap = Capture.from_otlp([span])
            >>> checked = assert_that(cap).has_tool_executed_with("cancel_booking", {"number": "MS-777"})
        """
        from agentassert.telemetry.loading import described, spans_in
        from agentassert.telemetry.replay import replay

        spans = list(spans_in(source))
        if_empty = f"Of the {counted(len(spans), 'span')} read none is an agent's."
        live = Live(replay(spans, name, described(source)), if_empty=if_empty)
        live.home = capture = cls(live, on_doubt=on_doubt)
        return capture

    def __repr__(self) -> str:
        names = ", ".join(repr(one.name) for one in self.invocations)
        return f"<Capture{'' if self.name is None else f' {self.name!r}'}: {names or 'no invocation'}>"

    def _single(self, found: tuple[Invocation, ...], described: str) -> Invocation:
        if len(found) == 1:
            return found[0]
        there = ", ".join(f"{one.name!r} ({one.status})" for one in self.invocations) or "nothing"
        if not self.invocations:
            advice = self._source.if_empty
        elif described and not found:
            advice = "Give one of these names to `cap.invocation_named(name)`, or take one from `cap.invocations`."
        else:
            advice = (
                "Pick one with `cap.invocation_named(name)` or from `cap.invocations`, or assert on all with `whole_capture()`."
            )
        doubts = "".join(f"\n  {doubt}" for doubt in self.health.doubts)
        raise AmbiguousError(
            f"Expected one top-level invocation{described} in the capture, but there {'are' if found else 'is'} "
            f"{len(found) or 'none'}. Recorded: {there}.\n{advice}" + (f"\nIn doubt:{doubts}" if doubts else ""),
            subject="the capture",
            expected=f"one top-level invocation{described}",
            actual=tuple(one.name for one in self.invocations),
        )


class Live:
    """Records built from events when they are read."""

    def __init__(self, state: events.CaptureState, *, if_empty: str = _IF_NOTHING_RAN) -> None:
        self.state = state
        self.if_empty = if_empty
        self.name = state.name
        self.error: BaseException | str | None = None
        self.home: Capture | None = None
        self._built: tuple[tuple[int, int | None], Built] | None = None

    @property
    def is_open(self) -> bool:
        return self.state.closed_order is None

    def built(self) -> Built:
        now = self.state.last_order, self.state.closed_order
        if self._built is None or self._built[0] != now:
            error = self.error if isinstance(self.error, BaseException) else None
            self._built = now, build(self.state, home=self.home, error=error)
        return self._built[1]

    def health(self) -> Health:
        state = self.state
        faults = tuple(f"the {name} adapter broke: {render.error(error)}" for name, error in state.faults)
        return Health(state.late, state.adopted, state.unattributed, tuple(state.notes), faults)

    def visibility(self) -> Mapping[str, frozenset[str]]:
        return self.state.visibility


class Loaded:
    """Records that were stored."""

    if_empty = _IF_NOTHING_WAS_STORED

    def __init__(self, stored: StoredCapture) -> None:
        self._stored = stored
        self.is_open = False
        self.name = stored.name
        self.error = stored.error
        self._built = Built(stored.invocations, stored.strays)

    def belong_to(self, home: Capture) -> None:
        ids: set[str] = set()
        for top in (*self._stored.invocations, *((self._stored.strays,) if self._stored.strays is not None else ())):
            for one in top.with_nested():
                if one.id in ids:
                    raise ValueError(f"$.invocations: the id {one.id!r} stands for several invocations")
                ids.add(one.id)
                object.__setattr__(one, "home", home)  # they were made for this capture a moment ago; nobody has seen them yet

    def built(self) -> Built:
        return self._built

    def health(self) -> Health:
        stored = self._stored
        return Health(
            late=stored.late,
            adopted=stored.adopted,
            unattributed=stored.unattributed,
            notes=stored.notes,
            faults=stored.faults,
        )

    def visibility(self) -> Mapping[str, frozenset[str]]:
        return self._stored.visibility
