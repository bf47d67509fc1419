"""`meets`: the expectations of a suite, asked of one invocation, and all that are not met told at once."""

from __future__ import annotations

import warnings

import attrs
import pytest

from agentassert import (
    NOT_RECORDED,
    AdapterError,
    AgentAssertionError,
    AmbiguousError,
    Invocation,
    NotRecordedError,
    Status,
    UnknownToolWarning,
    assert_that,
    capture,
    record,
)
from agentassert.expressions import ExpectationError, Expectations, unmet
from tests.factories import (
    CANCELLED,
    UNFINISHED,
    UNKNOWN,
    captured,
    chat,
    execution,
    failed,
    invocation,
    message,
    strays,
    unanswered,
)


def support(*executions, **fields):
    return captured(invocation("support", *executions, **fields))


def unseen(name):
    """An execution of which nobody recorded the arguments."""
    return attrs.evolve(execution(name), arguments=None, raw_arguments=None)


def test_every_expectation_that_is_not_met_is_told_in_one_failure():
    cap = support(
        execution("pay", {"amount": 5}),
        output='{"id": 9}',
        nested=[invocation("reader", input={"id": 1}, output="a", awaited=True)],
    )
    told = message(
        assert_that(cap).meets,
        expected_result="output.id == 10",
        expected_tool_calls=["ship", "pay", {"pay": "params.amount == 6"}],
        expected_tool_call_order=["pay", "pay"],
        expected_no_tool_calls=["pay", "look"],
        expected_child_agents={"reader": {"expected_result": "output == 'b'"}, "writer": {}},
    )

    assert told == (
        "Expected invocation 'support' to meet everything that is expected,\n"
        "but 7 expectations are not met:\n"
        "  to satisfy output.id == 10, but output.id was 9\n"
        "  to have executed 'ship', but it was never executed\n"
        "  to have executed 'pay' so that params.amount == 6, but none of its executions matched\n"
        "      [1] pay(amount=5)\n"
        "          params.amount was 5\n"
        "  to have started in this order 'pay', 'pay', but after [1] pay 'pay' did not start\n"
        "  to have executed no 'pay', but it had 1 execution of 'pay'\n"
        "  to have triggered 'reader', but its only invocation does not meet what is expected\n"
        "      to satisfy output == 'b', but output was 'a'\n"
        "  to have triggered 'writer', but it triggered 'reader'\n"
        "Tool executions:\n"
        "  [1] pay(amount=5) -> 'ok'"
    )


def test_the_error_carries_a_line_for_each():
    with pytest.raises(AgentAssertionError) as caught:
        assert_that(support()).meets(expected_tool_calls=["ship"], expected_result="output == 1")

    assert caught.value.differences == (
        "to satisfy output == 1, but output was None",
        "to have executed 'ship', but it was never executed",
    )


def test_a_count_is_explained_with_the_executions_that_did_not_count():
    cap = support(*(execution("add", {"a": number}) for number in range(8)))

    assert message(assert_that(cap).meets, expected_tool_calls=[{"add": "params.a == 9 and invocations == 1"}]).startswith(
        "Expected invocation 'support' to have executed 'add' so that params.a == 9 and invocations == 1,\n"
        "but invocations was 0:\n"
        "  [1] add(a=0)\n"
        "      params.a was 0\n"
        "  [2] add(a=1)\n"
        "      params.a was 1\n"
        "  [3] add(a=2)\n"
        "      params.a was 2\n"
        "  [4] add(a=3)\n"
        "      params.a was 3\n"
        "  [5] add(a=4)\n"
        "      params.a was 4\n"
        "  … 3 more …\n"
        "Tool executions:\n"
    )


def test_it_marks_the_executions_that_it_was_about():
    cap = support(execution("pay", {"n": 1}), execution("pay", {"n": 2}, error="no"), execution("look"), execution("ship"))

    assert_that(cap).meets(expected_tool_calls=["pay"], expected_tool_call_order=["pay", "look"])
    assert "1 execution was not checked before:\n  [4] ship() -> 'ok'" in message(assert_that(cap).has_no_more_tool_executions)
    assert_that(cap).meets(expected_tool_calls=["ship"]).has_no_more_tool_executions()


def test_it_marks_only_what_the_filter_let_through():
    cap = support(execution("pay", {"n": 1}), execution("pay", {"n": 2}))

    assert_that(cap).meets(expected_tool_calls=[{"pay": "params.n == 2"}])
    assert "[1] pay(n=1)" in message(assert_that(cap).has_no_more_tool_executions)


