"""Whatever is sent to a scripted model, it goes on answering, and leaving the block says what was wrong."""

from __future__ import annotations

import json
import random
import socket
import struct
import time

import pytest

from agentassert.scripted import ScriptError, bodies, connections, reply, scripted_model, time_out
from tests.scripted_server.asking import HELLO, ask, exchange, post

GOOD = json.dumps({"model": "m", "messages": HELLO}).encode()
PATH = "/v1/chat/completions"


def head(*headers, method="POST", path=PATH):
    return "\r\n".join([f"{method} {path} HTTP/1.1", "Host: x", *headers, "", ""]).encode("latin-1")


def sized(body, path=PATH):
    return head(f"Content-Length: {len(body)}", path=path) + body


def told(sent, **options):
    """The status that is answered to bytes, and what leaving the block says; the model must still answer afterwards."""
    with pytest.raises(ScriptError) as raised, scripted_model([reply("still here")]) as model:
        answer = exchange(model, sent, **options)
        assert ask(model) == "still here"
    return int(answer.split(b" ")[1]), str(raised.value)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"{", "is no JSON: Expecting"),
        (b"", "is no JSON"),
        (b"\xff\xfe\xfd", "is no JSON"),
        (b"[" * 100_000, "is no JSON: maximum recursion"),
        (b"[]", "the body must be a JSON object, but was []"),
        (b"{}", "'model' must be the name of a model, but was None"),
        (b'{"model": "m"}', "'messages' must be a list of messages, at least one, but was None"),
        (b'{"model": "m", "messages": [7]}', "'messages[0]' must be an object with a 'role', but was 7"),
        (b'{"model": "m", "messages": [{"role": "user"}], "tools": [7]}', "'tools' must be a list of objects, but was [7]"),
    ],
)
def test_a_body_that_is_not_what_it_should_be_is_named(body, words):
    status, said = told(sized(body))

    assert status == 400
    assert words in said


@pytest.mark.parametrize(
    ("path", "body", "words"),
    [
        ("/v1/messages", {"messages": HELLO}, "'max_tokens' must be a whole number"),
        ("/v1/messages", {"messages": [], "max_tokens": 5}, "'messages' must be a list"),
        ("/v1/responses", {}, "'input' must be a text or a list of items"),
        ("/v1/responses", {"input": ["x"]}, "'input[0]' must be an object"),
        ("/v1/responses", {"input": [{"type": ["x"]}]}, "'input[0]' must be an object, and its 'type' a text"),
        ("/v1/embeddings", {"input": ""}, "'input' must be a text or a list, and not be empty"),
        ("/v1/embeddings", {"input": "x", "dimensions": 8_000_000_000}, "'dimensions' must be a whole number from 1 to 16,384"),
        (
            "/v1/embeddings",
            {"input": "x", "dimensions": True},
            "'dimensions' must be a whole number from 1 to 16,384, but was True",
        ),
        ("/v1/embeddings", {"input": ["x"] * 2049}, "'input' must have 2,048 texts at most, but has 2,049"),
        ("/v1/\x9b2J", {}, "POST /v1/\\x9b2J is no address"),
        ("/v1/files", {}, "POST /v1/files is no address of a scripted model, which knows POST …/chat/completions"),
    ],
)
def test_every_address_says_what_it_takes(path, body, words):
    status, said = told(sized(json.dumps({"model": "m", **body}).encode(), path))

    assert status == (400 if path.rpartition("/")[2] in ("messages", "responses", "embeddings") else 404)
    assert words in said


@pytest.mark.parametrize(
    ("sent", "status", "words"),
    [
        (b"\x16\x03\x01\x02\x00 not http at all\r\n\r\n", 400, "a request was refused"),
        (b"GET / HTTP/9.9\r\n\r\n", 505, "a request was refused"),
        (b"GET " + b"/x" * 40_000 + b" HTTP/1.1\r\n\r\n", 414, "a request was refused"),
        (b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 200 + b"\r\n", 431, "a request was refused"),
        (head(method="DELETE"), 501, "Unsupported method ('DELETE')"),
        (head(method="GET", path="/v1/chat/completions"), 404, "GET /v1/chat/completions is no address"),
        (head("Content-Length: 1e3"), 400, "the size of the body is '1e3', which is no number"),
        (head("Content-Length: -5"), 400, "the size of the body is '-5', which is no number"),
        (head("Content-Length: 5", "Content-Length: 6"), 400, "the body has several sizes"),
        (head("Content-Length: 5", "Transfer-Encoding: chunked"), 400, "both a Content-Length and a Transfer-Encoding"),
        (head("Transfer-Encoding: gzip"), 501, "only 'chunked' is understood"),
        (head("Content-Encoding: gzip", "Content-Length: 5") + b"12345", 415, "compressed (gzip)"),
        (head("Transfer-Encoding: chunked") + b"zz\r\n", 400, "the size of the body is 'zz', which is no number"),
        (head("Transfer-Encoding: chunked") + b"2\r\nabc\r\n", 400, "a chunk of the body is longer than it says"),
        (head("Transfer-Encoding: chunked") + b"1" * 2000 + b"\r\n", 400, "a line between the chunks of the body is too long"),
        (head("Transfer-Encoding: chunked") + b"0\r\n" + b"a: b\r\n" * 200, 400, "followed by more than 100 headers"),
        (head("Content-Length: 99999999999"), 413, "the body is larger than 67,108,864 bytes"),
    ],
)
def test_what_is_no_proper_http_is_refused_and_named(sent, status, words, monkeypatch):
    monkeypatch.setattr(connections, "_DRAINED", 0.05)

    answered, said = told(sent)

    assert answered == status
    assert words in said


