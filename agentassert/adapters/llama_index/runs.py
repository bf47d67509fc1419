"""The runs of workflows, and the agents that work in them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from agentassert import recorder
from agentassert.adapters.llama_index import ADAPTER
from agentassert.adapters.llama_index.messages import said_in
from agentassert.adapters.waiting import Waiting
from agentassert.recording.events import ELSEWHERE, ApprovalEvent, InvocationEvent, ToolEvent


class Run:
    """One run of a workflow, over any number of suspensions.

    Attributes:
        works: the invocations of the agents that have worked in it, each nested in the one before; the first is that of the run.
        asked: what it waits for a person to decide, by the call that is to be decided about.
        decided: what a person has decided, which a step that runs again is told again.
        tools: those that have begun; what still runs at the end of the run is cancelled, but learns of it later.
    """

    __slots__ = ("asked", "decided", "tools", "works")

    def __init__(self, root: InvocationEvent) -> None:
        self.works = [root]
        self.asked: dict[str | None, ApprovalEvent | None] = {}
        self.decided: set[Any] = set()
        self.tools: list[ToolEvent] = []
        for event in [*runs]:
            if not recorder.is_open(event):
                _forget(event)  # what became of it, no capture is told any more
        runs[root] = self

    @property
    def event(self) -> InvocationEvent:
        """The invocation of the run."""
        return self.works[0]

    @property
    def current(self) -> InvocationEvent:
        """The invocation of the agent that works now."""
        return self.works[-1]

    def turn_to(self, name: str) -> None:
        """An agent of that name works now: the same one, or one that it was handed off to."""
        if name == self.current.name:
            return
        event = recorder.start_invocation(name, adapter=ADAPTER, parent=self.current, awaited=True)
        if event is not None:
            self.works.append(event)
            runs[event] = self

    def suspend(self) -> None:
        """It waits for a person."""
        for event in self.works:
            event.suspend()

    def resume(self) -> None:
        """It goes on, in a task of its own."""
        for event in self.works:
            event.resume()
            event.mover = ELSEWHERE

    def end(self, stop: Any) -> None:
        """It is over, with the event that stopped it; without one it was cancelled."""
        if stop is None:
            self.stop(None)
            return
        output, text = _answer(stop.result if type(stop).__name__ == "StopEvent" else stop)
        for event in self._ended():
            event.complete(output, text)

    def stop(self, error: BaseException | None) -> None:
        """An error ended it, or it was cancelled: one that waits for a person may go on in another run."""
        if self.asked and not isinstance(error, Exception):
            waiting.put(self)
            return
        for event in self._ended():
            recorder.end_by(event, error) if error is not None else event.cancel()

    def _ended(self) -> list[InvocationEvent]:
        """Its invocations, the innermost first; nothing goes on in them."""
        for tool in self.tools:
            tool.cancel()
        for event in self.works:
            runs.pop(event, None)
        return self.works[::-1]


runs: Final[dict[InvocationEvent, Run]] = {}
"""The runs that go on, by the invocations that are part of them."""
waiting: Final[Waiting[Run]] = Waiting()
_begun: Final[dict[InvocationEvent, Run]] = {}


def begin(workflow: Any, ctx: Any = None, start_event: Any = None, **given: Any) -> InvocationEvent | None:
    """`Workflow.run` is called; what it starts is a task, whose span comes later, and tells of a run that goes on from a saved context."""
    if ctx is not None and ctx.is_running:
        return None
    run = _begin(workflow, _input(start_event, given))
    if run is not None:
        _begun[run.event] = run
    return None if run is None else run.event


def started(event: InvocationEvent, handler: Any) -> None:
    """`Workflow.run` has returned; the run goes on."""


def refused(event: InvocationEvent, error: BaseException) -> None:
    """`Workflow.run` has raised: there is no task."""
    _forget(event)
    recorder.end_by(event, error)


def _forget(event: InvocationEvent) -> None:
    runs.pop(event, None)
    _begun.pop(event, None)


def claim() -> Run | None:
    """The run that was begun, and whose task is the running code."""
    event = recorder.current_event()
    return _begun.pop(event, None) if isinstance(event, InvocationEvent) else None


def go_on(workflow: Any, state: Any) -> Run | None:
    """The run that goes on from a saved state, which holds the calls that wait; an invocation of its own where it is not known."""
    ids = {getattr(waiter.event, "tool_id", None) for worker in state.workers.values() for waiter in worker.collected_waiters}
    run = waiting.take(lambda one: one.event.name == name_of(workflow) and ids.issuperset(one.asked))
    if run is None:
        return _begin(workflow, None)
    run.resume()
    return run


def run_around() -> Run | None:
    """The run that the running code is part of."""
    event = recorder.current_event()
    return None if event is None or event.owner is None else runs.get(event.owner)


def name_of(workflow: Any) -> str:
    """The name of an agent, or of the agent that a workflow of agents begins with; that of its class where it has none."""
    return str(getattr(workflow, "root_agent", None) or getattr(workflow, "name", None) or type(workflow).__name__)


def _begin(workflow: Any, given: Any) -> Run | None:
    event = recorder.start_invocation(name_of(workflow), adapter=ADAPTER, input=given)
    if event is None:
        return None
    event.mover = ELSEWHERE
    return Run(event)


def _input(start_event: Any, given: Mapping[str, Any]) -> Any:
    if start_event is None:
        return dict(given)
    if not hasattr(start_event, "items"):
        return start_event  # no event, which is refused
    fields = {name: value for name, value in start_event.items() if value is not None}
    said = fields.get("user_msg")
    if said is None and fields.get("chat_history"):
        said = fields["chat_history"][-1]
    return fields if said is None else said_in(said)


def _answer(result: Any) -> tuple[Any, str | None]:
    """What a run has produced: an agent's answer in words, and as data where it was to give such."""
    message = getattr(result, "response", None)
    if message is None or not hasattr(message, "blocks"):
        return result, result if isinstance(result, str) else None
    text = str(message.content or "")
    structured = getattr(result, "structured_response", None)
    return text if structured is None else structured, text
