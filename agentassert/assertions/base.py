"""What every assertion of a chain goes through: gates, scope, the check itself, the books, and how a failure is told."""

from __future__ import annotations

import enum
import warnings
from collections.abc import Callable, Iterable
from typing import Any, Final, Self, TypeAlias, TypeVar

from agentassert import render
from agentassert.assertions.given import text_argument
from agentassert.assertions.misuse import Guarded
from agentassert.assertions.soft import collected
from agentassert.books import EITHER, Tentative, Written
from agentassert.captures import Capture
from agentassert.checks.endings import gate
from agentassert.checks.executions import line
from agentassert.checks.requests import never_executed, unanswered
from agentassert.checks.unknown_tools import about_misspelt, about_unknown
from agentassert.checks.view import Marks, View
from agentassert.errors import AdapterError, AgentAssertionError, AmbiguousError, UnknownToolWarning
from agentassert.failures import Failure, hidden, levels_to_the_test, listed, shortened
from agentassert.patterns import ExecutionPattern
from agentassert.records import Invocation

__tracebackhide__ = hidden

_MOST_SAID: Final = 10
_UNCHANGING: Final = frozenset((str, int, ExecutionPattern))

_T = TypeVar("_T")
Check: TypeAlias = Callable[[View], Failure | Marks]


class Scope(enum.StrEnum):
    """What the tool, source, model call, token and approval assertions of a chain look at."""

    OWN = "top_level_only"
    NESTED = "including_nested"
    WHOLE = "whole_capture"


class Stopped(Exception):  # noqa: N818  # no error: it ends a chain whose gate or navigation failed in a soft block
    """Carries the failure that ends a chain."""

    def __init__(self, error: AgentAssertionError) -> None:
        super().__init__(str(error))
        self.error = error


