"""`Judge`: a chat model that says whether texts satisfy criteria."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from agentassert import render, watching
from agentassert.judges.criteria import Assessment, Criterion, Judgement
from agentassert.judges.models import ChatModel, ChatReply, chat_model
from agentassert.judges.prompts import assessments_in, document, instructions_for
from agentassert.token_usage import TokenUsage

if TYPE_CHECKING:
    from agentassert.assertions.judged import JudgedTextAssertion


class Judge:
    """Decides by a chat model whether texts satisfy criteria that no exact check can decide.

    Its requests are recorded in no capture. A judge costs money, varies and errs: ask it specific things, and few.

    Args:
        model: a callable from a prompt to a text (or to an awaitable of one), an OpenAI-compatible client, a LangChain chat model, a
            Pydantic AI agent or model.
        model_name: which model to ask; for an OpenAI-compatible client, and only for that.
        one_request_per_criterion: ask for each criterion by itself, rather than for all at once.
        instructions: what to tell the model in place of the usual instructions; the form of the answer is added to it.

    Raises:
        TypeError: when the model is none of these.

    Example:
        >>> def model(prompt):
        ...     return '{"assessments": [{"criterion": 1, "reasoning": "It greets.", "verdict": "satisfied"}]}'
        >>> judge = Judge(model)
        >>> chain = judge.assert_that("Hello Ann").satisfies("greets the customer by name")
    """

    def __init__(
        self,
        model: Any,
        *,
        model_name: str | None = None,
        one_request_per_criterion: bool = False,
        instructions: str | None = None,
    ) -> None:
        self._model: Final[ChatModel] = chat_model(model, model_name)
        self._apart = one_request_per_criterion
        self._instructions = instructions_for(instructions)

    def assert_that(self, text: str, /) -> JudgedTextAssertion:
        """Begin a chain of assertions on a text.

        Args:
            text: what is judged.

        Raises:
            TypeError: when it is no text.

        Example:
            >>> chain = Judge(lambda prompt: "").assert_that("Hello").given("Who are you?")
        """
        from agentassert.assertions.judged import JudgedTextAssertion

        chain = JudgedTextAssertion(self, checked_text(text))
        watching.chain_begun(chain)
        return chain

    def evaluate(
        self,
        text: str,
        *criteria: str | Criterion,
        given: str | Sequence[Mapping[str, Any]] | None = None,
        based_on: Iterable[str] | None = None,
    ) -> Judgement:
        """Judge a text without failing.

        Args:
            text: what is judged.
            criteria: what it must satisfy.
            given: the user's message that it answers, or a conversation of mappings with `role` and `content`.
            based_on: sources that it may rest on.

        Raises:
            JudgeError: when there is no usable verdict on each criterion.
            TypeError, ValueError: without criteria, or when an argument is no text.

        Example:
            >>> answer = '{"assessments": [{"criterion": 1, "reasoning": "No greeting.", "verdict": "not_satisfied"}]}'
            >>> Judge(lambda prompt: answer).evaluate("Yes.", "greets the customer").satisfied
            False
        """
        requests = self._requests(text, criteria, given, based_on)
        return _judgement([(self._model.ask(self._instructions, message), asked) for message, asked in requests])

    async def evaluate_async(
        self,
        text: str,
        *criteria: str | Criterion,
        given: str | Sequence[Mapping[str, Any]] | None = None,
        based_on: Iterable[str] | None = None,
    ) -> Judgement:
        """As :meth:`evaluate`, awaited.

        Raises:
            JudgeError: when there is no usable verdict on each criterion.
            TypeError, ValueError: without criteria, or when an argument is no text.

        Example:
            >>> import asyncio
            >>> answer = '{"assessments": [{"criterion": 1, "reasoning": "It greets.", "verdict": "satisfied"}]}'
            >>> async def model(prompt):
            ...     return answer
            >>> asyncio.run(Judge(model).evaluate_async("Hello!", "greets the customer")).satisfied
            True
        """
        requests = self._requests(text, criteria, given, based_on)
        return _judgement([(await self._model.ask_async(self._instructions, message), asked) for message, asked in requests])

    def _requests(
        self,
        text: str,
        criteria: Sequence[str | Criterion],
        given: str | Sequence[Mapping[str, Any]] | None,
        based_on: Iterable[str] | None,
    ) -> list[tuple[str, list[Criterion]]]:
        text = checked_text(text)
        asked = checked_criteria(criteria)
        sources = None if based_on is None else checked_sources(based_on)
        checked_context(given)
        together = [[one] for one in asked] if self._apart else [asked]
        return [(document(text, group, given, sources), group) for group in together]


def checked_text(text: Any) -> str:
    """`text`, when it is one.

    Example:
        >>> checked_text(None)
        Traceback (most recent call last):
        TypeError: only a text can be judged, but was given None
    """
    if not isinstance(text, str):
        raise TypeError(f"only a text can be judged, but was given {render.value(text)}")
    return text


def checked_criteria(criteria: Sequence[str | Criterion]) -> list[Criterion]:
    """Criteria as records.

    Example:
        >>> checked_criteria([])
        Traceback (most recent call last):
        ValueError: a judge needs a criterion: without one, every text would pass
    """
    if not criteria:
        raise ValueError("a judge needs a criterion: without one, every text would pass")
    return [one if isinstance(one, Criterion) else Criterion(one) for one in criteria]


def checked_sources(sources: Iterable[Any]) -> list[str]:
    """Sources as a list of texts.

    Example:
        >>> checked_sources("one text")
        Traceback (most recent call last):
        TypeError: sources must be texts, one each, but were 'one text'
    """
    listed = [] if isinstance(sources, str) else list(sources)
    if isinstance(sources, str) or not all(isinstance(one, str) for one in listed):
        raise TypeError(f"sources must be texts, one each, but were {render.value(sources)}")
    if not listed:
        raise ValueError("sources must not be empty: leave them out, or say in a criterion what holds without any")
    return listed


def checked_context(given: Any) -> None:
    """Refuse a context that is neither the user's message nor a conversation.

    Example:
        >>> checked_context("  ")
        Traceback (most recent call last):
        ValueError: the context of a judged text must not be blank
    """
    if given is None:
        return
    if isinstance(given, str):
        if not given.strip():
            raise ValueError("the context of a judged text must not be blank")
        return
    if not isinstance(given, Sequence) or not all(isinstance(one, Mapping) for one in given):
        raise TypeError(
            f"the context of a judged text must be the user's message or a list of messages (mappings), but was {render.value(given)}"
        )
    if not given:
        raise ValueError("the conversation before a judged text must not be empty")


def _judgement(replies: list[tuple[ChatReply, list[Criterion]]]) -> Judgement:
    usage: TokenUsage | None = None
    assessed: list[Assessment] = []
    for reply, asked in replies:
        assessed.extend(assessments_in(reply.text, asked))
        if reply.token_usage is not None:
            usage = reply.token_usage if usage is None else usage + reply.token_usage
    return Judgement(tuple(assessed), usage)
