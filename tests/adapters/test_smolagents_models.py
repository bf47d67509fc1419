"""Models of smolagents, however they are called, and however they answer."""

from __future__ import annotations

import pytest

pytest.importorskip("smolagents")

from PIL import Image
from smolagents import ChatMessage, MessageRole, Model
from smolagents.monitoring import TokenUsage

from agentassert import Outcome
from tests.adapters.scenarios.parts import recording
from tests.adapters.smolagents_parts import agent, done, executed, get_booking
from tests.scripted.smolagents import ScriptedModel, StreamingModel, asks_for, says

QUESTION = [ChatMessage(role=MessageRole.USER, content=[{"type": "text", "text": "Hello?"}])]


def test_requests_that_are_looked_for_in_the_text_of_an_answer_are_requests():
    asked = says('Action: {"name": "get_booking", "arguments": {"number": "1"}}')
    with recording() as cap:
        agent(asked, says('{"name": "final_answer", "arguments": {"answer": "done"}}'), tools=[get_booking]).run("?")

    (request,) = cap.invocation.tool_execution_requests
    (execution,) = cap.invocation.tool_executions
    assert (request.name, request.arguments, request.answered) == ("get_booking", {"number": "1"}, True)
    assert (execution.outcome, execution.call_id, cap.output_text) == (Outcome.SUCCEEDED, request.call_id, "done")


def test_text_in_which_nothing_is_found_is_asked_for_again():
    with recording() as cap:
        agent(*done(says("I would rather not."))).run("?")

    assert [one.response_text for one in cap.invocation.own_chat_model_calls] == ["I would rather not.", "done"]
    assert (cap.invocation.tool_execution_requests, cap.output_text) == ((), "done")


def test_a_model_that_calls_the_method_that_it_overrides_is_called_once():
    class Careful(ScriptedModel):
        def generate(self, messages, *args, **kwargs):
            return super().generate(messages, *args, **kwargs)

    class Later(Careful):
        """One that was defined when the adapter was at work."""

        def generate(self, messages, *args, **kwargs):
            return super().generate(messages, *args, **kwargs)

    with recording() as cap:
        assert Later("Hi.").generate(QUESTION).content == "Hi."
        assert Later("Hi.")(QUESTION).content == "Hi."

    assert [one.response_text for one in cap.invocation.own_chat_model_calls] == ["Hi.", "Hi."]


def test_a_model_that_a_tool_asks_is_called_in_that_tool():
    helper = ScriptedModel("a lamp")

    class Describing(get_booking.__class__):
        name = "describe"

        def forward(self, number):
            return helper.generate(QUESTION).content

    with recording() as cap:
        agent(*done(asks_for(("describe", {"number": "1"}, "c1"))), tools=[Describing()]).run("?")

    assert executed(cap) == [("describe", Outcome.SUCCEEDED)]
    assert [one.response_text for one in cap.invocation.model_calls] == [None, "a lamp", "done"]


def test_a_stream_is_one_call_that_ends_with_it():
    with recording() as cap:
        assert len(list(StreamingModel("one two").generate_stream(QUESTION))) == 3

    (call,) = cap.invocation.own_chat_model_calls
    assert (call.response_text, call.token_usage.total_tokens, call.model) == ("one two", 14, "scripted-1")


def test_a_stream_that_is_left_has_the_text_that_had_come():
    with recording() as cap:
        pieces = StreamingModel("one two three").generate_stream(QUESTION)
        next(pieces)
        next(pieces)
        pieces.close()

    (call,) = cap.invocation.own_chat_model_calls
    assert (call.response_text, call.completed) == ("one two", False)


def test_a_stream_that_fails_is_a_call_that_failed():
    with recording() as cap, pytest.raises(ConnectionError):
        list(StreamingModel(ConnectionError("no answer")).generate_stream(QUESTION))

    assert [repr(one.error) for one in cap.invocation.own_chat_model_calls] == ["ConnectionError('no answer')"]


def test_a_stream_without_usage_reports_none():
    with recording() as cap:
        list(StreamingModel(says("hi", tokens=(0, 0))).generate_stream(QUESTION))

    assert cap.invocation.own_chat_model_calls[0].token_usage is None


class Bedrock(Model):
    """A model that keeps what its provider sent as a mapping, and lists the parts of its text."""

    def generate(self, messages, **kwargs):
        parts = [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]
        return ChatMessage(
            role=MessageRole.ASSISTANT, content=parts, raw={"stopReason": "max_tokens"}, token_usage=TokenUsage(1, 2)
        )


def test_what_the_provider_sent_tells_why_it_stopped():
    with recording() as cap:
        Bedrock(model_id="b").generate(QUESTION)

    (call,) = cap.invocation.own_chat_model_calls
    assert (call.response_text, call.raw_finish_reason) == ("one\ntwo", "max_tokens")


def test_messages_are_text_and_what_else_there_is():
    image = {"type": "image", "image": Image.new("RGB", (1, 1))}
    asked = asks_for(("get_booking", {"number": "1"}, "c1"))
    with recording() as cap:
        agent(*done(asked), tools=[get_booking]).run("?", images=[image["image"]])
    with recording() as alone:
        ScriptedModel("hi").generate([{"role": "user", "content": [{"type": "text", "text": "look"}, image]}])

    last = cap.invocation.own_chat_model_calls[-1]
    assert [one["role"] for one in last.messages] == ["system", "user", "assistant", "user", "tool"]
    assert alone.invocation.own_chat_model_calls[0].messages[0]["content"] == [
        {"type": "text", "text": "look"},
        {"type": "image"},
    ]


@pytest.mark.parametrize("make", [list, tuple, iter])
def test_a_stream_may_be_anything_that_can_be_gone_through(make):
    class Listing(StreamingModel):
        def generate_stream(self, messages, *args, **kwargs):
            return make([*super().generate_stream(messages)])

    with recording() as cap:
        assert list(Listing("one two").generate_stream(QUESTION))

    assert [one.response_text for one in cap.invocation.own_chat_model_calls] == ["one two"]


def test_a_stream_that_fails_when_it_is_asked_for_is_a_call_that_failed():
    class Eager(StreamingModel):
        def generate_stream(self, messages, *args, **kwargs):
            return iter([self._next(messages)])

    with recording() as cap, pytest.raises(ConnectionError):
        list(Eager(ConnectionError("no answer")).generate_stream(QUESTION))

    assert [repr(one.error) for one in cap.invocation.own_chat_model_calls] == ["ConnectionError('no answer')"]


def test_a_stream_that_is_no_generator_is_as_it_was_while_nothing_is_captured():
    class Listing(ScriptedModel):
        def generate_stream(self, messages, *args, **kwargs):
            return [self._next(messages)]

    with recording():
        pass
    assert type(Listing("one").generate_stream(QUESTION)) is list
