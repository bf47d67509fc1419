"""One request to a model, from its start to what came of it."""

from __future__ import annotations

import json
import weakref
from collections.abc import Mapping
from typing import Any, Final

import attrs

from agentassert import recorder
from agentassert.adapters.stainless.fields import field
from agentassert.adapters.stainless.keeping import kept
from agentassert.adapters.stainless.routes import Answer, Collector, Hosted, Route
from agentassert.recording.events import ModelCallEvent, Scope, ToolEvent
from agentassert.records import Outcome

_ATTEMPT: Final = "x-stainless-retry-count"
"""The header in which a request says how many came before it."""


@attrs.frozen
class Awaited:
    """A call that the provider still works on, for when a program asks for it again; what records it is not kept alive."""

    adapter: str
    route: Route
    event: weakref.ref[ModelCallEvent]

    def call(self) -> Call | None:
        """The call itself, as long as it is open what comes of it and anybody wants to know."""
        event = self.event()
        call = None if event is None else Call(self.adapter, self.route, {}, event)
        return call if call is not None and call.is_read() else None


class Call:
    """One request over all its attempts, and its response, which may be read long after the request has returned.

    Args:
        adapter: the name of the adapter that records it.
        route: how it is read.
        body: what was sent.
        event: what is recorded of it.
    """

    __slots__ = ("_awaited_as", "_body", "_cached", "_collector", "_event", "_parsed", "_route", "adapter")

    def __init__(self, adapter: str, route: Route, body: Mapping[str, Any], event: ModelCallEvent) -> None:
        self.adapter = adapter
        self._awaited_as: str | None = None
        self._route = route
        self._body = body
        self._event = event
        self._cached = False
        self._collector: Collector | None = None
        self._parsed: Any = None

    @classmethod
    def begun(cls, adapter: str, route: Route, body: Mapping[str, Any], *, sends: bool) -> Call | None:
        """A call that starts; `None` where it is not to be recorded. `sends` says that the adapter is the client's own."""
        opening, model = route.opening(body), body.get("model")
        event = recorder.start_model_call(
            adapter=adapter,
            kind=route.kind,
            model=model if isinstance(model, str) else None,
            inputs=opening.inputs,
            tools_offered=opening.tools_offered,
            sends=sends,
        )
        if event is None:
            return None
        event.exchange = opening.exchange
        return cls(adapter, route, body, event)

    def is_read(self) -> bool:
        """Whether it is still open what comes of it, and anybody wants to know."""
        return self._event.ended_order is None and self._is_heard()

    @property
    def awaited(self) -> tuple[str, Awaited] | None:
        """The id under which a program has to ask for the response, and what to keep until then, where the provider still works on it."""
        if self._awaited_as is None:
            return None
        return self._awaited_as, Awaited(self.adapter, self._route, weakref.ref(self._event))

    def _is_heard(self) -> bool:
        return recorder.is_open(self._event)

    @kept
    def retried(self, times: int) -> None:
        """It was sent again so many times."""
        self._event.attempts = times + 1

    @kept
    def from_cache(self) -> None:
        """It is answered out of a cache, by what a provider said and counted once before."""
        self._cached = True

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
        recorder.end_by(self._event, error)

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
        elif answer.usage is not None and not self._cached:
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
        self._awaited_as = answer.response_id if answer.pending else None
        if answer.pending:
            event.not_advanced()
        elif answer.error is not None:
            event.usage = answer.usage
            event.fail(answer.error)
        elif not answer.complete:
            event.stop(answer.text)
        else:
            event.respond(
                text=answer.text,
                finish_reason=_word(answer.finish_reason),
                usage=None if self._cached else answer.usage,
                requests=answer.requests,
                cached=self._cached,
            )
        self._record_hosted(answer)

    def _record_hosted(self, answer: Answer) -> None:
        """Record what the provider did by itself, where the request was made: a stream may be read elsewhere.

        Of a call by which an outer layer's is carried out, that layer tells.
        """
        event = self._event
        if not answer.hosted or not event.captures or not recorder.is_open(event):
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
        end_hosted(tool, hosted)
        if hosted.sources is not None:
            retrieval = recorder.start_retrieval(adapter=self.adapter)
            if retrieval is not None:
                retrieval.retrieve(hosted.sources)


def end_hosted(tool: ToolEvent, hosted: Hosted) -> None:
    """End a tool that the provider ran as the provider tells."""
    if hosted.outcome is Outcome.FAILED:
        tool.fail(hosted.error or "failed", hosted.result)
    elif hosted.outcome is Outcome.UNKNOWN:
        tool.end_unknown(hosted.result)
    else:
        tool.succeed(hosted.result)


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
