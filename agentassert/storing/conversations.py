"""A capture of what a list of messages tells.

Nobody recorded the functions that ran between two answers of the model: they are inferred from what is sent back, by the rule for loops
over an SDK. Times, retries and calls that failed leave no message, so nothing is said of them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import attrs

from agentassert import render
from agentassert.adapters.base import REQUESTS, TOOL_FAILURES
from agentassert.adapters.stainless.calls import end_hosted
from agentassert.adapters.stainless.routes import Answer, Hosted
from agentassert.errors import MessageError
from agentassert.jsonlike import snapshot
from agentassert.recording.building import build
from agentassert.recording.events import CaptureState, ModelCallEvent, RetrievalEvent, Scope, ToolEvent, next_order
from agentassert.recording.exchanges import Answer as Returned
from agentassert.recording.exchanges import Exchange, SentResult
from agentassert.recording.inferring import Response, key_of_request
from agentassert.records import ChatModelCall, Invocation, Outcome
from agentassert.stored.captures import StoredCapture
from agentassert.storing.message_kinds import kind_of
from agentassert.storing.message_parts import Part

_SEES: Final = frozenset({REQUESTS, TOOL_FAILURES})
_MOST_SENT: Final = 20_000_000
"""Messages that the calls of a list have been sent together: of 4,000 answers, each of which asks for a tool that answers."""

_CUT_OFF: Final = "the messages end before the model's last answer, so the end of the work is not in them"
_UNASKED: Final = "results of tools whose request is not in the messages, which are not recorded"
_REPEATED: Final = "results of requests that were answered before, which are not recorded"
_SHARED: Final = "requests that share an id and were answered in part, so that nobody knows whose the results are"
_STAND_INS: Final = "items that refer to messages which are not in the list, or sum them up"


def stored_of(messages: Any, name: str | None, unreported: Outcome) -> StoredCapture:
    """What the messages tell, as one implicit invocation.

    Args:
        messages: of one kind, in order.
        name: of the capture and the invocation.
        unreported: what a result stands for whose sender does not say whether it means success.

    Raises:
        TypeError: when they are no list.
        MessageError: when one cannot be read.
    """
    if not isinstance(messages, (list, tuple)):
        advice = ": pass the list under 'messages'" if isinstance(messages, Mapping) and "messages" in messages else ""
        raise TypeError(f"messages must be a list, but was {render.value(messages)}{advice}")
    if name is not None and (not isinstance(name, str) or not name):
        raise TypeError(f"name must be a text that is not empty, or None, but was {name!r}")
    if not messages:
        raise MessageError("messages: is empty, so it tells of nothing")
    kind = kind_of(messages)
    state = CaptureState(name, ())
    state.unreported = unreported
    state.visibility[kind.name] = _SEES
    _Telling(state, kind.name).tell(kind.parts(messages))
    state.closed_order = next_order()
    return StoredCapture(
        name=name,
        invocations=tuple(_without_times(one) for one in build(state).invocations),
        visibility=state.visibility,
        notes=tuple(state.notes),
    )


class _Telling:
    """Tells the parts of a list to a capture, as what happened one after the other."""

    def __init__(self, state: CaptureState, adapter: str) -> None:
        self._state = state
        self._adapter = adapter
        self._place = Scope((state,), None)
        self._history: list[Mapping[str, Any]] = []
        self._sent = 0
        self._last: Response | None = None
        self._responses: list[Response] = []
        self._asking: defaultdict[str | None, list[Response]] = defaultdict(list)
        """The responses that asked under an id; the latest of them comes last, unless it has been answered."""
        self._doubts: Counter[str] = Counter()

    def tell(self, parts: Iterator[Part]) -> None:
        """Tell all of them."""
        last: Part | None = None
        for last in parts:
            if last.answer is not None:
                self._answer(last.answer, last.model)
            self._return(last.results)
            self._doubts[_STAND_INS] += last.is_stand_in
            self._history += snapshot(list(last.inputs))
        for response in self._responses:
            self._doubts[_SHARED] += _take_back(response)
        self._state.notes += [f"{what}: {count}" for what, count in self._doubts.items() if count]
        if self._state.events and last is not None:
            self._end(last)

    def _end(self, last: Part) -> None:
        """Tell what is missing, of a list in which the model says anything at all."""
        if last.answer is None or last.answer.requests:
            self._state.notes.append(_CUT_OFF)
        if last.answer is None or self._doubts[_UNASKED] or self._doubts[_STAND_INS]:
            # A call without an answer: it may have asked for any tool, so nothing passes on the absence of one.
            ModelCallEvent(self._place, self._adapter, ChatModelCall, None, self._history, None)

    def _answer(self, answer: Answer, model: str | None) -> None:
        """The model answers: a call whose messages are all that came before, of which each has been copied already."""
        self._sent += len(self._history)
        if self._sent > _MOST_SENT:
            raise MessageError(
                f"messages: there are too many: every answer is recorded with all messages before it, together more than {_MOST_SENT:,}"
            )
        call = ModelCallEvent(self._place, self._adapter, ChatModelCall, model, (), None)
        call.inputs = list(self._history)
        returned: dict[int, Returned] = {}
        call.exchange = Exchange(sent=(), answers=returned)
        call.respond(
            text=answer.text,
            finish_reason=None if answer.finish_reason is None else str(answer.finish_reason),
            usage=answer.usage,
            requests=answer.requests,
        )
        if answer.requests:
            keys = [key_of_request(str(one["name"]), None, one["call_id"]) for one in answer.requests]
            self._last = Response((), keys, returned)
            self._responses.append(self._last)
            for call_id in {call_id for _, _, call_id in keys}:
                self._asking[call_id].append(self._last)
        for hosted in answer.hosted:
            self._host(hosted)

    def _host(self, hosted: Hosted) -> None:
        tool = ToolEvent(self._place, self._adapter, hosted.name, hosted.arguments, hosted.call_id, inferred=False)
        end_hosted(tool, hosted)
        if hosted.sources is not None:
            RetrievalEvent(self._place, self._adapter).retrieve(hosted.sources)

    def _return(self, results: Sequence[SentResult]) -> None:
        """Results answer the last response, as far as its requests are open, and what is left of them earlier ones."""
        left, order = results, next_order()
        if self._last is not None:
            left = self._last.take(results, range(len(self._last.requests)), order)
        for result in left:
            is_known = result.call_id is not None and result.call_id in self._asking
            earlier = self._asking.get(result.call_id, [])
            while earlier and earlier[-1].take([result], range(len(earlier[-1].requests)), order):
                earlier.pop()
            self._doubts[_REPEATED if is_known else _UNASKED] += not earlier


def _take_back(response: Response) -> int:
    """Forget the results of requests that share an id, if there are too few to tell whose they are; gives how many requests share one."""
    places: defaultdict[str | None, list[int]] = defaultdict(list)
    for index, (_, _, call_id) in enumerate(response.requests):
        places[call_id].append(index)
    unclear = [shared for shared in places.values() if 0 < sum(index in response.answers for index in shared) < len(shared)]
    for index in (index for shared in unclear for index in shared):
        response.answers.pop(index, None)
    return sum(map(len, unclear))


def _without_times(invocation: Invocation) -> Invocation:
    """Those of the records are when the list was read."""
    tools = [attrs.evolve(one, started_at=None, duration=None) for one in invocation.tool_executions]
    calls = [attrs.evolve(one, started_at=None, duration=None) for one in invocation.model_calls]
    return attrs.evolve(invocation, started_at=None, tool_executions=tuple(tools), model_calls=tuple(calls))
