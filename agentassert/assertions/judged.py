"""The chain over a text that a judge decides on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from agentassert.assertions.given import text_argument
from agentassert.assertions.misuse import Guarded
from agentassert.assertions.soft import collected
from agentassert.failures import Failure, hidden
from agentassert.judges.judge import checked_context, checked_sources
from agentassert.render import value

if TYPE_CHECKING:
    from agentassert.judges.criteria import Criterion, Judgement
    from agentassert.judges.judge import Judge

__tracebackhide__ = hidden


class JudgedTextAssertion(Guarded):
    """Assertions on a text, decided by a judge. Made by `Judge.assert_that`.

    Example:
        >>> answer = '{"assessments": [{"criterion": 1, "reasoning": "It greets.", "verdict": "satisfied"}]}'
        >>> chain = Judge(lambda prompt: answer).assert_that("Hello Ann").given("Hi").satisfies("greets back")
    """

    def __init__(self, judge: Judge, text: str) -> None:
        self._judge = judge
        self._text = text
        self._given: str | Sequence[Mapping[str, Any]] | None = None
        self._sources: list[str] | None = None
        self._description: str | None = None
        self.__agentassert_checked__ = False

    def given(self, context: str | Sequence[Mapping[str, Any]]) -> Self:
        """Say what the text answers. Only the text is judged, never this.

        Args:
            context: the user's message, or a conversation of mappings with `role` and `content`.

        Raises:
            TypeError, ValueError: when it is neither, or blank.

        Example:
            >>> chain = Judge(lambda prompt: "").assert_that("Hello").given("Hi")
        """
        checked_context(context)
        self._given = context
        return self

    def based_on(self, *sources: str) -> Self:
        """Say what the text may rest on, for criteria about its sources.

        Args:
            sources: texts.

        Raises:
            TypeError, ValueError: when there are none, or one is no text.

        Example:
            >>> chain = Judge(lambda prompt: "").assert_that("Rome").based_on("The capital of Italy is Rome.")
        """
        self._sources = checked_sources(sources)
        return self

    def described_as(self, text: str) -> Self:
        """Begin the message of a failure with `[text]`.

        Raises:
            TypeError, ValueError: when it is no text, or empty.

        Example:
            >>> chain = Judge(lambda prompt: "").assert_that("Hello").described_as("greeting")
        """
        self._description = text_argument("described_as", text, "text", empty_one="describes nothing")
        return self

    def satisfies(self, *criteria: str | Criterion) -> Self:
        """Pass when the judge finds every criterion satisfied; not being sure is no pass.

        Args:
            criteria: what the text must satisfy, one criterion for each thing that can go wrong.

        Raises:
            AgentAssertionError: when one is not satisfied, with the judge's reasoning for each.
            JudgeError: when there is no usable verdict on each criterion.
            TypeError, ValueError: without criteria.

        Example:
            >>> answer = '{"assessments": [{"criterion": 1, "reasoning": "It does not.", "verdict": "not_satisfied"}]}'
            >>> try:
            ...     chain = Judge(lambda prompt: answer).assert_that("Yes.").satisfies("greets the customer")
            ... except AssertionError as error:
            ...     print(error)
            Expected the judged text to satisfy 1 criterion,
            but 1 was not satisfied:
              greets the customer: not satisfied: It does not.
              The text: 'Yes.'
        """
        self.__agentassert_checked__ = True
        return self._told(self._judge.evaluate(self._text, *criteria, given=self._given, based_on=self._sources))

    async def satisfies_async(self, *criteria: str | Criterion) -> Self:
        """As :meth:`satisfies`, awaited.

        Raises:
            AgentAssertionError: when one is not satisfied.
            JudgeError: when there is no usable verdict on each criterion.
            TypeError, ValueError: without criteria.

        Example:
            >>> import asyncio
            >>> answer = '{"assessments": [{"criterion": 1, "reasoning": "It greets.", "verdict": "satisfied"}]}'
            >>> async def model(prompt):
            ...     return answer
            >>> chain = asyncio.run(Judge(model).assert_that("Hello").satisfies_async("greets the customer"))
        """
        self.__agentassert_checked__ = True
        return self._told(await self._judge.evaluate_async(self._text, *criteria, given=self._given, based_on=self._sources))

    def _told(self, judgement: Judgement) -> Self:
        failure = unsatisfied(judgement, self._text)
        if failure is not None:
            error = failure.error("the judged text", description=self._description)
            if not collected(error):
                raise error
        return self


def unsatisfied(judgement: Judgement, text: str) -> Failure | None:
    """What a judgement finds wrong with a text; `None` when nothing is.

    Example:
        >>> from agentassert.judges.criteria import Assessment, Criterion, Judgement, JudgeVerdict
        >>> unsatisfied(Judgement((Assessment(Criterion("is polite"), JudgeVerdict.SATISFIED, "It is."),)), "Please.") is None
        True
    """
    failed = [one for one in judgement.assessments if not one.satisfied]
    if not failed:
        return None
    count = len(judgement.assessments)
    lines = [f"{one.criterion.text}: {one.verdict.replace('_', ' ')}: {one.reasoning or 'no reason given'}" for one in failed]
    return Failure(
        expected=f"to satisfy {count} criteri{'on' if count == 1 else 'a'}",
        found=f"but {len(failed)} {'was' if len(failed) == 1 else 'were'} not satisfied",
        details=(*lines, f"The text: {value(text)}"),
        wanted=tuple(one.criterion.text for one in judgement.assessments),
        actual=text,
    )
