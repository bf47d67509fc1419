"""Agno."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from typing import Any

from agno.agent import Agent
from agno.knowledge.document import Document
from agno.knowledge.knowledge import Knowledge
from agno.run.base import RunStatus
from agno.team import Team
from agno.tools.function import Function

from agentassert.adapters.agno import ADAPTER
from agentassert.adapters.agno.adapter import AgnoAdapter
from tests.adapters.kits import QUESTION, Answer, Approve, Ask, Break, Edit, HandOff, Kit, Reject, Say, Step, Tool, refuse
from tests.scripted.agno import asks_for, says, scripted

_TELLS = "Agno tells the model of every error that a tool raises; the run goes on."


class AgnoKit(Kit):
    """Agents with functions for tools, and teams that hand a task to a member."""

    framework = ADAPTER
    title = "Agno"
    adapters = (AgnoAdapter,)
    awaits_tools = False

    @property
    def cannot(self) -> Mapping[str, str]:
        return {
            "failure_that_ends_the_agent": _TELLS,
            "nested_failure": f"{_TELLS} A run that fails is a result, too, and no exception.",
            "failures_reach_the_user_unchanged": f"{_TELLS} A run that fails gives a result with the error's text.",
            "retry_by_the_framework": "Agno runs no tool a second time by itself: it retries requests to models, and whole runs.",
            "finish_reason": "Agno's model responses hold no finish reason; an SDK below, whose calls are recorded, tells it.",
        }

    def agent(
        self, *script: Step, tools: Sequence[Tool] = (), name: str = "support", handoffs: Sequence[Any] = (), retries: int = 0
    ) -> Any:
        if retries:
            refuse("retries of a tool")
        model = scripted(*map(_step, script))
        if handoffs:
            return Team(name=name, model=model, members=[*handoffs], respond_directly=True, telemetry=False)
        return Agent(name=name, id=name, model=model, tools=[*map(_function, tools)], telemetry=False)

    def run(self, agent: Any, question: str = QUESTION, heard: list[str] | None = None) -> Any:
        if heard is not None:
            agent.tool_hooks = [_listener(heard)]
        return agent.run(question)

    async def arun(self, agent: Any, question: str = QUESTION) -> Any:
        return await agent.arun(question)

    async def astream(self, agent: Any, question: str = QUESTION) -> AsyncIterator[Any]:
        events = agent.arun(question, stream=True)
        try:
            async for event in events:
                yield event
        finally:
            await events.aclose()

    def stream(self, agent: Any, question: str = QUESTION) -> Iterator[Any]:
        yield from agent.run(question, stream=True)

    def text_of(self, result: Any) -> str:
        if result.status == RunStatus.error:
            raise RuntimeError(result.content)
        return str(result.content)

    def resume(self, agent: Any, result: Any, answer: Answer) -> Any:
        for requirement in result.active_requirements:
            match answer:
                case Approve():
                    requirement.confirm()
                case Reject(reason):
                    requirement.reject(reason)
                case Edit(arguments):
                    requirement.tool_execution.tool_args = arguments
                    requirement.confirm()
        return agent.continue_run(run_response=result)

    def retriever(self, *texts: str) -> Callable[[str], list[str]]:
        knowledge = Knowledge(vector_db=Shelf(texts))  # type: ignore[arg-type]
        return lambda query: [document.content for document in knowledge.search(query)]

    @property
    def hooked(self) -> Sequence[tuple[type, str]]:
        return [(Agent, "run"), (Agent, "arun")]


class Shelf:
    """A store of documents that finds all that it has."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts

    def exists(self) -> bool:
        return True

    def search(self, query: str, limit: int = 5, filters: Any = None) -> list[Document]:
        return [Document(content=text) for text in self.texts]


def _function(tool: Tool) -> Function:
    function = Function.from_callable(tool.function)
    function.requires_confirmation = tool.needs_approval
    return function


def _listener(heard: list[str]) -> Callable[..., Any]:
    def hook(function_name: str, function_call: Callable[..., Any], arguments: dict[str, Any]) -> Any:
        heard.append(function_name)
        return function_call(**arguments)

    return hook


def _step(step: Step) -> Any:
    match step:
        case Ask(requests):
            return asks_for(*requests)
        case Say(text, tokens):
            return says(text, tokens=tokens)
        case HandOff(to, call_id):
            return asks_for(("delegate_task_to_member", {"member_id": to, "task": "Take over."}, call_id))
        case Break(error):
            return error
        case _:
            return lambda _: _step(step())
