"""The requests of Claude Code to this process, and what it is answered: tools, permissions and hooks."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import Any, Final

from agentassert import recorder
from agentassert.adapters.base import guarded, inside
from agentassert.adapters.claude_agent_sdk import ADAPTER
from agentassert.adapters.claude_agent_sdk.messages import full_name
from agentassert.adapters.claude_agent_sdk.sessions import Session
from agentassert.adapters.claude_agent_sdk.tools import Call, calls
from agentassert.doubles import active
from agentassert.jsonlike import snapshot
from agentassert.recording.events import ToolEvent
from agentassert.records import Decision

_TOOL_USE_ID: Final = "claudecode/toolUseId"
_RESPONSE: Final = "control_response"
_DECIDED: Final = {"allow": Decision.APPROVE, "deny": Decision.REJECT}


class Controls:
    """The requests that are not answered yet, and the reactions to what goes to Claude Code over a connection."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._open: dict[str, Mapping[str, Any]] = {}

    @guarded(ADAPTER)
    def begin(self, request: Mapping[str, Any]) -> Call | None:
        """A request came: the call of a tool, or a question."""
        body = request["request"]
        if body["subtype"] == "mcp_message":
            message = body.get("message") or {}
            return self._call(body["server_name"], message["params"]) if message.get("method") == "tools/call" else None
        session, key = self._session, body.get("tool_use_id")
        is_about_to_work = body["subtype"] == "can_use_tool" or _is_before_tool(body)
        # Other hooks are called beside the agent's work, too (a notification, the end of the session), which begins none.
        work = session.uses.get(key) or (session.current() if is_about_to_work or session.is_at_work else None)
        if work is None:
            return None
        self._open[request["request_id"]] = body
        if body["subtype"] == "can_use_tool":
            with inside(work.event):
                session.decide(key, body["tool_name"], body["input"], Decision.PENDING)
        return Call(work.event, None, None)

    def _call(self, server: str, params: Mapping[str, Any]) -> Call | None:
        session, name = self._session, params["name"]
        key = (params.get("_meta") or {}).get(_TOOL_USE_ID)
        work = session.uses.get(key) or session.current()
        active.stand_in(name)
        if work is None:
            return None
        with inside(work.event):
            event = session.start(key, full_name(server, name), params.get("arguments") or {})
        return None if event is None else Call(event, name, params.get("arguments") or {})

    @guarded(ADAPTER)
    def wrote(self, data: str) -> None:
        """Something goes to Claude Code."""
        written = json.loads(data) if recorder.listening() else {}
        if written.get("type") == "user":
            self._session.asked_for(written)
        elif written.get("type") == _RESPONSE:
            response = written["response"]
            body = self._open.pop(response["request_id"], None)
            work = None if body is None else self._session.uses.get(body.get("tool_use_id")) or self._session.root
            if body is not None and work is not None:
                with inside(work.event):
                    self._answered(body, response)

    def _answered(self, body: Mapping[str, Any], response: Mapping[str, Any]) -> None:
        answer, key = response.get("response") or {}, body.get("tool_use_id")
        if body["subtype"] == "can_use_tool":
            # A question that breaks is no permission.
            behavior, reason = answer.get("behavior", "deny"), answer.get("message") or response.get("error")
            self._decided(key, body["tool_name"], body["input"], behavior, answer.get("updatedInput"), reason)
            return
        if not _is_before_tool(body):
            return
        given, output = body["input"], answer.get("hookSpecificOutput") or {}
        behavior, updated, running = output.get("permissionDecision"), output.get("updatedInput"), self._session.tools.get(key)
        if updated is not None and running is not None:
            running.arguments = snapshot(updated)
            running.changed()
        # Only a tool that was deferred is asked about again, over a connection that never told of its request.
        if behavior in _DECIDED and key not in self._session.uses:
            reason = output.get("permissionDecisionReason")
            self._decided(key, given["tool_name"], given["tool_input"], behavior, updated, reason)

    def _decided(self, key: Any, tool: str, given: Any, behavior: str, updated: Any, reason: str | None) -> None:
        decision, arguments = _DECIDED[behavior], given if updated is None else updated
        if behavior == "allow" and arguments != given:
            decision = Decision.EDIT
        self._session.decide(key, tool, given, decision, reason)
        if behavior == "allow" and not self._session.runs_here(tool):
            self._session.start(key, tool, arguments)


def _is_before_tool(body: Mapping[str, Any]) -> bool:
    """Whether a request is a hook that is called before a tool is."""
    return (body.get("input") or {}).get("hook_event_name") == "PreToolUse"


class Heard:
    """The stream that a connection puts its messages on, heard in the order in which they come in, whenever they are read."""

    def __init__(self, stream: Any, session: Session) -> None:
        self._stream = stream
        self._session = session

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    async def send(self, message: Any) -> None:
        """A message comes in."""
        if recorder.listening() or self._session.is_at_work:
            self._session.hear(message)
        await self._stream.send(message)


class Written:
    """The transport of a connection, of which is heard what it is given to write."""

    def __init__(self, transport: Any, controls: Controls) -> None:
        self._transport = transport
        self._controls = controls

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    async def write(self, data: str) -> None:
        """Something goes out."""
        if recorder.listening():
            self._controls.wrote(data)
        await self._transport.write(data)


def handling(original: Callable[..., Any]) -> Callable[..., Any]:
    """`Query._handle_control_request`: what it does to answer is part of the tool that was called, or of the agent that asked."""

    async def _handle_control_request(self: Any, request: Any) -> Any:
        controls = getattr(self.transport, "_controls", None) if recorder.listening() else None
        call = None if controls is None else controls.begin(request)
        with calls(call) if call is not None else nullcontext():
            try:
                return await original(self, request)
            except BaseException:
                if call is not None and isinstance(call.event, ToolEvent):
                    call.event.cancel()
                raise

    return _handle_control_request
