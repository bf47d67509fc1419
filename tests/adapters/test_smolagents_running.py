"""Runs of agents of smolagents: those that call tools, those that write code, those that others manage."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("smolagents")

from smolagents import CodeAgent, ToolCallingAgent
from smolagents.agents import RunResult
from smolagents.memory import ActionStep, FinalAnswerStep
from smolagents.remote_executors import RemotePythonExecutor
from smolagents.utils import AgentError

from agentassert import CaptureWarning, NotRecordedError, Outcome, Status, assert_that, capture
from tests.adapters.scenarios.parts import recording
from tests.adapters.smolagents_parts import QUIET, agent, coder, done, executed, fragile, get_booking, refund
from tests.scripted.smolagents import ScriptedModel, StreamingModel, answers, asks_for, code, says

LOOKED_UP = ("get_booking", Outcome.SUCCEEDED)


def test_an_agent_that_writes_code_has_its_tools_in_its_own_invocation():
    with recording() as cap:
        result = coder("booking = get_booking('MS-777')", "final_answer(booking['customer'])", tools=[get_booking]).run("Whose?")

    (execution,) = cap.invocation.tool_executions
    assert (execution.arguments, execution.call_id, execution.result) == (
        {"number": "MS-777"},
        None,
        {"number": "MS-777", "customer": "Ann"},
    )
    assert (result, cap.output_text, cap.invocation.tool_execution_requests) == ("Ann", "Ann", ())
    assert_that(cap).has_succeeded().has_tool_executed("get_booking").has_no_more_tool_executions()


def test_agents_that_write_code_side_by_side_each_have_their_own_tools():
    together = threading.Barrier(2, timeout=10)

    def work(number):
        with capture() as cap:
            together.wait()
            coder(*[f"get_booking('{number}')"] * 3, "final_answer('done')", tools=[get_booking]).run("?")
            together.wait()
        return cap

    with ThreadPoolExecutor(2) as workers:
        captures = list(workers.map(work, "12"))

    for number, cap in zip("12", captures, strict=True):
        assert [one.arguments["number"] for one in cap.invocation.tool_executions] == [number] * 3


def test_what_code_of_an_agent_raises_is_told_to_its_model():
    with recording() as cap:
        coder("fragile(1)", "final_answer('sorry')", tools=[fragile]).run("?")

    (execution,) = cap.invocation.tool_executions
    assert (execution.outcome, repr(execution.error)) == (Outcome.FAILED, "ValueError('kaput')")
    assert_that(cap).has_succeeded()


def test_arguments_that_a_tool_does_not_take_fail_where_code_gives_them():
    with recording() as cap:
        coder("refund(1, 'EUR', 'now')", "final_answer('sorry')", tools=[refund]).run("?")

    (execution,) = cap.invocation.tool_executions
    assert (execution.outcome, execution.arguments) == (Outcome.FAILED, {"amount": 1, "currency": "EUR", "args": ["now"]})


@pytest.mark.parametrize("writes_code", [False, True])
def test_an_agent_that_another_manages_is_a_tool_and_an_invocation_in_it(writes_code):
    clerk = agent(*done(asks_for(("get_booking", {"number": "1"}, "c1"))), tools=[get_booking], name="clerk")
    more = {} if writes_code else {"additional_args": {}}  # which early releases insist on
    if writes_code:
        desk = coder("clerk(task='look')", "final_answer('done')", managed_agents=[clerk], name="desk")
    else:
        desk = agent(*done(asks_for(("clerk", {"task": "look", **more}, "m1"))), managed_agents=[clerk], name="desk")

    with recording() as cap:
        desk.run("?")

    (nested,) = cap.invocation.nested_invocations
    (execution,) = cap.invocation.tool_executions
    assert (execution.name, execution.arguments, execution.outcome) == ("clerk", {"task": "look", **more}, Outcome.SUCCEEDED)
    assert (execution.call_id, nested.started_by) == (None if writes_code else "m1", execution.id)
    assert (nested.name, nested.output_text, executed(nested)) == ("clerk", "done", [LOOKED_UP])
    assert [len(one.own_chat_model_calls) for one in (cap.invocation, nested)] == [2, 2]


def test_an_agent_that_is_managed_and_fails_is_a_tool_that_fails():
    clerk = agent(ConnectionError("no answer"), name="clerk")

    with recording(expecting_failure=True) as cap:
        agent(*done(asks_for(("clerk", {"task": "look", "additional_args": {}}, "m1"))), managed_agents=[clerk]).run("?")

    (nested,) = cap.invocation.nested_invocations
    assert (cap.invocation.status, nested.status, executed(cap)) == (
        Status.COMPLETED,
        Status.FAILED,
        [("clerk", Outcome.FAILED)],
    )


def test_an_agent_without_a_name_has_that_of_its_class():
    class Support(ToolCallingAgent):
        """One that does more than is asked."""

        def run(self, task, *args, **kwargs):
            return super().run(f"{task}!", *args, **kwargs)

    with recording() as cap:
        Support(tools=[], model=ScriptedModel(answers("hi")), **QUIET).run("Hello")

    assert (cap.invocation.name, cap.invocation.input, cap.output_text) == ("Support", "Hello!", "hi")


def test_a_stream_is_an_invocation_that_ends_when_it_is_read_to_its_end():
    support = agent(*done(asks_for(("get_booking", {"number": "1"}, "c1"))), tools=[get_booking])

    with recording() as cap:
        parts = support.run("?", True)
        assert cap.invocation.status is Status.UNFINISHED
        kinds = [type(part) for part in parts]

    assert (kinds.count(ActionStep), kinds[-1]) == (2, FinalAnswerStep)
    assert (cap.output_text, executed(cap)) == ("done", [LOOKED_UP])


def test_a_stream_that_is_left_after_a_step_is_cancelled():
    support = agent(*done(asks_for(("get_booking", {"number": "1"}, "c1"))), tools=[get_booking])

    with recording() as cap:
        parts = support.run("?", stream=True)
        next(part for part in parts if isinstance(part, ActionStep))
        parts.close()

    assert (cap.invocation.status, executed(cap)) == (Status.CANCELLED, [LOOKED_UP])


def test_a_stream_that_is_left_in_a_step_raises_what_it_raises_without_us():
    def leave():
        parts = agent(*done(), tools=[get_booking]).run("?", stream=True)
        next(parts)
        with pytest.raises(RuntimeError, match="ignored GeneratorExit"):
            parts.close()

    leave()
    with recording() as cap:
        leave()

    assert cap.invocation.status is Status.CANCELLED


def test_a_run_that_is_interrupted_is_cancelled():
    def interrupt(step, agent):
        agent.interrupt()

    support = agent(*done(asks_for(("get_booking", {"number": "1"}, "c1"))), tools=[get_booking], step_callbacks=[interrupt])
    with recording() as cap, pytest.raises(AgentError, match="interrupted"):
        support.run("?")

    assert (cap.invocation.status, executed(cap)) == (Status.CANCELLED, [LOOKED_UP])


def test_a_run_that_reaches_its_last_step_ends_with_what_the_model_makes_of_it():
    asked = asks_for(("get_booking", {"number": "1"}, "c1"))
    with recording() as cap:
        result = agent(asked, says("nothing yet"), tools=[get_booking], max_steps=1, return_full_result=True).run("?")

    assert (type(result), result.state, cap.output_text) == (RunResult, "max_steps_error", "nothing yet")
    assert [one.tools_offered for one in cap.invocation.own_chat_model_calls] == [("get_booking",), None]


def test_the_requests_of_a_plan_are_requests_of_the_agent():
    with recording() as cap:
        agent(says("1. Answer."), answers("done"), planning_interval=1).run("?")

    assert [one.response_text for one in cap.invocation.own_chat_model_calls] == ["1. Answer.", "done"]


def test_an_agent_in_a_check_of_an_answer_is_nested():
    def judged(answer, memory, agent=None):
        return ToolCallingAgent(tools=[], model=ScriptedModel(answers("good")), **QUIET).run(str(answer)) == "good"

    support = ToolCallingAgent(tools=[], model=ScriptedModel(answers("hi")), final_answer_checks=[judged], **QUIET)
    with recording() as cap:
        support.run("?")

    (nested,) = cap.invocation.nested_invocations
    assert (cap.output_text, nested.output_text) == ("hi", "good")


class Elsewhere(RemotePythonExecutor):
    """An executor that runs nothing, as far as this process can see."""

    def __init__(self):
        self.allow_pickle = False

    def send_tools(self, tools):
        pass

    def send_variables(self, variables):
        pass

    def __call__(self, code_action):
        from smolagents.local_python_executor import CodeOutput

        return CodeOutput(output="done", logs="", is_final_answer=True)


def test_code_that_runs_elsewhere_is_in_doubt():
    remote = CodeAgent(tools=[get_booking], model=ScriptedModel(code("get_booking('1')")), **QUIET)
    remote.python_executor = Elsewhere()
    with pytest.warns(CaptureWarning, match="remote executor"), capture() as cap:
        remote.run("?")

    assert (cap.output_text, executed(cap), len(cap.health.notes)) == ("done", [], 1)


class Foreign:
    """What answers like a model, and is none."""

    model_id = "foreign"

    def generate(self, messages, **kwargs):
        return answers("hi")


def test_calls_of_what_is_no_model_are_in_doubt():
    with pytest.warns(CaptureWarning, match="is no `smolagents.Model`"), capture() as cap:
        ToolCallingAgent(tools=[], model=Foreign(), **QUIET).run("?")

    assert cap.output_text == "hi"
    with pytest.raises(NotRecordedError):
        assert_that(cap).has_own_chat_model_call_count(1)


def test_agents_stream_their_models():
    asked = asks_for(("get_booking", {"number": "1"}, "c1"))
    support = ToolCallingAgent(
        tools=[get_booking], model=StreamingModel(asked, answers("done")), name="support", stream_outputs=True, **QUIET
    )
    with recording() as cap:
        assert support.run("?") == "done"

    first, second = cap.invocation.own_chat_model_calls
    (request,) = first.tool_execution_requests
    assert (request.name, request.arguments, request.call_id, request.answered) == ("get_booking", {"number": "1"}, "c1", True)
    assert (second.response_text, second.token_usage.total_tokens, executed(cap)) == ("done", 14, [LOOKED_UP])


@pytest.mark.parametrize("writes_code", [False, True])
def test_an_agent_whose_class_has_a_call_of_its_own_is_a_tool_of_who_manages_it(writes_code):
    class Clerk(ToolCallingAgent):
        """One that is asked without more ado."""

        def __call__(self, task, additional_args=None):
            return self.run(task)

    clerk = Clerk(tools=[], model=ScriptedModel(answers("hi")), name="clerk", description="Clerk.", **QUIET)
    if writes_code:
        desk = coder("clerk('look')", "final_answer('done')", managed_agents=[clerk])
    else:
        desk = agent(*done(asks_for(("clerk", {"task": "look", "additional_args": {}}, "m1"))), managed_agents=[clerk])
    with recording() as cap:
        desk.run("?")

    (execution,) = cap.invocation.tool_executions
    (nested,) = cap.invocation.nested_invocations
    assert (execution.name, execution.result, nested.input, nested.started_by) == ("clerk", "hi", "look", execution.id)
