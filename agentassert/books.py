"""What assertions on one capture have checked so far, across separate `assert_that` calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from contextvars import ContextVar
from types import TracebackType
from typing import Final, Self, TypeAlias

import attrs

from agentassert import cells

SUCCEEDED: Final = 1
FAILED: Final = 2
EITHER: Final = SUCCEEDED | FAILED

Written: TypeAlias = str | Callable[[], str]
"""An assertion as it was written, or what writes it when somebody looks, which hardly anybody does."""


def in_words(assertion: Written) -> str:
    """An assertion as it was written.

    Example:
        >>> in_words("has_succeeded()"), in_words(lambda: "has_succeeded()")
        ('has_succeeded()', 'has_succeeded()')
    """
    return assertion if isinstance(assertion, str) else assertion()


@attrs.define
class _Page:
    """What one execution of a cell noted in a notebook; elsewhere there is one page."""

    marks: dict[str, int] = attrs.Factory(dict)
    requests: set[str] = attrs.Factory(set)
    unlocked: set[str] = attrs.Factory(set)
    passed: list[Written] = attrs.Factory(list)

    def copy(self) -> _Page:
        return _Page(dict(self.marks), set(self.requests), set(self.unlocked), list(self.passed))


class Books:
    """The marks of one capture.

    An execution of which nobody reported the outcome is marked for the outcomes that the assertion covered: after
    `has_tool_executed` it is checked only if it succeeded. What a cell of a notebook noted counts until the cell is executed again:
    a check that its author has deleted must not stand for ever.
    """

    def __init__(self) -> None:
        self._pages: dict[cells.Execution | None, _Page] = {}

    @property
    def marks(self) -> Mapping[str, int]:
        """The id of each execution that was checked, and for which outcomes."""
        pages = self._read()
        if len(pages) == 1:
            return pages[0].marks
        marks: dict[str, int] = {}
        for page in pages:
            _mark(marks, page.marks)
        return marks

    @property
    def requests(self) -> AbstractSet[str]:
        """The names of the tools whose unanswered requests were checked, each with the id of its invocation."""
        return {one for page in self._read() for one in page.requests}

    @property
    def unlocked(self) -> AbstractSet[str]:
        """The ids of the invocations whose failure, cancellation or block was checked."""
        return {one for page in self._read() for one in page.unlocked}

    @property
    def passed(self) -> list[str]:
        """The assertions that passed, as they were written."""
        return [in_words(one) for page in self._read() for one in page.passed]

    def mark(self, outcomes: Mapping[str, int]) -> None:
        """Note that executions were checked, each for these outcomes."""
        _mark(self._written().marks, outcomes)

    def mark_requests(self, requests: AbstractSet[str]) -> None:
        """Note that unanswered requests were checked."""
        self._written().requests.update(requests)

    def unlock(self, invocation_id: str) -> None:
        """Note that the failure, cancellation or block of an invocation was checked."""
        self._written().unlocked.add(invocation_id)

    def note(self, assertion: Written) -> None:
        """Note that an assertion passed."""
        self._written().passed.append(assertion)

    def clear(self) -> None:
        """Start over."""
        self._remember()
        self._pages = {}

    def copy(self) -> Books:
        """The same notes in other books."""
        books = Books()
        books._pages = {execution: page.copy() for execution, page in self._pages.items()}
        return books

    def restore(self, earlier: Books) -> None:
        """Go back to what was noted then."""
        self._pages = earlier._pages

    def _read(self) -> list[_Page]:
        return [page for execution, page in self._pages.items() if cells.is_latest(execution)]

    def _written(self) -> _Page:
        self._remember()
        return self._pages.setdefault(cells.current(), _Page())

    def _remember(self) -> None:
        before = _before.get()
        if before is not None and self not in before:
            before[self] = self.copy()


def _mark(marks: dict[str, int], outcomes: Mapping[str, int]) -> None:
    if not marks:
        marks.update(outcomes)
        return
    for execution_id, covered in outcomes.items():
        marks[execution_id] = marks.get(execution_id, 0) | covered


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
