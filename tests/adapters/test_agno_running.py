"""Runs of Agno's agents: how they end, what their models are asked, and what is begun and left."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("agno")

from agno.db.in_memory import InMemoryDb
from agno.exceptions import InputCheckError, ModelProviderError
from agno.media import Image
from agno.models.message import Message
from agno.run.base import RunStatus
from pydantic import BaseModel

from agentassert import Status, assert_that, capture
from tests.adapters.agno_parts import agent, get_booking, refund
from tests.adapters.scenarios.parts import arecording, recording
from tests.scripted.agno import asks_for, scripted


def down():
    return ModelProviderError("down", status_code=500)


def finish(asking, *, streams):
    """Run an agent to its end."""
    result = asking.run("hi", stream=streams)
    if streams:
        list(result)


def test_a_run_that_fails_gives_its_result_and_is_recorded_with_the_error_itself():
    error = ConnectionError("no answer")
    with recording() as cap:
        result = agent(error).run("hi")

    assert (result.status, result.content) == (RunStatus.error, "no answer")
    assert cap.invocation.error is error


@pytest.mark.parametrize("streams", [False, True])
def test_a_run_in_an_error_handler_fails_with_its_own_error(streams):
    with recording() as cap:
        try:
            raise KeyError("another")
        except KeyError:
            finish(agent(ValueError("mine")), streams=streams)
            finish(agent("fine"), streams=streams)

    failed, fine = cap.invocations
    assert (failed.status, repr(failed.error)) == (Status.FAILED, "ValueError('mine')")
    assert (fine.status, fine.error, fine.output_text) == (Status.COMPLETED, None, "fine")


def test_an_async_stream_that_fails_says_so():
    async def run():
        async with arecording() as cap:
            assert [one.event async for one in agent(ValueError("mine")).arun("hi", stream=True)] == ["RunError"]
        return cap

    assert_that(asyncio.run(run())).has_failed_with(ValueError)


def test_a_guardrail_blocks_the_run():
    def guard(run_input):
        raise InputCheckError("not that")

    with recording() as cap:
        agent("never said", pre_hooks=[guard]).run("hi")

    assert (cap.invocation.status, type(cap.invocation.error)) == (Status.BLOCKED, InputCheckError)
    assert_that(cap).was_blocked().has_own_chat_model_call_count(0)


def test_what_is_refused_before_the_run_fails_it():
    class Order(BaseModel):
        article: str

    with recording(expecting_failure=True) as cap:
        agent("never said", input_schema=Order).run({"price": 1})

    assert_that(cap).has_failed_with(ValueError)


def test_a_retried_request_is_one_call_and_a_retried_run_asks_anew():
    retrying = agent(down(), "done", retries=1, delay_between_retries=0)
    with recording() as cap:
        retrying.run("hi")
    assert [one.failed for one in cap.invocation.own_chat_model_calls] == [True, False]

    for streams in (False, True):
        asking = agent()
        asking.model = scripted(down(), "done", retries=1, delay_between_retries=0)
        with recording() as cap:
            finish(asking, streams=streams)

        assert [(one.attempts, one.response_text) for one in cap.invocation.own_chat_model_calls] == [(2, "done")]


def test_a_cancelled_run_is_cancelled():
    def give_up(run_context):
        """Cancel the run."""
        asking.cancel_run(run_context.run_id)
        return "gone"

    asking = agent(asks_for(("give_up", {}, "c1")), "never said", tools=[give_up])
    with recording() as cap:
        result = asking.run("hi")

    assert (result.status, cap.invocation.status) == (RunStatus.cancelled, Status.CANCELLED)


@pytest.mark.parametrize("is_async", [False, True])
def test_a_stream_that_is_left_behind_its_last_event_is_complete(is_async):
    async def read():
        if not is_async:
            for event in agent("done").run("hi", stream=True, stream_events=True):
                if event.event == "RunCompleted":
                    return
        events = agent("done").arun("hi", stream=True, stream_events=True)
        async for event in events:
            if event.event == "RunCompleted":
                break
        await events.aclose()

    with recording() as cap:
        asyncio.run(read())

    assert (cap.invocation.status, cap.output_text) == (Status.COMPLETED, "done")


def test_a_stream_that_nobody_reads_did_nothing():
    with recording() as cap:
        events = agent("never said").run("hi", stream=True)
        events.close()

    assert (cap.invocation.status, cap.invocation.model_calls) == (Status.CANCELLED, ())


def test_a_run_in_the_background_is_waited_for():
    async def run():
        asking = agent(asks_for(("refund", {"amount": 5}, "c1")), "done", tools=[refund], db=InMemoryDb())
        async with arecording() as cap:
            result = await asking.arun("hi", background=True)
            assert result.status is RunStatus.pending
        return cap

    cap = asyncio.run(run())
    assert_that(cap).has_succeeded().has_tool_executed("refund").has_own_chat_model_call_count(2)
    assert cap.output_text == "done"


def test_what_a_run_is_given_and_gives_may_be_data():
    class Answer(BaseModel):
        sku: str

    asking = agent('{"sku": "K-1"}', output_schema=Answer)
    said = [
        Message(role="user", content="A kettle"),
        Message(role="assistant", content="Which?"),
        Message(role="user", content="Red"),
    ]
    with recording() as cap:
        asking.run(said)

    assert [one["content"] for one in cap.invocation.input] == ["A kettle", "Which?", "Red"]
    assert_that(cap).output_at("$.sku").is_equal_to("K-1")


def test_messages_are_recorded_as_they_are_sent():
    asking = agent(asks_for(("get_booking", {"number": "1"}, "c1")), "done", tools=[get_booking], instructions="Be kind.")
    with recording() as cap:
        asking.run("hi", images=[Image(content=b"picture", format="png")])

    first, second = cap.invocation.own_chat_model_calls
    assert [one["role"] for one in second.messages] == ["system", "user", "assistant", "tool"]
    assert first.messages[1]["content"] == [{"type": "text", "text": "hi"}, {"type": "images"}]
    assert second.messages[2]["tool_calls"][0]["call_id"] == second.messages[3]["tool_call_id"] == "c1"
    assert (first.model, first.tools_offered) == ("scripted-1", ("get_booking",))


def test_a_run_goes_on_by_its_id_from_the_database():
    from tests.adapters.agno_parts import gated

    asking = agent(asks_for(("refund", {"amount": 5}, "c1")), "done", tools=[gated(refund)], db=InMemoryDb())
    with recording() as cap:
        paused = asking.run("hi", session_id="s1")
        paused.requirements[0].reject("too much")
        asking.continue_run(run_id=paused.run_id, session_id="s1", requirements=paused.requirements)

    assert [(one.arguments, one.reason) for one in cap.invocation.approvals] == [({"amount": 5}, "too much")]
    assert_that(cap).has_tool_rejected("refund").has_succeeded().has_no_tool_executions("refund")


def test_without_a_capture_nothing_is_put_in_the_way():
    with capture():
        pass
    asking = agent("one", "two")

    assert type(asking.run("hi", stream=True)).__name__ == "generator"
    assert asking.run("hi").content == "one"
