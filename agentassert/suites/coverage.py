"""Which agents have tests, and which of their tools these tests expect to be called: counted from files, without running anything."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from typing import Any

import attrs

from agentassert.settings import Settings
from agentassert.suites.agent_tools import AgentTools, agents_to_cover
from agentassert.suites.loading import load_suites
from agentassert.suites.problems import SuiteError
from agentassert.suites.schema import Suite


@attrs.frozen(kw_only=True)
class AgentCoverage:
    """How much of one agent is covered.

    Args:
        name: the agent's name.
        has_tests: whether there is a test for it.
        tools_total: how many tools it has.
        tools_covered: how many of them some test expects to be called.
        uncovered_tools: the others, sorted.
        percent: the share of covered tools; `None` when that cannot be told, which leaves the agent out of the numbers.
        parse_error: what of its suites cannot be read.
        note: why nobody can tell its tools.
    """

    name: str
    has_tests: bool
    tools_total: int
    tools_covered: int
    uncovered_tools: tuple[str, ...]
    percent: float | None
    parse_error: str | None = None
    note: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The same as JSON data, with a `note` where there is one; all agents are of one type.

        Example:
            >>> coverage([], [AgentTools(name="support", tools=frozenset())]).agents[0].to_json()["type"]
            'agent'
        """
        fields = {**attrs.asdict(self), "uncovered_tools": list(self.uncovered_tools)}
        if self.note is None:
            del fields["note"]
        return {"name": fields.pop("name"), "type": "agent", **fields}


@attrs.frozen(kw_only=True)
class CoverageReport:
    """How much of a project's agents is covered.

    Args:
        overall: the mean of the agents' percentages, each agent counting the same; 0 when there is none.
        agents: the agents, sorted by name.
        error: what is wrong that belongs to none of them.
    """

    overall: float
    agents: tuple[AgentCoverage, ...] = ()
    error: str | None = None

    @property
    def is_broken(self) -> bool:
        """Whether something could not be read, so that the numbers are not the whole truth."""
        return self.error is not None or any(agent.parse_error is not None for agent in self.agents)

    def to_json(self) -> dict[str, Any]:
        """The report as JSON data: `overall`, `agents`, and `error` where there is one.

        Example:
            >>> CoverageReport(overall=0.0, error="no agents").to_json()
            {'overall': 0.0, 'agents': [], 'error': 'no agents'}
        """
        report: dict[str, Any] = {"overall": self.overall, "agents": [agent.to_json() for agent in self.agents]}
        return report if self.error is None else {**report, "error": self.error}

    def text(self) -> str:
        """The report for people: an agent a line, then the tools that are not covered, then what is wrong.

        Example:
            >>> print(CoverageReport(overall=0.0).text())
            overall 0 %
        """
        width = max((len(agent.name) for agent in self.agents), default=0)
        lines = [f"{agent.name:<{width}}  {_told(agent)}" for agent in self.agents]
        lines.append(f"overall {_percent(self.overall)}")
        lines += [f"not covered in {one.name}: {', '.join(one.uncovered_tools)}" for one in self.agents if one.uncovered_tools]
        lines += [words for agent in self.agents for words in (agent.parse_error, agent.note) if words is not None]
        return "\n".join(lines if self.error is None else [*lines, self.error])


def _told(agent: AgentCoverage) -> str:
    share = "?" if agent.percent is None else _percent(agent.percent)
    tools = f"{agent.tools_covered} of {agent.tools_total} tools" if agent.tools_total else "no tools"
    if agent.note is not None:
        tools = "tools unknown"
    return f"{share:>7}  {tools if agent.has_tests else 'no tests'}"


def _percent(share: float) -> str:
    return f"{share:.4g} %"


def coverage(
    suites: Iterable[Suite], agents: Iterable[AgentTools], errors: Iterable[SuiteError] = (), problems: Sequence[str] = ()
) -> CoverageReport:
    """How much of the agents the suites cover.

    A tool is covered when a test names it in `expected_tool_calls`, whatever it asks of the calls, or in `expected_tool_call_order`,
    by its full name or by the last part of it. `expected_no_tool_calls` and what is expected of child agents cover nothing. An agent
    without suites is covered by 0 %; one without tools by 100 % as soon as it has a suite.

    Args:
        suites: the suites that could be read; those of agents that are not asked about are ignored.
        agents: the agents, variants left out.
        errors: the suites that could not be read.
        problems: what else is wrong, such as agents that could not be loaded.

    Example:
        >>> coverage([], [AgentTools(name="support", tools=frozenset({"look"}))]).agents[0].uncovered_tools
        ('look',)
    """
    asserted: dict[str, set[str]] = {}
    for suite in suites:
        asserted.setdefault(suite.agent, set()).update(*(case.asserted_tools for case in suite.cases))
    wrong: dict[str, list[str]] = {}
    for error in errors:
        wrong.setdefault(error.agent or "", []).append(str(error))
    covered = tuple(_covered(one, asserted.get(one.name), wrong.pop(one.name, [])) for one in sorted(agents, key=_by_name))
    percents = [agent.percent for agent in covered if agent.percent is not None]
    others = [*problems, *(text for texts in wrong.values() for text in texts)]
    return CoverageReport(
        overall=statistics.fmean(percents) if percents else 0.0, agents=covered, error="\n".join(others) if others else None
    )


def project_coverage(settings: Settings, environment: str | None = None) -> CoverageReport:
    """How much of a project's agents its suites cover.

    Args:
        settings: the settings of the project.
        environment: whose agents are meant, as in :meth:`Settings.agents_in`.

    Raises:
        ValueError: when there is no such environment.

    Example:
        >>> project_coverage(Settings()).agents
        ()
    """
    agents, problems = agents_to_cover(settings.agents_in(environment))
    loaded = load_suites(settings.suite_directories)
    return coverage(loaded.suites, agents, loaded.errors, problems)


def _by_name(agent: AgentTools) -> str:
    return agent.name


def _covered(agent: AgentTools, asserted: set[str] | None, errors: list[str]) -> AgentCoverage:
    note = None
    if agent.tools is None:
        advice = f"name them in pyproject.toml, in [tool.agentassert.agents.{agent.name}], as tools = [...]"
        note = f"nobody can tell the tools of agent {agent.name!r}, which is left out of the numbers: {advice}"
    tools = agent.tools or frozenset()
    reached = {tool for name in asserted or () if (tool := _named(name, tools)) is not None}
    total = len(tools)
    share = 0.0 if asserted is None else 100.0 if not total else 100.0 * len(reached) / total
    return AgentCoverage(
        name=agent.name,
        has_tests=asserted is not None,
        tools_total=total,
        tools_covered=len(reached),
        uncovered_tools=tuple(sorted(tools - reached)),
        percent=None if errors or note is not None else share,
        parse_error="\n".join(errors) if errors else None,
        note=note,
    )


def _named(name: str, tools: frozenset[str]) -> str | None:
    """The tool that a test means: of this very name, else the first of the same last part, where one of the two is just that part."""
    if name in tools:
        return name
    short = name.rpartition(".")[2]
    alike = sorted(tool for tool in tools if tool.rpartition(".")[2] == short)
    return next((tool for tool in alike if short in {name, tool}), None)
