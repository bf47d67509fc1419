"""Spans are recorded live from any provider of the user's, which is left as it was."""

from __future__ import annotations

import asyncio
import threading

import pytest

pytest.importorskip("opentelemetry.sdk.trace")

from opentelemetry import trace
from opentelemetry.sdk.trace import ConcurrentMultiSpanProcessor, SpanLimits, Tracer, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF

from agentassert import CaptureWarning, Outcome, Status, assert_that, capture
from tests.adapters.kits.spans import forget_that_spans_are_recorded
from tests.adapters.otel_parts import agent, exporting, run, shape, tool


@pytest.fixture
def global_provider():
    """What a test sets up for the whole process is forgotten."""
    forget_that_spans_are_recorded()
    yield
    forget_that_spans_are_recorded()


def processors(provider):
    return provider._active_span_processor._span_processors


def is_whole(cap):
    invocation = cap.invocation
    assert (invocation.name, invocation.framework, invocation.status) == ("support", "opentelemetry", Status.COMPLETED)
    assert [call.token_usage.total_tokens for call in invocation.own_chat_model_calls] == [13]
    assert_that(cap).has_tool_executed_with_exactly("search", {"q": "kettle"}).has_no_more_tool_executions()
    assert_that(cap).results_of("search").is_equal_to([["K-1"]])
    assert cap.health.doubts == ()


def test_a_provider_made_before_the_block_is_recorded():
    tracer = TracerProvider().get_tracer("shop")
    with capture() as cap:
        run(tracer)
    is_whole(cap)


def test_a_provider_made_in_the_block_is_recorded():
    with capture() as cap:
        run(TracerProvider().get_tracer("shop"))
    is_whole(cap)


@pytest.mark.usefixtures("global_provider")
def test_a_global_provider_that_is_set_in_the_block_is_recorded_also_through_a_tracer_taken_before():
    early = trace.get_tracer("shop")
    with capture() as cap:
        run(early, name="before")
        trace.set_tracer_provider(TracerProvider())
        run(early)
    is_whole(cap)


def test_several_providers_are_recorded_side_by_side():
    with capture() as cap:
        run(TracerProvider().get_tracer("shop"), name="a")
        run(TracerProvider().get_tracer("shop"), name="b")
    assert [one.name for one in cap.invocations] == ["a", "b"]


def test_a_provider_that_gives_spans_to_its_processors_in_threads_is_recorded():
    pool = ConcurrentMultiSpanProcessor(num_threads=2)
    with capture() as cap:
        run(TracerProvider(active_span_processor=pool).get_tracer("shop"))
    pool.shutdown()
    is_whole(cap)


def test_every_provider_and_the_sdk_are_left_as_they_were():
    provider, _ = exporting()
    before, start_span, method = processors(provider), vars(Tracer)["start_span"], Tracer.start_span
    tracer = provider.get_tracer("shop")
    with capture():
        run(tracer)
        with capture():
            run(tracer)
        within = processors(provider)

    assert len(within) == len(before) + 1
    assert processors(provider) == before
    assert (vars(Tracer)["start_span"], Tracer.start_span) == (start_span, method)


def test_a_processor_that_the_user_adds_meanwhile_stays():
    provider, _ = exporting()
    with capture():
        run(provider.get_tracer("shop"))
        later = InMemorySpanExporter()
        provider.add_span_processor(SimpleSpanProcessor(later))
    run(provider.get_tracer("shop"))

    assert len(processors(provider)) == 2
    assert len(later.get_finished_spans()) == 3


def test_the_user_exports_the_same_spans_with_and_without_a_capture():
    provider, spans = exporting()
    run(provider.get_tracer("shop"))
    without = [shape(span) for span in spans.get_finished_spans()]
    spans.clear()
    with capture():
        run(provider.get_tracer("shop"))

    assert [shape(span) for span in spans.get_finished_spans()] == without


def test_nothing_is_recorded_outside_the_block():
    tracer = TracerProvider().get_tracer("shop")
    run(tracer)
    with capture() as cap:
        run(tracer)
    before = cap.to_json()
    run(tracer)

    is_whole(cap)
    assert cap.to_json() == before


def test_a_span_that_was_running_when_the_block_began_is_not_part_of_it():
    tracer = TracerProvider().get_tracer("shop")
    with tracer.start_as_current_span("invoke_agent outer", attributes=agent("outer")), capture() as cap:
        run(tracer)
    is_whole(cap)


def test_a_span_that_goes_on_after_the_block_is_unfinished():
    tracer, started, release = TracerProvider().get_tracer("shop"), threading.Event(), threading.Event()

    def wait():
        started.set()
        release.wait(10)

    thread = threading.Thread(target=run, args=(tracer, wait))
    with capture(wait=0) as cap:
        thread.start()
        started.wait(10)
    release.set()
    thread.join()

    assert cap.invocation.status is Status.UNFINISHED
    assert [one.outcome for one in cap.invocation.tool_executions] == [Outcome.UNFINISHED]


def test_a_span_that_still_runs_when_the_block_is_left_is_waited_for():
    tracer, started, release = TracerProvider().get_tracer("shop"), threading.Event(), threading.Event()

    def wait():
        started.set()
        release.wait(10)

    with capture() as cap:
        threading.Thread(target=run, args=(tracer, wait)).start()
        started.wait(10)
        threading.Timer(0.05, release.set).start()
    is_whole(cap)


def test_captures_side_by_side_record_their_own_spans():
    tracer = TracerProvider().get_tracer("shop")

    async def record(name):
        async with capture() as cap:
            with tracer.start_as_current_span(f"invoke_agent {name}", attributes=agent(name)):
                await asyncio.sleep(0)
                with tracer.start_as_current_span("execute_tool search", attributes=tool(q=name)):
                    await asyncio.sleep(0)
        return cap

    async def both():
        return await asyncio.gather(record("a"), record("b"))

    for name, cap in zip("ab", asyncio.run(both()), strict=True):
        assert [one.name for one in cap.invocations] == [name]
        assert [one.arguments for one in cap.invocation.tool_executions] == [{"q": name}]


def test_spans_that_the_users_sampler_leaves_out_are_said():
    tracer = TracerProvider(sampler=ALWAYS_OFF).get_tracer("shop")
    with (
        pytest.warns(CaptureWarning, match=r"sampler leaves out spans of 'shop', and nothing of them is recorded"),
        capture() as cap,
    ):
        run(tracer)

    assert cap.invocations == ()
    assert len(cap.health.notes) == 1


def test_other_spans_may_be_left_out_in_silence():
    tracer = TracerProvider(sampler=ALWAYS_OFF).get_tracer("shop")
    with capture() as cap, tracer.start_as_current_span("GET /bookings"):
        pass
    assert cap.health.doubts == ()


def test_content_that_the_users_limits_cut_off_is_said():
    limits = SpanLimits(max_span_attribute_length=20)
    tracer = TracerProvider(span_limits=limits).get_tracer("shop")
    with pytest.warns(CaptureWarning, match="the arguments of 'book' were cut off"), capture() as cap:
        with tracer.start_as_current_span("invoke_agent support", attributes=agent()):
            with tracer.start_as_current_span("execute_tool book", attributes=tool("book", order={"to": {"city": "Oslo"}})):
                pass

    (execution,) = cap.invocation.tool_executions
    assert (execution.name, execution.arguments, execution.outcome) == ("book", None, Outcome.SUCCEEDED)
    assert execution.raw_arguments == '{"order": {"to": {"c'
