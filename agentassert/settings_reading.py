"""Reads the table `tool.agentassert`, strictly: what is misspelt or of another type is refused, not ignored."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NoReturn

import attrs

from agentassert import render
from agentassert.settings import AgentSettings, EnvironmentSettings, RasaSettings, Settings
from agentassert.text.nearest import did_you_mean


def read(file: Path, content: bytes) -> Settings:
    """The settings in a `pyproject.toml`.

    Args:
        file: where it is, for `root` and for messages.
        content: what is in it.

    Raises:
        ValueError: when it is no TOML, or the table is wrong, naming file and key.

    Example:
        >>> read(Path("pyproject.toml"), b"[tool.agentassert]\\nsuits = []")
        Traceback (most recent call last):
        ValueError: pyproject.toml: tool.agentassert.suits is no setting; did you mean 'suites'?
    """
    place = _Place(str(file), ("tool", "agentassert"))
    try:
        document = tomllib.loads(content.decode("utf-8"))
    except ValueError as error:
        raise ValueError(f"{file}: this is no TOML: {render.words(str(error))}") from None
    except RecursionError:
        raise ValueError(f"{file}: this is nested too deeply for TOML") from None
    tool = document.get("tool", {})
    if not isinstance(tool, dict) or "agentassert" not in tool:
        return Settings()
    table = _table(tool["agentassert"], place, _SETTINGS)
    environments = _environments(table.pop("environments", {}), place.at("environments"), table.get("agents", {}))
    chosen = table.get("default_environment")
    if chosen is not None and chosen not in environments:
        meant = did_you_mean(chosen, environments) or "there are none in tool.agentassert.environments"
        place.at("default_environment").refuse(f"is {render.value(chosen)}, which is no environment; {meant}")
    return Settings(root=file.parent, environments=environments, **table)


@attrs.frozen
class _Place:
    """A key in a file, for messages."""

    file: str
    keys: tuple[str, ...]

    def at(self, key: str) -> _Place:
        return _Place(self.file, (*self.keys, key))

    def refuse(self, words: str) -> NoReturn:
        raise ValueError(f"{self.file}: {'.'.join(map(_as_key, self.keys))} {words}")

    def refuse_type(self, wanted: str, value: Any) -> NoReturn:
        self.refuse(f"must be {wanted}, but was {render.value(value)}")


_Reader = Callable[[Any, _Place], Any]


def _as_key(name: str) -> str:
    return name if re.fullmatch(r"[\w-]{1,100}", name, re.ASCII) else render.value(name)


def _mapping(value: Any, place: _Place) -> dict[str, Any]:
    if not isinstance(value, dict):
        place.refuse_type("a table", value)
    return value


def _table(value: Any, place: _Place, readers: Mapping[str, _Reader]) -> dict[str, Any]:
    """A table whose keys are known, each value read."""
    for key in _mapping(value, place):
        if key not in readers:
            place.at(key).refuse(f"is no setting; {did_you_mean(key, readers)}")
    return {key: readers[key](one, place.at(key)) for key, one in value.items()}


def _text(value: Any, place: _Place) -> str:
    if not isinstance(value, str) or not value.strip():
        place.refuse_type("a text that is not empty", value)
    return value


def _texts(value: Any, place: _Place) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) and one.strip() for one in value):
        place.refuse_type("a list of texts, none of them empty", value)
    twice = next((one for one, count in Counter(value).items() if count > 1), None)
    if twice is not None:
        place.refuse(f"names {render.value(twice)} twice")
    return tuple(value)


def _paths(value: Any, place: _Place) -> tuple[str, ...]:
    paths = _texts(value, place)
    if not paths:
        place.refuse("names no path, so no suite would ever run; leave the key out for the default ['tests']")
    return paths


def _flag(value: Any, place: _Place) -> bool:
    if not isinstance(value, bool):
        place.refuse_type("true or false", value)
    return bool(value)


def _one_of(*choices: str) -> _Reader:
    def reader(value: Any, place: _Place) -> str:
        if value not in choices:
            place.refuse_type(" or ".join(map(repr, choices)), value)
        return str(value)

    return reader


def _where(what: str) -> _Reader:
    def reader(value: Any, place: _Place) -> str:
        module, colon, path = _text(value, place).partition(":")
        if not colon or not _is_dotted(module) or not _is_dotted(path):
            place.refuse(f"must say where the {what} is, as 'module:object', but was {render.value(value)}")
        return str(value)

    return reader


_target: Final = _where("agent")


def _is_dotted(text: str) -> bool:
    return all(part.isidentifier() for part in text.split("."))


def _variables(value: Any, place: _Place) -> Mapping[str, str]:
    for name, one in _mapping(value, place).items():
        if not name or "=" in name or "\0" in name:
            place.at(name).refuse("is no name of an environment variable")
        if not isinstance(one, str) or "\0" in one:
            place.at(name).refuse(f"must be a text, as environment variables are, but was {render.value(one)}")
    return MappingProxyType(value)


_AGENT: Final[Mapping[str, _Reader]] = {
    "target": _target,
    "tools": _texts,
    "discoverable_tools": _texts,
    "variant_of": _text,
}


def _agent_fields(value: Any, place: _Place) -> dict[str, Any]:
    return {"target": _target(value, place)} if isinstance(value, str) else _table(value, place, _AGENT)


def _agents(value: Any, place: _Place) -> Mapping[str, AgentSettings]:
    fields = {name: _agent_fields(entry, place.at(name)) for name, entry in _mapping(value, place).items()}
    for name, entry in fields.items():
        if "target" not in entry:
            place.at(name).refuse('needs a target, such as target = "module:object"')
    return _checked({name: AgentSettings(**entry) for name, entry in fields.items()}, place)


def _checked(agents: Mapping[str, AgentSettings], place: _Place) -> Mapping[str, AgentSettings]:
    for name, agent in agents.items():
        if agent.variant_of is None:
            continue
        origins = [other for other in agents if other != name and agents[other].variant_of is None]
        if agent.variant_of not in origins:
            meant = did_you_mean(agent.variant_of, origins)
            said = f"is {render.value(agent.variant_of)}, which is no other agent that is not a variant itself"
            place.at(name).at("variant_of").refuse(f"{said}{meant and f'; {meant}'}")
    return MappingProxyType(agents)


def _environments(value: Any, place: _Place, agents: Mapping[str, AgentSettings]) -> Mapping[str, EnvironmentSettings]:
    def overrides(entries: Any, where: _Place) -> Mapping[str, AgentSettings]:
        for name in _mapping(entries, where):
            if name not in agents:
                where.at(name).refuse(
                    f"is no agent of [tool.agentassert.agents]; {did_you_mean(name, agents) or 'it names none'}"
                )
        changed = {name: attrs.evolve(agents[name], **_agent_fields(entry, where.at(name))) for name, entry in entries.items()}
        _checked({**agents, **changed}, where)
        return MappingProxyType(changed)

    readers: dict[str, _Reader] = {"variables": _variables, "agents": overrides}
    return MappingProxyType(
        {name: EnvironmentSettings(**_table(entry, place.at(name), readers)) for name, entry in _mapping(value, place).items()}
    )


def _seconds(value: Any, place: _Place) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < float("inf"):
        place.refuse_type("a number of seconds above 0", value)
    return float(value)


_RASA: Final[Mapping[str, _Reader]] = {
    "url": _text,
    "judge": _where("judge"),
    "pitfalls": _one_of("warn", "fail"),
    "timeout_s": _seconds,
}

_SETTINGS: Final[Mapping[str, _Reader]] = {
    "suites": _paths,
    "agents": _agents,
    "environments": _mapping,  # read when the agents are known
    "default_environment": _text,
    "unreported_tools": _one_of("unknown", "succeeded"),
    "all_checked": _flag,
    "rasa": lambda value, place: RasaSettings(**_table(value, place, _RASA)),
}
