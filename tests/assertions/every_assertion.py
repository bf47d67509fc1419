"""Every method of the chain that asserts or navigates, with arguments for which it fails on an invocation without anything."""

from __future__ import annotations

from typing import Any

from agentassert import ChatModelCall, Judge
from agentassert.judges import RatingJudge

ASSERTIONS: dict[str, tuple[Any, ...]] = {
    "arguments_of": ("pay",),
    "chat_model_call": (0,),
    "executed_tool_names": (),
    "has_approval_requested": ("pay",),
    "has_duration_at_most": (1,),
    "has_failed_with": (KeyError,),
    "has_failed_with_message_containing": ("x",),
    "has_finish_reason": ("stop",),
    "has_grounded_output": (1,),
    "has_model_call_count": (ChatModelCall, 7),
    "has_nested_invocation": ("reader",),
    "has_nested_invocation_satisfying": ("reader", lambda nested: True),
    "has_nested_invocation_times": ("reader", 7),
    "has_no_failed_tool_executions": (),
    "has_no_more_tool_executions": (),
    "has_no_pending_approvals": (),
    "has_no_repeated_tool_executions": (),
    "has_no_retrieved_sources": (),
    "has_no_tool_executions": (),
    "has_no_tool_requested": (),
    "has_own_chat_model_call_count": (7,),
    "has_own_chat_model_call_count_at_most": (7,),
    "has_relevant_output": (1,),
    "has_retrieved_source_containing": ("x",),
    "has_succeeded": (),
    "has_tool_approved": ("pay",),
    "has_tool_executed": ("pay",),
    "has_tool_executed_times": ("pay", 7),
    "has_tool_executed_times_at_least": ("pay", 7),
    "has_tool_executed_times_at_most": ("pay", 7),
    "has_tool_executed_with": ("pay", {"n": 1}),
    "has_tool_executed_with_exactly": ("pay", {"n": 1}),
    "has_tool_execution_cancelled": ("pay",),
    "has_tool_execution_failed": ("pay",),
    "has_tool_finished_before": ("pay", "ship"),
    "has_tool_rejected": ("pay",),
    "has_tool_requested": ("pay",),
    "has_tools_executed_exactly_in_any_order": ("pay",),
    "has_tools_executed_exactly_in_order": ("pay",),
    "has_tools_executed_in_order": ("pay",),
    "has_total_tokens_at_most": (1,),
    "matches_snapshot": ("nothing",),
    "meets": (),
    "nested_invocation": ("reader",),
    "output": (),
    "output_at": ("$.a",),
    "output_satisfies": ("is polite",),
    "output_text": (),
    "results_of": ("pay",),
    "satisfies": ("output_text == 'x'",),
    "tool_executions": (),
    "was_blocked": (),
    "was_cancelled": (),
}
_RATING = RatingJudge(lambda prompt: '{"reasoning": "", "rating": 1}')
_JUDGE = Judge(lambda prompt: '{"assessments": [{"criterion": 1, "reasoning": "", "verdict": "not_satisfied"}]}')
KEYWORDS: dict[str, dict[str, Any]] = {
    "has_grounded_output": {"judge": _RATING},
    "has_relevant_output": {"judge": _RATING},
    "meets": {"expected_tool_calls": ["pay"]},
    "output_satisfies": {"judge": _JUDGE},
}
UNGATED = ("has_failed_with", "has_failed_with_message_containing", "meets", "satisfies", "was_blocked", "was_cancelled")
"""They say how an invocation ended, so they look at one that did not complete."""
UNSCOPED = (
    *UNGATED,
    "has_duration_at_most",
    "has_finish_reason",
    "has_nested_invocation",
    "has_nested_invocation_satisfying",
    "has_nested_invocation_times",
    "has_relevant_output",
    "has_succeeded",
    "nested_invocation",
    "output",
    "output_at",
    "output_satisfies",
    "output_text",
)
"""They are about one invocation, so they need no scope."""
NO_ASSERTIONS = {"described_as", "including_nested", "includingNested", "top_level_only", "topLevelOnly", "whole_capture"}


def misfits(methods, rows, table):
    """What is to be done about a table that has a row for each method, and no others; `table` says where it is and what it holds."""
    return [
        *(f"{name} has no row in {table}" for name in sorted({*methods} - {*rows})),
        *(f"{name} is no such method: take its row out of {table}" for name in sorted({*rows} - {*methods})),
    ]


def call(chain, method):
    """Call the method with its arguments."""
    return getattr(chain, method)(*ASSERTIONS[method], **KEYWORDS.get(method, {}))
