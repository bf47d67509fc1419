"""Values as JSON text can keep them: what JSON knows comes back exactly, anything else as a note of what it was."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, Final, Never

import attrs

from agentassert.jsonlike import DEEPEST, SCALARS
from agentassert.records import NOT_RECORDED
from agentassert.render import value as rendered
from agentassert.render import words
from agentassert.stored.recorded_errors import qualified_name
from agentassert.text.pieces import MOST_BITS

MARK: Final = "$agentassert"
"""The key of an object that stands for something JSON does not know; a mapping that has this key itself is written as pairs."""

_LONGEST_PLACE: Final = 400
_LONGEST_KEY: Final = 100
"""Characters of a key that a place has: it is made for everything below the key, needed or not."""

_SPLIT_PAIR: Final = re.compile("(?<=[\ud800-\udbff])(?=[\udc00-\udfff])")
"""Between two lone surrogates that a JSON reader would join to one character."""

_NUMBERS: Final = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


@attrs.frozen(eq=False, repr=False)
class NotJson:
    """Stands in a loaded capture for a value that was no JSON; equal to nothing but itself.

    Args:
        type_name: `module.qualname` of the value's class.
        text: the value as messages show it, secrets masked.

    Example:
        >>> NotJson("shop.Client", "<Client eu>")
        <not stored: shop.Client <Client eu>>
        >>> NotJson("shop.Client", "<Client eu>") == NotJson("shop.Client", "<Client eu>")
        False
    """

    type_name: str
    text: str

    def __repr__(self) -> str:
        return f"<not stored: {self.type_name} {self.text}>"


def refuse(path: str, problem: str) -> Never:
    """Refuse what was read, naming its place as a JSONPath, parts of which may come out of a hostile file."""
    raise ValueError(f"{words(path, _LONGEST_PLACE)}: {problem}")


def dump_value(value: Any) -> Any:
    """The value in terms that `json.dumps` writes without loss.

    Example:
        >>> dump_value({"a": [1, None]}), dump_value(float("inf"))
        ({'a': [1, None]}, {'$agentassert': 'number', 'value': 'Infinity'})
        >>> dump_value({3: "x"})
        {'$agentassert': 'mapping', 'items': [[3, 'x']]}
    """
    return _dumped(value, ())


def load_value(stored: Any, path: str) -> Any:
    """What :func:`dump_value` was given, or a :class:`NotJson` for it.

    Args:
        stored: as `json.loads` read it.
        path: its place, for the error.

    Raises:
        ValueError: when it is marked as something that this module does not write.

    Example:
        >>> load_value({"$agentassert": "mapping", "items": [[3, "x"]]}, "$")
        {3: 'x'}
    """
    if isinstance(stored, list):
        return [item if type(item) in SCALARS else load_value(item, f"{path}[{index}]") for index, item in enumerate(stored)]
    if not isinstance(stored, dict):
        return stored
    if MARK in stored:
        return _load_marked(stored, path)
    if all(type(item) in SCALARS for item in stored.values()):
        return stored  # as it is: a copy of it would take its room a second time
    return {
        key: item if type(item) in SCALARS else load_value(item, f"{path}.{key[:_LONGEST_KEY]}") for key, item in stored.items()
    }


def _dumped(value: Any, above: tuple[int, ...]) -> Any:
    kind = type(value)
    if kind is str:
        return _dump_text(value)
    if kind is float:
        return value if math.isfinite(value) else {MARK: "number", "value": _number_name(value)}
    if kind is int and value.bit_length() > MOST_BITS:
        return {MARK: "integer", "value": hex(value)}
    if kind in SCALARS:
        return value
    if kind in {dict, list} and len(above) < DEEPEST and id(value) not in above:
        within = (*above, id(value))
        return _dump_mapping(value, within) if kind is dict else [_dumped(item, within) for item in value]
    if value is NOT_RECORDED:
        return {MARK: "not recorded"}
    if kind is NotJson:
        return {MARK: "not JSON", "type": value.type_name, "text": value.text}
    return {MARK: "not JSON", "type": qualified_name(kind), "text": rendered(value)}


def _dump_text(text: str) -> Any:
    parts = _SPLIT_PAIR.split(text)
    return text if len(parts) == 1 else {MARK: "text", "parts": parts}


def _dump_mapping(mapping: dict[Any, Any], within: tuple[int, ...]) -> Any:
    items = [[_dumped(key, within), _dumped(value, within)] for key, value in mapping.items()]
    if all(type(key) is str and key != MARK for key, _ in items):
        return dict(items)
    return {MARK: "mapping", "items": items}


def _number_name(value: float) -> str:
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _load_marked(stored: dict[str, Any], path: str) -> Any:
    kind = stored[MARK]
    known = _MARKED.get(kind) if isinstance(kind, str) else None
    if known is None:
        refuse(f"{path}['{MARK}']", f"{rendered(kind)} is none of {', '.join(map(repr, _MARKED))}")
    load, names = known
    if stored.keys() != {MARK, *names}:
        refuse(path, f"what is marked as {kind!r} has the keys {', '.join(map(repr, names))}, but here are {_named(stored)}")
    return load(path, *(stored[name] for name in names))


def _load_number(path: str, value: Any) -> float:
    if not isinstance(value, str) or value not in _NUMBERS:
        refuse(path, f"{rendered(value)} is none of {', '.join(map(repr, _NUMBERS))}")
    return _NUMBERS[value]


def _load_integer(path: str, value: Any) -> int:
    if not isinstance(value, str) or not re.fullmatch(r"-?0x[0-9a-f]+", value):
        refuse(path, f"{rendered(value)} is no hexadecimal integer")
    return int(value, 16)


def _load_text(path: str, parts: Any) -> str:
    if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
        refuse(path, f"the parts of a text are texts, but were {rendered(parts)}")
    return "".join(parts)


def _load_mapping(path: str, items: Any) -> dict[Any, Any]:
    if not isinstance(items, list) or not all(isinstance(item, list) and len(item) == 2 for item in items):  # noqa: PLR2004
        refuse(path, f"the items of a mapping are pairs, but were {rendered(items)}")
    loaded = {}
    for index, (key, item) in enumerate(items):
        loaded_key = load_value(key, f"{path}.items[{index}][0]")
        if isinstance(loaded_key, (dict, list)):
            refuse(f"{path}.items[{index}][0]", f"{rendered(loaded_key)} can be no key")
        loaded[loaded_key] = load_value(item, f"{path}.items[{index}][1]")
    return loaded


def _load_not_recorded(_: str) -> Any:
    return NOT_RECORDED


def _load_not_json(path: str, type_name: Any, text: Any) -> NotJson:
    if not isinstance(type_name, str) or not isinstance(text, str):
        refuse(path, "`type` and `text` of what was not JSON are texts")
    return NotJson(type_name, text)


def _named(stored: dict[str, Any]) -> str:
    return ", ".join(rendered(key) for key in stored if key != MARK) or "none"


_MARKED: Final[dict[str, tuple[Callable[..., Any], tuple[str, ...]]]] = {
    "number": (_load_number, ("value",)),
    "integer": (_load_integer, ("value",)),
    "text": (_load_text, ("parts",)),
    "mapping": (_load_mapping, ("items",)),
    "not recorded": (_load_not_recorded, ()),
    "not JSON": (_load_not_json, ("type", "text")),
}
