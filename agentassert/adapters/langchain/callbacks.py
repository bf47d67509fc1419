"""LangChain's callbacks, which LangGraph reports through as well."""

from __future__ import annotations

import sys
from typing import Any, Final
from uuid import UUID

from langchain_core.callbacks.base import BaseCallbackHandler

from agentassert import recorder
from agentassert.adapters.base import guarded
from agentassert.adapters.langchain import ADAPTER
from agentassert.adapters.langchain.agents import Agents, is_failure, is_raised
from agentassert.adapters.langchain.approvals import Question
from agentassert.adapters.langchain.messages import (
    message_mapping,
    model_of,
    responding_model,
    response_of,
    sources_of,
    tools_offered_by,
)
from agentassert.adapters.langchain.runs import AgentRun, Retrievals, claim_start
from agentassert.adapters.langchain.tools import arguments_of, end_tool, request_in
from agentassert.jsonlike import snapshot
from agentassert.recording.events import Event, ModelCallEvent, RetrievalEvent, ToolEvent


class _Run:
    """A run of LangChain's that is going on.

    Args:
        agent: the agent whose run it is.
        within: the agent that a tool or a model works for.
        question: what an interrupt in a chain asks about, unless it says so itself.
    """

    __slots__ = ("agent", "question", "within")

    def __init__(
        self, *, agent: AgentRun | None = None, within: AgentRun | None = None, question: Question | None = None
    ) -> None:
        self.agent = agent
        self.within = within
        self.question = question


