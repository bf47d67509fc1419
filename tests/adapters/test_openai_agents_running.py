"""The ways to run an agent of the OpenAI Agents SDK, and the ways in which a run ends."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("agents")

from agents import (
    GuardrailFunctionOutput,
    InputGuardrailTripwireTriggered,
    MaxTurnsExceeded,
    OutputGuardrailTripwireTriggered,
    RunConfig,
    Runner,
    SQLiteSession,
    function_tool,
    input_guardrail,
    output_guardrail,
    set_tracing_disabled,
)

from agentassert import Outcome, Status, capture
from tests.adapters.openai_agents_parts import agent, executed, get_booking, run_sync
from tests.scripted.openai_agents import ScriptExhaustedError, asks_for, says

FOUND = [("get_booking", Outcome.SUCCEEDED)]


def booker(*more):
    return agent(asks_for(("get_booking", {"number": "1"}, "c1")), says("all is well"), *more, tools=[get_booking])


async def streamed(support, given="hi", **options):
    result = Runner.run_streamed(support, given, **options)
    return [event async for event in result.stream_events()]


def run_run(support):
    asyncio.run(Runner.run(support, "hi"))


def run_streamed(support):
    asyncio.run(streamed(support))


def run_task(support):
    async def go():
        await asyncio.create_task(Runner.run(support, "hi"))

    asyncio.run(go())


def run_thread(support):
    thread = threading.Thread(target=run_run, args=(support,))
    thread.start()
    thread.join()


def run_pool(support):
    with ThreadPoolExecutor(1) as pool:
        pool.submit(run_run, support).result()


@pytest.mark.parametrize("run", [run_run, run_sync, run_streamed, run_task, run_thread, run_pool])
def test_every_way_to_run_an_agent_is_recorded_alike(run):
    with capture() as cap:
        run(booker())

    invocation = cap.invocation
    assert (invocation.name, invocation.framework, invocation.status) == ("support", "openai-agents", Status.COMPLETED)
    assert (invocation.input, cap.output, cap.output_text) == ("hi", "all is well", "all is well")
    assert executed(cap) == FOUND
    assert [call.response_text for call in invocation.own_chat_model_calls] == ["", "all is well"]
    assert invocation.token_usage.total_tokens == 28
    assert cap.health.doubts == ()


@pytest.mark.parametrize("run", [run_run, run_streamed])
@pytest.mark.parametrize("way", ["run", "program", "environment"])
def test_it_is_recorded_where_tracing_is_disabled(way, run, monkeypatch):
    support = booker()
    if way == "environment":
        from agents.tracing import set_trace_provider
        from agents.tracing.provider import DefaultTraceProvider

        monkeypatch.setenv("OPENAI_AGENTS_DISABLE_TRACING", "1")
        set_trace_provider(DefaultTraceProvider())
    elif way == "program":
        set_tracing_disabled(True)
    try:
        with capture() as cap:
            if way == "run":
                asyncio.run(Runner.run(support, "hi", run_config=RunConfig(tracing_disabled=True)))
            else:
                run(support)
    finally:
        if way == "environment":
            set_trace_provider(DefaultTraceProvider())
        set_tracing_disabled(False)

    assert (cap.invocation.status, executed(cap)) == (Status.COMPLETED, FOUND)


def test_a_bare_thread_is_adopted_and_said_to_be():
    with pytest.warns(match="The recording is in doubt"), capture(propagate_threads=False) as cap:
        run_thread(booker())

    assert executed(cap) == FOUND
    assert cap.health.adopted == 1


def test_a_list_of_items_is_an_input_like_any_other():
    given = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "yes?"}, {"role": "user", "content": "MS-777"}]

    with capture() as cap:
        run_sync(agent(says("done")), given)

    given.clear()
    assert [message["content"] for message in cap.invocation.input] == ["hi", "yes?", "MS-777"]
    assert [message["role"] for message in cap.invocation.own_chat_model_calls[0].messages] == ["user", "assistant", "user"]


def test_concurrent_captures_do_not_mix():
    async def one(number):
        support = agent(asks_for(("get_booking", {"number": number}, "c1")), says(number), tools=[get_booking])
        async with capture() as cap:
            await (Runner.run(support, "hi") if int(number) % 2 else streamed(support))
        return cap

    async def go():
        return await asyncio.gather(*(one(str(number)) for number in range(20)))

    for number, cap in enumerate(asyncio.run(go())):
        assert cap.output_text == str(number)
        assert [execution.arguments for execution in cap.invocation.tool_executions] == [{"number": str(number)}]


def test_concurrent_runs_in_one_capture_are_told_apart():
    support = booker()
    models = [booker().model for _ in range(5)]

    async def go():
        async with capture() as cap:
            await asyncio.gather(*(Runner.run(support.clone(name=f"support {n}", model=models[n]), str(n)) for n in range(5)))
        return cap

    cap = asyncio.run(go())
    assert sorted((one.name, one.input) for one in cap.invocations) == [(f"support {n}", str(n)) for n in range(5)]
    assert all(executed(cap, one.name) == FOUND and len(one.model_calls) == 2 for one in cap.invocations)


def test_a_session_is_used_as_without_us():
    session = SQLiteSession("s")
    support = agent(says("hello"), says("again"))

    async def go():
        async with capture() as cap:
            await Runner.run(support, "one", session=session)
            await Runner.run(support, "two", session=session)
        return cap, await session.get_items()

    cap, items = asyncio.run(go())
    session.close()
    assert [one.input for one in cap.invocations] == ["one", "two"]
    assert [message["content"] for message in cap.invocations[1].model_calls[0].messages if message["role"] == "user"] == [
        "one",
        "two",
    ]
    assert len(items) == 4


def test_the_contexts_of_the_program_are_as_without_us():
    with capture():
        before = dict(contextvars.copy_context().items())
        run_sync(booker())
        after = dict(contextvars.copy_context().items())

    assert after == before


def test_without_a_capture_nothing_is_recorded_or_kept():
    with capture():
        pass
    support = booker()
    run_sync(support)

    assert [request.tools for request in support.model.requests] == [["get_booking"], ["get_booking"]]
    with capture() as cap:
        pass
    assert cap.invocations == ()


def test_a_stream_gives_what_it_gives_without_us():
    def kinds(events):
        return [(event.type, getattr(event, "name", None)) for event in events]

    without = kinds(asyncio.run(streamed(booker())))
    with capture():
        within = kinds(asyncio.run(streamed(booker())))

    assert within == without
    assert len(without) > 5


def in_a_capture(work, **options):
    async def go():
        async with capture(**options) as cap:
            await work()
        return cap

    return asyncio.run(go())


def test_a_stream_that_was_never_advanced_is_cancelled():
    async def work():
        Runner.run_streamed(booker(), "hi")

    assert in_a_capture(work).invocation.status is Status.CANCELLED


def test_a_stream_that_is_left_behind_is_cancelled():
    async def work():
        result = Runner.run_streamed(booker(), "hi")
        async for _ in result.stream_events():
            break

    assert in_a_capture(work).invocation.status is Status.CANCELLED


def test_a_stream_that_is_closed_early_is_cancelled_and_holds_what_happened_meanwhile():
    async def work():
        events = Runner.run_streamed(booker(), "hi").stream_events()
        async for event in events:
            if getattr(event, "name", None) == "tool_output":
                break
        await events.aclose()

    cap = in_a_capture(work)
    assert (cap.invocation.status, executed(cap)) == (Status.CANCELLED, FOUND)
    assert cap.health.doubts == ()


@pytest.mark.parametrize("mode", ["immediate", "after_turn"])
def test_a_run_that_is_cancelled_is_cancelled(mode):
    async def work():
        result = Runner.run_streamed(booker(), "hi")
        async for event in result.stream_events():
            if getattr(event, "name", None) == "tool_called":
                result.cancel(mode=mode)

    assert in_a_capture(work).invocation.status is Status.CANCELLED


def test_a_cancellation_that_comes_too_late_cancels_nothing():
    async def work():
        result = Runner.run_streamed(agent(says("done")), "hi")
        async for _ in result.stream_events():
            result.cancel(mode="after_turn")

    cap = in_a_capture(work)
    assert (cap.invocation.status, cap.output_text) == (Status.COMPLETED, "done")


def test_a_stream_that_another_task_reads_is_waited_for():
    async def read(result):
        async for _ in result.stream_events():
            await asyncio.sleep(0.001)

    readers = []

    async def work():
        result = Runner.run_streamed(booker(), "hi")
        readers.append(asyncio.create_task(read(result)))
        await asyncio.sleep(0)

    assert in_a_capture(work).invocation.status is Status.COMPLETED


def test_a_task_that_is_cancelled_cancels_its_invocation_and_its_tool():
    started = asyncio.Event()

    @function_tool
    async def slow() -> str:
        """Never end."""
        started.set()
        await asyncio.sleep(3600)

    async def work():
        running = asyncio.create_task(Runner.run(agent(asks_for(("slow", {}, "c1")), tools=[slow]), "hi"))
        await started.wait()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    cap = in_a_capture(work)
    assert (cap.invocation.status, executed(cap)) == (Status.CANCELLED, [("slow", Outcome.CANCELLED)])


def test_an_agent_that_still_runs_is_waited_for():
    runs = []

    async def work():
        runs.append(asyncio.create_task(Runner.run(booker(), "hi")))
        await asyncio.sleep(0)

    cap = in_a_capture(work)
    assert (cap.invocation.status, executed(cap)) == (Status.COMPLETED, FOUND)


def test_what_happens_after_the_block_is_not_recorded():
    entered, release = threading.Event(), threading.Event()

    @function_tool
    def slow() -> str:
        """Hang."""
        entered.set()
        release.wait(10)
        return "ok"

    support = agent(asks_for(("slow", {}, "c1")), says("bye"), tools=[slow])
    with capture(wait=0) as cap:
        thread = threading.Thread(target=run_run, args=(support,))
        thread.start()
        entered.wait(10)
    release.set()
    thread.join()

    assert (cap.invocation.status, executed(cap)) == (Status.UNFINISHED, [("slow", Outcome.UNFINISHED)])
    assert len(cap.invocation.model_calls) == 1


@pytest.mark.parametrize("run", [run_run, run_streamed])
def test_too_many_turns_fail_the_agent(run):
    looping = agent(*[asks_for(("get_booking", {"number": "1"}, f"c{turn}")) for turn in range(20)], tools=[get_booking])

    with capture(expecting_failure=True) as cap:
        run(looping)

    assert (cap.invocation.status, type(cap.error)) == (Status.FAILED, MaxTurnsExceeded)
    assert len(cap.invocation.tool_executions) == 10


def test_too_many_turns_that_are_handled_complete_it():
    looping = agent(*[asks_for(("get_booking", {"number": "1"}, f"c{turn}")) for turn in range(3)], tools=[get_booking])

    with capture() as cap:
        asyncio.run(Runner.run(looping, "hi", max_turns=2, error_handlers={"max_turns": lambda _: {"final_output": "gave up"}}))

    assert (cap.invocation.status, cap.output_text) == (Status.COMPLETED, "gave up")


@pytest.mark.parametrize("run", [run_run, run_streamed])
def test_an_error_of_the_model_fails_the_agent(run):
    error = RuntimeError("500")

    with capture(expecting_failure=True) as cap:
        run(agent(error))

    assert (cap.invocation.status, cap.invocation.error) == (Status.FAILED, error)
    (call,) = cap.invocation.model_calls
    assert (call.error, call.completed, call.attempts) == (error, False, 1)


def test_an_exhausted_script_is_an_error_of_the_model():
    with capture(expecting_failure=True) as cap:
        run_run(agent())

    assert isinstance(cap.error, ScriptExhaustedError)


@input_guardrail
async def no_entry(context, agent, given):
    await asyncio.sleep(0.01)
    return GuardrailFunctionOutput(output_info=None, tripwire_triggered=True)


@output_guardrail
async def no_exit(context, agent, given):
    return GuardrailFunctionOutput(output_info=None, tripwire_triggered=True)


@pytest.mark.parametrize("run", [run_run, run_streamed])
def test_a_tripwire_at_the_input_blocks_the_agent(run):
    async def slow(sent):
        await asyncio.sleep(0.05)
        return "too late"

    with capture(expecting_failure=True) as cap:
        run(agent(slow, input_guardrails=[no_entry]))

    assert (cap.invocation.status, type(cap.error)) == (Status.BLOCKED, InputGuardrailTripwireTriggered)
    assert [call.error for call in cap.invocation.model_calls] == [None]


@pytest.mark.parametrize("run", [run_run, run_streamed])
def test_a_tripwire_at_the_output_blocks_the_agent(run):
    with capture(expecting_failure=True) as cap:
        run(agent(says("secret"), output_guardrails=[no_exit]))

    assert (cap.invocation.status, type(cap.error)) == (Status.BLOCKED, OutputGuardrailTripwireTriggered)
    assert cap.invocation.model_calls[0].response_text == "secret"


def test_a_guardrail_of_a_run_blocks_it_too():
    with capture(expecting_failure=True) as cap:
        run_sync(agent(says("x")), run_config=RunConfig(output_guardrails=[no_exit]))

    assert cap.invocation.status is Status.BLOCKED


def test_a_model_call_that_another_error_cancels_has_not_failed():
    @input_guardrail
    async def broken_guard(context, agent, given):
        await asyncio.sleep(0.01)
        raise ValueError("kaput")

    async def slow(sent):
        await asyncio.sleep(3600)

    with capture(expecting_failure=True) as cap:
        run_run(agent(slow, input_guardrails=[broken_guard]))

    assert repr(cap.error) == "ValueError('kaput')"
    assert [(call.completed, call.error) for call in cap.invocation.model_calls] == [(False, None)]
