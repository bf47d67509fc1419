"""Spans of two libraries that tell of one piece of work, while the capture is open and is read in between."""

from __future__ import annotations

import pytest

pytest.importorskip("opentelemetry.sdk.trace")

from opentelemetry.context import Context
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import StatusCode, set_span_in_context

from agentassert import Outcome, Status, capture
from agentassert.token_usage import TokenUsage
from tests.adapters.otel_parts import agent, tool

CALL = {"gen_ai.operation.name": "chat", "gen_ai.response.id": "r1"}


class Libraries:
    """Two libraries that know nothing of each other, and begin to write of the same work."""

    def __init__(self):
        provider = TracerProvider()
        self.first, self.second = provider.get_tracer("shop.one"), provider.get_tracer("shop.two")

    def begin(self, around=None):
        inside = Context() if around is None else set_span_in_context(around, Context())
        return self.first.start_span("work", context=Context()), self.second.start_span("work", context=inside)


@pytest.fixture
def libraries():
    return Libraries()


def end(span, attributes):
    span.set_attributes(attributes)
    span.end()


def test_what_the_second_span_of_a_call_knows_is_there_when_that_has_ended(libraries):
    with capture() as cap:
        one, other = libraries.begin()
        end(one, CALL)
        assert [call.token_usage for call in cap.invocation.model_calls] == [None]
        end(other, {**CALL, "gen_ai.usage.input_tokens": 11, "gen_ai.usage.output_tokens": 3})
        assert [call.token_usage for call in cap.invocation.model_calls] == [TokenUsage(input_tokens=11, output_tokens=3)]


def test_a_failure_that_the_second_span_of_a_tool_tells_is_there_when_that_has_ended(libraries):
    with capture() as cap:
        one, other = libraries.begin()
        end(one, {**tool("pay", amount=5), "gen_ai.tool.call.result": "paid"})
        assert [execution.outcome for execution in cap.invocation.tool_executions] == [Outcome.SUCCEEDED]
        other.set_status(StatusCode.ERROR, "no money")
        end(other, tool("pay", amount=5))
        assert [execution.outcome for execution in cap.invocation.tool_executions] == [Outcome.FAILED]


def test_the_place_that_the_second_span_of_a_call_has_is_that_of_the_call_when_it_has_ended(libraries):
    with capture() as cap:
        support = libraries.second.start_span("invoke_agent support", attributes=agent())
        one, other = libraries.begin(around=support)
        end(one, CALL)
        assert cap.invocation.model_calls == ()
        end(other, CALL)
        assert len(cap.invocation.model_calls) == 1
        support.end()


def test_what_is_within_the_second_span_of_an_agent_is_part_of_its_run_when_that_has_ended(libraries):
    with capture() as cap:
        one, other = libraries.begin()
        search = libraries.second.start_span("execute_tool search", context=set_span_in_context(other), attributes=tool())
        search.end()
        one.set_attributes(agent())
        one.end()
        assert cap.invocation.tool_executions == ()
        end(other, agent())
        assert [execution.name for execution in cap.invocation.tool_executions] == ["search"]


def test_a_span_tells_of_nothing_that_an_earlier_capture_left_open(libraries):
    with capture(wait=0):
        left_open = libraries.first.start_span("invoke_agent support", attributes=agent(), context=Context())
    with capture() as cap:
        end(libraries.second.start_span("invoke_agent support", context=Context()), agent())
    left_open.end()

    assert cap.invocation.status is Status.COMPLETED
