"""JSONPath: one way to read it, to follow it, and to write it. The only module that knows jsonpath-ng."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from typing import Any, Final, TypeAlias

import attrs

from agentassert import render
from agentassert.jsonlike import SCALARS

Steps: TypeAlias = tuple[str | int, ...]

LONGEST: Final = 1_000
"""Characters that a JSONPath may have; its steps are followed one inside the other."""

_PLAIN_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Missing(Enum):
    """The type of :data:`MISSING`."""

    MISSING = "missing"

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = Missing.MISSING
"""Stands for what is not there; a present `None` is a value."""


@attrs.frozen(eq=False)
class Path:
    """A JSONPath, ready to be followed many times.

    Args:
        text: as it was written.
        steps: the fields and indices that it follows when it is definite; `None` when it may lead to several places.
        first: the field that it enters first, when it is only one.
        query: the compiled path, where `steps` are not enough.

    Example:
        >>> compile_path("$.charge.id").find({"charge": {"id": "ch_1"}})
        'ch_1'
        >>> compile_path("$.items[*].id").find({"items": [{"id": 1}, {"id": 2}]})
        [1, 2]
    """

    text: str
    steps: Steps | None
    first: str | None
    query: Any = attrs.field(default=None, repr=False)

    def find(self, value: Any) -> Any:
        """What stands there: the value or `MISSING` for a definite path, else the list of all that was found."""
        if self.steps is not None:
            return follow(value, self.steps)
        # A query calls methods of what it meets, and `get` of a client that an agent passed around may well send a request.
        return [_restored(one.value) for one in self._found(value)]

    def places(self, value: Any) -> list[Steps]:
        """Where in `value` the path leads."""
        if self.steps is not None:
            return [] if follow(value, self.steps) is MISSING else [self.steps]
        return [steps for one in self._found(value) if (steps := _steps(one.full_path)) is not None]

    def _found(self, value: Any) -> list[Any]:
        try:
            return list(self.query.find(_sheltered(value)))
        except Exception as error:  # some parts that jsonpath-ng reads, such as `[\b][:]`, it cannot follow
            problem = render.words(f"{type(error).__name__}: {error}")
            raise ValueError(f"the JSONPath {render.value(self.text)} cannot be followed: {problem}") from error


@functools.lru_cache(maxsize=1024)
def field(name: str) -> Path:
    """The path to a field of the top level."""
    return Path(child("$", name), (name,), name)


def child(place: str, step: str | int) -> str:
    """The path, as text, to a field or an item of what stands at `place`.

    Example:
        >>> child(child(child("$", "order"), "line items"), 0)
        "$.order['line items'][0]"
    """
    if not isinstance(step, str):
        return f"{place}[{step}]"
    return f"{place}.{step}" if _PLAIN_NAME.fullmatch(step) else f"{place}[{step!r}]"


def joined(place: str, steps: Iterable[str | int]) -> str:
    """The path, as text, that follows `steps` from `place`."""
    return functools.reduce(child, steps, place)


@functools.lru_cache(maxsize=1024)
def compile_path(text: str) -> Path:
    """Read a JSONPath.

    Raises:
        TypeError: when it is no string.
        ValueError: when it does not begin with `$`, or cannot be read.
    """
    if not isinstance(text, str):
        raise TypeError(f"a JSONPath must be a string such as '$.order.id', but was {render.value(text)} ({type(text).__name__})")
    if not text.startswith("$"):
        shown = render.value(text)
        raise ValueError(
            f"a JSONPath begins with $, but was {shown}: write {render.value('$.' + text)} for a field of the top level"
        )
    if len(text) > LONGEST:
        raise ValueError(f"a JSONPath has at most {LONGEST:,} characters, but this one has {len(text):,}: {render.value(text)}")
    from jsonpath_ng.ext.parser import parse

    try:
        query = parse(text)
    except Exception as error:  # its errors have no common class in all the versions that are supported
        problem = render.words(str(error))
        raise ValueError(f"{render.value(text)} is no JSONPath: {problem} (unusual names are quoted: $['größe'])") from None
    steps = _steps(query)
    return Path(text, steps, _first(query), query)


def follow(value: Any, steps: Sequence[str | int]) -> Any:
    """What stands at the end of `steps`, or `MISSING`."""
    for step in steps:
        if not _holds(value, step):
            return MISSING
        value = value[step]
    return value


def detached(value: Any) -> Any:
    """A copy of JSON-like `value` that may be changed at will; what is no JSON in it stays itself."""
    return mapped(value, lambda leaf: leaf)


def mapped(value: Any, convert: Callable[[Any], Any]) -> Any:
    """A copy of the dicts and lists, with what they hold converted."""
    if type(value) is dict:
        return {key: mapped(item, convert) for key, item in value.items()}
    if type(value) is list:
        return [mapped(item, convert) for item in value]
    return convert(value)


def without(value: Any, places: Iterable[Steps]) -> Any:
    """A copy of JSON-like `value` from which what stands at `places`, below the top, is gone.

    Example:
        >>> without({"id": 1, "order": {"id": 2, "to": "Oslo"}}, [("id",), ("order", "id")])
        {'order': {'to': 'Oslo'}}
    """
    kept = detached(value)
    for steps in places:
        holder = follow(kept, steps[:-1])
        if follow(holder, steps[-1:]) is not MISSING:
            holder[steps[-1]] = MISSING
    return _swept(kept)


def _holds(value: Any, step: str | int) -> bool:
    if isinstance(step, str):
        return type(value) is dict and step in value
    return type(value) is list and -len(value) <= step < len(value)


def _swept(value: Any) -> Any:
    if type(value) is dict:
        return {key: _swept(item) for key, item in value.items() if item is not MISSING}
    if type(value) is list:
        return [_swept(item) for item in value if item is not MISSING]
    return value


@attrs.frozen(eq=False)
class _Shelter:
    """Keeps a query's hands off an object."""

    sheltered: Any


def _sheltered(value: Any) -> Any:
    return mapped(value, lambda leaf: leaf if type(leaf) in SCALARS else _Shelter(leaf))


def _restored(value: Any) -> Any:
    return mapped(value, lambda leaf: leaf.sheltered if isinstance(leaf, _Shelter) else leaf)


def _steps(query: Any) -> Steps | None:
    from jsonpath_ng import Child, Fields, Index, Root, This

    if isinstance(query, (Root, This)):
        return ()
    if isinstance(query, Child):
        left, right = _steps(query.left), _steps(query.right)
        return None if left is None or right is None else left + right
    if isinstance(query, Fields):
        return query.fields if len(query.fields) == 1 and _is_name(query.fields[0]) else None
    if isinstance(query, Index):
        indices = query.indices if hasattr(query, "indices") else (vars(query)["index"],)  # its name in older versions
        return tuple(indices) if len(indices) == 1 else None
    return None


def _first(query: Any) -> str | None:
    from jsonpath_ng import Child, Descendants, Root

    while isinstance(query, (Child, Descendants)):
        if isinstance(query.left, Root):
            steps = _steps(query.right) if isinstance(query, Child) else None
            return steps[0] if steps and isinstance(steps[0], str) else None
        query = query.left
    return None


def _is_name(field_name: Any) -> bool:
    """Whether it stands for one field: older versions read `*` as a field's name, and a key may be anything."""
    return isinstance(field_name, str) and field_name != "*"