class Handler(BaseCallbackHandler):
    """Turns LangChain's callbacks into recorder calls."""

    # Otherwise asynchronous runs call it in an executor: out of order, and in another context.
    run_inline = True

    def __init__(self) -> None:
        self._links: recorder.Links[Event] = recorder.Links()
        self._runs: dict[Any, _Run] = {}
        self._agents = Agents()
        self._retrievals = Retrievals()

    def _is_idle(self) -> bool:
        # What started while a capture was open may end later, and must not be remembered for ever.
        return not recorder.listening() and not self._runs

    # pyright takes only a decorated function for a property.
    ignore_chain = ignore_agent = property(_is_idle)  # pyright: ignore[reportIncompatibleMethodOverride]
    ignore_llm = ignore_chat_model = property(_is_idle)  # pyright: ignore[reportIncompatibleMethodOverride]
    ignore_retriever = property(_is_idle)  # pyright: ignore[reportIncompatibleMethodOverride]

    def __deepcopy__(self, _: Any) -> Handler:
        """There is one; agents that copy the configuration of their run copy what points to it."""
        return self

    @property
    def agents(self) -> Agents:
        """The agents that run, and those that wait."""
        return self._agents

    @guarded(ADAPTER)
    def current_event(self) -> Event | None:
        """What the running code is part of, by LangChain's own context."""
        runnables = sys.modules.get("langchain_core.runnables.config")
        if runnables is None:
            return None
        config = runnables.var_child_runnable_config.get()
        event = None if config is None else self._parent(getattr(config.get("callbacks"), "parent_run_id", None))
        return self._retrievals.around(event)

    @guarded(ADAPTER)
    def on_chain_start(
        self,
        serialized: Any,
        inputs: Any,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        start = claim_start()
        if self._is_known(run_id):
            return
        parent = self._parent(parent_run_id)
        name = str(kwargs.get("name") or "chain")
        agent = None
        if start is not None:
            agent = self._agents.begin_graph(start, name, inputs, parent, metadata or {})
        elif parent is None and (parent_run_id is None or self._links.get(parent_run_id) is not None):
            parent = recorder.current_event()
            agent = self._agents.begin_chain(name, inputs) if parent is None else None
        event = parent if agent is None else agent.event
        around = None if start is not None else self._agents.of(parent)
        if around is not None and around.unplaced:
            self._agents.place_decisions(around, inputs)
        if event is not None:
            asking = request_in(inputs) or Question(str((metadata or {}).get("langgraph_node") or name))
            self._put(run_id, event, _Run(agent=agent, question=asking))

    @guarded(ADAPTER)
    def on_chain_end(self, outputs: Any, *, run_id: UUID, **kwargs: Any) -> None:
        self._links.end(run_id)
        run = self._runs.pop(run_id, None)
        if run is None or run.agent is None:
            return
        if run.agent.start is None and "inputs" in kwargs:
            run.agent.event.input = snapshot(kwargs["inputs"])  # a stream's input is complete only now
        self._agents.end(run.agent, outputs)

    @guarded(ADAPTER)
    def on_chain_error(self, error: BaseException, *, run_id: UUID, parent_run_id: UUID | None = None, **kwargs: Any) -> None:
        event = self._links.end(run_id)
        run = self._runs.pop(run_id, None)
        if run is None or event is None:
            return
        if is_raised(error, "GraphInterrupt"):
            around = self._agents.of(event)
            if around is not None and run.question is not None:
                self._agents.ask(around, error, run.question, event)
            self._interrupt(parent_run_id)
        if run.agent is not None:
            self._agents.fail(run.agent, error)
            for left_behind in list(run.agent.open):
                self._close(left_behind)

    @guarded(ADAPTER)
    def on_tool_start(
        self,
        serialized: Any,
        input_str: str,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        inputs: Any = None,
        **kwargs: Any,
    ) -> None:
        if self._is_known(run_id):
            return
        parent = self._parent(parent_run_id)
        agent = self._agents.of(parent)
        name = str((serialized or {}).get("name") or kwargs.get("name"))
        call_id = kwargs["tool_call_id"] if "tool_call_id" in kwargs else self._requested_id(parent_run_id)
        event = None if agent is None else agent.suspended_tools.pop(call_id or name, None)
        if event is None:
            arguments = arguments_of(inputs, input_str, filtered="tool_call_id" in kwargs)
            event = recorder.start_tool(name, arguments, adapter=ADAPTER, parent=parent, call_id=call_id)
        if event is not None:
            self._open(run_id, event)

    @guarded(ADAPTER)
    def on_tool_end(self, output: Any, *, run_id: UUID, **kwargs: Any) -> None:
        event = self._close(run_id)
        if isinstance(event, ToolEvent):
            end_tool(event, output)

    @guarded(ADAPTER)
    def on_tool_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        event = self._close(run_id)
        if not isinstance(event, ToolEvent):
            return
        agent = self._agents.of(event)
        if agent is not None and is_raised(error, "GraphInterrupt"):
            agent.suspended_tools[event.call_id or event.name] = event
            self._agents.ask(agent, error, Question(event.name, event.arguments, event.call_id), event)
        elif is_raised(error, "ParentCommand"):
            event.succeed(getattr(error.args[0], "update", None))
        elif is_failure(error):
            event.fail(error)
        else:
            event.cancel(error)

    @guarded(ADAPTER)
    def on_chat_model_start(
        self,
        serialized: Any,
        messages: Any,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        if not self._is_known(run_id):
            self._call([message_mapping(one) for batch in messages for one in batch], run_id, parent_run_id, metadata, kwargs)

    @guarded(ADAPTER)
    def on_llm_start(
        self,
        serialized: Any,
        prompts: Any,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        if not self._is_known(run_id):
            self._call([{"role": "user", "content": one} for one in prompts], run_id, parent_run_id, metadata, kwargs)

    @guarded(ADAPTER)
    def on_llm_end(self, response: Any, *, run_id: UUID, **kwargs: Any) -> None:
        event = self._close(run_id)
        if isinstance(event, ModelCallEvent):
            event.model = event.model or responding_model(response)
            event.respond(**response_of(response))

    @guarded(ADAPTER)
    def on_llm_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        event = self._close(run_id)
        if isinstance(event, ModelCallEvent):
            event.fail(error)

    @guarded(ADAPTER)
    def on_retriever_start(
        self, serialized: Any, query: str, *, run_id: UUID, parent_run_id: UUID | None = None, **kwargs: Any
    ) -> None:
        if self._is_known(run_id):
            return
        event = recorder.start_retrieval(adapter=ADAPTER, parent=self._parent(parent_run_id))
        if event is not None:
            self._retrievals.put(run_id, event)
            self._put(run_id, event, _Run())

    @guarded(ADAPTER)
    def on_retriever_end(self, documents: Any, *, run_id: UUID, **kwargs: Any) -> None:
        self._retrievals.end(run_id)
        event = self._close(run_id)
        if isinstance(event, RetrievalEvent):
            event.retrieve(sources_of(documents))

    @guarded(ADAPTER)
    def on_retriever_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        self._retrievals.end(run_id)
        event = self._close(run_id)
        if isinstance(event, RetrievalEvent):
            event.fail()

    def _call(
        self,
        sent: list[dict[str, Any]],
        run_id: UUID,
        parent_run_id: UUID | None,
        metadata: dict[str, Any] | None,
        kwargs: dict[str, Any],
    ) -> None:
        params = kwargs.get("invocation_params") or {}
        event = recorder.start_model_call(
            adapter=ADAPTER,
            model=model_of(params, metadata or {}),
            inputs=sent,
            tools_offered=tools_offered_by(params),
            parent=self._parent(parent_run_id),
        )
        if event is not None:
            self._open(run_id, event)

    def _is_known(self, run_id: UUID) -> bool:
        """Whether there is nothing to do for a run that starts: it is known already, or nobody listens."""
        return not recorder.listening() or run_id in self._runs

    def _parent(self, parent_run_id: UUID | None) -> Event | None:
        event = None if parent_run_id is None else self._links.get(parent_run_id)
        if event is None or parent_run_id in self._runs:
            return event
        # The run is over. A context that outlived its capture as well says nothing about what runs in it now.
        return event if recorder.is_open(event) else None

    def _put(self, run_id: UUID, event: Event, run: _Run) -> None:
        self._links.put(run_id, event)
        self._runs[run_id] = run

    def _open(self, run_id: UUID, event: ToolEvent | ModelCallEvent) -> None:
        agent = self._agents.of(event)
        if agent is not None:
            agent.open[run_id] = event
        self._put(run_id, event, _Run(within=agent))

    def _close(self, run_id: UUID) -> Event | None:
        run = self._runs.pop(run_id, None)
        if run is not None and run.within is not None:
            run.within.open.pop(run_id, None)
        return self._links.end(run_id)

    def _interrupt(self, run_id: UUID | None) -> None:
        """An interrupt that leaves a node stops the graph around it, unless that one fails or goes on for other reasons."""
        run = None if run_id is None else self._runs.get(run_id)
        if run is not None and run.agent is not None:
            run.agent.interrupt()

    def _requested_id(self, run_id: UUID | None) -> str | None:
        """LangChain before 1.3 does not tell a tool's call id; the node around it was given it."""
        run = None if run_id is None else self._runs.get(run_id)
        return None if run is None or run.question is None else run.question.call_id


HANDLER: Final = Handler()
