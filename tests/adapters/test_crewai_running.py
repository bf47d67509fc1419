"""Agents, crews and flows of CrewAI: what is an invocation, what it was given, and how it ends."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading

import pytest

pytest.importorskip("tests.scripted.crewai")  # which has CrewAI imported as tests want it

from crewai import BaseLLM, Crew, Knowledge, Process
from crewai.flow.async_feedback import HumanFeedbackPending
from crewai.flow.flow import Flow, listen, start
from crewai.flow.human_feedback import human_feedback
from crewai.tools import tool
from pydantic import BaseModel

from agentassert import (
    NOT_RECORDED,
    ChatModelCall,
    NotRecordedError,
    Outcome,
    Status,
    assert_that,
    capture,
    record,
)
from tests.adapters.crewai_parts import agent, crew, executed, get_booking, task
from tests.adapters.crewai_warnings import quietly
from tests.adapters.kits.crewai import Shelf
from tests.adapters.scenarios.parts import arecording, everywhere, recording
from tests.scripted.crewai import ScriptedModel, acts, asks_for, says

pytestmark = quietly

ASKED = asks_for(("get_booking", {"number": "MS-777"}, "c1"))
LOOKED_UP = [("get_booking", Outcome.SUCCEEDED)]
INPUTS = {"customer": "Ann"}


def booker(*answers, **options):
    """An agent that looks a booking up."""
    return agent(ASKED, *(answers or ("found",)), tools=[get_booking], **options)


def is_whole(cap):
    """Whether the capture holds a crew with its agent."""
    (invocation,) = cap.invocations
    (support,) = invocation.nested_invocations
    assert (invocation.name, invocation.status, invocation.input, cap.output_text) == ("crew", Status.COMPLETED, INPUTS, "found")
    assert (support.name, support.status, support.input, support.awaited) == (
        "support",
        Status.COMPLETED,
        "Help Ann",
        True,
    )
    assert executed(invocation) == LOOKED_UP
    assert [len(one.own_chat_model_calls) for one in (invocation, support)] == [0, 2]


def test_a_crew_is_an_invocation_and_its_agents_are_nested_in_it():
    with recording() as cap:
        crew(booker()).kickoff(inputs=INPUTS)

    is_whole(cap)
    assert_that(cap).including_nested().has_tool_executed_with("get_booking", {"number": "MS-777"})
    assert_that(cap).nested_invocation("support").has_own_chat_model_call_count(2)


@pytest.mark.parametrize("method", ["kickoff_async", "akickoff"])
def test_a_crew_is_the_same_in_async_code(method):
    async def run():
        async with arecording() as cap:
            await getattr(crew(booker()), method)(inputs=INPUTS)
        return cap

    is_whole(asyncio.run(run()))


@pytest.mark.parametrize("method", ["kickoff", "kickoff_async", "akickoff"])
def test_a_crew_that_streams_is_recorded_where_its_stream_is_read(method):
    streaming = crew(booker(), stream=True)

    async def run():
        async with arecording() as cap:
            stream = await getattr(streaming, method)(inputs=INPUTS)
            assert cap.invocations == ()
            async for _ in stream:
                pass
        return cap

    if method == "kickoff":
        with recording() as cap:
            list(streaming.kickoff(inputs=INPUTS))
    else:
        cap = asyncio.run(run())
    is_whole(cap)


def test_tasks_are_invocations_side_by_side_the_second_told_of_the_first():
    first, second = agent("Oslo.", role="first"), agent("Booked.", role="second")

    with recording() as cap:
        crew(first, second, name="ferries").kickoff(inputs=INPUTS)

    assert [one.name for one in cap.invocation.nested_invocations] == ["first", "second"]
    assert cap.invocation.name == "ferries"
    assert cap.invocation.nested_invocations[1].input == {"task": "Help Ann", "context": "Oslo."}


def test_a_task_in_a_thread_of_its_own_is_part_of_its_crew():
    support = booker()

    with recording() as cap:
        crew(support, tasks=[task(support, async_execution=True)]).kickoff(inputs=INPUTS)

    is_whole(cap)


def test_an_agent_that_another_one_delegates_to_is_nested_under_the_tool_that_did():
    request = {"task": "Look it up", "context": "MS-777", "coworker": "worker"}
    boss = agent(asks_for(("delegate_work_to_coworker", request, "d1")), "done", role="boss", allow_delegation=True)
    worker = booker(role="worker")

    with recording() as cap:
        Crew(agents=[boss, worker], tasks=[task(boss)]).kickoff(inputs=INPUTS)

    delegating, delegated = everywhere(cap, "boss"), everywhere(cap, "worker")
    (execution,) = delegating.tool_executions
    assert (execution.name, execution.arguments, execution.result) == ("delegate_work_to_coworker", request, "found")
    assert (delegated.started_by, delegated.input) == (execution.id, {"task": "Look it up", "context": "MS-777"})
    assert executed(delegated) == LOOKED_UP


def test_the_manager_of_a_hierarchical_crew_is_an_agent_of_it():
    request = {"task": "Look it up", "context": "", "coworker": "worker"}
    boss = agent(asks_for(("delegate_work_to_coworker", request, "d1")), "done", role="boss", allow_delegation=True)
    worker = booker(role="worker")

    with recording() as cap:
        Crew(agents=[worker], tasks=[task(worker)], process=Process.hierarchical, manager_agent=boss).kickoff(inputs=INPUTS)

    assert [one.name for one in cap.invocation.with_nested()] == ["crew", "boss", "worker"]


def test_what_crewai_tries_again_after_an_error_is_one_invocation():
    with recording() as cap:
        crew(agent(ConnectionError("no answer"), "done")).kickoff(inputs=INPUTS)

    (support,) = cap.invocation.nested_invocations
    assert (support.status, [one.failed for one in support.own_chat_model_calls]) == (Status.COMPLETED, [True, False])


def test_an_error_that_is_left_after_that_ends_agent_and_crew():
    error = ConnectionError("no answer")

    with recording(expecting_failure=True) as cap:
        crew(agent(error, error, error)).kickoff(inputs=INPUTS)

    (support,) = cap.invocation.nested_invocations
    assert [one.error for one in (cap.invocation, support)] == [error, error]
    assert len(support.own_chat_model_calls) == 3
    assert_that(cap).has_failed_with(ConnectionError)


def test_what_a_guardrail_sends_back_is_a_second_run_of_the_agent():
    seen = []

    def is_polite(output):
        seen.append(output.raw)
        return (len(seen) > 1, output.raw if len(seen) > 1 else "be polite")

    worker = agent("No.", "No, sorry.")

    with recording() as cap:
        crew(worker, tasks=[task(worker, guardrail=is_polite)]).kickoff(inputs=INPUTS)

    assert [one.output_text for one in cap.invocation.nested_invocations] == ["No.", "No, sorry."]
    assert cap.output_text == "No, sorry."


def test_a_structured_answer_is_the_output_and_its_json_the_text():
    class Seats(BaseModel):
        count: int

    with recording() as cap:
        agent('{"count": 2}', '{"count": 2}').kickoff("How many?", response_format=Seats)

    assert cap.invocation.output == {"count": 2}
    assert cap.output_text.replace(" ", "") == '{"count":2}'


class Ferry(Flow):
    """A flow with an agent in each kind of method."""

    _skip_auto_memory: bool = True  # which it makes for itself, and which takes seconds to import

    @start()
    def ask(self):
        return agent("Oslo", role="asker").kickoff("Where to?").raw

    @listen(ask)
    async def book(self, place):
        booked = await agent(f"Booked {place}", role="booker").kickoff_async(place)
        return booked.raw


def test_a_flow_is_an_invocation_around_what_its_methods_run():
    with recording() as cap:
        assert Ferry().kickoff(inputs={"day": "Friday"}) == "Booked Oslo"

    assert [one.name for one in cap.invocation.with_nested()] == ["Ferry", "asker", "booker"]
    assert (cap.invocation.input, cap.output_text) == ({"day": "Friday"}, "Booked Oslo")


def test_an_agent_that_is_kicked_off_where_a_loop_runs_gives_a_coroutine_and_is_one_invocation():
    async def run():
        async with arecording() as cap:
            await agent("hello").kickoff("hi")
        return cap

    assert asyncio.run(run()).output_text == "hello"


def test_a_task_that_is_cancelled_is_and_the_tool_in_its_thread_goes_on():
    started, release = threading.Event(), threading.Event()

    def wait() -> str:
        """Wait."""
        started.set()
        release.wait(10)
        return "late"

    async def run():
        async with capture(wait=0) as cap:
            running = asyncio.create_task(agent(asks_for(("wait", {}, "c1")), "never", tools=[tool(wait)]).kickoff_async("hi"))
            await asyncio.to_thread(started.wait, 10)
            running.cancel()
            await asyncio.wait([running])
        release.set()
        return cap

    cap = asyncio.run(run())
    assert (cap.invocation.status, executed(cap.invocation)) == (Status.CANCELLED, [("wait", Outcome.UNFINISHED)])


def test_tools_of_one_response_run_side_by_side_and_stand_in_the_order_of_the_requests():
    ready = threading.Event()

    @tool
    def slow() -> str:
        """Wait for the other one."""
        return "slow" if ready.wait(10) else "too slow"

    @tool
    def fast() -> str:
        """Be first."""
        ready.set()
        return "fast"

    with recording() as cap:
        agent(asks_for(("slow", {}, "c1"), ("fast", {}, "c2")), "done", tools=[slow, fast]).kickoff("hi")

    first, second = cap.invocation.tool_executions
    assert [(one.name, one.call_id, one.result) for one in (first, second)] == [("slow", "c1", "slow"), ("fast", "c2", "fast")]
    assert second.ended_order < first.ended_order


def test_a_model_that_tells_crewai_nothing_of_its_calls_is_seen_all_the_same():
    silent = ScriptedModel(ASKED, "found", silent=True)

    with recording() as cap:
        crew(agent(tools=[get_booking], llm=silent)).kickoff(inputs=INPUTS)

    (support,) = cap.invocation.nested_invocations
    assert [len(one.tool_execution_requests) for one in support.own_chat_model_calls] == [1, 0]
    assert [one.token_usage for one in support.own_chat_model_calls] == [None, None]
    with pytest.raises(NotRecordedError):
        assert_that(support).has_finish_reason("stop")


def test_a_class_of_models_that_comes_later_and_calls_the_one_it_overrides_is_one_call():
    with recording():
        pass

    class Shouting(ScriptedModel):
        def call(self, *args, **options):
            return super().call(*args, **options).upper()

    with recording() as cap:
        agent(llm=Shouting("hello")).kickoff("hi")

    (call,) = cap.invocation.model_calls
    assert (call.response_text, cap.output_text, call.token_usage.total_tokens) == ("HELLO", "HELLO", 14)


def test_a_model_that_asks_another_one_makes_two_calls():
    helper = ScriptedModel("Oslo")
    asking = ScriptedModel(lambda _: says(helper.call("Where?")))

    with recording() as cap:
        agent(llm=asking).kickoff("hi")

    assert [one.response_text for one in cap.invocation.model_calls] == ["Oslo", "Oslo"]
    assert len(cap.invocation.own_chat_model_calls) == 1


def test_a_model_that_is_asked_directly_is_a_call_of_its_own():
    with recording() as cap:
        ScriptedModel("Oslo").call("Where to?")

    assert cap.invocation.implicit
    assert_that(cap).has_model_call_count(ChatModelCall, 1)
    assert_that(cap).chat_model_call(0).has_last_user_message_containing("Where to?")


def test_a_model_of_an_earlier_style_that_only_answers_texts_asks_for_tools_in_words():
    class Bare(BaseLLM):
        def call(self, messages, *args, **options):
            answered = any("customer" in str(message["content"]) for message in messages)
            return "Thought: I know.\nFinal Answer: found" if answered else acts("get_booking", {"number": "1"}).content

    with recording() as cap:
        agent(llm=Bare(model="bare"), tools=[get_booking]).kickoff("hi")

    assert (executed(cap.invocation), cap.output_text) == (LOOKED_UP, "found")
    assert [one.name for one in cap.invocation.tool_execution_requests] == ["get_booking"]


def test_knowledge_that_an_agent_is_given_for_its_task_is_a_source():
    support = agent("refunds", "A week.")
    support.knowledge = Knowledge("manual", [], storage=Shelf(["Refunds take a week."]))

    with recording() as cap:
        crew(support).kickoff(inputs=INPUTS)

    assert_that(cap).nested_invocation("support").has_retrieved_source_containing("a week")
    assert cap.invocation.sources is NOT_RECORDED


def test_work_of_a_crew_in_a_recorded_function_is_nested_there():
    @record.agent
    def desk(question):
        return crew(booker()).kickoff(inputs=INPUTS).raw

    with recording() as cap:
        desk("?")

    assert [one.name for one in cap.invocation.with_nested()] == ["desk", "crew", "support"]


def test_crewai_may_be_imported_inside_the_block(project):
    code = """
