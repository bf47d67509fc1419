"""What is put around an SDK's methods: that which sends every request, and those in which what comes back is read or closed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any, Final
from weakref import WeakKeyDictionary

import attrs

from agentassert import recorder
from agentassert.adapters.base import holding
from agentassert.adapters.stainless.calls import Awaited, Call
from agentassert.adapters.stainless.fields import field
from agentassert.adapters.stainless.keeping import kept
from agentassert.adapters.stainless.routes import Route, route_of
from agentassert.adapters.stainless.streams import AsyncWatched, Watched

_sending: Final[ContextVar[Call | None]] = ContextVar("agentassert_sending", default=None)
"""The call whose request is being sent, which is known to the response that is made of it only in this way."""


@attrs.frozen
class Classes:
    """The classes of an SDK of which a request gives an object back, other than the model of a response."""

    stream: type
    async_stream: type
    raw: tuple[type, ...]

    def is_raw(self, given: Any) -> bool:
        """Whether that is a response which the program has yet to parse."""
        return isinstance(given, self.raw)


class Hooks:
    """The wrappers for one SDK.

    Args:
        adapter: the name of the adapter.
        routes: the addresses at which models answer, by the end of their path.
        classes: the SDK's own.
    """

    def __init__(self, adapter: str, routes: Mapping[str, Route], classes: Classes) -> None:
        self.adapter = adapter
        self._routes = routes
        self._classes = classes
        self._calls: WeakKeyDictionary[Any, Call] = WeakKeyDictionary()
        self._awaited: dict[str, Awaited] = {}

    def request(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """`SyncAPIClient.request`, recorded."""

        def request(client: Any, *args: Any, **kwargs: Any) -> Any:
            if not recorder.listening():
                return original(client, *args, **kwargs)
            call = self._begin(args, kwargs)
            try:
                with holding(_sending, call):
                    result = original(client, *args, **kwargs)
            except BaseException as error:
                if call is not None:
                    call.fail(error)
                raise
            self._returned(call, result)
            return result

        return request

    def async_request(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """`AsyncAPIClient.request`, recorded."""

        async def request(client: Any, *args: Any, **kwargs: Any) -> Any:
            if not recorder.listening():
                return await original(client, *args, **kwargs)
            call = self._begin(args, kwargs)
            try:
                with holding(_sending, call):
                    result = await original(client, *args, **kwargs)
            except BaseException as error:
                if call is not None:
                    call.fail(error)
                raise
            self._returned(call, result)
            return result

        return request

    def parse(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """`_parse` of a response, which tells how often its request was sent; of a raw one, when the program gets around to it."""

        def parse(response: Any, *args: Any, **kwargs: Any) -> Any:
            result = original(response, *args, **kwargs)
            self._parsed(response, result)
            return result

        return parse

    def close(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """`close` of a stream or a raw response, recorded."""

        def close(closed: Any, *args: Any, **kwargs: Any) -> Any:
            try:
                return original(closed, *args, **kwargs)
            finally:
                self._closed(closed)

        return close

    def async_close(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """The same for the asynchronous ones."""

        async def close(closed: Any, *args: Any, **kwargs: Any) -> Any:
            try:
                return await original(closed, *args, **kwargs)
            finally:
                self._closed(closed)

        return close

    @kept
    def _begin(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Call | None:
        options = kwargs["options"] if "options" in kwargs else args[1]
        route = route_of(self._routes, options.method, options.url)
        if route is None:
            return None
        sent = [part for part in (options.json_data, getattr(options, "extra_json", None)) if isinstance(part, Mapping)]
        body = {key: value for part in sent for key, value in part.items()}
        return Call.begun(self.adapter, route, body, sends=True)

    def _returned(self, call: Call | None, result: Any) -> None:
        if call is not None:
            self._receive(call, result)
        elif self._awaited:
            self._asked_again(result)

    @kept
    def _receive(self, call: Call, result: Any) -> None:
        if self._classes.is_raw(result):
            call.retried(field(result, "retries_taken") or 0)
            self._calls[result] = call
            if result.http_response.is_closed:
                call.respond_body(result.http_response)
            else:
                call.unread()
        elif not self._watch(call, result):
            if hasattr(result, "is_stream_consumed"):  # the response of the HTTP client, for which a program may ask
                call.respond_body(result)
            else:
                call.respond(result)
        self._wait_for(call)

    def _watch(self, call: Call, result: Any) -> bool:
        kinds = ((self._classes.stream, Watched), (self._classes.async_stream, AsyncWatched))
        watched = next((watched for kind, watched in kinds if isinstance(result, kind)), None)
        if watched is None:
            return False
        if call.collects():
            result._iterator = watched(result._iterator, call)  # noqa: SLF001
            self._calls[result] = call
        return True

    @kept
    def _parsed(self, response: Any, result: Any) -> None:
        call = self._calls.get(response)
        if call is None:
            sending = _sending.get()
            if sending is not None:
                sending.parsed(result, field(response, "retries_taken") or 0)
        elif call.is_read() and not self._watch(call, result):
            call.respond_body(response.http_response)

    @kept
    def _closed(self, closed: Any) -> None:
        # The SDKs' helpers for streams hold the stream itself, and some close the connection below it.
        call = self._calls.get(getattr(closed, "_raw_stream", closed))
        if call is None:
            return
        if self._classes.is_raw(closed) and call.is_read():
            call.respond_body(closed.http_response)
        else:
            call.end(exhausted=False)

    def _wait_for(self, call: Call) -> None:
        if call.awaited is not None:
            self._awaited = {key: one for key, one in self._awaited.items() if one.call() is not None}
            self._awaited.update([call.awaited])

    @kept
    def _asked_again(self, result: Any) -> None:
        """A program asked for something: for a response that was not ready before, perhaps."""
        awaited = self._awaited.pop(str(getattr(result, "id", None)), None)
        call = None if awaited is None else awaited.call()
        if call is not None:
            call.respond(result)
            self._wait_for(call)
