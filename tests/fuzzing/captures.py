"""Stored captures: as text, and in files of every form."""

from __future__ import annotations

import gzip
import json
from typing import Final

from agentassert import Capture, StoredCaptureError
from agentassert.storing.pieces import pieces_in
from agentassert.storing.reading import capture_of
from tests.fuzzing import samples
from tests.fuzzing.targets import Target
from tests.fuzzing.using import FOLDER, use

_WORDS: Final = (
    *(
        "$agentassert",
        "number",
        "integer",
        "mapping",
        "not JSON",
        "not recorded",
        "text",
        "NaN",
        "0xff",
        "-0x",
        "builtins.ValueError",
    ),
    *(
        "completed",
        "failed",
        "succeeded",
        "unknown",
        "chat",
        "embedding",
        "record",
        "tool_failures",
        "nested_in",
        "types",
        "2026-01-02T09:00:00",
    ),
    *("agentassert", "messages", "resourceSpans", "spans", "data", "role", "content"),
)


def _corpus() -> list[bytes]:
    return [one.to_json().encode() for one in samples.captures()]


def _files() -> list[bytes]:
    alone = _corpus()
    lists = [json.dumps(one).encode() for one in samples.messages()]
    spans = samples.files("telemetry/data", "*.otlp.json", 20_000)[:2]
    return [
        *(alone + lists + spans),
        b"\n".join(alone),
        b"[" + b",\n".join(alone) + b"]",
        b"\n".join(b'{"messages": ' + one + b"}" for one in lists),
        gzip.compress(alone[1]),
        b"\xef\xbb\xbf" + alone[0] + b"\r\n",
    ]


def _load(data: bytes) -> None:
    use(Capture.from_json(data))


def _read(data: bytes) -> None:
    """The name tells the form, too."""
    file = FOLDER / ("read.jsonl" if len(data) % 2 else "read.json")
    file.write_bytes(data)
    for _, piece in zip(range(20), pieces_in(str(file)), strict=False):
        capture_of(piece).tree()


TARGETS: Final = (
    Target(name="captures", run=_load, allowed=(ValueError,), corpus=_corpus, words=_WORDS),
    Target(
        name="capture-files",
        run=_read,
        allowed=(StoredCaptureError,),
        corpus=_files,
        words=_WORDS,
        folder=FOLDER,
        megabytes=450.0,  # in a list of messages, each answer has all before it, up to 20 million of them
    ),
)
