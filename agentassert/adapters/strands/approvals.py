"""Interrupts: what a person is asked, and what was decided."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from contextvars import ContextVar
from typing import Any, Final
from weakref import WeakValueDictionary

from strands.agent.agent import Agent
from strands.interrupt import InterruptException
from strands.types._events import ToolInterruptEvent, ToolResultEvent

from agentassert import recorder
from agentassert.adapters.base import guarded, holding
from agentassert.adapters.decisions import decisions_in
from agentassert.adapters.strands import ADAPTER
from agentassert.adapters.strands.messages import result_of
from agentassert.adapters.streams import driven
from agentassert.jsonlike import snapshot
from agentassert.recording.events import ApprovalEvent, InvocationEvent, ToolEvent
from agentassert.records import Decision

_NO_WORDS: Final = "tool cancelled by user"
"""What Strands tells the model where a hook gives no words."""

_BIDIRECTIONAL: Final = (
    "Strands' bidirectional agents talk to their models over connections: of their runs, nothing but tools is recorded"
)

_use: ContextVar[Use | None] = ContextVar("agentassert_strands_use", default=None)
_questions: Final[WeakValueDictionary[tuple[int, str], ApprovalEvent]] = WeakValueDictionary()
"""What is pending, by the orders of the invocations, and what is asked by the name of."""


class Use:
    """One request of a tool, from the hooks that may ask a person up to its result.

    Attributes:
        asks: whether a person is asked now.
        is_answered: whether a person has answered before the tool began.
    """

    __slots__ = ("_arguments", "_began", "_call_id", "_name", "_owner", "asks", "is_answered")

    def __init__(self, tool_use: Any) -> None:
        self._owner = _owner()
        self._name = str(tool_use["name"])
        self._call_id = str(tool_use.get("toolUseId"))
        self._arguments = snapshot(tool_use.get("input") or {})
        self._began = False
        self.asks = self.is_answered = False

    @property
    def is_current(self) -> bool:
        """Whether it is what the running code is part of, rather than an agent that its tool runs."""
        return _owner() is self._owner

    def begin(self, tool_use: Any) -> None:
        """The tool runs: whoever was asked let it."""
        if self.is_answered and not self._began:
            edited = (tool_use["name"], tool_use.get("input") or {}) != (self._name, self._arguments)
            self._decide(Decision.EDIT if edited else Decision.APPROVE)
        self._began = True

    def answer(self, response: Any) -> None:
        """A person has answered: before the tool, whose run will tell what that meant, or the tool itself."""
        asking = recorder.current_event()
        if isinstance(asking, ToolEvent) and asking.call_id == self._call_id:
            _settle(self._call_id, self._name, self._arguments, response, self._call_id)
        else:
            self.is_answered = True

    @guarded(ADAPTER)
    def end(self, last: Any) -> None:
        """No more comes."""
        if isinstance(last, ToolInterruptEvent):
            if self.asks and (self.is_answered or not _is_asked(self._call_id)):
                _ask(self._call_id, self._name, self._arguments, self._call_id)
        elif self.is_answered and not self._began and isinstance(last, ToolResultEvent):
            words = str(result_of(last.tool_result))
            self._decide(Decision.REJECT, None if words == _NO_WORDS else words)

    def _decide(self, decision: Decision, reason: str | None = None) -> None:
        _question(self._call_id)
        recorder.add_approval(
            self._name, self._arguments, adapter=ADAPTER, decision=decision, reason=reason, call_id=self._call_id
        )


def current_use() -> Use | None:
    """The request of a tool that the running code is part of."""
    use = _use.get()
    return use if use is not None and use.is_current else None


def deciding(original: Callable[..., Any]) -> Callable[..., Any]:
    """`ToolExecutor._stream`, by which every request of a tool goes."""

    def stream(agent: Any, tool_use: Any, *args: Any, **kwargs: Any) -> Any:
        parts = original(agent, tool_use, *args, **kwargs)
        use = _begin(agent, tool_use) if recorder.listening() else None
        return parts if use is None else _carry_out(parts, use)

    return stream


@guarded(ADAPTER)
def _begin(agent: Any, tool_use: Any) -> Use:
    if not isinstance(agent, Agent):
        recorder.note(_BIDIRECTIONAL)
    return Use(tool_use)


async def _carry_out(parts: Any, use: Use) -> AsyncGenerator[Any, None]:
    last = None
    async with aclosing(driven(parts, lambda: holding(_use, use))) as inner:
        async for last in inner:
            yield last
    use.end(last)


def asking(original: Callable[..., Any]) -> Callable[..., Any]:
    """`interrupt`, of whatever may ask a person: hooks, tools, and middleware."""

    def interrupt(self: Any, name: str, *args: Any, **kwargs: Any) -> Any:
        if not recorder.listening():
            return original(self, name, *args, **kwargs)
        try:
            response = original(self, name, *args, **kwargs)
        except InterruptException as raised:
            _asked(raised.interrupt)
            raise
        _answered(name, response)
        return response

    return interrupt


@guarded(ADAPTER)
def _asked(interrupt: Any) -> None:
    use = current_use()
    if use is not None:
        use.asks = True
    elif not _is_asked(interrupt.name):
        asked = interrupt.reason if isinstance(interrupt.reason, Mapping) else {"reason": interrupt.reason}
        _ask(interrupt.name, interrupt.name, asked, None)


@guarded(ADAPTER)
def _answered(name: str, response: Any) -> None:
    use = current_use()
    if use is None:
        _settle(name, name, None, response, None)
    else:
        use.answer(response)


def _ask(key: str, tool: str, arguments: Any, call_id: str | None) -> None:
    pending = recorder.add_approval(tool, arguments, adapter=ADAPTER, call_id=call_id)
    owner = _owner()
    if pending is not None and owner is not None:
        _questions[owner.order, key] = pending


def _settle(key: str, tool: str, arguments: Any, response: Any, call_id: str | None) -> None:
    """Record an answer of which only the code that asked knows what it means, unless it says yes or no in so many words."""
    pending = _question(key)
    decided = decisions_in(response, 1)[0]
    if decided is not None:
        asked = arguments if pending is None else pending.arguments
        recorder.add_approval(tool, asked, adapter=ADAPTER, decision=decided[0], reason=decided[1], call_id=call_id)
    elif pending is not None:
        recorder.withdraw(pending)


def _is_asked(key: str) -> bool:
    """Whether the run waits for that already: it may have gone on with the answers to other questions only."""
    owner = _owner()
    return owner is not None and (owner.order, key) in _questions


def _question(key: str) -> ApprovalEvent | None:
    """What was asked, which is answered now."""
    owner = _owner()
    return None if owner is None else _questions.pop((owner.order, key), None)


def _owner() -> InvocationEvent | None:
    event = recorder.current_event()
    return None if event is None else event.owner
