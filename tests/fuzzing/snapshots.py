"""Trajectory snapshots, edited by hand."""

from __future__ import annotations

from typing import Any, Final

from agentassert import AgentAssertionError, Capture, assert_that, capture, record
from agentassert.snapshots.reading import read
from agentassert.snapshots.writing import written
from tests.fuzzing.targets import Target
from tests.fuzzing.using import FOLDER

_TEXT: Final = """# agentassert trajectory 1

shop: completed
  look {"id": "<uuid 1>", "at": "<timestamp>"}
  in any order:
    pay {
      "amount": 3,
      "to": ["Ann", "<uuid 1>"]
    } -> failed TimeoutError
    "notify customer" {} -> "ok <hex>"
      writer: failed ValueError
        draft {"path": "<temp path>/a.txt"} -> {"a": null}
  look -> unanswered
# a comment
"""
_WORDS: Final = (
    *(
        "<uuid>",
        "<uuid 2>",
        "<literal uuid>",
        "<timestamp>",
        "<address 999999999>",
        "in any order:",
        "-> failed",
        "-> succeeded",
        "-> ",
    ),
    *(
        "completed",
        "failed",
        "unanswered",
        ": completed",
        "# agentassert trajectory 1",
        "<<<<<<< HEAD",
        "=======",
        "\t",
        "  ",
        "    ",
    ),
    *(
        "123e4567-e89b-42d3-a456-426614174000",
        "2026-01-02T10:00:00.5Z",
        "C:/" * 3_000,
        "C:\\a\\temp" * 500,
        "/tmp/tmpabcdefgh/x",
        "at 0xdeadbeef",
    ),
    *("{", "}", '"', '{"a": 1, "a": 2}', "null", "[" * 90 + "]" * 90, "[" * 150 + "]" * 150, '"a" ' * 5, "é: completed"),
)


def _ran() -> Capture:
    with capture() as cap, record.invocation("shop"):
        record.tool_execution("look", {"id": "123e4567-e89b-42d3-a456-426614174000", "at": "2026-01-02T10:00:00.5Z"})
        record.tool_execution(
            "pay", {"amount": 3, "to": ["Ann", "123e4567-e89b-42d3-a456-426614174000"]}, error=TimeoutError("x")
        )
        record.tool_execution("notify customer", {}, result="ok 0123456789abcdef01")
        record.tool_execution("look", {"id": "C:/temp/x"})
    return cap


_CAPTURE: Final = _ran()


def _compare(data: bytes) -> Any:
    (FOLDER / "edited.trajectory").write_bytes(data)
    for mode in ("strict", "unordered", "subset", "superset"):
        try:
            assert_that(_CAPTURE).including_nested().matches_snapshot(
                "edited", directory=FOLDER, mode=mode, results=True, ignoring=["look:$.at"]
            )
        except AgentAssertionError as error:
            if len(str(error)) > 100_000 and len(str(error)) > 4 * len(data):
                raise
    text = data.decode()
    once = written(read(text, "edited"))
    if written(read(once, "edited")) != once:
        raise AssertionError(f"what is read is not what was written: {once!r}")


TARGETS: Final = (
    Target(
        name="snapshots",
        run=_compare,
        allowed=(ValueError,),
        corpus=lambda: [_TEXT.encode(), _TEXT.replace("\n", "\r\n").encode(), b"\xef\xbb\xbf" + _TEXT.encode()],
        form="text",
        words=_WORDS,
        folder=FOLDER,
        seconds=1.0,
        seconds_per_mb=60.0,  # it is compared in four modes
    ),
)
