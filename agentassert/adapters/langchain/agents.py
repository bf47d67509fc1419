"""The agents that run: their starts, suspensions, resumptions, handoffs and ends as those of invocations."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Mapping, Sequence
from typing import Any

from agentassert import recorder
from agentassert.adapters.decisions import decisions_in
from agentassert.adapters.langchain import ADAPTER
from agentassert.adapters.langchain.approvals import (
    Asked,
    Interrupted,
    Question,
    answered_by,
    interrupts_in,
    questions_in,
)
from agentassert.adapters.langchain.messages import last_requests_in, output_text_of
from agentassert.adapters.langchain.runs import UNNAMED, AgentRun, GraphStart, Key
from agentassert.adapters.langchain.suspended import Suspended
from agentassert.recording.events import Event, InvocationEvent


def is_raised(error: BaseException, name: str) -> bool:
    """Whether `error` is of that class of LangGraph's errors, which are there when one was raised."""
    kind = getattr(sys.modules.get("langgraph.errors"), name, None)
    return kind is not None and isinstance(error, kind)


def is_failure(error: BaseException) -> bool:
    """Whether `error` is none by which a run is stopped from outside, or LangGraph steers it."""
    return isinstance(error, Exception) and not is_raised(error, "GraphBubbleUp")


class Agents:
    """Those that run now, by their invocation, and those that wait for a human."""

    def __init__(self) -> None:
        self._running: dict[InvocationEvent, AgentRun] = {}
        self._suspended = Suspended()

    def of(self, event: Event | None) -> AgentRun | None:
        """The agent whose work `event` is."""
        return None if event is None or event.owner is None else self._running.get(event.owner)

    def questions_of(self, interrupt_id: str) -> tuple[Question, ...]:
        """What an interrupt asks that nobody has answered."""
        found = self._suspended.find(interrupt_id)
        return () if found is None else found.questions

    def begin_chain(self, name: str, inputs: Any) -> AgentRun | None:
        """A plain runnable that nothing started: an invocation of its own."""
        event = recorder.start_invocation(name, adapter=ADAPTER, input=inputs)
        return None if event is None else self._ran(AgentRun(event, None, None, None))

    def begin_graph(
        self, start: GraphStart, run_name: str, inputs: Any, parent: Event | None, metadata: Mapping[str, Any]
    ) -> AgentRun | None:
        """A graph's run: of a new invocation, or of one that goes on."""
        around = self.of(parent)
        name = _name(start, run_name, parent, metadata)
        key = _key(start, name, around, metadata)
        resume = _resume_in(inputs)
        goes_on = around is not None or resume is not None or inputs is None
        agent = self._suspended.take(key, start) if goes_on else None
        if not goes_on and not _is_command(inputs):
            self._suspended.forget(key, start)
        waiting: Sequence[Interrupted] = ()
        if agent is not None:
            waiting = () if resume is None or around is not None else tuple(agent.waiting)
            agent.event.resume()
            agent.start = start
        else:
            if resume is not None and around is None:
                waiting = self._suspended.take_waiting(key, start)
            agent = self._new(start, name, key, inputs, parent, around, metadata)
        if agent is not None:
            start.agent = self._ran(agent)
            self._decide(agent, waiting, resume)
        return agent

    def end(self, agent: AgentRun, output: Any) -> None:
        """A run that came to its end, which an interrupt is not."""
        if agent.interrupted:
            self._suspend(agent, output)
            return
        self._running.pop(agent.event, None)
        if agent.start is None and agent.has_open_model_call():
            # A stream that is closed before its end is reported by LangChain as one that ended, but before what it consists of.
            agent.event.cancel(output=output)
        else:
            agent.event.complete(output, output_text_of(output))

    def fail(self, agent: AgentRun, error: BaseException) -> None:
        """A run that an error left."""
        if is_raised(error, "GraphInterrupt"):
            self._suspend(agent, None)
            return
        self._running.pop(agent.event, None)
        if is_raised(error, "ParentCommand"):
            self._hand_off(agent, error.args[0] if error.args else None)
            return
        agent.cancel_tools()
        if is_failure(error):
            agent.event.fail(error)
        else:
            agent.event.cancel(error)

    def ask(self, agent: AgentRun, error: BaseException, asking: Question, parent: Event) -> None:
        """Record what the interrupts in `error` ask, once: they pass everything that is around where they were raised."""
        waiting = agent.root.waiting
        for interrupt_id, payload in interrupts_in(error):
            if any(interrupt_id == known.id for known in waiting):
                continue
            questions = questions_in(payload, asking)
            asked = [
                recorder.add_approval(one.tool, one.arguments, adapter=ADAPTER, call_id=one.call_id, parent=parent)
                for one in questions
            ]
            references = tuple(None if one is None else weakref.ref(one) for one in asked)
            waiting.append(Interrupted(interrupt_id, questions, weakref.ref(parent), references))

    def _new(
        self,
        start: GraphStart,
        name: str,
        key: Key | None,
        inputs: Any,
        parent: Event | None,
        around: AgentRun | None,
        metadata: Mapping[str, Any],
    ) -> AgentRun | None:
        handed_off_by = None
        if around is not None and parent is around.event:
            handed_off_by = around.handoffs.pop(str(metadata.get("langgraph_node")), None)
        event = recorder.start_invocation(
            name,
            adapter=ADAPTER,
            input=inputs,
            parent=handed_off_by or parent,
            awaited=None if handed_off_by is None else True,
        )
        return None if event is None else AgentRun(event, start, key, around)

    def _ran(self, agent: AgentRun) -> AgentRun:
        self._running[agent.event] = agent
        return agent

    def _suspend(self, agent: AgentRun, output: Any) -> None:
        self._running.pop(agent.event, None)
        agent.event.suspend(output, output_text_of(output))
        self._suspended.put(agent)

    def place_decisions(self, agent: AgentRun, state: Any) -> None:
        """Record decisions about an interrupt that nobody saw, once the state of the node that asked is there."""
        questions = [Question(one["name"], one["arguments"], one["call_id"]) for one in last_requests_in(state)]
        if len(questions) == len(agent.unplaced):
            _approve(questions, {"decisions": agent.unplaced}, agent.event)
            agent.unplaced = ()

    def _decide(self, agent: AgentRun, waiting: Sequence[Interrupted], resume: Any) -> None:
        if not waiting and isinstance(resume, Mapping):
            decisions = resume.get("decisions")
            agent.unplaced = decisions if isinstance(decisions, list) else ()
        for interrupted, answer in answered_by(resume, waiting):
            stopped: Event | None = None
            asked: Asked = ()
            if interrupted in agent.waiting:
                agent.waiting.remove(interrupted)
                stopped, asked = interrupted.stopped(), interrupted.asked
            _approve(interrupted.questions, answer, stopped or agent.event, asked)

    def _hand_off(self, agent: AgentRun, command: Any) -> None:
        """It ended by naming the node of the graph around it that goes on."""
        update = getattr(command, "update", None)
        agent.event.complete(update, output_text_of(update))
        goto = getattr(command, "goto", ())
        targets = goto if isinstance(goto, (list, tuple)) else [goto]
        if agent.around is not None:
            agent.around.handoffs.update({str(getattr(target, "node", target)): agent.event for target in targets})


