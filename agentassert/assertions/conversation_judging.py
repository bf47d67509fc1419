"""Assertions on a bot's messages that a judge decides."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Self

import attrs

from agentassert import render
from agentassert.assertions.given import text_argument
from agentassert.assertions.judging import check_scores, checked_ground_truth, checked_score, checked_threshold, too_low
from agentassert.checks.conversation import Passage
from agentassert.checks.conversation_messages import MessagePattern, ground_truth, only_response
from agentassert.errors import NotRecordedError
from agentassert.failures import Failure, hidden
from agentassert.turns import BotMessage, Turn

if TYPE_CHECKING:
    from agentassert.judges.responses import ResponseJudge

__tracebackhide__ = hidden


@attrs.frozen(kw_only=True)
class Judging:
    """What is asked of a judge, checked.

    Args:
        threshold: the least score.
        judge: who scores.
        pattern: which message is meant.
        ground_truth: what it may rest on, where that is given.
    """

    threshold: float
    judge: ResponseJudge
    pattern: MessagePattern
    ground_truth: str | None = None

    @classmethod
    def of(
        cls,
        method: str,
        threshold: float,
        judge: Any,
        name: str | None,
        source: str | None,
        truth: str | Iterable[str] | None = None,
    ) -> Self:
        """The arguments of an assertion, of which each is checked.

        Raises:
            TypeError, ValueError: naming the argument that is wrong.
        """
        checked_threshold(method, threshold)
        check_scores(method, judge)
        for what, given in (("name", name), ("source", source)):
            if given is not None:
                text_argument(method, given, what)
        pattern = MessagePattern(name=name, source=source)
        return cls(threshold=threshold, judge=judge, pattern=pattern, ground_truth=checked_ground_truth(method, truth))


def relevant(passage: Passage, judging: Judging) -> Failure | int:
    """The message answers what the user said; the place of it."""
    message = only_response(passage, judging.pattern)
    if isinstance(message, Failure):
        return message
    question = _question(passage, message)
    if not question:
        return Failure(
            expected="to have given a relevant response",
            found="but no words of the user came before it",
            kind=NotRecordedError,
        )
    return _judged(judging, "relevant", message, judging.judge.relevance(question=question, answer=message.text or ""))


def grounded(passage: Passage, judging: Judging) -> Failure | int:
    """The message says only what the ground truth says; the place of it."""
    message = only_response(passage, judging.pattern)
    if isinstance(message, Failure):
        return message
    truth = judging.ground_truth or ground_truth(message.metadata)
    if not truth.strip():
        return Failure(
            expected="to have given a grounded response",
            found="but what it may rest on was not recorded, so nobody knows",
            advice="Say it yourself: has_grounded_response(threshold, judge=…, ground_truth=…).",
            kind=NotRecordedError,
        )
    return _judged(judging, "grounded", message, judging.judge.groundedness(answer=message.text or "", ground_truth=truth))


def _judged(judging: Judging, what: str, message: BotMessage, score: Any) -> Failure | int:
    if checked_score(score) >= judging.threshold:
        return message.order
    return too_low(f"to have given a {what} response", judging.threshold, score, f"the response: {render.value(message.text)}")


def _question(passage: Passage, message: BotMessage) -> str | None:
    turn = next(one for one in passage.stretches if message in one.bot_messages)
    return turn.user.text if isinstance(turn, Turn) else None
