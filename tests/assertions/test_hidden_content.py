"""Arguments and results that spans do not hold, and times that nobody saw."""

from __future__ import annotations

import attrs
import pytest

from agentassert import NOT_RECORDED, AgentAssertionError, NotRecordedError, assert_that, execution_of, result_of
from tests.factories import FAILED, UNKNOWN, captured, execution, invocation


def hidden(name="look", result="ok"):
    return attrs.evolve(execution(name, {}, result), arguments=None, raw_arguments=None)


PAY_1 = execution_of("pay", {"n": 1})


def of(*executions):
    return assert_that(captured(invocation("agent", *executions, framework="opentelemetry", recorded_by=("opentelemetry",))))


@pytest.mark.parametrize(
    "check",
    [
        lambda: of(hidden()).has_tools_executed_exactly_in_order(execution_of("look", {"id": 1})),
        lambda: of(hidden()).has_tools_executed_exactly_in_any_order(execution_of("look", {"id": 1})),
        lambda: of(execution("look", {"id": 1}, NOT_RECORDED), execution("pay", {"to": 1})).has_tool_executed_with(
            "pay", {"to": [result_of("look")]}
        ),
        lambda: of(execution("look", {"id": 1}, NOT_RECORDED), execution("pay", {"to": 1})).has_tool_executed_with(
            "pay", {"to": {"id": result_of("look")}}
        ),
        lambda: of(execution("look", {"id": 1}, NOT_RECORDED), execution("pay", {"to": 1})).has_tool_executed_with(
            "pay", {"to": (result_of("look"), 1)}
        ),
        lambda: of(execution("look", {"id": 1}, NOT_RECORDED)).meets(expected_tool_calls=[{"look": "result == 1"}]),
    ],
    ids=["exactly", "in any order", "referenced", "in a mapping", "in a tuple", "expression"],
)
def test_nothing_passes_on_content_that_was_not_recorded(check):
    with pytest.raises(NotRecordedError):
        check()


HOW_TO_RECORD = (
    "Spans hold no content unless asked to. Where the agent runs, set OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY, "
    "or what its framework has for it.\nTool executions: none"
)


@pytest.mark.parametrize(
    ("implicit", "text"),
    [
        (False, f"but its output was not recorded.\n{HOW_TO_RECORD}"),
        (
            True,
            "but no agent was seen around it, and no answer of a model with a text.\nDecorate the function that runs it with "
            f"`@record.agent`: what that returns is then the output. Where spans tell of it: {HOW_TO_RECORD}",
        ),
    ],
)
def test_an_output_that_was_not_recorded_is_none_to_assert_on(implicit, text):
    cap = captured(invocation("agent", output=NOT_RECORDED, implicit=implicit))

    for method, arguments, expected in [
        ("output", (), "a known output"),
        ("output_text", (), "an output text"),
        ("output_at", ("$.a",), "an output with $.a"),
    ]:
        with pytest.raises(NotRecordedError) as caught:
            getattr(assert_that(cap), method)(*arguments)
        assert str(caught.value) == f"Expected invocation 'agent' to have {expected},\n{text}"


def test_arguments_that_are_known_are_so_without_the_text_that_was_sent():
    with pytest.raises(AgentAssertionError, match="expected 2, was 1"):
        of(attrs.evolve(execution("pay", {"n": 1}), raw_arguments=None)).has_tool_executed_with("pay", {"n": 2})


def test_all_tools_are_named_of_which_something_was_not_recorded():
    ran = execution("look", result=NOT_RECORDED), execution("ask", result=NOT_RECORDED), execution("pay", {"n": 1})
    expected = {"n": [result_of("look"), result_of("ask")]}

    with pytest.raises(NotRecordedError, match=r"\nbut the results of 'ask', 'look' were not recorded\.\nSpans hold no content"):
        of(*ran).has_tool_executed_with("pay", expected)


@pytest.mark.parametrize("method", ["has_tools_executed_in_order", "has_tools_executed_exactly_in_any_order"])
@pytest.mark.parametrize(
    ("executions", "patterns", "what"),
    [
        ([execution("look"), hidden("pay")], ["look", PAY_1], "arguments of 'pay'"),
        ([execution("look", {"n": 1}), hidden("pay")], [execution_of("look", {"n": 1}), PAY_1], "arguments of 'pay'"),
        ([execution("pay", {"n": 1}), hidden("ship")], [PAY_1, PAY_1, execution_of("ship", {"n": 1})], "arguments of 'ship'"),
        (
            [execution("look", result=NOT_RECORDED), execution("pay", {"n": 1}), execution("pay", {"n": 2})],
            [PAY_1, execution_of("pay", {"n": result_of("look")})],
            "results of 'look'",
        ),
    ],
)
def test_what_any_of_several_patterns_asks_for_must_have_been_recorded(executions, patterns, what, method):
    with pytest.raises(NotRecordedError, match=f"\nbut the {what} were not recorded"):
        getattr(of(*executions), method)(*patterns)


def test_what_failed_matches_nothing_whatever_it_was_called_with():
    with pytest.raises(AgentAssertionError, match="\nbut no successful execution matched") as caught:
        of(attrs.evolve(hidden("pay"), outcome=FAILED)).has_tools_executed_in_order(PAY_1)
    assert not isinstance(caught.value, NotRecordedError)


INFERRED = execution("look", inferred=True, started_order=10, ended_order=20)
UNTIMED = (
    "but one of them is inferred from what was sent to the model, so nobody knows when it ran.\n"
    "Decorate both functions with `@record.tool` to have their times recorded.\n"
)


@pytest.mark.parametrize(
    ("executions", "text"),
    [
        ([INFERRED, execution("pay", inferred=True, started_order=11, ended_order=21)], UNTIMED),
        ([INFERRED, execution("pay", started_order=12, ended_order=13), execution("pay", started_order=30)], UNTIMED),
        (
            [execution("look", outcome=UNKNOWN), execution("pay")],
            "but that depends on 1 execution of 'look' whose outcome was not reported.\n",
        ),
        (
            [execution("look"), execution("pay", outcome=UNKNOWN)],
            "but that depends on 1 execution of 'pay' whose outcome was not reported.\n",
        ),
        (
            [execution("look", outcome=UNKNOWN), execution("pay", outcome=UNKNOWN)],
            "but that depends on 2 executions of 'look', 'pay' whose outcome was not reported.\n",
        ),
    ],
    ids=["untimed", "one of them in time", "first", "second", "both"],
)
def test_what_nobody_knows_the_time_or_the_outcome_of_was_not_before(executions, text):
    with pytest.raises(NotRecordedError) as caught:
        of(*executions).has_tool_finished_before("look", "pay")

    assert f"to have finished 'look' before it started 'pay',\n{text}" in str(caught.value)


def test_what_is_inferred_finished_before_what_started_after_its_result_was_sent():
    of(INFERRED, execution("pay", started_order=30)).has_tool_finished_before("look", "pay")
