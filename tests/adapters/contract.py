"""The adapter contract: one list of scenarios, which every adapter passes with its real framework and a scripted model.

What a framework has no way to pass is named by its kit, with the reason, and must fail: a reason that has become wrong is found.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

import pytest

from agentassert import CaptureWarning
from tests.adapters.kits import Kit, UnsupportedError
from tests.adapters.scenarios import approvals, company, models, nesting, running, tools

Scenario: TypeAlias = Callable[[Kit], None]

CONTRACT: Final[dict[str, tuple[Scenario, ...]]] = {
    "Tools": (
        tools.nested_arguments,
        tools.arguments_as_json_text,
        tools.arguments_that_do_not_parse,
        tools.arguments_that_a_tool_changes,
        tools.results,
        tools.several_turns,
        tools.parallel_tools,
        tools.same_request_twice,
        tools.reused_call_ids,
        tools.failure_that_ends_the_agent,
        tools.failure_that_the_model_is_told,
        tools.arguments_of_the_wrong_type,
        tools.unknown_tool,
        tools.retry_by_the_model,
        tools.retry_by_the_framework,
    ),
    "Models": (
        models.input_and_output,
        models.model_calls,
        models.token_usage,
        models.finish_reason,
        models.model_error,
        models.model_error_after_a_tool,
    ),
    "Running": (
        running.run,
        running.run_async,
        running.stream_async,
        running.stream,
        running.stream_that_is_abandoned,
        running.several_runs,
        running.cancellation,
    ),
    "Threads, tasks and captures": (
        running.thread,
        running.pool,
        running.captures_in_threads,
        running.captures_in_tasks,
        running.captures_in_captures,
        running.agent_that_is_left_running,
        running.late_work,
        running.outside_the_block,
    ),
    "Nested agents and sources": (
        nesting.nested_agent,
        nesting.nested_agents_two_deep,
        nesting.nested_agents_side_by_side,
        nesting.nested_failure,
        nesting.handoff,
        nesting.handwritten_agent_around,
        nesting.handwritten_agent_inside,
        nesting.recorded_tool_inside,
        nesting.retrieval,
        nesting.no_retriever,
    ),
    "Approvals": (
        approvals.approval_pending,
        approvals.approval_given,
        approvals.approval_with_other_arguments,
        approvals.approval_refused,
        approvals.approval_refused_with_a_reason,
        approvals.approval_of_one_among_others,
        approvals.several_approvals,
        approvals.approval_given_in_another_capture,
        approvals.approval_refused_in_another_capture,
        approvals.approval_whose_request_nobody_recorded,
    ),
    "In company": (
        company.hooks_of_the_user,
        company.failures_reach_the_user_unchanged,
        company.fault_at_the_start_of_an_invocation,
        company.fault_at_a_tool,
        company.fault_at_a_model_call,
        company.fault_at_an_end,
        company.hook_that_is_not_there,
        company.instrumentation_after_ours,
        company.instrumentation_before_ours,
    ),
}

SCENARIOS: Final = tuple(scenario for scenarios in CONTRACT.values() for scenario in scenarios)


class StaleReasonError(AssertionError):
    """A kit says that its framework cannot pass a scenario, and it passes."""


def check(kit: Kit, scenario: Scenario) -> None:
    """Run a scenario; what the kit says it cannot pass must fail.

    Raises:
        AssertionError: when it fails, or passes where it cannot.
    """
    reason = kit.cannot.get(scenario.__name__)
    try:
        scenario(kit)
    except (AssertionError, UnsupportedError, CaptureWarning, pytest.fail.Exception) as error:
        if reason is not None:
            return
        if isinstance(error, UnsupportedError):
            error.add_note(f"Name {scenario.__name__!r} in `cannot` of the kit, with the reason that the support matrix gives.")
        raise
    except Exception as error:
        if reason is not None:
            error.add_note(f"The kit says {reason!r}: have it `refuse(...)` what makes the framework raise this.")
        raise
    if reason is None:
        return
    raise StaleReasonError(f"{kit.title} passes {scenario.__name__!r}, of which its kit says: {reason}")


def unknown_reasons(kit: Kit) -> list[str]:
    """The names in `kit.cannot` that are no scenarios."""
    return sorted(kit.cannot.keys() - {scenario.__name__ for scenario in SCENARIOS})
