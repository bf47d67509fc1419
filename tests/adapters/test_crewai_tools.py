"""Tools of CrewAI: how they were asked for, whether they ran, and how they ended."""

from __future__ import annotations

import pytest

pytest.importorskip("tests.scripted.crewai")  # which has CrewAI imported as tests want it

from crewai.hooks import register_before_tool_call_hook, unregister_before_tool_call_hook
from crewai.tools import BaseTool, tool

from agentassert import NotRecordedError, Outcome, Status, assert_that, returns, run
from tests.adapters.crewai_parts import agent, crew, executed, fragile, get_booking, refund
from tests.adapters.crewai_warnings import quietly
from tests.adapters.kits.crewai import HAS_POLICIES
from tests.adapters.scenarios.parts import only, only_execution, recording
from tests.scripted.crewai import acts, asks_for

pytestmark = quietly
policies = pytest.mark.skipif(not HAS_POLICIES, reason="this release of CrewAI knows no failures of tools but exceptions")

FINAL = "Thought: I know.\nFinal Answer: done"
OK, FAILED = Outcome.SUCCEEDED, Outcome.FAILED
INPUTS = {"customer": "Ann"}


class Ship(BaseTool):
    """A tool that is a class of the program's own."""

    name: str = "Ship It"
    description: str = "Ship something."

    def _run(self, to: str) -> dict:
        return {"shipped": to}


def in_words(*steps, **options):
    """An agent whose model knows no tools but by words."""
    return agent(*steps, FINAL, native=False, **options)


def test_a_tool_that_is_asked_for_in_words_is_joined_to_its_request():
    with recording() as cap:
        in_words(acts("get_booking", {"number": "1"}), acts("Pay Back", {"amount": 5}), tools=[get_booking, refund]).kickoff("hi")

    first, second = cap.invocation.tool_execution_requests
    assert [(one.name, one.arguments, one.answered) for one in (first, second)] == [
        ("get_booking", {"number": "1"}, True),
        ("pay_back", {"amount": 5}, True),
    ]
    assert [one.call_id for one in cap.invocation.tool_executions] == [first.call_id, second.call_id]
    assert_that(cap).has_tools_executed_exactly_in_order("get_booking", "pay_back").has_no_more_tool_executions()
    assert cap.output_text == "done"
    assert "Action: get_booking" in cap.invocation.own_chat_model_calls[0].response_text


def test_which_tools_a_prompt_names_in_words_is_not_recorded():
    with recording() as cap:
        in_words(tools=[get_booking]).kickoff("hi")

    with pytest.raises(NotRecordedError):
        assert_that(cap).chat_model_call(0).has_tool_offered("get_booking")


def test_what_crewai_runs_again_by_itself_are_attempts_at_one_request():
    calls = []

    @tool
    def flaky() -> str:
        """Fail twice."""
        calls.append(1)
        if len(calls) < 3:
            raise ValueError("kaput")
        return "ok"

    with recording() as cap:
        in_words(acts("flaky", {}), tools=[flaky]).kickoff("hi")

    assert [(one.outcome, one.attempt) for one in cap.invocation.tool_executions] == [(FAILED, 1), (FAILED, 2), (OK, 3)]
    assert len({one.call_id for one in cap.invocation.tool_executions}) == 1
    assert len(calls) == 3
    assert_that(cap).has_tool_executed_times("flaky", 1)


def test_every_run_of_a_tool_that_fails_in_words_is_one_attempt():
    with recording() as cap:
        in_words(acts("fragile", {"x": 1}), tools=[fragile]).kickoff("hi")

    assert [one.attempt for one in cap.invocation.tool_executions] == [1, 2, 3, 4, 5, 6]
    assert {repr(one.error) for one in cap.invocation.tool_executions} == {"ValueError('kaput')"}


