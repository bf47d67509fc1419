"""A hand-written agent whose tools are on a server of MCP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, aclosing
from typing import Any, Final

import attrs
from mcp import ClientSession

from agentassert import record
from agentassert.adapters.mcp.adapter import MCPAdapter
from tests.adapters.kits import QUESTION, Ask, Break, Kit, Say, Step, Tool, loop_of_its_own, refuse, telling
from tests.scripted.mcp import HAS_CLIENT, ToolError, connected

NO_APPROVALS: Final = "MCP knows no approvals; a client that asks its user does so before it calls a tool."
AS_TEXT: Final = "A server reports a failure as a text, never as the exception."
APPROVALS: Final = "MCP knows no approvals; a client that asks its user does so before it calls a tool."
AS_TEXT: Final = "A server reports a failure as a text, never as the exception."
OWN_CONTEXT: Final = "A server of mcp 1 in the same process runs in the context that it was started in, not in that of a call."
"""Why what happens within a tool is not recorded within it."""
NESTED: Final = (
    "nested_agent",
    "nested_agents_two_deep",
    "nested_agents_side_by_side",
    "nested_failure",
    "handwritten_agent_inside",
)
APPROVALS: Final = (
    "approval_pending",
    "approval_given",
    "approval_with_other_arguments",
    "approval_refused",
    "approval_refused_with_a_reason",
    "approval_of_one_among_others",
    "several_approvals",
    "approval_given_in_another_capture",
    "approval_refused_in_another_capture",
    "approval_whose_request_nobody_recorded",
)


@attrs.frozen
class Agent:
    """What a loop over a model and a client needs."""

    script: list[Step]
    tools: tuple[Tool, ...]
    name: str


class MCPKit(Kit):
    """A loop over a model that follows a script, and over a client; `record` marks its runs and its requests to the model."""

    framework = "record"
    title = "MCP Python SDK"
    random_run = "clients"
    adapters = (MCPAdapter,)

    @property
    def cannot(self) -> Mapping[str, str]:
        return {
            "failure_that_ends_the_agent": AS_TEXT,
            "unknown_tool": "A client asks for a tool by whatever name; that the server knows none is a failed execution.",
            "retry_by_the_framework": "A client never calls a tool again by itself.",
            "stream": "Clients of MCP are async.",
            "handoff": "MCP knows no agents.",
            "hooks_of_the_user": "A client calls no hooks of its user when it calls a tool.",
            **dict.fromkeys(APPROVALS, NO_APPROVALS),
        }

    def agent(
        self, *script: Step, tools: Sequence[Tool] = (), name: str = "support", handoffs: Sequence[Any] = (), retries: int = 0
    ) -> Agent:
        if retries:
            refuse("retries of its own")
        if handoffs:
            refuse("handoffs")
        if any(tool.needs_approval for tool in tools):
            refuse("approvals")
        return Agent(list(script), tuple(tools), name)

    def run(self, agent: Agent, question: str = QUESTION, heard: list[str] | None = None) -> str:
        if heard is not None:
            refuse("hooks of the user")
        with loop_of_its_own():
            return asyncio.get_event_loop().run_until_complete(self.arun(agent, question))

    async def arun(self, agent: Agent, question: str = QUESTION) -> str:
        @record.agent(agent.name)
        async def run(question: str) -> str:
            return "".join([part async for part in self._loop(agent, question)])

        return await run(question)

    def astream(self, agent: Agent, question: str = QUESTION) -> AsyncIterator[str]:
        @record.agent(agent.name)
        async def run(question: str) -> AsyncIterator[str]:
            async with aclosing(self._loop(agent, question)) as parts:  # or it would be left to another task to leave the client
                async for part in parts:
                    yield part

        return run(question)

    def text_of(self, result: str) -> str:
        return result

    @property
    def hooked(self) -> Sequence[tuple[type, str]]:
        return [(ClientSession, "call_tool")]

    def retriever(self, *texts: str) -> Callable[[str], list[str]]:
        resources = {f"manual://{number}": text for number, text in enumerate(texts)}

        async def read() -> list[str]:
            async with self.connected(resources=resources) as client:
                return [await self.text_at(client, address) for address in resources]

        def retrieve(query: str) -> list[str]:
            with ThreadPoolExecutor(1) as elsewhere:  # a tool that is not async is run by the very loop that would have to read
                return elsewhere.submit(asyncio.run, read()).result()

        return retrieve

    def connected(
        self, *functions: Callable[..., Any], resources: Mapping[str, str] | None = None
    ) -> AbstractAsyncContextManager[Any]:
        """A client of a server that has these tools and resources."""
        return connected(*functions, resources=resources)

    async def called(self, client: Any, name: str, arguments: dict[str, Any]) -> tuple[str, bool]:
        """What a tool gave, as text, and whether it failed."""
        result = await client.call_tool(name, arguments)
        return "\n".join(block.text for block in result.content), result.is_error if HAS_CLIENT else result.isError

    async def text_at(self, client: Any, address: str) -> str:
        """The text of a resource."""
        result = await client.read_resource(address)
        return str(result.contents[0].text)

    async def _loop(self, agent: Agent, question: str) -> AsyncGenerator[str, None]:
        functions = [telling(tool.function, lambda error: ToolError(str(error))) for tool in agent.tools]
        failure = None
        async with self.connected(*functions) as client:
            try:
                async with aclosing(self._conversation(client, agent, question)) as parts:
                    async for part in parts:
                        yield part
            except (Exception, GeneratorExit) as error:  # a client that is left by an exception wraps it in a group
                failure = error
        if failure is not None:
            raise failure

    async def _conversation(self, client: Any, agent: Agent, question: str) -> AsyncGenerator[str, None]:
        """Ask the model until it answers; first of all, say that it has begun."""
        yield ""
        messages: list[dict[str, Any]] = [{"role": "user", "content": question}]
        tells_errors = {tool.function.__name__: tool.tells_errors for tool in agent.tools}
        while True:
            step = _asked(agent, messages)
            if isinstance(step, Say):
                yield step.text
                return
            answers = await asyncio.gather(*(self._answer(client, request, tells_errors) for request in step.requests))
            messages += ({"role": "tool", "content": answer} for answer in answers)

    async def _answer(self, client: Any, request: Any, tells_errors: Mapping[str, bool]) -> str:
        try:
            arguments = json.loads(request.arguments) if isinstance(request.arguments, str) else request.arguments
        except ValueError as error:
            return str(error)
        text, failed = await self.called(client, request.name, arguments)
        if failed and not tells_errors.get(request.name, True):
            raise ValueError(text)
        return text


def _asked(agent: Agent, messages: list[dict[str, Any]]) -> Ask | Say:
    """One request to the model, by the script."""
    offered = [tool.function.__name__ for tool in agent.tools]
    with record.model_call("scripted", messages=list(messages), tools_offered=offered) as call:
        step = agent.script.pop(0)
        while callable(step):
            step = step()
        match step:
            case Break(error):
                raise error
            case Say(text, tokens):
                read, written = tokens or (None, None)
                call.respond(text, finish_reason="stop", input_tokens=read, output_tokens=written)
            case Ask(requests):
                call.respond(
                    finish_reason="tool_calls",
                    input_tokens=11,
                    output_tokens=3,
                    tool_execution_requests=[request._asdict() for request in requests],
                )
    return step
