"""A running Rasa assistant: its REST channel and its trackers, over HTTP."""

from __future__ import annotations

import http.client
import json
import os
import queue
import re
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from typing import Any, Final, Never, cast

from agentassert import render
from agentassert.suites.problems import quoted
from agentassert.text.masking import MASK, masked

TOKEN_VARIABLE: Final = "AGENTASSERT_RASA_TOKEN"  # noqa: S105 -- the name of a variable
JWT_VARIABLE: Final = "AGENTASSERT_RASA_JWT"

_CHUNK: Final = 65_536
_MOST_BYTES: Final = 256 * 1024 * 1024
"""Of one answer; a tracker of 50,000 events has about a tenth of it."""
_PRINTABLE: Final = re.compile(r"[!-~]+")
_THIS_MACHINE: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_WORST_STATUS: Final = 400


class ServerError(Exception):
    """A Rasa server that cannot be reached, refuses, or answers something else than Rasa does.

    Args:
        message: what went wrong and what to change, in one line.
        hopeless: whether any further request would end like this one.
    """

    def __init__(self, message: str, *, hopeless: bool = False) -> None:
        super().__init__(message)
        self.hopeless = hopeless


class RasaServer:
    """The HTTP interface of a Rasa server.

    What proves that its user may ask it comes from the environment: a token from `AGENTASSERT_RASA_TOKEN`, or a JSON Web Token from
    `AGENTASSERT_RASA_JWT`. Neither is ever shown.

    Args:
        url: where it runs, such as `"http://localhost:5005"`.
        timeout_s: seconds that one answer may take in all.

    Raises:
        ValueError: when the URL is none, or what comes from the environment cannot be sent.

    Example:
        >>> RasaServer("localhost:5005")
        Traceback (most recent call last):
        ValueError: a Rasa server is named by a URL such as 'http://localhost:5005', but was 'localhost:5005'
    """

    def __init__(self, url: str, *, timeout_s: float = 60.0) -> None:
        host = _host(url)
        self._url: Final = url.rstrip("/")
        self._timeout_s: Final = timeout_s
        self._token: Final = _from_environment(TOKEN_VARIABLE)
        self._jwt: Final = _from_environment(JWT_VARIABLE)
        if self._jwt and not _PRINTABLE.fullmatch(self._jwt):
            raise ValueError(f"the environment variable {JWT_VARIABLE} holds characters that no JSON Web Token has")
        proxies = [urllib.request.ProxyHandler({})] if host in _THIS_MACHINE else []
        self._opener: Final = urllib.request.build_opener(_NoRedirects(), *proxies)

    def send(self, sender: str, text: str, metadata: Mapping[str, Any]) -> None:
        """Send a user's message, and wait until the assistant is done with it.

        Raises:
            ServerError: when that did not succeed.
        """
        message = {"sender": sender, "message": text, **({"metadata": dict(metadata)} if metadata else {})}
        replies = self._asked("POST", "/webhooks/rest/webhook", message)
        if not isinstance(replies, list):
            self._refuse("POST", "/webhooks/rest/webhook", f"answered {_kind(replies)} where Rasa gives a list of messages")

    def tracker(self, sender: str, *, start_session: bool = False) -> dict[str, Any]:
        """All that happened in a conversation.

        Args:
            sender: who it is with.
            start_session: whether a conversation that is not there is to begin.

        Raises:
            ServerError: when it cannot be had.
        """
        path = f"/conversations/{urllib.parse.quote(sender, safe='')}/tracker"
        return self._tracker("GET", path, None, {"start_session": str(start_session).lower()})

    def add_events(self, sender: str, events: list[dict[str, Any]]) -> dict[str, Any]:
        """Have something happen in a conversation; the tracker with it.

        Raises:
            ServerError: when that did not succeed.
        """
        path = f"/conversations/{urllib.parse.quote(sender, safe='')}/tracker/events"
        return self._tracker("POST", path, events, {})

    def _tracker(self, method: str, path: str, content: Any, query: Mapping[str, str]) -> dict[str, Any]:
        found = self._asked(method, path, content, {"include_events": "ALL", **query})
        if not isinstance(found, dict) or not isinstance(found.get("events"), list):
            self._refuse(method, path, f"answered {_kind(found)} where Rasa gives a tracker with its events")
        return cast("dict[str, Any]", found)

    def _asked(self, method: str, path: str, content: Any, query: Mapping[str, str] | None = None) -> Any:
        asked = {**(query or {}), **({"token": self._token} if self._token else {})}
        url = f"{self._url}{path}" + (f"?{urllib.parse.urlencode(asked)}" if asked else "")
        body = None if content is None else json.dumps(content, default=str).encode()
        headers = {"Accept": "application/json", **({"Content-Type": "application/json"} if body else {})}
        if self._jwt:
            headers["Authorization"] = f"Bearer {self._jwt}"
        # The scheme was looked at when the server was named.
        request = urllib.request.Request(url, body, headers, method=method)  # noqa: S310
        answer = self._answer(request, method, path)
        try:
            return json.loads(answer)
        except (ValueError, RecursionError):
            self._refuse(method, path, f"answered what is no JSON: {quoted(answer[:200].decode('utf-8', 'replace').strip())}")

    def _answer(self, request: urllib.request.Request, method: str, path: str) -> bytes:
        until = time.monotonic() + self._timeout_s
        try:
            with self._opened(request) as response:
                return self._whole(response, until)
        except urllib.error.HTTPError as error:
            with error:
                self._refuse_status(method, path, error, until)
        except TimeoutError:
            self._refuse(
                method, path, f"gave no whole answer in {self._timeout_s:g} seconds (`timeout_s` in [tool.agentassert.rasa])"
            )
        except urllib.error.URLError as error:
            if isinstance(error.reason, TimeoutError):
                self._refuse(
                    method, path, f"did not answer in {self._timeout_s:g} seconds (`timeout_s` in [tool.agentassert.rasa])"
                )
            self._refuse(method, path, f"cannot be reached: {error.reason}", hopeless=True)
        except UnicodeError:
            self._refuse(method, path, "cannot be reached: there is no such name of a host", hopeless=True)
        except (http.client.HTTPException, OSError) as error:
            self._refuse(method, path, f"broke off its answer: {render.error(error)}")

    def _opened(self, request: urllib.request.Request) -> Any:
        """The answer, once its head is there. A thread waits for it: a head that trickles in, or never ends, would not time out."""
        told: queue.SimpleQueue[tuple[Any, Exception | None]] = queue.SimpleQueue()

        def ask() -> None:
            try:
                told.put((self._opener.open(request, timeout=self._timeout_s), None))
            except Exception as error:  # raised to who waits
                told.put((None, error))

        threading.Thread(target=ask, daemon=True).start()
        try:
            response, error = told.get(timeout=self._timeout_s)
        except queue.Empty:
            raise TimeoutError from None
        if error is not None:
            raise error
        return response

    def _whole(self, response: Any, until: float) -> bytes:
        """All of an answer; one that trickles in has no more time than any other."""
        whole = bytearray()
        while chunk := response.read1(_CHUNK):
            whole += chunk
            if time.monotonic() > until:
                raise TimeoutError
            if len(whole) > _MOST_BYTES:
                raise http.client.HTTPException(f"it has more than {_MOST_BYTES:,} bytes")
        if response.length:
            raise http.client.IncompleteRead(bytes(whole), response.length)
        return bytes(whole)

    def _refuse_status(self, method: str, path: str, error: urllib.error.HTTPError, until: float) -> Never:
        status = error.code
        if status in {401, 403}:
            has = "was refused" if self._token or self._jwt else "is needed"
            advice = f"a token {has}: set {TOKEN_VARIABLE}, or {JWT_VARIABLE} where the server takes JSON Web Tokens"
        elif status == http.client.NOT_FOUND and "webhooks" in path:
            advice = "the REST channel is not enabled: add 'rest:' to the server's credentials.yml"
        elif status == http.client.NOT_FOUND:
            advice = "the HTTP API is not enabled: start the server with --enable-api"
        elif status < _WORST_STATUS:
            advice = "redirects are not followed: name the URL that the server is at"
        else:
            advice = self._said(error, until)
        hopeless = status < http.client.INTERNAL_SERVER_ERROR
        reason = render.words(str(error.reason))
        self._refuse(method, path, f"answered {status} {reason}" + (f"; {advice}" if advice else ""), hopeless=hopeless)

    def _said(self, error: urllib.error.HTTPError, until: float) -> str:
        """What a server says about its error, as far as it is Rasa's way of saying it."""
        try:
            said = json.loads(self._whole(error, until))
        except (ValueError, RecursionError, OSError, http.client.HTTPException):
            return ""
        message = said.get("message") if isinstance(said, dict) else None
        return quoted(message, 200) if isinstance(message, str) else ""

    def _refuse(self, method: str, path: str, words: str, *, hopeless: bool = False) -> Never:
        for secret in filter(None, (self._token, self._jwt)):
            words = words.replace(secret, MASK).replace(urllib.parse.quote_plus(secret), MASK)
        raise ServerError(f"the Rasa server {self._url} {words} ({method} {path})", hopeless=hopeless) from None


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A token is for one server, so no request goes on to another one."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> None:
        """No other request."""


def _host(url: str) -> str:
    """The host that a URL names."""
    parts = _parts(url)
    if parts is None or parts.scheme not in {"http", "https"} or not parts.hostname or not _PRINTABLE.fullmatch(url):
        raise ValueError(
            f"a Rasa server is named by a URL such as 'http://localhost:5005', but was {quoted(''.join(masked(url)))}"
        )
    if parts.username is not None or parts.query or parts.fragment:
        raise ValueError(f"the URL of a Rasa server holds no user and no query: put the token into {TOKEN_VARIABLE}")
    return parts.hostname


def _parts(url: str) -> urllib.parse.SplitResult | None:
    """Those of a URL, unless its brackets do not close, or its port is none."""
    try:
        parts = urllib.parse.urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    return None if port == 0 else parts


def _from_environment(variable: str) -> str:
    """What proves who asks; empty without. A file that it was read from ends with a line break, which is no part of it."""
    return os.environ.get(variable, "").strip()


def _kind(found: Any) -> str:
    return {dict: "an object", list: "a list", str: "a text", type(None): "null"}.get(type(found), "a number")
