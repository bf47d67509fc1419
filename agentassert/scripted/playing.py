"""Playing scripts: which step answers a request, and what does not fit."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Sequence
from typing import Final

import attrs

from agentassert.nearest import did_you_mean
from agentassert.scripted.faults import Fault, HttpFailure
from agentassert.scripted.problems import Problem
from agentassert.scripted.requests import ScriptedRequest
from agentassert.scripted.scripts import Script, answer_of
from agentassert.scripted.steps import Answer, Reply, Step

_ATTEMPT: Final = "x-stainless-retry-count"
"""What the clients of OpenAI and Anthropic count, from 0, the times in that they have sent a request again."""

_EXHAUSTED: Final = "Add a step, or say what answers all further requests: then_repeats=reply(...)."


@attrs.define(eq=False)
class Part:
    """One script, and how far it has been played."""

    script: Script
    played: int = 0

    def take(self) -> tuple[Step, str] | None:
        """The next step with its name; `None` when there is none."""
        if self.played < len(self.script.steps):
            self.played += 1
            return self.script.steps[self.played - 1], f"step {self.played}"
        return None if self.script.then_repeats is None else (self.script.then_repeats, "then_repeats")


@attrs.frozen
class _Unsettled:
    """An answer that a client may send its request again for."""

    answer: Answer
    attempts: int
    delivered: bool

    @property
    def stays(self) -> bool:
        """Whether that request gets this answer again, whatever steps there are."""
        return not self.delivered or (isinstance(self.answer, Fault) and not self.answer.retry)


class Player:
    """Answers requests from scripts.

    Args:
        scripts: one, or several that say which requests are theirs.
    """

    def __init__(self, scripts: Sequence[Script]) -> None:
        self.parts = [Part(script) for script in scripts]
        self.problems: list[Problem] = []
        self.errors: list[BaseException] = []
        self.hints: list[str] = []
        self._unsettled: dict[Hashable, _Unsettled] = {}
        self._lock = threading.Lock()

    def attempt(self, key: Hashable, headers: dict[str, str]) -> int:
        """The how-manieth time it is that this request comes."""
        earlier = self._unsettled.get(key) if _may_be_repeated(headers) else None
        return 1 if earlier is None else earlier.attempts + 1

    def answer(self, request: ScriptedRequest, key: Hashable) -> Answer:
        """The answer to a request.

        Args:
            request: what came.
            key: the same for the same request, sent again.
        """
        with self._lock:
            earlier = self._unsettled.pop(key, None) if request.attempt > 1 else None
        answer = earlier.answer if earlier is not None and earlier.stays else self._played(request, earlier)
        self._look_at(answer, request)
        if isinstance(answer, Fault):
            self._unsettle(key, _Unsettled(answer, request.attempt, delivered=True))
        return answer

    def undelivered(self, request: ScriptedRequest, key: Hashable, answer: Answer) -> None:
        """A client had gone before its answer came: if it asks again, that is its answer."""
        self._unsettle(key, _Unsettled(answer, request.attempt, delivered=False))

    def object_to(self, problem: Problem, status: int = 400) -> HttpFailure:
        """Keep a problem, and give what the client is told of it, in a way that it does not try again for."""
        self.problems.append(problem)
        return HttpFailure(status=status, message=f"scripted model: {problem.title}", kind="invalid_request_error", retry=False)

    def failed(self, error: BaseException, place: str) -> HttpFailure:
        """Keep what a function of the user's raised, which leaving the block raises again."""
        self.errors.append(error)
        message = f"scripted model: {place} raised {type(error).__name__}, which leaving its block raises again"
        return HttpFailure(status=400, message=message, kind="invalid_request_error", retry=False)

    def _played(self, request: ScriptedRequest, earlier: _Unsettled | None) -> Answer:
        part = self._part_for(request)
        if not isinstance(part, Part):
            return part
        with self._lock:
            taken = part.take()
        if taken is not None:
            return self._computed(*taken, request)
        if earlier is not None and isinstance(earlier.answer, Fault):
            return attrs.evolve(earlier.answer, retry=False)
        return self.object_to(Problem(_exhausted(part.script, request), request, _EXHAUSTED))

    def _part_for(self, request: ScriptedRequest) -> Part | HttpFailure:
        if len(self.parts) == 1 and self.parts[0].script.when is None:
            return self.parts[0]
        fitting: list[int] = []
        for index, part in enumerate(self.parts):
            try:
                if part.script.when is not None and _holds(part.script.when(request), index + 1):
                    fitting.append(index)
            except BaseException as error:  # the user's, raised again where the block is left
                return self.failed(error, f"'when' of script {index + 1}")
        fitting = fitting or [index for index, part in enumerate(self.parts) if part.script.when is None]
        if len(fitting) == 1:
            return self.parts[fitting[0]]
        if fitting:
            names = " and ".join(f"script {index + 1}" for index in fitting)
            return self.object_to(Problem(f"request {request.number} is for {names}: 'when' must hold for one of them", request))
        return self.object_to(
            Problem(f"request {request.number} is for none of the scripts: 'when' holds for none of them", request)
        )

    def _computed(self, step: Step, place: str, request: ScriptedRequest) -> Answer:
        if isinstance(step, (Reply, Fault)):
            return step
        try:
            return answer_of(step(request), f"what {place} gave")  # type: ignore[operator]  # all that is left is a function
        except BaseException as error:  # the user's, raised again where the block is left
            return self.failed(error, place)

    def _look_at(self, answer: Answer, request: ScriptedRequest) -> None:
        """Models ask for tools that there are not, and scripts by mistake: a hint, should something not fit."""
        for asked in answer.tool_requests if isinstance(answer, Reply) and request.tools else ():
            if asked.name not in request.tools:
                words = f"The answer to request {request.number} asked for {asked.name!r}, which was not offered"
                self.hints.append("; ".join(filter(None, (words, did_you_mean(asked.name, request.tools)))))

    def _unsettle(self, key: Hashable, unsettled: _Unsettled) -> None:
        with self._lock:
            self._unsettled[key] = unsettled


def _may_be_repeated(headers: dict[str, str]) -> bool:
    return headers.get(_ATTEMPT, "some") != "0"


def _holds(given: object, number: int) -> bool:
    if not isinstance(given, bool):
        raise TypeError(f"'when' of script {number} must give True or False, but gave {given!r}")
    return given


def _exhausted(script: Script, request: ScriptedRequest) -> str:
    steps = len(script.steps)
    used = "has no steps" if steps == 0 else f"had {steps} step{'s' if steps > 1 else ''}, all used"
    return f"request {request.number} came, but its script {used}"
