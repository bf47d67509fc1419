"""Assertions on tool executions: what passes, and what a user reads when one fails."""

from __future__ import annotations

import attrs
import pytest

from agentassert import NOT_RECORDED, NotRecordedError, Outcome, assert_that, execution_of, result_of
from tests.factories import (
    CANCELLED,
    FAILED,
    UNFINISHED,
    UNKNOWN,
    captured,
    execution,
    failed,
    invocation,
    message,
    strays,
    unanswered,
)

BOOKING = {"booking_number": "MS-777"}
LISTED = """Tool executions:
  [1] get_booking(booking_number='MS-777') -> {'customer': 'Ann'}
  [2] get_booking(booking_number='MS-778') -> None
  [3] cancel_booking(booking_number='MS-777') -> 'ok'
  [4] notify(customer='Ann') FAILED TimeoutError: no answer"""
PASSING = {
    "has_no_tool_executions": [("refund",), ("refund", "delete_account")],
    "has_tool_executed": [("get_booking",)],
    "has_tool_executed_times": [("get_booking", 2), ("notify", 0), ("refund", 0)],
    "has_tool_executed_times_at_least": [("get_booking", 1), ("get_booking", 2)],
    "has_tool_executed_times_at_most": [("get_booking", 2), ("get_booking", 3), ("notify", 0)],
    "has_tool_executed_with": [
        ("cancel_booking", BOOKING),
        ("cancel_booking", {"$.booking_number": "MS-777"}),
        ("cancel_booking", lambda arguments: arguments["booking_number"].startswith("MS-")),
        ("cancel_booking", {"booking_number": lambda number: number == "MS-777"}),
    ],
    "has_tool_executed_with_exactly": [("cancel_booking", BOOKING)],
    "has_tool_execution_failed": [("notify",)],
    "has_tools_executed_in_order": [
        ("get_booking", "cancel_booking"),
        ("cancel_booking",),
        ("get_booking", "get_booking", "cancel_booking"),
        (execution_of("get_booking", {"booking_number": "MS-778"}), execution_of("cancel_booking")),
    ],
    "has_no_repeated_tool_executions": [()],
    "has_tool_finished_before": [("get_booking", "cancel_booking")],
}
FAILING = [
    (
        "has_no_tool_executions",
        (),
        "to have executed no tool,\nbut it executed 'get_booking' twice, 'cancel_booking' once, 'notify' once.",
    ),
    (
        "has_no_tool_executions",
        ("refund", "notify", "notify"),
        "to have executed none of 'refund', 'notify',\nbut it executed 'notify' once.",
    ),
    ("has_tool_executed", ("refund",), "to have executed 'refund',\nbut it was never executed."),
    ("has_tool_executed", ("notify",), "to have executed 'notify',\nbut its only execution failed."),
    (
        "has_tool_executed",
        ("cancel_bookin",),
        "to have executed 'cancel_bookin',\nbut it was never executed.\nDid you mean 'cancel_booking'?",
    ),
    (
        "has_tool_executed_times",
        ("get_booking", 1),
        "to have executed 'get_booking' successfully exactly once,\nbut it did twice.",
    ),
    (
        "has_tool_executed_times",
        ("notify", 3),
        "to have executed 'notify' successfully exactly 3 times,\nbut it never did (1 failed).",
    ),
    (
        "has_tool_executed_times",
        ("cancel_booking", 0),
        "to have executed 'cancel_booking' successfully exactly 0 times,\nbut it did once.",
    ),
    (
        "has_tool_executed_times_at_least",
        ("get_booking", 3),
        "to have executed 'get_booking' successfully at least 3 times,\nbut it did twice.",
    ),
    (
        "has_tool_executed_times_at_most",
        ("get_booking", 1),
        "to have executed 'get_booking' successfully at most once,\nbut it did twice.",
    ),
    (
        "has_tool_executed_with",
        ("cancel_booking", {"booking_number": "MS-778"}),
        "to have executed 'cancel_booking' with {'booking_number': 'MS-778'},\n"
        "but no successful execution matched. Closest:\n"
        "  [3] cancel_booking(booking_number='MS-777')\n"
        "      $.booking_number: expected 'MS-778', was 'MS-777'",
    ),
    (
        "has_tool_executed_with",
        ("get_booking", {"booking_number": "MS-779", "reason": "rain"}),
        "to have executed 'get_booking' with {'booking_number': 'MS-779', 'reason': 'rain'},\n"
        "but no successful execution matched. Closest:\n"
        "  [1] get_booking(booking_number='MS-777')\n"
        "      $.booking_number: expected 'MS-779', was 'MS-777'\n"
        "      $.reason: expected 'rain', but it is missing",
    ),
    (
        "has_tool_executed_with",
        ("notify", {"customer": "Ann"}),
        "to have executed 'notify' with {'customer': 'Ann'},\nbut its only execution failed.",
    ),
    (
        "has_tool_executed_with",
        ("cancel_booking", lambda arguments: False),
        "to have executed 'cancel_booking' with arguments that satisfy the lambda,\n"
        "but no successful execution matched. Closest:\n"
        "  [3] cancel_booking(booking_number='MS-777')\n"
        "      $: was {'booking_number': 'MS-777'}, not accepted by the lambda",
    ),
    (
        "has_tool_executed_with_exactly",
        ("cancel_booking", {}),
        "to have executed 'cancel_booking' without arguments,\n"
        "but no successful execution matched. Closest:\n"
        "  [3] cancel_booking(booking_number='MS-777')\n"
        "      $.booking_number: not expected, was 'MS-777'",
    ),
    (
        "has_tool_executed_with_exactly",
        ("cancel_booking", {**BOOKING, "reason": "rain"}),
        "to have executed 'cancel_booking' with exactly {'booking_number': 'MS-777', 'reason': 'rain'},\n"
        "but no successful execution matched. Closest:\n"
        "  [3] cancel_booking(booking_number='MS-777')\n"
        "      $.reason: expected 'rain', but it is missing",
    ),
    (
        "has_tool_execution_failed",
        ("get_booking",),
        "to have had a failed execution of 'get_booking',\nbut none of its 2 executions failed.",
    ),
    (
        "has_tool_execution_failed",
        ("cancel_booking",),
        "to have had a failed execution of 'cancel_booking',\nbut its only execution did not fail.",
    ),
    ("has_tool_execution_failed", ("refund",), "to have had a failed execution of 'refund',\nbut it was never executed."),
    (
        "has_tool_execution_cancelled",
        ("notify",),
        "to have had a cancelled or unfinished execution of 'notify',\nbut its only execution ended.",
    ),
    ("has_no_failed_tool_executions", (), "to have no failed tool execution,\nbut 1 failed:\n  notify: TimeoutError: no answer"),
    (
        "has_tools_executed_in_order",
        ("cancel_booking", "get_booking"),
        "to have executed in order 'cancel_booking', 'get_booking',\n"
        "but after [3] cancel_booking no successful execution matched 'get_booking'.",
    ),
    (
        "has_tools_executed_in_order",
        (execution_of("get_booking", {"booking_number": "MS-1"}),),
        "to have executed in order execution_of('get_booking', {'booking_number': 'MS-1'}),\n"
        "but no successful execution matched execution_of('get_booking', {'booking_number': 'MS-1'}).",
    ),
    (
        "has_tools_executed_exactly_in_order",
        ("get_booking", "get_booking", "cancel_booking"),
        "to have executed exactly, in order, 'get_booking', 'get_booking', 'cancel_booking',\n"
        "but 1 more followed:\n"
        "  [4] notify(customer='Ann') FAILED TimeoutError: no answer",
    ),
    (
        "has_tools_executed_exactly_in_order",
        ("get_booking", "get_booking", "cancel_booking", "notify"),
        "to have executed exactly, in order, 'get_booking', 'get_booking', 'cancel_booking', 'notify',\n"
        "but the execution at position 4 did not succeed:\n"
        "  [4] notify(customer='Ann') FAILED TimeoutError: no answer",
    ),
    (
        "has_tools_executed_exactly_in_order",
        ("get_booking", "get_booking", "cancel_booking", "refund"),
        "to have executed exactly, in order, 'get_booking', 'get_booking', 'cancel_booking', 'refund',\n"
        "but the execution at position 4 is not 'refund':\n"
        "  [4] notify(customer='Ann') FAILED TimeoutError: no answer",
    ),
    (
        "has_tools_executed_exactly_in_order",
        ("get_booking", "cancel_booking"),
        "to have executed exactly, in order, 'get_booking', 'cancel_booking',\n"
        "but the execution at position 2 is not 'cancel_booking':\n"
        "  [2] get_booking(booking_number='MS-778') -> None",
    ),
    (
        "has_tools_executed_exactly_in_order",
        (execution_of("cancel_booking", {"booking_number": "MS-778"}),),
        "to have executed exactly, in order, execution_of('cancel_booking', {'booking_number': 'MS-778'}),\n"
        "but the execution at position 1 is not execution_of('cancel_booking', {'booking_number': 'MS-778'}):\n"
        "  [1] get_booking(booking_number='MS-777') -> {'customer': 'Ann'}",
    ),
    (
        "has_tools_executed_exactly_in_order",
        (execution_of("get_booking", {"booking_number": "MS-1"}), "cancel_booking"),
        "to have executed exactly, in order, execution_of('get_booking', {'booking_number': 'MS-1'}), 'cancel_booking',\n"
        "but the execution at position 1 is not execution_of('get_booking', {'booking_number': 'MS-1'}):\n"
        "  [1] get_booking(booking_number='MS-777') -> {'customer': 'Ann'}\n"
        "      $.booking_number: expected 'MS-1', was 'MS-777'",
    ),
    (
        "has_tools_executed_exactly_in_any_order",
        ("get_booking", "cancel_booking", execution_of("refund", {"amount": 5})),
        "to have executed exactly, in any order, 'get_booking', 'cancel_booking', execution_of('refund', {'amount': 5}),\n"
        "but they do not pair up:\n"
        "  missing: execution_of('refund', {'amount': 5})\n"
        "  unexpected: [2] get_booking(booking_number='MS-778') -> None\n"
        "  unexpected: [4] notify(customer='Ann') FAILED TimeoutError: no answer",
    ),
    (
        "has_tool_finished_before",
        ("cancel_booking", "get_booking"),
        "to have finished 'cancel_booking' before it started 'get_booking',\n"
        "but no successful 'cancel_booking' had ended when 'get_booking' started:\n"
        "  [1] get_booking(booking_number='MS-777') -> {'customer': 'Ann'}\n"
        "  [2] get_booking(booking_number='MS-778') -> None",
    ),
    (
        "has_tool_finished_before",
        ("notify", "get_booking"),
        "to have finished 'notify' before it started 'get_booking',\nbut 'notify' was not executed successfully.",
    ),
]