class Chain(Guarded):
    """The machinery behind the assertions on one invocation, or on a whole capture."""

    def __init__(
        self, capture: Capture, invocation_id: str | None, *, description: str | None = None, dead: bool = False
    ) -> None:
        self._capture = capture
        self._invocation_id = invocation_id
        self._scope: Scope | None = None
        self._description = description
        self._dead = dead
        self.__agentassert_checked__ = False

    def described_as(self, text: str) -> Self:
        """Begin the messages of the assertions that follow with `[text]`.

        Raises:
            TypeError: when it is no string.
            ValueError: when it is empty.

        Example:
            >>> chain = assert_that(cap).described_as("refund flow").has_succeeded()
        """
        self._description = text_argument("described_as", text, "text", empty_one="describes nothing")
        return self

    def _passes(
        self,
        check: Check,
        said: Written,
        *,
        scoped: bool = True,
        ordered: bool = False,
        gated: bool = True,
        on_pass: Callable[[View], None] | None = None,
        names: Iterable[str] = (),
        negative: bool = False,
    ) -> Self:
        """Run a check; every assertion ends here.

        Args:
            check: the rule.
            said: the assertion as it was written.
            scoped: whether it looks at what may lie in nested invocations.
            ordered: whether it asks for an order, which nobody knows across invocations.
            gated: whether the invocation must have completed, or its failure been checked.
            on_pass: what else the books take when it passes.
            names: tool names in it, of which a misspelt one is called out.
            negative: whether a misspelt name would make it pass.
        """
        self.__agentassert_checked__ = True
        if self._dead:
            return self
        view = self._looked_at(scoped=scoped, ordered=ordered, gated=gated)
        if view is None:
            return self
        verdict = _judged(check, view)
        if isinstance(verdict, Failure):
            return self._told(self._error(view, verdict, names))
        if negative:
            doubt = self._warn_of_unknown(view, names)
            if doubt is not None:
                return self._told(doubt)
        books = self._capture.books
        books.mark(verdict)
        if on_pass is not None:
            on_pass(view)
        books.note(said)
        return self

    def _unlock(self, view: View) -> None:
        """Let assertions look at an invocation that did not complete."""
        self._capture.books.unlock(view.root.id)

    def _navigates(self, find: Callable[[View], Failure | _T], *, scoped: bool) -> _T | None:
        """What `find` gives; `None` in a soft block when a gate or the navigation failed, which ends the chain."""
        self.__agentassert_checked__ = True
        if self._dead:
            return None
        view = self._looked_at(scoped=scoped, gated=True)
        if view is None:
            return None
        found = find(view)
        if isinstance(found, Failure):
            self._ended(self._error(view, found, ()))
            return None
        return found

    def _told(self, error: AgentAssertionError) -> Self:
        if not collected(error):
            raise error
        return self

    def _ended(self, error: AgentAssertionError) -> None:
        """Tell a failed gate or navigation; where that does not raise, what follows in the chain is ignored."""
        self._told(error)
        self._dead = True

    def _looked_at(self, *, scoped: bool, gated: bool, ordered: bool = False) -> View | None:
        """What is looked at; `None` in a soft block when a gate failed, which ends the chain."""
        try:
            return self._view(scoped=scoped, ordered=ordered, gated=gated)
        except Stopped as stopped:
            error = stopped.error
        self._ended(error)  # here, where nothing is being handled: Python would show what is as the error's context
        return None

    def _view(self, *, scoped: bool, ordered: bool, gated: bool) -> View:
        """What is looked at, once every gate is passed."""
        self._check_recording()
        roots = self._roots(scoped)
        if gated:
            for root in roots:
                failure = gate(root, root.id in self._capture.books.unlocked)
                if failure is not None:
                    raise Stopped(self._error(self._view_of(roots, with_strays=False), failure, ()))
        if not scoped:
            return self._view_of(roots, with_strays=False)
        if self._scope is None and roots[0].nested_invocations:
            raise Stopped(_scope_error(roots[0], ordered=ordered))
        inside = self._inside(roots)
        for one in inside:
            failure = gate(one, unlocked=True)
            if failure is not None:
                raise Stopped(self._error(self._view_of((one,), with_strays=False), failure, ()))
        return self._view_of(inside, with_strays=True)

    def _inside(self, roots: tuple[Invocation, ...]) -> tuple[Invocation, ...]:
        """What the scope covers."""
        nested = self._scope in (Scope.NESTED, Scope.WHOLE)
        return tuple(one for root in roots for one in root.with_nested()) if nested else roots

    def _check_recording(self) -> None:
        health = self._capture.health
        if health.faults:
            lines = "\n".join(f"  {fault}" for fault in health.faults)
            text = f"The recording is incomplete, because a hook of this library broke while the agent ran:\n{lines}"
            raise Stopped(AdapterError(text, subject="the capture", actual=health))
        if self._capture.on_doubt == "fail" and health.doubts:
            raise Stopped(self._doubt_error())

    def _roots(self, scoped: bool) -> tuple[Invocation, ...]:
        if self._scope is Scope.WHOLE:
            if not scoped:
                advice = "Assert it on one invocation: assert_that(cap.invocation_named(name))."
                raise Stopped(AmbiguousError(f"This assertion is about one invocation, not about a whole capture.\n{advice}"))
            if self._capture.invocations:
                return self._capture.invocations
        try:
            return (self._capture.invocation if self._invocation_id is None else self._found(self._invocation_id),)
        except AgentAssertionError as error:
            raise Stopped(error) from None

    def _found(self, invocation_id: str) -> Invocation:
        def index() -> dict[str, Invocation]:
            strays = self._capture.strays
            tops = self._capture.invocations if strays is None else (*self._capture.invocations, strays)
            return {one.id: one for top in tops for one in top.with_nested()}

        found: Invocation = self._capture.memo("invocations", index)[invocation_id]
        return found

    def _view_of(self, invocations: tuple[Invocation, ...], *, with_strays: bool) -> View:
        def view() -> View:
            strays = self._capture.strays if with_strays else None
            if any(one is strays for one in invocations):
                strays = None
            whole = self._scope is Scope.WHOLE
            return View(
                subject="the whole capture" if whole and with_strays else f"invocation {invocations[0].name!r}",
                invocations=(*invocations, strays) if whole and strays is not None else invocations,
                strays=None if whole else strays,
                visibility=self._capture.visibility,
                is_open=self._capture.is_open,
                decorated=self._capture.decorated_tools,
            )

        key = "view", tuple(one.id for one in invocations[:2]), self._scope, with_strays
        found: View = self._capture.memo(key, view)
        return found

    def _doubt_error(self) -> AgentAssertionError:
        doubts = self._capture.health.doubts
        lines = "\n".join(f"  {doubt}" for doubt in doubts)
        text = f"The recording is in doubt, which this capture counts as a failure:\n{lines}"
        return AgentAssertionError(text, subject="the capture", expected="no doubts", actual=doubts)

    def _error(self, view: View, failure: Failure, names: Iterable[str]) -> AgentAssertionError:
        sections = [about_unknown(view, name) for name in names]
        sections += [*_executions_of(view, failure.important), never_executed(view.invocations, is_open=view.is_open)]
        doubts = self._capture.health.doubts
        if doubts:
            sections.append("\n".join(("In doubt:", *(f"  {doubt}" for doubt in doubts))))
        return failure.error(view.subject, *sections, description=self._description)

    def _warn_of_unknown(self, view: View, names: Iterable[str]) -> AgentAssertionError | None:
        for name in names:
            words = about_misspelt(view, name)
            if words:
                self._capture.doubt(f"{words} A misspelt name would make a negative assertion pass for ever.")
                if self._capture.on_doubt == "fail":
                    return self._doubt_error()
                warnings.warn(UnknownToolWarning(words), stacklevel=levels_to_the_test())
        return None

    def __repr__(self) -> str:
        self._when_dropped = None  # whoever looks at it needs no assertion to see something
        try:
            view = self._view_of(self._inside(self._roots(scoped=True)), with_strays=True)
        except Stopped as stopped:
            return f"<{type(self).__name__} on {self._capture!r}: {str(stopped.error).splitlines()[0]}>"
        books = self._capture.books
        unchecked = [one for one in view.executions if books.marks.get(one.id) != EITHER]
        lines = [f"<{type(self).__name__} on {view.subject} ({view.root.status})"]
        lines.append("  passed: " + (", ".join(books.passed) or "nothing yet"))
        lines.append("  unchecked tool executions:" + ("" if unchecked else " none"))
        lines += [f"    {one}" for one in shortened(unchecked, lambda one: line(view, one))]
        never_ran = [
            one for key, requests in unanswered(view.invocations).items() if key not in books.requests for one in requests
        ]
        if never_ran:
            lines.append("  unchecked requests that never ran: " + ", ".join(one.name for one in never_ran))
        return "\n".join(lines) + ">"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from agentassert.reports.outline import Checks
        from agentassert.reports.tree_html import chain_page, text_page

        try:
            roots = self._roots(scoped=True)
        except Stopped:
            return text_page(repr(self))
        view, books = self._view_of(self._inside(roots), with_strays=True), self._capture.books
        return chain_page(
            Checks(
                subject=f"{view.subject} ({view.root.status})",
                invocations=roots,
                strays=self._capture.strays,
                executions=view.executions,
                checked={execution for execution, outcomes in books.marks.items() if outcomes == EITHER},
                passed=books.passed,
                doubts=self._capture.health.doubts,
            )
        )


