"""The agents at work: the one that a program asks, and those that it asks in turn."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any, Final, NamedTuple

from agentassert import recorder
from agentassert.adapters.claude_agent_sdk import ADAPTER
from agentassert.adapters.claude_agent_sdk.messages import Names, blocks_of, error_of, requests_in, text_of, usage_of
from agentassert.adapters.waiting import Waiting
from agentassert.recording.events import InvocationEvent, ModelCallEvent
from agentassert.records import Decision

NAME: Final = "claude"
"""What Claude Code calls the agent that is none of those that a program defines."""


class Deferred(NamedTuple):
    """A run that stopped until somebody decides about a tool."""

    event: InvocationEvent
    session_id: str


_waiting: Final[Waiting[Deferred]] = Waiting()
naming: ContextVar[str] = ContextVar("agentassert_claude_name", default=NAME)
"""What to call an agent whose options name none."""


class Work:
    """One agent at work.

    Attributes:
        calls: its calls of the model so far.
    """

    __slots__ = ("_message_id", "_settled", "calls", "event")

    def __init__(self, event: InvocationEvent) -> None:
        self.event = event
        self.calls: list[ModelCallEvent] = []
        self._message_id: str | None = None
        self._settled = 0

    @classmethod
    def begun(cls, options: Any, prompt: Any, session_id: str | None) -> Work | None:
        """The agent that a program asks; a run that waited in that session goes on."""
        waiting = _waiting.take(lambda one: one.session_id == session_id)
        if waiting is not None:
            waiting.event.resume()
            return cls(waiting.event)
        name = getattr(options, "extra_args", {}).get("agent") or naming.get()
        event = recorder.start_invocation(name, adapter=ADAPTER, input=prompt if isinstance(prompt, str) else None)
        return None if event is None else cls(event)

    def said(self, message: Mapping[str, Any], names: Names, offered: tuple[str, ...] | None) -> None:
        """A part of a response of the model: each of its blocks comes in a message of its own, after the first of which tools may run."""
        said, blocks = message["message"], blocks_of(message)
        if message.get("error"):
            call = self.called(None, None, offered)
            if call is not None:
                call.fail(text_of(blocks))
            return
        call = self.called(said.get("id"), said.get("model"), offered)
        if call is None:
            return
        if not call.responded:
            is_final = said.get("stop_reason") is not None
            call.respond(usage=usage_of(said.get("usage"), is_final=is_final), finish_reason=said.get("stop_reason"))
        call.text = f"{call.text or ''}{text_of(blocks)}"
        call.requests = [*call.requests, *requests_in(blocks, names)]
        call.changed()

    def called(self, message_id: str | None, model: str | None, offered: tuple[str, ...] | None) -> ModelCallEvent | None:
        """The call that a message is a part of the response to."""
        if message_id is not None and message_id == self._message_id:
            return self.calls[-1]
        if self.calls:
            self.calls[-1].stop()
        call = recorder.start_model_call(adapter=ADAPTER, model=model, tools_offered=offered)
        self._message_id = message_id if call is not None else None
        if call is not None:
            self.calls.append(call)
        return call

    def streamed(self, event: Mapping[str, Any], offered: tuple[str, ...] | None) -> None:
        """An event of the model's own stream, which alone tells how a response ended."""
        if event["type"] == "message_start":
            self.called(event["message"].get("id"), event["message"].get("model"), offered)
        elif event["type"] == "message_delta" and self.calls:
            call = self.calls[-1]
            call.raw_finish_reason = event["delta"].get("stop_reason") or call.raw_finish_reason
            read = None if call.usage is None else call.usage.input_tokens
            told = usage_of({"input_tokens": read, **event.get("usage", {})}, is_final=True)
            if told is not None:
                call.report(told)

    def settle(self, result: Mapping[str, Any]) -> None:
        """Take from the result of a turn what it tells of its last call; its usage is that of all of them."""
        answered = [call for call in self.calls[self._settled :] if call.responded]
        self._settled = len(self.calls)
        if not answered:
            return
        last = answered[-1]
        last.raw_finish_reason = last.raw_finish_reason or result.get("stop_reason")
        if len(answered) == 1 and (last.usage is None or last.usage.output_tokens is None):
            last.usage = usage_of(result.get("usage"), is_final=True)
        last.changed()

    def conclude(self, result: Mapping[str, Any]) -> None:
        """It ended by its result."""
        text, output = result.get("result"), result.get("structured_output")
        if result.get("is_error"):
            self.event.fail(error_of(result))
        else:
            self.event.complete(text if output is None else output, text)

    def reported(self, text: str) -> None:
        """A sub-agent ended with this text, which Claude Code shows only in the result of its tool."""
        if not self.calls or self.calls[-1].requests:
            call = recorder.start_model_call(adapter=ADAPTER)
            if call is not None:
                call.respond(text=text)
        self.event.complete(text, text)

    def defer(self, tool: str, arguments: Any, call_id: str, session_id: str) -> None:
        """It stops until somebody decides."""
        recorder.add_approval(tool, arguments, adapter=ADAPTER, decision=Decision.PENDING, call_id=call_id)
        self.event.suspend()
        _waiting.put(Deferred(self.event, session_id))
