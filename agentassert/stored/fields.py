"""How each kind of record field is written as JSON, and read back: decided by the field's type, once for each record class."""

from __future__ import annotations

import enum
import functools
import json
import types
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, Final, Literal, Never, Union, get_args, get_origin, get_type_hints

import attrs

from agentassert.jsonlike import SCALARS, snapshot
from agentassert.records import KIND_OF_CALL, ModelCall
from agentassert.render import value as rendered
from agentassert.stored.errors import dump_error, load_error
from agentassert.stored.values import dump_value, load_value, refuse


@attrs.frozen
class Form:
    """How values of one type are stored.

    Args:
        dump: gives what `json.dumps` is to write; it raises `TypeError` for a value that is not of the type.
        load: reads that back; its second argument is the place, for the `ValueError` that it raises for anything else.
        same: the types of stored values that are what they stand for. `load` gives them back, and need not be asked.
    """

    dump: Callable[[Any], Any]
    load: Callable[[Any, str], Any]
    same: frozenset[type] = frozenset()


def form_of(hint: Any) -> Form:
    """How a field of this type is stored.

    Args:
        hint: the type as `typing.get_type_hints` gives it.

    Raises:
        TypeError: when a record has a field of a type that has no form yet.

    Example:
        >>> form = form_of(tuple[int, ...])
        >>> form.dump((1, 2)), form.load([1, 2], "$.sizes")
        ([1, 2], (1, 2))
    """
    origin, arguments = get_origin(hint), get_args(hint)
    if hint is Any:
        return _ANYTHING
    if origin in {Union, types.UnionType}:
        return _ERROR if BaseException in arguments else _union(arguments)
    if origin is tuple:
        return _list(tuple, form_of(arguments[0]), tuple)
    if origin is frozenset:
        return _list(frozenset, form_of(arguments[0]), sorted)
    if origin is Mapping:
        return _JSON_MAPPING if arguments[1] is Any else _mapping(form_of(arguments[1]))
    if isinstance(hint, type):
        return _form_of_class(hint)
    raise TypeError(f"a field of type {hint!r} cannot be stored")


@functools.cache
def forms_of(kind: type) -> Mapping[str, Form]:
    """The form of each field of a record class; what takes no part in equality is no content, and not stored.

    Example:
        >>> from agentassert import TokenUsage
        >>> list(forms_of(TokenUsage))
        ['input_tokens', 'output_tokens', 'total_tokens']
    """
    hints = get_type_hints(kind)
    return {field.name: form_of(hints[field.name]) for field in attrs.fields(kind) if field.eq}


def dump_fields(record: Any, forms: Mapping[str, Form]) -> dict[str, Any]:
    """These fields of a record, as an object.

    Raises:
        TypeError: when the value of one is not of its type, naming the field.

    Example:
        >>> from agentassert import TokenUsage
        >>> dump_fields(TokenUsage(input_tokens=3), forms_of(TokenUsage))
        {'input_tokens': 3, 'output_tokens': None, 'total_tokens': None}
    """
    stored = {}
    for name, form in forms.items():
        try:
            stored[name] = form.dump(getattr(record, name))
        except TypeError as refused:
            raise TypeError(f"{type(record).__name__}.{name}: {refused}") from None
    return stored


def load_fields(kind: type, stored: Any, path: str, forms: Mapping[str, Form]) -> dict[str, Any]:
    """Read what :func:`dump_fields` gave, to be passed to :func:`made`.

    Raises:
        ValueError: when a field is missing, unknown or of another form, naming its place.

    Example:
        >>> from agentassert import TokenUsage
        >>> load_fields(TokenUsage, {"input_tokens": "3"}, "$.usage", forms_of(TokenUsage))
        Traceback (most recent call last):
        ValueError: $.usage.output_tokens: is missing
    """
    if not isinstance(stored, dict):
        refuse(path, f"must be an object, but was {rendered(stored)}")
    if stored.keys() != forms.keys():
        _refuse_fields(kind, stored, path, forms)
    loaded: dict[str, Any] = {}
    for name, form in forms.items():
        value = stored[name]
        if name in _AS_BEFORE and _is_same(value, stored[_AS_BEFORE[name]]):
            loaded[name] = loaded[_AS_BEFORE[name]]
        else:
            loaded[name] = value if type(value) in form.same else form.load(value, f"{path}.{name}")
    return loaded


