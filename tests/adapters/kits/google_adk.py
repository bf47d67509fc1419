"""Google ADK."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from google.adk.agents import BaseAgent, LlmAgent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.apps.app import App
from google.adk.models import LlmResponse
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.runners import InMemoryRunner, Runner
from google.adk.tools import FunctionTool
from google.genai import types

from agentassert.adapters.google_adk import ADAPTER
from agentassert.adapters.google_adk.adapter import GoogleADKAdapter
from tests.adapters.kits import QUESTION, Answer, Approve, Ask, Break, HandOff, Kit, Reject, Say, Step, Tool, refuse
from tests.scripted.google_adk import ScriptedModel, asks_for, says

CONFIRMATION = "adk_request_confirmation"
STREAMED = RunConfig(streaming_mode=StreamingMode.SSE)


class Listener(BasePlugin):
    """A plugin of the user's own."""

    def __init__(self, heard: list[str]) -> None:
        super().__init__("listener")
        self.heard = heard

    async def before_tool_callback(self, *, tool: Any, tool_args: Any, tool_context: Any) -> None:
        self.heard.append(tool.name)


class Result(NamedTuple):
    """What a run leaves behind: the events, and where it can go on."""

    runner: Runner
    session_id: str
    events: list[Any]


class GoogleADKKit(Kit):
    """LLM agents with function tools, in sessions in memory."""

    framework = ADAPTER
    title = "Google ADK"
    adapters = (GoogleADKAdapter,)
    own_warnings = (r"\[EXPERIMENTAL\]",)

    @property
    def cannot(self) -> Mapping[str, str]:
        return {
            "arguments_as_json_text": "ADK's calls hold arguments as mappings; its models parse what providers send.",
            "arguments_that_do_not_parse": "ADK's calls hold arguments as mappings; its models parse what providers send.",
            "arguments_of_the_wrong_type": "ADK calls a function with the types that the model sent.",
            "retry_by_the_framework": "ADK asks the model to call again, so each attempt is a request of its own.",
            "retrieval": "ADK knows no retrievers; a tool that retrieves is a tool execution.",
            "approval_with_other_arguments": "ADK refuses a confirmation whose arguments are not those that were asked about.",
            "approval_refused_with_a_reason": "A confirmation of ADK's is a yes or a no; what goes along with it has no set meaning.",
        }

    def agent(
        self, *script: Step, tools: Sequence[Tool] = (), name: str = "support", handoffs: Sequence[Any] = (), retries: int = 0
    ) -> LlmAgent:
        if retries:
            refuse("retries of its own")
        told = {tool.function.__name__ for tool in tools if tool.tells_errors}

        def tell(tool: Any, args: Any, tool_context: Any, error: Exception) -> dict[str, str] | None:
            return {"error": str(error)} if tool.name in told else None

        return LlmAgent(
            name=name,
            description=name,
            model=ScriptedModel(*map(_step, script)),
            tools=[FunctionTool(tool.function, require_confirmation=tool.needs_approval) for tool in tools],
            sub_agents=[*handoffs],
            on_tool_error_callback=tell,
        )

    def run(self, agent: Any, question: str = QUESTION, heard: list[str] | None = None) -> Result:
        return asyncio.run(_begun(_runner(agent, [] if heard is None else [Listener(heard)]), question))

    async def arun(self, agent: Any, question: str = QUESTION) -> Result:
        return await _begun(_runner(agent), question)

    async def astream(self, agent: Any, question: str = QUESTION) -> AsyncIterator[Any]:
        runner = _runner(agent)
        session_id = await _session(runner)
        events = runner.run_async(user_id="ann", session_id=session_id, new_message=_text(question), run_config=STREAMED)
        try:
            async for event in events:
                yield event
        finally:
            await events.aclose()

    def stream(self, agent: Any, question: str = QUESTION) -> Iterator[Any]:
        runner = _runner(agent)
        session_id = asyncio.run(_session(runner))
        yield from runner.run(user_id="ann", session_id=session_id, new_message=_text(question), run_config=STREAMED)

    def text_of(self, result: Any) -> str:
        finals = [event for event in result.events if event.is_final_response() and event.content]
        return "".join(part.text or "" for part in finals[-1].content.parts)

    def resume(self, agent: Any, result: Any, answer: Answer) -> Result:
        calls = [call for event in result.events for call in event.get_function_calls() if call.name == CONFIRMATION]
        parts = [types.Part(function_response=_decision(call.id, answer)) for call in calls]
        return asyncio.run(_continued(result.runner, result.session_id, types.Content(role="user", parts=parts)))

    @property
    def hooked(self) -> Sequence[tuple[type, str]]:
        return [(Runner, "run_async"), (BaseAgent, "run_async")]


def _runner(agent: Any, plugins: Sequence[BasePlugin] = ()) -> Runner:
    return InMemoryRunner(app=App(name="tests", root_agent=agent, plugins=[*plugins]))


async def _session(runner: Runner) -> str:
    session = await runner.session_service.create_session(app_name=runner.app_name, user_id="ann")
    return session.id


async def _begun(runner: Runner, question: str) -> Result:
    return await _continued(runner, await _session(runner), _text(question))


async def _continued(runner: Runner, session_id: str, message: Any) -> Result:
    events = runner.run_async(user_id="ann", session_id=session_id, new_message=message)
    return Result(runner, session_id, [event async for event in events])


def _text(text: str) -> Any:
    return types.Content(role="user", parts=[types.Part(text=text)])


def _step(step: Step) -> LlmResponse | Exception | Callable[[Any], Any]:
    match step:
        case Ask(requests):
            if any(isinstance(one.arguments, str) for one in requests):
                refuse("arguments as text")
            return asks_for(*requests)
        case Say(text, tokens):
            return says(text, tokens=tokens)
        case HandOff(to, call_id):
            return asks_for(("transfer_to_agent", {"agent_name": to}, call_id))
        case Break(error):
            return error
        case _:
            return lambda _: _step(step())


def _decision(key: str, answer: Answer) -> types.FunctionResponse:
    match answer:
        case Approve():
            response = {"confirmed": True}
        case Reject(None):
            response = {"confirmed": False}
        case _:
            refuse("more than a yes or a no")
    return types.FunctionResponse(id=key, name=CONFIRMATION, response=response)
