"""What retrievers of LlamaIndex find, what postprocessors leave of it, and the engines around them."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("llama_index.core")

from llama_index.core import VectorStoreIndex
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.objects import ObjectIndex
from llama_index.core.postprocessor import LLMRerank, SimilarityPostprocessor
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers import get_response_synthesizer
from llama_index.core.retrievers import BaseRetriever, QueryFusionRetriever
from llama_index.core.schema import Document
from llama_index.core.tools import FunctionTool, QueryEngineTool, RetrieverTool

from agentassert import NOT_RECORDED, EmbeddingModelCall, assert_that, record
from tests.adapters.llama_index_parts import Finder, agent, get_booking, run
from tests.adapters.llama_index_warnings import quietly
from tests.adapters.scenarios.parts import recording
from tests.scripted.llama_index import ScriptedModel, asks_for

pytestmark = quietly


def found(cap):
    return [(one.text, one.score) for one in cap.invocation.sources]


def engine(*steps, finder=None, **options):
    """A query engine whose model follows the script."""
    synthesizer = get_response_synthesizer(llm=ScriptedModel(*steps), **options)
    return RetrieverQueryEngine(finder or Finder(one=0.9, two=0.1), response_synthesizer=synthesizer)


@pytest.mark.parametrize("is_async", [False, True])
def test_a_query_engine_is_an_invocation_with_sources(is_async):
    support = engine("It is one.")
    with recording() as cap:
        asyncio.run(support.aquery("Which?")) if is_async else support.query("Which?")

    assert (cap.invocation.name, cap.invocation.input, cap.output_text) == ("RetrieverQueryEngine", "Which?", "It is one.")
    assert found(cap) == [("one", 0.9), ("two", 0.1)]
    assert cap.invocation.sources[0].metadata == {"page": 1}
    assert_that(cap).has_own_chat_model_call_count(1).has_retrieved_source_containing("two")


def test_an_engine_that_streams_asks_its_model_when_it_has_returned():
    with recording() as cap:
        stream = engine("It is one.", streaming=True).query("Which?")
        assert stream.get_response().response == "It is one."

    assert (cap.invocation.implicit, cap.output_text) == (True, "It is one.")
    assert found(cap) == [("one", 0.9), ("two", 0.1)]


def test_an_engine_that_is_a_tool_is_a_tool_execution():
    tool = QueryEngineTool.from_defaults(engine("It is one."), name="manual", description="The manual.")
    with recording() as cap:
        run(agent(asks_for(("manual", {"input": "Which?"}, "c1")), "done", tools=[tool]))

    assert cap.invocation.nested_invocations == ()
    assert [one.text for one in cap.invocation.sources] == ["one", "two"]
    assert_that(cap).has_tool_executed_with_exactly("manual", {"input": "Which?"}).has_own_chat_model_call_count(2)


def test_sources_are_what_postprocessors_leave():
    support = engine("It is one.")
    support._node_postprocessors = [SimilarityPostprocessor(similarity_cutoff=0.5)]
    with recording() as cap:
        support.query("Which?")

    assert found(cap) == [("one", 0.9)]


def test_nothing_left_is_no_source():
    support = engine()
    support._node_postprocessors = [SimilarityPostprocessor(similarity_cutoff=1)]
    with recording() as cap:
        support.query("Which?")

    assert_that(cap).has_no_retrieved_sources()


def test_a_reranker_that_asks_a_model_works_for_the_retrieval():
    support = engine("It is two.")
    support._node_postprocessors = [LLMRerank(llm=ScriptedModel("Doc: 2, Relevance: 9"), top_n=1)]
    with recording() as cap:
        support.query("Which?")

    assert found(cap) == [("two", 9.0)]
    assert [one.own for one in cap.invocation.model_calls] == [False, True]


def test_what_is_reranked_without_a_retriever_is_a_source():
    nodes = Finder(one=0.9)._nodes
    with recording() as cap, record.invocation("search"):
        SimilarityPostprocessor(similarity_cutoff=0.5).postprocess_nodes(nodes)

    assert found(cap) == [("one", 0.9)]


def test_a_retriever_that_asks_others_finds_each_thing_once():
    fused = QueryFusionRetriever([Finder(one=0.9), Finder(two=0.8)], llm=ScriptedModel(), num_queries=1, use_async=False)
    with recording() as cap, record.invocation("search"):
        fused.retrieve("Which?")

    assert sorted(one.text for one in cap.invocation.sources) == ["one", "two"]


def test_embeddings_that_a_retriever_needs():
    index = VectorStoreIndex.from_documents([Document(text="Paris")], embed_model=MockEmbedding(embed_dim=2))
    tool = RetrieverTool.from_defaults(index.as_retriever(), name="find", description="Find.")
    with recording() as cap:
        run(agent(asks_for(("find", {"input": "where"}, "c1")), "done", tools=[tool]))

    assert_that(cap).has_retrieved_source_containing("Paris")
    (embedded,) = [one for one in cap.invocation.model_calls if isinstance(one, EmbeddingModelCall)]
    assert "where" in embedded.inputs[0]


def test_a_retriever_by_which_an_agent_chooses_its_tools_finds_no_sources():
    tools = ObjectIndex.from_objects(
        [FunctionTool.from_defaults(get_booking)], index_cls=VectorStoreIndex, embed_model=MockEmbedding(embed_dim=2)
    )
    support = agent(asks_for(("get_booking", {"number": "1"}, "c1")), "done", tool_retriever=tools.as_retriever())
    with recording() as cap:
        run(support)

    assert cap.invocation.sources is NOT_RECORDED
    assert_that(cap).has_tool_executed("get_booking")


def test_a_retriever_that_fails_found_nothing_that_is_known():
    class Broken(BaseRetriever):
        def _retrieve(self, query_bundle):
            raise ConnectionError("no answer")

    with recording() as cap, pytest.raises(ConnectionError):
        engine(finder=Broken()).query("Which?")

    assert_that(cap).has_failed_with(ConnectionError)