def _approve(questions: Sequence[Question], answer: Any, parent: Event, asked: Asked = ()) -> None:
    for index, (question, decided) in enumerate(zip(questions, decisions_in(answer, len(questions)), strict=False)):
        if decided is None:
            # An answer that is neither yes nor no was no approval: what asked wanted to know something else.
            pending = asked[index] if index < len(asked) else None
            event = None if pending is None else pending()
            if event is not None:
                recorder.withdraw(event)
            continue
        decision, reason = decided
        recorder.add_approval(
            question.tool,
            question.arguments,
            adapter=ADAPTER,
            decision=decision,
            reason=reason,
            call_id=question.call_id,
            parent=parent,
        )


def _resume_in(inputs: Any) -> Any:
    """What a run is resumed with, which only a command says: an agent's own input may well have a field of that name."""
    return inputs.resume if _is_command(inputs) else None


def _is_command(inputs: Any) -> bool:
    kind = getattr(sys.modules.get("langgraph.types"), "Command", None)
    return kind is not None and isinstance(inputs, kind)


def _name(start: GraphStart, run_name: str, parent: Event | None, metadata: Mapping[str, Any]) -> str:
    """The graph's own name; for one without, that of its run, or of the node that it is in another graph."""
    if start.name != UNNAMED:
        return start.name
    if run_name != UNNAMED:
        return run_name
    node = metadata.get("langgraph_node") if isinstance(parent, InvocationEvent) else None
    return str(node or UNNAMED)


def _key(start: GraphStart, name: str, around: AgentRun | None, metadata: Mapping[str, Any]) -> Key | None:
    """What a run that goes on has in common with the one that was interrupted, beside the saver."""
    if around is not None:
        return around.event, metadata.get("langgraph_checkpoint_ns"), name
    return None if start.thread is None or start.saver() is None else (start.thread, start.name)
