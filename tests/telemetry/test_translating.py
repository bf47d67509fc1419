"""Spans that tell what they are only when they end, as they do while an agent runs."""

from __future__ import annotations

import attrs
import pytest

from agentassert import NOT_RECORDED, Capture, TokenUsage
from agentassert.recording.events import CaptureState, Scope, next_order
from agentassert.recording.recordings import Live
from agentassert.telemetry.spans import Span
from agentassert.telemetry.translator import Translator

AGENT = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "clerk"}
TOOL = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "pay", "gen_ai.tool.call.id": "c1"}
CHAT = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "small"}


class Recording:
    """A capture that spans are told to as they start and end."""

    def __init__(self):
        self.state = CaptureState(None, ())
        self.translator = Translator()
        self.spans = {}

    def start(self, number, attributes=None, *, inside=None, scope="desk"):
        span = Span("1", str(number), None if inside is None else str(inside), "work", scope, number, None, attributes or {})
        self.spans[number] = span
        return self.translator.start(span, Scope((self.state,), self.translator.around(span)))

    def end(self, number, attributes=None, **changes):
        span = self.spans[number]
        told = {**span.attributes, **(attributes or {})}
        self.translator.end(attrs.evolve(span, attributes=told, end_ns=1_000, **changes))

    def invocations(self):
        if self.state.closed_order is None:
            self.state.closed_order = next_order()
        return Capture(Live(self.state)).invocations


@pytest.fixture
def recording():
    return Recording()


def test_what_tells_when_it_starts_is_there_at_once(recording):
    event = recording.start(1, AGENT)
    assert (event.name, recording.state.running) == ("clerk", {event: None})
    recording.end(1)
    assert recording.state.running == {}


def test_what_tells_when_it_ends_takes_its_place_and_what_was_recorded_in_it(recording):
    assert recording.start(1) is None
    recording.start(2, TOOL, inside=1)
    recording.start(3, inside=2)
    recording.start(4, CHAT, inside=3)
    recording.end(4, {"gen_ai.usage.input_tokens": 11})
    recording.end(3, {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "guide"})
    recording.end(2, {"gen_ai.tool.call.result": "paid"})
    recording.start(5, CHAT, inside=1)
    recording.end(5)
    recording.end(1, AGENT)
    (clerk,) = recording.invocations()
    assert [(one.name, one.result) for one in clerk.tool_executions] == [("pay", "paid")]
    assert (len(clerk.model_calls), clerk.started_order < clerk.tool_executions[0].started_order) == (1, True)
    (guide,) = clerk.nested_invocations
    assert (guide.name, guide.started_by) == ("guide", clerk.tool_executions[0].id)
    assert guide.token_usage == TokenUsage(input_tokens=11)


def test_what_is_nothing_leaves_what_was_in_it_where_it_was(recording):
    recording.start(1, AGENT)
    recording.start(2, inside=1)
    recording.start(3, inside=2)
    recording.start(4, TOOL, inside=3)
    for number in (4, 3, 2, 1):
        recording.end(number)
    (clerk,) = recording.invocations()
    assert [one.name for one in clerk.tool_executions] == ["pay"]


def test_a_call_that_turns_out_to_be_around_another_one_takes_it_in(recording):
    recording.start(1, AGENT)
    recording.start(2, inside=1, scope="openinference.instrumentation.openai")
    recording.start(3, CHAT, inside=2)
    recording.end(3, {"gen_ai.usage.input_tokens": 11})
    recording.end(2, {"openinference.span.kind": "LLM"})
    recording.end(1)
    (call,) = recording.invocations()[0].model_calls
    assert (call.model, call.token_usage) == ("small", TokenUsage(input_tokens=11))


def test_a_tool_that_turns_out_to_be_around_the_same_tool_takes_it_in(recording):
    recording.start(1, AGENT)
    recording.start(2, inside=1)
    recording.start(3, TOOL, inside=2)
    recording.end(3, {"gen_ai.tool.call.result": "paid"})
    recording.end(2, {"openinference.span.kind": "TOOL", "tool.name": "pay"})
    recording.end(1)
    (execution,) = recording.invocations()[0].tool_executions
    assert (execution.call_id, execution.result) == ("c1", "paid")


def test_what_turns_out_to_be_told_already_is_taken_back(recording):
    recording.start(1, AGENT)
    for number, scope in ((2, "one"), (3, "other")):
        recording.start(number, CHAT, inside=1, scope=scope)
    for number in (2, 3):
        recording.end(number, {"gen_ai.response.id": "r1"})
    recording.end(1)
    assert len(recording.invocations()[0].model_calls) == 1


def test_a_retriever_whose_findings_are_not_told_is_taken_back(recording):
    recording.start(1, AGENT)
    recording.start(2, {"gen_ai.operation.name": "retrieval"}, inside=1)
    recording.end(2)
    recording.end(1)
    assert recording.invocations()[0].sources is NOT_RECORDED


def test_a_span_that_started_before_anybody_listened_is_nothing(recording):
    recording.translator.end(Span("1", "9", None, "work", end_ns=5, attributes=AGENT))
    assert recording.invocations() == ()


def test_a_run_that_ends_when_its_capture_is_over_is_dropped(recording):
    recording.start(1)
    recording.state.closed_order = next_order()
    recording.end(1, AGENT)
    assert recording.invocations() == ()
