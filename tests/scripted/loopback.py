"""A provider of models on this machine: it answers what it was told to, in order, and keeps what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

import attrs


@attrs.frozen
class Reply:
    """An answer, whole and as the events of a stream; the request decides which of them is sent."""

    body: Mapping[str, Any]
    events: Sequence[str] = ()
    status: int = 200
    tokens: int = 0


@attrs.define
class Provider:
    """What is to be answered, and what was asked."""

    replies: list[Reply]
    url: str = ""
    requests: list[tuple[str, dict[str, Any]]] = attrs.Factory(list)
    tokens: int = 0
    lock: threading.Lock = attrs.Factory(threading.Lock)

    def answer(self, path: str, body: dict[str, Any]) -> Reply:
        """The next reply, the last one for ever."""
        with self.lock:
            self.requests.append((path, body))
            reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
            self.tokens += reply.tokens
            return reply


class _Handler(BaseHTTPRequestHandler):
    provider: ClassVar[Provider]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        self._send(json.loads(body) if self.headers.get("content-type") == "application/json" and body else {})

    def do_GET(self) -> None:
        self._send({})

    def _send(self, body: dict[str, Any]) -> None:
        reply = self.provider.answer(self.path, body)
        streamed = bool(body.get("stream")) and reply.status == 200
        content = "".join(reply.events) if streamed else json.dumps(reply.body)
        self.send_response(reply.status)
        self.send_header("content-type", "text/event-stream" if streamed else "application/json")
        self.send_header("content-length", str(len(content.encode())))
        self.send_header("retry-after-ms", "1")
        self.end_headers()
        self.wfile.write(content.encode())

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@contextmanager
def serving(*replies: Reply, keeps_connections: bool = False) -> Iterator[Provider]:
    """A provider that gives these replies, one after the other, the last one for ever."""
    provider = Provider(list(replies))
    protocol = "HTTP/1.1" if keeps_connections else "HTTP/1.0"
    handler = type("Handler", (_Handler,), {"provider": provider, "protocol_version": protocol})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    provider.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
