"""The runs that go on: which agent works, which tools run, and what the running code is part of.

The SDK starts a task for every tool, and calls its hooks in tasks of their own, so nothing that a hook sets in its context reaches the
tool. What does is what the surrounding code set before: the place, which stands for an event that may come later.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any, TypeAlias

from agentassert import recorder
from agentassert.adapters.openai_agents import ADAPTER
from agentassert.adapters.openai_agents.items import Requested
from agentassert.recording.events import Event, InvocationEvent, ModelCallEvent, ToolEvent


class Run:
    """One run of the SDK's, over any number of suspensions: the agent that it began with, and those that it was handed off to."""

    __slots__ = ("agents", "around", "call", "executions", "requested", "stopping", "suspended", "undecided", "waits_for")

    def __init__(self, event: InvocationEvent, around: Place | None) -> None:
        self.agents = [event]
        self.around = around
        self.call: Call | None = None
        self.requested: list[Requested] = []
        self.executions: list[Execution] = []
        self.suspended: dict[str | None, Execution] = {}
        self.waits_for: set[tuple[str, str | None]] = set()
        self.undecided: set[tuple[str, str | None]] = set()
        self.stopping = False

    @property
    def event(self) -> InvocationEvent:
        """The invocation of the agent that works now."""
        return self.agents[-1]

    def hand_off(self, agent: Any) -> None:
        """Another agent takes over."""
        event = recorder.start_invocation(str(agent.name), adapter=ADAPTER, parent=self.event, awaited=True)
        if event is not None:
            self.agents.append(event)

    def complete(self, output: Any) -> None:
        """It came to its end."""
        self._settle(None)
        for event in reversed(self.agents):
            event.complete(output, output if isinstance(output, str) else None)

    def suspend(self) -> None:
        """It waits for a human; a tool that waits with it goes on when the run does."""
        self.suspended = {execution.asked.call_id: execution for execution in self.executions}
        if isinstance(self.around, Execution):
            self.around.waits = True
        for event in reversed(self.agents):
            event.suspend()

    def resume(self, around: Place | None) -> None:
        """It goes on."""
        self.around = around
        self.waits_for.clear()
        for event in self.agents:
            event.resume()

    def fail(self, error: BaseException) -> None:
        """An error ended it."""
        self._settle(error)
        for event in reversed(self.agents):
            event.fail(error)

    def block(self, error: BaseException) -> None:
        """A guardrail stopped it."""
        self._settle(None)
        for event in reversed(self.agents):
            event.block(error)

    def cancel(self, error: BaseException | None) -> None:
        """It was cancelled, or its stream was left behind."""
        self._settle(None)
        for event in reversed(self.agents):
            event.cancel(error)

    def _settle(self, error: BaseException | None) -> None:
        """End what an error left open: the SDK reports no end of a tool that raised, nor of a model call."""
        for execution in self.executions:
            execution.abandon()
        self.executions.clear()
        if self.call is not None:
            self.call.abandon(error)


class Execution:
    """A tool that the SDK is about to run, or runs."""

    __slots__ = ("around", "asked", "error", "returned", "run", "span_data", "started", "waits")

    def __init__(self, run: Run, asked: Requested, span_data: Any) -> None:
        self.run = run
        self.asked = asked
        self.span_data = span_data
        self.around: Place = position.get() or run
        self.started: ToolEvent | None = None
        self.error: BaseException | str | None = None
        self.returned: tuple[Any] | None = None
        self.waits = False

    @property
    def event(self) -> Event:
        """What code in it is part of; before it runs (while an approval is decided, or a guardrail looks at it), what is around it."""
        return self.around.event if self.started is None else self.started

    def start(self) -> None:
        """It runs."""
        asked = self.asked
        self.started = recorder.start_tool(
            asked.name, asked.arguments, adapter=ADAPTER, call_id=asked.call_id, parent=self.run.event
        )
        if self.started is not None:
            self.run.executions.append(self)

    def end(self, told: Any) -> None:
        """It has run; `told` is what the model is told, which a guardrail may have put in the place of what it returned."""
        if self.started is None or self.waits:
            return  # older releases report an end of an agent that is a tool when it begins to wait for a human
        if self in self.run.executions:
            self.run.executions.remove(self)
        result = told if self.returned is None else self.returned[0]
        if self.error is not None:
            self._fail(self.started, self.error, told)
        elif self.span_data is None:
            self.started.end_unknown(result)  # without a span, the SDK does not tell whether it failed
        else:
            self.started.succeed(result)

    def abandon(self) -> None:
        """Nothing more will be heard of it."""
        if self.started is None:
            return
        if self.error is not None:
            self._fail(self.started, self.error)
        elif self.returned is not None:
            self.started.succeed(self.returned[0])
        else:
            self.started.cancel()

    def _fail(self, started: ToolEvent, error: BaseException | str, told: Any = None) -> None:
        if isinstance(error, (str, Exception)):
            started.fail(error, told)
        else:
            started.cancel(error)


class Call:
    """A request to a model, over all attempts at it."""

    __slots__ = ("attempts", "error", "event", "input", "run")

    def __init__(self, run: Run | None, event: ModelCallEvent, sent: Any) -> None:
        self.run = run
        self.event = event
        self.input = sent
        self.attempts = 0
        self.error: Exception | None = None

    def abandon(self, error: BaseException | None) -> None:
        """Nothing more will be heard of it.

        One that was cancelled got no answer, and did not fail. Where the model's own method was not seen, its error is the run's.
        """
        found = self.error or (error if self.attempts == 0 else None)
        if found is not None:
            self.event.fail(found)


Place: TypeAlias = Run | Execution | Call

position: ContextVar[Place | None] = ContextVar("agentassert_openai_agents_place", default=None)


def running() -> Run | None:
    """The run that the running code is part of."""
    place = position.get()
    return place if isinstance(place, Run) or place is None else place.run
