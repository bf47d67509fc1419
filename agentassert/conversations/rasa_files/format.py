"""What a Rasa test file holds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import attrs

from agentassert.suites.marks import Marks

NOTHING: Final = object()
"""A legacy slot step that names no value: any will do."""

Slots: TypeAlias = tuple[tuple[str, Any], ...]
"""Names and values, in the order written."""


@attrs.frozen
class Remark:
    """Something to mind about a file.

    Args:
        line: where, from 1.
        words: what, in one line.
        decides: whether a verdict may depend on it, so that a run in which pitfalls fail does not pass.
    """

    line: int
    words: str
    decides: bool = True


@attrs.frozen(kw_only=True)
class UserStep:
    """The user says something.

    Args:
        text: the message.
        metadata: the name of the metadata that is sent along.
        assertions: what must hold then, as written; `None` where the step has no such list.
        ordered: whether what they match must come in their order; `None` where the step does not say.
        marks: where everything stands.
    """

    text: str
    metadata: str | None = None
    assertions: tuple[Mapping[str, Any], ...] | None = None
    ordered: bool | None = None
    marks: Marks = attrs.field(default=Marks((0, 0)), eq=False, repr=False)

    @property
    def line(self) -> int:
        """Where it stands."""
        return self.marks.position[0]

    def line_of(self, assertion: int | None, entry: int | None = None) -> int:
        """Where an assertion stands, or an entry of its list of slots."""
        if assertion is None or not self.assertions:
            return self.line
        path = ("assertions", assertion, next(iter(self.assertions[assertion])), *(() if entry is None else (entry,)))
        return (self.marks.of_key(path[:3]) if entry is None else self.marks.of_value(path))[0]

    def to_data(self) -> dict[str, Any]:
        """As the file says it."""
        data: dict[str, Any] = {"user": self.text}
        if self.metadata is not None:
            data["metadata"] = self.metadata
        if self.assertions is not None:
            data["assertions"] = [dict(one) for one in self.assertions]
        if self.ordered is not None:
            data["assertion_order_enabled"] = self.ordered
        return data


LegacyKind: TypeAlias = Literal["bot", "utter", "slot_was_set", "slot_was_not_set"]
LEGACY_KINDS: Final[tuple[LegacyKind, ...]] = ("bot", "utter", "slot_was_set", "slot_was_not_set")


@attrs.frozen(kw_only=True)
class LegacyStep:
    """What the bot must have done since the last message, in the form that is older than assertions.

    Args:
        kind: what it is about.
        name: the text, the name of the response, or the name of the slot.
        value: what the slot must (not) have been set to; `NOTHING` for any value.
        line: where it stands.
    """

    kind: LegacyKind
    name: str
    value: Any = NOTHING
    line: int = attrs.field(default=0, eq=False)

    def to_data(self) -> dict[str, Any]:
        """As the file says it, each slot in a step of its own."""
        if not self.kind.startswith("slot"):
            return {self.kind: self.name}
        return {self.kind: [self.name if self.value is NOTHING else {self.name: self.value}]}


Step: TypeAlias = UserStep | LegacyStep


@attrs.frozen(kw_only=True)
class RasaCase:
    """One test case.

    Args:
        name: what it is called.
        steps: what is said and expected, in order.
        fixtures: names of the slots that are set before the first message.
        metadata: the name of the metadata that goes with every message.
        line: where it stands.
        remarks: what to mind about it.
    """

    name: str
    steps: tuple[Step, ...]
    fixtures: tuple[str, ...] = ()
    metadata: str | None = None
    line: int = attrs.field(default=0, eq=False)
    remarks: tuple[Remark, ...] = attrs.field(default=(), eq=False)

    @property
    def asserts(self) -> bool:
        """Whether assertions alone decide, because some step has a list of them, be it empty."""
        return any(isinstance(step, UserStep) and step.assertions is not None for step in self.steps)

    @property
    def has_legacy_steps(self) -> bool:
        """Whether there is anything in the older form."""
        return any(isinstance(step, LegacyStep) for step in self.steps)

    def to_data(self) -> dict[str, Any]:
        """As the file says it."""
        data: dict[str, Any] = {"test_case": self.name}
        if self.fixtures:
            data["fixtures"] = list(self.fixtures)
        if self.metadata is not None:
            data["metadata"] = self.metadata
        data["steps"] = [step.to_data() for step in self.steps]
        return data


@attrs.frozen(kw_only=True)
class RasaFile:
    """A test file, or a `conftest.yml`, which has no cases.

    Args:
        cases: the test cases, in order.
        fixtures: slots to set, by the name of the fixture.
        metadata: metadata to send, by its name.
        stubs: `stub_custom_actions`, as written.
        path: the file.
    """

    cases: tuple[RasaCase, ...] = ()
    fixtures: Mapping[str, Slots] = attrs.field(factory=dict)
    metadata: Mapping[str, Mapping[str, Any]] = attrs.field(factory=dict)
    stubs: Mapping[str, Any] = attrs.field(factory=dict)
    path: Path = attrs.field(default=Path(), eq=False)

    def to_data(self) -> dict[str, Any]:
        """As the file says it.

        Example:
            >>> RasaFile(cases=(RasaCase(name="greets", steps=(UserStep(text="Hi"),)),)).to_data()
            {'test_cases': [{'test_case': 'greets', 'steps': [{'user': 'Hi'}]}]}
        """
        data: dict[str, Any] = {}
        if self.fixtures:
            data["fixtures"] = [{name: [{slot: value} for slot, value in slots]} for name, slots in self.fixtures.items()]
        if self.metadata:
            data["metadata"] = [{name: dict(one)} for name, one in self.metadata.items()]
        if self.stubs:
            data["stub_custom_actions"] = dict(self.stubs)
        data["test_cases"] = [case.to_data() for case in self.cases]
        return data