from agentassert import capture
with capture() as cap:
    from tests.scripted.crewai import ScriptedModel
    from crewai import Agent
    Agent(role="late", goal="g", backstory="b", llm=ScriptedModel("hello")).kickoff("hi")
print(cap.invocation.name, cap.output_text, len(cap.invocation.model_calls), cap.health.doubts)
"""
    shown = subprocess.run([sys.executable, "-c", code], cwd=project, capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "late hello 1 ()"


def test_a_flow_that_waits_for_a_person_has_not_ended_and_goes_on_when_it_is_answered():
    class Later:
        """Somebody who answers another day."""

        def request_feedback(self, context, flow):
            raise HumanFeedbackPending(context=context)

    class Drafting(Flow):
        """A flow whose draft somebody has to read."""

        _skip_auto_memory: bool = True

        @start()
        @human_feedback(message="Is it good?", provider=Later())
        def draft(self):
            return "draft"

        @listen(draft)
        def publish(self, draft):
            return agent("published", role="editor").kickoff("Publish").raw

    with recording() as cap:
        paused = Drafting().kickoff()
        assert cap.invocation.status is Status.AWAITING_APPROVAL
        Drafting.from_pending(paused.context.flow_id).resume("yes")  # which gives another result in earlier releases

    assert cap.invocation.status is Status.COMPLETED
    assert [one.name for one in cap.invocation.with_nested()] == ["Drafting", "editor"]

    with recording() as later:
        Drafting.from_pending(Drafting().kickoff().context.flow_id)
    assert later.invocation.status is Status.AWAITING_APPROVAL
