"""What the lines of the migration pages are about: captures on which they hold, and captures on which they do not."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from agentassert import Capture, capture, record

LOOK_UP = ("get_booking", {"booking_number": "MS-777"})
CANCEL = ("cancel_booking", {"booking_number": "MS-777", "seats": 2})
DELETE = ("delete_account", {"customer": "Ann"})


def recorded(
    *,
    tools: Iterable[tuple[str, Mapping[str, Any]]] = (),
    failing: Iterable[str] = (),
    sources: Iterable[str] = (),
    nested: str | None = None,
    output: str | None = None,
    calls: int = 1,
    tokens: int = 10,
    finish_reason: str = "stop",
    error: Exception | None = None,
) -> Capture:
    """A run of an agent that did exactly this."""
    with (
        capture(expecting_failure=error is not None) as made,
        record.invocation("assistant", input="Cancel MS-777") as invocation,
    ):
        for _ in range(calls):
            with record.model_call("small") as call:
                call.respond("Hello", finish_reason=finish_reason, input_tokens=tokens, output_tokens=tokens)
        record.sources(list(sources))
        for name, arguments in tools:
            record.tool_execution(name, arguments, result="ok")
        for name in failing:
            record.tool_execution(name, {}, error=TimeoutError("no answer"))
        if nested is not None:
            with record.invocation(nested, input={"topic": "refund"}):
                record.tool_execution("search", {}, result="ok")
        if error is not None:
            raise error
        invocation.output = output
    return made


def cancelling() -> Capture:
    """A look-up, a cancellation, a source, and an answer that says so."""
    return recorded(tools=[LOOK_UP, CANCEL], sources=["Who cancels gets a refund."], output="Cancelled.")


def quiet() -> Capture:
    """Two model calls, which ended for want of tokens, and no tool."""
    return recorded(output="Hello", calls=2, tokens=5_000, finish_reason="length")


def repeating() -> Capture:
    """A minute of the same thing five times, the last of them in vain, and of something that nobody asked for."""
    made = recorded(
        tools=[*[LOOK_UP] * 4, DELETE], failing=["get_booking"], sources=["The office is closed."], output="Hello", calls=5
    )
    stored = json.loads(made.to_json())
    stored["invocations"][0]["duration"] = 60
    return Capture.from_json(json.dumps(stored))


def team() -> Capture:
    """A look-up of its own, and a nested agent that searches."""
    return recorded(tools=[LOOK_UP], nested="helper", output="Done.")


def sure(prompt: str) -> str:
    """A judge's model, to which all is well but what says `[rude]`."""
    verdict = "not_satisfied" if "[rude]" in prompt else "satisfied"
    return json.dumps({"assessments": [{"criterion": 1, "reasoning": "As it says.", "verdict": verdict}]})
