"""Requests to models of LlamaIndex, whatever class they are of and however they are asked."""

from __future__ import annotations

import asyncio
import itertools
import time
from typing import Any

import pytest

pytest.importorskip("llama_index.core")

from llama_index.core import MockEmbedding
from llama_index.core.agent.workflow import ReActAgent
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, CompletionResponse, LLMMetadata
from llama_index.core.llms import CustomLLM
from llama_index.core.llms.callbacks import llm_completion_callback
from pydantic import BaseModel

from agentassert import EmbeddingModelCall, NotRecordedError, Outcome, TokenUsage, assert_that
from agentassert.adapters.llama_index import models
from agentassert.adapters.llama_index.messages import response_of
from tests.adapters.llama_index_parts import agent, executed, get_booking, run
from tests.adapters.llama_index_warnings import quietly
from tests.adapters.scenarios.parts import LOOKED_UP, only, recording
from tests.scripted.llama_index import ScriptedModel, asks_for, says

pytestmark = quietly

LOOK_UP = asks_for(("get_booking", {"number": "1"}, "c1"))


class Completing(CustomLLM):
    """A model that only completes prompts: LlamaIndex makes chats, and asynchronous ones, of that."""

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(model_name="completing")

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        return CompletionResponse(text="hello", raw={"usage": {"input_tokens": 2, "output_tokens": 1}})

    @llm_completion_callback()
    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        yield self.complete(prompt)


class Undecorated(ScriptedModel):
    """A model whose author left the decorators out: its streams tell nothing."""

    async def astream_chat(self, messages: Any, **kwargs: Any) -> Any:
        async def parts() -> Any:
            yield self._take(messages)

        return parts()


ASKED = [ChatMessage(role="user", content="hi")]


async def exhaust(stream):
    return [part async for part in await stream]


@pytest.mark.parametrize(
    "ask",
    [
        lambda model: model.complete("hi"),
        lambda model: list(model.stream_complete("hi")),
        lambda model: asyncio.run(model.acomplete("hi")),
        lambda model: asyncio.run(exhaust(model.astream_complete("hi"))),
        lambda model: model.chat(ASKED),
        lambda model: list(model.stream_chat(ASKED)),
        lambda model: asyncio.run(model.achat(ASKED)),
        lambda model: asyncio.run(exhaust(model.astream_chat(ASKED))),
    ],
)
def test_a_request_is_one_call_however_many_methods_it_takes(ask):
    with recording() as cap:
        ask(Completing())

    call = only(cap.invocation.model_calls)
    assert (call.model, call.response_text) == ("completing", "hello")
    assert call.token_usage in (TokenUsage(input_tokens=2, output_tokens=1), None)
    assert "hi" in call.messages[0]["content"]
    assert models.streams == {}


def test_two_requests_at_once_are_two_calls():
    async def go():
        await asyncio.gather(*(ScriptedModel(text).achat(ASKED) for text in "ab"))

    with recording() as cap:
        asyncio.run(go())

    assert sorted(one.response_text for one in cap.invocation.model_calls) == ["a", "b"]


@pytest.mark.parametrize("streaming", [True, False])
def test_agents_that_stream_and_those_that_do_not(streaming):
    with recording() as cap:
        run(agent(LOOK_UP, "found it", tools=[get_booking], streaming=streaming))

    assert executed(cap) == [LOOKED_UP]
    assert [one.response_text for one in cap.invocation.own_chat_model_calls] == ["", "found it"]
    assert_that(cap).has_finish_reason("stop").has_total_tokens_at_most(28)


def test_a_stream_that_tells_nothing_is_known_by_what_the_agent_made_of_it():
    support = agent(tools=[get_booking])
    support.llm = Undecorated(LOOK_UP, asks_for())
    with recording() as cap:
        run(support)

    first, second = cap.invocation.own_chat_model_calls
    assert (first.completed, second.completed, second.response_text) == (True, True, "")
    assert [(one.name, one.call_id, one.answered) for one in cap.invocation.tool_execution_requests] == [
        ("get_booking", "c1", True)
    ]
    assert models.streams == {}


def test_a_model_that_gives_data_of_the_answers_of_another_one_makes_no_call_itself():
    class Answer(BaseModel):
        """An answer."""

        number: int

    model = ScriptedModel(asks_for(("Answer", {"number": 7}, "c1"))).as_structured_llm(Answer)
    with recording() as cap:
        assert model.chat(ASKED).raw == Answer(number=7)

    assert_that(cap).has_own_chat_model_call_count(1).has_total_tokens_at_most(14)


def test_a_stream_that_breaks_is_a_failed_call():
    def broken(messages):
        raise ConnectionError("no answer")

    with recording(expecting_failure=True) as cap:
        run(agent(broken))

    assert repr(only(cap.invocation.model_calls).error) == "ConnectionError('no answer')"


