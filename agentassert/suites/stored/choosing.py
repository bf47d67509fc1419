"""Which cases are applied to what was recorded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import attrs

from agentassert import settings
from agentassert.expressions.expectations import Expectations
from agentassert.expressions.expression import Expression
from agentassert.storing.documents import Kind
from agentassert.suites.discovery import suite_files, suites_directory_of
from agentassert.suites.loading import load_suite
from agentassert.suites.problems import quoted, shown_path
from agentassert.suites.schema import Case
from agentassert.text.nearest import did_you_mean


@attrs.frozen(kw_only=True)
class Request:
    """What is to be checked, in terms that another process can be told.

    Args:
        suites: files; without one, every suite of the project.
        names: of the cases to apply; without one, all.
        containing: a text that their names contain.
        match_payload: whether a case is applied only where the agent was given its payload.
        agent: whose work it is that names no agent.
        kind: what the files hold; `None` where they tell.
        refuse_doubt: whether an invocation whose recording is in doubt passes nothing.
    """

    suites: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    containing: str | None = None
    match_payload: bool = False
    agent: str | None = None
    kind: Kind | None = None
    refuse_doubt: bool = False


@attrs.frozen(kw_only=True)
class Chosen:
    """A case that is applied.

    Args:
        agent: the name of the agent.
        case: the case.
        place: where it stands, as `file:line`.
    """

    agent: str
    case: Case
    place: str

    @property
    def title(self) -> str:
        """Its name with its agent's."""
        return f"{self.agent}::{self.case.name}"


@attrs.frozen
class Choice:
    """What was chosen.

    Args:
        cases: the cases that are applied, in order.
        skipped: those that cannot be, each with the reason.
    """

    cases: tuple[Chosen, ...]
    skipped: Mapping[str, str]

    def of_agent(self) -> dict[str, list[int]]:
        """The places of the cases of each agent."""
        found: dict[str, list[int]] = {}
        for index, one in enumerate(self.cases):
            found.setdefault(one.agent, []).append(index)
        return found


def choose(request: Request) -> Choice:
    """Load the suites, and take from them what is asked for.

    Raises:
        ValueError: when a suite cannot be read, or nothing is left to apply.
    """
    every = [one for file, directory in _files(request.suites) for one in _cases(file, directory)]
    unknown = [name for name in request.names if all(one.case.name != name for one in every)]
    if unknown:
        meant = did_you_mean(unknown[0], (one.case.name for one in every))
        raise ValueError(f"there is no case {quoted(unknown[0])} in the suites{meant and '; '}{meant}")
    wanted = [one for one in every if _is_wanted(one.case, request)]
    if not wanted:
        raise ValueError(
            f"no case has a name that contains {request.containing!r}" if every else "there are no tests in the suites"
        )
    reasons = [(one, _why_not(one.case, match_payload=request.match_payload)) for one in wanted]
    skipped = {f"{one.title} ({one.place})": why for one, why in reasons if why is not None}
    cases = tuple(one for one, why in reasons if why is None)
    if not cases or (skipped and request.names):
        raise ValueError("; ".join(f"{title}: {why}" for title, why in skipped.items()))
    return Choice(cases, skipped)


def _files(named: Sequence[str]) -> Iterator[tuple[Path, Path]]:
    directories = settings.current().suite_directories
    if not named:
        if not directories:
            raise ValueError("there is no [tool.agentassert] that says where suites are: name them by --suite FILE")
        yield from suite_files(directories)
    for name in named:
        file = Path(name).absolute()
        if not file.is_file():
            raise ValueError(f"{name}: there is no such file")
        yield file, suites_directory_of(file, directories) or file.parent


def _cases(file: Path, directory: Path) -> list[Chosen]:
    suite = load_suite(file, directory)
    if suite is None:
        return []
    shown = shown_path(file)
    return [Chosen(agent=suite.agent, case=case, place=f"{shown}:{case.line}") for case in suite.cases]


def _is_wanted(case: Case, request: Request) -> bool:
    is_named = not request.names or case.name in request.names
    return is_named and (request.containing is None or request.containing in case.name)


def _why_not(case: Case, *, match_payload: bool) -> str | None:
    """Why a case says nothing about what was recorded elsewhere."""
    if reads_context(case.expectations):
        return "it reads `context`, which only the builder of a run fills"
    if match_payload and (case.builder is not None or case.files):
        return "its payload is made by a run, of a builder or of files, so nothing recorded can be compared to it"
    return None


def reads_context(expectations: Expectations) -> bool:
    """Whether any expression in them looks at what a builder hands over."""
    return any(one.mentions("context") for one in _expressions(expectations))


def _expressions(expectations: Expectations) -> Iterator[Expression]:
    if expectations.result is not None:
        yield expectations.result
    for tool in expectations.tool_calls:
        if tool.condition is not None:
            yield from (*tool.condition.filters, *tool.condition.counts, *tool.condition.gates)
    for child in expectations.child_agents:
        if child.payload is not None:
            yield child.payload
        yield from _expressions(child.inside)
