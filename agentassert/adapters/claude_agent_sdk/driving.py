"""Running Claude Code with given options, or over a given client."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from claude_agent_sdk import (
    ClaudeAgentOptions,
    ClaudeSDKClient,
    PermissionResultAllow,
    PermissionResultDeny,
    ResultMessage,
)

from agentassert import recorder
from agentassert.adapters.base import holding
from agentassert.adapters.claude_agent_sdk.messages import Names
from agentassert.adapters.claude_agent_sdk.tools import install_doubles
from agentassert.adapters.claude_agent_sdk.works import NAME, naming
from agentassert.adapters.driver import Answer, Driver, Pause, PendingApproval, as_text
from agentassert.recording.events import InvocationEvent


class ClaudeAgentSDKDriver(Driver):
    """Runs Claude Code over a connection of its own, with the options that are the agent, or with those and the transport of a client.

    Where the options have a function that is asked for permission, the answers are given in its place; so are those of hooks to a
    tool that one of them deferred.
    """

    def drives(self, agent: Any) -> bool:
        return isinstance(agent, (ClaudeAgentOptions, ClaudeSDKClient))

    def tools_of(self, agent: Any) -> list[str] | None:
        return None  # Claude Code's own, and those that its servers list

    async def start(self, agent: Any, payload: str | Mapping[str, Any], *, name: str | None) -> Pause | None:
        return await self._run(agent, name).begin(as_text(payload))

    async def resume(self, agent: Any, pause: Pause, answers: Sequence[Answer]) -> Pause | None:
        run: _Run = pause.state
        return await run.decide(answers[0])

    def for_conversation(self) -> Driver:
        return ClaudeAgentSDKConversation()

    def install_doubles(self) -> None:
        install_doubles()

    def _run(self, agent: Any, name: str | None) -> _Run:
        return _Run(agent, name or NAME)


class ClaudeAgentSDKConversation(ClaudeAgentSDKDriver):
    """Resumes one session of Claude Code again and again."""

    def __init__(self) -> None:
        self._last: _Run | None = None

    def _run(self, agent: Any, name: str | None) -> _Run:
        session_id = None if self._last is None else self._last.session_id
        self._last = _Run(agent, name or NAME, session_id)
        return self._last


class _Run:
    """One question, over any number of connections, and of decisions that it waits for."""

    def __init__(self, agent: Any, name: str, session_id: str | None = None) -> None:
        self._options: ClaudeAgentOptions = agent.options if isinstance(agent, ClaudeSDKClient) else agent
        self._transport = getattr(agent, "_custom_transport", None)
        self._name = name
        self.session_id = session_id if session_id is not None else self._options.resume
        self._decided: tuple[str, Answer] | None = None
        self._asked: asyncio.Queue[PendingApproval] = asyncio.Queue()
        self._one_by_one = asyncio.Lock()
        self._answer: asyncio.Future[Answer] | None = None
        self._reading: asyncio.Task[Any] | None = None

    async def begin(self, prompt: str | None) -> Pause | None:
        """Ask, or, without a question, go on with what was deferred."""
        hooks = self._options.hooks and {
            event: [dataclasses.replace(matcher, hooks=[self._hook(hook) for hook in matcher.hooks]) for matcher in matchers]
            for event, matchers in self._options.hooks.items()
        }
        permit = None if self._options.can_use_tool is None else self._permit
        options = dataclasses.replace(self._options, hooks=hooks, can_use_tool=permit, resume=self.session_id)
        self._client = ClaudeSDKClient(options, self._transport)
        await self._client.connect()
        if prompt is not None:
            try:
                with holding(naming, self._name):
                    await self._client.query(prompt)
            except BaseException:
                await self._client.disconnect()
                raise
        self._reading = asyncio.create_task(self._read())
        return await self._go_on(self._reading)

    async def decide(self, answer: Answer) -> Pause | None:
        """Go on with an answer to what it waits for."""
        if self._answer is not None and self._reading is not None:
            self._answer.set_result(answer)
            return await self._go_on(self._reading)
        self._decided = str(answer.pending.key), answer
        return await self.begin(None)

    async def _read(self) -> ResultMessage | None:
        last = None
        async for message in self._client.receive_response():
            last = message
        return last if isinstance(last, ResultMessage) else None

    async def _go_on(self, reading: asyncio.Task[Any]) -> Pause | None:
        asking = asyncio.create_task(self._asked.get())
        try:
            await asyncio.wait((reading, asking), return_when=asyncio.FIRST_COMPLETED)
            if asking.done() and not reading.done():
                return Pause((asking.result(),), self)
        except BaseException:
            reading.cancel()
            await self._client.disconnect()
            raise
        finally:
            asking.cancel()
        await self._client.disconnect()
        result = reading.result()
        self._answer = None
        self.session_id = result.session_id if result is not None else self.session_id
        deferred = getattr(result, "deferred_tool_use", None)
        if deferred is None:
            return None
        return Pause((_pending(deferred.name, deferred.input, deferred.id),), self)

    async def _permit(self, tool: str, given: dict[str, Any], context: Any) -> PermissionResultAllow | PermissionResultDeny:
        """What Claude Code is answered in the place of the function that is asked for permission: the run waits meanwhile."""
        scope = recorder.current_scope()
        event = scope.event if scope is not None and isinstance(scope.event, InvocationEvent) else None
        async with self._one_by_one:  # of tools that are asked for side by side, each has its own answer
            if event is not None:
                event.suspend()
            self._answer = asyncio.get_running_loop().create_future()
            self._asked.put_nowait(_pending(tool, given, getattr(context, "tool_use_id", None)))
            answer = await self._answer
            if event is not None:
                event.resume()
        return PermissionResultAllow() if answer.approves else PermissionResultDeny(message=answer.words)

    def _hook(self, hook: Any) -> Any:
        async def decided(given: Any, key: Any, context: Any) -> Any:
            if self._decided is None or self._decided[0] != key or given.get("hook_event_name") != "PreToolUse":
                return await hook(given, key, context)
            answer = self._decided[1]
            decision = {"permissionDecision": "allow" if answer.approves else "deny"}
            reason = {} if answer.approves else {"permissionDecisionReason": answer.words}
            return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **decision, **reason}}

        return decided


def _pending(tool: str, given: Any, key: str | None) -> PendingApproval:
    return PendingApproval(Names((tool,)).offered[0], given, key, key)
