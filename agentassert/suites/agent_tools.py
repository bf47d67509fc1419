"""The tools that agents have: what coverage is counted against."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import attrs

from agentassert.settings import AgentSettings
from agentassert.suites.python_files import imported

_BY_WHICH_TOOLS_ARE_FOUND: Final = frozenset({"search_tools", "use_tool"})


@attrs.frozen(kw_only=True)
class AgentTools:
    """An agent and the tools that it has.

    Args:
        name: the agent's name.
        tools: the names of its tools; `None` when nobody can tell.
    """

    name: str
    tools: frozenset[str] | None


def agents_to_cover(agents: Mapping[str, AgentSettings]) -> tuple[list[AgentTools], list[str]]:
    """The agents of a project with their tools: those that the settings name, else those that the agent itself has.

    No agent is run, but agents whose tools the settings do not name are imported. Variants are left out.

    Args:
        agents: the agents of the settings, as :meth:`Settings.agents_in` gives them.

    Returns:
        The agents, and a sentence for each that could not be loaded.

    Example:
        >>> agents_to_cover({"support": AgentSettings(target="shop:support", tools=("look",))})
        ([AgentTools(name='support', tools=frozenset({'look'}))], [])
    """
    found, problems = [], []
    for name, settings in agents.items():
        if settings.variant_of is None:
            try:
                found.append(AgentTools(name=name, tools=_tools(settings)))
            except (ValueError, TypeError) as error:
                problems.append(f"[tool.agentassert.agents] {name} = {settings.target!r}: {error}")
    return found, problems


def _tools(settings: AgentSettings) -> frozenset[str] | None:
    tools: Sequence[str] | None = settings.tools
    if tools is None:
        from agentassert.driving import tools_of

        tools = tools_of(imported(settings.target))
    if tools is None or not settings.discoverable_tools:
        return None if tools is None else frozenset(tools)
    return frozenset({*tools, *settings.discoverable_tools} - _BY_WHICH_TOOLS_ARE_FOUND)
