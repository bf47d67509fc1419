"""What a capture holds, live or loaded."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, Self

import attrs

from agentassert import cells
from agentassert.books import Books
from agentassert.errors import AmbiguousError
from agentassert.failures import counted, hidden
from agentassert.recording.recordings import Health, Live, Loaded, Recording
from agentassert.records import Invocation
from agentassert.text.nearest import NamesNearest, public_names

if TYPE_CHECKING:
    import os

    from agentassert.recording.building import Built
    from agentassert.recording.unreported import UnreportedTools
    from agentassert.stored.captures import StoredCapture
    from agentassert.telemetry.loading import SpanSource

__tracebackhide__ = hidden

OnDoubt = Literal["warn", "fail"]


class Capture(NamesNearest):
    """What was recorded: the invocations, how far they can be trusted, and what assertions have checked so far.

    Made by :func:`capture`, :meth:`load`, :meth:`from_json`, :meth:`from_otlp` or :meth:`from_messages`.

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

    _elsewhere: ClassVar = {name: f"invocation.{name}" for name in public_names(Invocation)}

    def __init__(self, source: Recording, *, on_doubt: OnDoubt = "warn") -> None:
        self._source = source
        self.was_read: bool = False
        self.on_doubt: Final = on_doubt
        cells.watch()
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
        return self._read().built().invocations

    @property
    def strays(self) -> Invocation | None:
        """What was recorded outside every invocation while there was one, as an invocation of its own; else `None`."""
        return self._read().built().strays

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
        error = self._read().error
        if error is not None or len(self.invocations) != 1:
            return error
        return self.invocations[0].error

    @property
    def health(self) -> Health:
        """How far the recording can be trusted."""
        health = self._read().health()
        return attrs.evolve(health, notes=(*health.notes, *self._notes)) if self._notes else health

    @property
    def is_open(self) -> bool:
        """Whether the block has not ended, so that what runs may still succeed."""
        return self._source.is_open

    @property
    def visibility(self) -> Mapping[str, frozenset[str]]:
        """What each adapter that was switched on is able to see."""
        return self._read().visibility()

    @property
    def decorated_tools(self) -> Collection[str]:
        """Names of the tools whose functions, decorated with `record.tool`, would be seen here when they run: none in a loaded capture."""
        return self._read().decorated_tools()

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
        built = self._read().built()
        if self._memo[0] is not built:
            self._memo = (built, {})
        remembered = self._memo[1]
        if key not in remembered:
            remembered[key] = compute()
        return remembered[key]

    def tree(self, *, width: int = 100, color: bool = False) -> str:
        """The capture as a tree of lines, to be printed: what ran in what, with what, and what came of it. Secrets are masked.

        Args:
            width: characters of a line at most, 40 or more.
            color: whether to colour it for a terminal; `agentassert show` does so by itself.

        Raises:
            ValueError: when it is to be narrower than that.

        Example:
            >>> with capture("refund") as cap, record.invocation("support_agent", input="Cancel MS-7"):
            ...     record.tool_execution("cancel", {"number": "MS-7"}, result="ok")
            >>> print(cap.tree())
            capture refund · 1 tool execution
            └─ agent support_agent [completed] · 1 tool execution · ...
               ├─ input 'Cancel MS-7'
               ├─ [1] cancel(number='MS-7') -> 'ok' · ...
               └─ output None
        """
        from agentassert.reports.tree_text import capture_text

        return capture_text(self, width=width, color=color)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from agentassert.reports.tree_html import capture_page

        return capture_page(self)

    def to_json(self) -> str:
        """The capture as JSON text, to be stored and asserted on elsewhere; what assertions have checked is not part of it.

        JSON values are kept exactly; of anything else its class and its text are kept.

        Example:
            >>> with capture("stored") as cap:
            ...     pass
            >>> Capture.from_json(cap.to_json()).name
            'stored'
        """
        from agentassert.stored.captures import StoredCapture, dumps

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
        from agentassert.stored.captures import loads

        return cls._of(loads(text), on_doubt)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the capture into a file of its own, as one line of JSON in UTF-8. A file that is there is replaced as a whole, or not at all.

        Args:
            path: does not end in `.jsonl`, which is for many captures.

        Raises:
            OSError: when the file cannot be written.
            ValueError: when the path is that of many captures.

        Example:
            >>> cap.save(folder / "refund.json")
            >>> Capture.load(folder / "refund.json").invocation.name
            'support_agent'
        """
        from agentassert.storing.files import save

        save(self.to_json(), path)

    def append_to(self, path: str | os.PathLike[str]) -> None:
        """Add the capture as a line to a file of many, JSON Lines in UTF-8, which is made if it is not there.

        Several threads and processes may append to one file at the same time.

        Args:
            path: ends in `.jsonl`.

        Raises:
            OSError: when the file cannot be written.
            ValueError: when the path does not end so.

        Example:
            >>> cap.append_to(folder / "today.jsonl")
            >>> cap.append_to(folder / "today.jsonl")
            >>> [one.invocation.name for one in Capture.load_all(folder / "today.jsonl")]
            ['support_agent', 'support_agent']
        """
        from agentassert.storing.files import append

        append(self.to_json(), path)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, on_doubt: OnDoubt = "warn") -> Self:
        """The capture that a file holds, written by :meth:`save` or with the text of :meth:`to_json`; it may be compressed by gzip.

        Args:
            path: of the file.
            on_doubt: as for :func:`capture`; there is no block whose end could warn.

        Raises:
            OSError: when the file cannot be read.
            StoredCaptureError: when it holds no capture or several, naming file and place.

        Example:
            >>> cap.save(folder / "refund.json")
            >>> loaded = Capture.load(folder / "refund.json")
            >>> checked = assert_that(loaded).has_tool_executed("cancel_booking")
        """
        from agentassert.storing.files import only_text, placed

        place, text = only_text(path)
        with placed(place):
            return cls.from_json(text, on_doubt=on_doubt)

    @classmethod
    def load_all(cls, path: str | os.PathLike[str], *, on_doubt: OnDoubt = "warn") -> Iterator[Self]:
        """The captures that a file holds, one after the other: no more than one of them is in memory.

        Args:
            path: of a file with a capture in each line, as :meth:`append_to` writes it; it may be compressed by gzip.
            on_doubt: as for :func:`capture`; there is no block whose end could warn.

        Raises:
            OSError: when the file cannot be read.
            StoredCaptureError: at the line that is no capture, naming file and line; and when there is none at all.

        Example:
            >>> cap.append_to(folder / "week.jsonl")
            >>> sum(one.invocation.status == "completed" for one in Capture.load_all(folder / "week.jsonl"))
            1
        """
        from agentassert.storing.files import placed, texts

        for place, text in texts(path):
            with placed(place):
                capture = cls.from_json(text, on_doubt=on_doubt)
            yield capture

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

    @classmethod
    def from_messages(
        cls,
        messages: Sequence[Any],
        *,
        name: str | None = None,
        unreported_tools: UnreportedTools | None = None,
        on_doubt: OnDoubt = "warn",
    ) -> Self:
        """The capture of what a list of messages tells: one invocation, whose tool executions are inferred as those of a loop over an SDK.

        Args:
            messages: of OpenAI's chat completions, items of its Responses API, messages of Anthropic or of LangChain: mappings or the
                objects of these libraries, all of one kind, in order.
            name: names the capture, and the invocation.
            unreported_tools: as for :func:`capture`. Anthropic's and LangChain's messages say themselves whether a tool failed.
            on_doubt: as for :func:`capture`; there is no block whose end could warn.

        Raises:
            TypeError: when it is no list.
            MessageError: when a message is of no such kind, or of another one than those before, naming its index and key.

        Example:
            >>> function = {"name": "cancel_booking", "arguments": '{"number": "MS-777"}'}
            >>> messages = [
            ...     {"role": "user", "content": "Cancel MS-777"},
            ...     {"role": "assistant", "tool_calls": [{"id": "call_0", "type": "function", "function": function}]},
            ...     {"role": "tool", "tool_call_id": "call_0", "content": "cancelled"},
            ...     {"role": "assistant", "content": "Done."},
            ... ]
            >>> cap = Capture.from_messages(messages, name="support_agent", unreported_tools="succeeded")
            >>> checked = assert_that(cap).has_tool_executed_with("cancel_booking", {"number": "MS-777"})
        """
        from agentassert.recording.unreported import outcome_of
        from agentassert.storing.conversations import stored_of

        stored = stored_of(messages, name, outcome_of(unreported_tools))
        return cls._of(stored, on_doubt, if_empty=f"Of the {counted(len(messages), 'message')} none is the model's.")

    @classmethod
    def _of(cls, stored: StoredCapture, on_doubt: OnDoubt, **told: str) -> Self:
        source = Loaded(stored, **told)
        capture = cls(source, on_doubt=on_doubt)
        source.belong_to(capture)
        return capture

    def __repr__(self) -> str:
        names = ", ".join(repr(one.name) for one in self.invocations)
        return f"<Capture{'' if self.name is None else f' {self.name!r}'}: {names or 'no invocation'}>"

    def _read(self) -> Recording:
        self.was_read = True
        return self._source

    def _single(self, found: tuple[Invocation, ...], described: str) -> Invocation:
        if len(found) == 1:
            return found[0]
        there = ", ".join(f"{one.name!r} ({one.status})" for one in self.invocations) or "nothing"
        if not self.invocations:
            advice = self._source.if_empty
        elif described and not found:
            advice = "Give one of these names to `cap.invocation_named(name)`, or take one from `cap.invocations`."
        else:
            names = [one.name for one in found]
            by_name = "with `cap.invocation_named(name)` or " if any(names.count(name) == 1 for name in names) else ""
            advice = f"Pick one {by_name}from `cap.invocations`, such as `cap.invocations[0]`, or assert on all with `whole_capture()`."
        doubts = "".join(f"\n  {doubt}" for doubt in self.health.doubts)
        raise AmbiguousError(
            f"Expected one top-level invocation{described} in the capture, but there {'are' if found else 'is'} "
            f"{len(found) or 'none'}. Recorded: {there}.\n{advice}" + (f"\nIn doubt:{doubts}" if doubts else ""),
            subject="the capture",
            expected=f"one top-level invocation{described}",
            actual=tuple(one.name for one in self.invocations),
        )
