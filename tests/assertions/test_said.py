"""What an assertion is called, where a chain says what passed, and where it refuses an argument."""

from __future__ import annotations

import pytest

from agentassert import (
    ChatModelCall,
    FinishReason,
    InvocationAssertion,
    Judge,
    Status,
    assert_that,
    execution_of,
)
from agentassert.judges import RatingJudge
from tests.assertions.every_assertion import ASSERTIONS, NO_ASSERTIONS, call, misfits
from tests.factories import CANCELLED, approval, captured, chat, execution, failed, invocation

RATED = RatingJudge(lambda prompt: '{"reasoning": "", "rating": 5}')
SATISFIED = Judge(lambda prompt: '{"assessments": [{"criterion": 1, "reasoning": "", "verdict": "satisfied"}]}')


def shop():
    return captured(
        invocation(
            "shop",
            execution("look", {"n": 1}),
            execution("pay", {"n": 2}),
            execution("mail", error="no"),
            execution("wait", outcome=CANCELLED),
            calls=[chat("Done", requests=["look", "pay"], tokens=3, finish_reason=FinishReason.STOP)],
            nested=[invocation("reader")],
            sources=["Paris"],
            approvals=(approval("pay", {"n": 2}, "approve"), approval("refund", None, "reject")),
            input="Hi",
            output="Done",
            output_text="Done",
            duration=1.0,
        )
    )


def nothing():
    return captured(invocation("shop", sources=(), calls=[chat("Hi")]))


def broken():
    return captured(failed("shop", error=TimeoutError("no answer")))


def stopped(status):
    return lambda: captured(invocation("shop", status=Status(status)))


