"""What reading a long tracker costs, beside parsing its JSON."""

from __future__ import annotations

import itertools
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from agentassert.conversations import Conversation
from tests.benchmarks.measuring import Measurement, ratio, rounds_of, seconds_of

EVENTS = 50_000

_SAMPLE = Path(__file__).parents[1] / "conversations" / "data" / "booking.json"


def measure(*, quick: bool) -> Iterator[Measurement]:
    size = EVENTS // 5 if quick else EVENTS
    with tempfile.TemporaryDirectory() as folder:
        tracker, twice_as_long = _stored(Path(folder) / "one.json", size), _stored(Path(folder) / "two.json", 2 * size)
        measured = rounds_of(
            lambda: seconds_of(lambda: json.loads(tracker.read_bytes())),
            lambda: seconds_of(lambda: Conversation.from_rasa_tracker(tracker)),
            lambda: seconds_of(lambda: Conversation.from_rasa_tracker(twice_as_long)),
            rounds=3 if quick else 7,
        )
    yield Measurement(what=f"reading a tracker of {size:,} events beside parsing its JSON", value=ratio(measured, 1, 0), goal=2)
    yield Measurement(what=f"reading one of {2 * size:,} events beside one of {size:,}", value=ratio(measured, 2, 1), goal=2.5)


def _stored(path: Path, size: int) -> Path:
    sample = json.loads(_SAMPLE.read_text("utf-8"))
    sample["events"] = list(itertools.islice(itertools.cycle(sample["events"]), size))
    path.write_text(json.dumps(sample), "utf-8")
    return path
