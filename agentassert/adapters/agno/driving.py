"""Running agents, teams and workflows."""

from __future__ import annotations

import copy
import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from agno.agent.agent import Agent
from agno.run.base import RunStatus
from agno.team.team import Team
from agno.tools.function import Function
from agno.tools.toolkit import Toolkit

from agentassert.adapters.agno.doubles import install_doubles
from agentassert.adapters.driver import Answer, Driver, Pause, PendingApproval, as_text

_BRING_TOOLS: Final = (
    "enable_agentic_memory",
    "enable_agentic_state",
    "knowledge",
    "knowledge_retriever",
    "learning",
    "read_chat_history",
    "read_tool_call_history",
    "search_session_history",
    "skills",
)
"""What makes an agent bring tools of Agno's own along, when it runs."""


class AgnoDriver(Driver):
    """Runs agents and teams with `arun`, each time in a session of its own."""

    def drives(self, agent: Any) -> bool:
        return isinstance(agent, (Agent, Team))

    def tools_of(self, agent: Any) -> list[str] | None:
        return _names_of(agent)

    def tools_in_reach_of(self, agent: Any) -> list[str] | None:
        names: list[str] = []
        for one in _in_reach_of(agent):
            own = _names_of(one)
            if own is None:
                return None
            names += own
        return names

    async def start(self, agent: Any, payload: str | Mapping[str, Any], *, name: str | None) -> Pause | None:
        return _pause(await agent.arun(as_text(payload), stream=False, session_id=str(uuid.uuid4())))

    async def resume(self, agent: Any, pause: Pause, answers: Sequence[Answer]) -> Pause | None:
        for answer in answers:
            _answer(answer.pending.key, answer)
        return _pause(await agent.acontinue_run(pause.state, stream=False))

    def for_conversation(self) -> Driver:
        return AgnoConversation()

    def install_doubles(self) -> None:
        install_doubles()


class AgnoConversation(AgnoDriver):
    """Keeps one session: in the agent's own database, or in memory where it has none."""

    def __init__(self) -> None:
        self._session_id: Final = str(uuid.uuid4())
        self._kept: Any = None

    async def start(self, agent: Any, payload: str | Mapping[str, Any], *, name: str | None) -> Pause | None:
        kept = self._remembering(agent)
        return _pause(await kept.arun(as_text(payload), stream=False, session_id=self._session_id))

    async def resume(self, agent: Any, pause: Pause, answers: Sequence[Answer]) -> Pause | None:
        return await super().resume(self._remembering(agent), pause, answers)

    def _remembering(self, agent: Any) -> Any:
        if agent.db is not None:
            return agent
        if self._kept is None:
            from agno.db.in_memory import InMemoryDb

            self._kept = copy.copy(agent)  # the user's own stays as it is
            make: Any = InMemoryDb
            self._kept.db, self._kept.add_history_to_context = make(), True
        return self._kept


def _names_of(agent: Any) -> list[str] | None:
    """The names of an agent's tools; `None` where only a run can tell, such as those of an MCP server."""
    tools = agent.tools or ()
    if callable(tools) or any(getattr(agent, name, None) for name in _BRING_TOOLS):
        return None
    names: list[str] = []
    for tool in tools:
        if isinstance(tool, Toolkit):
            own = list(dict.fromkeys([*tool.functions, *getattr(tool, "async_functions", ())]))
            if not own:
                return None
            names += own
        elif isinstance(tool, Mapping):
            names.append(str((tool.get("function") or tool).get("name") or tool.get("type")))
        else:
            names.append(tool.name if isinstance(tool, Function) else str(tool.__name__))
    return names


def _in_reach_of(agent: Any) -> Iterator[Any]:
    yield agent
    for member in getattr(agent, "members", None) or ():
        yield from _in_reach_of(member)


def _pause(result: Any) -> Pause | None:
    if result.status != RunStatus.paused:
        return None
    asked = [(one, one.tool_execution) for one in result.requirements or () if not one.is_resolved()]
    pending = (PendingApproval(tool.tool_name, tool.tool_args or {}, tool.tool_call_id, one) for one, tool in asked)
    return Pause(tuple(pending), result)


def _answer(requirement: Any, answer: Answer) -> None:
    if requirement.needs_confirmation:
        if answer.response is not None:
            raise ValueError(f"Agno takes no response to the confirmation of {answer.pending.tool!r}; leave it out")
        if answer.approves:
            requirement.confirm()
        else:
            requirement.reject(answer.words)
        return
    told = answer.response if answer.approves else answer.words
    if told is None:
        raise ValueError(
            f"more than a yes is waited for: give the response of the approval decision about {answer.pending.tool!r}"
        )
    if requirement.needs_external_execution:
        requirement.set_external_execution_result(told)
    elif requirement.needs_user_input:
        requirement.provide_user_input(_fields(requirement, told))


def _fields(requirement: Any, told: str) -> dict[str, Any]:
    """What a user fills in: a JSON object of the fields, or the text for the one that is open."""
    try:
        given = json.loads(told)
    except ValueError:
        given = None
    if isinstance(given, dict):
        return given
    return {one.name: told for one in requirement.user_input_schema or () if one.value is None}
