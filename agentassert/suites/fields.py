"""Mappings whose keys are known: which there are, what each may hold, and what it is for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import attrs

from agentassert.suites.kinds import Kind, Reader, Schema
from agentassert.suites.marks import DataPath
from agentassert.suites.problems import quoted
from agentassert.text.nearest import did_you_mean

_LONGEST_KEY: Final = 100


@attrs.frozen
class Field:
    """One known key.

    Args:
        kind: what its value may be.
        about: what it is for, in a sentence without a full stop.
        default: what holds without it.
        required: whether it must be there.
        or_null: whether it may be left empty, which is as if it were not there.
    """

    kind: Kind
    about: str
    default: Any = None
    required: bool = False
    or_null: bool = False

    def schema(self) -> Schema:
        """The JSON Schema of its values."""
        schema: Schema = {"description": self.about} | self.kind.schema()
        if self.or_null and "enum" not in schema:
            schema = {"description": self.about, "anyOf": [self.kind.schema(), {"type": "null"}]}
        return schema if self.default is None else {**schema, "default": self.default}


@attrs.frozen(kw_only=True)
class Record:
    """A mapping with known keys.

    Args:
        name: what messages and the JSON Schema call it.
        fields: its keys.
        elsewhere: keys that belong to another place, each with the words for where.
        check: notes what is wrong with a mapping whose values are right one by one.
        rules: the same in the words of JSON Schema.
    """

    name: str
    fields: Mapping[str, Field]
    elsewhere: Mapping[str, str] = attrs.field(factory=dict)
    check: Callable[[Mapping[str, Any], DataPath, Reader], None] | None = None
    rules: Schema = attrs.field(factory=dict)

    def read(self, value: Any, path: DataPath, reader: Reader) -> dict[str, Any] | None:
        """The values of the keys that are there and not empty."""
        if not isinstance(value, dict):
            required = [repr(key) for key, field in self.fields.items() if field.required]
            reader.refuse_kind(path, f"a mapping{' with ' if required else ''}{' and '.join(required)}", value)
            return None
        read = {}
        for key, one in value.items():
            field = self.fields.get(key)
            if field is None:
                reader.refuse_key((*path, key), self._unknown(key))
            elif one is not None or not field.or_null:
                read[key] = field.kind.read(one, (*path, key), reader)
        for key, field in self.fields.items():
            if field.required and key not in value:
                reader.refuse(path, f"{self.name} needs {key!r}")
        if self.check is not None and path not in reader.wrong:
            self.check(read, path, reader)
        return read

    def _unknown(self, key: str) -> str:
        where = self.elsewhere.get(key)
        hint = f"it belongs {where}" if where else did_you_mean(key[:_LONGEST_KEY], self.fields)
        return f"there is no key {quoted(key)} in {self.name}; {hint}"

    def schema(self) -> Schema:
        """A reference to the definition of this record."""
        return {"$ref": f"#/$defs/{self.definition_name}"}

    @property
    def definition_name(self) -> str:
        """What the JSON Schema calls it."""
        return self.name.removeprefix("a ").removeprefix("an ").replace(" ", "_")

    def definition(self) -> Schema:
        """The JSON Schema of these mappings."""
        required = [key for key, field in self.fields.items() if field.required]
        return {
            "type": "object",
            "additionalProperties": False,
            "properties": {key: field.schema() for key, field in self.fields.items()},
            **({"required": required} if required else {}),
            **self.rules,
        }
