"""What captures weigh, beside the JSON text that they are stored as."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

from agentassert import Capture, assert_that, capture, record
from tests.benchmarks.measuring import Measurement


def measure(*, quick: bool) -> Iterator[Measurement]:
    executions = 2_000 if quick else 20_000
    _asserted(_captured(10))  # what is imported and kept on first use
    Capture.from_json(_captured(10).to_json())
    live = _held(lambda: _asserted(_captured(executions)))
    text = _captured(executions).to_json()
    loaded = _held(lambda: _asserted(Capture.from_json(text)))
    for what, held in (("captured, built and asserted on", live), ("loaded and asserted on", loaded)):
        note = f"{held / executions:,.0f} bytes against {len(text) / executions:,.0f} characters"
        yield Measurement(what=f"memory for each execution, {what}, beside its JSON", value=held / len(text), goal=2, note=note)
    peak = _held(lambda: Capture.from_json(text), at_most=True)
    yield Measurement(what="memory at most while loading, beside the JSON", value=peak / len(text), goal=5)
    peak = _held(_captured(executions).to_json, at_most=True)
    yield Measurement(what="memory at most while storing, beside the JSON", value=peak / len(text), goal=5)


def _captured(executions: int) -> Capture:
    """Executions as agents have them, no two alike: strings and numbers in, an object out."""
    with capture() as cap, record.invocation("support"):
        for number in range(executions):
            booking = f"MS-{number}"
            result = {"status": "confirmed", "from": "Oslo", "to": "Kiel", "price": 129.5 + number, "booking_number": booking}
            arguments = {"booking_number": booking, "customer": f"Ann Berg {number}", "passengers": number % 7}
            record.tool_execution("get_booking_details", arguments, result=result)
    return cap


def _asserted(cap: Capture) -> Capture:
    assert_that(cap).has_tool_executed("get_booking_details")
    return cap


def _held(make: Callable[[], Any], *, at_most: bool = False) -> int:
    """The bytes that what is made holds; `at_most` asks for those that making it took, too."""
    gc.collect()
    tracemalloc.start()
    try:
        made = make()
        peak = tracemalloc.get_traced_memory()[1]
        gc.collect()
        held = tracemalloc.get_traced_memory()[0]
        del made
        return peak if at_most else held
    finally:
        tracemalloc.stop()
