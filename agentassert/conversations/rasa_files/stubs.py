"""Stubs of custom actions: a small action server that answers for them, since no stub can be put into a running assistant."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, Self

from agentassert.conversations.rasa_files.loading import ReadyCase
from agentassert.conversations.rasa_files.server import ServerError
from agentassert.suites.problems import shown_path

LEFT_TO_SERVER: Final = "server"

_PATIENCE: Final = 30.0
"""Seconds that a request may take to come in."""
_MOST_BYTES: Final = 256 * 1024 * 1024
"""Of one request, which holds the whole tracker."""

_NEEDED: Final = (
    "stubs custom actions, and in a running assistant no action can be replaced: --rasa-actions PORT answers for them on that port, where "
    "`action_endpoint` in the assistant's endpoints.yml must point (http://localhost:PORT/webhook); --rasa-actions server has the "
    "assistant's own actions run, with all that they do"
)


class Stubs(contextlib.AbstractContextManager["Stubs", None]):
    """Stands in for custom actions: this one for none."""

    def __exit__(self, *_: object) -> None:
        """Nothing to end."""

    def holding(self, ready: ReadyCase) -> contextlib.AbstractContextManager[None]:
        """Answer with the stubs of a test case inside the block.

        Raises:
            ServerError: when one was missing.
        """
        return contextlib.nullcontext()


def stubs_of(chosen: str | None, cases: Sequence[ReadyCase]) -> Stubs:
    """What stands in for custom actions while cases run against an assistant.

    Args:
        chosen: what `--rasa-actions` says: a port, `"server"`, or nothing.
        cases: the cases that are to run.

    Raises:
        ValueError: when cases have stubs, and it is not said what becomes of them; or the port cannot be had.
    """
    stubbed = [ready for ready in cases if ready.stubs is not None]
    if not stubbed or chosen == LEFT_TO_SERVER:
        return Stubs()
    if chosen is None:
        raise ValueError(f"{shown_path(stubbed[0].file)} {_NEEDED}")
    return ActionServer(int(chosen))


class ActionServer(Stubs):
    """Answers as Rasa's action server does, with what the stubs say.

    Args:
        port: where, on this machine alone.

    Raises:
        ValueError: when the port cannot be had.
    """

    def __init__(self, port: int) -> None:
        self._stubs: Mapping[str, Any] | None = None
        self._missing: list[str] = []
        try:
            self._server = ThreadingHTTPServer(("127.0.0.1", port), self._handler())
        except OSError as error:
            raise ValueError(f"--rasa-actions {port}: the port cannot be had: {error.strerror}") from None

    def __enter__(self) -> Self:
        """Begin to answer."""
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop."""
        self._server.shutdown()
        self._server.server_close()

    @contextlib.contextmanager
    def holding(self, ready: ReadyCase) -> Iterator[None]:
        """Answer with the stubs of a test case inside the block."""
        self._stubs, self._missing = ready.stubs, []
        try:
            yield
        finally:
            self._stubs = None
        if self._missing and ready.stubs is not None:
            names = ", ".join(map(repr, dict.fromkeys(self._missing)))
            raise ServerError(f"the assistant called {names}, which the file does not stub, while it stubs others")

    def answer(self, action: str) -> tuple[int, dict[str, Any]]:
        """Status and content for a call of an action."""
        stub = (self._stubs or {}).get(action)
        if stub is None:
            self._missing.append(action)
            return 404, {"error": f"there is no stub of {action!r}", "action_name": action}
        return 200, {"events": stub.get("events", []), "responses": stub.get("responses", [])}

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        actions = self

        class Handler(BaseHTTPRequestHandler):
            timeout = _PATIENCE

            def do_POST(self) -> None:
                action = _asked_for(self)
                if action is None:
                    status, content = 400, {"error": "this is no call of an action: a JSON object with a text 'next_action'"}
                else:
                    status, content = actions.answer(action)
                body = json.dumps(content, default=str).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:
                """Say nothing: the program's output is its results."""

        return Handler


def _asked_for(request: BaseHTTPRequestHandler) -> str | None:
    """The action that a request calls; `None` for a request that calls none."""
    length = request.headers.get("Content-Length", "")
    if not (length.isascii() and length.isdecimal() and len(length) < len(str(_MOST_BYTES)) + 1 and int(length) <= _MOST_BYTES):
        return None
    try:
        called = json.loads(request.rfile.read(int(length)))
    except (ValueError, RecursionError):
        return None
    action = called.get("next_action") if isinstance(called, dict) else None
    return action if isinstance(action, str) else None
