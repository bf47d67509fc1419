"""Where connections to Claude Code, and what is asked over them, begin and end."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from contextvars import ContextVar
from typing import Any, Final
from weakref import WeakKeyDictionary

from agentassert import recorder
from agentassert.adapters.base import guarded, holding
from agentassert.adapters.claude_agent_sdk import ADAPTER
from agentassert.adapters.claude_agent_sdk.controls import Controls, Heard, Written
from agentassert.adapters.claude_agent_sdk.sessions import Session
from agentassert.adapters.claude_agent_sdk.works import Work
from agentassert.adapters.hooks import recorded
from agentassert.recording.events import InvocationEvent

STREAM: Final = "_message_send"
"""Where a connection keeps the stream that it puts its messages on."""

_sessions: Final[WeakKeyDictionary[Any, Session]] = WeakKeyDictionary()
_unconnected: Final[WeakKeyDictionary[InvocationEvent, tuple[Work, Any]]] = WeakKeyDictionary()
_queries: Final[WeakKeyDictionary[InvocationEvent, Session]] = WeakKeyDictionary()
_connecting: ContextVar[tuple[Any, Any] | None] = ContextVar("agentassert_claude_connecting", default=None)


def _begin(_: Any, prompt: Any, options: Any, **_others: Any) -> InvocationEvent | None:
    work = Work.begun(options, prompt, options.resume)
    if work is None:
        return None
    _unconnected[work.event] = work, options
    return work.event


def _hear(event: InvocationEvent, message: Any) -> None:
    """The answer to the one thing that was asked is the end, whether the program reads on or not; an error is yet to be raised."""
    session = _queries.get(event)
    is_result = session is not None and type(message).__name__ == "ResultMessage" and not message.is_error
    if session is not None and is_result and isinstance(event.input, str) and not session.nested:
        session.conclude()


def _end(event: InvocationEvent, _: Any) -> None:
    session = _queries.get(event)
    if session is None or session.result is None:
        event.complete()
    else:
        session.conclude()


def _stop(event: InvocationEvent, error: BaseException) -> None:
    if event in _queries:
        _queries[event].abandon(error)
    recorder.end_by(event, error)


querying: Final = recorded(ADAPTER, _begin, _end, stop=_stop, hear=_hear)
"""`InternalClient.process_query`, recorded: it is what `query()` does."""


def connecting(original: Callable[..., Any]) -> Callable[..., Any]:
    """`ClaudeSDKClient.connect`, which may ask something at once."""

    async def connect(self: Any, prompt: Any = None) -> Any:
        with holding(_connecting, (self.options, prompt)):
            return await original(self, prompt)

    return connect


def asking(original: Callable[..., Any]) -> Callable[..., Any]:
    """`ClaudeSDKClient.query`: something is asked."""

    async def query(self: Any, prompt: Any, *args: Any, **kwargs: Any) -> Any:
        session = _hooked(self._query, self.options) if recorder.listening() and self._query is not None else None
        if session is not None:
            session.ask(prompt)
            prompt = prompt if isinstance(prompt, str) else _noted(prompt, session)
        return await original(self, prompt, *args, **kwargs)

    return query


async def _noted(prompts: AsyncIterator[Any], session: Session) -> AsyncIterator[Any]:
    async for prompt in prompts:
        session.asked_for(prompt)
        yield prompt


def starting(original: Callable[..., Any]) -> Callable[..., Any]:
    """`Query.start`: a connection begins."""

    async def start(self: Any) -> Any:
        _opened(self)
        return await original(self)

    return start


def closing(original: Callable[..., Any]) -> Callable[..., Any]:
    """`Query.close`: a connection ends."""

    async def close(self: Any) -> Any:
        try:
            return await original(self)
        finally:
            session = _sessions.get(self)
            if session is not None and session.lasts:
                session.abandon(GeneratorExit())

    return close


def receiving(original: Callable[..., Any]) -> Callable[..., Any]:
    """`Query.receive_messages`, from which errors of the connection come."""

    async def receive_messages(self: Any) -> AsyncIterator[Any]:
        try:
            async with aclosing(original(self)) as messages:
                async for message in messages:
                    yield message
        except Exception as error:
            session = _sessions.get(self)
            if session is not None and session.lasts:
                session.abandon(error)
            raise

    return receive_messages


@guarded(ADAPTER)
def _opened(query: Any) -> None:
    """A connection is made: by a client, which lasts, or for one question."""
    client, scope = _connecting.get(), recorder.current_scope()
    _connecting.set(None)  # what this connection will run, in the context of its start, may make connections of its own
    if client is not None:
        options, prompt = client
        session = _hooked(query, options)
        if prompt is not None and session is not None:
            session.ask(prompt)
    elif scope is not None and isinstance(scope.event, InvocationEvent) and scope.event in _unconnected:
        work, options = _unconnected.pop(scope.event)
        _queries[work.event] = _hook(query, Session(query.sdk_mcp_servers, options, work, lasts=False))


@guarded(ADAPTER)
def _hooked(query: Any, options: Any) -> Session:
    """The session of a client; one that was connected before there was any capture is hooked into now."""
    return _sessions.get(query) or _hook(query, Session(query.sdk_mcp_servers, options))


def _hook(query: Any, session: Session) -> Session:
    setattr(query, STREAM, Heard(getattr(query, STREAM), session))
    query.transport = Written(query.transport, Controls(session))
    _sessions[query] = session
    return session
