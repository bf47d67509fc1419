"""Whether a test case holds, by Rasa's rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs

from agentassert.checks.conversation import slot_value
from agentassert.checks.values import equal
from agentassert.conversations.rasa.checking import Pitfalls, StepVerdict, judge_step
from agentassert.conversations.rasa_files.dialogues import Dialogue
from agentassert.conversations.rasa_files.format import LegacyStep, Remark, Step, UserStep
from agentassert.conversations.rasa_files.legacy import Mismatch, mismatch
from agentassert.conversations.rasa_files.loading import ReadyCase
from agentassert.conversations.rasa_files.outcomes import CaseOutcome, StepOutcome, telling
from agentassert.conversations.rasa_files.server import ServerError
from agentassert.errors import JudgeError
from agentassert.jsonlike import snapshot
from agentassert.judges.responses import ResponseJudge
from agentassert.suites.outcomes import CaseStatus


def evaluate(ready: ReadyCase, dialogue: Dialogue, *, judge: ResponseJudge, pitfalls: Pitfalls) -> CaseOutcome:
    """Say a test case's messages, and hold what happened against what it expects.

    Args:
        ready: the test case.
        dialogue: who answers.
        judge: who scores generated responses.
        pitfalls: what follows where Rasa's verdict is hardly what was meant.

    Raises:
        ServerError: when the assistant cannot be reached, or its answer cannot be read.
        JudgeError: when there is no judge, or it gives no usable score.
    """
    unset = list(_unset_fixtures(ready, dialogue))
    outcome = _by_assertions(ready, dialogue, judge, pitfalls) if ready.case.asserts else _by_legacy_steps(ready, dialogue)
    outcome = attrs.evolve(outcome, remarks=tuple(dict.fromkeys((*ready.remarks, *unset, *outcome.remarks))))
    return _decided(outcome) if pitfalls == "fail" else outcome


def broken(ready: ReadyCase, error: ServerError | JudgeError) -> CaseOutcome:
    """The outcome of a case that could not be evaluated."""
    line = ready.case.line
    return CaseOutcome(
        case=ready.case, file=ready.file, status=CaseStatus.ERROR, reason=str(error), line=line, remarks=ready.remarks
    )


def _unset_fixtures(ready: ReadyCase, dialogue: Dialogue) -> Iterator[Remark]:
    """Slots of fixtures that a stored conversation does not begin with."""
    there = [one for one in dialogue.news if one["event"] == "slot"]
    for name, value in ready.slots:
        if not any(one["name"] == name and equal(snapshot(value), one.get("value")) for one in there):
            words = f"a fixture sets the slot {name!r} to {slot_value(name, value)}, but the conversation does not begin with it"
            yield Remark(ready.case.line, words)


def _decided(outcome: CaseOutcome) -> CaseOutcome:
    """What passes by a pitfall fails."""
    deciding = [one for one in outcome.remarks if one.decides]
    if outcome.status is not CaseStatus.PASSED or not deciding:
        return outcome
    reason = "Rasa's rules alone let it pass: " + "; ".join(one.words for one in deciding)
    return attrs.evolve(outcome, status=CaseStatus.FAILED, reason=reason, line=deciding[0].line)


def _by_legacy_steps(ready: ReadyCase, dialogue: Dialogue) -> CaseOutcome:
    steps: list[StepOutcome] = []
    prior = telling(dialogue.news)
    for step, found in _walk(ready, dialogue):
        if isinstance(found, Mismatch):
            subject = f"the turn {steps[-1].user!r}" if steps else "the start of the session"
            outcome = _failed(ready, steps, prior, found.step.line, found.failure.text(subject))
            return attrs.evolve(outcome, difference=found.difference)
        if isinstance(step, UserStep):
            if not found:
                return _failed(ready, steps, prior, step.line, f"the conversation has no further user message {step.text!r}")
            steps.append(StepOutcome(user=step.text, line=step.line, events=telling(dialogue.news)))
    return _passed(ready, steps, prior)


def _walk(ready: ReadyCase, dialogue: Dialogue) -> Iterator[tuple[Step, Mismatch | bool]]:
    """Say each message, and hold each legacy step against what followed; whether that went well."""
    messages = iter(ready.messages)
    for step in ready.case.steps:
        if isinstance(step, UserStep):
            yield step, dialogue.say(step.text, next(messages))
        else:
            yield step, mismatch(step, dialogue.news) or True


def _by_assertions(ready: ReadyCase, dialogue: Dialogue, judge: ResponseJudge, pitfalls: Pitfalls) -> CaseOutcome:
    remarks = list(_left_unsaid(ready, dialogue))
    conversation = dialogue.conversation()
    prior = telling(conversation.prior.events)
    steps: list[StepOutcome] = []
    messages = iter(ready.messages)
    for index, step in enumerate(ready.case.steps):
        sent = next(messages) if isinstance(step, UserStep) else {}
        if isinstance(step, LegacyStep) or not step.assertions:
            continue
        wanted = sent if step.metadata is not None else None
        verdict = judge_step(
            conversation,
            step.assertions,
            user=step.text,
            step=index,
            ordered=bool(step.ordered),
            judge=judge,
            metadata=wanted,
            pitfalls=pitfalls,
        )
        remarks += [Remark(step.line_of(one.assertion), one.words, decides=False) for one in verdict.pitfalls]
        steps.append(_step_outcome(step, verdict))
        if verdict.failure is not None:
            outcome = _failed(ready, steps, prior, step.line_of(verdict.assertion, verdict.entry), str(verdict.failure))
            assertion = None if verdict.assertion is None else step.assertions[verdict.assertion]
            return attrs.evolve(outcome, assertion=assertion, prior=telling(verdict.prior), remarks=tuple(remarks))
    return attrs.evolve(_passed(ready, steps, prior), remarks=tuple(remarks))


def _left_unsaid(ready: ReadyCase, dialogue: Dialogue) -> Iterator[Remark]:
    """Say the messages, up to the first legacy step that does not hold; gives what is doubtful about a pass after that."""
    for step, found in _walk(ready, dialogue):
        if isinstance(found, Mismatch):
            words = (
                f"the step {found.step.kind!r} does not hold, where Rasa sends no further message; but assertions alone decide"
            )
            yield Remark(found.step.line, words)
            return
        if isinstance(step, UserStep) and not found:
            yield Remark(step.line, f"the user never says {step.text!r} in the conversation, or not after the messages before it")


def _step_outcome(step: UserStep, verdict: StepVerdict) -> StepOutcome:
    kinds = [next(iter(one)) for one in step.assertions or ()]
    return StepOutcome(
        user=step.text,
        line=step.line,
        events=telling(verdict.turn),
        passed=tuple(kinds[: verdict.passed]),
        failed=None if verdict.assertion is None else kinds[verdict.assertion],
    )


def _passed(ready: ReadyCase, steps: list[StepOutcome], prior: tuple[Any, ...]) -> CaseOutcome:
    return CaseOutcome(case=ready.case, file=ready.file, status=CaseStatus.PASSED, steps=tuple(steps), prior=prior)


def _failed(ready: ReadyCase, steps: list[StepOutcome], prior: tuple[Any, ...], line: int, reason: str) -> CaseOutcome:
    outcome = _passed(ready, steps, prior)
    return attrs.evolve(outcome, status=CaseStatus.FAILED, reason=reason, line=line)
