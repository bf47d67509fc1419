"""Claude Code, played by a script: what the SDK gets from it is, message by message, what it gets from the program itself.

The sequences are those of Claude Code 2.1: each block of a response comes in a message of its own, with the usage that was known when the
response began; tools of servers in this process are called by requests of it; hooks and permissions are asked for before.
"""

from __future__ import annotations

import asyncio
import inspect
import itertools
import json
import threading
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any, Final

import attrs
from claude_agent_sdk import Transport

SERVER: Final = "tests"
MODEL: Final = "claude-scripted"


class ScriptExhaustedError(RuntimeError):
    """Claude Code asked its model more often than the script foresees."""


@attrs.frozen
class Response:
    """What the model says: texts, and tools that it asks for as name, arguments and id; where `None` stands, it is so slow that what runs ends.

    `tokens` are those read and written.
    """

    blocks: tuple[str | tuple[str, Mapping[str, Any], str] | None, ...]
    tokens: tuple[int, int] | None = (11, 3)
    stop_reason: str | None = None

    @property
    def reason(self) -> str:
        """Why the model stopped."""
        return self.stop_reason or ("tool_use" if any(isinstance(one, tuple) for one in self.blocks) else "end_turn")


def says(text: str, *, tokens: tuple[int, int] | None = (11, 3), stop_reason: str | None = None) -> Response:
    """A response that is a text."""
    return Response((text,), tokens, stop_reason)


def asks_for(*requests: tuple[str, Mapping[str, Any], str], text: str | None = None) -> Response:
    """A response that asks for tools, by the names that Claude Code knows them by; `own("…")` gives that of a tool of a test."""
    return Response((*(() if text is None else (text,)), *requests))


def own(name: str) -> str:
    """The name by which Claude Code knows a tool of the server of this process."""
    return f"mcp__{SERVER}__{name}"


Step = str | Response | Exception | Callable[[], Any]
BuiltIn = Callable[[Mapping[str, Any]], Any]
"""Plays a tool of Claude Code's own: gives its text, or raises."""


class ScriptedCode:
    """A program that answers by its script, over any number of connections; what was deferred waits in it.

    Args:
        steps: what the model says, request by request: texts, responses, errors of the provider, or functions that give one of them.
        tools: those of its own, by name.
        sub_agents: the scripts of agents, by their type.
        asks: the tools that the program is asked to permit, by the names that Claude Code knows.
        forbids: those that nobody permits, and nobody is there to be asked.
        telling: whether the model's own stream is passed on (`include_partial_messages`).
        forwards: whether texts of sub-agents are passed on (`forward_subagent_text`).
        result: what the result of a run holds in the place of what it would.
    """

    def __init__(
        self,
        *steps: Step,
        tools: Mapping[str, BuiltIn] | None = None,
        sub_agents: Mapping[str, Sequence[Step]] | None = None,
        asks: Sequence[str] = (),
        forbids: Sequence[str] = (),
        telling: bool = False,
        forwards: bool = False,
        result: Mapping[str, Any] | None = None,
    ) -> None:
        self.tools = dict(tools or {})
        self.sub_agents = {name: list(script) for name, script in (sub_agents or {}).items()}
        self.asks = frozenset(asks)
        self.forbids = frozenset(forbids)
        self.telling = telling
        self.forwards = forwards
        self.result = dict(result or {})
        self.session_id = f"session-{id(self)}"
        self.deferred: tuple[str, Mapping[str, Any], str] | None = None
        self.prompts: list[Any] = []
        self.ids = itertools.count(1)
        self._steps = list(steps)
        self._lock = threading.Lock()

    def transport(self) -> ScriptedTransport:
        """A connection to it."""
        return ScriptedTransport(self)

    def next_of(self, steps: list[Step] | None = None) -> Response | Exception:
        """What the model says next."""
        with self._lock:
            steps = self._steps if steps is None else steps
            if not steps:
                raise ScriptExhaustedError("the model was asked, but its script has no step for that")
            step = steps.pop(0)
        while callable(step) and not isinstance(step, Response):
            step = step()
        return says(step) if isinstance(step, str) else step