def made(kind: type, fields: Mapping[str, Any], path: str) -> Any:
    """The record with these fields.

    Raises:
        ValueError: when the record's own validation refuses them, naming its place.

    Example:
        >>> from agentassert import TokenUsage
        >>> made(TokenUsage, {"input_tokens": -3}, "$.usage")
        Traceback (most recent call last):
        ValueError: $.usage: input_tokens must be a number of tokens, 0 or more, or None for not reported, but was -3
    """
    try:
        return kind(**fields)
    except ValueError as refused:
        refuse(path, str(refused))


def _is_same(one: Any, other: Any) -> bool:
    """Whether two stored values are the same to the kind of each number, which `==` does not tell apart."""
    return type(one) is type(other) and one == other and (type(one) is str or json.dumps(one) == json.dumps(other))


def _refuse_fields(kind: type, stored: Mapping[str, Any], path: str, forms: Mapping[str, Form]) -> Never:
    missing = next((name for name in forms if name not in stored), None)
    if missing is not None:
        refuse(f"{path}.{missing}", "is missing")
    unknown = next(name for name in stored if name not in forms)
    refuse(f"{path}.{unknown}", f"is no field of {kind.__name__}, which has {', '.join(forms)}")


def _form_of_class(kind: type) -> Form:
    if issubclass(kind, enum.Enum):
        return Form(lambda value: _checked(kind, value).value, lambda stored, path: _load_member(kind, stored, path))
    if kind is datetime:
        return Form(lambda value: _checked(datetime, value).isoformat(), _load_datetime)
    if kind in _SCALARS:
        return Form(
            lambda value: _dump_scalar(kind, value), lambda stored, path: _load_scalar(kind, stored, path), _SCALARS[kind][1]
        )
    if kind is ModelCall:
        return Form(_dump_call, _load_call)
    if not attrs.has(kind):
        raise TypeError(f"a field of type {kind.__name__} cannot be stored")

    def load(stored: Any, path: str) -> Any:
        return made(kind, load_fields(kind, stored, path, forms_of(kind)), path)

    return Form(lambda value: dump_fields(_checked(kind, value), forms_of(kind)), load)


def _checked(kind: type, value: Any) -> Any:
    if not isinstance(value, kind):
        raise TypeError(f"must be a {kind.__name__}, but was {rendered(value)}")
    return value


def _dump_scalar(kind: type, value: Any) -> Any:
    words, plain_kinds = _SCALARS[kind]
    plain = value if type(value) in plain_kinds else snapshot(value)
    if type(plain) not in plain_kinds:
        raise TypeError(f"must be {words}, but was {rendered(value)}")
    return dump_value(plain)


def _load_scalar(kind: type, stored: Any, path: str) -> Any:
    value = load_value(stored, path)
    if type(value) not in _SCALARS[kind][1]:
        refuse(path, f"must be {_SCALARS[kind][0]}, but was {rendered(value)}")
    return value


def _load_member(kind: type[enum.Enum], stored: Any, path: str) -> enum.Enum:
    try:
        return kind(stored)
    except ValueError:
        known = ", ".join(repr(member.value) for member in kind)
        refuse(path, f"{rendered(stored)} is no {kind.__name__}; one of {known}")


def _load_datetime(stored: Any, path: str) -> datetime:
    try:
        return datetime.fromisoformat(stored)
    except (TypeError, ValueError):
        refuse(path, f"must be a date and time in ISO form, but was {rendered(stored)}")


