"""A request of the model for a tool, and when two have the same arguments."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs

from agentassert.jsonlike import decode
from agentassert.records import Decision

if TYPE_CHECKING:
    from agentassert.recording.exchanges import Answer

Place: TypeAlias = tuple[int, int, int]


@attrs.define(eq=False)
class Request:
    """A request, and what answered it: executions that were seen, or a result that was sent back."""

    name: str
    arguments: Any
    call_id: str | None
    order: int
    index: int
    of_loop: bool = False
    """Whether a loop over a raw SDK made it run, where nobody sees it."""
    answer: Answer | None = None
    executions: int = 0
    decision: Decision | None = None
    """What a person who was asked said last."""
    _key: str | None = attrs.field(default=None, init=False)

    @property
    def key(self) -> str:
        """The same for requests with the same arguments, by :func:`key_of`, which is asked once."""
        if self._key is None:
            self._key = key_of(self.arguments)
        return self._key

    @property
    def is_held_back(self) -> bool:
        """Whether a person did not let it run, or has not done so yet."""
        if self.decision is Decision.PENDING:
            return self.answer is None
        return self.decision in (Decision.REJECT, Decision.TIMEOUT)

    @property
    def answered(self) -> bool:
        """Whether it ran, as far as that is known."""
        return self.executions > 0 or (self.answer is not None and not self.is_held_back)

    @property
    def place(self) -> Place:
        """Where what answers it stands in the model's order."""
        return self.order, self.index, 0

    def is_open(self, order: int) -> bool:
        """Whether what started then may answer it: after it was made, and before its result was sent back."""
        return self.order < order and (self.answer is None or order < self.answer.order)


def id_among(given: Iterable[Any]) -> str | None:
    """The first id that was given, as text: services that only speak a protocol number theirs, or leave it empty.

    Example:
        >>> id_among([None, "", 7]), id_among([])
        ('7', None)
    """
    return next((str(one) for one in given if one is not None and one != ""), None)


def parsed_arguments(arguments: Any) -> Mapping[str, Any] | None:
    """Arguments as a mapping: JSON text is parsed, blank text means none; `None` for what is no JSON object.

    Example:
        >>> parsed_arguments('{"id": 7}'), parsed_arguments(""), parsed_arguments("[1]")
        ({'id': 7}, {}, None)
    """
    if isinstance(arguments, str):
        arguments = decode(arguments) if arguments.strip() else {}
    return arguments if isinstance(arguments, Mapping) else None


def key_of(arguments: Any) -> str:
    """A text that is the same for the same arguments, parsed or not.

    Example:
        >>> key_of('{"b": 1, "a": 2}') == key_of({"a": 2, "b": 1})
        True
    """
    parsed = parsed_arguments(arguments)
    try:
        return json.dumps(parsed, sort_keys=True, default=repr)
    except Exception:  # a hostile object in the arguments: they are told from others by their kind alone
        return repr(type(parsed))


def loose_key(arguments: Any) -> str:
    """A text that is the same also for what code makes of arguments to call the function: `3` of `"3"`, a model of a mapping."""
    parsed = parsed_arguments(arguments)
    try:
        while parsed is not None and len(parsed) == 1 and isinstance(only := next(iter(parsed.values())), Mapping):
            parsed = only
        return key_of(None if parsed is None else {name: _loosely(value) for name, value in parsed.items()})
    except Exception:  # a hostile object, as there
        return key_of(arguments)


def _loosely(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return (value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=repr)).casefold()
