"""What looks like a check and would be none is refused."""

from __future__ import annotations

import inspect
from typing import NamedTuple

import pytest

from agentassert import Invocation, ToolExecutionRequest, UnknownToolWarning, assert_that, capture
from agentassert.assertions.given import patterns_argument
from tests.factories import captured, chat, execution, invocation, message

CONDITION = "a chain is no condition: its assertions fail by themselves, so leave out `assert`, `if`, `and`, `or`"
COMPARED = "a chain is not compared: assert with its methods, or compare records such as cap.invocation.output"


def chains():
    cap = captured(invocation("support", execution("pay"), calls=[chat()]))
    return [assert_that(cap), assert_that(cap).chat_model_call(0), assert_that([1]), assert_that(cap).output()]


@pytest.mark.parametrize("chain", chains())
def test_a_chain_is_no_condition(chain):
    with pytest.raises(TypeError) as caught:
        bool(chain)

    assert str(caught.value) == CONDITION


@pytest.mark.parametrize("chain", chains())
def test_a_chain_is_not_compared(chain):
    with pytest.raises(TypeError) as caught:
        _ = chain == 1
    assert str(caught.value) == COMPARED
    with pytest.raises(TypeError):
        _ = chain != 1
    assert hash(chain) == hash(chain)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("hasToolExecuted", "; did you mean 'has_tool_executed'?"),
        ("hasToolExecutedTimesAtLeast", "; did you mean 'has_tool_executed_times_at_least'?"),
        ("wholeCapture", "; did you mean 'whole_capture'?"),
        ("has_tool_executd", "; did you mean 'has_tool_executed'?"),
        ("zzz", ""),
    ],
)
def test_a_method_that_there_is_not_names_the_right_one(name, meant):
    with pytest.raises(AttributeError) as caught:
        getattr(chains()[0], name)

    assert str(caught.value) == f"'InvocationAssertion' object has no attribute {name!r}{meant}"


@pytest.mark.parametrize("method", ["has_tool_executed_with", "has_tool_executed_with_exactly"])
def test_arguments_that_are_written_as_those_of_the_method_are_to_be_a_mapping(method):
    chain = assert_that(captured(invocation("support", execution("refund", {"order_id": "A1"}))))

    with pytest.raises(TypeError) as caught:
        getattr(chain, method)("refund", order_id="A1", token="t-1")
    assert str(caught.value) == f"{method}: write the arguments as a mapping: {{'order_id': 'A1', 'token': '***'}}"
    assert list(inspect.signature(getattr(chain, method)).parameters) == ["name", "arguments"]
    getattr(chain, method)(name="refund", arguments={"order_id": "A1"})


def test_a_model_call_has_no_camel_case_either():
    with pytest.raises(AttributeError, match="did you mean 'has_tool_offered'"):
        _ = chains()[1].hasToolOffered


def test_what_is_no_capture_is_told_from_one():
    with pytest.raises(AttributeError) as caught:
        assert_that([1]).has_tool_executed("pay")

    assert str(caught.value) == (
        "has_tool_executed is an assertion on a captured run, but this is a chain over list: pass the capture, "
        "as in assert_that(cap).has_tool_executed(…)"
    )


def test_an_assertion_of_assertpy_that_there_is_not():
    with pytest.raises(AttributeError, match="assertpy has no assertion <zzz"):
        assert_that([1]).zzz()


def test_the_block_itself_is_no_capture():
    with pytest.raises(TypeError) as caught:
        assert_that(capture())
    assert str(caught.value) == "this is the block itself: write `with capture() as cap:` and pass `cap`"


def test_an_invocation_without_a_capture_has_no_books():
    with pytest.raises(TypeError) as caught:
        assert_that(Invocation(id="1", name="support"))
    assert str(caught.value) == "invocation 'support' belongs to no capture: take it from `cap.invocations`"


def test_a_description_is_text_and_stands_before_every_message():
    chain = assert_that(captured(invocation())).described_as("refund flow")

    assert message(chain.has_tool_executed, "pay").startswith("[refund flow] Expected invocation 'support' to have")
    assert message(chain.has_tool_executed, "ship").startswith("[refund flow] Expected")
    with pytest.raises(ValueError, match=r"^described_as: text must not be empty, which describes nothing$"):
        assert_that(captured(invocation())).described_as("")
    with pytest.raises(TypeError, match="described_as: text must be a string, but was 3"):
        chain.described_as(3)


def test_values_are_asserted_on_with_assertpy():
    assert_that({"a": 1}).has_a(1).contains_key("a")
    assert_that([{"a": 1}]).extracting("a").is_equal_to([1])
    assert message(assert_that(1).described_as("count").is_equal_to, 2) == "[count] Expected <1> to be equal to <2>, but was not."


OFFERED = ("cancel_booking", "get_booking")


def offering(**fields):
    call = chat(tools_offered=OFFERED, requests=[ToolExecutionRequest(name="cancel_booking", answered=True)])
    return captured(invocation("support", execution("cancel_booking"), calls=[call]), **fields)


