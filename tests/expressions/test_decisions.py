"""One test for each decision on what the specification leaves open, as far as it is about expressions and expectations."""

from __future__ import annotations

import pytest

from agentassert import AmbiguousError, NotRecordedError, Status, assert_that, capture, record
from agentassert.expressions import APPROVAL_NAMES, ExpectationError, Expectations, Expression
from tests.factories import captured, chat, execution, failed, invocation, message


def with_output(output):
    return captured(invocation("support", output=output, output_text=output if isinstance(output, str) else None))


def satisfies(output, *expressions, context=None):
    for one in expressions:
        assert_that(with_output(output)).satisfies(one, context)


def fails(output, *expressions, context=None):
    return [message(assert_that(with_output(output)).satisfies, one, context) for one in expressions]


def children(*nested):
    return captured(invocation("support", nested=nested))


def expects(cap, **child):
    return assert_that(cap).meets(expected_child_agents={"reader": child})


def test_a1_a_comparison_with_what_is_missing_is_unknown_and_a_bare_missing_path_is_false():
    satisfies({"a": 1}, "not output.suspended", "output.a == 1 or output.gone == 1")
    fails({"a": 1}, "output.gone != 1", "not (output.gone == 1)", "output.gone not in [1]", "output.gone")


def test_a2_a_null_that_is_there_is_a_value_and_what_is_absent_is_missing():
    satisfies({"a": None}, "output.a is null", "output.a == null", "output.a != 1")
    fails({"a": None}, "output.b is null", "output.b is not null")


def test_a3_what_makes_no_sense_is_unknown_and_noted_and_null_contains_nothing():
    assert "output.n > 5: text and a number have no order" in fails({"n": "12"}, "output.n > 5")[0]
    fails({"n": "12"}, "not (output.n > 5)")
    satisfies({"n": None}, "'x' not in output.n")
    fails({"n": None}, "'x' in output.n")


def test_a4_chains_negative_numbers_and_both_spellings_are_allowed():
    satisfies(
        {"n": -3, "yes": True, "x": None}, "-4 < output.n < 0", "output.yes == True and output.yes == true", "output.x is None"
    )


def test_a5_true_is_not_one():
    fails({"n": 1, "yes": True}, "output.n == true", "output.yes == 1")
    satisfies({"n": 3}, "output.n == 3.0")


def test_a6_a_bad_expression_is_found_before_anything_is_looked_at():
    with pytest.raises(ExpectationError, match="expected_result: 'outptu == 1', column 1"):
        Expectations.parse({"expected_result": "outptu == 1"})


def test_a7_json_scalars_are_decoded_and_the_raw_text_has_its_own_name():
    satisfies("42", "output == 42", '"4" in output_text')
    fails("42", '"4" in output', 'output == "42"')


@pytest.mark.parametrize(
    "condition",
    [
        "params.a == invocations",
        "params.a == 1 or invocations == 1",
        "not (result.a == 1 and invocations == 1)",
        "context.x and (invocations == 1 or params.a)",
    ],
)
def test_a8_what_is_about_one_execution_does_not_mix_with_their_number(condition):
    with pytest.raises(ExpectationError, match=r"expected_tool_calls\[0\]\.add: .*join them with `and` alone"):
        Expectations.parse({"expected_tool_calls": [{"add": condition}]})


def test_a8_parentheses_around_an_and_at_the_top_do_not_matter_and_context_alone_is_a_gate():
    cap = captured(invocation("support", execution("add", {"a": 4}), execution("add", {"a": 5})))
    condition = "(params.a == 4 and (invocations == 1 and context.on))"

    assert_that(cap).meets(expected_tool_calls=[{"add": condition}], context={"on": True})
    assert "\nbut context.on was False" in message(
        assert_that(cap).meets, expected_tool_calls=[{"add": condition}], context={"on": False}
    )


def test_a9_an_execution_without_the_argument_does_not_match():
    cap = captured(invocation("support", execution("add", {"b": 1}), execution("add", '{"a": oops')))

    assert_that(cap).meets(expected_tool_calls=[{"add": "params.a == 1 and invocations == 0"}])
    assert_that(cap).meets(expected_tool_calls=[{"add": "params.a != 1 and invocations == 0"}])


