"""Two spans of one piece of work count once; what each of them knows is kept."""

from __future__ import annotations

import json

import pytest

from agentassert import Outcome, TokenUsage, assert_that
from tests.telemetry.parts import agent, arguments, chat, kind, load, says, tool

GENAI, OPENINFERENCE = "opentelemetry.instrumentation.genai.openai", "openinference.instrumentation.openai"
USAGE = {"gen_ai.usage.input_tokens": 11, "gen_ai.usage.output_tokens": 3}


def test_a_model_call_within_a_model_call_is_the_same_call():
    outer = kind(2, "LLM", {"llm.model_name": "small"}, inside=1, scope=OPENINFERENCE)
    (call,) = load(agent(1), outer, chat(3, {**USAGE, **says("Hi")}, inside=2, scope=GENAI)).invocation.model_calls
    assert (call.model, call.response_text, call.token_usage, call.attempts) == (
        "small",
        "Hi",
        TokenUsage(input_tokens=11, output_tokens=3),
        1,
    )


def test_the_requests_within_one_are_its_attempts():
    inner = [chat(number, inside=2, start=10 * number, end=10 * number + 5) for number in (3, 4, 5)]
    (call,) = load(agent(1), chat(2, says("Hi"), inside=1), *inner).invocation.model_calls
    assert call.attempts == 3


def test_a_model_call_of_a_tool_within_a_model_call_is_another_one():
    cap = load(agent(1), chat(2, inside=1), tool(3, "ask", inside=2), chat(4, inside=3))
    assert [one.own for one in cap.invocation.model_calls] == [True, False]


def test_calls_side_by_side_of_two_libraries_at_once_with_one_id_or_answer_are_the_same():
    by_id = {"gen_ai.response.id": "r1"}
    one, other = chat(2, by_id, inside=1, scope=GENAI), chat(3, by_id, inside=1, start=5, scope=OPENINFERENCE)
    assert len(load(agent(1), one, other).invocation.model_calls) == 1
    one, other = chat(2, says("Hi"), inside=1, scope=GENAI), chat(3, says("Hi"), inside=1, start=5, end=110, scope=OPENINFERENCE)
    assert len(load(agent(1), one, other).invocation.model_calls) == 1


@pytest.mark.parametrize(
    "second",
    [
        {"start": 5, "scope": GENAI},
        {"start": 200, "end": 300, "scope": OPENINFERENCE},
    ],
    ids=["of the same library", "at another time"],
)
def test_other_calls_with_the_same_id_are_calls_of_their_own(second):
    by_id = {"gen_ai.response.id": "r1", **says("Hi")}
    cap = load(agent(1, end=400), chat(2, by_id, inside=1, scope=GENAI), chat(3, by_id, inside=1, **second))
    assert len(cap.invocation.model_calls) == 2


def test_each_call_has_one_twin_at_most():
    calls = [chat(2 + index, says("Hi"), inside=1, start=index, scope=(GENAI, OPENINFERENCE)[index % 2]) for index in range(6)]
    assert len(load(agent(1), *calls).invocation.model_calls) == 3


def test_a_tool_within_the_same_tool_is_the_same_execution():
    outer = tool(2, "pay", inside=1)
    inner = tool(3, "pay", {**arguments(amount=5), "gen_ai.tool.call.id": "c1", "gen_ai.tool.call.result": "paid"}, inside=2)
    (execution,) = load(agent(1), outer, inner).invocation.tool_executions
    assert (execution.arguments, execution.call_id, execution.result) == ({"amount": 5}, "c1", "paid")


def test_a_tool_that_runs_itself_with_other_arguments_runs_twice():
    cap = load(agent(1), tool(2, "pay", arguments(amount=5), inside=1), tool(3, "pay", arguments(amount=4), inside=2))
    assert_that(cap).has_tool_executed_times("pay", 2)


def test_a_failure_of_which_one_of_them_tells_is_a_failure():
    outer, inner = tool(2, "pay", arguments(amount=5), inside=1), tool(3, "pay", inside=2, error="no")
    (execution,) = load(agent(1), outer, inner).invocation.tool_executions
    assert (execution.outcome, execution.error) == (Outcome.FAILED, "no")


def test_of_tries_within_an_execution_the_last_decides():
    tries = (tool(3, "pay", inside=2, end=10, error="no"), tool(4, "pay", inside=2, start=20, end=30))
    (execution,) = load(agent(1), tool(2, "pay", inside=1), *tries).invocation.tool_executions
    assert execution.outcome is Outcome.SUCCEEDED


def test_executions_side_by_side_are_the_same_by_their_arguments_where_one_has_no_id():
    one = tool(2, "pay", {**arguments(amount=5), "gen_ai.tool.call.id": "c1"}, inside=1, scope=GENAI)
    other = kind(
        3, "TOOL", {"tool.name": "pay", "input.value": json.dumps({"amount": 5})}, inside=1, start=5, scope=OPENINFERENCE
    )
    another = kind(
        4, "TOOL", {"tool.name": "pay", "input.value": json.dumps({"amount": 4})}, inside=1, start=5, scope=OPENINFERENCE
    )
    assert_that(load(agent(1), one, other, another)).has_tool_executed_times("pay", 2)


def test_an_agent_of_which_two_libraries_tell_is_one_run():
    nested = agent(2, inside=1, scope=GENAI)
    cap = load(agent(1, scope=OPENINFERENCE), nested, tool(3, "pay", inside=2))
    assert [(one.name, len(one.tool_executions), one.nested_invocations) for one in cap.invocations] == [("clerk", 1, ())]
    beside = agent(2, scope=GENAI, start=1, trace_id="b" * 32)
    apart = load(agent(1, scope=OPENINFERENCE), beside, tool(3, "pay", inside=2, trace_id="b" * 32))
    assert [len(one.tool_executions) for one in apart.invocations] == [1]


def test_an_agent_that_runs_itself_runs_twice():
    cap = load(agent(1), agent(2, inside=1))
    assert_that(cap).has_nested_invocation("clerk")