def test_a_positive_assertion_calls_a_name_out_that_was_neither_offered_nor_executed():
    assert message(assert_that(offering()).has_tool_executed, "cancel_bookin") == (
        "Expected invocation 'support' to have executed 'cancel_bookin',\n"
        "but it was never executed.\n"
        "No tool 'cancel_bookin' was offered to the model or executed. Did you mean 'cancel_booking'?\n"
        "Tool executions:\n"
        "  [1] cancel_booking() -> 'ok'"
    )
    assert "No tool 'zzz' was offered to the model or executed.\nTool" in message(
        assert_that(offering()).has_tool_executed, "zzz"
    )
    assert "offered" not in message(assert_that(offering()).has_tool_executed, "get_booking")
    assert "Did you mean 'cancel_booking'?" in message(assert_that(offering()).has_tool_requested, "cancel_bookin")


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("has_no_tool_executions", ("get_bookin",)),
        ("has_tool_executed_times", ("get_bookin", 0)),
        ("has_tool_executed_times_at_most", ("get_bookin", 1)),
        ("has_no_tool_requested", ("get_bookin",)),
    ],
)
def test_a_negative_assertion_that_a_typing_error_would_make_pass_warns_at_its_line_and_counts_as_doubt(method, arguments):
    cap = offering()
    text = "No tool 'get_bookin' was offered to the model or executed. Did you mean 'get_booking'?"

    with pytest.warns(UnknownToolWarning) as warned:
        getattr(assert_that(cap), method)(*arguments)
    assert [str(one.message) for one in warned] == [text]
    assert warned[0].filename == __file__
    assert cap.health.doubts == (f"{text} A misspelt name would make a negative assertion pass for ever.",)


def test_a_negative_assertion_on_a_tool_that_was_offered_or_of_which_nothing_is_known_does_not_warn():
    assert_that(offering()).has_no_tool_executions("get_booking")
    assert_that(captured(invocation("support", execution("pay")))).has_no_tool_executions("pya").has_tool_executed_times("pya", 0)


def test_where_doubt_fails_an_unknown_name_does():
    shown = message(assert_that(offering(on_doubt="fail")).has_no_tool_executions, "get_bookin")

    assert shown.startswith(
        "The recording is in doubt, which this capture counts as a failure:\n  No tool 'get_bookin' was offered to the model"
    )


def test_a_name_that_only_something_else_was_offered_is_unknown():
    from tests.factories import strays

    other = strays(calls=[chat(tools_offered=("pay",))])
    assert_that(captured(invocation("support"), strays=other)).has_no_tool_executions("pya")


def test_our_frames_are_left_out_of_tracebacks_for_our_failures_alone():
    with pytest.raises(AssertionError) as failure:
        assert_that(captured(invocation())).has_tool_executed("pay")
    assert {entry.path.name for entry in failure.traceback.filter(failure)} == {"test_misuse.py"}

    for chain, name in (
        (assert_that(captured(invocation())), "has_tool_executd"),
        (assert_that([1]), "zzz"),
        (assert_that([1]), "has_tool_executed"),
    ):
        with pytest.raises(AttributeError) as misspelt:
            getattr(chain, name)
        assert {entry.path.name for entry in misspelt.traceback.filter(misspelt)} == {"test_misuse.py"}

    with pytest.raises(TypeError) as mistake:
        assert_that(captured(invocation())).has_tool_executed(3)
    assert "given.py" in {entry.path.name for entry in mistake.traceback.filter(mistake)}


class Tool:
    """As frameworks have them."""

    def __init__(self, name):
        self.name = name


def refund():
    """A tool as a function."""


class Several(NamedTuple):
    name: str


@pytest.mark.parametrize(
    ("written", "hint"),
    [
        (["pay"], "; write each as an argument of its own"),
        (("pay",), "; write each as an argument of its own"),
        ({"pay"}, "; write each as an argument of its own"),
        ({"pay": {}}, "; write each as an argument of its own"),
        (Several("pay"), "; write each as an argument of its own"),
        (Tool("pay"), "; write 'pay'"),
        (refund, "; write 'refund'"),
        (Tool(3), ""),
        (None, ""),
    ],
)
def test_a_tool_that_is_no_name_is_told_how_to_write_it(written, hint):
    with pytest.raises(TypeError) as caught:
        assert_that(captured(invocation())).has_tools_executed_in_order("look", written)

    message = str(caught.value)
    assert message.startswith("has_tools_executed_in_order: each tool must be a name or execution_of(...), but was ")
    assert message.partition("; ")[1:] == (hint[:2], hint[2:])


def test_a_tool_that_is_listed_often_is_one_pattern():
    first, again, other = patterns_argument("in order", ["pay", str(b"pay", "ascii"), "ship"])

    assert first is again
    assert other is not first


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("has_tool_executed", ("cancel_bookin",)),
        ("has_tool_executed_times", ("cancel_bookin", 1)),
        ("has_tool_executed_with", ("cancel_bookin", {"n": 1})),
        ("has_tool_executed_with_exactly", ("cancel_bookin", {"n": 1})),
        ("has_tool_execution_failed", ("cancel_bookin",)),
        ("has_tool_execution_cancelled", ("cancel_bookin",)),
        ("has_tool_finished_before", ("cancel_booking", "cancel_bookin")),
        ("has_tool_requested", ("cancel_bookin",)),
        ("has_tools_executed_in_order", ("cancel_bookin",)),
        ("has_tools_executed_exactly_in_order", ("cancel_bookin",)),
        ("has_tools_executed_exactly_in_any_order", ("cancel_bookin",)),
    ],
)
def test_every_positive_assertion_names_the_tool_that_was_meant(method, arguments):
    assert "Did you mean 'cancel_booking'?" in message(getattr(assert_that(offering()), method), *arguments)


@pytest.mark.parametrize("method", ["has_relevant_output", "has_grounded_output"])
def test_what_scores_nothing_is_no_judge_of_an_output(method):
    with pytest.raises(
        TypeError, match=f"^{method}: judge must score responses, as RatingJudge and StatementJudge do, but was 3$"
    ):
        getattr(assert_that(captured(invocation())), method)(0.5, judge=3)
    with pytest.raises(TypeError, match=f"^{method}: threshold must be a number, but was '1'$"):
        getattr(assert_that(captured(invocation())), method)("1", judge=3)