SAID = [
    (shop, "has_approval_requested('pay')", lambda chain: chain.has_approval_requested("pay")),
    (shop, "has_approval_requested('pay', {'n': 2})", lambda chain: chain.has_approval_requested("pay", {"n": 2})),
    (shop, "has_duration_at_most(2)", lambda chain: chain.has_duration_at_most(2)),
    (broken, "has_failed_with(TimeoutError)", lambda chain: chain.has_failed_with(TimeoutError)),
    (broken, "has_failed_with(KeyError, OSError)", lambda chain: chain.has_failed_with(KeyError, OSError)),
    (
        broken,
        "has_failed_with_message_containing('no')",
        lambda chain: chain.has_failed_with_message_containing("no"),
    ),
    (shop, "has_finish_reason('stop')", lambda chain: chain.has_finish_reason(FinishReason.STOP)),
    (shop, "has_grounded_output(0.5)", lambda chain: chain.has_grounded_output(0.5, judge=RATED)),
    (shop, "has_model_call_count(1)", lambda chain: chain.has_model_call_count(1)),
    (shop, "has_model_call_count(ChatModelCall, 1)", lambda chain: chain.has_model_call_count(ChatModelCall, 1)),
    (shop, "has_nested_invocation('reader')", lambda chain: chain.has_nested_invocation("reader")),
    (
        shop,
        "has_nested_invocation_satisfying('reader', …)",
        lambda chain: chain.has_nested_invocation_satisfying("reader", lambda nested: True),
    ),
    (shop, "has_nested_invocation_times('reader', 1)", lambda chain: chain.has_nested_invocation_times("reader", 1)),
    (nothing, "has_no_failed_tool_executions()", lambda chain: chain.has_no_failed_tool_executions()),
    (nothing, "has_no_more_tool_executions()", lambda chain: chain.has_no_more_tool_executions()),
    (shop, "has_no_pending_approvals()", lambda chain: chain.has_no_pending_approvals()),
    (shop, "has_no_repeated_tool_executions()", lambda chain: chain.has_no_repeated_tool_executions()),
    (nothing, "has_no_retrieved_sources()", lambda chain: chain.has_no_retrieved_sources()),
    (nothing, "has_no_tool_executions()", lambda chain: chain.has_no_tool_executions()),
    (shop, "has_no_tool_executions('a', 'b')", lambda chain: chain.has_no_tool_executions("a", "b", "a")),
    (nothing, "has_no_tool_requested()", lambda chain: chain.has_no_tool_requested()),
    (shop, "has_no_tool_requested('a', 'b')", lambda chain: chain.has_no_tool_requested("a", "b")),
    (shop, "has_own_chat_model_call_count(1)", lambda chain: chain.has_own_chat_model_call_count(1)),
    (shop, "has_own_chat_model_call_count_at_most(1)", lambda chain: chain.has_own_chat_model_call_count_at_most(1)),
    (shop, "has_relevant_output(0.5)", lambda chain: chain.has_relevant_output(0.5, judge=RATED)),
    (shop, "has_retrieved_source_containing('Par')", lambda chain: chain.has_retrieved_source_containing("Par")),
    (shop, "has_succeeded()", lambda chain: chain.has_succeeded()),
    (shop, "has_tool_approved('pay')", lambda chain: chain.has_tool_approved("pay")),
    (shop, "has_tool_executed('pay')", lambda chain: chain.has_tool_executed("pay")),
    (shop, "has_tool_executed_times('pay', 1)", lambda chain: chain.has_tool_executed_times("pay", 1)),
    (shop, "has_tool_executed_times_at_least('pay', 1)", lambda chain: chain.has_tool_executed_times_at_least("pay", 1)),
    (shop, "has_tool_executed_times_at_most('pay', 1)", lambda chain: chain.has_tool_executed_times_at_most("pay", 1)),
    (shop, "has_tool_executed_with('pay', {'n': 2})", lambda chain: chain.has_tool_executed_with("pay", {"n": 2})),
    (
        shop,
        "has_tool_executed_with_exactly('pay', {'n': 2})",
        lambda chain: chain.has_tool_executed_with_exactly("pay", {"n": 2}),
    ),
    (shop, "has_tool_execution_cancelled('wait')", lambda chain: chain.has_tool_execution_cancelled("wait")),
    (shop, "has_tool_execution_failed('mail')", lambda chain: chain.has_tool_execution_failed("mail")),
    (shop, "has_tool_finished_before('look', 'pay')", lambda chain: chain.has_tool_finished_before("look", "pay")),
    (shop, "has_tool_rejected('refund')", lambda chain: chain.has_tool_rejected("refund")),
    (shop, "has_tool_requested('pay')", lambda chain: chain.has_tool_requested("pay")),
    (
        lambda: captured(invocation("shop", execution("look"), execution("pay"))),
        "has_tools_executed_exactly_in_any_order('pay', 'look')",
        lambda chain: chain.has_tools_executed_exactly_in_any_order("pay", "look"),
    ),
    (
        lambda: captured(invocation("shop", execution("look"), execution("pay"))),
        "has_tools_executed_exactly_in_order('look', 'pay')",
        lambda chain: chain.has_tools_executed_exactly_in_order("look", "pay"),
    ),
    (
        shop,
        "has_tools_executed_in_order('look', execution_of('pay', {'n': 2}))",
        lambda chain: chain.has_tools_executed_in_order("look", execution_of("pay", {"n": 2})),
    ),
    (
        lambda: captured(invocation("shop", *[execution("look") for _ in range(12)])),
        f"has_tools_executed_in_order({', '.join([repr('look')] * 10)}, …)",
        lambda chain: chain.has_tools_executed_in_order(*["look"] * 12),
    ),
    (shop, "has_total_tokens_at_most(3)", lambda chain: chain.has_total_tokens_at_most(3)),
    (
        shop,
        "meets(expected_result='status == \"completed\"', expected_tool_calls=['pay'])",
        lambda chain: chain.meets(expected_tool_calls=["pay"], expected_result='status == "completed"'),
    ),
    (shop, "output_satisfies('is polite')", lambda chain: chain.output_satisfies("is polite", judge=SATISFIED)),
    (shop, "satisfies('\"Done\" in output')", lambda chain: chain.satisfies('"Done" in output')),
    (
        shop,
        "satisfies('context.n == 1', {'n': 1})",
        lambda chain: chain.satisfies("context.n == 1", {"n": 1}),
    ),
    (stopped("blocked"), "was_blocked()", lambda chain: chain.was_blocked()),
    (stopped("cancelled"), "was_cancelled()", lambda chain: chain.was_cancelled()),
]
NAVIGATING = {
    *("arguments_of", "chat_model_call", "executed_tool_names", "nested_invocation", "output", "output_at", "output_text"),
    *("results_of", "tool_executions"),
}
WRITING_A_FILE = {"matches_snapshot"}
"""What that says is tested where its files are."""


def test_every_assertion_is_said():
    asserting, rows = set(ASSERTIONS) - NAVIGATING - WRITING_A_FILE, {said.partition("(")[0] for _, said, _ in SAID}

    assert misfits(asserting, rows, "SAID in this file, a call that passes and how a chain shows it") == []


@pytest.mark.parametrize(("made", "said", "ask"), SAID, ids=[said for _, said, _ in SAID])
def test_a_chain_says_what_passed_as_it_was_written(made, said, ask):
    chain = assert_that(made()).top_level_only()

    assert ask(chain) is chain
    assert f"\n  passed: {said}\n" in repr(chain)


