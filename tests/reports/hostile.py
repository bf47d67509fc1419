"""A capture that nobody would want to look at."""

from __future__ import annotations

from collections.abc import Mapping

from agentassert import capture, record

MARKUP = "<script>alert('x')</script><img src=x onerror=alert(1)>\"'&"
CONTROL = "\x1b[31mred\x00\r\b\u202e\u2028\x9b2J"
SURROGATE = "\udc80"
SECRET = "sk-abcdefgh12345678"
HUGE = "y" * 3_000_000
TEXTS = (MARKUP, CONTROL, SURROGATE, SECRET)


class Spiteful:
    """Every question to it raises."""

    def __repr__(self):
        raise RuntimeError("no")

    __str__ = __repr__
    __html__ = __repr__

    def __eq__(self, other):
        raise RuntimeError("no")

    def __hash__(self):
        raise RuntimeError("no")


class Bottomless(Mapping):
    """A mapping that cannot be read."""

    def __getitem__(self, key):
        raise RuntimeError("no")

    def __iter__(self):
        raise RuntimeError("no")

    def __len__(self):
        return 3


class SpitefulError(Exception):
    """Has no text."""

    def __str__(self):
        raise RuntimeError("no")


def circular():
    loop = []
    loop.append(loop)
    return loop


def hostile_capture(*, fails=False):
    """Markup, control characters, lone surrogates, secrets and megabytes, in every place that holds a text."""
    everything = "".join(TEXTS)
    values = {
        everything: everything,
        "huge": HUGE,
        "api_key": "hunter2-in-the-clear",
        "spiteful": Spiteful(),
        "bottomless": Bottomless(),
        "circular": circular(),
        "deep": nested(5_000),
        "nan": float("nan"),
        "bytes": b"\xff" * 100_000,
    }
    with capture(everything, expecting_failure=fails) as cap, record.invocation(everything, input=values) as invocation:
        record.sources([everything, HUGE])
        with record.model_call(everything, messages=[{"role": everything, "content": everything}]) as call:
            request = {"name": everything, "arguments": {everything: everything}}
            call.respond(everything, finish_reason=everything, tool_execution_requests=[request])
        record.approval(everything, {everything: HUGE}, decision="reject", reason=everything)
        record.slot(everything, everything)
        record.slot("api_key", "hunter2-in-a-slot")
        record.tool_execution(everything, values, result=values)
        record.tool_execution(everything, {}, result=HUGE)
        record.tool_execution(everything, {}, error=SpitefulError())
        record.tool_execution(everything, {}, error=ValueError(everything))
        invocation.output = everything
        if fails:
            raise ValueError(everything) from SpitefulError()
    cap.doubt(everything)
    return cap


def nested(depth):
    value = "end"
    for _ in range(depth):
        value = [value]
    return value
