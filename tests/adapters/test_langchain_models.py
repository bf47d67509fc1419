"""Model calls and retrievals of LangChain agents."""

from __future__ import annotations

import pytest
from langchain_core.caches import InMemoryCache
from langchain_core.language_models import FakeListLLM
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, LLMResult
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import tool

from agentassert import NOT_RECORDED, FinishReason, Status, TokenUsage, capture
from agentassert.adapters.langchain.messages import output_text_of, response_of, tools_offered_by
from tests.adapters.agents import QUESTION, Library, agent, get_booking
from tests.scripted.langchain import ScriptedChatModel, asks_for, says


def test_what_was_sent_and_what_came_back_is_recorded():
    support = agent(
        asks_for(("get_booking", {"number": "1"}, "c1"), text="let me see", tokens=(20, 5)),
        says("bye"),
        tools=[get_booking],
        system_prompt="be kind",
    )

    with capture() as cap:
        support.invoke(QUESTION)

    first, second = cap.invocation.own_chat_model_calls
    assert first.messages == ({"role": "system", "content": "be kind"}, {"role": "user", "content": "hi"})
    assert (first.model, first.tools_offered, first.response_text) == ("scripted-1", ("get_booking",), "let me see")
    assert (first.finish_reason, first.raw_finish_reason) == (FinishReason.TOOL_EXECUTION, "tool_calls")
    assert first.token_usage == TokenUsage(input_tokens=20, output_tokens=5, total_tokens=25)
    assert [message["role"] for message in second.messages] == ["system", "user", "assistant", "tool"]
    assert second.messages[2]["tool_calls"] == [{"name": "get_booking", "arguments": {"number": "1"}, "call_id": "c1"}]
    assert second.messages[3]["tool_call_id"] == "c1"
    assert cap.invocation.finish_reason is FinishReason.STOP
    assert cap.invocation.token_usage == TokenUsage(input_tokens=31, output_tokens=8)


def test_usage_that_nobody_reports_is_none():
    with capture() as cap:
        agent(says("bye", tokens=None)).invoke(QUESTION)

    assert cap.invocation.own_chat_model_calls[0].token_usage is None


@pytest.mark.parametrize(
    ("metadata", "raw", "reason"),
    [
        ({"finish_reason": "length"}, "length", FinishReason.LENGTH),
        ({"stop_reason": "end_turn"}, "end_turn", FinishReason.STOP),
        ({"finish_reason": "SAFETY"}, "SAFETY", FinishReason.CONTENT_FILTER),
        ({"done_reason": "stop"}, "stop", FinishReason.STOP),
        ({"finish_reason": "weird"}, "weird", FinishReason.OTHER),
        ({}, None, None),
    ],
)
def test_finish_reasons_keep_the_providers_word(metadata, raw, reason):
    with capture() as cap:
        agent(AIMessage("bye", response_metadata=metadata)).invoke(QUESTION)

    assert (cap.invocation.raw_finish_reason, cap.invocation.finish_reason) == (raw, reason)


