"""Values as JSON knows them: a detached copy of what an agent passed around, comparable and safe to keep.

What JSON cannot hold (an open file, a client, a callable) is kept by reference: nothing is lost, and nothing is called that could
have a side effect.
"""

from __future__ import annotations

import datetime
import enum
import json
import os
import sys
from collections.abc import Iterable, Mapping
from typing import Any, Final

DEEPEST: Final = 100
"""Levels of nesting that a snapshot follows; below them stands :data:`TOO_DEEP`."""

SCALARS: Final[frozenset[type]] = frozenset({str, int, float, bool, type(None)})

_WRITTEN_OUT: Final = (("uuid", "UUID"), ("decimal", "Decimal"))


class _Cut:
    """Stands for what a snapshot could not follow; equal to nothing but itself."""

    __slots__ = ("_words",)

    def __init__(self, words: str) -> None:
        self._words = words

    def __repr__(self) -> str:
        return self._words

    def __copy__(self) -> _Cut:
        return self

    def __deepcopy__(self, _: object) -> _Cut:
        return self


CIRCULAR: Final = _Cut("<circular reference>")
TOO_DEEP: Final = _Cut(f"<nested deeper than {DEEPEST} levels>")


def snapshot(value: Any) -> Any:
    """A detached copy of `value` in terms of `dict`, `list`, `str`, `int`, `float`, `bool` and `None`.

    Models, dataclasses, attrs classes, enums, dates, UUIDs, decimals and paths are converted; anything else stays as it is.
    Never raises: an object that cannot be converted is kept by reference.

    Example:
        >>> import datetime
        >>> snapshot({"on": datetime.date(2026, 1, 2), "tags": ("a", "b")})
        {'on': '2026-01-02', 'tags': ['a', 'b']}
    """
    kind = type(value)
    if kind in SCALARS:
        return value
    if kind is dict and (copy := flat_copy(value)) is not None:
        return copy
    return _convert(value, [])


def flat_copy(value: dict[Any, Any]) -> dict[str, Any] | None:
    """A copy of a dictionary that holds texts, numbers, booleans and `None` under texts; `None` of any other.

    Example:
        >>> flat_copy({"id": 7}), flat_copy({"ids": [7]})
        ({'id': 7}, None)
    """
    copy = value.copy()  # first, since another thread may change the dictionary meanwhile
    for key, item in copy.items():
        if type(item) not in SCALARS or type(key) is not str:
            return None
    return copy


def repeated(names: Iterable[str]) -> str | None:
    """The first of these names that was there before; `None` when each is there once.

    Example:
        >>> repeated(["a", "b", "a"]), repeated(["a", "b"])
        ('a', None)
    """
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def is_too_deep(value: Any) -> bool:
    """Whether more than :data:`DEEPEST` lists and objects lie in each other, found without following them by calls.

    Example:
        >>> is_too_deep({"a": [{}]})
        False
    """
    layer = [value]
    for _ in range(DEEPEST + 1):
        containers = {id(one): one for one in layer if isinstance(one, (dict, list))}  # each once, since one may hold itself
        if not containers:
            return False
        layer = [inner for one in containers.values() for inner in (one.values() if isinstance(one, dict) else one)]
    return True


def decode(text: str) -> Any:
    """The value that a JSON text stands for, or the text itself when it is none.

    Example:
        >>> decode('{"id": 7}'), decode("12"), decode("ok"), decode("NaN")
        ({'id': 7}, 12, 'ok', 'NaN')
    """
    try:
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return text


def _refuse(constant: str) -> Any:
    raise ValueError(constant)


def _convert(value: Any, path: list[int]) -> Any:
    kind = type(value)
    if kind in SCALARS:
        return value
    if id(value) in path:
        return CIRCULAR
    if len(path) >= DEEPEST:
        return TOO_DEEP
    path.append(id(value))
    try:
        if kind is dict:  # the two that JSON itself has come first: nearly everything that agents pass around is one
            return {_key(key): _convert(item, path) for key, item in list(value.items())}  # a list: another thread may add one
        if kind is list:
            return [_convert(item, path) for item in value]
        return _converted(value, kind, path)
    except Exception:  # a hostile object must not break the agent: it is kept as it is
        return value
    finally:
        path.pop()


def _converted(value: Any, kind: type, path: list[int]) -> Any:
    if isinstance(value, enum.Enum):
        return _convert(value.value, path)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int.__int__(value)
    if isinstance(value, float):
        return float.__float__(value)
    if isinstance(value, Mapping):
        return {_key(key): _convert(item, path) for key, item in list(value.items())}  # a list: another thread may add one
    if isinstance(value, (list, tuple)):
        return [_convert(item, path) for item in value]
    if isinstance(value, (set, frozenset)):
        return _ordered([_convert(item, path) for item in value])
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if _is_written_out(value):
        return str(value)
    if isinstance(value, os.PathLike) and hasattr(kind, "parts"):  # a path of pathlib; a mock has every special method
        return os.fspath(value)
    if isinstance(value, type):
        return value
    return _fields(value, kind, path)


def _is_written_out(value: Any) -> bool:
    """Whether it is a UUID or a decimal, which nothing is as long as nobody has imported their modules."""
    loaded = (getattr(sys.modules.get(module), name, None) for module, name in _WRITTEN_OUT)
    return any(kind is not None and isinstance(value, kind) for kind in loaded)


def _key(key: Any) -> Any:
    if type(key) is str:
        return key
    if isinstance(key, enum.Enum):
        return _key(key.value)
    return str.__str__(key) if isinstance(key, str) else key


def _ordered(items: list[Any]) -> list[Any]:
    try:
        return sorted(items)
    except TypeError:
        return sorted(items, key=repr)


def _fields(value: Any, kind: type, path: list[int]) -> Any:
    if hasattr(kind, "model_dump"):
        return _convert(_dumped(value), path)
    names: Iterable[str] | None = None
    if hasattr(kind, "__attrs_attrs__"):
        names = [field.name for field in kind.__attrs_attrs__]
    elif hasattr(kind, "__dataclass_fields__"):
        names = kind.__dataclass_fields__
    if names is not None:
        return {name: _convert(getattr(value, name), path) for name in names if hasattr(value, name)}
    if kind.__module__ == "numpy" and hasattr(kind, "item") and not getattr(value, "shape", None):
        return _convert(value.item(), path)
    return value


def _dumped(model: Any) -> Any:
    try:
        return model.model_dump(mode="json")
    except Exception:  # a field without a JSON form: its neighbours still have one
        return model.model_dump()
