"""Running agents of Pydantic AI."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic_ai import ModelRetry
from pydantic_ai.agent import AbstractAgent
from pydantic_ai.tools import DeferredToolRequests, DeferredToolResults, ToolDenied
from pydantic_ai.toolsets import AbstractToolset, ExternalToolset, FunctionToolset

from agentassert.adapters.driver import Answer, Driver, Pause, PendingApproval, as_text
from agentassert.adapters.pydantic_ai.doubles import install_doubles
from agentassert.adapters.pydantic_ai.messages import arguments_of


class PydanticAIDriver(Driver):
    """Runs agents with `Agent.run`."""

    def drives(self, agent: Any) -> bool:
        return isinstance(agent, AbstractAgent)

    def tools_of(self, agent: Any) -> list[str] | None:
        names: list[str] = []
        for toolset in agent.toolsets:
            own = _tools_in(toolset)
            if own is None:
                return None
            names += own
        return names

    async def start(self, agent: Any, payload: str | Mapping[str, Any], *, name: str | None) -> Pause | None:
        return _pause(await self._result(agent, as_text(payload)))

    async def resume(self, agent: Any, pause: Pause, answers: Sequence[Answer]) -> Pause | None:
        results = DeferredToolResults()
        for answer in answers:
            _decide(results, answer, pause.state.output)
        return _pause(await self._result(agent, None, message_history=pause.state.all_messages(), deferred_tool_results=results))

    async def _result(self, agent: Any, text: str | None, **options: Any) -> Any:
        return await agent.run(text, **options)

    def for_conversation(self) -> Driver:
        return PydanticAIConversation()

    def install_doubles(self) -> None:
        install_doubles()


class PydanticAIConversation(PydanticAIDriver):
    """Gives the agent what was said before, as `result.all_messages()` has it."""

    def __init__(self) -> None:
        self._history: list[Any] = []

    async def _result(self, agent: Any, text: str | None, **options: Any) -> Any:
        result = await super()._result(agent, text, **{"message_history": self._history, **options})
        self._history = result.all_messages()
        return result


def _tools_in(toolset: AbstractToolset[Any]) -> list[str] | None:
    """The names of the tools in it; `None` where only a run can tell, such as those of an MCP server."""
    if isinstance(toolset, FunctionToolset):
        return list(toolset.tools)
    if isinstance(toolset, ExternalToolset):
        return [one.name for one in toolset.tool_defs]
    return None


def _pause(result: Any) -> Pause | None:
    requests = result.output
    if not isinstance(requests, DeferredToolRequests):
        return None
    calls = [*requests.approvals, *requests.calls]
    pending = [PendingApproval(call.tool_name, arguments_of(call), call.tool_call_id) for call in calls]
    return Pause(tuple(pending), result)


def _decide(results: DeferredToolResults, answer: Answer, requests: DeferredToolRequests) -> None:
    call_id = str(answer.pending.call_id)
    if any(call.tool_call_id == call_id for call in requests.calls):
        results.calls[call_id] = _result(answer)
        return
    if answer.response is not None:
        raise ValueError(f"Pydantic AI takes no response to the approval of {answer.pending.tool!r}; leave it out")
    results.approvals[call_id] = True if answer.approves else ToolDenied(answer.words)


def _result(answer: Answer) -> Any:
    """Of a tool that a person is, or another program: what it is waited for is more than a yes."""
    if not answer.approves:
        return ModelRetry(answer.words)
    if answer.response is None:
        raise ValueError(f"the result of {answer.pending.tool!r} is waited for: give it as the response of the approval decision")
    return answer.response
