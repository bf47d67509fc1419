"""One model call seen by two layers, a framework's and the SDK's under it."""

from __future__ import annotations

from agentassert import ChatModelCall, EmbeddingModelCall, TokenUsage, capture, recorder
from agentassert.recording.events import ModelCallEvent


def _call(adapter, *, kind=ChatModelCall, model=None, parent=None, sends=False) -> ModelCallEvent:
    event = recorder.start_model_call(adapter=adapter, kind=kind, model=model, parent=parent, sends=sends)
    assert event is not None
    return event


def _calls(cap):
    return cap.invocation.model_calls


def test_a_request_of_the_layer_below_is_an_attempt_at_the_call_around_it():
    with capture() as cap:
        outer = _call("framework")
        _call("sdk", model="small").respond(text="hi", usage=TokenUsage(input_tokens=5, output_tokens=2), finish_reason="stop")
        outer.respond(text="hi")
    (call,) = _calls(cap)
    assert (call.model, call.raw_finish_reason, call.attempts) == ("small", "stop", 1)
    assert call.token_usage.total_tokens == 7


def test_usage_that_both_layers_report_is_counted_once_and_the_wire_knows_best():
    with capture() as cap:
        outer = _call("framework", model="alias")
        _call("sdk", model="small").respond(text="hi", usage=TokenUsage(input_tokens=5, output_tokens=2))
        outer.respond(text="hi", usage=TokenUsage(input_tokens=6, output_tokens=2))
    (call,) = _calls(cap)
    assert (call.model, call.token_usage.total_tokens) == ("alias", 7)


def test_a_request_that_failed_and_is_made_again_is_a_second_attempt():
    with capture() as cap:
        outer = _call("framework")
        _call("sdk").fail(TimeoutError("slow"))
        _call("sdk").respond(text="hi")
        outer.respond(text="hi")
    (call,) = _calls(cap)
    assert (call.attempts, call.error) == (2, None)


def test_a_call_that_has_its_answer_takes_no_further_request():
    with capture() as cap:
        outer = _call("framework")
        _call("sdk").respond(text="hi")
        _call("sdk", model="the user's own, while the stream is read").respond(text="else")
        outer.respond(text="hi")
    assert [call.response_text for call in _calls(cap)] == ["hi", "else"]


def test_a_call_that_ended_takes_no_request():
    with capture() as cap:
        _call("framework").respond(text="hi")
        _call("sdk").respond(text="later")
    assert [call.response_text for call in _calls(cap)] == ["hi", "later"]


def test_a_layer_in_between_is_an_attempt_which_requests_of_a_client_carry_out():
    with capture() as cap:
        outer, between = _call("framework"), _call("library", model="big")
        _call("sdk", model="small", sends=True).fail(TimeoutError("slow"))
        _call("sdk", model="small", sends=True).respond(text="hi", usage=TokenUsage(input_tokens=5, output_tokens=2))
        between.respond(text="hi", usage=TokenUsage(input_tokens=6, output_tokens=2))
        outer.respond(text="hi")
        _call("library").respond(text="else")
    first, second = _calls(cap)
    assert (first.attempts, first.error, first.token_usage.total_tokens) == (2, None, 7)
    assert second.response_text == "else"


def test_a_layer_in_between_that_failed_may_be_asked_again():
    with capture() as cap:
        outer = _call("framework")
        for error in (TimeoutError("slow"), None):
            between, sent = _call("library"), _call("sdk", sends=True)
            for event in (sent, between):
                event.respond(text="hi") if error is None else event.fail(error)
        outer.respond(text="hi")
    (call,) = _calls(cap)
    assert (call.attempts, call.error) == (2, None)


def test_a_client_takes_no_request_of_a_layer_above_it():
    with capture() as cap:
        outer, stream = _call("framework"), _call("sdk", sends=True)
        _call("other framework, while the stream is read").respond(text="else")
        stream.respond(text="hi")
        outer.respond(text="hi")
    assert [call.response_text for call in _calls(cap)] == ["hi", "else"]


def test_a_request_of_another_kind_is_a_call_of_its_own():
    with capture() as cap:
        outer = _call("framework")
        _call("sdk", kind=EmbeddingModelCall).respond()
        outer.respond(text="hi")
    assert [type(call) for call in _calls(cap)] == [ChatModelCall, EmbeddingModelCall]


def test_many_embedding_requests_may_carry_one_call_out():
    with capture() as cap:
        outer = _call("framework", kind=EmbeddingModelCall)
        for _ in range(3):
            _call("sdk", kind=EmbeddingModelCall).respond()
        outer.respond()
    (call,) = _calls(cap)
    assert call.attempts == 3


def test_two_calls_of_one_layer_are_two_calls():
    with capture() as cap:
        first, second = _call("sdk"), _call("sdk")
        first.respond(text="one")
        second.respond(text="two")
    assert [call.response_text for call in _calls(cap)] == ["one", "two"]


def test_an_inner_capture_records_the_request_when_it_never_saw_the_call_around_it():
    with capture() as outer:
        call = _call("framework")
        with capture() as inner:
            _call("sdk").respond(text="hi")
        call.respond(text="hi")
    assert len(_calls(inner)) == 1
    assert len(_calls(outer)) == 2


def test_a_model_that_answers_in_another_context_says_which_call_it_answers():
    with capture() as cap:
        first, second = _call("framework"), _call("framework")
        recorder.answering(first)
        _call("sdk").respond(usage=TokenUsage(input_tokens=1, output_tokens=1))
        first.respond(text="one")
        second.respond(text="two")
    assert [call.token_usage for call in _calls(cap)][1] is None
    assert _calls(cap)[0].token_usage.total_tokens == 2


def test_what_an_attempt_learns_after_the_records_were_read_is_seen():
    with capture() as cap:
        outer = _call("framework")
        attempt = _call("sdk")
        outer.respond(text="hi")
        assert _calls(cap)[0].token_usage is None
        attempt.respond(text="hi", usage=TokenUsage(input_tokens=1, output_tokens=1))
    assert _calls(cap)[0].token_usage.total_tokens == 2


def test_a_tool_that_carries_another_ones_work_out_is_no_execution_of_its_own():
    with capture() as cap, recorder_tool("plan"):
        assert recorder.start_tool("lookup", {}, adapter="mcp", transport=True) is None
    assert cap.invocation.tool_executions[0].name == "plan"


def test_transport_with_no_tool_around_it_is_an_execution():
    with capture() as cap:
        recorder.start_tool("lookup", {}, adapter="mcp", transport=True).succeed("found")
    assert [tool.name for tool in cap.invocation.tool_executions] == ["lookup"]


class recorder_tool:  # noqa: N801  # reads as a block
    def __init__(self, name):
        self._event = recorder.start_tool(name, {}, adapter="framework")

    def __enter__(self):
        self._entered = recorder.enter(self._event)

    def __exit__(self, *_):
        recorder.leave(self._entered)
        self._event.succeed("done")