def support():
    return captured(
        invocation(
            "support",
            execution("get_booking", BOOKING, {"customer": "Ann"}),
            execution("get_booking", {"booking_number": "MS-778"}, None),
            execution("cancel_booking", BOOKING),
            execution("notify", {"customer": "Ann"}, error=TimeoutError("no answer")),
        )
    )


@pytest.mark.parametrize(("method", "arguments"), [(method, one) for method, given in PASSING.items() for one in given])
def test_passes_when_it_holds(method, arguments):
    chain = assert_that(support())

    assert getattr(chain, method)(*arguments) is chain


@pytest.mark.parametrize(("method", "arguments", "text"), FAILING)
def test_a_failure_says_what_was_expected_what_was_found_and_everything_that_ran(method, arguments, text):
    shown = message(getattr(assert_that(support()), method), *arguments)

    assert shown == f"Expected invocation 'support' {text}\n{LISTED}"


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("has_no_tool_executions", ()),
        ("has_no_failed_tool_executions", ()),
        ("has_no_more_tool_executions", ()),
        ("has_no_repeated_tool_executions", ()),
        ("has_tool_executed_times", ("refund", 0)),
        ("has_tool_executed_times_at_most", ("refund", 1)),
    ],
)
def test_an_invocation_without_tool_executions_passes_what_says_that_there_was_nothing(method, arguments):
    chain = assert_that(captured(invocation()))

    assert getattr(chain, method)(*arguments) is chain