class ScriptedTransport(Transport):
    """A connection, whose other end plays Claude Code."""

    def __init__(self, code: ScriptedCode) -> None:
        self.code = code
        self.written: list[Any] = []

    async def connect(self) -> None:
        self._out: asyncio.Queue[Any] = asyncio.Queue()
        self._prompts: asyncio.Queue[Any] = asyncio.Queue()
        self._answers: dict[str, asyncio.Future[Any]] = {}
        self._hooks: list[str] = []
        self._offered: list[str] = []
        self._ready = asyncio.Event()
        self._denials: list[Any] = []
        self._turn: asyncio.Task[Any] | None = None
        self._task = asyncio.create_task(self._work())

    def is_ready(self) -> bool:
        return True

    async def end_input(self) -> None:
        self._prompts.put_nowait(None)

    async def close(self) -> None:
        self._task.cancel()

    async def read_messages(self) -> AsyncIterator[dict[str, Any]]:
        while True:
            message = await self._out.get()
            if message is None:
                return
            if isinstance(message, Exception):
                raise message
            yield message

    async def write(self, data: str) -> None:
        message = json.loads(data)
        self.written.append(message)
        match message["type"]:
            case "user":
                self._prompts.put_nowait(message)
            case "control_response":
                self._answers.pop(message["response"]["request_id"]).set_result(message["response"])
            case "control_request":
                await self._asked(message)

    async def _asked(self, message: dict[str, Any]) -> None:
        request = message["request"]
        if request["subtype"] == "initialize":
            pre = (request.get("hooks") or {}).get("PreToolUse") or []
            self._hooks = [key for matcher in pre for key in matcher["hookCallbackIds"]]
            self._ready.set()
        elif request["subtype"] == "interrupt" and self._turn is not None:
            self._turn.cancel()
        response = {"subtype": "success", "request_id": message["request_id"], "response": {}}
        self._put({"type": "control_response", "response": response})

    def _put(self, message: Any) -> None:
        self._out.put_nowait(message)

    def _say(self, kind: str, parent: str | None = None, **fields: Any) -> None:
        self._put({"type": kind, "parent_tool_use_id": parent, "session_id": self.code.session_id, "uuid": "u", **fields})

    async def _request(self, **request: Any) -> Any:
        key = f"request-{next(self.code.ids)}"
        answer = self._answers[key] = asyncio.get_running_loop().create_future()
        self._put({"type": "control_request", "request_id": key, "request": request})
        return await answer

    async def _call(self, method: str, **params: Any) -> Any:
        message = {"method": method, "params": params, "jsonrpc": "2.0", "id": next(self.code.ids)}
        answer = await self._request(subtype="mcp_message", server_name=SERVER, message=message)
        return answer["response"]["mcp_response"]

    async def _work(self) -> None:
        try:
            await self._ready.wait()
            await self._shake_hands()
            if self.code.deferred is not None:
                await self._take_turn(self._go_on())
            while (prompt := await self._prompts.get()) is not None:
                self.code.prompts.append(prompt["message"]["content"])
                await self._take_turn(self._loop())
        except Exception as error:
            self._put(error)
        self._put(None)

    async def _shake_hands(self) -> None:
        client = {"name": "claude-code", "version": "2.1.332"}
        answer = await self._call("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=client)
        if "result" not in answer:
            return
        note = {"method": "notifications/initialized", "jsonrpc": "2.0"}
        await self._request(subtype="mcp_message", server_name=SERVER, message=note)
        listed = await self._call("tools/list")
        self._offered = [own(tool["name"]) for tool in listed.get("result", {}).get("tools", ())]

    async def _take_turn(self, turn: Any) -> None:
        self._turn = asyncio.create_task(turn)
        try:
            await asyncio.wait([self._turn])
        except asyncio.CancelledError:
            self._turn.cancel()
            raise
        if not self._turn.cancelled():
            self._turn.result()
            return
        interrupted = {"role": "user", "content": [{"type": "text", "text": "[Request interrupted by user for tool use]"}]}
        self._say("user", message=interrupted)
        self._result(subtype="error_during_execution", is_error=True, terminal_reason="aborted_tools")

    async def _go_on(self) -> None:
        tool, self.code.deferred = self.code.deferred, None
        await self._run_tool(None, tool)
        await self._loop()

    async def _loop(self) -> None:
        self._put(
            {
                "type": "system",
                "subtype": "init",
                "session_id": self.code.session_id,
                "tools": [*self.code.tools, *(["Task"] if self.code.sub_agents else []), *self._offered],
                "model": MODEL,
            }
        )
        usages: list[tuple[int, int] | None] = []
        while True:
            response = self.code.next_of()
            if isinstance(response, Exception):
                self._fail(str(response))
            usages.append(response.tokens)
            asked = await self._respond(response, None)
            if self.code.deferred is not None:
                name, given, key = self.code.deferred
                deferred = {"id": key, "name": name, "input": given}
                self._result(usages, stop_reason="tool_deferred", result="", deferred_tool_use=deferred)
                return
            if not asked:
                self._result(usages, stop_reason=response.reason, result=response.blocks[-1])
                return

    def _fail(self, text: str) -> None:
        """The provider failed for good: an answer that says so, a result that is an error, and an end with an exit code."""
        from claude_agent_sdk import ProcessError

        content = [{"type": "text", "text": f"API Error: {text}"}]
        message = {"id": "m", "model": "<synthetic>", "role": "assistant", "stop_reason": "stop_sequence", "content": content}
        self._say("assistant", message={**message, "usage": {"input_tokens": 0, "output_tokens": 0}}, error="unknown")
        self._result(is_error=True, stop_reason="stop_sequence", result=f"API Error: {text}", terminal_reason="api_error")
        raise ProcessError("Command failed with exit code 1", exit_code=1, stderr="Check stderr output for details")

    def _result(self, usages: Sequence[tuple[int, int] | None] = (), **fields: Any) -> None:
        known = [one for one in usages if one is not None]
        usage = {"input_tokens": sum(one[0] for one in known), "output_tokens": sum(one[1] for one in known)}
        told = {
            "subtype": "success",
            "is_error": False,
            "duration_ms": 1,
            "duration_api_ms": 1,
            "num_turns": 1,
            "total_cost_usd": 0.1,
        }
        denials, self._denials = self._denials, []
        self._say(
            "result", **{**told, "usage": usage if known else None, "permission_denials": denials, **fields, **self.code.result}
        )

    async def _respond(self, response: Response, parent: str | None) -> bool:
        """A response, block by block, and the tools that it asks for, each of which begins as soon as its block is there."""
        key, read = f"msg_{next(self.code.ids)}", response.tokens
        usage = None if read is None else {"input_tokens": read[0], "output_tokens": 1}
        head = {"id": key, "type": "message", "role": "assistant", "model": MODEL, "stop_reason": None, "usage": usage}
        running = []
        self._stream(parent, {"type": "message_start", "message": {**head, "content": []}})
        for block in response.blocks:
            if block is None:
                await asyncio.wait(running)
            elif isinstance(block, str):
                if parent is None or self.code.forwards:
                    self._say("assistant", parent, message={**head, "content": [{"type": "text", "text": block}]})
            else:
                name, given, use = block
                content = [{"type": "tool_use", "id": use, "name": name, "input": dict(given)}]
                self._say("assistant", parent, message={**head, "content": content})
                running.append(asyncio.create_task(self._run_tool(parent, block)))
        written = {} if read is None else {"usage": {"output_tokens": read[1]}}
        self._stream(parent, {"type": "message_delta", "delta": {"stop_reason": response.reason}, **written})
        try:
            await asyncio.gather(*running)
        finally:
            for task in running:
                task.cancel()
        return bool(running)

    def _stream(self, parent: str | None, event: Mapping[str, Any]) -> None:
        if self.code.telling:
            self._say("stream_event", parent, event=dict(event))

    async def _run_tool(self, parent: str | None, use: tuple[str, Mapping[str, Any], str]) -> None:
        name, given, key = use
        if not (name in self._offered or name in self.code.tools or (name == "Agent" and self.code.sub_agents)):
            self._fails(parent, key, f"<tool_use_error>Error: No such tool available: {name}</tool_use_error>")
            return
        refusal, given = await self._permitted(name, given, key)
        if self.code.deferred is not None and self.code.deferred[2] == key:
            return
        if refusal is not None:
            self._denials.append({"tool_name": name, "tool_use_id": key, "tool_input": dict(given)})
            meta = {"id": key, "non_execution_kind": "permission-rule", "permission_decision": {"decision": "reject"}}
            self._fails(parent, key, refusal, tool_result_meta=[meta])
        elif name == "Agent":
            await self._run_agent(given, key)
        elif name in self.code.tools:
            await self._run_built_in(parent, name, given, key)
        else:
            meta = {"claudecode/toolUseId": key, "progressToken": next(self.code.ids)}
            answer = await self._call("tools/call", name=name.removeprefix(own("")), arguments=dict(given), _meta=meta)
            result = answer.get("result") or {"content": [{"type": "text", "text": answer["error"]["message"]}], "isError": True}
            if result.get("isError"):
                self._fails(parent, key, "".join(block.get("text", "") for block in result["content"]))
            else:
                self._answers_with(parent, key, result["content"], result["content"])

    async def _permitted(self, name: str, given: Mapping[str, Any], key: str) -> tuple[str | None, Mapping[str, Any]]:
        """Why a tool must not run, if it must not, and the arguments that it is to run with."""
        for hook in self._hooks:
            told = {"hook_event_name": "PreToolUse", "tool_name": name, "tool_input": dict(given), "tool_use_id": key}
            answer = await self._request(subtype="hook_callback", callback_id=hook, input=told, tool_use_id=key)
            output = answer.get("response", {}).get("hookSpecificOutput") or {}
            match output.get("permissionDecision"):
                case "deny":
                    return f"PreToolUse:{name} hook error: {output.get('permissionDecisionReason', '')}", given
                case "defer":
                    self.code.deferred = name, given, key
                    return None, given
                case "allow":
                    return None, output.get("updatedInput") or given
        if name in self.code.forbids:
            return f"Claude requested permissions to use {name}, but you haven't granted it yet.", given
        if name not in self.code.asks:
            return None, given
        answer = await self._request(subtype="can_use_tool", tool_name=name, input=dict(given), tool_use_id=key)
        decided = answer.get("response", {"behavior": "deny", "message": answer.get("error")})
        if decided["behavior"] == "deny":
            return decided["message"], given
        return None, decided.get("updatedInput", given)

    async def _run_built_in(self, parent: str | None, name: str, given: Mapping[str, Any], key: str) -> None:
        try:
            text = self.code.tools[name](given)
            text = await text if inspect.isawaitable(text) else text
        except ValueError as error:
            self._fails(parent, key, str(error))
        else:
            self._answers_with(parent, key, text, {"stdout": text})

    async def _run_agent(self, given: Mapping[str, Any], key: str) -> None:
        kind, in_background = given["subagent_type"], bool(given.get("run_in_background"))
        task = {"task_id": f"a-{key}", "tool_use_id": key, "description": "d", "task_type": "local_agent"}
        started = {"subagent_type": kind, "is_backgrounded": in_background, "prompt": given["prompt"]}
        self._put({"type": "system", "subtype": "task_started", "uuid": "u", "session_id": "s", **task, **started})
        if in_background:
            launched = {"isAsync": True, "status": "async_launched", "agentId": task["task_id"]}
            self._answers_with(None, key, [{"type": "text", "text": "Async agent launched successfully."}], launched)
        prompt = {"role": "user", "content": [{"type": "text", "text": given["prompt"]}]}
        self._say("user", key, message=prompt, subagent_type=kind)
        script = self.code.sub_agents[kind]
        response = self.code.next_of(script)
        while await self._respond(response, key):
            response = self.code.next_of(script)
        ended = {"status": "completed", "output_file": "f", "summary": response.blocks[-1], "usage": {}}
        self._put({"type": "system", "subtype": "task_notification", "uuid": "u", "session_id": "s", **task, **ended})
        if not in_background:
            note = {"type": "text", "text": "<tools-used-before-summary>…</tools-used-before-summary>\n"}
            report = [note, {"type": "text", "text": response.blocks[-1]}]
            told = {
                "status": "completed",
                "prompt": given["prompt"],
                "content": report,
                "harnessNoteCount": 1,
                "harnessTailCount": 0,
            }
            self._answers_with(None, key, report, told)

    def _fails(self, parent: str | None, key: str, text: str, **fields: Any) -> None:
        block = {"type": "tool_result", "content": text, "is_error": True, "tool_use_id": key}
        self._say("user", parent, message={"role": "user", "content": [block]}, tool_use_result=f"Error: {text}", **fields)

    def _answers_with(self, parent: str | None, key: str, content: Any, told: Any) -> None:
        block = {"tool_use_id": key, "type": "tool_result", "content": content}
        self._say("user", parent, message={"role": "user", "content": [block]}, tool_use_result=told)
