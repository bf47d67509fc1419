"""The server: one thread that accepts connections, one for each of them."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from typing import Any, ClassVar, Final, cast

from agentassert.scripted.bodies import LARGEST, ClientGoneError, UnreadableError, read_body
from agentassert.scripted.desk import Desk
from agentassert.scripted.serving import Ending, Sending

READING: Final = 30.0
"""Seconds for which a client may send nothing in the middle of a request, or read nothing of its answer."""

LEAVING: Final = 10.0
"""Seconds that functions of the user's have to end after the block was left."""

_DRAINED: Final = 1.0
_SURPLUS: Final = 65536
_FOR_EVER: Final = threading.TIMEOUT_MAX


class Server(ThreadingTCPServer):
    """Listens on a port of this machine that is free.

    Args:
        desk: what answers.
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self._leaving = False
        self._busy: dict[threading.Thread, socket.socket] = {}
        self._lock = threading.Lock()
        super().__init__(("127.0.0.1", 0), _Connection)
        self._accepting = threading.Thread(target=self._accept, name="agentassert-scripted-model", daemon=True)
        self._accepting.start()

    @property
    def port(self) -> int:
        """Where it listens."""
        port: int = self.server_address[1]
        return port

    def close(self) -> list[str]:
        """Stop, and give the names of functions that did not end."""
        self._leaving = True
        with contextlib.suppress(OSError):  # wakes the thread that accepts; it need not look for an end of its own every moment
            socket.create_connection(("127.0.0.1", self.port), timeout=1.0).close()
        self._accepting.join(LEAVING)
        self.server_close()
        with self._lock:
            busy = dict(self._busy)
        for connection in busy.values():
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        deadline = time.monotonic() + LEAVING
        for thread in busy:
            thread.join(max(0.0, deadline - time.monotonic()))
        return [thread.name for thread in busy if thread.is_alive()]

    def verify_request(self, request: Any, client_address: Any) -> bool:
        """Whether there is still someone to answer."""
        return not self._leaving

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer a connection in a thread of its own, which leaving waits for."""
        thread = threading.Thread(target=self.process_request_thread, args=(request, client_address), daemon=True)
        with self._lock:
            self._busy[thread] = request
        thread.start()

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer a connection."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            with self._lock:
                self._busy.pop(threading.current_thread(), None)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep an error of ours or of the user's; that a client broke its connection is none."""
        import sys

        error = sys.exception()
        if error is not None and not isinstance(error, OSError):
            self.desk.player.errors.append(error)

    def _accept(self) -> None:
        while not self._leaving:
            self.handle_request()


class _Connection(BaseHTTPRequestHandler):
    """One request, one answer, and the connection is closed: no client waits for another one's."""

    protocol_version = "HTTP/1.1"
    server_version = "agentassert"
    sys_version = ""
    raw_requestline: bytes
    timeout: ClassVar = READING
    disable_nagle_algorithm = True

    @property
    def _desk(self) -> Desk:
        return cast("Server", self.server).desk

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def do_HEAD(self) -> None:
        """Say that somebody is here, which is all that a client asks before it sends its first request."""
        self.close_connection = True
        with contextlib.suppress(OSError):
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Length", "0")
            self.end_headers()

    def parse_request(self) -> bool:
        """Whether what came is a request; half a line of one is what a client leaves that is stopped."""
        if not self.raw_requestline.endswith(b"\n"):
            self.close_connection = True
            return False
        return super().parse_request()

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer what is no HTTP, or asks for what is never given."""
        self.request_version = self.protocol_version  # what is no HTTP is told so in HTTP
        words = message or HTTPStatus(code).phrase
        line = self.requestline[:200] if self.requestline else ""
        self._answer(self._desk.refuse(code, f"a request was refused ({code} {words}): {line!r}"))

    def _serve(self) -> None:
        try:
            body = read_body(self.headers, self.rfile)
        except ClientGoneError:
            return
        except TimeoutError:
            self._answer(self._desk.refuse(408, f"{self.command} {self.path} sent nothing for {self.timeout:g} seconds"))
            return
        except UnreadableError as error:
            self._answer(self._desk.refuse(error.status, f"{self.command} {self.path}: {error}"))
            self._drain()
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        self._desk.take(self.command, self.path, headers, body, self._answer)

    def _answer(self, sent: Sending) -> bool:
        """Send an answer; `False` when the client had gone before it began."""
        self.close_connection = True
        if self._left_within(sent.latency):
            return False
        with contextlib.suppress(OSError):
            self._send(sent)
        return True

    def _send(self, sent: Sending) -> None:
        if sent.status is not None:
            self._head(sent)
        for index, piece in enumerate(sent.pieces):
            if index and self._left_within(sent.pace):
                return
            self._write(piece.encode("utf-8", "replace"), chunked=sent.streamed)
        if sent.ending is Ending.COMPLETE and sent.streamed:
            self._write(b"", chunked=True)
        elif sent.ending is Ending.HANGS:
            self._left_within(_FOR_EVER)

    def _head(self, sent: Sending) -> None:
        self.send_response(sent.status or 200)
        self.send_header("content-type", "text/event-stream; charset=utf-8" if sent.streamed else "application/json")
        for name, value in sent.headers.items():
            self.send_header(name, value)
        if sent.streamed:
            self.send_header("transfer-encoding", "chunked")
        else:
            self.send_header("content-length", str(sum(len(piece.encode("utf-8", "replace")) for piece in sent.pieces)))
        self.send_header("connection", "close")
        self.end_headers()

    def _write(self, data: bytes, *, chunked: bool) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data) if chunked else data)

    def _left_within(self, seconds: float) -> bool:
        """Wait, and say whether the client, or the block, has gone meanwhile; what is sent after a request means nothing."""
        deadline = time.monotonic() + seconds
        try:
            self.connection.settimeout(min(seconds, _FOR_EVER))
            while self.connection.recv(_SURPLUS):
                left = deadline - time.monotonic()
                if left <= 0:
                    return False
                self.connection.settimeout(min(left, _FOR_EVER))
        except (BlockingIOError, TimeoutError):
            return False
        except OSError:
            return True
        else:
            return True
        finally:
            self.connection.settimeout(self.timeout)

    def _drain(self) -> None:
        """Read what is still coming: closing the connection on it would take the answer away from the client."""
        self.connection.settimeout(_DRAINED)
        with contextlib.suppress(OSError):
            self.rfile.read(LARGEST)
