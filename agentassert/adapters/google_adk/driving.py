"""Running agents, apps and runners of ADK."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from google.adk.agents.base_agent import BaseAgent
from google.adk.apps.app import App
from google.adk.runners import InMemoryRunner, Runner
from google.adk.tools.agent_tool import AgentTool
from google.adk.tools.base_tool import BaseTool
from google.genai import types

from agentassert.adapters.driver import Answer, Driver, Pause, PendingApproval, as_text
from agentassert.adapters.google_adk.approvals import asked_by
from agentassert.adapters.google_adk.messages import CONFIRMATION, all_calls_in
from agentassert.adapters.google_adk.tools import install_doubles

_USER: Final = "agentassert"


class _Session:
    """A session of its own, with a runner that was made for the agent, or that the user gave."""

    def __init__(self, agent: Any) -> None:
        self.runner: Runner = agent if isinstance(agent, Runner) else _runner(agent)
        self.is_ours: Final = self.runner is not agent
        self.id: Final = str(uuid.uuid4())

    async def run(self, content: types.Content) -> list[Any]:
        runner = self.runner
        named: dict[str, Any] = {"user_id": _USER, "session_id": self.id}
        service = runner.session_service
        if await service.get_session(app_name=runner.app_name, **named) is None:
            await service.create_session(app_name=runner.app_name, **named)
        return [event async for event in runner.run_async(**named, new_message=content)]

    async def close(self) -> None:
        if self.is_ours:
            await self.runner.close()


class GoogleADKDriver(Driver):
    """Runs agents in a session of their own, in memory unless a runner is given that keeps sessions elsewhere."""

    def drives(self, agent: Any) -> bool:
        return isinstance(agent, (BaseAgent, App, Runner))

    def tools_of(self, agent: Any) -> list[str] | None:
        return _names_of(_agent_of(agent))

    def tools_in_reach_of(self, agent: Any) -> list[str] | None:
        names: list[str] = []
        for one in _in_reach_of(_agent_of(agent), set()):
            own = _names_of(one)
            if own is None:
                return None
            names += own
        return names

    async def start(self, agent: Any, payload: str | Mapping[str, Any], *, name: str | None) -> Pause | None:
        said = types.Content(role="user", parts=[types.Part(text=as_text(payload))])
        return await self._go_on(self._session(agent), said)

    async def resume(self, agent: Any, pause: Pause, answers: Sequence[Answer]) -> Pause | None:
        return await self._go_on(pause.state, types.Content(role="user", parts=[_part(answer) for answer in answers]))

    def for_conversation(self) -> Driver:
        return GoogleADKConversation()

    def install_doubles(self) -> None:
        install_doubles()

    def _session(self, agent: Any) -> _Session:
        return _Session(agent)

    async def _go_on(self, session: _Session, content: types.Content) -> Pause | None:
        events = await session.run(content)
        pending = [one for event in events for one in _pending(event)]
        if pending:
            return Pause(tuple(pending), session)
        await session.close()
        return None


class GoogleADKConversation(GoogleADKDriver):
    """Keeps one session."""

    def __init__(self) -> None:
        self._kept: _Session | None = None

    def _session(self, agent: Any) -> _Session:
        if self._kept is None:
            self._kept = _Session(agent)
        return self._kept


def _runner(agent: BaseAgent | App) -> Runner:
    return InMemoryRunner(app=agent) if isinstance(agent, App) else InMemoryRunner(agent=agent, app_name=_USER)


def _agent_of(agent: Any) -> Any:
    if isinstance(agent, App):
        return agent.root_agent
    return agent.agent if isinstance(agent, Runner) else agent


def _names_of(agent: Any) -> list[str] | None:
    """The names of an agent's tools; `None` where only a run can tell, such as those of a toolset."""
    names: list[str] = []
    for tool in getattr(agent, "tools", ()):
        if isinstance(tool, BaseTool):
            names.append(tool.name)
        elif callable(tool):
            names.append(str(getattr(tool, "__name__", type(tool).__name__)))
        else:
            return None
    return names


def _in_reach_of(agent: Any, seen: set[int]) -> Iterator[Any]:
    """The agent, those below it, and those that it has for tools."""
    if id(agent) in seen:
        return
    seen.add(id(agent))
    yield agent
    for one in (
        *getattr(agent, "sub_agents", ()),
        *(tool.agent for tool in getattr(agent, "tools", ()) if isinstance(tool, AgentTool)),
    ):
        yield from _in_reach_of(one, seen)


def _pending(event: Any) -> Iterator[PendingApproval]:
    for call in all_calls_in(event.content):
        asked = asked_by(call)
        if asked is not None:
            yield PendingApproval(asked.tool, asked.arguments, asked.call_id, call.id)


def _part(answer: Answer) -> types.Part:
    """A confirmation; what else was told goes along as its payload, which the tool can read."""
    response: dict[str, Any] = {"confirmed": answer.approves}
    told = answer.response if answer.approves else answer.words
    if told is not None:
        response["payload"] = told
    return types.Part(function_response=types.FunctionResponse(id=answer.pending.key, name=CONFIRMATION, response=response))
