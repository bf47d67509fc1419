"""Assertions on an invocation's output that a judge decides."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Self

from agentassert import render
from agentassert.assertions.base import Chain, said
from agentassert.checks.hidden import hidden_output
from agentassert.checks.messages import said_by_user
from agentassert.checks.view import NO_MARKS, Marks, View, depends_on_strays
from agentassert.errors import JudgeError, NotRecordedError
from agentassert.failures import Failure, hidden
from agentassert.records import NOT_RECORDED

if TYPE_CHECKING:
    from agentassert.judges.criteria import Criterion
    from agentassert.judges.judge import Judge
    from agentassert.judges.responses import ResponseJudge

__tracebackhide__ = hidden


class JudgingAssertions(Chain):
    """What no exact check can decide about an invocation's output."""

    def output_satisfies(self, *criteria: str | Criterion, judge: Judge) -> Self:
        """Pass when the judge finds that the output text satisfies every criterion; not being sure is no pass.

        The judge is told the invocation's input, and the sources that it retrieved where a retriever was seen.

        Args:
            criteria: what it must satisfy, one criterion for each thing that can go wrong.
            judge: who decides.

        Raises:
            AgentAssertionError: when one is not satisfied, with the judge's reasoning; or when there is no output text.
            JudgeError: when there is no usable verdict on each criterion.
            TypeError, ValueError: without criteria, or when `judge` is no judge.

        Example:
            >>> from agentassert.judges import Judge
            >>> answer = '{"assessments": [{"criterion": 1, "reasoning": "It says so.", "verdict": "satisfied"}]}'
            >>> chain = assert_that(cap).output_satisfies("says that the booking is cancelled", judge=Judge(lambda prompt: answer))
        """
        from agentassert.assertions.judged import unsatisfied
        from agentassert.judges.judge import Judge, checked_criteria

        if not isinstance(judge, Judge):
            raise TypeError(f"output_satisfies: judge must be a Judge, but was {render.value(judge)}")
        asked = checked_criteria(criteria)

        def check(view: View) -> Failure | Marks:
            text = _output_text(view)
            if isinstance(text, Failure):
                return text
            judgement = judge.evaluate(text, *asked, given=_question(view), based_on=_sources(view) or None)
            return unsatisfied(judgement, text) or NO_MARKS

        return self._passes(check, said("output_satisfies", *(one.text for one in asked)), scoped=False)

    def has_relevant_output(self, threshold: float, *, judge: ResponseJudge) -> Self:
        """Pass when the output answers the invocation's input well enough.

        Args:
            threshold: the least score, above 0 and at most 1.
            judge: who scores: a `RatingJudge`, a `StatementJudge`, or anything with their two methods.

        Raises:
            AgentAssertionError: when the score is lower, with the judge's reasoning; or when there is no output text.
            NotRecordedError: when the invocation's input was not recorded.
            JudgeError: when there is no usable score.
            ValueError: when the threshold is out of range.

        Example:
            >>> from agentassert.judges import RatingJudge
            >>> judge = RatingJudge(lambda prompt: '{"reasoning": "It does.", "rating": 5}')
            >>> chain = assert_that(cap).has_relevant_output(0.8, judge=judge)
        """
        checked_threshold("has_relevant_output", threshold)
        check_scores("has_relevant_output", judge)

        def score(view: View, answer: str) -> float | Failure:
            question = _question(view)
            if question is None:
                return Failure(
                    expected="to have a relevant output",
                    found="but what it was asked is not recorded, so nobody knows",
                    kind=NotRecordedError,
                )
            return judge.relevance(question=question, answer=answer)

        return self._passes(_scored("relevant", threshold, score), said("has_relevant_output", threshold), scoped=False)

    def has_grounded_output(
        self, threshold: float, *, judge: ResponseJudge, ground_truth: str | Iterable[str] | None = None
    ) -> Self:
        """Pass when the output says only what its sources say, well enough.

        Args:
            threshold: the least score, above 0 and at most 1.
            judge: who scores: a `RatingJudge`, a `StatementJudge`, or anything with their two methods.
            ground_truth: what the output may rest on; when it is left out, the sources that were retrieved in scope.

        Raises:
            AgentAssertionError: when the score is lower, with the judge's reasoning; or when nothing was retrieved.
            NotRecordedError: without `ground_truth`, when no retriever was seen.
            JudgeError: when there is no usable score.
            ValueError: when the threshold is out of range, or the ground truth blank.

        Example:
            >>> from agentassert.judges import RatingJudge
            >>> judge = RatingJudge(lambda prompt: '{"reasoning": "All of it.", "rating": 5}')
            >>> chain = assert_that(cap).has_grounded_output(0.8, judge=judge, ground_truth="MS-777 was cancelled.")
        """
        checked_threshold("has_grounded_output", threshold)
        check_scores("has_grounded_output", judge)
        given = checked_ground_truth("has_grounded_output", ground_truth)

        def score(view: View, answer: str) -> float | Failure:
            truth = given
            if truth is None:
                sources = view.sources
                if sources is NOT_RECORDED:
                    return Failure(
                        expected="to have a grounded output",
                        found="but no retriever was seen, so nobody knows what it may rest on",
                        advice="Say it yourself: has_grounded_output(threshold, judge=…, ground_truth=…).",
                        kind=NotRecordedError,
                    )
                if not sources:
                    return Failure(expected="to have a grounded output", found="but it retrieved nothing that it could rest on")
                if view.stray_sources:
                    return depends_on_strays("to have a grounded output", "sources")
                truth = "\n\n".join(one.text for one in sources)
            return judge.groundedness(answer=answer, ground_truth=truth)

        return self._passes(_scored("grounded", threshold, score), said("has_grounded_output", threshold), scoped=given is None)


