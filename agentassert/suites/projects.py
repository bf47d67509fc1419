"""The project whose suites are run: its settings, the environment that is chosen, and its agents."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import attrs

from agentassert.driving.targets import FunctionAgent, Target, target_of
from agentassert.settings import AgentSettings, EnvironmentSettings, Settings
from agentassert.suites.known_tools import KnownTools
from agentassert.suites.python_files import imported


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
    _targets: dict[str, Target] = attrs.field(init=False, factory=dict)

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
        """Set the environment's variables, and find modules in the project, inside the block.

        Example:
            >>> with Project(Settings()).in_environment():
            ...     pass
        """
        variables = self._environment.variables
        before = {name: os.environ.get(name) for name in variables}
        os.environ.update(variables)
        try:
            with self._importable():
                yield
        finally:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value

    @contextlib.contextmanager
    def _importable(self) -> Iterator[None]:
        """From wherever the program was started, and for what agents and builders import only when they run."""
        root = "" if self.settings.root is None else str(self.settings.root)
        added = bool(root) and root not in sys.path
        if added:
            sys.path.insert(0, root)
        try:
            yield
        finally:
            if added and root in sys.path:
                sys.path.remove(root)

    def agent(self, name: str) -> Target:
        """What is run for an agent, found once.

        Args:
            name: the agent's name in the settings.

        Raises:
            ValueError: when its module or the object in it cannot be had, or nobody can run it, naming the setting.
        """
        if name not in self._targets:
            named = self.agents[name].target
            with self.in_environment():
                try:
                    self._refuse_namesake(named.partition(".")[0].partition(":")[0])
                    self._targets[name] = target_of(imported(named, self.settings.root), name)
                except (ValueError, TypeError) as error:
                    raise ValueError(f"[tool.agentassert.agents] {name} = {named!r}: {error}") from error
        return self._targets[name]

    def tools(self, name: str) -> KnownTools:
        """What is known of the tools of an agent.

        Args:
            name: the agent's name in the settings.

        Raises:
            ValueError: as :meth:`agent` does.
        """
        target = self.agent(name)
        with self.in_environment():
            own = target.tools_in_reach
        others = [tool for one in self.agents.values() for tool in _listed(one)]
        return KnownTools(
            listed=frozenset(_listed(self.agents[name])),
            own=None if own is None else frozenset(own),
            of_others=frozenset(others),
            is_function=isinstance(target, FunctionAgent),
        )

    def _refuse_namesake(self, module: str) -> None:
        """Python keeps one module of a name, so a second project would be given the agents of the first."""
        root = self.settings.root
        if root is None or not ((root / module).is_dir() or (root / f"{module}.py").is_file()):
            return
        other = _root_of_module.setdefault(module, root)
        if other != root and module in sys.modules:
            raise ValueError(f"a module {module!r} was imported from {other} already; run the suites of the two projects apart")
        _root_of_module[module] = root


_root_of_module: Final[dict[str, Path]] = {}
"""For which project each module was imported."""


def _listed(agent: AgentSettings) -> tuple[str, ...]:
    return () if agent.tools is None else (*agent.tools, *agent.discoverable_tools)