@pytest.mark.parametrize(
    ("method", "arguments", "text"),
    [
        ("has_tool_executed", ("refund",), "to have executed 'refund',\nbut it was never executed."),
        ("has_tool_executed_times", ("refund", 1), "to have executed 'refund' successfully exactly once,\nbut it never did."),
        (
            "has_tool_executed_times_at_least",
            ("refund", 1),
            "to have executed 'refund' successfully at least once,\nbut it never did.",
        ),
        (
            "has_tool_executed_with",
            ("refund", {"id": 1}),
            "to have executed 'refund' with {'id': 1},\nbut it was never executed.",
        ),
        (
            "has_tool_executed_with_exactly",
            ("refund", {}),
            "to have executed 'refund' without arguments,\nbut it was never executed.",
        ),
        ("has_tool_execution_failed", ("refund",), "to have had a failed execution of 'refund',\nbut it was never executed."),
        (
            "has_tool_execution_cancelled",
            ("refund",),
            "to have had a cancelled or unfinished execution of 'refund',\nbut it was never executed.",
        ),
        (
            "has_tools_executed_in_order",
            ("refund",),
            "to have executed in order 'refund',\nbut no successful execution matched 'refund'.",
        ),
        (
            "has_tools_executed_exactly_in_order",
            ("refund",),
            "to have executed exactly, in order, 'refund',\nbut after 0 executions there was no 'refund'.",
        ),
        (
            "has_tools_executed_exactly_in_any_order",
            ("refund",),
            "to have executed exactly, in any order, 'refund',\nbut they do not pair up:\n  missing: 'refund'",
        ),
        (
            "has_tool_finished_before",
            ("refund", "notify"),
            "to have finished 'refund' before it started 'notify',\nbut 'refund' was not executed successfully.",
        ),
    ],
)
def test_an_invocation_without_tool_executions_fails_what_says_that_there_was_something(method, arguments, text):
    shown = message(getattr(assert_that(captured(invocation())), method), *arguments)

    assert shown == f"Expected invocation 'support' {text}\nTool executions: none"


