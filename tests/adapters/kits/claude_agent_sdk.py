"""Claude Agent SDK."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Any, Final, get_type_hints

import attrs
from claude_agent_sdk import (
    ClaudeAgentOptions,
    ClaudeSDKClient,
    HookMatcher,
    ResultMessage,
    create_sdk_mcp_server,
    query,
    tool,
)
from claude_agent_sdk._internal.client import InternalClient
from mcp.types import ToolAnnotations

from agentassert.adapters.claude_agent_sdk import ADAPTER
from agentassert.adapters.claude_agent_sdk.adapter import ClaudeAgentSDKAdapter
from tests.adapters.kits import QUESTION, Answer, Approve, Ask, Break, Edit, HandOff, Kit, Reject, Say, Step, Tool, refuse
from tests.scripted.claude_agent_sdk import SERVER, ScriptedCode, asks_for, own, says

TYPES: Final = {str: "string", int: "integer", dict: "object", list: "array"}
PARSED: Final = "Claude Code parses arguments, and tells of them as objects."
TOLD: Final = "Claude Code tells the model of a tool's exception, and goes on."
AS_TEXT: Final = "Claude Code calls the model from a process of its own, and tells of a failure by a text."


@attrs.frozen
class Agent:
    """What Claude Code is started with."""

    code: ScriptedCode
    tools: tuple[Tool, ...]
    name: str


@attrs.frozen
class Result:
    """What a run gave."""

    messages: list[Any]

    @property
    def last(self) -> ResultMessage:
        """How it ended."""
        return self.messages[-1]


class ClaudeAgentSDKKit(Kit):
    """Tools of a server in this process; a hook defers those that need an approval, which is given when the session is resumed."""

    framework = ADAPTER
    title = "Claude Agent SDK"
    adapters = (ClaudeAgentSDKAdapter,)

    @property
    def cannot(self) -> Mapping[str, str]:
        return {
            "arguments_as_json_text": PARSED,
            "arguments_that_do_not_parse": PARSED,
            "failure_that_ends_the_agent": TOLD,
            "nested_failure": TOLD,
            "failures_reach_the_user_unchanged": TOLD,
            "retry_by_the_framework": "Claude Code never runs a tool again by itself.",
            "model_calls": "Claude Code does not tell what it sends to the model.",
            "model_error": AS_TEXT,
            "model_error_after_a_tool": AS_TEXT,
            "stream": "The SDK is async.",
            "handoff": "An agent of Claude Code answers the one that asked it; none is handed over to.",
            "retrieval": "Claude Code knows no retrievers; a tool that retrieves is a tool execution.",
            "several_approvals": "Claude Code defers the last one of several tools, and forgets the others.",
        }

    def agent(
        self, *script: Step, tools: Sequence[Tool] = (), name: str = "support", handoffs: Sequence[Any] = (), retries: int = 0
    ) -> Agent:
        if retries or handoffs:
            refuse("retries and handoffs")
        return Agent(ScriptedCode(*map(_step, script), telling=True), tuple(tools), name)

    def run(self, agent: Any, question: str = QUESTION, heard: list[str] | None = None) -> Result:
        return asyncio.run(self._run(agent, question, heard))

    async def arun(self, agent: Any, question: str = QUESTION) -> Result:
        return await self._run(agent, question, None)

    async def astream(self, agent: Any, question: str = QUESTION) -> AsyncIterator[Any]:
        async with aclosing(_asked(agent, question)) as messages:
            async for message in messages:
                yield message

    def text_of(self, result: Any) -> str:
        return str(result.last.result)

    def resume(self, agent: Any, result: Any, answer: Answer) -> Result:
        return asyncio.run(_resumed(agent, result.last.session_id, answer))

    @property
    def hooked(self) -> Sequence[tuple[type, str]]:
        return [(InternalClient, "process_query")]

    async def _run(self, agent: Agent, question: str, heard: list[str] | None) -> Result:
        return Result([message async for message in _asked(agent, question, heard)])


def _asked(agent: Agent, question: str, heard: list[str] | None = None) -> AsyncGenerator[Any, None]:
    messages: Any = query(prompt=question, options=_options(agent, heard=heard), transport=agent.code.transport())
    return messages


async def _resumed(agent: Agent, session_id: str, answer: Answer) -> Result:
    options = _options(agent, decision=_decision(answer), resume=session_id)
    async with ClaudeSDKClient(options, transport=agent.code.transport()) as client:
        return Result([message async for message in client.receive_response()])


def _options(
    agent: Agent, *, heard: list[str] | None = None, decision: Mapping[str, Any] | None = None, **options: Any
) -> ClaudeAgentOptions:
    gated = {own(one.function.__name__) for one in agent.tools if one.needs_approval}

    async def before(given: Any, key: Any, context: Any) -> Any:
        if heard is not None:
            heard.append(given["tool_name"].removeprefix(own("")))
        decided = {"permissionDecision": "defer"} if decision is None else decision
        return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **decided}} if given["tool_name"] in gated else {}

    return ClaudeAgentOptions(
        mcp_servers={SERVER: create_sdk_mcp_server(SERVER, tools=[tool_of(one.function) for one in agent.tools])},
        hooks={"PreToolUse": [HookMatcher(hooks=[before])]} if gated or heard is not None else None,
        extra_args={"agent": agent.name},
        include_partial_messages=True,
        **options,
    )


def tool_of(function: Callable[..., Any]) -> Any:
    """A function as a tool of the SDK."""
    hints = get_type_hints(function)
    parameters = inspect.signature(function).parameters
    schema = {
        "type": "object",
        "properties": {name: {"type": TYPES[getattr(hints[name], "__origin__", hints[name])]} for name in parameters},
        "required": [name for name, one in parameters.items() if one.default is one.empty],
    }

    async def handler(arguments: dict[str, Any]) -> dict[str, Any]:
        result = function(**arguments)
        result = await result if inspect.isawaitable(result) else result
        return {"content": [{"type": "text", "text": result if isinstance(result, str) else json.dumps(result)}]}

    annotations = ToolAnnotations(readOnlyHint=True)
    return tool(function.__name__, function.__doc__ or "", schema, annotations=annotations)(handler)


def _step(step: Step) -> Any:
    match step:
        case Ask(requests):
            if any(isinstance(one.arguments, str) for one in requests):
                refuse("arguments as text")
            return asks_for(*((own(one.name), one.arguments, one.call_id) for one in requests))
        case Say(text, tokens):
            return says(text, tokens=tokens)
        case Break(error):
            return error
        case HandOff():
            return refuse("handoffs")
        case _:
            return lambda: _step(step())


def _decision(answer: Answer) -> dict[str, Any]:
    match answer:
        case Approve():
            return {"permissionDecision": "allow"}
        case Edit(arguments):
            return {"permissionDecision": "allow", "updatedInput": arguments}
        case Reject(reason):
            return {"permissionDecision": "deny", "permissionDecisionReason": reason or "no"}