@pytest.mark.parametrize("request_", [acts("nope", {"a": 1}), asks_for(("nope", {"a": 1}, "c1"))], ids=["words", "native"])
def test_a_tool_that_there_is_not_is_requested_and_not_executed(request_):
    is_native = isinstance(request_.content, list)

    with recording() as cap:
        agent(request_, FINAL, native=is_native, tools=[get_booking]).kickoff("hi")

    assert [(one.name, one.answered) for one in cap.invocation.tool_execution_requests] == [("nope", False)]
    assert_that(cap).has_no_tool_executions("nope").has_tool_requested("nope")


def test_a_tool_is_known_by_the_name_that_the_model_is_told():
    with recording() as cap:
        agent(asks_for(("ship_it", {"to": "Oslo"}, "c1")), "done", tools=[Ship()]).kickoff("hi")

    execution = only_execution(cap.invocation)
    assert (execution.name, execution.arguments, execution.result, execution.call_id) == (
        "ship_it",
        {"to": "Oslo"},
        {"shipped": "Oslo"},
        "c1",
    )
    assert cap.invocation.own_chat_model_calls[0].tools_offered == ("ship_it",)


def test_an_async_tool_is_recorded_where_crewai_runs_it():
    @tool
    async def look(number: str) -> str:
        """Look it up."""
        return f"found {number}"

    with recording() as cap:
        agent(asks_for(("look", {"number": "1"}, "c1")), "done", tools=[look]).kickoff("hi")

    assert only_execution(cap.invocation).result == "found 1"


def test_a_tool_that_code_calls_itself_is_an_execution_of_its_own():
    with recording() as cap:
        assert get_booking.run("1") == {"number": "1", "customer": "Ann"}

    assert only_execution(cap.invocation).arguments == {"number": "1"}
    assert cap.invocation.implicit


def test_a_tool_that_another_one_calls_is_an_execution_of_its_own():
    @tool
    def outer(number: str) -> str:
        """Call another one."""
        return str(get_booking.run(number=number))

    with recording() as cap:
        agent(asks_for(("outer", {"number": "1"}, "c1")), "done", tools=[outer]).kickoff("hi")

    assert sorted(executed(cap.invocation)) == [("get_booking", OK), ("outer", OK)]


def test_a_result_from_the_cache_of_a_crew_is_one_and_says_so():
    calls = []

    @tool
    def look(number: str) -> str:
        """Look it up."""
        calls.append(number)
        return "found"

    asked = [asks_for(("look", {"number": "1"}, call_id)) for call_id in ("c1", "c2")]
    with recording() as cap:
        crew(agent(*asked, "done", tools=[look]), cache=True).kickoff(inputs=INPUTS)

    (support,) = cap.invocation.nested_invocations
    assert [(one.call_id, one.cached, one.result) for one in support.tool_executions] == [
        ("c1", False, "found"),
        ("c2", True, "found"),
    ]
    assert calls == ["1"]


def test_what_crewai_caches_beside_results_of_tools_is_no_execution():
    from crewai.agents.cache.cache_handler import CacheHandler

    cache = CacheHandler()
    cache.add(tool="an_agent", input="", output="built")
    with recording() as cap:
        assert cache.read(tool="an_agent", input="") == "built"

    assert cap.invocations == ()


def test_a_tool_whose_uses_are_spent_does_not_run():
    @tool("once", max_usage_count=1)
    def once(number: str) -> str:
        """Once."""
        return number

    asked = [asks_for(("once", {"number": number}, f"c{number}")) for number in "12"]
    with recording() as cap:
        agent(*asked, "done", tools=[once]).kickoff("hi")

    assert [one.call_id for one in cap.invocation.tool_executions] == ["c1"]
    assert [one.answered for one in cap.invocation.tool_execution_requests] == [True, False]


