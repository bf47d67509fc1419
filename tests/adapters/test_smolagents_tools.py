"""Tools of smolagents, however they are called."""

from __future__ import annotations

import pytest

pytest.importorskip("smolagents")

from PIL import Image
from smolagents import Tool, tool

from agentassert import Outcome, assert_that
from tests.adapters.scenarios.parts import recording
from tests.adapters.smolagents_parts import agent, coder, done, executed, get_booking, refund
from tests.scripted.smolagents import answers, asks_for, says


class Overriding(Tool):
    """A tool whose class calls it in a way of its own; it was defined before any capture."""

    name, description, inputs, output_type = (
        "overriding",
        "Do.",
        {"x": {"type": "integer", "description": "How often."}},
        "string",
    )

    def forward(self, x):
        return "ok" * x

    def __call__(self, *args, **kwargs):
        return super().__call__(*args, **kwargs)


@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        ("refund(5)", {"amount": 5}),
        ("refund(5, 'USD')", {"amount": 5, "currency": "USD"}),
        ("refund(5, currency='USD')", {"amount": 5, "currency": "USD"}),
        ("refund({'amount': 5})", {"amount": 5}),
    ],
)
def test_code_gives_arguments_by_position_by_name_or_as_one_mapping(call, arguments):
    with recording() as cap:
        coder(call, "final_answer('done')", tools=[refund]).run("?")

    assert_that(cap).has_tool_executed_with_exactly("refund", arguments)


def test_final_answer_is_the_answer_and_no_tool():
    with recording() as cap:
        agent(answers("hi"), tools=[get_booking]).run("?")

    (call,) = cap.invocation.own_chat_model_calls
    assert (call.response_text, call.tools_offered, call.tool_execution_requests) == ("hi", ("get_booking",), ())
    assert_that(cap).has_no_tool_executions()


@pytest.mark.parametrize("arguments", [{"answer": {"total": 5}}, '{"answer": {"total": 5}}', "unparsed"])
def test_an_answer_that_is_no_text_is_the_output(arguments):
    with recording() as cap:
        agent(asks_for(("final_answer", arguments, "a1"))).run("?")

    assert cap.invocation.output == ("unparsed" if arguments == "unparsed" else {"total": 5})
    assert cap.invocation.own_chat_model_calls[0].response_text == ("unparsed" if arguments == "unparsed" else None)


def test_a_final_answer_tool_of_the_programs_own_is_no_tool_either():
    @tool
    def final_answer(text: str) -> str:
        """Answer.

        Args:
            text: The answer.
        """
        return text.upper()

    with recording() as cap:
        agent(asks_for(("final_answer", {"text": "hi"}, "a1")), tools=[final_answer]).run("?")

    assert (cap.output_text, executed(cap)) == ("HI", [])


def test_a_class_that_overrides_the_call_is_one_execution():
    class Later(Overriding):
        """One that was defined when the adapter was at work."""

        name = "later"

        def __call__(self, *args, **kwargs):
            return super().__call__(*args, **kwargs)

    both = asks_for(("overriding", {"x": 1}, "c1"), ("later", {"x": 2}, "c2"))
    with recording() as cap:
        agent(*done(both), tools=[Overriding(), Later()]).run("?")
    with recording() as by_code:
        coder("overriding(1)\nlater(x=2)", "final_answer('done')", tools=[Overriding(), Later()]).run("?")

    for one in (cap, by_code):
        assert [(each.name, each.result) for each in one.invocation.tool_executions] == [("overriding", "ok"), ("later", "okok")]


def test_a_tool_is_written_out_with_the_methods_that_it_overrides():
    with recording():
        written = Overriding().to_dict()["code"]

    assert [f"def {name}(self" in written for name in ("forward", "__call__", "setup")] == [True, True, False]
    assert Tool.from_code(written)(x=2) == "okok"


