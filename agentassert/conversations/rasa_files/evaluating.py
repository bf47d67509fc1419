"""Whether a test case holds, by Rasa's rules."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import attrs

from agentassert.conversations.rasa.checking import Pitfalls, StepVerdict, check_step
from agentassert.conversations.rasa_files.format import LegacyStep, Remark, Step, UserStep
from agentassert.conversations.rasa_files.legacy import Mismatch, mismatch
from agentassert.conversations.rasa_files.loading import ReadyCase
from agentassert.conversations.rasa_files.outcomes import CaseOutcome, StepOutcome, telling
from agentassert.conversations.rasa_files.server import ServerError
from agentassert.conversations.rasa_files.talking import Talk
from agentassert.errors import JudgeError, RasaPitfallWarning
from agentassert.judges.responses import ResponseJudge
from agentassert.suites.outcomes import CaseStatus


def evaluate(ready: ReadyCase, talk: Talk, *, judge: ResponseJudge, pitfalls: Pitfalls) -> CaseOutcome:
    """Say a test case's messages, and hold what happened against what it expects.

    Args:
        ready: the test case.
        talk: who answers.
        judge: who scores generated responses.
        pitfalls: what follows where Rasa's verdict is hardly what was meant.

    Raises:
        ServerError: when the assistant cannot be reached, or its answer cannot be read.
        JudgeError: when there is no judge, or it gives no usable score.
    """
    outcome = _by_assertions(ready, talk, judge, pitfalls) if ready.case.asserts else _by_legacy_steps(ready, talk)
    outcome = attrs.evolve(outcome, remarks=tuple(dict.fromkeys((*ready.remarks, *outcome.remarks))))
    return _decided(outcome) if pitfalls == "fail" else outcome


def broken(ready: ReadyCase, error: ServerError | JudgeError) -> CaseOutcome:
    """The outcome of a case that could not be evaluated."""
    line = ready.case.line
    return CaseOutcome(
        case=ready.case, file=ready.file, status=CaseStatus.ERROR, reason=str(error), line=line, remarks=ready.remarks
    )


def _decided(outcome: CaseOutcome) -> CaseOutcome:
    """What passes by a pitfall fails."""
    deciding = [one for one in outcome.remarks if one.decides]
    if outcome.status is not CaseStatus.PASSED or not deciding:
        return outcome
    reason = "Rasa's rules alone let it pass: " + "; ".join(one.words for one in deciding)
    return attrs.evolve(outcome, status=CaseStatus.FAILED, reason=reason, line=deciding[0].line)


def _by_legacy_steps(ready: ReadyCase, talk: Talk) -> CaseOutcome:
    steps: list[StepOutcome] = []
    prior = telling(talk.news)
    for step, found in _walk(ready, talk):
        if isinstance(found, Mismatch):
            subject = f"the turn {steps[-1].user!r}" if steps else "the start of the session"
            outcome = _failed(ready, steps, prior, found.step.line, found.failure.text(subject))
            return attrs.evolve(outcome, difference=found.difference)
        if isinstance(step, UserStep):
            if not found:
                return _failed(ready, steps, prior, step.line, f"the conversation has no further user message {step.text!r}")
            steps.append(StepOutcome(user=step.text, line=step.line, events=telling(talk.news)))
    return _passed(ready, steps, prior)


def _walk(ready: ReadyCase, talk: Talk) -> Iterator[tuple[Step, Mismatch | bool]]:
    """Say each message, and hold each legacy step against what followed; whether that went well."""
    messages = iter(ready.messages)
    for step in ready.case.steps:
        if isinstance(step, UserStep):
            yield step, talk.say(step.text, next(messages))
        else:
            yield step, mismatch(step, talk.news) or True


def _by_assertions(ready: ReadyCase, talk: Talk, judge: ResponseJudge, pitfalls: Pitfalls) -> CaseOutcome:
    stopped = next((found for _, found in _walk(ready, talk) if isinstance(found, Mismatch)), None)
    remarks = [] if stopped is None else [_stopped(stopped)]
    conversation = talk.conversation()
    prior = telling(conversation.prior.events)
    steps: list[StepOutcome] = []
    messages = iter(ready.messages)
    for index, step in enumerate(ready.case.steps):
        sent = next(messages) if isinstance(step, UserStep) else {}
        if isinstance(step, LegacyStep) or not step.assertions:
            continue
        wanted = sent if step.metadata is not None else None
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", RasaPitfallWarning)
            verdict = check_step(
                conversation,
                step.assertions,
                user=step.text,
                step=index,
                ordered=bool(step.ordered),
                judge=judge,
                metadata=wanted,
                pitfalls=pitfalls,
            )
        remarks += _remarks(step, caught)
        steps.append(_step_outcome(step, verdict))
        if verdict.failure is not None:
            outcome = _failed(ready, steps, prior, step.line_of(verdict.assertion, verdict.entry), str(verdict.failure))
            assertion = None if verdict.assertion is None else step.assertions[verdict.assertion]
            return attrs.evolve(outcome, assertion=assertion, prior=telling(verdict.prior), remarks=tuple(remarks))
    return attrs.evolve(_passed(ready, steps, prior), remarks=tuple(remarks))


def _stopped(found: Mismatch) -> Remark:
    words = f"the step {found.step.kind!r} does not hold, where Rasa sends no further message; but assertions alone decide"
    return Remark(found.step.line, words)


def _step_outcome(step: UserStep, verdict: StepVerdict) -> StepOutcome:
    kinds = [next(iter(one)) for one in step.assertions or ()]
    return StepOutcome(
        user=step.text,
        line=step.line,
        events=telling(verdict.turn),
        passed=tuple(kinds[: verdict.passed]),
        failed=None if verdict.assertion is None else kinds[verdict.assertion],
    )


def _remarks(step: UserStep, caught: list[warnings.WarningMessage]) -> list[Remark]:
    """The pitfalls among the warnings; the others are passed on."""
    for one in caught:
        if not issubclass(one.category, RasaPitfallWarning):
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    return [Remark(step.line, str(one.message), decides=False) for one in caught if issubclass(one.category, RasaPitfallWarning)]


def _passed(ready: ReadyCase, steps: list[StepOutcome], prior: tuple[Any, ...]) -> CaseOutcome:
    return CaseOutcome(case=ready.case, file=ready.file, status=CaseStatus.PASSED, steps=tuple(steps), prior=prior)


def _failed(ready: ReadyCase, steps: list[StepOutcome], prior: tuple[Any, ...], line: int, reason: str) -> CaseOutcome:
    outcome = _passed(ready, steps, prior)
    return attrs.evolve(outcome, status=CaseStatus.FAILED, reason=reason, line=line)