def test_a10_dispatched_executions_count_failed_ones_included_and_rejected_and_pending_ones_not():
    with capture() as cap, record.invocation("support"):
        with record.model_call("small") as call:
            call.respond(tool_execution_requests=[{"name": "refund", "call_id": "1"}])
        record.approval("refund", {}, decision="reject", call_id="1")
        record.approval("pay", {})
        record.tool_execution("notify", error=TimeoutError("no answer"))
        record.tool_execution("notify", result="ok")

    assert_that(cap).meets(
        expected_tool_calls=[{"notify": "invocations == 2"}, {"refund": "invocations == 0"}, {"pay": "invocations == 0"}]
    )
    assert_that(cap).meets(expected_tool_calls=[{"notify": 'result == "ok" and invocations == 1'}])


def test_a11_the_order_is_that_of_the_starts_with_others_between_and_not_that_of_the_model():
    model_asked_for = [
        execution("second", started_order=20, ended_order=21),
        execution("between", started_order=15, ended_order=16, error="no"),
        execution("first", started_order=10, ended_order=30),
    ]
    cap = captured(invocation("support", *model_asked_for))

    assert_that(cap).meets(expected_tool_call_order=["first", "second"])
    assert_that(cap).meets(expected_tool_call_order=["first", "between"])
    assert "after [1] second 'first' did not start" in message(
        assert_that(cap).meets, expected_tool_call_order=["second", "first"]
    )


def test_a11_what_started_together_is_in_the_order_of_the_model():
    together = [execution(name, started_order=10, ended_order=11) for name in ("pay", "look", "ship")]
    cap = captured(invocation("support", *together))

    assert_that(cap).meets(expected_tool_call_order=["pay", "look", "ship"])
    assert "after [2] look 'pay' did not start" in message(assert_that(cap).meets, expected_tool_call_order=["look", "pay"])


def test_a12_a_short_name_that_fits_several_tools_must_be_written_in_full_where_something_is_to_happen():
    cap = captured(invocation("support", execution("math.add"), execution("list.add"), execution("math.sub")))

    for expected in ({"expected_tool_calls": ["add"]}, {"expected_tool_call_order": ["sub", "add"]}):
        with pytest.raises(AmbiguousError, match=r"'add' is the last part of 'list.add' and 'math.add'\.\nWrite the full name"):
            assert_that(cap).meets(**expected)
    assert_that(cap).meets(expected_tool_calls=["sub", "math.add", {"list.add": "invocations == 1"}])


def test_a12_a_short_name_that_fits_several_tools_covers_all_where_something_must_not_happen():
    cap = captured(invocation("support", execution("math.add"), execution("list.add")))

    assert "it had 2 executions of 'list.add', 'math.add'" in message(assert_that(cap).meets, expected_no_tool_calls=["add"])
    assert "invocations was 2" in message(assert_that(cap).meets, expected_tool_calls=[{"add": "invocations <= 1"}])


def test_a12_a_tool_that_was_offered_counts_as_one_that_the_name_fits():
    offered = chat(tools_offered=("math.add", "list.add"))

    with pytest.raises(AmbiguousError):
        assert_that(captured(invocation("support", execution("math.add"), calls=[offered]))).meets(expected_tool_calls=["add"])


def test_a13_one_invocation_satisfies_everything_together():
    cap = children(
        invocation("reader", execution("look"), input={"id": 1}, output="a", awaited=True),
        invocation("reader", execution("send"), input={"id": 2}, output="b", awaited=True),
    )

    expects(cap, expected_payload="payload.id == 2", expected_result='output == "b"', expected_tool_calls=["send"])
    told = message(
        expects, cap, expected_payload="payload.id == 1", expected_result='output == "b"', expected_tool_calls=["send"]
    )
    assert "\nbut none of 2 invocations of it meets what is expected" in told
    assert "2. to have had a payload with payload.id == 1, but payload.id was 2" in told


def test_a13_with_a_payload_alone_any_trigger_will_do():
    cap = children(
        invocation("reader", input={"id": 1}, awaited=True),
        invocation("reader", input={"id": 2}, awaited=False, status=Status.UNFINISHED),
    )

    expects(cap, expected_payload="payload.id == 2")
    with pytest.raises(AssertionError, match=r"payload\.id was 1"):
        expects(cap, expected_payload="payload.id == 2", expected_result="output or output is null")


