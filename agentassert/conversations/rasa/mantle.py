"""Assertions for the Mantle engine: skills, ordered blocks, and tools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Self

import attrs

from agentassert import render
from agentassert.conversations.rasa import shapes
from agentassert.conversations.rasa.scene import Finding, RasaAssertion, Scene, of_kind
from agentassert.failures import Failure, shortened
from agentassert.raw_events import RawEvent, metadata_of

_MISSING: Final = object()
_FEWEST_CALLS: Final = 2


@attrs.frozen
class Happened(RasaAssertion):
    """`skill_…` and `ordered_block_…`: an event of that kind with all the given fields."""

    kind: str
    given: Mapping[str, str]

    @classmethod
    def read(cls, kind: str, body: Any) -> Self:
        required, optional = HAPPENINGS[kind]
        given = shapes.fields(kind, body, required, optional)
        return cls(kind, {key: shapes.text(kind, value, key) for key, value in given.items()})

    @property
    def needs(self) -> tuple[str, ...]:
        return ("skills",)

    def evaluate(self, scene: Scene) -> Finding:
        events = tuple(of_kind(scene.turn, self.kind))
        for event in events:
            if all(event.get(key) == value for key, value in self.given.items()):
                return Finding(matched=event)
        noun, _, verb = self.kind.rpartition("_")
        wanted = ", ".join(f"{key} {value!r}" for key, value in self.given.items())
        there = shortened(events, lambda one: ", ".join(f"{key} {one.get(key)!r}" for key in self.given))
        failure = Failure(
            expected=f"to have {verb} the {noun.replace('_', ' ')} with {wanted}",
            found="but it only did so with" if there else "but it did not",
            details=there,
            wanted=dict(self.given),
        )
        return Finding(failure=failure)


_SKILL: Final = (("skill_id",), ())
_SKILL_STEP: Final = (("skill_id",), ("step_id",))
_BLOCK: Final = (("skill_id", "block_id"), ())
_BLOCK_STEP: Final = (("skill_id", "block_id"), ("step_id",))
HAPPENINGS: Final[Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "skill_activated": _SKILL,
    "skill_completed": _SKILL,
    "skill_cancelled": _SKILL_STEP,
    "skill_interrupted": _SKILL_STEP,
    "skill_resumed": _SKILL_STEP,
    "ordered_block_entered": _BLOCK,
    "ordered_block_completed": _BLOCK_STEP,
    "ordered_block_cancelled": _BLOCK_STEP,
    "ordered_block_interrupted": _BLOCK_STEP,
    "ordered_block_resumed": _BLOCK_STEP,
}
"""The fields of each: those that must be there, and those that may."""


@attrs.frozen
class ToolExecuted(RasaAssertion):
    """`tool_executed`."""

    given: Mapping[str, Any]

    @classmethod
    def read(cls, kind: str, body: Any) -> Self:
        given = shapes.fields(kind, body, ("tool_name", "source"), ("mcp_server", "skill_id", "arguments", "is_error"))
        for key in ("tool_name", "mcp_server", "skill_id"):
            shapes.optional_text(kind, given, key)
        if given["source"] not in ("local", "mcp"):
            shapes.refuse(kind, f"'source' must be 'local' or 'mcp', but was {given['source']!r}")
        if (given["source"] == "mcp") != ("mcp_server" in given):
            shapes.refuse(kind, "'mcp_server' must be given for the source 'mcp', and for no other")
        if "arguments" in given and not isinstance(given["arguments"], Mapping):
            shapes.refuse(kind, f"'arguments' must be a mapping, but was {render.value(given['arguments'])}")
        if "is_error" in given:
            shapes.flag(kind, given["is_error"], "is_error")
        return cls(given)

    @property
    def needs(self) -> tuple[str, ...]:
        return ("skills",)

    def evaluate(self, scene: Scene) -> Finding:
        events = tuple(of_kind(scene.turn, "tool_executed"))
        for event in events:
            if self.accepts(event):
                return Finding(matched=event)
        failure = Failure(
            expected=f"to have executed the tool {self.described}",
            found="but it executed",
            details=_executed(events),
            wanted=self.given,
        )
        return Finding(failure=failure)

    def accepts(self, event: RawEvent) -> bool:
        """Whether an event is an execution of this tool, with these arguments at least."""
        for key, value in self.given.items():
            if key == "arguments":
                actual = event.get("arguments")
                if not isinstance(actual, Mapping) or any(actual.get(name, _MISSING) != one for name, one in value.items()):
                    return False
            elif value != (metadata_of(event) if key == "skill_id" else event).get(key):
                return False
        return True

    @property
    def described(self) -> str:
        """The tool and what is asked of its execution."""
        rest = ", ".join(f"{key} {render.value(value)}" for key, value in self.given.items() if key != "tool_name")
        return f"{self.given['tool_name']!r} ({rest})"


@attrs.frozen
class ToolsWithinOneTurn(RasaAssertion):
    """`tools_within_one_turn`: two or more tools between two messages of the user."""

    calls: tuple[ToolExecuted, ...]
    allows_extra: bool
    ordered: bool

    @classmethod
    def read(cls, kind: str, body: Any) -> Self:
        given = shapes.fields(kind, body, ("calls", "allow_extra_calls"), ("ordered",))
        calls = shapes.listed(kind, given["calls"], "'calls'", fewest=_FEWEST_CALLS)
        ordered = shapes.flag(kind, given.get("ordered", False), "ordered")
        allows_extra = shapes.flag(kind, given["allow_extra_calls"], "allow_extra_calls")
        return cls(
            tuple(ToolExecuted.read(f"{kind}: calls[{index}]", one) for index, one in enumerate(calls)), allows_extra, ordered
        )

    @property
    def needs(self) -> tuple[str, ...]:
        return ("skills",)

    def evaluate(self, scene: Scene) -> Finding:
        for executions in _within_turns(scene.turn):
            matched = self._match(executions)
            if matched is not None:
                return Finding(matched=matched)
        how = "in this order" if self.ordered else "in any order"
        wanted = ", ".join(one.described for one in self.calls)
        failure = Failure(
            expected=f"to have executed the tools {wanted} {how} within one turn{'' if self.allows_extra else ', and no others'}",
            found="but it executed",
            details=_executed(tuple(of_kind(scene.turn, "tool_executed"))),
            wanted=wanted,
        )
        return Finding(failure=failure)

    def _match(self, executions: list[RawEvent]) -> RawEvent | None:
        """The last execution that a call took, each call taking the first that is left; `None` when one finds none."""
        left = list(executions)
        taken: RawEvent | None = None
        for call in self.calls:
            place = next((index for index, one in enumerate(left) if call.accepts(one)), None)
            if place is None:
                return None
            taken = left[place]
            left = left[place + 1 :] if self.ordered else left[:place] + left[place + 1 :]
        return taken if self.allows_extra or len(executions) == len(self.calls) else None


def _within_turns(events: tuple[RawEvent, ...]) -> list[list[RawEvent]]:
    turns: list[list[RawEvent]] = [[]]
    for event in events:
        if event["event"] == "user" and (event.get("text") or "/")[0] != "/":
            turns.append([])
        elif event["event"] == "tool_executed":
            turns[-1].append(event)
    return turns


def _executed(events: tuple[RawEvent, ...]) -> tuple[str, ...]:
    def line(event: RawEvent) -> str:
        return f"{event.get('tool_name')} ({event.get('source')}) with {render.value(event.get('arguments'))}"

    return shortened(events, line) or ("nothing",)