def test_it_marks_what_it_checked_in_the_agent_that_was_triggered():
    reader = invocation("reader", execution("look"), awaited=True)
    cap = support(execution("trigger"), nested=[reader])

    assert_that(cap).meets(
        expected_tool_calls=["trigger"], expected_child_agents={"reader": {"expected_tool_calls": ["look"]}}
    ).including_nested().has_no_more_tool_executions()


def test_it_marks_nothing_when_one_expectation_is_not_met():
    cap = support(execution("pay"))

    message(assert_that(cap).meets, expected_tool_calls=["pay", "ship"])
    assert "1 execution was not checked before" in message(assert_that(cap).has_no_more_tool_executions)


def test_one_on_status_or_error_that_passes_unlocks_the_chain():
    cap = captured(failed("support", execution("pay"), error="no answer"))

    assert_that(cap).meets(expected_result="'no answer' in error", expected_tool_calls=["pay"]).has_tool_executed("pay")


def test_results_are_read_where_an_execution_returned_one():
    cap = support(
        execution("look", result={"id": 1}),
        execution("look", error="no", result={"id": 1}),
        execution("look", outcome=UNKNOWN, result={"id": 1}),
        execution("look", outcome=UNFINISHED),
    )

    assert_that(cap).meets(expected_tool_calls=[{"look": "result.id == 1 and invocations == 2"}, {"look": "invocations == 4"}])
    assert_that(cap).meets(expected_tool_calls=[{"look": "result.id != 1 and invocations == 0"}])


def test_what_a_server_answered_says_whether_it_is_an_error_and_has_parts():
    answer = {"content": [{"type": "text", "text": "gone"}], "isError": False}
    with capture() as cap, record.invocation("support"):
        record.tool_execution("look", result=answer)
        record.tool_execution("count", result="3")
        record.tool_execution("quote", result={"content": "x"})
    told = assert_that(cap)

    told.meets(expected_tool_calls=[{"look": "result.is_error == false and result.parts[0].text == 'gone' and result.content"}])
    told.meets(expected_tool_calls=[{"count": "result.is_error == false and result == 3"}])
    told.meets(expected_tool_calls=[{"count": "result.parts and invocations == 0"}])
    told.meets(expected_tool_calls=[{"quote": "result.parts and invocations == 0"}, {"quote": "result.content == 'x'"}])


def test_a_failure_that_the_model_was_told_is_an_answer_and_one_that_was_raised_is_none():
    with capture() as cap, record.invocation("support"):
        record.tool_execution("look", result="gone", error="gone")
        record.tool_execution("look", error=TimeoutError("no answer"))

    assert_that(cap).meets(expected_tool_calls=[{"look": "result.is_error == true and invocations == 1"}])
    assert_that(cap).meets(expected_tool_calls=[{"look": "result.is_error and invocations == 1"}])
    assert_that(cap).meets(expected_tool_calls=[{"look": "result == 'gone' and invocations == 0"}])


def test_whether_an_answer_is_an_error_is_known_without_the_answer():
    cap = support(execution("look", result=NOT_RECORDED), execution("note", result=None), execution("wait", outcome=CANCELLED))

    assert_that(cap).meets(expected_tool_calls=[{"look": "result.is_error == false"}, {"note": "result.is_error == false"}])
    assert_that(cap).meets(expected_tool_calls=[{"wait": "not result.is_error and invocations == 1"}])
    assert_that(cap).meets(expected_tool_calls=[{"wait": "result.is_error == false and invocations == 0"}])
    for unknown in ("result.id == 1", "result.parts", "result.is_error == result.flag"):
        with pytest.raises(NotRecordedError, match="which nobody recorded"):
            assert_that(cap).meets(expected_tool_calls=[{"look": unknown}])


def test_an_own_field_of_a_result_comes_first():
    cap = support(execution("look", result={"is_error": "never", "parts": 2}))

    assert_that(cap).meets(expected_tool_calls=[{"look": "result.is_error == 'never' and result.parts == 2"}])


def test_an_unknown_outcome_is_a_call_and_leaves_open_whether_the_answer_is_an_error():
    cap = support(execution("look", outcome=UNKNOWN, result="x", inferred=True))

    assert_that(cap).meets(expected_tool_calls=[{"look": "invocations == 1 and result == 'x'"}])
    with pytest.raises(NotRecordedError, match=r"\nbut that depends on result\.is_error, which nobody recorded\."):
        assert_that(cap).meets(expected_tool_calls=[{"look": "result.is_error == true"}])


