"""What a project says about itself, in the table `tool.agentassert` of its `pyproject.toml`."""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal

import attrs

NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


@attrs.frozen(kw_only=True)
class AgentSettings:
    """One agent that suites can run.

    Args:
        target: where the agent is, as `"module:object"`.
        tools: the names of its tools; `None` leaves it to the adapter to list them.
        discoverable_tools: the names of tools that it finds by itself while it runs.
        variant_of: the name of the agent that this one is a variant of; coverage leaves variants out.
    """

    target: str
    tools: tuple[str, ...] | None = None
    discoverable_tools: tuple[str, ...] = ()
    variant_of: str | None = None


@attrs.frozen(kw_only=True)
class EnvironmentSettings:
    """What is different in one environment.

    Args:
        variables: environment variables to set while agents run, by name.
        agents: agents as they are in this environment, by name; others are as ever.
    """

    variables: Mapping[str, str] = NOTHING
    agents: Mapping[str, AgentSettings] = MappingProxyType({})


@attrs.frozen(kw_only=True)
class RasaSettings:
    """How Rasa's test files are run.

    Args:
        url: where the assistant runs, when `--rasa` names no other place.
        judge: who scores generated responses, as `"module:object"`: an object of the protocol `ResponseJudge`.
        pitfalls: what a test file whose verdict depends on one of Rasa's pitfalls gets.
        timeout_s: seconds that one answer of the assistant may take.
    """

    url: str | None = None
    judge: str | None = None
    pitfalls: Literal["warn", "fail"] = "warn"
    timeout_s: float = 60.0


@attrs.frozen(kw_only=True)
class Settings:
    """The table `tool.agentassert`; without one, the defaults.

    Args:
        root: the directory of the `pyproject.toml` that holds the table; `None` when there is none.
        suites: where suite files are, relative to `root`.
        agents: the agents, by name.
        environments: the environments, by name.
        default_environment: the name of the environment that is used when none is asked for.
        unreported_tools: what a tool result is taken for when its sender does not say whether the tool succeeded.
        all_checked: whether every test in Python must check all tool executions that it captures.
        rasa: how Rasa's test files are run.

    Example:
        >>> Settings().suites, Settings().unreported_tools
        (('tests',), 'unknown')
    """

    root: Path | None = None
    suites: tuple[str, ...] = ("tests",)
    agents: Mapping[str, AgentSettings] = MappingProxyType({})
    environments: Mapping[str, EnvironmentSettings] = MappingProxyType({})
    default_environment: str | None = None
    unreported_tools: Literal["unknown", "succeeded"] = "unknown"
    all_checked: bool = False
    rasa: RasaSettings = RasaSettings()

    @property
    def suite_directories(self) -> tuple[Path, ...]:
        """Where suite files are; nowhere without the table."""
        return () if self.root is None else tuple(self.root / path for path in self.suites)

    def environment(self, name: str | None = None) -> EnvironmentSettings:
        """The environment of this name; without one the default environment, or one in which nothing is different.

        Raises:
            ValueError: when there is none of this name.

        Example:
            >>> Settings(environments={"staging": EnvironmentSettings()}).environment("stagin")
            Traceback (most recent call last):
            ValueError: there is no environment 'stagin' in [tool.agentassert.environments]; did you mean 'staging'?
        """
        chosen = self.default_environment if name is None else name
        if chosen is None:
            return EnvironmentSettings()
        if chosen not in self.environments:
            from agentassert.text.nearest import did_you_mean

            meant = did_you_mean(chosen, self.environments)
            raise ValueError(f"there is no environment {chosen!r} in [tool.agentassert.environments]{meant and f'; {meant}'}")
        return self.environments[chosen]

    def agents_in(self, environment: str | None = None) -> Mapping[str, AgentSettings]:
        """The agents as they are in an environment; the argument is that of :meth:`environment`.

        Raises:
            ValueError: when there is no environment of this name.

        Example:
            >>> Settings(agents={"support": AgentSettings(target="shop.agents:support")}).agents_in()["support"].target
            'shop.agents:support'
        """
        return {**self.agents, **self.environment(environment).agents}


def current() -> Settings:
    """The settings of the project that the working directory is in.

    Raises:
        ValueError: when the table is wrong, naming file and key.

    Example:
        >>> current().default_environment is None
        True
    """
    return above(os.getcwd())  # noqa: PTH109 -- asked for by every capture, and a third of the time of `Path.cwd()`


def above(directory: str | os.PathLike[str]) -> Settings:
    """The settings of the project that a directory is in: of the nearest `pyproject.toml`, in it or above it.

    A file is read once, until it changes. A nearest file without the table hides those further up.

    Args:
        directory: an absolute path.

    Raises:
        ValueError: when the table is wrong, naming file and key.

    Example:
        >>> import tempfile, pathlib
        >>> with tempfile.TemporaryDirectory() as project:
        ...     _ = pathlib.Path(project, "pyproject.toml").write_text('[tool.agentassert]\\nsuites = ["checks"]')
        ...     above(project).suites
        ('checks',)
    """
    place = os.fspath(directory)
    while True:
        file = os.path.join(place, "pyproject.toml")  # noqa: PTH118
        try:
            found = os.stat(file)  # noqa: PTH116
        except OSError:
            parent = os.path.dirname(place)  # noqa: PTH120
            if parent == place:
                return Settings()
            place = parent
            continue
        return _read(file, (found.st_mtime_ns, found.st_size))


@functools.lru_cache(maxsize=64)
def _read(file: str, version: tuple[int, int]) -> Settings:  # noqa: ARG001 -- part of the cache's key
    content = Path(file).read_bytes()
    if b"agentassert" not in content:
        return Settings()
    from agentassert.settings_reading import read

    return read(Path(file), content)