def checked_threshold(method: str, threshold: float) -> None:
    """Refuse a threshold that every score, or none, would reach."""
    if isinstance(threshold, bool) or not isinstance(threshold, (int, float)):
        raise TypeError(f"{method}: threshold must be a number, but was {render.value(threshold)}")
    if not 0 < threshold <= 1:
        raise ValueError(f"{method}: threshold must be more than 0 and at most 1, but was {threshold!r}")


def checked_score(score: Any) -> float:
    """A judge's score, when it is a number from 0 to 1.

    Raises:
        JudgeError: when it is none.
    """
    if isinstance(score, bool) or not isinstance(score, (int, float)) or not 0 <= score <= 1:
        raise JudgeError(f"a judge's score must be a number from 0 to 1, but was {render.value(score)}")
    return score


def _scored(what: str, threshold: float, score: Callable[[View, str], float | Failure]) -> Callable[[View], Failure | Marks]:
    def check(view: View) -> Failure | Marks:
        answer = _output_text(view)
        if isinstance(answer, Failure):
            return answer
        found = score(view, answer)
        if isinstance(found, Failure):
            return found
        if checked_score(found) >= threshold:
            return NO_MARKS
        return too_low(f"to have a {what} output", threshold, found, f"the output: {render.value(answer)}")

    return check


def too_low(expected: str, threshold: float, score: float, judged: str) -> Failure:
    """The failure of a score below a threshold, with what the judge says about it."""
    reasoning = getattr(score, "reasoning", "")
    return Failure(
        expected=f"{expected}, scored {threshold:g} or more",
        found=f"but it was scored {score:.3g}",
        details=(*([f"the judge: {reasoning}"] if reasoning else []), judged),
        wanted=threshold,
        actual=float(score),
    )


def _output_text(view: View) -> str | Failure:
    text, expected = view.root.output_text, "to have an output text to judge"
    if text is None or not text.strip():
        return hidden_output(expected, view.root) or Failure(expected=expected, found="but it has none", actual=text)
    return text


def _question(view: View) -> str | None:
    """What was asked: the user's last message, or an input that is none as it is."""
    asked = view.root.input
    text = said_by_user(asked)
    if text is None and asked is not None:
        text = render.json_text(asked)
    return text if text and text.strip() else None


def _sources(view: View) -> list[str] | None:
    sources = view.root.sources
    return None if sources is NOT_RECORDED else [one.text for one in sources]


def checked_ground_truth(method: str, given: str | Iterable[str] | None) -> str | None:
    """What an answer may rest on as one text, where it is given."""
    from agentassert.judges.judge import checked_sources

    if given is None:
        return None
    text = given if isinstance(given, str) else "\n\n".join(checked_sources(given))
    if not text.strip():
        raise ValueError(f"{method}: ground_truth must not be blank: leave it out to use what was recorded")
    return text


def check_scores(method: str, judge: Any) -> None:
    """Refuse what does not score responses."""
    from agentassert.judges.responses import ResponseJudge

    if not isinstance(judge, ResponseJudge):
        raise TypeError(
            f"{method}: judge must score responses, as RatingJudge and StatementJudge do, but was {render.value(judge)}"
        )
