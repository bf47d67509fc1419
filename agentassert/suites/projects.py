"""The project whose suites are run: its settings, the environment that is chosen, and its agents."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any

import attrs

from agentassert.driving.resolving import resolve
from agentassert.settings import AgentSettings, EnvironmentSettings, Settings


@attrs.define
class Project:
    """A project in one of its environments.

    Args:
        settings: what its `pyproject.toml` says.
        environment_name: the environment; `None` for the default one.

    Raises:
        ValueError: when there is no such environment.

    Example:
        >>> Project(Settings()).agents
        {}
    """

    settings: Settings
    environment_name: str | None = None
    _environment: EnvironmentSettings = attrs.field(init=False)
    _resolved: dict[str, Any] = attrs.field(init=False, factory=dict)

    def __attrs_post_init__(self) -> None:
        self._environment = self.settings.environment(self.environment_name)

    @property
    def chosen(self) -> str | None:
        """The name of the environment that holds."""
        return self.environment_name or self.settings.default_environment

    @property
    def agents(self) -> dict[str, AgentSettings]:
        """The agents as they are in the environment, by name."""
        return dict(self.settings.agents_in(self.environment_name))

    @contextlib.contextmanager
    def in_environment(self) -> Iterator[None]:
        """Set the environment's variables inside the block.

        Example:
            >>> with Project(Settings()).in_environment():
            ...     pass
        """
        variables = self._environment.variables
        before = {name: os.environ.get(name) for name in variables}
        os.environ.update(variables)
        try:
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value

    def agent(self, name: str) -> Any:
        """The object that an agent is, found once.

        Args:
            name: the agent's name in the settings.

        Raises:
            ValueError: when its module or the object in it cannot be had, naming the setting.
        """
        if name not in self._resolved:
            target = self.agents[name].target
            with self.in_environment():
                try:
                    self._resolved[name] = resolve(target)
                except Exception as error:
                    told = str(error) if isinstance(error, ValueError) else f"importing it raised {type(error).__name__}: {error}"
                    raise ValueError(f"[tool.agentassert.agents] {name} = {target!r}: {told}") from error
        return self._resolved[name]