def test_a_tool_of_which_several_executions_went_wrong_in_several_ways():
    cap = captured(invocation("support", execution("pay", error="no"), execution("pay", outcome=CANCELLED)))

    assert message(assert_that(cap).has_tool_executed, "pay") == (
        "Expected invocation 'support' to have executed 'pay',\n"
        "but none of its 2 executions succeeded (1 failed, 1 cancelled).\n"
        "Tool executions:\n"
        "  [1] pay() FAILED no\n"
        "  [2] pay() CANCELLED"
    )


@pytest.mark.parametrize("outcome", [CANCELLED, UNFINISHED])
def test_cancelled_and_unfinished_executions_are_neither_successful_nor_failed(outcome):
    cap = captured(invocation("support", execution("pay", outcome=outcome)))

    assert_that(cap).has_tool_execution_cancelled("pay").has_tool_executed_times("pay", 0)
    for failing in (assert_that(cap).has_tool_executed, assert_that(cap).has_tool_execution_failed):
        assert "'pay'" in message(failing, "pay")


def test_an_only_execution_that_was_cancelled_or_did_not_finish_is_said_to_be_so():
    cap = captured(invocation("support", execution("pay", outcome=CANCELLED), execution("ship", outcome=UNFINISHED)))

    assert "\nbut its only execution was cancelled." in message(assert_that(cap).has_tool_executed, "pay")
    assert "\nbut its only execution did not finish." in message(assert_that(cap).has_tool_executed, "ship")


def test_several_executions_none_of_which_was_cancelled():
    assert "\nbut none of its 2 executions was cancelled or left unfinished." in message(
        assert_that(support()).has_tool_execution_cancelled, "get_booking"
    )


def test_nobody_knows_whether_an_execution_that_had_not_ended_would_have_failed():
    cap = captured(invocation("support", execution("pay", outcome=UNFINISHED)))

    with pytest.raises(NotRecordedError) as caught:
        assert_that(cap).has_no_failed_tool_executions()
    assert str(caught.value) == (
        "Expected invocation 'support' to have no failed tool execution,\n"
        "but 1 execution had not ended, so nobody knows.\n"
        "Tool executions:\n"
        "  [1] pay() UNFINISHED"
    )


def blind_to_failures(*executions):
    return captured(invocation("support", *executions, recorded_by=("blind",)), visibility={"blind": frozenset({"chat"})})


@pytest.mark.parametrize(
    ("outcome", "ending"),
    [(Outcome.SUCCEEDED, "-> 'ok'"), (UNKNOWN, "-> 'ok' (outcome not reported)"), (UNFINISHED, "UNFINISHED")],
)
def test_an_adapter_that_cannot_see_failures_does_not_say_that_there_were_none(outcome, ending):
    with pytest.raises(NotRecordedError) as caught:
        assert_that(blind_to_failures(execution("pay", outcome=outcome))).has_no_failed_tool_executions()

    assert str(caught.value) == (
        "Expected invocation 'support' to have no failed tool execution,\n"
        "but the 'blind' adapter cannot see whether a tool failed.\n"
        "Tool executions:\n"
        f"  [1] pay() {ending}"
    )


def test_without_executions_none_failed_whatever_the_adapter_can_see():
    assert_that(blind_to_failures()).has_no_failed_tool_executions()


def test_a_failure_that_was_recorded_is_one_whatever_the_adapter_can_see():
    shown = message(assert_that(blind_to_failures(execution("pay"), execution("pay", error="no"))).has_no_failed_tool_executions)

    assert "\nbut 1 failed:\n  pay: no\n" in shown


def test_arguments_that_do_not_parse_match_nothing_and_are_shown_raw():
    cap = captured(invocation("support", execution("pay", '{"amount": ')))

    assert message(assert_that(cap).has_tool_executed_with, "pay", {"amount": 5}) == (
        "Expected invocation 'support' to have executed 'pay' with {'amount': 5},\n"
        "but no successful execution matched. Closest:\n"
        "  [1] pay(<not JSON: '{\"amount\": '>)\n"
        "      the arguments are no JSON object: '{\"amount\": '\n"
        "Tool executions:\n"
        "  [1] pay(<not JSON: '{\"amount\": '>) -> 'ok'"
    )


