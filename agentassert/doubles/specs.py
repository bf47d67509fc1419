"""Whether a real tool would take the arguments that its double is given."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from agentassert.signatures import signature_of


def _is_number(value: Any) -> bool:
    if isinstance(value, str):
        try:
            float(value)
        except ValueError:
            return False
        return True
    return isinstance(value, (int, float)) and not isinstance(value, bool)


_PLAIN: Final = (str, int, float, bool, list, dict, tuple, set, bytes, type(None))
_KINDS: Final[Mapping[str, Callable[[Any], bool]]] = {
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: _is_number(value) and float(value).is_integer(),
    "number": _is_number,
    "boolean": lambda value: isinstance(value, bool) or (isinstance(value, str) and value.lower() in ("true", "false")),
    "null": lambda value: value is None,
    "array": lambda value: isinstance(value, (list, tuple)),
    "object": lambda value: isinstance(value, Mapping),
}


def schema_complaint(schema: Mapping[str, Any], arguments: Any) -> str | None:
    """Why a tool with this JSON Schema would refuse `arguments`; `None` when it takes them.

    Text that holds a number or a boolean passes for one, since frameworks convert it.

    Example:
        >>> schema = {"properties": {"amount": {"type": "integer"}}, "required": ["amount"]}
        >>> schema_complaint(schema, {"amount": "5"})
        >>> schema_complaint(schema, {"amont": 5})
        "'amount' is missing; 'amont' is none of its parameters ('amount')"
    """
    if not isinstance(arguments, Mapping):
        return f"its arguments must be an object, but were {arguments!r}"
    found = [*_object_complaints(schema, arguments, schema, "", closed=not schema.get("additionalProperties", False))]
    return "; ".join(found) or None


def function_complaint(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str | None:
    """Why a function would refuse to be called like this; `None` when it takes the arguments.

    Example:
        >>> def pay(amount: int): ...
        >>> function_complaint(pay, (), {"amont": 5})
        "missing a required argument: 'amount'"
        >>> function_complaint(pay, ("much",), {})
        "'amount' must be int, but was 'much'"
    """
    signature = signature_of(function)
    if signature is None:
        return None
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        return str(error)
    try:
        hints = typing.get_type_hints(inspect.unwrap(function))
    except Exception:  # annotations that name what is not there at run time
        return None
    found = [
        f"{name!r} must be {_name_of(hints[name])}, but was {value!r}"
        for name, value in bound.arguments.items()
        if name in hints and _has_one_value(signature.parameters[name]) and not _fits(value, hints[name])
    ]
    return "; ".join(found) or None


def _has_one_value(parameter: inspect.Parameter) -> bool:
    return parameter.kind not in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def _fits(value: Any, hint: Any) -> bool:
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        return any(_fits(value, one) for one in typing.get_args(hint))
    if origin is typing.Literal:
        return any(value == one and type(value) is type(one) for one in typing.get_args(hint))
    kind = origin or hint
    if kind not in _PLAIN:
        return True  # whatever a class of the program's own takes for one of its objects
    if kind in (int, float) and isinstance(value, bool):
        return False
    return isinstance(value, (int, float) if kind is float else kind)


def _name_of(hint: Any) -> str:
    return hint.__name__ if isinstance(hint, type) and typing.get_origin(hint) is None else str(hint).replace("typing.", "")


def _complaints(schema: Any, value: Any, root: Mapping[str, Any], path: str) -> Iterable[str]:
    if not isinstance(schema, Mapping):
        return
    schema = _resolved(schema, root)
    choices = schema.get("anyOf") or schema.get("oneOf")
    if choices and all(any(True for _ in _complaints(one, value, root, path)) for one in choices):
        expected = " or ".join(sorted({str(_resolved(one, root).get("type", "another")) for one in choices}))
        yield f"'{path}' must be {expected}, but was {value!r}"
    for one in schema.get("allOf", ()):
        yield from _complaints(one, value, root, path)
    allowed = schema.get("enum") or ([schema["const"]] if "const" in schema else None)
    if allowed is not None and value not in allowed:
        yield f"'{path}' must be one of {', '.join(map(repr, allowed))}, but was {value!r}"
    named = schema.get("type")
    kinds = [named] if isinstance(named, str) else named or []
    if kinds and not any(_KINDS[kind](value) for kind in kinds if kind in _KINDS):
        yield f"'{path}' must be {' or '.join(kinds)}, but was {value!r}"
    elif isinstance(value, Mapping):
        yield from _object_complaints(schema, value, root, path, closed=schema.get("additionalProperties") is False)
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            yield from _complaints(schema.get("items"), item, root, f"{path}[{index}]")


def _object_complaints(
    schema: Mapping[str, Any], value: Mapping[str, Any], root: Mapping[str, Any], path: str, *, closed: bool
) -> Iterable[str]:
    prefix = f"{path}." if path else ""
    properties = schema.get("properties") or {}
    for name in schema.get("required", ()):
        # A strict schema calls everything required, also what has a default, since a model is to give it all the same.
        if name not in value and "default" not in _resolved(properties.get(name, {}), root):
            yield f"'{prefix}{name}' is missing"
    for name, one in value.items():
        if name in properties:
            yield from _complaints(properties[name], one, root, f"{prefix}{name}")
        elif closed:
            there = ", ".join(repr(known) for known in properties) or "it has none"
            yield f"'{prefix}{name}' is none of its parameters ({there})"


def _resolved(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    reference = schema.get("$ref")
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return schema
    found: Any = root
    for key in reference[2:].split("/"):
        found = found.get(key, {}) if isinstance(found, Mapping) else {}
    return found if isinstance(found, Mapping) else {}
