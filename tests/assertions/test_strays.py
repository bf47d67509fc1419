"""What was recorded outside every invocation blocks only the assertions that it could change."""

from __future__ import annotations

import pytest

from agentassert import AmbiguousError, ChatModelCall, NotRecordedError, assert_that
from tests.assertions.every_assertion import UNSCOPED
from tests.factories import approval, captured, chat, execution, invocation, message, strays

PLACE = "Assert after whole_capture() if that belongs to the run, or keep it out of the block if it does not."


def beside(other, *executions, **fields):
    return captured(invocation("support", *executions, **fields), strays=other)


def undecided(method, cap, *arguments):
    with pytest.raises(AmbiguousError) as caught:
        getattr(assert_that(cap), method)(*arguments)
    return str(caught.value)


def test_an_assertion_that_a_stray_could_change_names_it_and_the_way_out():
    cap = beside(strays(execution("mail")), execution("pay"))

    assert undecided("has_tool_executed", cap, "mail") == (
        "Expected invocation 'support' to have executed 'mail',\n"
        "but that depends on 1 execution of 'mail' recorded outside every invocation.\n"
        f"{PLACE}\n"
        "Tool executions:\n"
        "  [1] pay() -> 'ok'\n"
        "Recorded outside every invocation:\n"
        "  [2] mail() -> 'ok'"
    )
    assert_that(cap).whole_capture().has_tool_executed("mail").has_tool_executed("pay")


def test_what_a_stray_could_not_change_is_decided():
    cap = beside(strays(execution("mail")), execution("pay"))

    assert_that(cap).has_tool_executed("pay").has_no_tool_executions("ship").has_no_failed_tool_executions()
    assert_that(cap).has_succeeded().arguments_of("pay").is_length(1)
    assert "\nbut it executed 'pay' once." in message(assert_that(cap).has_no_tool_executions)
    assert "\nbut 1 failed" in message(
        assert_that(beside(strays(execution("x")), execution("y", error="no"))).has_no_failed_tool_executions
    )


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("has_no_tool_executions", ("mail",)),
        ("has_tool_execution_failed", ("call",)),
        ("has_tools_executed_exactly_in_order", ("pay",)),
        ("has_tools_executed_exactly_in_any_order", ("pay",)),
        ("has_tools_executed_in_order", ("pay", "mail")),
        ("has_tool_finished_before", ("pay", "mail")),
        ("has_no_failed_tool_executions", ()),
        ("executed_tool_names", ()),
        ("tool_executions", ()),
        ("results_of", ("mail",)),
    ],
)
def test_tools_that_may_belong_to_the_run_leave_these_undecided(method, arguments):
    cap = beside(strays(execution("mail"), execution("call", error="no")), execution("pay"))

    assert "recorded outside every invocation.\n" + PLACE in undecided(method, cap, *arguments)


def test_unmarked_strays_leave_it_undecided_whether_everything_was_checked():
    cap = beside(strays(execution("mail")), execution("pay"))
    assert_that(cap).has_tool_executed("pay")

    assert "\nbut that depends on 1 execution of 'mail' recorded outside" in undecided("has_no_more_tool_executions", cap)
    assert_that(cap).whole_capture().has_tool_executed("mail")
    assert_that(cap).has_no_more_tool_executions()


def test_the_model_calls_of_a_user_simulator_block_only_what_they_could_change():
    cap = beside(strays(calls=[chat("Hi", tokens=100, requests=["ask"])]), calls=[chat("Hello", tokens=10, requests=["pay"])])

    assert_that(cap).has_succeeded().has_no_tool_executions().has_total_tokens_at_most(110).has_tool_requested("pay")
    assert_that(cap).has_own_chat_model_call_count_at_most(2).has_no_tool_requested("ship")
    found = "but that depends on 1 model call recorded outside every invocation.\n" + PLACE
    assert found in undecided("has_own_chat_model_call_count", cap, 1)
    assert found in undecided("has_own_chat_model_call_count_at_most", cap, 1)
    assert found in undecided("has_model_call_count", cap, ChatModelCall, 2)
    assert found in undecided("has_total_tokens_at_most", cap, 50)
    assert "\nbut that depends on requests recorded outside" in undecided("has_tool_requested", cap, "ask")
    assert "\nbut that depends on requests recorded outside" in undecided("has_no_tool_requested", cap, "ask")
    assert "\nbut it used 10." in message(assert_that(cap).has_total_tokens_at_most, 9)


def test_a_count_out_of_reach_is_decided():
    cap = beside(strays(calls=[chat()]), calls=[chat()])

    assert "\nbut it made 1:\n  chat small: 1\n" in message(assert_that(cap).has_own_chat_model_call_count, 3)
    assert "\nbut it made 1:" in message(assert_that(cap).has_model_call_count, 0)