def test_a_stream_that_is_left_has_no_answer():
    with recording() as cap:
        stream = ScriptedModel("a long answer").stream_chat(ASKED)
        next(stream)
        stream.close()

    assert only(cap.invocation.model_calls).completed is False


@pytest.mark.parametrize("read", [1, 100], ids=["left", "read"])
def test_a_stream_that_may_never_end_is_not_waited_for(read):
    class Silent(Completing):
        def stream_complete(self, prompt, formatted=False, **kwargs):
            return (CompletionResponse(text="hello") for _ in range(3))

    began = time.monotonic()
    with recording() as cap:
        streams = ScriptedModel("a long answer").stream_chat(ASKED), Silent().stream_complete("hi")
        for stream in streams[1:] if read > 1 else streams:
            list(itertools.islice(stream, read))

    assert time.monotonic() - began < 5
    assert not any(call.completed for call in cap.invocation.model_calls)


def test_that_data_is_asked_for_as_a_tool_is_no_execution():
    class Answer(BaseModel):
        number: int

    data = asks_for(("Answer", {"number": 7}, "c2"))
    with recording() as cap:
        run(agent(LOOK_UP, "seven", data, tools=[get_booking], output_cls=Answer))

    assert cap.invocation.output == {"number": 7}
    assert_that(cap).has_tools_executed_exactly_in_order("get_booking").has_no_more_tool_executions()
    assert_that(cap).has_no_tool_requested("Answer").has_own_chat_model_call_count(3)


def test_an_agent_that_nobody_saw_ask_may_have_asked():
    class Elsewhere(ScriptedModel):
        async def astream_chat_with_tools(self, *args, **kwargs):
            async def parts():
                yield says("done")

            return parts()

    support = agent()
    support.llm = Elsewhere()
    with recording() as cap:
        run(support)

    with pytest.raises(NotRecordedError, match="chat model calls"):
        assert_that(cap).has_own_chat_model_call_count(0)


def test_what_an_agent_that_thinks_aloud_asks_for():
    steps = 'Thought: I look.\nAction: get_booking\nAction Input: {"number": "1"}', "Thought: I can answer.\nAnswer: found it"
    support = ReActAgent(name="support", llm=ScriptedModel(*steps), tools=[get_booking])
    with recording() as cap:
        run(support)

    assert [(one.name, one.arguments, one.answered) for one in cap.invocation.tool_execution_requests] == [
        ("get_booking", {"number": "1"}, True)
    ]
    assert executed(cap) == [("get_booking", Outcome.SUCCEEDED)]
    assert cap.output_text == "found it"
    assert [one.tools_offered for one in cap.invocation.own_chat_model_calls] == [None, None]


@pytest.mark.parametrize(
    ("raw", "more", "reason", "usage"),
    [
        ({"stop_reason": "end_turn", "usage": {"input_tokens": 5, "output_tokens": 2}}, {}, "end_turn", (5, 2, 7)),
        ({"done_reason": "stop", "prompt_eval_count": 5, "eval_count": 2}, {}, "stop", (5, 2, 7)),
        ({"usage_metadata": {"prompt_token_count": 5, "candidates_token_count": 2, "total_token_count": 9}}, {}, None, (5, 2, 9)),
        (None, {"prompt_tokens": 5, "completion_tokens": 2, "finish_reason": "length"}, "length", (5, 2, 7)),
        ({}, {}, None, None),
    ],
)
def test_what_providers_tell_in_their_own_words(raw, more, reason, usage):
    told = response_of(ChatResponse(message=ChatMessage(role="assistant", content="x"), raw=raw, additional_kwargs=more))

    used = told["usage"]
    assert (told["text"], told["finish_reason"]) == ("x", reason)
    assert usage == (used and (used.input_tokens, used.output_tokens, used.total_tokens))


def test_each_request_for_embeddings_is_a_call():
    model = MockEmbedding(embed_dim=2, embed_batch_size=2)
    with recording() as cap:
        model.get_text_embedding_batch(["a", "b", "c"])
        asyncio.run(model.aget_query_embedding("d"))

    assert [(type(one), one.inputs, one.completed) for one in cap.invocation.model_calls] == [
        (EmbeddingModelCall, ("a", "b"), True),
        (EmbeddingModelCall, ("c",), True),
        (EmbeddingModelCall, ("d",), True),
    ]


def test_a_request_for_embeddings_that_fails_is_a_failed_call():
    class Broken(MockEmbedding):
        def _get_query_embedding(self, query: str) -> list[float]:
            raise ConnectionError("no answer")

    with recording() as cap, pytest.raises(ConnectionError):
        Broken(embed_dim=2).get_query_embedding("a")

    assert repr(only(cap.invocation.model_calls).error) == "ConnectionError('no answer')"


def test_a_question_how_often_embedding_models_were_asked_is_refused():
    with recording() as cap:
        MockEmbedding(embed_dim=2).get_query_embedding("a")

    with pytest.raises(NotRecordedError):
        assert_that(cap).has_model_call_count(EmbeddingModelCall, 1)
