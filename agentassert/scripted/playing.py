"""Playing scripts: which step answers a request, and what does not fit."""

from __future__ import annotations

import contextlib
import threading
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Final

import attrs

from agentassert.scripted.faults import Fault, HttpFailure, Silence
from agentassert.scripted.problems import Problem
from agentassert.scripted.requests import ScriptedRequest
from agentassert.scripted.scripts import Script, answer_of
from agentassert.scripted.steps import Answer, Reply, Step
from agentassert.text.nearest import did_you_mean

_ATTEMPT: Final = "x-stainless-retry-count"
"""What the clients of OpenAI and Anthropic count, from 0, the times in that they have sent a request again."""

_REPEATED: Final = "then_repeats"
_GONE: Final = "The step for a client that is to give up waiting is time_out()."
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
        return None if self.script.then_repeats is None else (self.script.then_repeats, _REPEATED)


@attrs.frozen
class Played:
    """What answers a request, and the step that it uses up; `None` for what takes none."""

    answer: Answer
    step: str | None = None


@attrs.frozen(eq=False)
class _Unsettled:
    """An answer that a client may send its request again for.

    Args:
        delivered: whether the client was still there when it began; `problem`: what there is to say when it does not ask again.
    """

    played: Played
    attempt: int
    delivered: bool = True
    problem: Problem | None = None

    @property
    def stays(self) -> bool:
        """Whether that request gets this answer again, whatever steps there are."""
        answer = self.played.answer
        return not self.delivered or (isinstance(answer, Fault) and not answer.retry)


@attrs.frozen(eq=False)
class Asking:
    """A request from its arrival until its answer was sent.

    Args:
        key: the same for the same request, sent again.
        earlier: what came of it before; `None` where this is its first attempt.
    """

    key: Hashable
    earlier: _Unsettled | None

    @property
    def attempt(self) -> int:
        """The how-manieth time it is that this request comes."""
        return 1 if self.earlier is None else self.earlier.attempt + 1


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
        self._asking: Counter[Hashable] = Counter()
        self._lock = threading.Condition()

    @contextlib.contextmanager
    def asking(self, key: Hashable, headers: Mapping[str, str]) -> Iterator[Asking]:
        """The time from the arrival of a request until its answer was sent.

        A client that gave up waiting may ask again while a function still computes what it gave up: that goes first.
        """
        attempt = headers.get(_ATTEMPT)
        with self._lock:
            while attempt not in (None, "0") and self._asking[key] and key not in self._unsettled:
                self._lock.wait()
            earlier = None if attempt == "0" else self._unsettled.pop(key, None)
            if earlier is not None and earlier.problem is not None:
                self.problems.remove(earlier.problem)
            self._asking[key] += 1
        try:
            yield Asking(key, earlier)
        finally:
            with self._lock:
                self._asking[key] -= 1
                self._lock.notify_all()

    def answer(self, request: ScriptedRequest, asking: Asking) -> Played:
        """The answer to a request."""
        earlier = asking.earlier
        played = earlier.played if earlier is not None and earlier.stays else self._played(request, earlier)
        self._look_at(played.answer, request)
        if isinstance(played.answer, Fault):
            self._unsettle(asking.key, _Unsettled(played, request.attempt))
        return played

    def undelivered(self, request: ScriptedRequest, asking: Asking, played: Played) -> None:
        """A client had gone before its answer came: if it asks again, that is its answer, and otherwise something is amiss."""
        problem = None
        if played.step is not None and not isinstance(played.answer, Silence):
            words = f"request {request.number} went without its answer: its client had gone before {played.step} began"
            problem = Problem(words, request, _GONE)
            self.problems.append(problem)
        self._unsettle(asking.key, _Unsettled(played, request.attempt, delivered=False, problem=problem))

    def object_to(self, problem: Problem, status: int = 400) -> HttpFailure:
        """Keep a problem, and give what the client is told of it, in a way that it does not try again for."""
        self.problems.append(problem)
        return HttpFailure(status=status, message=f"scripted model: {problem.title}", kind="invalid_request_error", retry=False)

    def failed(self, error: BaseException, place: str) -> HttpFailure:
        """Keep what a function of the user's raised, which leaving the block raises again."""
        self.errors.append(error)
        message = f"scripted model: {place} raised {type(error).__name__}, which leaving its block raises again"
        return HttpFailure(status=400, message=message, kind="invalid_request_error", retry=False)

    def _played(self, request: ScriptedRequest, earlier: _Unsettled | None) -> Played:
        part = self._part_for(request)
        if not isinstance(part, Part):
            return Played(part)
        with self._lock:
            taken = part.take()
        if taken is not None:
            return self._computed(*taken, request)
        if earlier is not None and isinstance(earlier.played.answer, Fault):
            return Played(attrs.evolve(earlier.played.answer, retry=False))
        return Played(self.object_to(Problem(_exhausted(part.script, request), request, _EXHAUSTED)))

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

    def _computed(self, step: Step, place: str, request: ScriptedRequest) -> Played:
        used = None if place == _REPEATED else place
        if isinstance(step, (Reply, Fault)):
            return Played(step, used)
        try:
            return Played(answer_of(step(request), f"what {place} gave"), used)  # type: ignore[operator]  # what is left is a function
        except BaseException as error:  # the user's, raised again where the block is left
            return Played(self.failed(error, place))

    def _look_at(self, answer: Answer, request: ScriptedRequest) -> None:
        """Models ask for tools that there are not, and scripts by mistake: a hint, should something not fit."""
        for asked in answer.tool_requests if isinstance(answer, Reply) and request.tools else ():
            if asked.name not in request.tools:
                words = f"The answer to request {request.number} asked for {asked.name!r}, which was not offered"
                self.hints.append("; ".join(filter(None, (words, did_you_mean(asked.name, request.tools)))))

    def _unsettle(self, key: Hashable, unsettled: _Unsettled) -> None:
        with self._lock:
            self._unsettled[key] = unsettled


def _holds(given: object, number: int) -> bool:
    if not isinstance(given, bool):
        raise TypeError(f"'when' of script {number} must give True or False, but gave {given!r}")
    return given


def _exhausted(script: Script, request: ScriptedRequest) -> str:
    steps = len(script.steps)
    used = "has no steps" if steps == 0 else f"had {steps} step{'s' if steps > 1 else ''}, all used"
    return f"request {request.number} came, but its script {used}"
