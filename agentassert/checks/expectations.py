"""Turning what a user expects into what can be compared: once, with every mistake named before anything is looked at."""

from __future__ import annotations

import re
import sys
import types
import typing
from collections.abc import Mapping
from enum import Enum
from typing import Any, Final

from agentassert.checks.leaves import Leaf, OwnEquality, Predicate, Regex
from agentassert.checks.paths import child
from agentassert.jsonlike import CIRCULAR, DEEPEST, SCALARS, TOO_DEEP, snapshot

_GENERATED: Final = ("<string>", "<attrs generated")
"""How the file names of the methods begin that dataclasses and attrs write."""

_OF_THE_CLASS: Final = frozenset({*sys.stdlib_module_names, "pydantic"})
"""Packages whose `__eq__` compares what an object holds; a mock's is asked all the same, for there is nothing to convert."""


def prepare(expected: Any, place: str = "$") -> Any:
    """Validate and convert an expected value.

    Enums, dataclasses, dates, models and the like become JSON, as results do. A compiled regex, a callable and an object with its
    own `__eq__` stay what they are, at any depth; a hand-written `__eq__` counts even where the class could be converted.

    Args:
        expected: the value.
        place: the JSONPath that an error names.

    Raises:
        TypeError: for a class or a generic type, which nothing could equal, and for a regex on bytes.
        ValueError: for a value that contains itself or is nested too deep.

    Example:
        >>> import datetime
        >>> prepare({"on": datetime.date(2026, 1, 2), "tags": ("a", "b")})
        {'on': '2026-01-02', 'tags': ['a', 'b']}
        >>> prepare({"amounts": [int]})
        Traceback (most recent call last):
            ...
        TypeError: $.amounts[0] must be a value, but is the class int: write a value, ...
    """
    return _prepared(expected, place, ())


def shown(prepared: Any) -> Any:
    """What the user wrote, as far as it is no JSON."""
    if isinstance(prepared, Leaf):
        return prepared.original()
    if type(prepared) is dict:
        return {key: shown(item) for key, item in prepared.items()}
    if type(prepared) is list:
        return [shown(item) for item in prepared]
    return prepared


def is_json(prepared: Any) -> bool:
    """Whether nothing but JSON is in it."""
    if type(prepared) is dict:
        return all(map(is_json, prepared.values()))
    if type(prepared) is list:
        return all(map(is_json, prepared))
    return type(prepared) in SCALARS


def _prepared(value: Any, place: str, above: tuple[int, ...]) -> Any:
    kind = type(value)
    if kind in SCALARS or isinstance(value, Leaf):
        return value
    if id(value) in above or value is CIRCULAR:
        raise ValueError(f"{place} contains itself, so it can be compared with nothing")
    if len(above) >= DEEPEST or value is TOO_DEEP:
        raise ValueError(f"{place} is nested deeper than {DEEPEST} levels, deeper than anything that is recorded")
    if (leaf := _leaf(value, place)) is not None:
        return leaf
    above = (*above, id(value))
    if isinstance(value, Mapping):
        return {(key := _key(name)): _prepared(item, child(place, key), above) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_prepared(item, child(place, index), above) for index, item in enumerate(value)]
    converted = snapshot(value)
    if converted is not value:
        return _prepared(converted, place, above)
    equality: Any = kind.__eq__
    return value if equality is object.__eq__ or kind is bytes else OwnEquality(value)


def _leaf(value: Any, place: str) -> Leaf | None:
    if isinstance(value, type):
        raise TypeError(f"{place} must be a value, but is the class {value.__name__}: {_advice(value)}")
    if typing.get_origin(value) is not None:
        raise TypeError(f"{place} must be a value, but is the type {value!r}: write a value, or a predicate that checks the type")
    if isinstance(value, re.Pattern):
        if isinstance(value.pattern, bytes):
            raise TypeError(f"{place} is searched for in text, but {value!r} is a regex on bytes: write it without the b")
        return Regex(value)
    if _has_handwritten_equality(type(value)):
        return OwnEquality(value)
    return Predicate(value) if callable(value) else None


def _advice(kind: type) -> str:
    if _has_handwritten_equality(kind):
        return f"write {kind.__name__}()"
    return f"write a value, or a predicate such as `lambda value: isinstance(value, {kind.__name__})`"


def _has_handwritten_equality(kind: type) -> bool:
    """Whether somebody wrote an `__eq__` for it, to match what he likes, rather than it being part of what the class holds."""
    owner = next(ancestor for ancestor in kind.__mro__ if "__eq__" in vars(ancestor))
    method = vars(owner)["__eq__"]
    return (
        isinstance(method, types.FunctionType)
        and method.__module__.partition(".")[0] not in _OF_THE_CLASS
        and not method.__code__.co_filename.startswith(_GENERATED)
    )


def _key(name: Any) -> Any:
    if isinstance(name, Enum):
        return _key(name.value)
    return str.__str__(name) if isinstance(name, str) else name
