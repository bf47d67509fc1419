"""Reading attributes whose names and forms differ from writer to writer.

Structured values are JSON text in one place, arrays and mappings in another, and spread over names such as
`llm.input_messages.0.message.role` in a third.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from agentassert.jsonlike import decode

Attributes = Mapping[str, Any]

_ABSENT: Final = frozenset({"", "<not specified>"})
_LONGEST_INDEX: Final = 18
"""Digits: names of more are no places in a list, and of many more no numbers that Python reads."""

_NEAR_THE_END: Final = 8
"""Characters within which a JSON text that was cut off stops making sense: those of half an escape sequence."""


def first(attributes: Attributes, *names: str) -> Any:
    """The value under the first of these names that is there; `None` without one.

    Example:
        >>> first({"gen_ai.system": "openai"}, "gen_ai.provider.name", "gen_ai.system")
        'openai'
    """
    for name in names:
        value = attributes.get(name)
        if value is not None:
            return value
    return None


def text(attributes: Attributes, *names: str) -> str | None:
    """The first of these that is a text and says something.

    Example:
        >>> text({"gen_ai.tool.call.id": "<not specified>", "tool.id": "c1"}, "gen_ai.tool.call.id", "tool.id")
        'c1'
    """
    for name in names:
        value = attributes.get(name)
        if isinstance(value, str) and value not in _ABSENT:
            return value
    return None


def count(attributes: Attributes, *names: str) -> int | None:
    """The first of these that is a number of things.

    Example:
        >>> count({"gen_ai.usage.input_tokens": 11.0}, "gen_ai.usage.input_tokens")
        11
    """
    for name in names:
        value = attributes.get(name)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if type(value) is int and value >= 0:
            return value
    return None


def structured(attributes: Attributes, *names: str) -> Any:
    """The first of these, as JSON-like data, in whichever form it was written; `None` without one.

    Example:
        >>> structured({"llm.tools.0.tool.name": "a", "llm.tools.1.tool.name": "b"}, "llm.tools")
        [{'tool': {'name': 'a'}}, {'tool': {'name': 'b'}}]
        >>> structured({"gen_ai.tool.definitions": '[{"name": "a"}]'}, "gen_ai.tool.definitions")
        [{'name': 'a'}]
    """
    for name in names:
        value = attributes.get(name)
        if value is None:
            value = _spread(attributes, f"{name}.")
        if value is not None:
            return decode(value) if isinstance(value, str) else nested(value)
    return None


def nested(value: Any) -> Any:
    """Mappings with dotted names as mappings of mappings, and those whose names are numbers as lists.

    Example:
        >>> nested([{"message.role": "user", "message.contents.0.text": "hi"}])
        [{'message': {'role': 'user', 'contents': [{'text': 'hi'}]}}]
    """
    if isinstance(value, (list, tuple)):
        return [nested(item) for item in value]
    return _from_names(value) if isinstance(value, Mapping) else value


def flattened(value: Mapping[str, Any]) -> dict[str, Any]:
    """Mappings of mappings as one mapping with dotted names, as spans have them; lists stay.

    Example:
        >>> flattened({"gen_ai": {"tool": {"name": "search"}}, "openinference.span.kind": "TOOL"})
        {'gen_ai.tool.name': 'search', 'openinference.span.kind': 'TOOL'}
    """
    return dict(_leaves(value))


def is_cut_off(value: Any) -> bool:
    """Whether a text is the beginning of a JSON object or list and no more.

    Example:
        >>> is_cut_off('{"order": {"to": {"ci'), is_cut_off('{"order": 1}'), is_cut_off("{'order': 1}"), is_cut_off("ok")
        (True, False, False, False)
    """
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[")):
        return False
    try:
        json.loads(value)
    except json.JSONDecodeError as error:
        return error.msg.startswith("Unterminated string") or error.pos >= len(value.rstrip()) - _NEAR_THE_END
    except (ValueError, RecursionError):  # an integer of more digits than Python reads
        return False
    return False


def _spread(attributes: Attributes, prefix: str) -> Any:
    found = {name[len(prefix) :]: value for name, value in attributes.items() if name.startswith(prefix)}
    return found or None


def _from_names(mapping: Mapping[Any, Any]) -> Any:
    tree: dict[str, Any] = {}
    for name, value in mapping.items():
        *path, last = str(name).split(".")
        place = tree
        for step in path:
            inner = place.setdefault(step, {})
            if not isinstance(inner, dict):
                inner = place[step] = {"": inner}
            place = inner
        place[last] = nested(value)
    return _lists(tree)


def _lists(tree: Any) -> Any:
    if not isinstance(tree, dict):
        return tree
    inner = {name: _lists(value) for name, value in tree.items()}
    if inner and all(name.isdecimal() and len(name) <= _LONGEST_INDEX for name in inner):
        return [inner[name] for name in sorted(inner, key=int)]
    return inner


def _leaves(mapping: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in mapping.items():
        if isinstance(value, Mapping) and value:
            yield from _leaves(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value
