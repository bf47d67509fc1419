"""`satisfies`: the language of the suites, asked of one invocation."""

from __future__ import annotations

import dataclasses

import pytest

from agentassert import AgentAssertionError, AmbiguousError, NotRecordedError, Status, assert_that, capture, record
from agentassert.expressions import ExpressionError
from tests.factories import captured, execution, failed, invocation, message


def support(output="Cancelled.", **fields):
    text = output if isinstance(output, str) else None
    return captured(invocation("support", execution("pay", {"n": 1}), output=output, **{"output_text": text, **fields}))


def test_passes_when_the_expression_holds():
    assert_that(support()).satisfies('"Cancelled" in output and status == "completed" and error is null')


def test_the_failure_tells_what_was_there_and_what_ran():
    assert message(assert_that(support('{"id": 9}')).satisfies, "output.id == 10") == (
        "Expected invocation 'support' to satisfy output.id == 10,\n"
        "but output.id was 9.\n"
        "Tool executions:\n"
        "  [1] pay(n=1) -> 'ok'"
    )


def test_several_reasons_stand_below_each_other():
    assert message(assert_that(support('{"id": 9}')).satisfies, "output.id == 10 and output.to == 'Oslo'").startswith(
        "Expected invocation 'support' to satisfy output.id == 10 and output.to == 'Oslo',\n"
        "but it does not:\n"
        "  output.id was 9\n"
        "  output.to: output has no 'to'; it has 'id'\n"
    )


def test_the_error_carries_the_expression_and_the_reasons():
    with pytest.raises(AgentAssertionError) as caught:
        assert_that(support('{"id": 9}')).satisfies("output.id == 10")

    assert (caught.value.expected, caught.value.differences) == ("output.id == 10", ("output.id was 9",))


def test_a_description_begins_the_message():
    assert message(assert_that(support()).described_as("flow").satisfies, "output == 1").startswith("[flow] Expected")


def test_the_context_is_read_by_its_name_and_compared_as_json():
    @dataclasses.dataclass
    class Row:
        id: int

    cap = support('{"row": {"id": 7}}')
    assert_that(cap).satisfies("output.row.id == context.wanted and output.row == context.row", {"wanted": 7.0, "row": Row(7)})
    assert "context.row.x: context.row has no 'x'; it has 'id'" in message(
        assert_that(cap).satisfies, "context.row.x", context={"row": Row(7)}
    )


@pytest.mark.parametrize(
    ("output", "output_text", "expression"),
    [
        ({"id": 1}, '{"id": 1}', "output.id == 1"),
        ({"id": 1}, None, "output.id == 1"),
        ({"score": float("nan")}, '{"score": NaN}', '"score" in output'),
        ({"messages": [1], "plan": "b"}, "Hello", '"Hello" in output and output.plan == "b"'),
        ({"messages": [1], "id": 1}, '{"id": 2}', "output.id == 2 and output.messages[0] == 1 and output == {'id': 2}"),
        (None, None, "output is null and output_text is null"),
        ("[1, 2]", "[1, 2]", 'output == [1, 2] and output_text == "[1, 2]"'),
        ("NaN", "NaN", 'output == "NaN"'),
    ],
)
def test_output_is_the_final_text_as_the_json_that_it_holds_and_else_what_the_framework_gives(output, output_text, expression):
    assert_that(support(output, output_text=output_text)).satisfies(expression)


def test_of_what_is_in_neither_form_the_text_is_told():
    cap = support({"messages": [1]}, output_text="Hello")

    assert "\nbut output.id: output has no 'id'; it was 'Hello'." in message(assert_that(cap).satisfies, "output.id == 1")


@pytest.mark.parametrize(
    ("error", "expected"),
    [(ValueError("missing vendor"), "missing vendor"), ("missing vendor", "missing vendor"), (KeyError(), "KeyError")],
)
def test_the_error_is_its_message(error, expected):
    assert_that(captured(failed(error=error))).satisfies(f"error == '{expected}'")


@pytest.mark.parametrize("status", [Status.FAILED, Status.BLOCKED])
def test_an_error_that_nobody_recorded_decides_nothing(status):
    cap = captured(invocation("support", status=status))

    assert_that(cap).satisfies(f"status == '{status}' or 'x' in error")
    with pytest.raises(NotRecordedError, match=r"\nbut error was not recorded\.\nNobody recorded that"):
        assert_that(cap).satisfies("'x' in error")
    with pytest.raises(AgentAssertionError) as caught:
        assert_that(cap).satisfies("error and status == 'completed'")
    assert type(caught.value) is AgentAssertionError


@pytest.mark.parametrize(
    ("status", "expression"),
    [
        ("failed", "status == 'failed'"),
        ("failed", "'no' in error"),
        ("cancelled", "status != 'completed'"),
        ("blocked", "status is 'blocked'"),
    ],
)
def test_one_that_looks_at_status_or_error_and_passes_unlocks_the_chain(status, expression):
    cap = captured(invocation("support", execution("pay"), status=Status(status), error="no answer"))

    assert "\nbut it" in message(assert_that(cap).has_tool_executed, "pay")
    assert_that(cap).satisfies(expression).has_tool_executed("pay")
    assert_that(cap).has_no_more_tool_executions()


def test_one_that_fails_unlocks_nothing():
    cap = captured(failed("support", execution("pay"), error="no answer"))

    message(assert_that(cap).satisfies, "status == 'blocked'")
    assert "\nbut it failed with no answer" in message(assert_that(cap).has_tool_executed, "pay")


def test_one_that_looks_at_neither_asks_for_a_completed_invocation():
    assert "\nbut it ended with an agent error: no answer (TimeoutError)." in message(
        assert_that(captured(failed())).satisfies, "output is null"
    )
    assert "\nbut it failed." in message(assert_that(captured(invocation(status=Status.FAILED))).satisfies, "output is null")
    assert "\nbut its status was 'cancelled'." in message(
        assert_that(captured(invocation(status=Status.CANCELLED))).satisfies, "output is null"
    )


def test_an_invocation_that_runs_satisfies_nothing():
    with capture() as cap, record.invocation("support"):
        assert "\nbut it has not finished" in message(assert_that(cap).satisfies, "status == 'unfinished'")


def test_nested_invocations_ask_for_no_scope_but_a_whole_capture_does_not_have_one_result():
    cap = captured(invocation("writer", output="a", nested=[invocation("reader", output="b")]))

    assert_that(cap).satisfies("output == 'a'").including_nested().satisfies("output == 'a'")
    assert_that(cap).nested_invocation("reader").satisfies("output == 'b'")
    with pytest.raises(AmbiguousError, match="about one invocation"):
        assert_that(cap).whole_capture().satisfies("output == 'a'")


def test_what_passed_stands_in_the_books():
    chain = assert_that(support()).satisfies("output").satisfies("output != context.x", {"x": 1})

    assert "passed: satisfies('output'), satisfies('output != context.x', {'x': 1})" in repr(chain)


def test_wrong_use_is_refused():
    with pytest.raises(ExpressionError, match="'params' is unknown here"):
        assert_that(support()).satisfies("params.a == 1")
    with pytest.raises(TypeError, match="an expression is text, but was None"):
        assert_that(support()).satisfies(None)
    with pytest.raises(TypeError, match=r"context must be a mapping, but was \['x'\] \(list\)"):
        assert_that(support()).satisfies("output", ["x"])