def test_exactly_in_any_order_ignores_failures_of_named_tools_and_counts_repeats():
    cap = captured(invocation("support", execution("pay", error="no"), execution("pay"), execution("look"), execution("pay")))

    assert_that(cap).has_tools_executed_exactly_in_any_order("pay", "look", "pay")
    assert "unexpected: [4] pay() -> 'ok'" in message(assert_that(cap).has_tools_executed_exactly_in_any_order, "pay", "look")


def test_exactly_in_any_order_refuses_a_tool_that_is_not_named_even_when_it_failed():
    cap = captured(invocation("support", execution("pay"), execution("refund", error="no")))

    assert "unexpected: [2] refund() FAILED no" in message(assert_that(cap).has_tools_executed_exactly_in_any_order, "pay")


def test_exactly_in_order_each_execution_has_the_arguments_of_its_pattern():
    cap = captured(invocation("support", execution("look"), execution("pay", {"n": 1}), execution("pay", {"n": 2})))
    one, two = (execution_of("pay", {"n": number}) for number in (1, 2))

    assert_that(cap).has_tools_executed_exactly_in_order("look", one, two)
    assert "\nbut the execution at position 2 is not execution_of('pay', {'n': 2}):\n" in message(
        assert_that(cap).has_tools_executed_exactly_in_order, "look", two, one
    )


def test_exactly_in_any_order_names_what_was_not_expected_once():
    cap = captured(invocation("support", execution("pay"), execution("refund")))

    assert message(assert_that(cap).has_tools_executed_exactly_in_any_order, "pay") == (
        "Expected invocation 'support' to have executed exactly, in any order, 'pay',\n"
        "but they do not pair up:\n"
        "  unexpected: [2] refund() -> 'ok'\n"
        "Tool executions:\n"
        "  [1] pay() -> 'ok'\n"
        "  [2] refund() -> 'ok'"
    )


def test_what_may_not_have_run_takes_no_position():
    cap = captured(invocation("support", unanswered("refund"), execution("pay")))

    assert "\nbut the execution at position 1 is not 'look':\n  [2] pay() -> 'ok'\n" in message(
        assert_that(cap).has_tools_executed_exactly_in_order, "look"
    )


def test_exactly_in_any_order_what_may_not_have_run_is_doubted_whether_it_was_named_or_not():
    cap = captured(invocation("support", unanswered("pay"), unanswered("refund")))

    assert "\nbut that depends on 2 requests for 'pay', 'refund' which may never have run: nothing answered.\n" in message(
        assert_that(cap).has_tools_executed_exactly_in_any_order, "pay"
    )


def test_in_any_order_an_expected_value_may_be_what_another_tool_returned():
    cap = captured(invocation("support", execution("look", {}, 7), execution("refund", {"id": 7})))
    refund, other = (execution_of("refund", {"id": result_of("look", path)}) for path in ("$", "$.id"))

    assert_that(cap).has_tools_executed_exactly_in_any_order(refund, "look")
    unknown = captured(invocation("support", execution("look", {}, 7, outcome=UNKNOWN), execution("refund", {"id": 7})))
    with pytest.raises(NotRecordedError, match="\nbut that depends on 1 execution of 'look' whose outcome was not reported"):
        assert_that(unknown).has_tools_executed_exactly_in_any_order(refund, "look")
    assert "\n  missing: execution_of('refund', {'id': result_of('look', '$.id')})\n" in message(
        assert_that(cap).has_tools_executed_exactly_in_any_order, other, "look"
    )


def test_patterns_are_paired_in_the_best_way_and_not_greedily():
    cap = captured(invocation("support", execution("pay", {"amount": 1, "to": "Ann"}), execution("pay", {"amount": 1})))
    wide, narrow = execution_of("pay", {"amount": 1}), execution_of("pay", {"to": "Ann"})

    assert_that(cap).has_tools_executed_exactly_in_any_order(wide, narrow)
    assert_that(cap).has_tools_executed_exactly_in_any_order(narrow, wide)


def test_a_long_list_of_expected_tools_is_shortened():
    shown = message(assert_that(captured(invocation())).has_tools_executed_in_order, *["pay"] * 25)

    assert "'pay', … (25 in all),\nbut no" in shown
    assert "'pay',\nbut no" in message(assert_that(captured(invocation())).has_tools_executed_in_order, *["pay"] * 20)


def test_more_unchecked_executions_than_a_message_holds_are_counted():
    cap = captured(invocation("support", *(execution("pay", {"amount": amount}) for amount in range(22))))

    assert "  … 2 more …\n" in message(assert_that(cap).has_no_more_tool_executions)


