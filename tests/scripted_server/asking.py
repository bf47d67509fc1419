"""Asking a scripted model without a client of its own."""

from __future__ import annotations

import json
import socket
import urllib.error
import urllib.request
from typing import Any

HELLO = [{"role": "user", "content": "Hello"}]


def post(address: str, body: Any, *, timeout: float = 20.0, **headers: str) -> tuple[int, dict[str, Any]]:
    """The status and the body of the answer."""
    sent = body if isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(address, sent, {name.replace("_", "-"): value for name, value in headers.items()})
    try:
        with urllib.request.urlopen(request, timeout=timeout) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def ask(model: Any, text: str = "Hello", *, timeout: float = 20.0, **fields: Any) -> str | None:
    """What a scripted model says, over chat completions."""
    body = {"model": "m", "messages": [{"role": "user", "content": text}], **fields}
    status, answer = post(f"{model.base_url}/chat/completions", body, timeout=timeout)
    return answer["choices"][0]["message"]["content"] if status == 200 else answer["error"]["message"]


def exchange(model: Any, sent: bytes, *, timeout: float = 20.0) -> bytes:
    """What comes back for bytes, until the server closes the connection."""
    port = int(model.anthropic_base_url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=timeout) as connection:
        connection.sendall(sent)
        received = b""
        while part := connection.recv(65536):
            received += part
        return received
