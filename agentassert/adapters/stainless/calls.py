"""One request to a model, from its start to what came of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from agentassert import recorder
from agentassert.adapters.stainless.fields import field
from agentassert.adapters.stainless.keeping import kept
from agentassert.adapters.stainless.routes import Answer, Collector, Hosted, Route
from agentassert.events import ModelCallEvent, Scope
from agentassert.records import Outcome

_ATTEMPT: Final = "x-stainless-retry-count"
"""The header in which a request says how many came before it."""


class Call:
    """One request over all its attempts, and its response, which may be read long after the request has returned.

    Args:
        adapter: the name of the adapter that records it.
        route: how it is read.
        body: what was sent.
        event: what is recorded of it.
    """

    __slots__ = ("_body", "_collector", "_event", "_parsed", "_route", "adapter", "awaits")

    def __init__(self, adapter: str, route: Route, body: Mapping[str, Any], event: ModelCallEvent) -> None:
        self.adapter = adapter
        self.awaits: str | None = None
        """The id under which a program has to ask for the response, where the provider still works on it."""
        self._route = route
        self._body = body
        self._event = event
        self._collector: Collector | None = None
        self._parsed: Any = None

    def is_read(self) -> bool:
        """Whether it is still open what comes of it, and anybody wants to know."""
        return self._event.ended_order is None and self._is_heard()

    def _is_heard(self) -> bool:
        event = self._event
        # A call by which an outer layer's is carried out is held by no capture itself.
        return recorder.is_open(event if event.captures or event.parent is None else event.parent)

    @kept
    def retried(self, times: int) -> None:
        """It was sent again so many times."""
        self._event.attempts = times + 1

    @kept
    def parsed(self, response: Any, retries: int) -> None:
        """It was answered, which may not be what the program gets: the SDK has yet to make of it what was asked for."""
        self.retried(retries)
        self._parsed = response

    @kept
    def unread(self) -> None:
        """There is a response, of which nothing has been read yet."""
        self._event.not_advanced()

    @kept
    def respond(self, response: Any) -> None:
        """It was answered by an object of the SDK, or by what stands in the body of the response."""
        self._answer(self._route.answer(response))

    @kept
    def respond_body(self, http_response: Any) -> None:
        """The same for a raw response that nobody may ever parse; one that was not read whole is no answer."""
        try:
            body = json.loads(http_response.content)
        except Exception:  # it was not read, was streamed past us, or is no JSON
            self._event.stop()
        else:
            self.respond(body)

    @kept
    def fail(self, error: BaseException) -> None:
        """An error ended it; one that was cancelled did not fail."""
        if self._parsed is None:
            self._event.attempts = _sent_before(error) + 1
        else:
            answer = self._route.answer(self._parsed)
            self._event.usage, self._event.raw_finish_reason = answer.usage, _word(answer.finish_reason)
        if isinstance(error, Exception):
            self._event.fail(error)
        else:
            self._event.stop()

    @kept
    def collects(self) -> bool:
        """Whether it is answered by a stream that can be read along."""
        self._parsed = None  # the stream itself, which holds this
        if self._route.collector is None:
            self._event.stop()
            return False
        self._collector = self._route.collector(self._body)
        self._event.not_advanced()
        return True

    @kept
    def add(self, streamed: Any) -> None:
        """A part of the streamed response has been read."""
        if self._collector is None or not self._is_heard():
            return
        event = self._event
        event.advanced()
        answer = self._collector.add(streamed)
        if answer is None:
            return
        if event.ended_order is None:
            self._answer(answer)
        elif answer.usage is not None:
            event.report(answer.usage)

    @kept
    def end(self, *, exhausted: bool) -> None:
        """Nothing more is read of the response."""
        if self._collector is not None and self.is_read():
            self._answer(self._collector.answer(exhausted=exhausted))

    @kept
    def break_off(self, error: BaseException) -> None:
        """Reading the streamed response ended in an error."""
        if isinstance(error, Exception):
            self._event.fail(error)
        else:
            self.end(exhausted=False)

    def _answer(self, answer: Answer) -> None:
        event = self._event
        self._parsed = None
        if event.exchange is not None:
            event.exchange.response_id = answer.response_id
        self.awaits = answer.response_id if answer.pending else None
        if answer.pending:
            event.not_advanced()
        elif answer.error is not None:
            event.usage = answer.usage
            event.fail(answer.error)
        elif not answer.complete:
            event.stop(answer.text)
        else:
            event.respond(
                text=answer.text, finish_reason=_word(answer.finish_reason), usage=answer.usage, requests=answer.requests
            )
        self._record_hosted(answer)

    def _record_hosted(self, answer: Answer) -> None:
        """Record what the provider did by itself, where the request was made: a stream may be read elsewhere."""
        event = self._event
        if not answer.hosted or not recorder.is_open(event):
            return
        token = recorder.set_scope(Scope(event.captures, event.parent))
        try:
            for hosted in answer.hosted:
                self._record_one(hosted)
        finally:
            recorder.restore(token)

    def _record_one(self, hosted: Hosted) -> None:
        tool = recorder.start_tool(hosted.name, hosted.arguments, adapter=self.adapter, call_id=hosted.call_id)
        if tool is None:
            return
        if hosted.outcome is Outcome.FAILED:
            tool.fail(hosted.error or "failed", hosted.result)
        elif hosted.outcome is Outcome.UNKNOWN:
            tool.end_unknown(hosted.result)
        else:
            tool.succeed(hosted.result)
        if hosted.sources is not None:
            retrieval = recorder.start_retrieval(adapter=self.adapter)
            if retrieval is not None:
                retrieval.retrieve(hosted.sources)


def _word(reason: Any) -> str | None:
    """A finish reason; services that only speak the protocol have numbers, too."""
    return None if reason is None else str(reason)


def _sent_before(error: BaseException) -> int:
    """How often the request that ended in this error had been sent before."""
    try:
        request = field(error, "request") or error.response.request  # type: ignore[attr-defined]
        return int(request.headers[_ATTEMPT])
    except Exception:  # an error of the program's own code, or a header that it took out
        return 0