def test_arguments_that_nobody_saw_decide_nothing():
    cap = support(execution("look", {"n": 1}), unseen("look"))

    assert_that(cap).meets(expected_tool_calls=[{"look": "params.n == 1"}, {"look": "invocations == 2"}])
    with pytest.raises(NotRecordedError, match=r"\nbut that depends on params\.n, which nobody recorded"):
        assert_that(cap).meets(expected_tool_calls=[{"look": "params.n == 1 and invocations == 1"}])


def test_a_request_that_nothing_answered_may_or_may_not_have_run():
    cap = support(execution("pay", {"n": 1}), unanswered("pay", {"n": 2}))

    for undecided in (
        {"expected_tool_calls": [{"pay": "invocations == 1"}]},
        {"expected_tool_calls": [{"pay": "params.n == 2"}]},
        {"expected_tool_calls": [{"pay": "params.n == 2 and result == 1"}]},
        {"expected_tool_call_order": ["pay", "pay"]},
    ):
        with pytest.raises(NotRecordedError, match="depends on 1 request for 'pay' which may never have run"):
            assert_that(cap).meets(**undecided)
    assert_that(cap).meets(expected_tool_calls=["pay", {"pay": "invocations <= 2"}], expected_tool_call_order=["pay"])
    assert "invocations was 1 to 2" in message(assert_that(cap).meets, expected_tool_calls=[{"pay": "invocations == 3"}])
    with pytest.raises(NotRecordedError, match="to have executed no 'pay'"):
        assert_that(support(unanswered("pay", {"n": 2}))).meets(expected_no_tool_calls=["pay"])


def test_an_invocation_that_runs_meets_nothing():
    with capture() as cap, record.invocation("support"):
        assert "\nbut it has not finished" in message(assert_that(cap).meets, expected_no_tool_calls=["pay"])
        assert [one.found for one in unmet(cap.invocation, Expectations.parse({}))] == ["but it has not finished"]


def test_a_result_that_may_still_come_decides_nothing_while_the_block_is_open():
    @record.tool
    def slow():
        yield 1

    with capture(wait=0.01) as cap:
        with record.invocation("support"):
            running = slow()
            next(running)
        assert_that(cap).meets(expected_tool_calls=["slow", {"slow": "invocations == 1"}], expected_tool_call_order=["slow"])
        with pytest.raises(NotRecordedError, match=r"depends on 1 execution of 'slow' that has not ended\.\nWait for its result"):
            assert_that(cap).meets(expected_tool_calls=[{"slow": "result == 1"}])
        assert "2 executions" not in message(assert_that(cap).has_no_more_tool_executions)
        running.close()


def test_what_was_recorded_outside_every_invocation_decides_only_what_it_could_not_change():
    cap = captured(invocation("support", execution("pay")), strays=strays(execution("mail")))

    assert_that(cap).meets(expected_tool_calls=["pay", {"mail": "invocations <= 1"}], expected_no_tool_calls=["ship"])
    with pytest.raises(AmbiguousError, match="depends on 1 execution of 'mail' recorded outside every invocation"):
        assert_that(cap).meets(expected_no_tool_calls=["mail"])
    with pytest.raises(AmbiguousError):
        assert_that(cap).meets(expected_tool_calls=["mail"])
    assert [one.kind for one in unmet(cap.invocation, Expectations.parse({"expected_tool_calls": ["mail"]}))] == [AmbiguousError]


def test_what_is_unmet_for_certain_comes_before_what_nobody_can_decide():
    cap = captured(invocation("support"), strays=strays(execution("mail")))

    with pytest.raises(AgentAssertionError) as caught:
        assert_that(cap).meets(expected_tool_calls=["mail", "pay"])
    assert type(caught.value) is AgentAssertionError
    assert "recorded outside every invocation\n      Assert after whole_capture()" in str(caught.value)
    with pytest.raises(AmbiguousError, match="\nbut 2 expectations are not met"):
        assert_that(cap).meets(expected_tool_calls=["mail"], expected_no_tool_calls=["mail"])


def test_a_full_name_whose_last_part_alone_was_recorded_is_asked_about():
    cap = support(execution("add"))

    for expected in ({"expected_tool_calls": ["math.add"]}, {"expected_no_tool_calls": ["math.add"]}):
        with pytest.raises(AmbiguousError, match="\nbut a tool was recorded as 'add', which may be"):
            assert_that(cap).meets(**expected)


def test_a_short_name_that_fits_one_tool_is_that_tool_and_a_full_one_is_only_itself():
    cap = support(execution("math.add"), execution("add"), execution("list.map"))

    assert_that(cap).meets(
        expected_tool_calls=[{"add": "invocations == 1"}, "map", "list.map"], expected_tool_call_order=["add", "map"]
    )
    assert "it had 2 executions of 'add', 'math.add'" in message(assert_that(cap).meets, expected_no_tool_calls=["add"])


