"""The ways to run an agent of Pydantic AI, and how invocations end."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from importlib.util import find_spec

import pytest

pytest.importorskip("pydantic_ai")

import pydantic_ai
from pydantic_ai import Agent, ModelHTTPError, UserError, capture_run_messages
from pydantic_ai.agent import WrapperAgent
from pydantic_ai.capabilities import AbstractCapability, Hooks
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.instrumented import InstrumentationSettings
from pydantic_ai.models.test import TestModel
from pydantic_graph import End

from agentassert import CaptureWarning, Outcome, Status, assert_that, capture
from tests.adapters.pydantic_ai_parts import agent, executed, get_booking, run_sync
from tests.scripted.pydantic_ai import ScriptedModel, asks_for, own_loop, says

ASKED = asks_for(("get_booking", {"number": "MS-777"}, "c1"))
LOOKED_UP = [("get_booking", Outcome.SUCCEEDED)]


def booker():
    return agent(ASKED, says("found it at last"), tools=[get_booking])


async def read_events(support):
    events = support.run_stream_events("hi")
    if hasattr(events, "__aiter__"):
        return [event async for event in events]
    async with events as entered:
        return [event async for event in entered]


async def read_stream(support):
    async with support.run_stream("hi") as streamed:
        return [piece async for piece in streamed.stream_text(delta=True)]


async def read_output(support):
    async with support.run_stream("hi") as streamed:
        return await streamed.get_output()


async def step_through(support):
    async with support.iter("hi") as run:
        return [node async for node in run]


async def step_by_hand(support):
    async with support.iter("hi") as run:
        node = run.next_node
        while not isinstance(node, End):
            node = await run.next(node)


async def handle_events(support):
    async def handle(ctx, events):
        async for _ in events:
            pass

    await support.run("hi", event_stream_handler=handle)


async def just_run(support):
    await support.run("hi")


WAYS = [just_run, read_stream, read_output, read_events, step_through, step_by_hand, handle_events]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_every_way_to_run_an_agent_is_recorded_alike(way):
    async def run():
        async with capture(on_doubt="fail") as cap:
            await way(booker())
        return cap

    cap = asyncio.run(run())
    assert (cap.invocation.name, cap.invocation.framework, cap.invocation.input) == ("support", "pydantic_ai", "hi")
    assert (cap.invocation.status, cap.output, executed(cap)) == (Status.COMPLETED, "found it at last", LOOKED_UP)
    assert [(one.own, one.completed) for one in cap.invocation.model_calls] == [(True, True)] * 2


def test_a_stream_outside_async_code_is_recorded():
    with own_loop(), capture() as cap:
        assert "".join(booker().run_stream_sync("hi").stream_text(delta=True)) == "found it at last"

    assert (cap.invocation.status, executed(cap)) == (Status.COMPLETED, LOOKED_UP)


def test_an_agent_without_a_name_is_called_what_pydantic_ai_calls_it():
    nameless = Agent(ScriptedModel(says("one"), says("two")))

    with own_loop(), capture() as cap:
        nameless.run_sync("hi")
        assert [one.name for one in cap.invocations] == ["nameless"]
        unknown = [Agent(ScriptedModel(says("three")))]
        unknown[0].run_sync("hi")

    assert [one.name for one in cap.invocations] == ["nameless", "agent"]


def test_a_wrapped_agent_is_one_invocation():
    with capture() as cap:
        run_sync(WrapperAgent(booker()))

    assert (cap.invocation.name, executed(cap)) == ("support", LOOKED_UP)


def leave_stream(support):
    async def leave():
        async with support.run_stream("hi") as streamed:
            async for _ in streamed.stream_text(delta=True):
                return

    return leave()


def leave_events(support):
    async def leave():
        events = support.run_stream_events("hi")
        if hasattr(events, "__aiter__"):
            async for _ in events:
                break
            await events.aclose()
            return
        async with events as entered:
            async for _ in entered:
                return

    return leave()


def leave_steps(support):
    async def leave():
        async with support.iter("hi") as run:
            async for _ in run:
                return

    return leave()


FAILS_ITSELF = pytest.mark.skipif(
    find_spec("pydantic_ai._sync_stream") is None, reason="this version makes such a run fail when it has nobody to tell"
)


@pytest.mark.parametrize("leave", [leave_stream, pytest.param(leave_events, marks=FAILS_ITSELF), leave_steps])
def test_a_run_that_is_left_before_its_end_is_cancelled(leave):
    async def run():
        async with capture() as cap:
            await leave(booker())
        return cap

    cap = asyncio.run(run())
    assert cap.invocation.status is Status.CANCELLED
    assert_that(cap).was_cancelled()


def test_an_error_of_the_reader_after_the_last_of_a_stream_is_none_of_the_run():
    async def run():
        with capture() as cap:
            async with booker().run_stream("hi") as streamed:
                await streamed.get_output()
                raise KeyError("the reader's")
        return cap

    with pytest.raises(KeyError), capture() as outer:
        asyncio.run(run())
    assert (outer.invocation.status, outer.output) == (Status.COMPLETED, "found it at last")


def test_a_stream_that_breaks_fails_the_invocation():
    async def pieces(messages, info):
        yield "found "
        raise ModelHTTPError(500, "m")

    async def run():
        async with capture(expecting_failure=True) as cap:
            await read_stream(Agent(FunctionModel(stream_function=pieces), name="support"))
        return cap

    cap = asyncio.run(run())
    assert_that(cap).has_failed_with(ModelHTTPError)


def test_a_run_that_cannot_begin_fails():
    nobody = Agent(name="nobody")

    with capture(expecting_failure=True) as cap:
        run_sync(nobody)

    assert (cap.invocation.name, cap.invocation.model_calls) == ("nobody", ())
    assert_that(cap).has_failed_with(UserError)


def test_a_failure_that_a_capability_mends_is_none():
    class Mending(AbstractCapability[None]):
        async def on_run_error(self, ctx, *, error):
            return pydantic_ai.AgentRunResult("mended")

    with capture() as cap:
        result = run_sync(agent(ModelHTTPError(500, "m"), capabilities=[Mending()]))

    assert (result.output, cap.output, cap.invocation.status) == ("mended", "mended", Status.COMPLETED)
    assert cap.invocation.model_calls[0].failed


def test_an_output_that_a_capability_changes_is_the_one_that_the_caller_gets():
    class Shouting(AbstractCapability[None]):
        async def after_run(self, ctx, *, result):
            return pydantic_ai.AgentRunResult(result.output.upper())

    with capture() as cap:
        run_sync(agent(says("done"), capabilities=[Shouting()]))

    assert cap.output == ("done" if find_spec("pydantic_ai._sync_stream") is None else "DONE")


@pytest.mark.skipif(not hasattr(pydantic_ai, "CancellationToken"), reason="this version knows no such tokens")
@pytest.mark.parametrize(("how", "status"), [("token", Status.CANCELLED), ("timeout", Status.FAILED)])
def test_a_run_that_the_program_stops_is_cancelled_and_one_that_takes_too_long_fails(how, status):
    token = pydantic_ai.CancellationToken()

    async def patient() -> str:
        if how == "token":
            token.cancel()
        await asyncio.Event().wait()
        return "never"

    options = {"cancellation_token": token} if how == "token" else {"timeout": 0.05}

    async def run():
        async with capture() as cap:
            with pytest.raises(pydantic_ai.exceptions.RunCancelled):
                await agent(asks_for(("patient", {}, "c1")), tools=[patient]).run("hi", **options)
        return cap

    cap = asyncio.run(run())
    assert (cap.invocation.status, executed(cap)) == (status, [("patient", Outcome.CANCELLED)])


def test_the_users_own_hooks_capabilities_and_messages_are_as_without_us():
    heard = []
    hooks = Hooks()

    @hooks.on.before_tool_execute
    async def before(ctx, *, call, tool_def, args):
        heard.append(call.tool_name)
        return args

    support = agent(ASKED, says("done"), tools=[get_booking], capabilities=[hooks])
    with capture_run_messages() as messages, capture() as cap:
        result = run_sync(support)

    assert heard == ["get_booking"]
    assert [one.kind for one in messages] == ["request", "response"] * 2 == [one.kind for one in result.all_messages()]
    assert executed(cap) == LOOKED_UP


def test_instrumentation_of_the_users_is_as_without_us():
    trace = pytest.importorskip("opentelemetry.sdk.trace")
    export = pytest.importorskip("opentelemetry.sdk.trace.export")
    memory = pytest.importorskip("opentelemetry.sdk.trace.export.in_memory_span_exporter")

    def spans(recorded):
        exporter, provider = memory.InMemorySpanExporter(), trace.TracerProvider()
        provider.add_span_processor(export.SimpleSpanProcessor(exporter))
        support = booker()
        support.instrument = InstrumentationSettings(tracer_provider=provider)
        if recorded:
            with capture() as cap:
                run_sync(support)
            assert executed(cap) == LOOKED_UP
        else:
            run_sync(support)
        return [span.name for span in exporter.get_finished_spans()]

    assert spans(recorded=True) == spans(recorded=False) != []


def test_what_is_not_recorded_runs_without_us():
    seen = []

    class Looking(AbstractCapability[None]):
        async def before_run(self, ctx):
            seen.append(type(ctx.agent).iter.__name__)

    with capture():
        pass
    assert run_sync(agent(says("done"), capabilities=[Looking()])).output == "done"
    assert seen == ["iter"]


def test_threads_that_no_capture_carried_its_context_into_are_attributed_to_the_only_capture():
    with pytest.warns(CaptureWarning, match="nothing said where they belong"), capture(propagate_threads=False) as cap:
        worker = threading.Thread(target=run_sync, args=[booker()])
        worker.start()
        worker.join()

    assert (cap.invocation.status, executed(cap)) == (Status.COMPLETED, LOOKED_UP)
    assert cap.health.adopted > 0


def test_a_run_that_outlives_its_capture_is_not_recorded_any_further():
    async def run():
        started, going = asyncio.Event(), asyncio.Event()

        async def patient() -> str:
            started.set()
            await going.wait()
            return "late"

        with capture(wait=0) as cap:
            task = asyncio.create_task(agent(asks_for(("patient", {}, "c1")), says("done"), tools=[patient]).run("hi"))
            await started.wait()
        going.set()
        assert (await task).output == "done"
        return cap

    cap = asyncio.run(run())
    assert (cap.invocation.status, executed(cap)) == (Status.UNFINISHED, [("patient", Outcome.UNFINISHED)])
    assert len(cap.invocation.model_calls) == 1


def test_a_framework_that_is_imported_in_the_block_is_recorded():
    code = """
