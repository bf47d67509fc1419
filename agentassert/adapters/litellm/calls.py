"""What is put around LiteLLM's functions, which call each other, and around the streams that they give back."""

from __future__ import annotations

import functools
import inspect
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, TypeAlias

from agentassert import recorder
from agentassert.adapters.base import CHAT, REQUESTS, guarded, holding
from agentassert.adapters.litellm import ADAPTER
from agentassert.adapters.litellm.routes import Function
from agentassert.adapters.patching import replace
from agentassert.adapters.replacing import Replacement, keeping
from agentassert.adapters.stainless.calls import Call
from agentassert.adapters.stainless.fields import field
from agentassert.records import ModelCall

_UNREAD: Final = ("anthropic_messages", "generate_content")
"""The types of calls that ask a chat model and are read by nobody here."""
_current: Final[ContextVar[Asked | None]] = ContextVar("agentassert_litellm_call", default=None)


class Asked:
    """A call that a program made, with all the calls of LiteLLM's own functions by which it is carried out."""

    def __init__(self, call: Call, kind: type[ModelCall]) -> None:
        self.call = call
        self.kind = kind
        self.requests = 0
        self.is_running = False

    @contextmanager
    def running(self) -> Iterator[None]:
        """The time in which what LiteLLM does is done for this call; contexts that were copied in it outlive it."""
        self.is_running = True
        try:
            with holding(_current, self):
                yield
        finally:
            self.is_running = False

    def failed(self, error: BaseException) -> None:
        """An error left it."""
        self.call.fail(error)
        self._count()

    def answered(self, response: Any) -> None:
        """It gave something back that is no stream."""
        self._count()
        if _is_cached(response):
            self.call.from_cache()
        self.call.respond(response)

    def streams(self, stream: Any) -> bool:
        """Whether what it gave back is a stream that can be read along."""
        self._count()
        if _is_cached(stream):
            self.call.from_cache()
        return bool(self.call.collects())

    def _count(self) -> None:
        if self.requests > 1:
            self.call.retried(self.requests - 1)


def _is_cached(given: Any) -> bool:
    hidden = field(given, "_hidden_params")
    return field(given, "custom_llm_provider") == "cached_response" or (hidden is not None and field(hidden, "cache_hit") is True)


def counted(original: Callable[..., Any]) -> Callable[..., Any]:
    """`Logging.pre_call`, which is called before a provider is: again for each deployment that is tried after another one."""

    def pre_call(logging: Any, *args: Any, **kwargs: Any) -> Any:
        asked = _current.get()
        if asked is not None and asked.is_running:
            asked.requests += 1
        elif recorder.listening():
            _doubt(logging)
        return original(logging, *args, **kwargs)

    return pre_call


@guarded(ADAPTER)
def _doubt(logging: Any) -> None:
    """Say of a request that no recorded call made, and that is one to a chat model, that it is not recorded."""
    if any(one in str(logging.call_type) for one in _UNREAD):
        recorder.note(
            "LiteLLM's functions in the formats of Anthropic and Google are not recorded where they reach their own provider"
        )
        recorder.lose_sight(ADAPTER, CHAT, REQUESTS)


class Calls:
    """The wrappers.

    Args:
        kept: what the adapter replaced, to which the classes of the streams are added as they are met.
    """

    def __init__(self, kept: list[Replacement] | None) -> None:
        self._kept = kept
        self._streams: weakref.WeakKeyDictionary[Any, Asked] = weakref.WeakKeyDictionary()
        self._classes: weakref.WeakSet[type] = weakref.WeakSet()
        self._lock = threading.Lock()

    def recorded(self, function: Function) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Make of a function one whose calls are recorded, other than those that LiteLLM makes for a call of the same kind."""

        def wrap(original: Callable[..., Any]) -> Callable[..., Any]:
            async def acall(*args: Any, **kwargs: Any) -> Any:
                asked = _begun(function, args, kwargs) if recorder.listening() else None
                if asked is None:
                    return await original(*args, **kwargs)
                try:
                    with asked.running():
                        given = await original(*args, **kwargs)
                except BaseException as error:
                    asked.failed(error)
                    raise
                self._returned(asked, given)
                return given

            def call(*args: Any, **kwargs: Any) -> Any:
                asked = _begun(function, args, kwargs) if recorder.listening() else None
                if asked is None:
                    return original(*args, **kwargs)
                try:
                    with asked.running():
                        given = original(*args, **kwargs)
                except BaseException as error:
                    asked.failed(error)
                    raise
                self._returned(asked, given)
                return given

            return acall if inspect.iscoroutinefunction(inspect.unwrap(original)) else call

        return wrap

    @guarded(ADAPTER)
    def _returned(self, asked: Asked, given: Any) -> None:
        if not (hasattr(given, "__next__") or hasattr(given, "__anext__")):
            asked.answered(given)
        elif asked.streams(given):
            self._watch(type(given))
            self._streams[given] = asked
            weakref.finalize(given, asked.call.end, exhausted=False).atexit = False

    def _watch(self, stream: type) -> None:
        """Wrap the methods by which a class of streams is read and closed, once; some are made anew for each stream."""
        with self._lock:
            if stream in self._classes:
                return
            self._classes.add(stream)
            with keeping(None if "<locals>" in stream.__qualname__ else self._kept):
                for name, make in _METHODS.items():
                    if hasattr(stream, name):
                        replace(stream, name, functools.partial(make, self._read))

    def _read(self, stream: Any) -> Asked | None:
        """The call whose answer is read, unless it is one method of the stream that calls another."""
        asked = self._streams.get(stream)
        return None if asked is None or asked.is_running else asked


@guarded(ADAPTER)
def _begun(function: Function, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Asked | None:
    route, around = function.route, _current.get()
    if around is not None and around.is_running and around.kind is route.kind:
        return None
    call = Call.begun(ADAPTER, route, function.body(args, kwargs), sends=False)
    return None if call is None else Asked(call, route.kind)


_Read: TypeAlias = Callable[[Any], Asked | None]


def _next(read: _Read, original: Callable[..., Any]) -> Callable[..., Any]:
    def __next__(stream: Any) -> Any:  # noqa: N807  # what it is
        asked = read(stream)
        if asked is None:
            return original(stream)
        try:
            with asked.running():
                part = original(stream)
        except StopIteration:
            asked.call.end(exhausted=True)
            raise
        except BaseException as error:
            asked.call.break_off(error)
            raise
        asked.call.add(part)
        return part

    return __next__


def _anext(read: _Read, original: Callable[..., Any]) -> Callable[..., Any]:
    async def __anext__(stream: Any) -> Any:  # noqa: N807  # what it is
        asked = read(stream)
        if asked is None:
            return await original(stream)
        try:
            with asked.running():
                part = await original(stream)
        except StopAsyncIteration:
            asked.call.end(exhausted=True)
            raise
        except BaseException as error:
            asked.call.break_off(error)
            raise
        asked.call.add(part)
        return part

    return __anext__


def _close(read: _Read, original: Callable[..., Any]) -> Callable[..., Any]:
    def close(stream: Any) -> Any:
        asked = read(stream)
        if asked is not None:
            asked.call.end(exhausted=False)
        return original(stream)

    return close


_METHODS: Final = {"__next__": _next, "__anext__": _anext, "close": _close, "aclose": _close}