def test_a_stray_that_reported_no_tokens_leaves_it_undecided():
    assert "\nbut that depends on 1 model call" in undecided(
        "has_total_tokens_at_most", beside(strays(calls=[chat()]), calls=[chat(tokens=1)]), 5
    )


def test_without_model_calls_of_its_own_nobody_knows_the_tokens_or_requests():
    cap = beside(strays(calls=[chat(tokens=1)]))

    for method, argument in (("has_total_tokens_at_most", 5), ("has_no_tool_requested", "pay"), ("has_tool_requested", "pay")):
        with pytest.raises(NotRecordedError):
            getattr(assert_that(cap), method)(argument)


@pytest.mark.parametrize(
    ("stray_at", "index", "decided"),
    [(1, 0, False), (90, 0, True), (1, -1, True), (90, -1, False), (50, 1, False), (50, -1, True)],
)
def test_a_chat_model_call_is_decided_unless_a_stray_could_take_its_place(stray_at, index, decided):
    calls = [chat("one", started_order=20), chat("two", started_order=60)]
    cap = beside(strays(calls=[chat("stray", started_order=stray_at)]), calls=calls)

    if decided:
        assert_that(cap).chat_model_call(index).has_response_containing("one" if index == 0 else "two")
    else:
        assert "\nbut that depends on model calls recorded outside every invocation.\n" + PLACE in undecided(
            "chat_model_call", cap, index
        )


def test_a_chat_model_call_that_only_a_stray_could_be():
    cap = beside(strays(calls=[chat()]), calls=[chat()])

    assert "depends on model calls" in undecided("chat_model_call", cap, -2)
    assert "\nbut it made 1." in message(assert_that(cap).chat_model_call, 2)


def test_sources_that_may_belong_to_the_run():
    cap = beside(strays(sources=["Rome"]), sources=["Paris"])
    assert_that(cap).has_retrieved_source_containing("Paris")
    assert "\nbut the only one does not:\n  'Paris'\n" in message(assert_that(cap).has_retrieved_source_containing, "Oslo")
    assert "\nbut it retrieved 1:" in message(assert_that(cap).has_no_retrieved_sources)
    assert "\nbut that depends on sources recorded outside" in undecided("has_retrieved_source_containing", cap, "Rome")
    assert "depends on sources" in undecided("has_no_retrieved_sources", beside(strays(sources=["Rome"]), sources=[]))


def test_a_retriever_outside_of_the_invocation_says_nothing_about_it():
    for other in (strays(sources=[]), strays(sources=["Rome"])):
        with pytest.raises(NotRecordedError, match="no retriever was seen"):
            assert_that(beside(other)).has_no_retrieved_sources()
    assert_that(beside(strays(execution("mail")), sources=[])).has_no_retrieved_sources()


def test_approvals_that_may_belong_to_the_run():
    cap = beside(
        strays(approvals=(approval("ship", None, "approve"), approval("fly"), approval("pay", None, "approve"))),
        approvals=(approval("pay", None, "approve"),),
    )

    assert_that(cap).has_tool_approved("pay")
    for method, arguments in (
        ("has_tool_approved", ("ship",)),
        ("has_approval_requested", ("fly",)),
        ("has_no_pending_approvals", ()),
    ):
        assert "\nbut that depends on approvals recorded outside every invocation.\n" + PLACE in undecided(
            method, cap, *arguments
        )


def test_repetitions_among_strays_are_undecided_and_own_ones_are_not():
    same = execution("pay", {"n": 1})

    assert "2 executions of 'pay' recorded outside" in undecided("has_no_repeated_tool_executions", beside(strays(same, same)))
    assert "[2] pay(n=1) repeats [1]" in message(assert_that(beside(strays(same), same, same)).has_no_repeated_tool_executions)


def test_how_an_invocation_ended_is_no_question_of_strays():
    assert "has_succeeded" in UNSCOPED
    assert_that(beside(strays(execution("mail", error="no")))).has_succeeded().output().is_none()


def test_strays_can_be_asserted_on_themselves():
    cap = beside(strays(execution("mail")), execution("pay"))

    assert_that(cap.strays).has_tools_executed_exactly_in_order("mail").has_no_more_tool_executions()


def test_beside_strays_each_invocation_can_be_asserted_on():
    nested = invocation("reader", execution("read"))
    cap = captured(invocation("one", execution("look")), invocation("two", nested=[nested]), strays=strays(execution("mail")))

    assert_that(cap.invocations[0]).has_tool_executed("look")
    assert_that(cap.invocations[1]).nested_invocation("reader").has_tool_executed("read")


def test_what_strays_started_is_theirs_and_counts_once():
    cap = captured(invocation("support"), strays=strays(execution("mail"), nested=[invocation("reader", execution("read"))]))
    chain = assert_that(cap.strays).including_nested()

    chain.has_tool_executed_times("mail", 1).has_tools_executed_exactly_in_any_order("read", "mail")
    assert "Recorded outside" not in message(chain.has_tool_executed, "ship")
