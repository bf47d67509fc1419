"""Hooks of Agno's users around a function: whether it ran, and with what."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("agno")

from agno.exceptions import StopAgentRun

from agentassert import Outcome, assert_that, run
from tests.adapters.agno_parts import agent, executed, gated, refund
from tests.adapters.scenarios.parts import recording
from tests.scripted.agno import asks_for


def passing(function_name, function_call, arguments):
    return function_call(**arguments)


async def passing_async(function_name, function_call, arguments):
    return await function_call(**arguments)


def denying(function_name, function_call, arguments):
    return "denied"


async def denying_async(function_name, function_call, arguments):
    return "denied"


def breaking(function_name, function_call, arguments):
    raise PermissionError("denied")


async def wire(amount: int) -> str:
    """Wire money."""
    return f"wired {amount}"


def count(amount: int):
    """Count money."""
    yield "counted "
    yield str(amount)


async def count_async(amount: int):
    """Count money."""
    yield "counted "
    yield str(amount)


def asked(function, *hooks, is_async, **options):
    name = getattr(function, "name", None) or function.__name__
    asking = agent(asks_for((name, {"amount": 5}, "c1")), "done", tools=[function], tool_hooks=list(hooks), **options)
    with recording() as cap:
        asyncio.run(asking.arun("hi")) if is_async else asking.run("hi")
    return cap


@pytest.mark.parametrize(
    ("function", "hook", "is_async"),
    [
        (refund, denying, False),
        (refund, breaking, False),
        (refund, denying, True),
        (refund, denying_async, True),
        (wire, denying_async, True),
        (count, denying, False),
    ],
)
def test_a_function_that_a_hook_keeps_from_running_was_requested_never_executed(function, hook, is_async):
    cap = asked(function, hook, is_async=is_async)

    assert_that(cap).has_tool_requested(function.__name__).has_no_tool_executions()


@pytest.mark.parametrize(
    ("function", "hook", "is_async", "result"),
    [
        (refund, passing, False, "paid 5"),
        (refund, passing, True, "paid 5"),
        (refund, passing_async, True, "paid 5"),
        (wire, passing_async, True, "wired 5"),
        (count, passing, False, "counted 5"),
        (count_async, passing_async, True, "counted 5"),
    ],
)
def test_a_function_that_hooks_let_through_has_run(function, hook, is_async, result):
    cap = asked(function, hook, is_async=is_async)

    assert_that(cap).has_tool_executed_with(function.__name__, {"amount": 5}).results_of(function.__name__).is_equal_to([result])


def test_an_execution_holds_the_arguments_that_a_hook_made_of_those_asked_for():
    def capped(function_name, function_call, arguments):
        arguments["amount"] = 1
        return function_call(**arguments)

    cap = asked(refund, capped, is_async=False)

    assert_that(cap).has_tool_executed_with("refund", {"amount": 1})
    assert [one.arguments for one in cap.invocation.tool_execution_requests] == [{"amount": 5}]


def test_a_hook_before_the_function_that_ends_the_run_keeps_it_from_running():
    def stop(fc):
        raise StopAgentRun("no")

    assert_that(asked(gated(refund, pre_hook=stop), is_async=False)).has_no_tool_executions()
    assert_that(asked(gated(refund, pre_hook=lambda fc: None), is_async=False)).has_tool_executed("refund")


def test_a_hook_decides_about_a_double_too():
    for hook, ran in ((passing, [("refund", Outcome.SUCCEEDED)]), (denying, [])):
        asking = agent(asks_for(("refund", {"amount": 5}, "c1")), "done", tools=[refund], tool_hooks=[hook])
        assert executed(run(asking, "hi", mocks={"refund": lambda amount: "mocked"})) == ran


def test_the_agent_itself_keeps_the_hooks_and_the_function_that_it_had():
    function = gated(refund, pre_hook=lambda fc: None)
    before = function.entrypoint

    asked(function, passing, is_async=False)

    assert function.entrypoint is before


def test_a_result_that_is_known_is_cached(tmp_path):
    kept = gated(refund, cache_results=True, cache_dir=str(tmp_path))
    for hooks in ([], [passing]):
        asking = [asks_for(("refund", {"amount": 5 + len(hooks)}, f"c{number}")) for number in range(2)]
        with recording() as cap:
            agent(*asking, "done", tools=[kept], tool_hooks=hooks).run("hi")
        assert [(one.outcome, one.cached) for one in cap.invocation.tool_executions] == [
            (Outcome.SUCCEEDED, False),
            (Outcome.SUCCEEDED, True),
        ]
