"""What stored captures cost: reading them beside reading their JSON alone, and the memory that checking many of them takes."""

from __future__ import annotations

import json
import tempfile
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from agentassert import Capture, capture, record
from agentassert.storing.pieces import pieces_in
from agentassert.suites.stored.choosing import Request, choose
from agentassert.suites.stored.judging import Examiner
from agentassert.suites.stored.workers import reports
from tests.benchmarks.measuring import Measurement, ratio, rounds_of, seconds_of

_SUITE: Final = """
agent: support
tests:
  - {name: refunds, payload: "", expected_tool_calls: [{refund: params.amount == 5}]}
  - {name: never deletes, payload: "", expected_no_tool_calls: [delete]}
"""


def measure(*, quick: bool) -> Iterator[Measurement]:
    count = 300 if quick else 1_000
    text = _stored().to_json()
    with tempfile.TemporaryDirectory() as folder:
        suite, few, many = (f"{folder}/{name}" for name in ("s.yaml", "few.jsonl", "many.jsonl"))
        Path(suite).write_text(_SUITE)
        Path(few).write_text(f"{text}\n" * count)
        Path(many).write_text(f"{text}\n" * count * 4)
        request = Request(suites=(suite,))
        examiner = Examiner(request, choose(request))
        rounds = rounds_of(
            lambda: seconds_of(lambda: Capture.from_json(text), count),
            lambda: seconds_of(lambda: examiner.examine(pieces_in(few))),
            lambda: seconds_of(lambda: json.loads(text), count),
            rounds=3 if quick else 9,
        )
        note = f"{len(text):,} characters"
        yield Measurement(what="a stored capture, beside its JSON alone", value=ratio(rounds, 0, 2), goal=8.0, note=note)
        yield Measurement(what="a line checked by two cases, beside its JSON alone", value=ratio(rounds, 1, 2), goal=15.0)
        _peak(request, few)  # what is imported and kept on first use
        grown = _peak(request, many) / _peak(request, few)
        yield Measurement(what="memory at most for four times as many lines", value=grown, goal=1.1)


def _stored() -> Capture:
    with capture() as cap, record.invocation("support", input="Refund 5") as invocation:
        for _ in range(4):
            with record.model_call("small", messages=[{"role": "user", "content": "x" * 300}]) as call:
                call.respond("It is on its way. " * 5, input_tokens=30, output_tokens=20, finish_reason="stop")
            record.tool_execution("refund", {"amount": 5, "reason": "y" * 200}, result={"fee": 12, "terms": "z" * 300})
        invocation.output = "Done."
    return cap


def _peak(request: Request, file: str) -> int:
    tracemalloc.start()
    try:
        for _ in reports(request, choose(request), [file], 1):
            pass
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
