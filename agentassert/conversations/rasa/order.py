"""Assertions of a step whose order counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import attrs

from agentassert.conversations.rasa.scene import Finding, RasaAssertion, Scene
from agentassert.failures import Failure
from agentassert.raw_events import RawEvent, metadata_of

_ADVICE: Final = (
    "The order of this step's assertions counts: what this one asks for may stand before what an earlier one matched."
)


class OrderProgress:
    """How far the assertions of a step have come, by Rasa's rules and by those that their author has in mind.

    Args:
        scene: what the first assertion looks at.
    """

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        """What the next assertion looks at, by Rasa's rules."""
        self._rest = scene
        """What comes after everything that was matched."""

    def go_on(self, assertion: RasaAssertion, finding: Finding) -> Finding:
        """Move on behind what an assertion matched.

        Args:
            assertion: what was evaluated on :attr:`scene`.
            finding: what came of it.

        Returns:
            The finding, with what is doubtful about its order.
        """
        if finding.failure is not None:
            return attrs.evolve(finding, failure=attrs.evolve(finding.failure, advice=_ADVICE))
        matched = finding.matched
        if matched is None:
            return finding
        in_order = self._goes_on_in_order(assertion, matched)
        place = _place_of_equal(self.scene.turn, matched)
        if place is None:
            note = f"{_named(matched)} happened before the user's message, where Rasa itself stops with an error"
            failure = None if in_order else _out_of_order(matched)
            finding = attrs.evolve(finding, notes=(*finding.notes, note), failure=failure)
        elif place + 1 < len(self.scene.turn):
            self.scene = _behind(self.scene, place)
        if in_order or finding.failure is not None:
            return finding
        pitfall = f"{_named(matched)} does not come after what the assertions before matched, which goes unnoticed here"
        return attrs.evolve(finding, pitfalls=(*finding.pitfalls, pitfall))

    def _goes_on_in_order(self, assertion: RasaAssertion, matched: RawEvent) -> bool:
        """Whether what remains holds a match, too; then what comes after it remains."""
        found: RawEvent | None = matched
        if len(self._rest.within(wide=assertion.wide)) < len(self.scene.within(wide=assertion.wide)):
            found = assertion.evaluate(self._rest).matched
        if found is None:
            return False
        prior, turn = self._rest.prior, self._rest.turn
        behind = next(place for place, one in enumerate((*prior, *turn), 1) if one is found)
        self._rest = attrs.evolve(self._rest, prior=prior[behind:], turn=turn[max(0, behind - len(prior)) :])
        return True


def _behind(scene: Scene, place: int) -> Scene:
    return attrs.evolve(scene, prior=(*scene.prior, *scene.turn[: place + 1]), turn=scene.turn[place + 1 :])


def _place_of_equal(events: Sequence[RawEvent], event: RawEvent) -> int | None:
    """Rasa looks for the first event that equals the matched one, not for that one itself."""
    key = _key(event)
    return next((place for place, one in enumerate(events) if one["event"] == event["event"] and _key(one) == key), None)


def _key(event: RawEvent) -> list[Any]:
    kind = event["event"]
    if kind == "bot":
        return [event.get("text"), event.get("data"), metadata_of(event)]
    if kind == "action":
        return [event.get("name"), event.get("action_text"), metadata_of(event)]
    if kind.startswith("flow_"):
        return [event.get("flow_id"), event.get("step_id"), event.get("skill_id")]
    if kind == "slot":
        return [event.get("name"), event.get("value")]
    return [{name: value for name, value in event.items() if name not in ("timestamp", "metadata")}]


def _out_of_order(event: RawEvent) -> Failure:
    expected = "to match its assertions in their order"
    return Failure(expected=expected, found=f"but {_named(event)} comes before what an earlier one matched", advice=_ADVICE)


def _named(event: RawEvent) -> str:
    name = next((event[key] for key in ("flow_id", "name", "key", "tool_name", "skill_id", "text") if event.get(key)), "")
    return f"the {event['event'].replace('_', ' ')} event {name!r}"
