"""Kinds of values in a suite file: each reads a value strictly, and says the same as a part of a JSON Schema."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol

import attrs

from agentassert.suites.marks import DataPath, Marks, Position
from agentassert.suites.problems import MOST_SHOWN, Problem, quoted

Schema = dict[str, Any]

_LONGEST_SHOWN: Final = 60


class TooMuchWrongError(Exception):
    """There are more problems than anybody is told: looking for the nearest word to each of 100,000 would take minutes."""


@attrs.frozen
class Reader:
    """What values are read with: it knows where they stand and collects what is wrong with them.

    It raises a :class:`TooMuchWrongError` when that is more than is told.

    Args:
        marks: where everything stands.
        problems: what is wrong.
        wrong: the paths to what is wrong, and to everything that it is in.
    """

    marks: Marks
    problems: list[Problem] = attrs.field(factory=list)
    wrong: set[DataPath] = attrs.field(factory=set)

    def refuse(self, path: DataPath, message: str) -> None:
        """Note what is wrong with the value at a path."""
        self._note(path, self.marks.of_value(path), message)

    def refuse_key(self, path: DataPath, message: str) -> None:
        """Note what is wrong with the key that a path ends with."""
        self._note(path, self.marks.of_key(path), message)

    def _note(self, path: DataPath, position: Position, message: str) -> None:
        if len(self.problems) > MOST_SHOWN:
            raise TooMuchWrongError
        self.problems.append(Problem(*position, message))
        self.wrong.update(path[:length] for length in range(len(path) + 1))

    def refuse_kind(self, path: DataPath, wanted: str, value: Any, *, hint: str = "") -> None:
        """Note that a value is of another kind."""
        self.refuse(path, f"{label(path)} must be {wanted}, but is {told(value)}{hint}")


class Kind(Protocol):
    """What a value may be."""

    @abstractmethod
    def read(self, value: Any, path: DataPath, reader: Reader) -> Any:
        """The value as the program uses it; anything after a problem was noted."""

    @abstractmethod
    def schema(self) -> Schema:
        """The JSON Schema of values of this kind."""


def label(path: DataPath) -> str:
    """What messages call the value at a path.

    Example:
        >>> label(("tests", 3, "files", 0))
        'files[0]'
    """
    name = ""
    for step in path:
        name = f"{name}[{step}]" if isinstance(step, int) else step if _is_short(step) else quoted(step)
    return name or "the file"


def _is_short(key: str) -> bool:
    return key.isprintable() and len(key) <= _LONGEST_SHOWN


def told(value: Any) -> str:
    """What messages say that a value is.

    Example:
        >>> told("5"), told(True), told({"a": 1})
        ("the text '5'", 'true', 'a mapping')
    """
    match value:
        case None:
            return "empty"
        case bool():
            return str(value).lower()
        case str():
            return f"the text {quoted(value)}"
        case dict():
            return "a mapping"
        case list():
            return "a list"
        case _:
            return repr(value)[:_LONGEST_SHOWN]


ANYTHING: Final = r"[\s\S]*"
NOT_BLANK: Final = r"[\s\S]*\S[\s\S]*"


@attrs.frozen(kw_only=True)
class Text:
    """A text.

    Args:
        words: what messages call it.
        pattern: what all of it must match; in what Python's and JavaScript's regular expressions share.
        most: how many characters it may have.
        made: what the program uses in its place.
    """

    words: str = "a text that is not blank"
    pattern: str = NOT_BLANK
    most: int | None = None
    made: Callable[[str], Any] = str

    def read(self, value: Any, path: DataPath, reader: Reader) -> Any:
        if not isinstance(value, str) or not re.fullmatch(self.pattern, value):
            reader.refuse_kind(path, self.words, value)
        elif self.most is not None and len(value) > self.most:
            reader.refuse(path, f"{label(path)} must have at most {self.most:,} characters, but has {len(value):,}")
        else:
            return self.made(value)
        return None

    def schema(self) -> Schema:
        schema: Schema = {"type": "string"}
        if self.most is not None:
            schema["maxLength"] = self.most
        if self.pattern != ANYTHING:
            schema["pattern"] = f"^{self.pattern}$"
        return schema


@attrs.frozen
class Whole:
    """A whole number from `least` to `most`."""

    least: int
    most: int | None = None

    def read(self, value: Any, path: DataPath, reader: Reader) -> int | None:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if type(value) is int and self.least <= value <= (value if self.most is None else self.most):
            return value
        limit = f"of {self.least} or more" if self.most is None else f"from {self.least} to {self.most:,}"
        reader.refuse_kind(path, f"a whole number {limit}", value)
        return None

    def schema(self) -> Schema:
        return {"type": "integer", "minimum": self.least} | ({} if self.most is None else {"maximum": self.most})


@attrs.frozen
class Between:
    """A number between two others, neither included."""

    above: float
    below: float

    def read(self, value: Any, path: DataPath, reader: Reader) -> float | None:
        if type(value) in {int, float} and self.above < value < self.below:
            return float(value)
        reader.refuse_kind(path, f"a number between {self.above:g} and {self.below:g}, such as 0.95", value)
        return None

    def schema(self) -> Schema:
        return {"type": "number", "exclusiveMinimum": self.above, "exclusiveMaximum": self.below}


@attrs.frozen
class Flag:
    """`true` or `false`."""

    def read(self, value: Any, path: DataPath, reader: Reader) -> bool | None:
        if isinstance(value, bool):
            return value
        reader.refuse_kind(path, "true or false", value)
        return None

    def schema(self) -> Schema:
        return {"type": "boolean"}


@attrs.frozen
class Choice:
    """One of a few words."""

    words: Sequence[str]

    def read(self, value: Any, path: DataPath, reader: Reader) -> str | None:
        if isinstance(value, str) and value in self.words:
            return value
        reader.refuse_kind(path, " or ".join(map(repr, self.words)), value)
        return None

    def schema(self) -> Schema:
        return {"enum": list(self.words)}


@attrs.frozen
class AnyMapping:
    """A mapping of which nothing is known but that its keys are texts."""

    def read(self, value: Any, path: DataPath, reader: Reader) -> Mapping[str, Any] | None:
        if isinstance(value, dict):
            return value
        reader.refuse_kind(path, "a mapping", value)
        return None

    def schema(self) -> Schema:
        return {"type": "object"}


@attrs.frozen(kw_only=True)
class ListOf:
    """A list.

    Args:
        item: what each entry is.
        if_empty: why an empty list is refused; without it, it is not.
        unique: whether no entry may be there twice.
    """

    item: Kind
    if_empty: str | None = None
    unique: bool = False

    def read(self, value: Any, path: DataPath, reader: Reader) -> list[Any] | None:
        if not isinstance(value, list):
            reader.refuse_kind(path, "a list", value, hint=": begin each entry with `- `" if isinstance(value, dict) else "")
            return None
        if not value and self.if_empty is not None:
            reader.refuse(path, f"{label(path)} is empty: {self.if_empty}")
        if self.unique:
            _refuse_repetitions(value, path, reader)
        return [self.item.read(one, (*path, index), reader) for index, one in enumerate(value)]

    def schema(self) -> Schema:
        schema: Schema = {"type": "array", "items": self.item.schema()}
        if self.if_empty is not None:
            schema["minItems"] = 1
        return schema | ({"uniqueItems": True} if self.unique else {})


def _refuse_repetitions(texts: Sequence[Any], path: DataPath, reader: Reader) -> None:
    seen = set()
    for index, one in enumerate(texts):
        if isinstance(one, str):
            if one in seen:
                reader.refuse((*path, index), f"{label((*path, index))} is {told(one)}, which the list already has")
            seen.add(one)


@attrs.frozen(kw_only=True)
class MappingOf:
    """A mapping with any texts for keys that are not blank.

    Args:
        item: what each value is.
        keys: what messages call the keys.
        if_empty: why an empty mapping is refused.
    """

    item: Kind
    keys: str
    if_empty: str

    def read(self, value: Any, path: DataPath, reader: Reader) -> dict[str, Any] | None:
        if not isinstance(value, dict):
            reader.refuse_kind(path, "a mapping", value)
            return None
        if not value:
            reader.refuse(path, f"{label(path)} is empty: {self.if_empty}")
        for key in value:
            if not key.strip():
                reader.refuse_key((*path, key), f"{self.keys} is blank")
        return {key: self.item.read(one, (*path, key), reader) for key, one in value.items()}

    def schema(self) -> Schema:
        return {
            "type": "object",
            "minProperties": 1,
            "propertyNames": {"pattern": r"\S"},
            "additionalProperties": self.item.schema(),
        }