def _dump_call(call: Any) -> dict[str, Any]:
    kind: type = type(call)
    if kind not in _CALL_OF_KIND.values():
        raise TypeError(f"must be a model call of a kind that is known, but was {rendered(call)}")
    return {"kind": call.kind, **dump_fields(call, forms_of(kind))}


def _load_call(stored: Any, path: str) -> ModelCall:
    if not isinstance(stored, dict):
        refuse(path, f"must be an object, but was {rendered(stored)}")
    name = stored.get("kind")
    if not isinstance(name, str) or name not in _CALL_OF_KIND:
        refuse(f"{path}.kind", f"must be one of {', '.join(map(repr, _CALL_OF_KIND))}, but was {rendered(name)}")
    kind: type = _CALL_OF_KIND[name]
    fields = {name: value for name, value in stored.items() if name != "kind"}
    call: ModelCall = made(kind, load_fields(kind, fields, path, forms_of(kind)), path)
    return call


def _union(hints: tuple[Any, ...]) -> Form:
    """`X | None`, or a constant beside a type: the constant is written as its value."""
    literals = {get_args(hint)[0] for hint in hints if get_origin(hint) is Literal}
    others = [hint for hint in hints if get_origin(hint) is not Literal and hint is not type(None)]
    if len(others) != 1:
        raise TypeError(f"a field of type {' | '.join(map(str, hints))} cannot be stored")
    form = form_of(others[0])
    if type(None) in hints:
        form = _or_constant(None, None, form)
    for constant in literals:
        form = _or_constant(constant, constant.value, form)
    return form


def _or_constant(constant: Any, written: Any, form: Form) -> Form:
    return Form(
        lambda value: written if value is constant else form.dump(value),
        lambda stored, path: constant if stored == written else form.load(stored, path),
        form.same | {type(None)} if constant is None else form.same - {type(written)},
    )


def _list(kind: type, item: Form, ordered: Callable[[Any], Iterable[Any]]) -> Form:
    def load(stored: Any, path: str) -> Any:
        if not isinstance(stored, list):
            refuse(path, f"must be a list, but was {rendered(stored)}")
        return kind(item.load(one, f"{path}[{index}]") for index, one in enumerate(stored))

    return Form(lambda value: [item.dump(one) for one in ordered(_checked(kind, value))], load)


def _mapping(item: Form) -> Form:
    """Keys that this library chose, and values of one type."""

    def load(stored: Any, path: str) -> Any:
        if not isinstance(stored, dict):
            refuse(path, f"must be an object, but was {rendered(stored)}")
        return {key: item.load(value, f"{path}.{key}") for key, value in stored.items()}

    return Form(lambda value: {key: item.dump(one) for key, one in value.items()}, load)


def _dump_json_mapping(value: Any) -> Any:
    stored = dump_value(dict(value) if isinstance(value, Mapping) else value)
    if not isinstance(stored, dict):
        raise TypeError(f"must be a mapping, but was {rendered(value)}")
    return stored


def _load_json_mapping(stored: Any, path: str) -> Any:
    value = load_value(stored, path)
    if not isinstance(value, dict):
        refuse(path, f"must be an object, but was {rendered(value)}")
    return value


_AS_BEFORE: Final = {"raw_arguments": "arguments", "raw_result": "result"}
"""Fields that mostly hold the same as another one before them, and are the same object then: nothing else is there as often."""
_ANYTHING: Final = Form(dump_value, load_value, SCALARS)
_ERROR: Final = Form(dump_error, load_error)
_JSON_MAPPING: Final = Form(_dump_json_mapping, _load_json_mapping)
_CALL_OF_KIND: Final[Mapping[str, type]] = {kind: call for call, kind in KIND_OF_CALL.items()}
_SCALARS: Final[Mapping[type, tuple[str, frozenset[type]]]] = {
    str: ("a text", frozenset({str})),
    int: ("an integer", frozenset({int})),
    float: ("a number", frozenset({int, float})),
    bool: ("true or false", frozenset({bool})),
}