@pytest.mark.parametrize(("arguments", "repeats"), [({"amount": 1.0}, True), ({"amount": True}, False), ({"amount": 2}, False)])
def test_a_repetition_has_the_same_arguments_as_json(arguments, repeats):
    cap = captured(invocation("support", execution("pay", {"amount": 1}), execution("pay", arguments)))

    if not repeats:
        assert_that(cap).has_no_repeated_tool_executions()
        return
    assert message(assert_that(cap).has_no_repeated_tool_executions) == (
        "Expected invocation 'support' to have no repeated tool executions,\n"
        "but 1 execution repeated an earlier one:\n"
        "  [2] pay(amount=1.0) repeats [1]\n"
        "Tool executions:\n"
        "  [1] pay(amount=1) -> 'ok'\n"
        "  [2] pay(amount=1.0) -> 'ok'"
    )


def test_attempts_at_one_request_are_no_repetition():
    tries = execution("pay", {"amount": 1}, error="no", call_id="a"), execution("pay", {"amount": 1}, call_id="a", attempt=2)

    assert_that(captured(invocation("support", *tries))).has_no_repeated_tool_executions()


def test_an_attempt_hides_no_repetition_after_it():
    tries = execution("pay", {"n": 1}, error="no", call_id="a"), execution("pay", {"n": 1}, call_id="a", attempt=2)
    cap = captured(invocation("support", *tries, execution("look"), execution("look")))

    assert "\n  [4] look() repeats [3]\n" in message(assert_that(cap).has_no_repeated_tool_executions)


HIDDEN = attrs.evolve(execution("pay"), arguments=None, raw_arguments=None)


@pytest.mark.parametrize(
    "ran",
    [
        [HIDDEN],
        [HIDDEN, execution("look")],
        [HIDDEN, attrs.evolve(HIDDEN, attempt=2)],
        [execution("pay", {"n": 1}), attrs.evolve(HIDDEN, attempt=2), execution("pay", {"n": 2})],
    ],
)
def test_what_was_asked_for_once_was_not_repeated_whatever_it_was_called_with(ran):
    assert_that(captured(invocation("support", *ran))).has_no_repeated_tool_executions()


@pytest.mark.parametrize("ran", [[HIDDEN, execution("pay")], [execution("pay"), HIDDEN], [HIDDEN, HIDDEN]])
def test_whether_what_ran_with_arguments_that_nobody_recorded_was_repeated_nobody_knows(ran):
    with pytest.raises(NotRecordedError, match="\nbut the arguments of 'pay' were not recorded"):
        assert_that(captured(invocation("support", *ran))).has_no_repeated_tool_executions()


def test_what_was_repeated_for_sure_was_repeated_whatever_else_was_not_recorded():
    cap = captured(invocation("support", HIDDEN, execution("pay"), execution("pay")))

    assert "\n  [3] pay() repeats [2]\n" in message(assert_that(cap).has_no_repeated_tool_executions)


def test_a_result_that_was_not_recorded_matters_only_where_there_may_have_been_one():
    looked = execution("look", error="no"), attrs.evolve(execution("look"), outcome=FAILED, result=NOT_RECORDED)
    cap = captured(invocation("support", *looked, execution("pay", {"n": 1})))

    assert "\n      $.n: was 1, but no successful execution of 'look' had ended before\n" in message(
        assert_that(cap).has_tool_executed_with, "pay", {"n": result_of("look")}
    )


def test_how_often_a_tool_ran_of_which_some_outcomes_are_unknown():
    cap = captured(invocation("support", execution("pay"), execution("pay", outcome=UNKNOWN), execution("pay", outcome=UNKNOWN)))

    assert "\nbut it did 1 to 3 times (2 unknown).\n" in message(assert_that(cap).has_tool_executed_times, "pay", 4)


def test_what_was_cancelled_did_not_fail():
    assert_that(captured(invocation("support", execution("pay", outcome=CANCELLED)))).has_no_failed_tool_executions()


def test_a_failure_without_an_error_is_one():
    cap = captured(invocation("support", execution("pay", outcome=FAILED), execution("ship", error="")))

    assert "\nbut 2 failed:\n  pay: failed\n  ship: \n" in message(assert_that(cap).has_no_failed_tool_executions)


def test_one_execution_that_was_cancelled_here_is_enough_beside_one_that_may_not_belong_here():
    cancelled = execution("pay", outcome=CANCELLED)

    assert_that(captured(invocation("support", cancelled), strays=strays(cancelled))).has_tool_execution_cancelled("pay")


@pytest.mark.parametrize(("others", "is_told"), [([], True), ([execution("look")], False)])
def test_that_a_loop_may_have_refused_to_run_a_tool_is_told_where_nothing_else_ran(others, is_told):
    cap = captured(invocation("support", execution("pay", inferred=True), *others))

    shown = message(assert_that(cap).has_no_tool_executions)

    advice = 'if your loop refused to run it, say so with `record.approval(tool, arguments, decision="reject")`.'
    assert (advice in shown) == is_told