REFUSED = {
    # a call with an argument of another kind, and what it says of it
    "arguments_of": ((3,), "name must be a string"),
    "chat_model_call": (("1",), "index must be a whole number"),
    "described_as": ((3,), "text must be a string"),
    "has_approval_requested": ((3,), "tool must be a string"),
    "has_duration_at_most": (("1",), "seconds must be a number"),
    "has_failed_with": ((3,), "each type must be an exception class"),
    "has_failed_with_message_containing": ((3,), "text must be a string"),
    "has_model_call_count": (("1",), "n must be a whole number"),
    "has_nested_invocation": ((3,), "name must be a string"),
    "has_nested_invocation_satisfying": (("reader", 3), "the requirement must be a function"),
    "has_nested_invocation_times": (("reader", "1"), "n must be a whole number"),
    "has_no_tool_executions": ((3,), "name must be a string"),
    "has_no_tool_requested": ((3,), "name must be a string"),
    "has_own_chat_model_call_count": (("1",), "n must be a whole number"),
    "has_own_chat_model_call_count_at_most": (("1",), "n must be a whole number"),
    "has_retrieved_source_containing": ((3,), "text must be a string"),
    "has_tool_approved": ((3,), "tool must be a string"),
    "has_tool_executed": ((3,), "name must be a string"),
    "has_tool_executed_times": ((3, 1), "name must be a string"),
    "has_tool_executed_times_at_least": (("pay", "1"), "n must be a whole number"),
    "has_tool_executed_times_at_most": (("pay", "1"), "n must be a whole number"),
    "has_tool_executed_with": ((3, {"n": 1}), "name must be a string"),
    "has_tool_executed_with_exactly": ((3, {"n": 1}), "name must be a string"),
    "has_tool_execution_cancelled": ((3,), "name must be a string"),
    "has_tool_execution_failed": ((3,), "name must be a string"),
    "has_tool_finished_before": (("look", 3), "name must be a string"),
    "has_tool_rejected": ((3,), "tool must be a string"),
    "has_tool_requested": ((3,), "name must be a string"),
    "has_tools_executed_exactly_in_any_order": ((3,), "each tool must be a name or execution_of(...)"),
    "has_tools_executed_exactly_in_order": ((3,), "each tool must be a name or execution_of(...)"),
    "has_tools_executed_in_order": ((3,), "each tool must be a name or execution_of(...)"),
    "has_total_tokens_at_most": (("1",), "n must be a whole number"),
    "nested_invocation": ((3,), "name must be a string"),
    "output_at": ((3,), "json_path must be a string"),
    "results_of": ((3,), "name must be a string"),
}
REFUSED_ELSEWHERE = {
    *("has_finish_reason", "has_grounded_output", "has_relevant_output", "matches_snapshot", "meets", "output_satisfies"),
    "satisfies",
}
WITHOUT_ARGUMENTS = {
    *("executed_tool_names", "has_no_failed_tool_executions", "has_no_more_tool_executions", "has_no_pending_approvals"),
    *("has_no_repeated_tool_executions", "has_no_retrieved_sources", "has_succeeded", "includingNested", "including_nested"),
    *("output", "output_text", "tool_executions", "topLevelOnly", "top_level_only", "was_blocked", "was_cancelled"),
    "whole_capture",
}


def test_every_method_with_an_argument_refuses_another_one():
    public = {name for name in dir(InvocationAssertion) if not name.startswith("_")}
    rows = REFUSED.keys() | REFUSED_ELSEWHERE | WITHOUT_ARGUMENTS

    assert misfits(public, rows, "REFUSED in this file (or below it, in one of the sets that say why not)") == []


@pytest.mark.parametrize("method", REFUSED)
def test_a_method_that_refuses_an_argument_names_itself(method):
    arguments, problem = REFUSED[method]

    with pytest.raises(TypeError) as caught:
        getattr(assert_that(shop()).top_level_only(), method)(*arguments)
    assert str(caught.value).startswith(f"{method}: {problem}, but was ")


@pytest.mark.parametrize("method", ["has_nested_invocation_satisfying", "has_nested_invocation_times"])
def test_the_name_of_a_nested_invocation_is_text(method):
    with pytest.raises(TypeError, match=f"^{method}: name must be a string, but was 3"):
        getattr(assert_that(shop()), method)(3, 1)


@pytest.mark.parametrize("method", ASSERTIONS)
def test_a_chain_that_asserted_or_led_on_is_checked(method):
    chain = assert_that(nothing())
    assert not chain.__agentassert_checked__
    try:
        call(chain, method)
    except AssertionError:
        pass

    assert chain.__agentassert_checked__


@pytest.mark.parametrize("method", sorted(NO_ASSERTIONS - {"described_as"}))
def test_a_chain_that_only_chose_a_scope_is_not_checked(method):
    assert not getattr(assert_that(nothing()), method)().__agentassert_checked__
