"""agentevals: its trajectory match, over messages in the form of the OpenAI SDK."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from agentevals.trajectory.match import create_trajectory_match_evaluator
from trajectories import Call, executed, shuffled
from worker import Runs, timed

Messages = list[dict[str, Any]]


def _messages(calls: Sequence[Call]) -> Messages:
    """A question, then each call in a message of its own with the tool's answer, then what the agent says."""
    messages: Messages = [{"role": "user", "content": "Do it"}]
    for number, (name, arguments) in enumerate(calls):
        called = {"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        messages += [
            {"role": "assistant", "content": "", "tool_calls": [called]},
            {"role": "tool", "tool_call_id": f"call_{number}", "content": "ok"},
        ]
    return [*messages, {"role": "assistant", "content": "Done"}]


def _matched(mode: str, arguments: str, expected: Callable[[int], Sequence[Call]]) -> Callable[[int], Runs]:
    def prepare(size: int) -> Runs:
        outputs, reference = _messages(executed(size)), _messages(expected(size))

        def check(outputs: Messages) -> bool:
            evaluate = create_trajectory_match_evaluator(trajectory_match_mode=mode, tool_args_match_mode=arguments)
            return evaluate(outputs=outputs, reference_outputs=reference)["score"]

        return timed(lambda: outputs, check)

    return prepare


CELLS = {
    "executed": _matched("superset", "ignore", lambda size: executed(size)[-1:]),
    "exactly in order": _matched("strict", "ignore", executed),
    "in any order": _matched("unordered", "ignore", shuffled),
    "in any order, with arguments": _matched("unordered", "exact", shuffled),
}
