"""The ways to run a LangChain agent, and the ways in which a run ends."""

from __future__ import annotations

import asyncio
import contextvars
import copy
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from langchain_core.callbacks import CallbackManager
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableConfig, RunnableLambda
from langchain_core.tools import tool

from agentassert import Outcome, Status, capture
from agentassert.adapters.langchain.callbacks import HANDLER
from tests.adapters.agents import QUESTION, agent, executed, get_booking
from tests.scripted.langchain import ScriptedChatModel, ScriptExhaustedError, asks_for, says

FOUND = [("get_booking", Outcome.SUCCEEDED)]


def booker():
    return agent(asks_for(("get_booking", {"number": "1"}, "c1")), says("all is well"), tools=[get_booking])


async def collected(stream):
    return [chunk async for chunk in stream]


def run_invoke(support):
    support.invoke(QUESTION)


def run_stream(support):
    list(support.stream(QUESTION))


def run_stream_messages(support):
    list(support.stream(QUESTION, stream_mode=["messages", "values"], subgraphs=True))


def run_batch(support):
    support.batch([QUESTION])


def run_ainvoke(support):
    asyncio.run(support.ainvoke(QUESTION))


def run_astream(support):
    asyncio.run(collected(support.astream(QUESTION, stream_mode="messages")))


def run_abatch(support):
    asyncio.run(support.abatch([QUESTION]))


def run_astream_events(support):
    asyncio.run(collected(support.astream_events(QUESTION, version="v2")))


def run_thread(support):
    thread = threading.Thread(target=support.invoke, args=(QUESTION,))
    thread.start()
    thread.join()


def run_pool(support):
    with ThreadPoolExecutor(1) as pool:
        pool.submit(support.invoke, QUESTION).result()


RUNNERS = [
    run_invoke,
    run_stream,
    run_stream_messages,
    run_batch,
    run_ainvoke,
    run_astream,
    run_abatch,
    run_astream_events,
    run_thread,
    run_pool,
]


@pytest.mark.parametrize("run", RUNNERS)
def test_every_way_to_run_an_agent_is_recorded_alike(run):
    with capture() as cap:
        run(booker())

    assert (cap.invocation.name, cap.invocation.status, cap.output_text) == ("support", Status.COMPLETED, "all is well")
    assert executed(cap) == FOUND
    assert [call.response_text for call in cap.invocation.own_chat_model_calls] == ["", "all is well"]
    assert cap.invocation.own_chat_model_calls[1].raw_finish_reason == "stop"
    assert cap.invocation.token_usage.total_tokens == 28
    assert cap.health.doubts == ()


def test_a_thread_that_nothing_was_carried_into_is_adopted_and_said_to_be():
    with pytest.warns(match="nothing said where they belong"), capture(propagate_threads=False) as cap:
        run_thread(booker())

    assert executed(cap) == FOUND
    assert cap.health.adopted == 1


def test_a_batch_is_an_invocation_for_each_input():
    support = agent(says("one"), says("two"))

    with capture() as cap:
        support.batch([QUESTION, QUESTION])

    assert sorted(one.output_text for one in cap.invocations) == ["one", "two"]


def test_concurrent_captures_do_not_mix():
    async def one(number):
        support = agent(asks_for(("get_booking", {"number": number}, "c1")), says(number), tools=[get_booking])
        async with capture() as cap:
            await support.ainvoke(QUESTION)
        return cap

    async def run():
        return await asyncio.gather(*(one(str(number)) for number in range(20)))

    for number, cap in enumerate(asyncio.run(run())):
        assert cap.output_text == str(number)
        assert [execution.arguments for execution in cap.invocation.tool_executions] == [{"number": str(number)}]


@pytest.mark.parametrize("mode", ["messages", "updates", "values", ["messages", "values"]])
def test_a_stream_gives_what_it_gives_without_us(mode):
    def streamed():
        return [shape(chunk) for chunk in booker().stream(QUESTION, stream_mode=mode, subgraphs=True)]

    without = streamed()
    with capture():
        within = streamed()

    assert within == without
    assert len(without) > 1


def shape(part):
    """A chunk without what differs from run to run."""
    if isinstance(part, (tuple, list)):
        return [shape(one) for one in part]
    if isinstance(part, dict):
        return {key: shape(value) for key, value in part.items() if not key.startswith(("langgraph_", "checkpoint", "ls_"))}
    return (type(part), part.content, getattr(part, "tool_calls", None)) if hasattr(part, "content") else part


def test_the_agents_own_context_variables_are_as_without_us():
    with capture():
        before = dict(contextvars.copy_context())
        booker().invoke(QUESTION)
        list(booker().stream(QUESTION))
        after = dict(contextvars.copy_context())

    assert after == before


def test_a_stream_that_is_closed_early_is_cancelled():
    with capture() as cap:
        stream = booker().stream(QUESTION)
        next(stream)
        stream.close()

    assert cap.invocation.status is Status.CANCELLED


def test_a_stream_that_is_left_behind_is_cancelled_at_once():
    with capture() as cap:
        stream = booker().stream(QUESTION)
        next(stream)

    assert cap.invocation.status is Status.CANCELLED
    stream.close()


def test_a_stream_that_was_never_advanced_started_nothing():
    with capture() as cap:
        stream = booker().stream(QUESTION)

    assert cap.invocations == ()
    stream.close()


def test_a_stream_belongs_to_the_thread_that_reads_it_on():
    with capture(wait=10) as cap:
        stream = booker().stream(QUESTION)
        next(stream)
        taken = threading.Event()
        threading.Thread(target=lambda: (next(stream), taken.set(), list(stream))).start()
        taken.wait(10)

    assert cap.invocation.status is Status.COMPLETED


