"""Connections to Claude Code, and what comes over them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from agentassert import recorder
from agentassert.adapters.base import guarded, inside
from agentassert.adapters.claude_agent_sdk import ADAPTER
from agentassert.adapters.claude_agent_sdk.messages import (
    Names,
    blocks_of,
    full_name,
    is_result,
    never_ran,
    report_of,
    text_of,
    value_of,
)
from agentassert.adapters.claude_agent_sdk.works import Work
from agentassert.recording.events import Scope, ToolEvent
from agentassert.records import Decision

_INTERRUPTED: Final = "[Request interrupted by user"
_STOPPED: Final = "stopped while running"


class Session:
    """What one connection tells, message by message, in the order in which it comes in.

    Attributes:
        root: the agent that the program asked, while it works.
        tools: the executions, by the ids of their requests.
        uses: who asked for a tool, by the ids of the requests.
        result: how the run ended.
        nested: the agents that others ask and that are at work, by the ids of the requests.
        lasts: whether it is a client's, which asks again and again.
    """

    def __init__(self, servers: Mapping[str, Any], options: Any, root: Work | None = None, *, lasts: bool = True) -> None:
        self.root = root
        self.tools: dict[str | None, ToolEvent] = {}
        self.uses: dict[str | None, Work] = {}
        self.result: Mapping[str, Any] | None = None
        self.names = Names(())
        self._servers = servers
        self._options = options
        self._session_id: str | None = getattr(options, "resume", None)
        self._offered: tuple[str, ...] | None = None
        self.nested: dict[str | None, Work] = {}
        self._refused: dict[str, str] = {}
        self._decided: set[str | None] = set()
        self._asked: list[tuple[Any, Scope | None]] = []
        self._scope: Scope | None = None
        self._is_interrupted = False
        self.lasts = lasts

    @guarded(ADAPTER)
    def ask(self, prompt: Any) -> None:
        """The program asks something; what it asks while an answer is under way is answered after that."""
        self._scope = recorder.current_scope()
        if self.is_at_work:
            self._asked.append((prompt, self._scope))
        else:
            self._begin(prompt)

    @guarded(ADAPTER)
    def asked_for(self, prompt: Mapping[str, Any]) -> None:
        """A message of a stream, which is what was asked."""
        if self.root is not None:
            event, said = self.root.event, text_of(prompt["message"]["content"])
            before = event.input if isinstance(event.input, list) else [event.input]
            event.input = said if event.input is None else [*before, said]
            event.changed()

    @property
    def is_at_work(self) -> bool:
        """Whether what was asked is not answered yet."""
        return self.root is not None and self.root.event.ended_order is None

    def current(self) -> Work | None:
        """The agent that works; Claude Code goes on by itself when a task in the background has ended, or a deferred tool may run."""
        if self.lasts and not self.is_at_work:
            # Messages come in where the connection was made, maybe in a capture that is closed.
            prompt, scope = self._asked.pop(0) if self._asked else (None, self._scope)
            token = None if scope is None else recorder.set_scope(scope)
            try:
                self._begin(prompt)
            finally:
                if token is not None:
                    recorder.restore(token)
        return self.root

    def _begin(self, prompt: Any) -> None:
        self.root = Work.begun(self._options, prompt, self._session_id)
        self.result, self._is_interrupted = None, False

    @guarded(ADAPTER)
    def hear(self, message: Mapping[str, Any]) -> None:
        """A message came in."""
        kind = message.get("type")
        if kind == "system":
            self._told(message)
        elif kind in ("assistant", "stream_event") or (kind == "user" and any(map(is_result, blocks_of(message)))):
            work = self._work_of(message)
            if work is not None:
                with inside(work.event):
                    self._worked(work, message)
        elif kind == "user":
            self._is_interrupted |= text_of(message["message"]["content"]).startswith(_INTERRUPTED)
        elif kind == "result" and self.root is not None:
            self.result = message
            with inside(self.root.event):
                self._settle(self.root, message)

    def _work_of(self, message: Mapping[str, Any]) -> Work | None:
        key = message.get("parent_tool_use_id")
        return self.current() if key is None else self.nested.get(key) or self._begin_nested(key, message)

    def _worked(self, work: Work, message: Mapping[str, Any]) -> None:
        offered = self._offered if work is self.root else None
        if message["type"] == "stream_event":
            work.streamed(message["event"], offered)
        elif message["type"] == "user":
            self._ended(message)
        elif message["message"].get("model") != "<synthetic>" or message.get("error"):
            work.said(message, self.names, offered)
            for block in blocks_of(message):
                if block["type"] in ("tool_use", "server_tool_use"):
                    self.uses[block["id"]] = work
                    if not self.runs_here(block["name"]):
                        self.start(block["id"], block["name"], block["input"])
            self._ended(message)

    def runs_here(self, tool: str) -> bool:
        """Whether a server in this process runs a tool, which begins when that is called."""
        return any(tool.startswith(full_name(server, "")) for server in self._servers)

    def start(self, key: str | None, tool: str, arguments: Any) -> ToolEvent | None:
        """A tool begins; one that is told of twice is one."""
        begun = None if key is None else self.tools.get(key)
        if begun is not None and begun.ended_order is None:
            return begun
        event = recorder.start_tool(self.names.of(tool), arguments, adapter=ADAPTER, call_id=key)
        if event is not None:
            self.tools[key] = event
        return event

    def _ended(self, message: Mapping[str, Any]) -> None:
        metas = {meta.get("id"): meta for meta in message.get("tool_result_meta") or ()}
        blocks = list(filter(is_result, blocks_of(message)))
        told = message.get("tool_use_result") if len(blocks) == 1 else None
        for block in blocks:
            key, failed = block["tool_use_id"], block.get("is_error") is True
            text, event = text_of(block.get("content")), self.tools.get(key)
            self._end_nested(key, text if failed else None, told)
            is_refused = failed and _STOPPED not in text and never_ran(block, metas.get(key, {}))
            if is_refused:
                self._refused[key] = text
            if event is None or event.ended_order is not None:
                continue
            if is_refused:
                recorder.withdraw(event)
            elif failed and _STOPPED in text:
                event.cancel()
            elif failed:
                event.fail(text, text)
            else:
                event.succeed(value_of(block.get("content")), told)

    def _told(self, message: Mapping[str, Any]) -> None:
        subtype, key = message.get("subtype"), message.get("tool_use_id")
        if subtype == "init":
            self.names = Names(message.get("tools") or ())
            self._offered, self._session_id = self.names.offered, message.get("session_id")
        elif subtype == "task_started" and message.get("task_type") == "local_agent" and key in self.tools:
            self._begin_nested(key, message)
        elif subtype == "task_notification" and key in self.nested and self.tools[key].ended_order is not None:
            status, told = message.get("status"), str(message.get("summary"))
            work = self.nested.pop(key)
            with inside(work.event):
                if status == "completed":
                    work.reported(told)
                elif status == "failed":
                    work.event.fail(told)
                else:
                    work.event.cancel()

    def _begin_nested(self, key: str | None, message: Mapping[str, Any]) -> Work | None:
        tool = self.tools.get(key)
        if tool is None:
            return None
        asked = tool.arguments if isinstance(tool.arguments, Mapping) else {}
        name = message.get("subagent_type") or asked.get("subagent_type") or "general-purpose"
        in_background = message.get("is_backgrounded")
        with inside(tool):
            event = recorder.start_invocation(
                name, adapter=ADAPTER, input=asked.get("prompt"), awaited=None if in_background is None else not in_background
            )
        if event is None:
            return None
        return self.nested.setdefault(key, Work(event))

    def _end_nested(self, key: str, error: str | None, told: Any) -> None:
        """A tool that asked another agent has its answer, unless that works on in the background."""
        work, answer = self.nested.get(key), told if isinstance(told, Mapping) else {}
        if work is None or answer.get("isAsync") or answer.get("status") == "async_launched":
            return
        del self.nested[key]
        with inside(work.event):
            if error is None:
                work.reported(report_of(answer))
            else:
                work.event.fail(error)

    def _settle(self, root: Work, result: Mapping[str, Any]) -> None:
        root.settle(result)
        for denial in result.get("permission_denials") or ():
            key = denial["tool_use_id"]
            if key not in self._decided:
                self.decide(key, denial["tool_name"], denial["tool_input"], Decision.REJECT, self._refused.get(key))
        if self.lasts:
            self.conclude()

    def decide(self, key: str | None, tool: str, arguments: Any, decision: Decision, reason: str | None = None) -> None:
        """A decision about a tool was made, or is waited for; until it is given, a tool does not run."""
        recorder.add_approval(self.names.of(tool), arguments, adapter=ADAPTER, decision=decision, reason=reason, call_id=key)
        if decision is not Decision.PENDING:
            self._decided.add(key)
        if decision in (Decision.PENDING, Decision.REJECT) and key in self.tools:
            recorder.withdraw(self.tools.pop(key))

    @guarded(ADAPTER)
    def conclude(self) -> None:
        """The run is over, by its result; nothing happens where none came."""
        root, result = self.root, self.result
        if root is None or result is None:
            return
        deferred = result.get("deferred_tool_use")
        self._let_go(withdraws=bool(deferred), nested=self._is_interrupted)
        with inside(root.event):
            if deferred:
                root.defer(self.names.of(deferred["name"]), deferred["input"], deferred["id"], result["session_id"])
                self.root = None
            elif self._is_interrupted:
                root.event.cancel()
            else:
                root.conclude(result)

    @guarded(ADAPTER)
    def abandon(self, error: BaseException) -> None:
        """The connection is closed, or was lost."""
        self._let_go(nested=True)
        if self.root is not None:
            recorder.end_by(self.root.event, error)

    def _let_go(self, *, withdraws: bool = False, nested: bool) -> None:
        """End what nothing more will be heard of; agents work on in the background."""
        kept = {key: work for key, work in self.nested.items() if not nested and self.tools[key].ended_order is not None}
        self.uses = {key: work for key, work in self.uses.items() if work in kept.values()}
        for key, tool in list(self.tools.items()):
            if tool.ended_order is None and withdraws:
                recorder.withdraw(tool)
            elif key not in self.uses:
                tool.cancel()
        for key in self.nested.keys() - kept.keys():
            self.nested.pop(key).event.cancel()
        self.tools = {key: tool for key, tool in self.tools.items() if key in kept or key in self.uses}
