"""What clients send to a scripted model: bodies for each of its addresses, and bytes that are no HTTP at all."""

from __future__ import annotations

import contextlib
import json
import socket
from types import SimpleNamespace
from typing import Any, ClassVar, Final
from unittest import mock

from agentassert.scripted import call_tool, connections, reply, script
from agentassert.scripted.desk import Desk
from agentassert.scripted.problems import described, script_error
from agentassert.scripted.serving import Sending
from tests.fuzzing import samples
from tests.fuzzing.targets import Target
from tests.fuzzing.using import printable

_WORDS: Final = (
    *(
        "model",
        "messages",
        "input",
        "tools",
        "stream",
        "stream_options",
        "max_tokens",
        "role",
        "content",
        "type",
        "name",
        "prompt",
        "metadata",
    ),
    *(
        "/v1/chat/completions",
        "/v1/responses",
        "/v1/messages",
        "/v1/messages/count_tokens",
        "/v1/embeddings",
        "/v1/moderations",
        "/v1/models",
    ),
    *(
        "/" * 5_000,
        "/v1/%2e%2e/etc/passwd",
        "base64",
        "dimensions",
        "encoding_format",
        "instructions",
        "previous_response_id",
        "text",
    ),
)


def _corpus() -> list[bytes]:
    chat, claude, items, *_ = samples.messages()
    tools = [{"type": "function", "function": {"name": "look", "parameters": {}}}]
    bodies = [
        (
            "/v1/chat/completions",
            {"model": "m", "messages": chat, "tools": tools, "stream": True, "stream_options": {"include_usage": True}},
        ),
        ("/openai/deployments/m/chat/completions?api-version=1", {"model": "m", "messages": chat}),
        (
            "/v1/responses",
            {"model": "m", "input": items, "instructions": "Be brief.", "tools": [{"type": "function", "name": "look"}]},
        ),
        ("/v1/responses", {"model": "m", "input": "Hi", "stream": True, "metadata": {"a": "b"}}),
        ("/v1/messages", {"model": "m", "max_tokens": 5, "system": "Be brief.", "messages": claude, "stream": True}),
        ("/v1/messages/count_tokens", {"model": "m", "messages": claude}),
        ("/v1/embeddings", {"model": "m", "input": ["a b", "c"], "dimensions": 8, "encoding_format": "base64"}),
        ("/v1/embeddings", {"model": "m", "input": [[1, 2], [3]]}),
        ("/v1/moderations", {"input": [{"type": "text", "text": "Hi"}]}),
    ]
    return [json.dumps(path).encode() + b"\n" + json.dumps(body).encode() for path, body in bodies]


def _raw() -> list[bytes]:
    found = []
    for data in _corpus():
        path, _, body = data.partition(b"\n")
        head = b"POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer k\r\n" % json.loads(path).encode()
        found.append(head + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        found.append(head + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % len(body) + body + b"\r\n0\r\n\r\n")
    return [*found, b"GET /v1/models HTTP/1.1\r\nanthropic-version: 1\r\n\r\n", b"HEAD / HTTP/1.0\r\n\r\n"]


def _desk() -> Desk:
    return Desk([script([reply("Hello."), call_tool("look", {"id": 7})], then_repeats=reply("Hi"))], None, None)


def _ask(data: bytes) -> Any:
    line, _, body = data.partition(b"\n")
    try:
        path = str(json.loads(line)).encode("latin-1", "replace").decode("latin-1")  # as it comes out of a connection
    except (ValueError, RecursionError):
        return
    desk = _desk()
    answers: list[Sending] = []
    for _ in range(2):
        desk.take("POST", path, {"authorization": "Bearer k"}, body, lambda sent: answers.append(sent) or True)
    for answer in answers:
        pieces = [piece.encode("utf-8", "replace") for piece in answer.pieces]
        if not answer.streamed:
            json.loads(b"".join(pieces))
    _look(desk)


class _Connection(connections._Connection):
    timeout: ClassVar = 0.01


def _send(data: bytes) -> Any:
    """Bytes over a connection, in one thread: what was sent waits in the buffers of the system, and so does the answer."""
    desk = _desk()
    ours, theirs = socket.socketpair()
    with ours, theirs, mock.patch.object(connections, "_DRAINED", 0.01), contextlib.suppress(OSError):
        for one in (ours, theirs):
            one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4_000_000)
        ours.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            ours.send(data)
        _Connection(theirs, ("127.0.0.1", 0), SimpleNamespace(desk=desk))
        theirs.close()
        answer = b""
        while part := ours.recv(1_000_000):
            answer += part
        if answer and not answer.startswith(b"HTTP/1.1 "):
            raise AssertionError(f"the answer is no HTTP: {answer[:40]!r}")
    _look(desk)


def _look(desk: Desk) -> None:
    if desk.player.errors:
        raise desk.player.errors[0]
    for request in desk.requests:
        printable("a request", "".join((repr(request), *described(request))))
        assert isinstance((request.model, request.system_text, request.last_user_text, request.tool_results), tuple)
    problem = script_error(desk.player, desk.requests)
    printable("what leaving the block says", str(problem))


TARGETS: Final = (
    Target(name="request-bodies", run=_ask, allowed=(), corpus=_corpus, form="lines", words=_WORDS),
    Target(
        name="connections",
        run=_send,
        allowed=(),
        corpus=_raw,
        form="text",
        words=(
            *_WORDS,
            "Content-Length: 5",
            "Content-Length: -1",
            "Transfer-Encoding: chunked",
            "Content-Encoding: gzip",
            "Expect: 100-continue",
        ),
        events=("socket.__new__", "socket.bind", "socket.getaddrinfo"),
        largest=150_000,
    ),
)