from agentassert import ChatModelCall, assert_that, capture
with capture(on_doubt="fail") as cap:
    from pydantic_ai import Agent
    from pydantic_ai.models.test import TestModel
    from pydantic_ai.direct import model_request_sync
    from pydantic_ai.messages import ModelRequest
    Agent(TestModel(), name="late").run_sync("hi")
    model_request_sync(TestModel(), [ModelRequest.user_text_prompt("hi")])
assert_that(cap).whole_capture().has_model_call_count(ChatModelCall, 2)
print(cap.invocation.name, cap.health.doubts)
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ended.stdout.split() == ["late", "()"], ended.stderr


def test_a_version_without_what_we_hook_into_is_said(monkeypatch):
    from agentassert.adapters.base import HookMissingError
    from agentassert.adapters.pydantic_ai.adapter import PydanticAIAdapter, PydanticAIDirectAdapter

    with monkeypatch.context() as patched:
        patched.setattr(Agent, "iter", lambda self, user_prompt=None: None)
        with pytest.raises(HookMissingError, match=r"pydantic_ai\.Agent\.iter takes no capabilities"):
            PydanticAIAdapter().install()
    with monkeypatch.context() as patched:
        patched.delattr(pydantic_ai, "Embedder")
        with pytest.raises(HookMissingError, match="Embedder"):
            PydanticAIAdapter().install()
    with monkeypatch.context() as patched:
        patched.delattr("pydantic_ai.direct._prepare_model")
        with pytest.raises(HookMissingError, match="_prepare_model"):
            PydanticAIDirectAdapter().install()


def test_two_captures_at_once_hold_their_own():
    async def record(number):
        async with capture() as cap:
            await asyncio.sleep(0)
            await agent(asks_for(("get_booking", {"number": number}, "c1")), says(number), tools=[get_booking]).run("hi")
        return cap

    async def run():
        return await asyncio.gather(*(record(str(number)) for number in range(5)))

    for number, cap in enumerate(asyncio.run(run())):
        assert (cap.output, cap.invocation.tool_executions[0].arguments) == (str(number), {"number": str(number)})


def test_an_output_that_is_no_text_is_shown_as_json():
    with capture() as cap:
        run_sync(Agent(TestModel(), output_type=int, name="counter"))

    assert (cap.output, cap.output_text) == (0, "0")