def test_a_misspelt_name_that_must_not_be_called_is_warned_about():
    cap = support(execution("pay"), calls=[chat(tools_offered=("pay", "shop.delete"))])

    with pytest.warns(UnknownToolWarning, match="No tool 'delte' was offered to the model or executed. Did you mean"):
        assert_that(cap).meets(expected_no_tool_calls=["delte"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_that(cap).meets(expected_no_tool_calls=["delete", "shop.delete"])
    assert "Did you mean 'pay'?" in message(assert_that(cap).meets, expected_tool_calls=["payy"])


def test_gates_of_a_condition_and_counts_read_the_context():
    cap = support(execution("pay"), execution("pay"))

    assert_that(cap).meets(
        expected_tool_calls=[{"pay": "invocations == context.times and context.on"}], context={"times": 2, "on": 1}
    )
    assert "invocations was 2; context.times was 3" in message(
        assert_that(cap).meets, expected_tool_calls=[{"pay": "invocations == context.times"}], context={"times": 3}
    )


@pytest.mark.parametrize(
    "condition",
    [
        "invocations >= 0",
        "invocations > -1",
        "invocations != -1",
        "invocations < 3 or invocations > 2",
        "invocations >= 0 or context.often",
        "context.often or invocations > 2.5 or invocations <= 2 or not context.often",
    ],
)
def test_a_count_that_every_number_satisfies_is_refused(condition):
    with pytest.raises(ExpectationError, match="holds for every number of executions, so it asks for nothing"):
        assert_that(support()).meets(expected_tool_calls=[{"pay": condition}])


@pytest.mark.parametrize(
    ("condition", "context"),
    [
        ("invocations", {}),
        ("invocations != 3", {}),
        ("invocations <= 2 or invocations >= 4", {}),
        ("invocations < 2.5 or invocations > 3", {}),
        ("invocations >= context.least", {"least": 2}),
        ("invocations == 1 or not context.once", {"once": False}),
        ("not context.off and invocations == 2", {"off": False}),
    ],
)
def test_a_count_that_some_number_or_context_does_not_satisfy_is_read(condition, context):
    assert_that(support(execution("pay"), execution("pay"))).meets(expected_tool_calls=[{"pay": condition}], context=context)


def test_every_word_about_the_number_counts():
    cap = support(execution("pay"), execution("pay"))

    assert "invocations was 2" in message(
        assert_that(cap).meets, expected_tool_calls=[{"pay": "invocations >= 1 and invocations <= 1"}]
    )


def test_children_are_looked_at_recursively():
    publisher = invocation("publisher", execution("publish", {"topic": "summaries"}), awaited=True)
    cap = captured(invocation("desk", nested=[invocation("summarizer", nested=[publisher], awaited=True)]))

    def inside(topic):
        return {
            "summarizer": {
                "expected_child_agents": {"publisher": {"expected_tool_calls": [{"publish": f"params.topic == context.{topic}"}]}}
            }
        }

    context = {"right": "summaries", "wrong": "x"}
    assert_that(cap).meets(expected_child_agents=inside("right"), context=context)
    assert "params.topic was 'summaries'" in message(
        assert_that(cap).meets, expected_child_agents=inside("wrong"), context=context
    )
    assert "'summarizer' triggered it: expect it among the child agents of that one." in message(
        assert_that(cap).meets, expected_child_agents={"publisher": {}}
    )


def test_a_child_that_is_looked_at_in_vain_says_why_for_each_invocation():
    cap = support(
        nested=[
            invocation("reader", output="a", awaited=True),
            invocation("reader", output="b", awaited=True),
            invocation("reader", output="c", awaited=False),
        ]
    )

    assert message(assert_that(cap).meets, expected_child_agents={"reader": {"expected_result": "output == 'c'"}}).startswith(
        "Expected invocation 'support' to have triggered 'reader',\n"
        "but none of 2 invocations of it meets what is expected:\n"
        "  1. to satisfy output == 'c', but output was 'a'\n"
        "  2. to satisfy output == 'c', but output was 'b'\n"
    )


def test_what_nobody_can_decide_about_a_child_is_decided_by_nobody():
    open_one = invocation("reader", unseen("pay"), awaited=True)
    cap = support(nested=[invocation("reader", awaited=True), open_one])

    with pytest.raises(NotRecordedError):
        assert_that(cap).meets(expected_child_agents={"reader": {"expected_tool_calls": [{"pay": "params.n == 1"}]}})
    assert_that(cap).meets(expected_child_agents={"reader": {"expected_no_tool_calls": ["pay"]}})


def test_several_triggers_that_nobody_waited_for_are_told_so():
    cap = support(nested=[invocation("reader", awaited=False), invocation("reader", awaited=False)])

    assert "\nbut none of 2 was waited for." in message(
        assert_that(cap).meets, expected_child_agents={"reader": {"expected_tool_calls": ["look"]}}
    )


def test_a_child_that_did_not_finish_meets_nothing():
    cap = support(nested=[invocation("reader", status=Status.UNFINISHED, awaited=True)])

    assert " but it has not finished" in message(
        assert_that(cap).meets, expected_child_agents={"reader": {"expected_result": "status == 'unfinished'"}}
    )


def test_nothing_expected_is_refused_and_so_is_what_cannot_be_read():
    with pytest.raises(ValueError, match="meets: nothing is expected; give expected_result, expected_tool_calls or another"):
        assert_that(support()).meets()
    with pytest.raises(ValueError, match="expected_tool_calls: it is empty, so it expects nothing"):
        assert_that(support()).meets(expected_tool_calls=[])
    with pytest.raises(ValueError, match="expected_no_tool_calls: it must be a list, but was 'pay'"):
        assert_that(support()).meets(expected_no_tool_calls="pay")


def test_what_passed_stands_in_the_books():
    chain = assert_that(support(execution("pay"))).meets(expected_tool_calls=["pay"], expected_no_tool_calls=["ship"])

    assert "passed: meets(expected_tool_calls=['pay'], expected_no_tool_calls=['ship'])" in repr(chain)


def test_a_broken_recording_meets_nothing():
    cap = captured(invocation("support", execution("pay")), faults=("the fake adapter broke: KeyError",))
    expectations = Expectations.parse({"expected_tool_calls": ["pay"]})

    with pytest.raises(AdapterError):
        assert_that(cap).meets(expected_tool_calls=["pay"])
    assert [(one.kind, one.details) for one in unmet(cap.invocation, expectations)] == [
        (AdapterError, ("the fake adapter broke: KeyError",))
    ]


def test_an_invocation_of_no_capture_is_looked_at_for_itself():
    alone = Invocation(id="1", name="support", tool_executions=(execution("pay", id="2"),))

    assert unmet(alone, Expectations.parse({"expected_tool_calls": ["pay"]})) == []
    assert [one.found for one in unmet(alone, Expectations.parse({"expected_tool_calls": ["ship"]}))] == [
        "but it was never executed"
    ]


def by_searcher(**fields):
    """A wrapper around an agent that looked."""
    return captured(invocation("wrapper", nested=[invocation("searcher", execution("look", {"n": 1}), awaited=True)], **fields))


@pytest.mark.parametrize(
    "unclear", [{"expected_no_tool_calls": ["look"]}, {"expected_tool_calls": [{"look": "params.n == 1 and invocations == 0"}]}]
)
def test_what_was_not_called_here_but_below_is_asked_about(unclear):
    with pytest.raises(AmbiguousError, match="\nbut nested invocation 'searcher' executed it"):
        assert_that(by_searcher()).meets(**unclear)
    assert_that(by_searcher()).meets(**unclear, expected_child_agents={"searcher": {"expected_tool_calls": ["look"]}})


def test_what_was_not_called_here_is_asked_about_at_any_depth():
    desk = invocation("desk", nested=[invocation("searcher", execution("look"), awaited=True)], awaited=True)
    cap = captured(invocation("wrapper", nested=[desk]))

    with pytest.raises(AmbiguousError, match="\nbut nested invocation 'searcher' executed it"):
        assert_that(cap).meets(expected_no_tool_calls=["look"], expected_child_agents={"desk": {}})
    assert_that(cap).meets(
        expected_no_tool_calls=["look"], expected_child_agents={"desk": {"expected_child_agents": {"searcher": {}}}}
    )


def test_a_count_that_holds_below_as_well_is_clear():
    assert_that(by_searcher()).meets(
        expected_tool_calls=[{"look": "invocations <= 1"}, {"look": "params.n == 2 and invocations == 0"}]
    )


def test_what_was_called_below_is_hinted_at_where_it_is_missed():
    for missed in ({"expected_tool_calls": ["look"]}, {"expected_tool_call_order": ["look"]}):
        assert "Nested invocation 'searcher' executed it: look(n=1)." in message(assert_that(by_searcher()).meets, **missed)
