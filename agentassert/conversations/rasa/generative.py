"""Assertions on generated responses, which a judge scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Self

import attrs

from agentassert import render
from agentassert.assertions.judging import check_scores, too_low
from agentassert.checks.conversation_messages import ground_truth
from agentassert.conversations.rasa import shapes
from agentassert.conversations.rasa.scene import Finding, RasaAssertion, Scene, of_kind, source_of
from agentassert.errors import JudgeError
from agentassert.failures import Failure
from agentassert.raw_events import RawEvent, metadata_of

if TYPE_CHECKING:
    from agentassert.judges.responses import ResponseJudge

GENERATIVE_SOURCES: Final = ("EnterpriseSearchPolicy", "ContextualResponseRephraser", "IntentlessPolicy")


@attrs.frozen
class GenerativeResponse(RasaAssertion):
    """`generative_response_is_relevant` and `generative_response_is_grounded`."""

    kind: str
    threshold: float
    name: str | None
    source: str | None
    ground_truth: str | None

    @classmethod
    def read(cls, kind: str, body: Any) -> Self:
        grounded = kind == "generative_response_is_grounded"
        given = shapes.fields(kind, body, ("threshold",), ("utter_name", "utter_source", *(["ground_truth"] if grounded else [])))
        threshold = given["threshold"]
        if isinstance(threshold, bool) or not isinstance(threshold, (int, float)):
            shapes.refuse(kind, f"'threshold' must be a number, but was {render.value(threshold)}")
        truth = given.get("ground_truth")
        if truth is not None and not isinstance(truth, str):
            shapes.refuse(kind, f"'ground_truth' must be a text, but was {render.value(truth)}")
        name, source = (shapes.optional_text(kind, given, one) for one in ("utter_name", "utter_source"))
        return cls(kind, float(threshold), name, source, truth)

    @property
    def needs(self) -> tuple[str, ...]:
        return ("responses", "messages")

    def evaluate(self, scene: Scene) -> Finding:
        candidates = self._candidates(scene)
        if isinstance(candidates, Failure):
            return Finding(failure=candidates)
        if scene.judge is None:
            raise ValueError(f"{self.kind} needs a judge: check(…, judge=RatingJudge(model))")
        check_scores(self.kind, scene.judge)
        response = candidates[0]
        text = str(response.get("text") or "")
        score = self._score(scene.judge, scene.user, text, response)
        if isinstance(score, bool) or not isinstance(score, (int, float)) or score != score:  # noqa: PLR0124  # NaN
            raise JudgeError(f"a judge's score must be a number from 0 to 1, but was {render.value(score)}")
        pitfalls = tuple(self._pitfalls(candidates, score))
        if score >= self.threshold:
            return Finding(matched=response, pitfalls=pitfalls)
        expected = f"to have given a {self._adjective} response"
        failure = too_low(expected, self.threshold, score, f"the response: {render.value(text)}")
        return Finding(failure=failure, pitfalls=pitfalls)

    @property
    def _adjective(self) -> str:
        return self.kind.removeprefix("generative_response_is_")

    def _candidates(self, scene: Scene) -> list[RawEvent] | Failure:
        """The messages that can be meant, of which the first one is."""
        sources = GENERATIVE_SOURCES if self.source is None else (self.source,)
        everything = tuple(of_kind(scene.turn, "bot"))
        candidates = [one for one in everything if source_of(one) in sources]
        expected = f"to have given a generated response by {' or '.join(map(repr, sources))}"
        if not candidates:
            there = ", ".join(dict.fromkeys(repr(source_of(one)) for one in everything)) or "nothing"
            return Failure(
                expected=expected,
                found=f"but what it said came from {there}",
                advice=None if self.source is not None else "Name another source with utter_source.",
                wanted=sources,
            )
        named = [one for one in candidates if self.name is None or metadata_of(one).get("utter_action") == self.name]
        if named:
            return named
        names = ", ".join(map(_name_of, candidates))
        return Failure(expected=f"{expected} with the name {self.name!r}", found=f"but there is {names}", wanted=self.name)

    def _score(self, judge: ResponseJudge, user: str, text: str, response: RawEvent) -> float:
        if self.kind == "generative_response_is_relevant":
            return judge.relevance(question=user, answer=text)
        return judge.groundedness(answer=text, ground_truth=self._truth(response))

    def _truth(self, response: RawEvent) -> str:
        return ground_truth(metadata_of(response)) if self.ground_truth is None else self.ground_truth

    def _pitfalls(self, candidates: list[RawEvent], score: float) -> list[str]:
        found = []
        if len(candidates) > 1:
            found.append(
                f"{len(candidates)} responses can be meant, and the first is scored: say which by utter_name or utter_source"
            )
        if self._adjective == "grounded" and not self._truth(candidates[0]).strip():
            found.append("nothing is recorded that the response may rest on, so it was scored against an empty text")
        if not 0 < self.threshold <= 1:
            always = "every" if self.threshold <= 0 else "no"
            found.append(f"the threshold {self.threshold:g} is not between 0 and 1: {always} score reaches it")
        if not 0 <= score <= 1:
            found.append(f"the judge's score {score:g} is not between 0 and 1")
        return found


def _name_of(event: RawEvent) -> str:
    name = metadata_of(event).get("utter_action")
    return "one without a name" if name is None else repr(name)
