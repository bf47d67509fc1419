"""What it takes to load spans: as much for each of many as for each of few, side by side or one within the other."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from agentassert import Capture
from tests.benchmarks.measuring import Measurement, ratio, rounds_of, seconds_of

Document = dict[str, Any]
_START_NS = 1_700_000_000_000_000_000


def measure(*, quick: bool) -> Iterator[Measurement]:
    few = 1_000 if quick else 10_000
    yield _linear("side by side", side_by_side, few, rounds=1)
    yield _linear("each within the one before", one_within_the_other, few, rounds=1)


def side_by_side(count: int, said: str = "I look it up.") -> Document:
    """An agent's model calls, which answer what is `said`, and tool executions, in turn."""
    answer = json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": said}]}])
    call = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "small", "gen_ai.output.messages": answer}
    spans = [_span(0, None, {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "clerk"}, 10 * count)]
    for number in range(1, count):
        arguments = json.dumps({"number": f"MS-{number}"})
        tool = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "get_booking",
            "gen_ai.tool.call.arguments": arguments,
        }
        spans.append(_span(number, 0, tool if number % 2 else call, 10 * number + 5))
    return _document(spans)


def one_within_the_other(count: int) -> Document:
    """Tools that run tools."""
    spans = []
    for number in range(count):
        tool = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": f"tool_{number}"}
        spans.append(_span(number, number - 1 if number else None, tool, 20 * count - number))
    return _document(spans)


def _span(number: int, parent: int | None, attributes: dict[str, str], ended: int) -> Document:
    return {
        "traceId": f"{1:032x}",
        "spanId": f"{number + 1:016x}",
        "parentSpanId": "" if parent is None else f"{parent + 1:016x}",
        "name": attributes["gen_ai.operation.name"],
        "startTimeUnixNano": str(_START_NS + 10 * number),
        "endTimeUnixNano": str(_START_NS + ended),
        "attributes": [{"key": name, "value": {"stringValue": value}} for name, value in attributes.items()],
    }


def _document(spans: list[Document]) -> Document:
    return {"resourceSpans": [{"scopeSpans": [{"scope": {"name": "benchmark"}, "spans": spans}]}]}


def _linear(how: str, documents: Callable[[int], Document], few: int, rounds: int) -> Measurement:
    def loaded(document: Document) -> float:
        return seconds_of(lambda: Capture.from_otlp(document).invocations)

    many, less = documents(10 * few), documents(few)
    measured = rounds_of(lambda: loaded(many), lambda: loaded(less), rounds=rounds)
    return Measurement(what=f"{10 * few:,} spans {how}, loaded and built, against {few:,}", value=ratio(measured), goal=12)