def test_a_tool_that_a_hook_blocks_does_not_run():
    def block(context):
        return False if context.tool_name == "pay_back" else None

    register_before_tool_call_hook(block)
    try:
        with recording() as cap:
            asked = asks_for(("pay_back", {"amount": 5}, "c1"), ("get_booking", {"number": "1"}, "c2"))
            agent(asked, "done", tools=[refund, get_booking]).kickoff("hi")
    finally:
        unregister_before_tool_call_hook(block)

    assert executed(cap.invocation) == [("get_booking", OK)]
    assert_that(cap).has_tool_requested("pay_back").has_no_tool_executions("pay_back")


def test_arguments_that_a_hook_changes_are_those_of_the_execution_and_the_requests_are_the_models():
    def change(context):
        context.tool_input["amount"] = 1

    register_before_tool_call_hook(change)
    try:
        with recording() as cap:
            agent(asks_for(("pay_back", {"amount": 5}, "c1")), "done", tools=[refund]).kickoff("hi")
    finally:
        unregister_before_tool_call_hook(change)

    execution, request = only_execution(cap.invocation), only(cap.invocation.tool_execution_requests)
    assert (execution.arguments, execution.result, execution.call_id) == ({"amount": 1}, "paid 1", "c1")
    assert (request.arguments, request.answered) == ({"amount": 5}, True)


def test_approvals_are_not_recorded():
    with recording() as cap:
        agent("hello").kickoff("hi")

    with pytest.raises(NotRecordedError):
        assert_that(cap).has_no_pending_approvals()


@policies
def test_a_failure_that_a_tool_returns_is_one():
    from crewai.tools.tool_failure import ToolFailure

    @tool
    def post(text: str) -> str:
        """Post it."""
        return ToolFailure(message="no such channel", code="channel_not_found")

    with recording() as cap:
        agent(asks_for(("post", {"text": "hi"}, "c1")), "sorry", tools=[post]).kickoff("hi")

    execution = only_execution(cap.invocation)
    assert (execution.outcome, execution.error, execution.call_id) == (FAILED, "no such channel (code: channel_not_found)", "c1")


@policies
def test_a_failure_that_ends_an_agent_keeps_the_tools_own_error():
    from crewai.tools.tool_failure import ToolExecutionFailedError

    with recording(expecting_failure=True) as cap:
        support = agent(asks_for(("fragile", {"x": 1}, "c1")), tools=[fragile], tool_failure_policy="raise")
        support.kickoff("hi")

    assert repr(only_execution(cap.invocation).error) == "ValueError('kaput')"
    assert cap.invocation.status is Status.FAILED
    assert_that(cap).has_failed_with(ToolExecutionFailedError).has_failed_with_message_containing("kaput")


@policies
def test_a_tool_that_is_run_when_its_uses_are_spent_did_not_run():
    @tool("once", max_usage_count=1)
    def once(number: str) -> str:
        """Once."""
        return number

    with recording() as cap:
        assert once.run(number="1") == "1"
        assert "usage limit" in once.run(number="2").message

    assert [one.arguments for one in cap.invocation.tool_executions] == [{"number": "1"}]


def test_a_class_that_overrides_how_it_is_run_is_one_execution_and_has_its_double():
    class Own(Ship):
        """One that is run in a way of its own."""

        def run(self, *args, **options):
            return "own way"

    class Adding(Ship):
        """One that adds to what the class above does."""

        def run(self, *args, **options):
            return {**super().run(*args, **options), "by": "ferry"}

    for kind, result in ((Own, "own way"), (Adding, {"shipped": "Oslo", "by": "ferry"})):
        with recording() as cap:
            agent(asks_for(("ship_it", {"to": "Oslo"}, "c1")), "done", tools=[kind()]).kickoff("Ship")
        execution = only_execution(cap.invocation)
        assert (execution.name, execution.call_id, execution.result) == ("ship_it", "c1", result)

        mocked = agent(asks_for(("ship_it", {"to": "Oslo"}, "c1")), "done", tools=[kind()])
        assert_that(run(mocked, "Ship", mocks={"ship_it": returns("mocked")})).results_of("ship_it").is_equal_to(["mocked"])
