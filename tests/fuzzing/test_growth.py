"""Inputs that are long where a reader could be slow: what it takes grows with the size, and no faster. Too long to be kept as files."""

from __future__ import annotations

import gzip
import json
import time

import pytest

from agentassert import Capture, MessageError, SpanError, StoredCaptureError, capture, record
from agentassert.snapshots.placeholders import found
from agentassert.snapshots.reading import read
from agentassert.stored import compressed
from agentassert.storing import conversations
from agentassert.storing.pieces import pieces_in
from agentassert.storing.reading import capture_of
from tests.fuzzing.samples import captures

TWICE = "{" + ",".join(f'"k{number}":1' for number in range(30_000)) + ',"k29999":2}'
USER = {"role": "user", "content": "x"}
CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "ok"}


def stored_with(value):
    document = json.loads(captures()[1].to_json())
    document["invocations"][0]["input"] = value
    return json.dumps(document)


def spans_with(attributes, events=()):
    def entries(given):
        return [{"key": key, "value": value} for key, value in given.items()]

    span = {"traceId": "1" * 32, "spanId": "2" * 16, "name": "chat", "startTimeUnixNano": "5", "endTimeUnixNano": "9"}
    told = [{"name": name, "attributes": entries(given)} for name, given in events]
    return {"resourceSpans": [{"scopeSpans": [{"spans": [{**span, "attributes": entries(attributes), "events": told}]}]}]}


def refused(error, ask, *given):
    with pytest.raises(error):
        ask(*given)


CHAT = {"gen_ai.operation.name": {"stringValue": "chat"}}


def executed_under_one_id():
    """Requests of one response that share an id, each of which was executed."""
    with capture() as cap, record.invocation("support"):
        with record.model_call("small", messages="x") as call:
            call.respond(
                tool_execution_requests=[
                    {"name": "t", "arguments": {"i": number % 7}, "call_id": "c1"} for number in range(8_000)
                ]
            )
        for number in range(8_000):
            record.tool_execution("t", {"i": number % 7}, call_id="c1")
    return cap.invocations


LONG = {
    "a key twice in a capture": lambda: refused(ValueError, Capture.from_json, TWICE),
    "a key twice in a snapshot": lambda: refused(
        ValueError, read, f"# agentassert trajectory 1\na: completed\n  b {TWICE}\n", "f"
    ),
    "much below a long key": lambda: Capture.from_json(stored_with({"k" * 500_000: [[] for _ in range(50_000)]})),
    "drives in a path": lambda: found("C:/" * 20_000),
    "temporary folders in a path": lambda: found("C:\\temp\\" * 20_000),
    "attributes without a value": lambda: Capture.from_otlp(
        spans_with(CHAT, [("gen_ai.user.message", {f"k{number}": {} for number in range(30_000)})])
    ),
    "executions under one call id": executed_under_one_id,
    "results one by one": lambda: Capture.from_messages(
        [USER, {"role": "assistant", "content": None, "tool_calls": [CALL] * 3_000}, *[RESULT] * 3_000]
    ),
}


@pytest.mark.parametrize("make", LONG.values(), ids=LONG)
def test_what_is_long_takes_no_longer_than_its_length(make):
    started = time.thread_time()
    make()
    assert time.thread_time() - started < 10  # with what grows as the square of it, each took longer


def test_a_list_of_too_many_answers_is_refused_before_it_fills_the_memory(monkeypatch):
    monkeypatch.setattr(conversations, "_MOST_SENT", 100)
    few = [USER, {"role": "assistant", "content": "Hi"}] * 10

    assert len(Capture.from_messages(few).invocation.own_chat_model_calls) == 10
    with pytest.raises(MessageError, match="messages: there are too many: every answer is recorded with all messages before it"):
        Capture.from_messages(few + few[:2])


@pytest.mark.parametrize(
    ("error", "ask"),
    [
        (SpanError, Capture.from_otlp),
        (StoredCaptureError, Capture.load),
        (StoredCaptureError, lambda file: list(Capture.load_all(file))),
        (StoredCaptureError, lambda file: [capture_of(piece) for piece in pieces_in(str(file))]),
    ],
)
def test_a_small_file_that_unpacks_to_a_huge_one_is_refused(tmp_path, monkeypatch, error, ask):
    monkeypatch.setattr(compressed, "UNPACKED", 100_000)
    file = tmp_path / "huge.json"
    file.write_bytes(gzip.compress(b" " * 10_000_000))

    with pytest.raises(error, match=r"huge\.json(:1)?: unpacks to more than [0-9,]+ bytes, which no recording does"):
        ask(file)


def test_what_recordings_unpack_to_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(compressed, "UNPACKED", 100)
    text = "".join(f"{one.to_json()}\n" for one in captures()) * 100
    file = tmp_path / "all.jsonl"
    file.write_bytes(gzip.compress(text.encode()))

    assert len(list(Capture.load_all(file))) == 300
