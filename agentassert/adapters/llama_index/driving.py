"""Running agents, workflows of agents, and engines of LlamaIndex."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from llama_index.core.agent.workflow import AgentWorkflow
from llama_index.core.agent.workflow.base_agent import BaseWorkflowAgent
from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.chat_engine.types import BaseChatEngine
from llama_index.core.workflow import Context
from workflows.context.serializers import PickleSerializer
from workflows.events import WorkflowIdleEvent

from agentassert.adapters.base import holding
from agentassert.adapters.driver import Answer, Driver, Pause, PendingApproval, as_text
from agentassert.adapters.llama_index.approvals import Question, heard
from agentassert.adapters.llama_index.doubles import install_doubles


class _Going:
    """A run that goes on, and what it has asked since it last stopped."""

    def __init__(self, agent: Any, text: str, ctx: Any) -> None:
        self.asked: list[Question] = []
        with holding(heard, self.asked):
            self._handler = agent.run(user_msg=text, ctx=ctx)
        self._events = self._handler.stream_events(expose_internal=True)

    async def go_on(self, answers: Sequence[Any] = ()) -> Pause | None:
        """Until its end, or until it waits for a person and nothing else.

        Answers are given one by one: LlamaIndex may run a tool twice whose answer comes while it takes another one.
        """
        left = [*answers]
        self._send_first(left)
        async for event in self._events:
            if not isinstance(event, WorkflowIdleEvent):
                continue
            if left:
                self._send_first(left)
            elif self.asked:
                pending = tuple(PendingApproval(one.tool, one.arguments, one.call_id, one) for one in self.asked)
                self.asked.clear()
                return Pause(pending, self)
        await self._handler
        return None

    def _send_first(self, left: list[Any]) -> None:
        if left:
            self._handler.ctx.send_event(left.pop(0))


class LlamaIndexDriver(Driver):
    """Runs agents, each time in a context of their own."""

    def drives(self, agent: Any) -> bool:
        return isinstance(agent, (BaseWorkflowAgent, AgentWorkflow, BaseQueryEngine, BaseChatEngine))

    def tools_of(self, agent: Any) -> list[str] | None:
        return _names_of([agent.agents[agent.root_agent]] if isinstance(agent, AgentWorkflow) else [agent])

    def tools_in_reach_of(self, agent: Any) -> list[str] | None:
        return _names_of([*agent.agents.values()] if isinstance(agent, AgentWorkflow) else [agent])

    async def start(self, agent: Any, payload: str | Mapping[str, Any], *, name: str | None) -> Pause | None:
        text = as_text(payload)
        if isinstance(agent, BaseQueryEngine):
            await agent.aquery(text)
        elif isinstance(agent, BaseChatEngine):
            await agent.achat(text)
        else:
            return await _Going(agent, text, self._context(agent)).go_on()
        return None

    async def resume(self, agent: Any, pause: Pause, answers: Sequence[Answer]) -> Pause | None:
        going: _Going = pause.state
        return await going.go_on([_event(answer) for answer in answers])

    def for_conversation(self) -> Driver:
        return LlamaIndexConversation()

    def install_doubles(self) -> None:
        install_doubles()

    def _context(self, agent: Any) -> Any:
        return None


class LlamaIndexConversation(LlamaIndexDriver):
    """Keeps one context; engines keep what was said themselves."""

    def __init__(self) -> None:
        self._kept: Any = None

    def _context(self, agent: Any) -> Any:
        if self._kept is None:
            # As JSON, not all that a context holds can be kept between two runs: the memory of what was said may get lost.
            self._kept = Context(agent, serializer=PickleSerializer())
        return self._kept


def _names_of(agents: Sequence[Any]) -> list[str] | None:
    """The names of the tools that agents have; `None` where only a run can tell."""
    if any(not isinstance(one, BaseWorkflowAgent) or one.tool_retriever is not None for one in agents):
        return None
    tools: list[Any] = [tool for one in agents for tool in one.tools or ()]
    return [tool.metadata.get_name() for tool in tools]


def _event(answer: Answer) -> Any:
    """What the tool waits for: the words of the decision, with all that it requires."""
    question: Question = answer.pending.key
    response = answer.response or ("yes" if answer.approves else "no")
    reason = {} if answer.approves else {"reason": answer.words}
    return question.answered_by(**{"response": response, **reason, **question.requirements})