def test_arguments_that_do_not_parse_are_repeated_as_text():
    cap = captured(invocation("support", execution("pay", "{"), execution("pay", "{")))

    assert "[2] pay(<not JSON: '{'>) repeats [1]" in message(assert_that(cap).has_no_repeated_tool_executions)
    assert_that(captured(invocation("support", execution("pay", "{"), execution("pay", "[")))).has_no_repeated_tool_executions()


def test_arguments_that_parse_are_compared_and_not_how_they_were_written():
    ran = [execution("pay", {"n": 1}, raw_arguments=written) for written in ('{"n": 1}', '{"n":1}')]

    assert "[2] pay(n=1) repeats [1]" in message(
        assert_that(captured(invocation("support", *ran))).has_no_repeated_tool_executions
    )


def test_overlapping_is_not_before():
    first = execution("look", started_order=10, ended_order=13)
    cap = captured(invocation("support", first, execution("pay", started_order=12, ended_order=14)))

    assert "\nbut no successful 'look' had ended when 'pay' started:\n  [2] pay() -> 'ok'" in (
        message(assert_that(cap).has_tool_finished_before, "look", "pay")
    )


def test_what_starts_when_another_ends_is_not_before_its_end():
    first = execution("look", started_order=10, ended_order=12)
    cap = captured(invocation("support", first, execution("pay", started_order=12, ended_order=14)))

    assert_that(cap).has_tool_finished_before("look", "pay")


def test_every_second_must_wait_for_some_first():
    runs = execution("look"), execution("pay"), execution("look"), execution("pay")

    assert_that(captured(invocation("support", *runs))).has_tool_finished_before("look", "pay")
    assert "[1] pay()" in message(assert_that(captured(invocation("support", *runs[1:]))).has_tool_finished_before, "look", "pay")


def test_the_order_is_the_models_and_not_that_of_the_clock():
    late, early = execution("a", started_order=20, ended_order=21), execution("b", started_order=10, ended_order=11)

    assert_that(captured(invocation("support", late, early))).has_tools_executed_in_order("a", "b")
    assert_that(captured(invocation("support", late, early))).has_tools_executed_exactly_in_order("a", "b")


@pytest.mark.parametrize(
    "method",
    ["has_tools_executed_in_order", "has_tools_executed_exactly_in_order", "has_tools_executed_exactly_in_any_order"],
)
def test_secrets_and_long_texts_of_patterns_stay_out_of_messages(method):
    chain = assert_that(captured(invocation("support", execution("login", {"password": "other1"}))))
    pattern = execution_of("login", {"password": "hunter2", "note": "a" * 1_000_000})

    shown = message(getattr(chain, method), pattern)

    assert "'password': '***'" in shown
    assert "hunter2" not in shown
    assert "other1" not in shown
    assert len(shown) < 3_000
    assert "hunter2" not in repr(chain)


def test_the_books_mask_secrets():
    chain = assert_that(captured(invocation("support", execution("login", {"password": "hunter2"}))))

    chain.has_tools_executed_in_order(execution_of("login", {"password": "hunter2"}))

    assert "execution_of('login', {'password': '***'})" in repr(chain)


@pytest.mark.parametrize("key", ["$['password']", "$.credentials[0]", "$..token"])
def test_a_path_to_a_secret_masks_what_is_expected_there(key):
    chain = assert_that(captured(invocation("support", execution("login"))))

    assert "hunter2" not in message(chain.has_tool_executed_with, "login", {key: "hunter2"})


def test_a_reference_to_a_secret_is_masked():
    cap = captured(invocation("support", execution("look", {}, {"token": "hunter2"}), execution("login", {"user": "ann"})))

    shown = message(assert_that(cap).has_tool_executed_with, "login", {"user": result_of("look", "$.token")})

    assert "$.user: was 'ann', but result_of('look', '$.token') is '***'" in shown
    assert "hunter2" not in shown


def test_of_many_results_that_a_reference_may_mean_some_are_shown():
    looked = [execution("look", {}, number) for number in range(5)]
    cap = captured(invocation("support", *looked, execution("pay", {"n": 7})))

    shown = message(assert_that(cap).has_tool_executed_with, "pay", {"n": result_of("look")})

    assert "$.n: was 7, but result_of('look') is 0 or 1 or 2 or … 2 more …" in shown


def test_whether_what_was_not_stored_was_repeated_nobody_knows():
    client, other = object(), object()
    stored = captured(
        invocation("support", execution("ask", {"n": 1, "by": [client]}), execution("ask", {"n": 1, "by": [other]}))
    )

    with pytest.raises(NotRecordedError) as caught:
        assert_that(stored).has_no_repeated_tool_executions()
    assert str(caught.value).startswith(
        "Expected invocation 'support' to have no repeated tool executions,\n"
        "but 1 execution may have: the stored capture lacks arguments that were no JSON:\n"
        "  [2] ask(n=1, by=[<not stored: builtins.object <object object>>]) repeats [1]\n"
        "Assert it on the capture itself, before it is stored."
    )