def test_a14_how_often_it_was_triggered_is_counted_by_name_alone():
    cap = children(*[invocation("reader", input={"id": number}, awaited=number > 1) for number in range(3)])

    expects(cap, expected_triggered=3, expected_payload="payload.id == 2")
    assert "to have triggered 'reader' 4 times at least,\nbut it did so 3 times" in message(expects, cap, expected_triggered=4)


def test_a15_that_it_was_never_triggered_is_said_of_the_tool_that_triggers():
    with pytest.raises(
        ExpectationError, match="it must be 1 or more, but was 0: say that it was never triggered by expected_no_tool"
    ):
        Expectations.parse({"expected_child_agents": {"reader": {"expected_triggered": 0}}})
    cap = captured(invocation("support", execution("trigger_agent", {"agent_name": "reader"})))
    assert_that(cap).meets(expected_tool_calls=[{"trigger_agent": 'params.agent_name == "writer" and invocations == 0'}])


def test_a16_a_failed_one_fails_only_what_asks_for_its_response():
    cap = children(failed("reader", execution("look"), error=ValueError("no"), input={"id": 1}, awaited=True))

    expects(cap)
    expects(cap, expected_payload="payload.id == 1")
    assert "agent error: no" in message(expects, cap, expected_tool_calls=["look"])
    expects(cap, expected_tool_calls=["look"], expected_result='error == "no"')


def test_a17_the_payload_is_decoded_and_its_text_is_empty_for_a_mapping():
    text = children(invocation("reader", input='{"id": 1}', awaited=True))
    mapping = children(invocation("reader", input={"id": 1}, awaited=True))
    words = children(invocation("reader", input="find MS-777", awaited=True))

    expects(text, expected_payload='payload.id == 1 and "id" in payload_raw')
    expects(mapping, expected_payload='payload.id == 1 and payload_raw == ""')
    expects(words, expected_payload='"MS-777" in payload and "MS-777" in payload_raw')


def test_a18_a_decision_applies_where_its_expression_holds():
    decision = Expression.parse("params.charge_id == context.charge_id", APPROVAL_NAMES)

    assert decision.evaluate({"params": {"charge_id": "ch_1"}, "context": {"charge_id": "ch_1"}}).satisfied
    assert not decision.evaluate({"params": {}, "context": {"charge_id": "ch_1"}}).satisfied


@pytest.mark.parametrize("status", ["failed", "cancelled", "blocked", "awaiting_approval"])
def test_a19_any_other_end_than_completion_fails_unless_status_or_error_is_mentioned(status):
    cap = captured(invocation("support", status=Status(status), error="no" if status == "failed" else None))

    assert "by `status` or `error`" in message(assert_that(cap).satisfies, "output is null")
    assert "to have completed" in message(assert_that(cap).meets, expected_no_tool_calls=["x"])
    assert_that(cap).satisfies(f"status == '{status}' and output is null")


def test_a20_what_is_expected_of_tools_and_children_is_checked_when_the_agent_failed_too():
    cap = captured(failed("support", execution("look"), error="no"))

    assert_that(cap).meets(expected_result='status == "failed"', expected_tool_calls=["look"])
    told = message(
        assert_that(cap).meets,
        expected_result='status == "failed"',
        expected_tool_calls=["send"],
        expected_child_agents={"reader": {}},
    )
    assert "to have executed 'send', but it was never executed" in told
    assert "to have triggered 'reader', but it triggered no agent" in told


def test_nothing_is_met_by_the_absence_of_a_tool_that_an_unseen_answer_may_have_asked_for():
    loop = invocation("loop", execution("look"), calls=[chat(None, completed=False)], implicit=True, recorded_by=("openai",))
    chain = assert_that(captured(loop))

    chain.meets(expected_tool_calls=["look", {"look": "invocations >= 1"}])
    for unmet in (
        {"expected_no_tool_calls": ["pay"]},
        {"expected_tool_calls": [{"pay": "invocations == 0"}]},
        {"expected_tool_calls": [{"look": "invocations == 1"}]},
    ):
        with pytest.raises(NotRecordedError, match="without an answer that was seen"):
            chain.meets(**unmet)
