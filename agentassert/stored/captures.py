"""A capture as JSON text: versioned, complete, and strict about what it reads.

Invocations are written as one list, each after the one that it is nested in, so that their depth does not matter.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, Never

import attrs

from agentassert.jsonlike import repeated
from agentassert.records import Invocation
from agentassert.render import value as rendered
from agentassert.stored.fields import dump_fields, forms_of, load_fields, made
from agentassert.stored.values import refuse

VERSION: Final = 1
"""The format that this release writes, and the only one that it reads."""

VERSION_KEY: Final = "agentassert"
"""The key by which a stored capture is known, and the first one that is written."""
_PARENT: Final = "nested_in"
"""The place in the list of the invocation that this one is nested in; null for one that is not nested."""


@attrs.frozen(kw_only=True)
class StoredCapture:
    """What a capture keeps when it is stored.

    Args:
        name: the name given to the capture.
        invocations: the top-level invocations, in the order started.
        strays: what was recorded outside every invocation, as one of its own.
        visibility: the names of adapters, and what each of them is able to see.
        late: events that came too late; `adopted`: were given to the only capture; `unattributed`: found no place.
        notes: doubts in words.
        faults: errors of this library's own hooks, in words.
        error: what left the block.

    Example:
        >>> stored = StoredCapture(invocations=(Invocation(id="1", name="support"),))
        >>> loads(dumps(stored)) == stored
        True
    """

    name: str | None = None
    invocations: tuple[Invocation, ...] = ()
    strays: Invocation | None = None
    visibility: Mapping[str, frozenset[str]] = attrs.field(factory=dict)
    late: int = 0
    adopted: int = 0
    unattributed: int = 0
    notes: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    error: BaseException | str | None = None


_TREES: Final = ("invocations", "strays")
_FIELDS: Final = {name: form for name, form in forms_of(StoredCapture).items() if name not in _TREES}
_NODE: Final = {name: form for name, form in forms_of(Invocation).items() if name != "nested_invocations"}


def dumps(stored: StoredCapture) -> str:
    """Write a capture as JSON text, in ASCII.

    JSON values are kept exactly, also those that JSON has no word for: NaN, keys that are no text, lone surrogates. Of any other
    value the class and its text are kept, and of an exception what :class:`~agentassert.stored.recorded_errors.RecordedError` has.

    Raises:
        TypeError: when a record holds a value that is not of its field's type.

    Example:
        >>> dumps(StoredCapture(name="refund"))[:38]
        '{"agentassert":1,"name":"refund","visi'
    """
    strays = () if stored.strays is None else (stored.strays,)
    document = {
        VERSION_KEY: VERSION,
        **dump_fields(stored, _FIELDS),
        "invocations": list(_dump_trees(stored.invocations)),
        "strays": list(_dump_trees(strays)),
    }
    return json.dumps(document, allow_nan=False, separators=(",", ":"))


def loads(text: str | bytes) -> StoredCapture:
    """Read what :func:`dumps` wrote.

    Args:
        text: JSON text, or its bytes in UTF-8.

    Raises:
        TypeError: when it is neither.
        ValueError: when it is no JSON, of another version, or not of the form that is written; the message names the place.

    Example:
        >>> loads('{"agentassert": 2}')
        Traceback (most recent call last):
        ValueError: $.agentassert: the capture was stored in format 2, but this release reads format 1: upgrade agentassert
    """
    if not isinstance(text, (str, bytes)):
        raise TypeError(f"a stored capture is a text or bytes, but was {rendered(text)}")
    try:
        return _loaded(_parsed(text))
    except RecursionError:
        raise ValueError("$: nested too deeply for a stored capture") from None


def object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object that a JSON parser found, as its `object_pairs_hook`.

    Raises:
        ValueError: when a key is there twice: one of its values would be dropped without a word.

    Example:
        >>> json.loads('{"name": "a", "name": "b"}', object_pairs_hook=object_of)
        Traceback (most recent call last):
        ValueError: an object has the key 'name' twice
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError(f"an object has the key {rendered(repeated(key for key, _ in pairs))} twice")
    return found


def _parsed(text: str | bytes) -> Any:
    try:
        return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=object_of)
    except json.JSONDecodeError as error:
        problem = f"{error.msg} in line {error.lineno}, column {error.colno}"
    except UnicodeDecodeError as error:
        problem = f"{error.reason} at byte {error.start}"
    except ValueError as error:
        problem = str(error)
    raise ValueError(f"a stored capture is JSON text in UTF-8, but: {problem}")


def _loaded(document: Any) -> StoredCapture:
    if not isinstance(document, dict) or VERSION_KEY not in document:
        refuse(f"$.{VERSION_KEY}", "is missing, so this is no stored capture")
    version = document.pop(VERSION_KEY)
    if version != VERSION or type(version) is not int:
        newer = type(version) is int and version > VERSION
        advice = ": upgrade agentassert" if newer else ""
        refuse(
            f"$.{VERSION_KEY}",
            f"the capture was stored in format {rendered(version)}, but this release reads format {VERSION}{advice}",
        )
    trees = {name: document.pop(name) for name in _TREES if name in document}
    for name in _TREES:
        if name not in trees:
            refuse(f"$.{name}", "is missing")
    fields = load_fields(StoredCapture, document, "$", _FIELDS)
    strays = _load_trees(trees["strays"], "$.strays")
    if len(strays) > 1:
        refuse("$.strays", f"holds one invocation at most, but was {len(strays)}")
    invocations = _load_trees(trees["invocations"], "$.invocations")
    return StoredCapture(
        **fields,
        invocations=invocations,
        strays=strays[0] if strays else None,
    )


def _dump_trees(roots: tuple[Invocation, ...]) -> Iterator[dict[str, Any]]:
    waiting: list[tuple[Invocation, int | None]] = [(root, None) for root in reversed(roots)]
    place = 0
    while waiting:
        invocation, parent = waiting.pop()
        yield {_PARENT: parent, **dump_fields(invocation, _NODE)}
        waiting += [(nested, place) for nested in reversed(invocation.nested_invocations)]
        place += 1


def _load_trees(stored: Any, path: str) -> tuple[Invocation, ...]:
    if not isinstance(stored, list):
        refuse(path, f"must be a list, but was {rendered(stored)}")
    nodes = [_load_node(node, index, f"{path}[{index}]") for index, node in enumerate(stored)]
    nested: list[list[Invocation]] = [[] for _ in nodes]
    roots: list[Invocation] = []
    # Backwards, because a record is frozen: what is nested in it must be there first.
    for index, (parent, fields) in reversed(list(enumerate(nodes))):
        fields["nested_invocations"] = tuple(reversed(nested[index]))
        (roots if parent is None else nested[parent]).append(made(Invocation, fields, f"{path}[{index}]"))
    return tuple(reversed(roots))


def _load_node(node: Any, index: int, path: str) -> tuple[int | None, dict[str, Any]]:
    if not isinstance(node, dict):
        refuse(path, f"must be an object, but was {rendered(node)}")
    if _PARENT not in node:
        refuse(f"{path}.{_PARENT}", "is missing")
    parent = node.pop(_PARENT)
    if parent is not None and (type(parent) is not int or not 0 <= parent < index):
        refuse(f"{path}.{_PARENT}", f"must be the place of an earlier invocation or null, but was {rendered(parent)}")
    return parent, load_fields(Invocation, node, path, _NODE)


def _refuse_constant(constant: str) -> Never:
    raise ValueError(f"{constant} is no JSON value")
