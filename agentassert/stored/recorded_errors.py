"""Exceptions as a stored capture knows them: what they were, without being it."""

from __future__ import annotations

from typing import Any


class RecordedError(Exception):
    """An exception that was stored with a capture and loaded again; its causes are set as they were.

    Args:
        message: the text of the exception.
        type_names: `module.qualname` of its class and of each class above it, nearest first.
        members: what an exception group held.

    Example:
        >>> error = RecordedError("no answer", ("builtins.TimeoutError", "builtins.OSError", "builtins.Exception"))
        >>> str(error), error.type_name
        ('no answer', 'builtins.TimeoutError')
    """

    def __init__(self, message: str, type_names: tuple[str, ...], members: tuple[BaseException, ...] = ()) -> None:
        super().__init__(message, type_names, members)
        self.message = message
        self.type_names = type_names
        self.members = members

    @property
    def type_name(self) -> str:
        """`module.qualname` of the exception's class."""
        return self.type_names[0]

    def __str__(self) -> str:
        return self.message

    def __repr__(self) -> str:
        return f"<recorded {self.type_name}: {self.message!r}>"


def qualified_name(kind: type[Any]) -> str:
    """`module.qualname` of a class.

    Example:
        >>> qualified_name(KeyError)
        'builtins.KeyError'
    """
    return f"{kind.__module__}.{kind.__qualname__}"


def type_names(error: BaseException) -> tuple[str, ...]:
    """`module.qualname` of the error's class and of each class above it, nearest first, `object` left out.

    Example:
        >>> type_names(KeyError("id"))
        ('builtins.KeyError', 'builtins.LookupError', 'builtins.Exception', 'builtins.BaseException')
    """
    if isinstance(error, RecordedError):
        return error.type_names
    return tuple(qualified_name(kind) for kind in type(error).__mro__ if kind is not object)


def is_instance(error: BaseException | str | None, kind: type[BaseException] | tuple[type[BaseException], ...]) -> bool:
    """Whether the error is of this type, also when it was loaded: then by the names of its classes.

    Args:
        error: as a record holds it; a text or `None` is of no type.
        kind: an exception class, or several of which one is enough. Where a span gave the name of the class without its module, a
            class of that name will do.

    Example:
        >>> loaded = RecordedError("no answer", ("builtins.TimeoutError", "builtins.OSError"))
        >>> is_instance(loaded, OSError), is_instance(loaded, KeyError), is_instance(KeyError("id"), LookupError)
        (True, False, True)
    """
    if isinstance(error, kind):
        return True
    if not isinstance(error, RecordedError):
        return False
    kinds = kind if isinstance(kind, tuple) else (kind,)
    return any(qualified_name(one) in error.type_names or one.__qualname__ == error.type_name for one in kinds)


def members(error: BaseException) -> tuple[BaseException, ...]:
    """What an exception group holds, live or loaded; nothing for any other exception.

    Example:
        >>> members(ExceptionGroup("two", [KeyError("a"), KeyError("b")]))
        (KeyError('a'), KeyError('b'))
        >>> members(KeyError("a"))
        ()
    """
    if isinstance(error, RecordedError):
        return error.members
    return tuple(error.exceptions) if isinstance(error, BaseExceptionGroup) else ()


def message_of(error: BaseException) -> str:
    """The text of an exception; one whose `__str__` raises gets words that say so.

    Example:
        >>> message_of(TimeoutError("no answer"))
        'no answer'
    """
    try:
        return str.__str__(str(error))
    except Exception as raised:  # a hostile exception must not hide the failure that it is part of
        return f"<its text cannot be had: {type(raised).__name__}>"
