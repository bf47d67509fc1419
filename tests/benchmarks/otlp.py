"""What it takes to load a large file of OpenTelemetry's, beside parsing its JSON and nothing else."""

from __future__ import annotations

import gc
import json
import tempfile
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from agentassert import Capture
from tests.benchmarks.measuring import Measurement, fastest, ratio, rounds_of, seconds_of
from tests.benchmarks.spans import side_by_side

MEGABYTE = 1_000_000
_ANSWER = "I look the booking up, and tell you what I find. " * 40


def measure(*, quick: bool) -> Iterator[Measurement]:
    megabytes = 5 if quick else 100
    with tempfile.TemporaryDirectory() as folder:
        yield _beside_json(_written(Path(folder) / "small.json", megabytes, "I look it up."), "small spans", goal=25, quick=quick)
        talkative = _written(Path(folder) / "talkative.json", megabytes, _ANSWER)
        yield _beside_json(talkative, "spans with answers of 2,000 characters", goal=16, quick=quick)
        part = _written(Path(folder) / "part.json", min(megabytes, 10), "I look it up.")
        parsed, loaded = (_peak(load) for load in (lambda: json.loads(part.read_bytes()), lambda: Capture.from_otlp(part)))
        size = part.stat().st_size
        note = f"{loaded / size:.1f} times the file against {parsed / size:.1f}"
        yield Measurement(
            what="memory at most while loading, beside parsing the JSON", value=loaded / parsed, goal=1.1, note=note
        )


def _beside_json(path: Path, spans: str, *, goal: float, quick: bool) -> Measurement:
    measured = rounds_of(
        lambda: seconds_of(lambda: Capture.from_otlp(path).invocations),
        lambda: seconds_of(lambda: json.loads(path.read_bytes())),
        rounds=3 if quick else 1,
    )
    note = f"{fastest(measured):.1f} s against {fastest(measured, 1):.2f} s"
    what = f"{path.stat().st_size / MEGABYTE:.0f} MB of {spans}, loaded and built, beside parsing the JSON"
    return Measurement(what=what, value=ratio(measured), goal=goal, note=note)


def _written(path: Path, megabytes: int, answer: str) -> Path:
    """A file of about this size, one document as the collector's file exporter or a trace store writes it."""
    sample = json.dumps(side_by_side(1_000, answer))
    spans = max(2, megabytes * MEGABYTE * 1_000 // len(sample))
    path.write_text(json.dumps(side_by_side(spans, answer)), "utf-8")
    return path


def _peak(load: Callable[[], Any]) -> int:
    load()  # what is imported and kept on first use
    gc.collect()
    tracemalloc.start()
    try:
        load()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
