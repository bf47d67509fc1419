"""From the recorder's events to frozen records, in one pass that is linear in the number of events."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

import attrs

from agentassert import render
from agentassert.conversation_events import ConversationEvent
from agentassert.errors import is_error_of
from agentassert.jsonlike import decode
from agentassert.recording import events
from agentassert.recording.approvals import approvals_of
from agentassert.recording.joining import CallIds, Requested
from agentassert.recording.requests import Request, parsed_arguments
from agentassert.records import (
    NOT_RECORDED,
    ChatModelCall,
    FinishReason,
    Invocation,
    ModelCall,
    Outcome,
    Source,
    Sources,
    Status,
    ToolExecution,
)

if TYPE_CHECKING:
    from agentassert.recording.exchanges import Answer, Exchange, SentResult
    from agentassert.recording.inferring import Answers

_NO_ANSWERS: Final[Mapping[int, Answer]] = {}


@attrs.frozen
class Built:
    """A capture as records: its top-level invocations, and what was recorded outside every invocation."""

    invocations: tuple[Invocation, ...]
    strays: Invocation | None = None


@attrs.define
class _Parts:
    """What belongs to one invocation, in the order recorded."""

    tools: list[events.ToolEvent] = attrs.Factory(list)
    calls: list[tuple[events.ModelCallEvent, bool]] = attrs.Factory(list)
    retrievals: list[events.RetrievalEvent] = attrs.Factory(list)
    approvals: list[events.ApprovalEvent] = attrs.Factory(list)
    changes: list[events.ConversationChange] = attrs.Factory(list)
    nested: list[Invocation] = attrs.Factory(list)
    adapters: set[str] = attrs.Factory(set)


def build(state: events.CaptureState, *, home: Any = None, error: BaseException | None = None) -> Built:
    """The records of `state` as far as it was recorded.

    Args:
        state: an open or a closed capture's events.
        home: the capture handle that the invocations point back to.
        error: what left the block, for an implicit invocation.
    """
    return _Builder(state, home).build(error)


class _Builder:
    def __init__(self, state: events.CaptureState, home: Any) -> None:
        self.state = state
        self.home = home
        self.opened = datetime.fromtimestamp(state.opened_wall, UTC)
        self.end = state.closed_order or float("inf")
        self.call_ids = CallIds()
        self.parts: dict[events.InvocationEvent | None, _Parts] = {None: _Parts()}
        self.owners: dict[events.Event, events.InvocationEvent | None] = {}
        """Those that had to be looked for, so that tools nested in tools are not walked through again for each of them."""
        self.starters: dict[events.InvocationEvent, tuple[events.InvocationEvent | None, events.ToolEvent | None]] = {}

    def build(self, error: BaseException | None) -> Built:
        for event in sorted(self.state.events, key=operator.attrgetter("order")):
            if event.order < self.end:
                self._sort(event)
        requested = {owner: self._requests(parts) for owner, parts in self.parts.items()}
        for event in reversed(self.starters):
            parent, _ = self.starters[event]
            self.parts[parent].nested.append(self._invocation(event, requested[event]))
        outside = self.parts[None]
        top_level = tuple(reversed(outside.nested))
        outside.nested = []
        if not (outside.tools or outside.calls or outside.retrievals or outside.approvals or outside.changes):
            return Built(top_level)
        strays = self._implicit(outside, requested[None], error)
        if top_level or not (outside.tools or outside.calls):
            return Built(top_level, strays)
        return Built((strays,))

    def _sort(self, event: events.Event) -> None:
        owner, tool, own = self._owner(event)
        parts = self.parts[owner]
        if type(event) is events.ToolEvent:
            parts.tools.append(event)
        elif isinstance(event, events.InvocationEvent):
            self.parts[event] = _Parts()
            self.starters[event] = owner, tool
            return
        elif isinstance(event, events.ModelCallEvent):
            parts.calls.append((event, own))
        elif isinstance(event, events.RetrievalEvent):
            parts.retrievals.append(event)
        elif isinstance(event, events.ApprovalEvent):
            parts.approvals.append(event)
        elif isinstance(event, events.ConversationChange):
            parts.changes.append(event)
        parts.adapters.add(event.adapter)

    def _owner(self, event: events.Event) -> tuple[events.InvocationEvent | None, events.ToolEvent | None, bool]:
        """The nearest invocation of this capture around `event`, the tool between the two, and whether nothing lies between."""
        around = event.parent
        if around is None or (isinstance(around, events.InvocationEvent) and around in self.parts):
            return around, None, True
        tool: events.ToolEvent | None = None
        own = True
        owner: events.InvocationEvent | None = None
        while around is not None:
            if isinstance(around, events.InvocationEvent):
                if around in self.parts:
                    owner = around
                    break
            elif own:
                own = False
                tool = around if isinstance(around, events.ToolEvent) and self.state in around.captures else None
            if around in self.owners:
                owner = self.owners[around]
                break
            around = around.parent
        self.owners[event] = owner
        return owner, tool, own

    def _requests(self, parts: _Parts) -> Requested:
        requested = Requested(self.call_ids)
        # What a tool's own loop over a raw SDK runs is part of the invocation, too.
        chats = [event for event, own in parts.calls if event.kind is ChatModelCall and (own or event.exchange is not None)]
        answered = [event for event in chats if self._ended(event) is not None]
        answers = _answers([(event, event.exchange) for event in chats if event.exchange is not None], self.end)
        for event in sorted(answered, key=_by_end):
            requested.add(event, answers.get(event, _NO_ANSWERS))
        requested.join(parts.tools if answered else [one for one in parts.tools if one.call_id is not None])
        requested.decide(parts.approvals)
        return requested

    def _invocation(self, event: events.InvocationEvent, requested: Requested) -> Invocation:
        parts = self.parts[event]
        parent, tool = self.starters[event]
        change = self._last_change(event)
        status = self._status(event, change)
        ended = status not in (Status.UNFINISHED, Status.AWAITING_APPROVAL)
        return Invocation(
            id=self._id(event),
            name=event.name,
            framework=event.adapter,
            input=event.input,
            output=None if change is None else change.output,
            output_text=None if change is None else _text(change.output, change.text),
            status=status,
            error=None if change is None else change.error,
            awaited=self._awaited(event, tool or parent),
            started_at=self._wall(event.started),
            duration=change.at - event.started if ended and change is not None else None,
            nested_invocations=tuple(reversed(parts.nested)),
            started_by=None if tool is None else self._id(tool),
            recorded_by=tuple(sorted(parts.adapters | {event.adapter})),
            started_order=self._order(event.order),
            ended_order=self._order(change.order) if ended and change is not None else None,
            **self._contents(parts, requested, is_over=ended or self.state.closed_order is not None),
        )

    def _implicit(self, parts: _Parts, requested: Requested, error: BaseException | None) -> Invocation:
        contents = self._contents(parts, requested, is_over=self.state.closed_order is not None)
        answers = [
            call for call in contents["model_calls"] if isinstance(call, ChatModelCall) and call.own and call.response_text
        ]
        failures = [record.error for record in (*contents["tool_executions"], *contents["model_calls"])]
        failed = error is not None and any(is_error_of(error, failure) for failure in failures)
        text = answers[-1].response_text if answers else None
        orders = [event.order for event in (*parts.tools, *(event for event, _ in parts.calls))]
        return Invocation(
            id="0",
            name=self.state.name or "capture",
            framework=min(parts.adapters),
            output=NOT_RECORDED if text is None else text,
            output_text=text,
            status=Status.FAILED if failed else Status.COMPLETED,
            error=error if failed else None,
            started_at=self._wall(self.state.opened_clock),
            implicit=True,
            recorded_by=tuple(sorted(parts.adapters)),
            started_order=self._order(min(orders, default=self.state.opened_order)),
            **contents,
        )

    def _contents(self, parts: _Parts, requested: Requested, *, is_over: bool) -> dict[str, Any]:
        return {
            "tool_executions": tuple(self._executions(parts.tools, requested, is_over=is_over)),
            "model_calls": tuple(self._model_call(event, own, requested) for event, own in parts.calls),
            "sources": self._sources(parts.retrievals),
            "approvals": approvals_of(parts.approvals, requested),
            "conversation_events": tuple(self._change(event) for event in parts.changes),
            "home": self.home,
        }

    def _executions(self, tools: list[events.ToolEvent], requested: Requested, *, is_over: bool) -> list[ToolExecution]:
        """Executions in the model's order, those that were inferred among those that were seen."""
        unseen = requested.unseen()
        if not unseen:
            ordered = sorted(tools, key=requested.place) if requested.says_order else tools
            return [self._execution(tool, requested) for tool in ordered]
        placed = [(requested.place(tool), self._execution(tool, requested)) for tool in tools]
        placed += [(request.place, self._inferred(call, request, is_over=is_over)) for call, request in unseen]
        return [execution for _, execution in sorted(placed, key=operator.itemgetter(0))]

    def _inferred(self, call: events.ModelCallEvent, request: Request, *, is_over: bool) -> ToolExecution:
        """What must have run between a response and the request that sent its result back; or what may have run, without one."""
        given: dict[str, Any] = {"outcome": Outcome.UNKNOWN if is_over else Outcome.UNFINISHED}
        if request.answer is not None:
            given = {**_ending(request.answer.result, self.state.unreported), "ended_order": self._order(request.answer.order)}
        return ToolExecution(
            id=f"{self._id(call)}.{request.index}",
            name=request.name,
            arguments=parsed_arguments(request.arguments),
            raw_arguments=request.arguments,
            call_id=request.call_id,
            started_at=self._wall(call.ended or call.started),
            inferred=True,
            started_order=self._order(request.order),
            **given,
        )

    def _execution(self, event: events.ToolEvent, requested: Requested) -> ToolExecution:
        # Written out flat: there are more executions than anything else, and each call here is paid for by every one of them.
        state, end, arguments, started, ended = self.state, event.ended_order, event.arguments, event.started, event.ended
        opened, over = state.opened_order, end is not None and end < self.end
        call_id, attempt = requested.of(event)
        parsed = arguments if type(arguments) is dict else parsed_arguments(arguments)
        if parsed is None and event.call_id is not None:
            asked = requested.arguments_for(event)
            parsed, arguments = parsed_arguments(asked), asked if arguments is None else arguments
        outcome = event.outcome if over else Outcome.UNFINISHED
        if outcome is Outcome.UNKNOWN and event.result is not None:
            outcome = state.unreported
        return ToolExecution(
            id=str(event.order - opened),
            name=event.name,
            arguments=parsed,
            raw_arguments=arguments,
            result=(decode(event.result) if type(event.result) is str else event.result) if over else None,
            raw_result=event.raw_result if over else None,
            error=event.error if over else None,
            outcome=outcome,
            call_id=call_id,
            attempt=attempt,
            cached=event.cached,
            started_at=self.opened + timedelta(0, started - state.opened_clock),
            duration=ended - started if over and ended is not None else None,
            inferred=event.inferred,
            started_order=event.order - opened,
            ended_order=end - opened if over and end is not None else None,
        )

    def _model_call(self, event: events.ModelCallEvent, own: bool, requested: Requested) -> ModelCall:
        ended, wire = self._ended(event), event.on_the_wire
        raw_finish_reason = event.raw_finish_reason or wire.raw_finish_reason if ended is not None else None
        common: dict[str, Any] = {
            "id": self._id(event),
            "model": event.model or wire.model,
            "token_usage": (wire.usage or event.usage) if ended is not None else None,
            "error": event.error if ended is not None else None,
            "completed": ended is not None and event.responded,
            "attempts": event.attempts_made,
            "cached": event.cached,
            "started_at": self._wall(event.started),
            "duration": None if ended is None else ended - event.started,
            "started_order": self._order(event.order),
        }
        if event.kind is not ChatModelCall:
            return event.kind(inputs=tuple(event.inputs), **common)  # type: ignore[call-arg]  # every other kind has `inputs`
        return ChatModelCall(
            messages=tuple(event.inputs),
            response_text=event.text if ended is not None else None,
            tool_execution_requests=requested.records(event) if ended is not None else (),
            finish_reason=FinishReason.from_provider(raw_finish_reason),
            raw_finish_reason=raw_finish_reason,
            own=own,
            tools_offered=event.tools_offered,
            **common,
        )

    def _change(self, event: events.ConversationChange) -> ConversationEvent:
        order = self._order(event.order)
        return ConversationEvent(kind=event.kind, name=event.name, value=event.value, step=event.step, order=order)

    def _sources(self, retrievals: Iterable[events.RetrievalEvent]) -> Sources:
        found: list[Source] = []
        seen = False
        for event in retrievals:
            seen = True
            if self._ended(event) is not None:
                found.extend(event.sources or ())
        return tuple(found) if seen else NOT_RECORDED

    def _last_change(self, event: events.InvocationEvent) -> events.Transition | None:
        before = [change for change in event.history if change.order < self.end]
        return before[-1] if before and before[-1].status is not None else None

    def _status(self, event: events.InvocationEvent, change: events.Transition | None) -> Status:
        if change is not None and change.status is not None:
            return change.status
        return Status.CANCELLED if event in self.state.stopped else Status.UNFINISHED

    def _awaited(self, event: events.InvocationEvent, starter: events.Event | None) -> bool | None:
        if starter is None or event.awaited is not None:
            return event.awaited
        ended, starter_ended = self._end_order(event), self._end_order(starter)
        if ended is None:
            return None if starter_ended is None else False
        return starter_ended is None or ended < starter_ended

    def _ended(self, event: events.Event) -> float | None:
        return event.ended if self._end_order(event) is not None else None

    def _end_order(self, event: events.Event) -> int | None:
        order = event.ended_order
        return order if order is not None and order < self.end else None

    def _wall(self, moment: float) -> datetime:
        return self.opened + timedelta(0, moment - self.state.opened_clock)

    def _order(self, order: int) -> int:
        return order - self.state.opened_order

    def _id(self, event: events.Event) -> str:
        return str(event.order - self.state.opened_order)


def _by_end(event: events.Event) -> int:
    return event.ended_order or 0


def _answers(calls: list[tuple[events.ModelCallEvent, Exchange]], end: float) -> Answers:
    if not calls:
        return {}
    from agentassert.recording.inferring import answers_in  # on first use: most captures hold no loop over a raw SDK

    return answers_in(calls, end)


def _ending(sent: SentResult, unreported: Outcome) -> dict[str, Any]:
    """What a result that was sent back says, where a sender that has no flag for a failure says as much as `unreported`."""
    result = decode(sent.result) if type(sent.result) is str else sent.result
    outcome = unreported if sent.failed is None else Outcome.FAILED if sent.failed else Outcome.SUCCEEDED
    error = _text(sent.result, None) if outcome is Outcome.FAILED else None
    return {"result": result, "raw_result": sent.result, "outcome": outcome, "error": error}


def _text(output: Any, text: str | None) -> str | None:
    if text is not None or output is None or output is NOT_RECORDED:
        return text
    return output if type(output) is str else render.json_text(output)
