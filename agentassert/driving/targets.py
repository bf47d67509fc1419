"""What is run: an agent of a framework, or a callable."""

from __future__ import annotations

from typing import Any

import attrs

from agentassert import adapters
from agentassert.adapters.driver import Driver
from agentassert.driving.callables import CallableAgent
from agentassert.driving.resolving import resolve


@attrs.frozen
class FrameworkAgent:
    """An agent that an adapter can drive.

    Args:
        agent: the framework's object.
        driver: what runs it.
    """

    agent: Any
    driver: Driver

    @property
    def tools(self) -> list[str] | None:
        """The names of its tools, where they are known."""
        return self.driver.tools_of(self.agent)

    @property
    def tools_in_reach(self) -> list[str] | None:
        """Likewise, with those of agents that it hands over to."""
        return self.driver.tools_in_reach_of(self.agent)


@attrs.frozen
class FunctionAgent:
    """An agent that is a callable, of whose tools nobody knows.

    Args:
        agent: the callable.
    """

    agent: CallableAgent
    tools: list[str] | None = None
    tools_in_reach: list[str] | None = None


Target = FrameworkAgent | FunctionAgent


def target_of(agent: Any, name: str | None) -> Target:
    """What to run for an agent, or for a text that names one.

    Args:
        agent: what :func:`run` takes, or what this gave before.
        name: what to call an agent that has no name of its own.

    Raises:
        TypeError: when no adapter can drive it and it cannot be called.
    """
    if isinstance(agent, (FrameworkAgent, FunctionAgent)):
        return agent
    if isinstance(agent, str):
        agent = resolve(agent)
    for driver in adapters.drivers():
        if driver.drives(agent):
            return FrameworkAgent(agent, driver)
    if not callable(agent):
        raise TypeError(
            f"agent must be a callable, an agent of a framework that has an adapter, or a text such as 'shop.agents:support', "
            f"but was {agent!r}; wrap an agent of another framework in a function that runs it"
        )
    return FunctionAgent(CallableAgent(agent, name))


def tools_of(agent: Any) -> list[str] | None:
    """The names of an agent's own tools, without running it.

    Args:
        agent: what :func:`run` takes.

    Returns:
        The names, sorted; `None` where nobody can know, such as for a callable or for tools that a server lists.

    Raises:
        TypeError, ValueError: when it is no agent, or a text that names none.

    Example:
        >>> tools_of(lambda payload: "done") is None
        True
    """
    tools = target_of(agent, None).tools
    return None if tools is None else sorted(set(tools))