def test_a_tool_that_calls_another_has_an_execution_beside_its_own():
    @tool
    def look_up(number: str) -> str:
        """Look up.

        Args:
            number: Of what.
        """
        return get_booking(number)["customer"]

    with recording() as cap:
        agent(*done(asks_for(("look_up", {"number": "1"}, "c1"))), tools=[look_up]).run("?")

    assert sorted(executed(cap)) == [("get_booking", Outcome.SUCCEEDED), ("look_up", Outcome.SUCCEEDED)]


def test_arguments_are_those_of_the_model_where_the_agent_puts_what_it_keeps_in_their_place():
    with recording() as cap:
        run = agent(*done(asks_for(("get_booking", {"number": "mine"}, "c1"))), tools=[get_booking])
        run.run("?", additional_args={"mine": "MS-777"})

    (execution,) = cap.invocation.tool_executions
    assert (execution.arguments, execution.result["number"], execution.call_id) == ({"number": "mine"}, "MS-777", "c1")


def test_the_only_argument_may_come_without_its_name():
    with recording() as cap:
        agent(*done(asks_for(("get_booking", "5 oranges", "c1"))), tools=[get_booking]).run("?")

    (execution,) = cap.invocation.tool_executions
    assert (execution.raw_arguments, execution.result["number"], execution.call_id) == ("5 oranges", "5 oranges", "c1")


def test_what_is_missing_is_told_to_the_model():
    with recording() as cap:
        agent(*done(asks_for(("refund", {"currency": "EUR"}, "c1"))), tools=[refund]).run("?")

    (execution,) = cap.invocation.tool_executions
    assert (execution.outcome, execution.arguments) == (Outcome.FAILED, {"currency": "EUR"})
    assert "amount is required" in str(execution.error)


def test_one_of_several_tools_fails_and_is_the_only_one_that_does():
    asked = asks_for(("get_booking", {"number": "1"}, "c1"), ("refund", {"amount": "all"}, "c2"), ("nope", {}, "c3"))
    with recording() as cap:
        agent(*done(asked), tools=[get_booking, refund]).run("?")

    assert sorted(executed(cap)) == [("get_booking", Outcome.SUCCEEDED), ("refund", Outcome.FAILED)]
    assert {one.name: one.answered for one in cap.invocation.tool_execution_requests} == {
        "get_booking": True,
        "refund": True,
        "nope": False,
    }


def test_images_go_through_as_they_are():
    @tool
    def draw() -> Image.Image:
        """Draw."""
        return Image.new("RGB", (1, 1))

    draw.output_type = "image"
    with recording() as cap:
        agent(asks_for(("draw", {}, "c1")), says('{"name": "final_answer", "arguments": "done"}'), tools=[draw]).run("?")

    assert executed(cap) == [("draw", Outcome.SUCCEEDED)]
    assert cap.to_json()


def test_a_tool_that_is_called_without_an_agent_is_recorded_where_it_is_called():
    with recording() as cap:
        assert refund(5) == "paid 5 EUR"

    assert (cap.invocation.implicit, executed(cap)) == (True, [("refund", Outcome.SUCCEEDED)])


def test_a_tool_that_an_agent_knows_by_another_name_is_one_execution():
    support = agent(*done(asks_for(("look_up", {"number": "1"}, "c1"))), tools=[get_booking])
    support.tools["look_up"] = support.tools.pop("get_booking")
    with recording() as cap:
        support.run("?")

    (execution,) = cap.invocation.tool_executions
    assert (execution.name, execution.call_id, execution.outcome) == ("look_up", "c1", Outcome.SUCCEEDED)


def test_requests_without_arguments_are_those_of_their_own_executions():
    @tool
    def ping() -> str:
        """Ping."""
        return "pong"

    script = [asks_for(("ping", arguments, key)) for arguments, key in ((None, "c1"), ("", "c2"), ("nonsense", "c3"))]
    with recording() as cap:
        agent(*done(*script), tools=[ping]).run("?")

    assert [(one.call_id, one.outcome) for one in cap.invocation.tool_executions] == [
        ("c1", Outcome.SUCCEEDED),
        ("c2", Outcome.SUCCEEDED),
        ("c3", Outcome.FAILED),
    ]