def test_text_in_blocks_is_text():
    blocks = [{"type": "text", "text": "a"}, {"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "b"}]

    with capture() as cap:
        agent(AIMessage(blocks)).invoke(QUESTION)

    assert (cap.invocation.own_chat_model_calls[0].response_text, cap.output_text) == ("ab", "ab")


def test_a_model_that_raises_has_failed_and_so_has_the_agent():
    error = ConnectionError("no answer")

    with capture(expecting_failure=True) as cap:
        agent(error).invoke(QUESTION)

    (call,) = cap.invocation.own_chat_model_calls
    assert (call.error, call.completed, cap.invocation.status, cap.invocation.error) == (error, False, Status.FAILED, error)


def test_a_failed_call_that_is_retried_is_a_call_of_its_own():
    model = ScriptedChatModel(ConnectionError("no answer"), says("bye")).with_retry(wait_exponential_jitter=False)

    with capture() as cap:
        (RunnableLambda(lambda text: text) | model).invoke("hi")

    assert [call.failed for call in cap.invocation.own_chat_model_calls] == [True, False]


def test_a_cached_response_is_said_to_be_and_used_no_tokens():
    model = ScriptedChatModel(says("one"), cache=InMemoryCache())

    with capture() as cap:
        model.invoke("q")
        model.invoke("q")

    assert [call.cached for call in cap.invocation.own_chat_model_calls] == [False, True]
    assert [call.response_text for call in cap.invocation.own_chat_model_calls] == ["one", "one"]
    assert cap.invocation.own_chat_model_calls[1].token_usage is None


def test_a_completion_model_is_a_chat_model_with_one_message():
    with capture() as cap:
        FakeListLLM(responses=["bye"]).invoke("hi")

    (call,) = cap.invocation.own_chat_model_calls
    assert (call.messages, call.response_text) == (({"role": "user", "content": "hi"},), "bye")


def test_batches_of_a_model_are_calls_each():
    with capture() as cap:
        ScriptedChatModel(says("one"), says("two")).batch(["a", "b"])

    assert sorted(call.response_text for call in cap.invocation.own_chat_model_calls) == ["one", "two"]


def test_retrieved_documents_are_sources():
    @tool
    def search(query: str) -> str:
        """Search."""
        return Library(texts=("Paris is in France", "Oslo is in Norway")).invoke(query)[0].page_content

    with capture() as cap:
        agent(asks_for(("search", {"query": "x"}, "c1")), says("bye"), tools=[search]).invoke(QUESTION)

    assert [(source.text, source.metadata["source"], source.score) for source in cap.invocation.sources] == [
        ("Paris is in France", "geo.md", 0.5),
        ("Oslo is in Norway", "geo.md", 0.5),
    ]


def test_retrieving_nothing_differs_from_not_retrieving():
    with capture() as nothing:
        (Library() | RunnableLambda(str)).invoke("x")
    with capture() as none_seen:
        agent(says("bye")).invoke(QUESTION)

    assert nothing.invocation.sources == ()
    assert none_seen.invocation.sources is NOT_RECORDED


def test_a_retriever_that_fails_has_retrieved_nothing():
    class Broken(Library):
        def _get_relevant_documents(self, query, *, run_manager):
            raise ConnectionError("index down")

    with capture(expecting_failure=True) as cap:
        (Broken() | RunnableLambda(str)).invoke("x")

    assert (cap.invocation.sources, cap.invocation.status) == ((), Status.FAILED)


def test_a_model_inside_a_retriever_is_a_components():
    class Rewriting(Library):
        def _get_relevant_documents(self, query, *, run_manager):
            ScriptedChatModel(says("better")).invoke(query)
            return []

    with capture() as cap:
        (Rewriting() | RunnableLambda(lambda found: "x") | ScriptedChatModel(says("bye"))).invoke("q")

    assert [(call.response_text, call.own) for call in cap.invocation.model_calls] == [("better", False), ("bye", True)]


@pytest.mark.parametrize(
    "tools",
    [
        [{"type": "function", "function": {"name": "pay"}}],
        [{"name": "pay", "input_schema": {}}],
        [{"toolSpec": {"name": "pay"}}],
        [{"type": "pay"}],
        [get_booking.model_copy(update={"name": "pay"})],
        [{"type": 7}, {"name": "pay"}],
    ],
)
def test_tools_offered_are_known_by_any_providers_notation(tools):
    assert tools_offered_by({"tools": tools}) == ["pay"]


def test_tools_offered_are_unknown_where_the_request_does_not_say():
    assert tools_offered_by({"temperature": 0}) is None
    assert tools_offered_by({"tools": "auto"}) is None


@pytest.mark.parametrize(
    ("reported", "usage"),
    [
        ({"prompt_tokens": 3, "completion_tokens": 2}, TokenUsage(input_tokens=3, output_tokens=2)),
        ({"total_tokens": 5}, TokenUsage(total_tokens=5)),
        ({"prompt_tokens": -1, "completion_tokens": None}, None),
        ({}, None),
        (None, None),
    ],
)
def test_usage_beside_the_message_counts_and_nonsense_does_not(reported, usage):
    result = LLMResult(generations=[[ChatGeneration(message=AIMessage("x"))]], llm_output={"token_usage": reported})
    assert response_of(result)["usage"] == usage


def test_a_response_of_nothing_is_a_response():
    assert response_of(LLMResult(generations=[[]])) == {"text": None, "usage": None}


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ("plain", "plain"),
        (AIMessage("said"), "said"),
        ([AIMessage("first"), AIMessage("last"), ("user", "x")], "last"),
        ({"messages": [AIMessage("said"), HumanMessage("and then")]}, "said"),
        ({"messages": [HumanMessage("only this")]}, None),
        ({"answer": 42}, None),
        (None, None),
    ],
)
def test_the_final_text_is_the_models_last_message(output, text):
    assert output_text_of(output) == text