def test_executions_that_differ_in_what_was_stored_are_no_repeats():
    ran = [
        execution("ask", {"n": 1, "by": object()}),
        execution("ask", {"n": 2, "by": object()}),
        execution("ask", {"n": 1, "by": 3}),
    ]

    assert_that(
        captured(invocation("support", *ran, execution("ask", {"n": 1, "by": lambda: 0})))
    ).has_no_repeated_tool_executions()


def test_arguments_may_refer_to_what_an_earlier_execution_returned():
    cap = captured(
        invocation(
            "support", execution("look", {}, {"charge": {"id": 7}}), execution("refund", {"charge": "7"}), execution("look")
        )
    )
    charge = result_of("look", "$.charge.id")

    assert_that(cap).has_tool_executed_with("refund", {"charge": charge})
    assert_that(cap).has_tools_executed_in_order("look", execution_of("refund", {"charge": charge}))


def test_tools_of_an_invocation_whose_failure_was_expected_can_be_asserted_on():
    assert_that(captured(failed("support", execution("pay")))).has_failed_with(TimeoutError).has_tool_executed("pay")


@pytest.mark.parametrize(
    ("method", "arguments", "error", "text"),
    [
        ("has_tool_executed", (3,), TypeError, "has_tool_executed: name must be a string, but was 3 (int)"),
        (
            "has_tool_executed",
            ("",),
            ValueError,
            "has_tool_executed: name must not be empty, which would match everything or nothing",
        ),
        (
            "has_no_tool_executions",
            (["a", "b"],),
            TypeError,
            "has_no_tool_executions: name must be a string, but was ['a', 'b'] (list)",
        ),
        (
            "has_tool_executed_times",
            ("a", True),
            TypeError,
            "has_tool_executed_times: n must be a whole number, but was True (bool)",
        ),
        (
            "has_tool_executed_times",
            ("a", 1.0),
            TypeError,
            "has_tool_executed_times: n must be a whole number, but was 1.0 (float)",
        ),
        ("has_tool_executed_times", ("a", -1), ValueError, "has_tool_executed_times: n must be 0 or more, but was -1"),
        (
            "has_tool_executed_times_at_least",
            ("a", 0),
            ValueError,
            "has_tool_executed_times_at_least: n must be 1 or more, but was 0; "
            "to say that it did not run at all use has_no_tool_executions('a')",
        ),
        (
            "has_tool_executed_with",
            ("a", {}),
            ValueError,
            "has_tool_executed_with: no arguments are expected, which every execution would match; use has_tool_executed('a'), "
            "or has_tool_executed_with_exactly('a', {}) to say that there were none",
        ),
        (
            "has_tools_executed_in_order",
            (),
            ValueError,
            "has_tools_executed_in_order needs at least one tool; to say that none ran, use has_no_tool_executions()",
        ),
        (
            "has_tools_executed_exactly_in_order",
            (),
            ValueError,
            "has_tools_executed_exactly_in_order needs at least one tool; to say that none ran, use has_no_tool_executions()",
        ),
        (
            "has_tools_executed_exactly_in_any_order",
            (["a", "b"],),
            TypeError,
            "has_tools_executed_exactly_in_any_order: each tool must be a name or execution_of(...), but was ['a', 'b']; "
            "write each as an argument of its own",
        ),
        (
            "has_tools_executed_in_order",
            (captured,),
            TypeError,
            "has_tools_executed_in_order: each tool must be a name or execution_of(...), but was <function captured>; "
            "write 'captured'",
        ),
        (
            "has_tools_executed_in_order",
            (3,),
            TypeError,
            "has_tools_executed_in_order: each tool must be a name or execution_of(...), but was 3",
        ),
        ("has_tools_executed_in_order", ("",), ValueError, "has_tools_executed_in_order: a tool must not be empty"),
        (
            "has_tool_finished_before",
            ("a", "a"),
            ValueError,
            "has_tool_finished_before: first and second must differ, but both were 'a'",
        ),
    ],
)
def test_a_mistake_in_the_test_is_told_with_the_value_the_place_and_the_fix(method, arguments, error, text):
    with pytest.raises(error) as caught:
        getattr(assert_that(support()), method)(*arguments)

    assert str(caught.value).startswith(text)


def test_a_class_as_an_expected_value_is_refused():
    with pytest.raises(TypeError, match="int"):
        assert_that(support()).has_tool_executed_with("cancel_booking", {"booking_number": int})
