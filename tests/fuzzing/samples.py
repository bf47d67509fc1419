"""Valid inputs: what tests keep in files, and captures of small agents."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from agentassert import Capture, capture, record

_TESTS: Final = Path(__file__).parent.parent


def files(folder: str, pattern: str, largest: int = 100_000) -> list[bytes]:
    """The contents of files below `tests`."""
    found = [file.read_bytes() for file in sorted((_TESTS / folder).glob(pattern))]
    if not found:
        raise ValueError(f"there is no {pattern} in {folder}")
    return [data for data in found if len(data) <= largest]


def captures() -> list[Capture]:
    """One of each kind: nothing, a tool, a failure, nested agents, model calls, sources and approvals, strays."""
    with capture("empty") as empty:
        pass
    with capture("simple") as simple, record.invocation("support", input={"number": "MS-777"}) as one:
        record.tool_execution("get_booking", {"number": "MS-777", "token": "sk-secret"}, result={"customer": "Ann", "n": 1.5})
        record.tool_execution("notify", {}, error=TimeoutError("no answer"))
        record.sources(["a source", {"text": "another", "metadata": {"page": 3}, "score": 0.5}])
        record.approval("pay", {"amount": 5}, decision="approve", reason="small")
        one.output = "Done."
    with capture("whole", expecting_failure=True) as whole, record.invocation("triage"):
        with record.invocation("expert", input="Hi") as inner:
            with record.model_call("small", messages=[{"role": "user", "content": "Hi"}]) as call:
                call.respond("Hello", tool_execution_requests=[{"name": "look", "arguments": {"id": 7}, "call_id": "c1"}])
            record.tool_execution("look", {"id": 7}, result=[1, None, float("nan"), {"a": object(), 3: 2**40}])
            inner.output = {"id": 3}
        raise ExceptionGroup("several", [ValueError("a"), KeyError("b")])
    return [empty, simple, whole]


def messages() -> Sequence[list[dict[str, Any]]]:
    """A list of each kind."""
    user = {"role": "user", "content": "MS-777?"}
    asked = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"id": 7}'}}
    use = {"type": "tool_use", "id": "t1", "name": "look", "input": {"id": 7}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "ok"}], "is_error": False}
    called = {"type": "function_call", "call_id": "c1", "name": "look", "arguments": '{"id": 7}'}
    return (
        [
            {"role": "system", "content": "Be brief."},
            user,
            {"role": "assistant", "content": None, "tool_calls": [asked, asked | {"id": "c2"}]},
            {"role": "tool", "tool_call_id": "c1", "content": '{"fee": 12}'},
            {"role": "tool", "tool_call_id": "c2", "content": [{"type": "text", "text": "none"}]},
            {"role": "assistant", "content": "It is confirmed."},
        ],
        [
            user,
            {"role": "assistant", "content": [{"type": "text", "text": "Let me see."}, use], "model": "claude"},
            {"role": "user", "content": [result]},
            {"role": "assistant", "content": "Confirmed."},
        ],
        [
            user,
            {"type": "reasoning", "id": "r1", "summary": []},
            called,
            {"type": "function_call_output", "call_id": "c1", "output": "ok"},
            {"type": "web_search_call", "id": "w1", "status": "completed", "action": {"type": "search", "query": "x"}},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Yes.", "annotations": []}]},
        ],
        [
            {"type": "human", "content": "MS-777?"},
            {"type": "ai", "content": "", "tool_calls": [{"name": "look", "args": {"id": 7}, "id": "c1", "type": "tool_call"}]},
            {"type": "tool", "content": "ok", "tool_call_id": "c1", "status": "error"},
            {"type": "ai", "content": "Yes.", "usage_metadata": {"input_tokens": 3, "output_tokens": 1, "total_tokens": 4}},
        ],
        [
            {"type": "human", "data": {"content": "MS-777?", "type": "human"}},
            {
                "lc": 1,
                "type": "constructor",
                "id": ["langchain", "schema", "messages", "AIMessage"],
                "kwargs": {"type": "ai", "content": "Hi"},
            },
        ],
    )
