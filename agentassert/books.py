"""What assertions on one capture have checked so far, across separate `assert_that` calls."""

from __future__ import annotations

from contextvars import ContextVar
from types import TracebackType
from typing import Final, Self, TypeAlias

import attrs

SUCCEEDED: Final = 1
FAILED: Final = 2
EITHER: Final = SUCCEEDED | FAILED


@attrs.define(eq=False)
class Books:
    """The marks of one capture.

    An execution of which nobody reported the outcome is marked for the outcomes that the assertion covered: after
    `has_tool_executed` it is checked only if it succeeded.
    """

    marks: dict[str, int] = attrs.Factory(dict)
    """The id of each execution that was checked, and for which outcomes."""
    requests: set[str] = attrs.Factory(set)
    """The names of the tools whose unanswered requests were checked, each with the id of its invocation."""
    unlocked: set[str] = attrs.Factory(set)
    """The ids of the invocations whose failure, cancellation or block was checked."""
    passed: list[str] = attrs.Factory(list)
    """The assertions that passed, as they were written."""

    def mark(self, outcomes: dict[str, int]) -> None:
        """Note that executions were checked, each for these outcomes."""
        self._remember()
        for execution_id, covered in outcomes.items():
            self.marks[execution_id] = self.marks.get(execution_id, 0) | covered

    def mark_requests(self, requests: set[str]) -> None:
        """Note that unanswered requests were checked."""
        self._remember()
        self.requests |= requests

    def unlock(self, invocation_id: str) -> None:
        """Note that the failure, cancellation or block of an invocation was checked."""
        self._remember()
        self.unlocked.add(invocation_id)

    def note(self, assertion: str) -> None:
        """Note that an assertion passed."""
        self._remember()
        self.passed.append(assertion)

    def clear(self) -> None:
        """Start over."""
        self.restore(Books())

    def _remember(self) -> None:
        before = _before.get()
        if before is not None and self not in before:
            before[self] = Books(dict(self.marks), set(self.requests), set(self.unlocked), list(self.passed))

    def restore(self, earlier: Books) -> None:
        """Go back to what was noted then."""
        self.marks, self.requests = earlier.marks, earlier.requests
        self.unlocked, self.passed = earlier.unlocked, earlier.passed


_Earlier: TypeAlias = dict[Books, Books]
_before: Final[ContextVar[_Earlier | None]] = ContextVar("agentassert_books_before", default=None)


class Tentative:
    """A block in which what any books note is undone on leaving, unless :meth:`keep` was called: a callback that tries a candidate."""

    def __init__(self) -> None:
        self._kept = False
        self._changed: _Earlier = {}

    def keep(self) -> None:
        """The candidate matched: what was noted stands."""
        self._kept = True

    def __enter__(self) -> Self:
        self._around = _before.get()
        self._token = _before.set(self._changed)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        _before.reset(self._token)
        if not self._kept:
            for books, earlier in self._changed.items():
                books.restore(earlier)
        elif self._around is not None:
            for books, earlier in self._changed.items():
                self._around.setdefault(books, earlier)