def test_a_body_that_is_too_large_is_refused_before_all_of_it_has_come(monkeypatch):
    monkeypatch.setattr(bodies, "LARGEST", 1000)
    monkeypatch.setattr(connections, "LARGEST", 1000)
    monkeypatch.setattr(connections, "_DRAINED", 0.05)

    assert told(sized(b"x" * 2000))[0] == 413
    chunks = (b"258\r\n" + b"x" * 600 + b"\r\n") * 2
    assert told(head("Transfer-Encoding: chunked") + chunks)[0] == 413


def test_a_body_in_chunks_is_put_together():
    parts = [GOOD[:10], GOOD[10:11], GOOD[11:]]
    chunks = b"".join(b"%x;name=value\r\n%s\r\n" % (len(part), part) for part in parts)
    with scripted_model([reply("whole")]) as model:
        answer = exchange(model, head("Transfer-Encoding: chunked") + chunks + b"0\r\nTrailer: x\r\n\r\n")

    assert b'"content": "whole"' in answer


def test_a_client_that_leaves_in_the_middle_asked_for_nothing():
    with scripted_model([reply("still here")]) as model:
        port = int(model.anthropic_base_url.rpartition(":")[2])
        for sent in (
            b"",
            b"PO",
            head("Content-Length: 100") + b"{",
            head("Transfer-Encoding: chunked") + b"5\r\nab",
            head("Transfer-Encoding: chunked"),
        ):
            with socket.create_connection(("127.0.0.1", port)) as connection:
                connection.sendall(sent)
        assert ask(model) == "still here"

    assert len(model.requests) == 1


def cut(model, sent):
    """Send bytes, and break the connection off before anything is read."""
    port = int(model.anthropic_base_url.rpartition(":")[2])
    connection = socket.create_connection(("127.0.0.1", port))
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.sendall(sent)
    while not model.requests:
        pass
    connection.close()


def test_a_client_that_breaks_off_before_or_in_its_answer_does_no_harm():
    with scripted_model([time_out()]) as model:
        cut(model, sized(GOOD))
    with scripted_model([], then_repeats=lambda request: reply("word " * 2_000_000)) as model:
        cut(model, sized(GOOD))
        assert ask(model, "still there?").startswith("word ")


def test_a_client_that_sends_nothing_more_is_told_so(monkeypatch):
    monkeypatch.setattr(connections._Connection, "timeout", 0.2)

    status, said = told(head("Content-Length: 100") + b"{")

    assert status == 408
    assert "POST /v1/chat/completions sent nothing for 0.2 seconds" in said


def test_a_client_that_sends_slowly_is_heard_out():
    with scripted_model([reply("whole")]) as model:
        port = int(model.anthropic_base_url.rpartition(":")[2])
        sent = sized(GOOD)
        with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
            for start in range(0, len(sent), 20):
                connection.sendall(sent[start : start + 20])
                time.sleep(0.005)
            assert b'"content": "whole"' in connection.makefile("rb").read()


def test_what_is_sent_after_a_request_shortens_no_waiting():
    with scripted_model([reply("late", latency=0.3)]) as model:
        port = int(model.anthropic_base_url.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
            connection.sendall(sized(GOOD))
            begun = time.monotonic()
            while not model.requests:
                pass
            connection.sendall(b"\r\n")
            assert b'"content": "late"' in connection.makefile("rb").read()

    assert time.monotonic() - begun >= 0.25


def test_a_result_with_an_id_that_is_no_text_is_of_no_known_tool():
    messages = [{"role": "tool", "tool_call_id": ["c1"], "content": "x"}]
    with scripted_model([lambda request: reply(repr(request.tool_results[0].name))]) as model:
        assert ask(model, messages=messages) == "None"


def test_a_client_of_http_1_0_is_answered():
    with scripted_model([reply("whole")]) as model:
        answer = exchange(model, sized(GOOD).replace(b"HTTP/1.1", b"HTTP/1.0"))

    assert b'"content": "whole"' in answer


def test_addresses_may_have_a_prefix_and_a_query():
    with scripted_model([reply("azure"), reply("doubled")]) as model:
        body = {"model": "m", "messages": HELLO}
        azure = f"{model.anthropic_base_url}/openai/deployments/gpt/chat/completions?api-version=1"
        assert post(azure, body)[1]["choices"][0]["message"]["content"] == "azure"
        assert post(f"{model.base_url}/v1/messages", body | {"max_tokens": 5})[1]["content"][0]["text"] == "doubled"


def test_many_problems_are_counted():
    with pytest.raises(ScriptError, match="… 2 more …"), scripted_model([]) as model:
        for _ in range(7):
            post(f"{model.base_url}/files", {})


def test_random_bytes_never_bring_the_server_down(monkeypatch):
    monkeypatch.setattr(connections._Connection, "timeout", 0.2)
    monkeypatch.setattr(connections, "_DRAINED", 0.05)
    rng = random.Random(7)
    seeds = [sized(GOOD), head("Transfer-Encoding: chunked") + b"5\r\nabcde\r\n0\r\n\r\n", head(method="GET", path="/v1/models")]
    with pytest.raises(ScriptError), scripted_model([], then_repeats=reply("x")) as model:
        for _ in range(60):
            sent = bytearray(rng.choice(seeds))
            for _ in range(rng.randint(1, 6)):
                sent[rng.randrange(len(sent))] = rng.randrange(256)
            port = int(model.anthropic_base_url.rpartition(":")[2])
            with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
                connection.sendall(bytes(sent))
        assert ask(model) == "x"