def test_an_async_stream_that_is_closed_early_is_cancelled():
    async def run():
        async with capture() as cap:
            stream = booker().astream(QUESTION)
            await anext(stream)
            await stream.aclose()
        return cap

    assert asyncio.run(run()).invocation.status is Status.CANCELLED


def test_a_plain_stream_is_recorded_with_its_whole_input():
    chain = ChatPromptTemplate.from_messages([("user", "{question}")]) | ScriptedChatModel(says("all is well"))

    with capture() as cap:
        list(chain.stream({"question": "?"}))

    assert (cap.invocation.input, cap.output_text, cap.invocation.status) == (
        {"question": "?"},
        "all is well",
        Status.COMPLETED,
    )


def test_a_plain_stream_that_is_closed_early_is_cancelled():
    chain = ChatPromptTemplate.from_messages([("user", "{question}")]) | ScriptedChatModel(says("all is well"))

    with capture() as cap:
        stream = chain.stream({"question": "?"})
        next(stream)
        stream.close()

    assert cap.invocation.status is Status.CANCELLED


def test_a_task_that_is_cancelled_cancels_its_invocation_and_its_tool():
    started = asyncio.Event()

    @tool
    async def slow() -> str:
        """Never end."""
        started.set()
        await asyncio.sleep(3600)

    async def run():
        async with capture() as cap:
            running = asyncio.create_task(agent(asks_for(("slow", {}, "c1")), tools=[slow]).ainvoke(QUESTION))
            await started.wait()
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
        return cap

    cap = asyncio.run(run())
    assert (cap.invocation.status, executed(cap)) == (Status.CANCELLED, [("slow", Outcome.CANCELLED)])


def test_an_agent_that_still_runs_is_waited_for():
    started, release = threading.Event(), threading.Event()

    @tool
    def slow() -> str:
        """Wait."""
        started.set()
        release.wait(10)
        return "ok"

    support = agent(asks_for(("slow", {}, "c1")), says("bye"), tools=[slow])
    with capture() as cap:
        threading.Thread(target=support.invoke, args=(QUESTION,)).start()
        started.wait(10)
        threading.Timer(0.05, release.set).start()

    assert (cap.invocation.status, executed(cap)) == (Status.COMPLETED, [("slow", Outcome.SUCCEEDED)])


def test_an_agent_that_hangs_is_unfinished():
    started, release = threading.Event(), threading.Event()

    @tool
    def slow() -> str:
        """Hang."""
        started.set()
        release.wait(10)
        return "ok"

    support = agent(asks_for(("slow", {}, "c1")), says("bye"), tools=[slow])
    with capture(wait=0.2) as cap:
        thread = threading.Thread(target=support.invoke, args=(QUESTION,))
        thread.start()
        started.wait(10)
    release.set()
    thread.join()

    assert (cap.invocation.status, executed(cap)) == (Status.UNFINISHED, [("slow", Outcome.UNFINISHED)])


def test_an_exhausted_script_is_an_error_of_the_model():
    with capture(expecting_failure=True) as cap:
        agent().invoke(QUESTION)

    assert isinstance(cap.error, ScriptExhaustedError)


def test_too_many_steps_fail_the_agent():
    looping = agent(*[asks_for(("get_booking", {"number": "1"}, f"c{turn}")) for turn in range(9)], tools=[get_booking])

    with capture(expecting_failure=True) as cap:
        looping.invoke(QUESTION, {"recursion_limit": 5})

    assert (cap.invocation.status, type(cap.error).__name__) == (Status.FAILED, "GraphRecursionError")


def test_nothing_is_kept_of_a_run_without_a_capture():
    with capture():
        pass
    booker().invoke(QUESTION)

    assert all(getattr(HANDLER, f"ignore_{kind}") for kind in ("chain", "agent", "llm", "chat_model", "retriever"))
    assert HANDLER._runs == {}


def test_an_agent_may_copy_the_callbacks_of_its_run():
    @tool
    def copying(config: RunnableConfig) -> str:
        """Copy them deeply."""
        handlers = config["callbacks"].handlers
        return str(copy.deepcopy(handlers) == handlers)

    with capture() as cap:
        agent(asks_for(("copying", {}, "c1")), says("bye"), tools=[copying]).invoke(QUESTION)

    assert [execution.result for execution in cap.invocation.tool_executions] == ["True"]


def test_a_run_that_is_reported_twice_counts_once():
    with capture() as cap:
        for _ in range(2):
            HANDLER.on_tool_start({"name": "pay"}, "", run_id=1, inputs={"amount": 5}, tool_call_id="c1")
        for _ in range(2):
            HANDLER.on_tool_end("ok", run_id=1)

    assert [(one.name, one.result) for one in cap.invocation.tool_executions] == [("pay", "ok")]


@pytest.mark.parametrize("nested", [False, True])
def test_callbacks_that_come_as_a_manager_are_heard_too(nested):
    support = booker()
    given = {"callbacks": CallbackManager([])}

    with capture() as cap:
        (RunnableLambda(lambda question: support.invoke(question, given)) if nested else support).invoke(QUESTION, given)

    invocation = cap.invocation.nested_invocations[0] if nested else cap.invocation
    assert (invocation.name, invocation.output_text) == ("support", "all is well")
    assert [execution.name for execution in invocation.tool_executions] == ["get_booking"]
    assert given["callbacks"].handlers == []


def test_captures_around_captures_are_each_complete():
    with capture() as outer:
        booker().invoke(QUESTION)
        with capture() as inner:
            booker().invoke(QUESTION)

    assert [executed(cap) for cap in (inner,)] == [FOUND]
    assert [[one.name for one in invocation.tool_executions] for invocation in outer.invocations] == [["get_booking"]] * 2
