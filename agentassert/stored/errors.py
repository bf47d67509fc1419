"""Exceptions as JSON text can keep them: what they were called and said, and what they came with."""

from __future__ import annotations

from typing import Any, Final

from agentassert.render import value as rendered
from agentassert.stored.recorded_errors import RecordedError, members, message_of, type_names
from agentassert.stored.values import dump_value, load_value, refuse

_MOST: Final = 100
"""Exceptions that are kept of one error with all its causes and members; what lies beyond is left out."""

_KEYS: Final = ("types", "message", "notes", "members", "cause", "context")


def dump_error(error: BaseException | str | None) -> Any:
    """The error in terms that `json.dumps` writes: a text as it is, an exception as an object.

    Example:
        >>> dump_error(KeyError("id"))["types"]
        ['builtins.KeyError', 'builtins.LookupError', 'builtins.Exception', 'builtins.BaseException']
    """
    if isinstance(error, BaseException):
        return _dumped(error, {})
    return None if error is None else dump_value(str.__str__(error))


def load_error(stored: Any, path: str) -> RecordedError | str | None:
    """What stands for the error in a loaded capture.

    Args:
        stored: as `json.loads` read it.
        path: its place, for the error.

    Raises:
        ValueError: when it has another form than :func:`dump_error` gives it.

    Example:
        >>> load_error(dump_error(KeyError("id")), "$")
        <recorded builtins.KeyError: "'id'">
    """
    if isinstance(stored, dict) and "types" in stored:
        return _loaded(stored, path)
    text = load_value(stored, path)
    if text is not None and not isinstance(text, str):
        refuse(path, f"an error is null, a text or an object with 'types', but was {rendered(text)}")
    return text


def _dumped(error: BaseException, seen: dict[int, BaseException]) -> dict[str, Any]:
    seen[id(error)] = error
    context = None if error.__suppress_context__ else error.__context__
    notes = getattr(error, "__notes__", ())
    return {
        "types": list(type_names(error)),
        "message": dump_value(message_of(error)),
        "notes": [dump_value(note) for note in notes if type(note) is str] if isinstance(notes, list) else [],
        "members": [kept for member in members(error) if (kept := _dumped_if_new(member, seen)) is not None],
        "cause": _dumped_if_new(error.__cause__, seen),
        "context": _dumped_if_new(context, seen),
    }


def _dumped_if_new(error: BaseException | None, seen: dict[int, BaseException]) -> dict[str, Any] | None:
    return None if error is None or id(error) in seen or len(seen) >= _MOST else _dumped(error, seen)


def _loaded(stored: Any, path: str) -> RecordedError:
    if not isinstance(stored, dict) or stored.keys() != set(_KEYS):
        refuse(path, f"an exception is an object with the keys {', '.join(map(repr, _KEYS))}, but was {rendered(stored)}")
    types = _texts(stored["types"], f"{path}.types")
    if not types:
        refuse(f"{path}.types", "an exception has one class at least")
    inner = tuple(_loaded(member, f"{path}.members[{index}]") for index, member in enumerate(_list(stored, "members", path)))
    error = RecordedError(_text(stored["message"], f"{path}.message"), types, inner)
    for note in _texts(stored["notes"], f"{path}.notes"):
        error.add_note(note)
    if stored["context"] is not None:
        error.__context__ = _loaded(stored["context"], f"{path}.context")
    if stored["cause"] is not None:
        error.__cause__ = _loaded(stored["cause"], f"{path}.cause")
    return error


def _list(stored: dict[str, Any], key: str, path: str) -> list[Any]:
    found = stored[key]
    if not isinstance(found, list):
        refuse(f"{path}.{key}", f"must be a list, but was {rendered(found)}")
    return found


def _texts(stored: Any, path: str) -> tuple[str, ...]:
    if not isinstance(stored, list):
        refuse(path, f"must be a list of texts, but was {rendered(stored)}")
    return tuple(_text(item, f"{path}[{index}]") for index, item in enumerate(stored))


def _text(stored: Any, path: str) -> str:
    text = load_value(stored, path)
    if not isinstance(text, str):
        refuse(path, f"must be a text, but was {rendered(text)}")
    return text