def _judged(check: Check, view: View) -> Failure | Marks:
    """The verdict; what callbacks noted in the books on the way to a failure is undone."""
    with Tentative() as attempt:
        verdict = check(view)
        if not isinstance(verdict, Failure):
            attempt.keep()
    return verdict


def _scope_error(root: Invocation, *, ordered: bool) -> AmbiguousError:
    names = tuple(one.name for one in root.nested_invocations)
    if ordered:
        advice = (
            "Across invocations the order of tools is unknown, so say before this assertion whose it is about: top_level_only(), "
            "or nested_invocation(name) for one of theirs."
        )
    else:
        advice = "Say before this assertion whether theirs count: including_nested() or top_level_only()."
    return AmbiguousError(
        f"Invocation {root.name!r} has the nested invocations {', '.join(map(repr, names))}, so two readings are plausible.\n{advice}",
        subject=f"invocation {root.name!r}",
        expected="a chosen scope",
        actual=names,
    )


def _executions_of(view: View, important: Iterable[str]) -> list[str]:
    sections, first = [], 1
    for one in view.everywhere:
        title = "Tool executions" if len(view.invocations) == 1 else f"Tool executions of {one.name!r}"
        if one is view.strays:
            title = "Recorded outside every invocation"
        if one is not view.strays or one.tool_executions:
            sections.append(listed(title, one.tool_executions, important, first=first))
        first += len(one.tool_executions)
    return sections


def said(method: str, *arguments: Any) -> Written:
    """An assertion as it was written; of a long list the beginning. What cannot change is shown when somebody looks."""
    begun, is_longer = arguments[:_MOST_SAID], len(arguments) > _MOST_SAID

    def written() -> str:
        more = ", …" if is_longer else ""
        return f"{method}({', '.join(map(render.value, begun))}{more})"

    return written if _UNCHANGING.issuperset(map(type, begun)) else written()
