"""Assertions on flows, and on clarifications."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Self

import attrs

from agentassert.conversations.rasa import shapes
from agentassert.conversations.rasa.scene import Finding, RasaAssertion, Scene, of_kind
from agentassert.conversations.slicing import unwound_flows
from agentassert.failures import Failure
from agentassert.raw_events import CLARIFICATION, RawEvent, metadata_of, texts_in

_OPERATORS: Final = ("any", "all")


@attrs.frozen
class FlowStarted(RasaAssertion):
    """`flow_started`: a flow, or the first of several that did."""

    flows: tuple[str, ...]

    @classmethod
    def read(cls, kind: str, body: Any) -> Self:
        if isinstance(body, str):
            return cls((shapes.text(kind, body),))
        operator, flows = _operator_and_flows(kind, body)
        if operator == "all" and len(flows) > 1:
            shapes.refuse(kind, "operator 'all' takes one flow id: write an assertion for each flow")
        return cls(flows)

    @property
    def needs(self) -> tuple[str, ...]:
        return ("flows",)

    def evaluate(self, scene: Scene) -> Finding:
        events = tuple(of_kind(scene.turn, "flow_started"))
        for flow in self.flows:
            for event in events:
                if event["flow_id"] == flow:
                    return Finding(matched=event)
        flows = quoted(self.flows)
        expected = f"to have started the flow {flows}" if len(self.flows) == 1 else f"to have started one of the flows {flows}"
        return Finding(failure=Failure(expected=expected, found=_found("it started", events), wanted=self.flows))


@attrs.frozen
class FlowEnded(RasaAssertion):
    """`flow_completed` and `flow_cancelled`."""

    kind: str
    flow: str
    step: str | None

    @classmethod
    def read(cls, kind: str, body: Any) -> Self:
        given = shapes.fields(kind, body, ("flow_id",), ("flow_step_id",))
        return cls(kind, shapes.text(kind, given["flow_id"], "flow_id"), shapes.optional_text(kind, given, "flow_step_id"))

    @property
    def needs(self) -> tuple[str, ...]:
        return ("flows",)

    def evaluate(self, scene: Scene) -> Finding:
        verb = self.kind.removeprefix("flow_")
        everything = tuple(of_kind(scene.turn, self.kind))
        events = [one for one in everything if one["flow_id"] == self.flow]
        expected = f"to have {verb} the flow {self.flow!r}" + ("" if self.step is None else f" at the step {self.step!r}")
        if not events:
            return Finding(failure=Failure(expected=expected, found=_found(f"it {verb}", everything), wanted=self.flow))
        first = events[0]
        if self.step is None or first.get("step_id") == self.step:
            return Finding(matched=first, pitfalls=self._unwound(scene, first))
        later = any(one.get("step_id") == self.step for one in events[1:])
        pitfall = f"the flow {self.flow!r} {verb} at the step {self.step!r} later in the turn, but only its first end counts"
        return Finding(
            failure=Failure(
                expected=expected,
                found=f"but it {verb} it at the step {first.get('step_id')!r}",
                wanted=self.step,
                actual=first.get("step_id"),
            ),
            pitfalls=(pitfall,) if later else (),
        )

    def _unwound(self, scene: Scene, event: RawEvent) -> tuple[str, ...]:
        """A cancelled flow is led to its end, which is reported as a completion."""
        if self.kind != "flow_completed":
            return ()
        events = (*scene.prior, *scene.turn)
        place = next(place for place, one in enumerate(events) if one is event)
        if place not in unwound_flows(events):
            return ()
        return (f"the flow {self.flow!r} did not complete: it was cancelled, and then led to its end",)


@attrs.frozen
class ClarificationContains(RasaAssertion):
    """`pattern_clarification_contains`."""

    wanted: tuple[str, ...]
    operator: str | None
    """Of ids; without one, `wanted` are readable names."""

    @classmethod
    def read(cls, kind: str, body: Any) -> Self:
        if isinstance(body, Mapping):
            operator, flows = _operator_and_flows(kind, body)
            return cls(flows, operator)
        names = shapes.listed(kind, body, "the options")
        return cls(tuple(shapes.text(kind, one, "an option") for one in names), None)

    @property
    def needs(self) -> tuple[str, ...]:
        return ("clarifications",)

    def evaluate(self, scene: Scene) -> Finding:
        expected = f"to have asked which is meant, offering {self._described}"
        event = next(of_kind(scene.turn, "flow_started", lambda one: one["flow_id"] == CLARIFICATION), None)
        if event is None:
            return Finding(failure=Failure(expected=expected, found="but it did not ask", wanted=self.wanted))
        offered = texts_in(metadata_of(event).get("names" if self.operator is None else "clarification_ids"))
        wanted, there = frozenset(self.wanted), frozenset(offered)
        if (wanted & there) if self.operator == "any" else wanted == there:
            return Finding(matched=event)
        pitfall = "the clarification offers all of these options and more, but Rasa's 'contains' wants exactly these"
        return Finding(
            failure=Failure(expected=expected, found=f"but it offered {quoted(offered)}", wanted=self.wanted, actual=offered),
            pitfalls=(pitfall,) if wanted < there else (),
        )

    @property
    def _described(self) -> str:
        if self.operator == "any":
            return f"one of the flows {quoted(self.wanted)}"
        return f"exactly {'' if self.operator is None else 'the flows '}{quoted(self.wanted)}"


def quoted(names: tuple[str, ...]) -> str:
    """Names one after the other."""
    return ", ".join(map(repr, names)) or "nothing"


def _operator_and_flows(kind: str, body: Any) -> tuple[str, tuple[str, ...]]:
    given = shapes.fields(kind, body, ("operator", "flow_ids"))
    operator = shapes.text(kind, given["operator"], "operator").lower()
    if operator not in _OPERATORS:
        shapes.refuse(kind, f"operator must be 'any' or 'all', but was {given['operator']!r}")
    flows = shapes.listed(kind, given["flow_ids"], "'flow_ids'")
    return operator, tuple(shapes.text(kind, one, "flow_ids") for one in flows)


def _found(verb: str, events: tuple[RawEvent, ...]) -> str:
    flows = dict.fromkeys(str(one["flow_id"]) for one in events)
    return f"but {verb} {quoted(tuple(flows)) if flows else 'none'}"
