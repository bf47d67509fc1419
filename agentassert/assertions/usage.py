"""Assertions on model calls, tokens, sources and time."""

from __future__ import annotations

import math
from typing import Any, Self, overload

from agentassert import render
from agentassert.assertions.base import Chain, said
from agentassert.assertions.given import count_argument, text_argument
from agentassert.checks import usage
from agentassert.failures import hidden
from agentassert.records import KIND_OF_CALL, FinishReason, ModelCall

__tracebackhide__ = hidden


class UsageAssertions(Chain):
    """What an invocation used."""

    @overload
    def has_model_call_count(self, n: int, /) -> Self: ...

    @overload
    def has_model_call_count(self, kind: type[ModelCall], n: int, /) -> Self: ...

    def has_model_call_count(self, kind: Any, n: Any = None, /) -> Self:
        """Pass when there were `n` model calls, failed ones included; of one kind, or of all kinds together.

        Args:
            kind: a record class, such as `ChatModelCall`; left out, every kind counts.
            n: how many.

        Raises:
            AgentAssertionError: when there were more or less.
            NotRecordedError: when an adapter that recorded here cannot see that kind, or without one every kind.

        Example:
            >>> chain = assert_that(cap).has_model_call_count(ChatModelCall, 2).has_model_call_count(2)
        """
        method = "has_model_call_count"
        if n is None:
            kind, n = None, kind
        if kind is not None and not any(kind is one for one in KIND_OF_CALL):
            kinds = ", ".join(one.__name__ for one in KIND_OF_CALL)
            raise TypeError(f"{method}: kind must be one of {kinds}, or left out, but was {render.value(kind)}")
        count_argument(method, n)
        shown = f"{method}({n})" if kind is None else f"{method}({kind.__name__}, {n})"
        return self._passes(lambda view: usage.model_call_count(view, kind, n), shown)

    def has_own_chat_model_call_count(self, n: int) -> Self:
        """Pass when the agent's own loop made `n` chat model calls, failed ones included.

        Args:
            n: how many.

        Raises:
            AgentAssertionError: when it made more or less.

        Example:
            >>> chain = assert_that(cap).has_own_chat_model_call_count(2)
        """
        count_argument("has_own_chat_model_call_count", n)
        return self._passes(
            lambda view: usage.own_chat_model_call_count(view, n, "exactly"), said("has_own_chat_model_call_count", n)
        )

    def has_own_chat_model_call_count_at_most(self, n: int) -> Self:
        """Pass when the agent's own loop made `n` chat model calls or less, failed ones included.

        Args:
            n: how many.

        Raises:
            AgentAssertionError: when it made more.

        Example:
            >>> chain = assert_that(cap).has_own_chat_model_call_count_at_most(3)
        """
        count_argument("has_own_chat_model_call_count_at_most", n)
        return self._passes(
            lambda view: usage.own_chat_model_call_count(view, n, "at_most"), said("has_own_chat_model_call_count_at_most", n)
        )

    def has_finish_reason(self, reason: FinishReason | str) -> Self:
        """Pass when the final response of this invocation has that finish reason; nested ones are never looked at.

        Args:
            reason: a `FinishReason` or its value: `stop`, `length`, `tool_execution`, `content_filter`, `other`.

        Raises:
            AgentAssertionError: when it has another one.
            NotRecordedError: when none was reported.
            ValueError: when there is no such finish reason.

        Example:
            >>> chain = assert_that(cap).has_finish_reason("stop")
        """
        try:
            wanted = FinishReason(reason)
        except ValueError:
            known = ", ".join(repr(one.value) for one in FinishReason)
            raise ValueError(f"has_finish_reason: reason must be one of {known}, but was {render.value(reason)}") from None
        return self._passes(lambda view: usage.finish_reason(view, wanted), said("has_finish_reason", wanted.value), scoped=False)

    def has_total_tokens_at_most(self, n: int) -> Self:
        """Pass when all model calls in scope together used at most `n` tokens; failed calls without usage are skipped.

        Args:
            n: how many tokens.

        Raises:
            AgentAssertionError: when they used more.
            NotRecordedError: when no call was seen, or one that completed reported no usage.

        Example:
            >>> chain = assert_that(cap).has_total_tokens_at_most(100)
        """
        count_argument("has_total_tokens_at_most", n)
        return self._passes(lambda view: usage.total_tokens_at_most(view, n), said("has_total_tokens_at_most", n))

    def has_duration_at_most(self, seconds: float) -> Self:
        """Pass when this invocation took at most so long.

        Args:
            seconds: how long.

        Raises:
            AgentAssertionError: when it took longer.

        Example:
            >>> chain = assert_that(cap).has_duration_at_most(60)
        """
        method = "has_duration_at_most"
        if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
            raise TypeError(f"{method}: seconds must be a number, but was {render.value(seconds)} ({type(seconds).__name__})")
        if not 0 < seconds < math.inf:
            raise ValueError(f"{method}: seconds must be more than 0 and finite, but was {seconds!r}")
        return self._passes(lambda view: usage.duration_at_most(view, seconds), said(method, seconds), scoped=False)

    def has_retrieved_source_containing(self, text: str) -> Self:
        """Pass when some retrieved source contains `text`, case-sensitively.

        Args:
            text: the part to look for.

        Raises:
            AgentAssertionError: when none does.
            NotRecordedError: when no retriever was seen.

        Example:
            >>> chain = assert_that(cap).has_retrieved_source_containing("refund")
        """
        text_argument("has_retrieved_source_containing", text, "text")
        return self._passes(lambda view: usage.source_containing(view, text), said("has_retrieved_source_containing", text))

    def has_no_retrieved_sources(self) -> Self:
        """Pass when a retriever was seen and found nothing.

        Raises:
            AgentAssertionError: when it found something.
            NotRecordedError: when no retriever was seen.

        Example:
            >>> try:
            ...     chain = assert_that(cap).has_no_retrieved_sources()
            ... except AssertionError as error:
            ...     print(str(error).splitlines()[1])
            but it retrieved 1:
        """
        return self._passes(usage.no_sources, said("has_no_retrieved_sources"))
