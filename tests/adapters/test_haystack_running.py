"""What becomes of agents, pipelines and components of Haystack: which of them are invocations, and what belongs to which."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import os
import subprocess
import sys

import pytest

pytest.importorskip("haystack")

import haystack
from haystack import Document, Pipeline, component, tracing
from haystack import tools as haystack_tools
from haystack.components.builders import ChatPromptBuilder
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.core.errors import BreakpointException, PipelineRuntimeError
from haystack.dataclasses import ChatMessage
from haystack.dataclasses.breakpoints import Breakpoint
from haystack.document_stores.in_memory import InMemoryDocumentStore
from haystack.tools import ComponentTool

from agentassert import (
    NOT_RECORDED,
    AgentAssertionError,
    ChatModelCall,
    EmbeddingModelCall,
    NotRecordedError,
    Outcome,
    ScoringModelCall,
    Status,
    assert_that,
    capture,
)
from tests.adapters.haystack_parts import IS_OLD, agent, executed, get_booking, said
from tests.adapters.scenarios.parts import arecording, recording
from tests.scripted.haystack import ScriptedChatGenerator, asks_for, says

BOOKED = asks_for(("get_booking", {"number": "1"}, "c1"))


def manual(*texts):
    """A retriever that finds these."""
    store = InMemoryDocumentStore()
    store.write_documents([Document(content=text, meta={"page": page}) for page, text in enumerate(texts)])
    return InMemoryBM25Retriever(store)


def rag(generator, kind=Pipeline):
    """A pipeline that answers from the manual."""
    template = [ChatMessage.from_user("{% for d in documents %}{{ d.content }}{% endfor %} {{ question }}")]
    pipeline = kind(metadata={"name": "manual"})
    pipeline.add_component("retriever", manual("A refund takes a week."))
    pipeline.add_component("prompt", ChatPromptBuilder(template=template, required_variables=["question", "documents"]))
    pipeline.add_component("llm", generator)
    pipeline.connect("retriever.documents", "prompt.documents")
    pipeline.connect("prompt.prompt", "llm.messages")
    return pipeline


def asked(question="refund"):
    return {"retriever": {"query": question}, "prompt": {"question": question}}


@component
class Chooser:
    """A component that ranks without a model."""

    @component.output_types(documents=list[Document])
    def run(self, query: str, documents: list[Document]):
        return {"documents": documents}


@component
class CrossRanker:
    """One that ranks with a model."""

    def __init__(self):
        self.model = "cross-1"

    @component.output_types(documents=list[Document])
    def run(self, query: str, documents: list[Document]):
        return {"documents": documents[::-1]}


@component
class TextEmbedder:
    """One that embeds a text."""

    def __init__(self):
        self.model = "embed-1"

    @component.output_types(embedding=list[float], meta=dict)
    def run(self, text: str):
        return {"embedding": [0.0], "meta": {"model": "embed-1", "usage": {"prompt_tokens": 4, "total_tokens": 4}}}


def test_a_pipeline_is_an_invocation_with_what_its_components_do():
    pipeline = rag(ScriptedChatGenerator("a week"))
    with recording() as cap:
        pipeline.run(asked())

    assert (cap.invocation.name, cap.invocation.framework, cap.output_text) == ("manual", "haystack", "a week")
    assert cap.invocation.input == asked()
    assert_that(cap).has_retrieved_source_containing("a week").has_own_chat_model_call_count(1).has_finish_reason("stop")
    assert_that(cap).chat_model_call(0).has_last_user_message_containing("A refund takes a week. refund")
    assert_that(cap).output_at("$.llm.replies[0].content").is_equal_to("a week")
    (source,) = cap.invocation.sources
    assert source.metadata == {"page": 0}
    assert source.score is not None


def test_an_agent_in_a_pipeline_is_nested_by_the_name_of_its_component():
    pipeline = Pipeline()
    pipeline.add_component("clerk", agent(BOOKED, "done", tools=[get_booking]))
    with recording() as cap:
        pipeline.run({"clerk": said()})

    (nested,) = cap.invocation.nested_invocations
    assert (cap.invocation.name, nested.name, nested.input, cap.output_text) == ("pipeline", "clerk", "hi", "done")
    with pytest.raises(AgentAssertionError, match="including_nested"):
        assert_that(cap).has_tool_executed("get_booking")
    assert_that(cap).including_nested().has_tool_executed("get_booking")
    assert_that(cap).top_level_only().has_own_chat_model_call_count(0)


def test_a_pipeline_in_an_agent_is_how_its_tool_works():
    pipeline = rag(ScriptedChatGenerator("a week"))

    def look_up(query: str) -> str:
        """Look it up."""
        return pipeline.run(asked(query))["llm"]["replies"][0].text

    with recording() as cap:
        agent(asks_for(("look_up", {"query": "refund"}, "c1")), "done", tools=[look_up]).run(**said())

    assert cap.invocation.nested_invocations == ()
    assert_that(cap).has_retrieved_source_containing("a week").results_of("look_up").is_equal_to(["a week"])
    assert_that(cap).has_own_chat_model_call_count(2).has_model_call_count(ChatModelCall, 3)


def test_an_agent_as_a_component_tool_is_nested_by_the_name_of_the_tool():
    helper = agent(BOOKED, "helped", tools=[get_booking])
    schema = {
        "type": "object",
        "properties": {"messages": {"type": "array", "items": {"type": "object"}}},
        "required": ["messages"],
    }
    tool = ComponentTool(helper, name="helper", description="Help.", parameters=schema)
    message = ChatMessage.from_user("book").to_dict()
    with recording() as cap:
        agent(asks_for(("helper", {"messages": [message]}, "h1")), "done", tools=[tool]).run(**said())

    (nested,) = cap.invocation.nested_invocations
    (execution,) = cap.invocation.tool_executions
    assert (cap.invocation.name, nested.name, nested.started_by, nested.awaited) == ("agent", "helper", execution.id, True)
    assert (execution.outcome, execution.arguments) == (Outcome.SUCCEEDED, {"messages": [message]})
    assert execution.result["last_message"]["content"] == "helped"
    assert executed(nested) == [("get_booking", Outcome.SUCCEEDED)]


def test_an_agent_tool_is_that_too():
    if not hasattr(haystack_tools, "AgentTool"):
        pytest.skip("this release has no tool of that class")
    helper = agent(BOOKED, "helped", tools=[get_booking])
    tool = haystack_tools.AgentTool(agent=helper, name="helper", description="Help.")
    asked = asks_for(("helper", {"messages": [{"role": "user", "content": "book"}]}, "h1"))
    with recording() as cap:
        agent(asked, "done", tools=[tool]).run(**said())

    (nested,) = cap.invocation.nested_invocations
    assert (nested.name, nested.input, nested.output_text) == ("helper", "book", "helped")
    assert executed(cap) == [("helper", Outcome.SUCCEEDED)]


def test_an_agent_alone_has_no_name_of_its_own():
    with recording() as cap:
        agent("done").run(messages=[ChatMessage.from_system("Be kind."), ChatMessage.from_user("hi")])

    assert cap.invocation.name == "agent"
    assert cap.invocation.input == [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "hi"}]


def test_what_an_agent_keeps_is_part_of_what_it_takes_and_gives():
    counting = agent("done", state_schema={"guests": {"type": int}})
    with recording() as cap:
        counting.run(**said(), guests=2)

    assert cap.invocation.input == {"messages": "hi", "guests": 2}
    assert_that(cap).output_at("$.guests").is_equal_to(2)
    assert_that(cap).output_at("$.last_message.content").is_equal_to("done")


def test_a_model_with_a_prompt_is_an_invocation_only_by_itself():
    llm = pytest.importorskip("haystack.components.generators.chat.llm").LLM

    def summing(*script):
        prompt = '{% message role="user" %}Sum up {{ topic }}{% endmessage %}'
        return llm(chat_generator=ScriptedChatGenerator(*script), user_prompt=prompt)

    pipeline = Pipeline()
    pipeline.add_component("summary", summing("short"))
    with recording() as inside:
        pipeline.run({"summary": {"topic": "boats"}})
    with recording() as alone:
        summing("short").run(topic="boats")

    assert inside.invocation.nested_invocations == ()
    assert_that(inside).has_own_chat_model_call_count(1)
    assert (inside.output_text, alone.output_text, alone.invocation.input) == ("short", "short", {"topic": "boats"})


def test_components_are_seen_where_no_pipeline_runs_them():
    with recording() as cap:
        found = manual("A refund takes a week.").run("refund")["documents"]
        TextEmbedder().run("refund")
        Chooser().run("refund", found)
        CrossRanker().run(query="refund", documents=found)
        ScriptedChatGenerator(says("a week", tokens=None)).run([ChatMessage.from_user("refund?")])

    assert (cap.invocation.implicit, cap.output_text) == (True, "a week")
    assert [type(call) for call in cap.invocation.model_calls] == [EmbeddingModelCall, ScoringModelCall, ChatModelCall]
    embedding, scoring, chat = cap.invocation.model_calls
    assert (embedding.model, embedding.inputs, embedding.token_usage.input_tokens) == ("embed-1", ("refund",), 4)
    assert (scoring.model, scoring.inputs) == ("cross-1", ("refund", "A refund takes a week."))
    assert chat.token_usage is None
    assert_that(cap).has_retrieved_source_containing("a week").has_model_call_count(EmbeddingModelCall, 1)
    with pytest.raises(NotRecordedError):
        assert_that(cap).has_total_tokens_at_most(10)


def test_a_retriever_that_finds_nothing_differs_from_none():
    with recording() as cap:
        pipeline = Pipeline()
        pipeline.add_component("retriever", manual())
        pipeline.run({"retriever": {"query": "refund"}})
    with recording() as none:
        agent("done").run(**said())

    assert_that(cap).has_no_retrieved_sources()
    assert none.invocation.sources is NOT_RECORDED


def test_a_generator_that_falls_back_is_one_call():
    fallback = pytest.importorskip("haystack.components.generators.chat.fallback").FallbackChatGenerator
    model = fallback([ScriptedChatGenerator(ConnectionError("busy")), ScriptedChatGenerator("done")])
    with recording() as cap:
        model.run(messages=[ChatMessage.from_user("hi")])

    (call,) = cap.invocation.model_calls
    assert (call.response_text, call.attempts, call.model, call.failed) == ("done", 2, "scripted-1", False)


def test_a_retriever_that_asks_others_retrieves_once():
    @component
    class BothRetriever:
        @component.output_types(documents=list[Document])
        def run(self, query: str):
            return {"documents": [one for page in "ab" for one in manual(f"refund {page}").run(query)["documents"]]}

    with recording() as cap:
        pipeline = Pipeline()
        pipeline.add_component("both", BothRetriever())
        pipeline.run({"both": {"query": "refund"}})

    assert sorted(source.text for source in cap.invocation.sources) == ["refund a", "refund b"]


def test_a_generator_of_texts_tells_of_them_beside():
    @component
    class TextGenerator:
        @component.output_types(replies=list[str], meta=list[dict])
        def run(self, prompt: str):
            meta = {"model": "text-1", "finish_reason": "length", "usage": {"input_tokens": 5, "output_tokens": 2}}
            return {"replies": ["and so"], "meta": [meta]}

    with recording() as cap:
        TextGenerator().run(prompt="Go on")

    (call,) = cap.invocation.model_calls
    assert (call.model, call.response_text, call.finish_reason, call.token_usage.total_tokens) == (
        "text-1",
        "and so",
        "length",
        7,
    )
    assert_that(cap).chat_model_call(0).has_last_user_message_containing("Go on")


def test_a_subclass_that_calls_what_it_overrides_is_one_call():
    @component
    class Polite(ScriptedChatGenerator):
        @component.output_types(replies=list[ChatMessage])
        def run(self, messages: list[ChatMessage], streaming_callback=None, tools=None):
            return ScriptedChatGenerator.run(self, messages)  # a class that is a component is not the one that `super()` means

        @component.output_types(replies=list[ChatMessage])
        async def run_async(self, messages: list[ChatMessage], streaming_callback=None, tools=None):
            return await ScriptedChatGenerator.run_async(self, messages)

    with recording() as cap:
        Polite("done").run([ChatMessage.from_user("hi")])
        asyncio.run(Polite("done").run_async([ChatMessage.from_user("hi")]))

    assert_that(cap).has_own_chat_model_call_count(2)


def test_a_generator_that_is_no_component_is_seen_in_an_agent():
    class Bare:
        def run(self, messages, tools=None, **_):
            return {"replies": [says("done")]}

    agents = type(agent())
    if IS_OLD:
        pytest.skip("before Haystack 3 a generator is a component")
    with recording() as cap:
        agents(chat_generator=Bare()).run(**said())
        asyncio.run(agents(chat_generator=Bare()).run_async(**said()))

    assert [len(one.own_chat_model_calls) for one in cap.invocations] == [1, 1]


@pytest.mark.parametrize("is_async", [False, True])
def test_an_agent_that_nobody_saw_ask_may_have_asked(is_async):
    support = agent()

    async def answered(messages, tools=None, **_):
        return {"replies": [says("done")]}

    support.chat_generator.run = lambda messages, tools=None, **_: {"replies": [says("done")]}
    support.chat_generator.run_async = answered
    with recording() as cap:
        asyncio.run(support.run_async(**said())) if is_async else support.run(**said())

    assert cap.invocation.output_text == "done"
    with pytest.raises(NotRecordedError, match="chat model calls"):
        assert_that(cap).has_own_chat_model_call_count(0)


def test_every_reply_may_ask_for_tools():
    @component
    class Several:
        def __init__(self, *replies):
            self.replies = [*replies]

        @component.output_types(replies=list[ChatMessage])
        def run(self, messages: list[ChatMessage], tools: list[haystack_tools.Tool] | None = None):
            return {"replies": self.replies.pop(0)}

    made = [haystack_tools.create_tool_from_function(get_booking)]
    with recording() as cap:
        type(agent())(chat_generator=Several([says("let me see"), BOOKED], [says("done")]), tools=made).run(**said())

    assert [one.name for one in cap.invocation.tool_execution_requests] == ["get_booking"]
    with pytest.raises(AgentAssertionError):
        assert_that(cap).has_no_tool_requested("get_booking")


def test_what_returns_no_mapping_breaks_the_run_and_not_its_records():
    @component
    class Broken:
        @component.output_types(replies=list[ChatMessage])
        def run(self, messages: list[ChatMessage]):
            return None

    with recording(expecting_failure=True) as cap:
        type(agent())(chat_generator=Broken()).run(**said())

    assert cap.health.faults == ()
    assert [type(one.error) for one in cap.invocation.model_calls] == [TypeError]


def test_what_a_user_says_is_not_the_answer():
    @component
    class Silent:
        @component.output_types(replies=list[ChatMessage])
        def run(self, messages: list[ChatMessage]):
            return {"replies": []}

    with recording() as cap:
        type(agent())(chat_generator=Silent()).run(**said("a question"))

    assert cap.invocation.output_text != "a question"


def test_what_takes_messages_and_gives_no_reply_is_no_model():
    @component
    class Router:
        @component.output_types(chosen=list[ChatMessage])
        def run(self, messages: list[ChatMessage]):
            return {"chosen": messages}

    with recording() as cap:
        agent("done").run(**said())
        Router().run([ChatMessage.from_user("hi")])

    assert_that(cap).has_model_call_count(ChatModelCall, 1)


def test_a_pipeline_that_fails_fails_with_its_own_error():
    pipeline = rag(ScriptedChatGenerator(ConnectionError("no answer")))
    with recording(expecting_failure=True) as cap:
        pipeline.run(asked())

    assert_that(cap).has_failed_with(PipelineRuntimeError).has_failed_with(ConnectionError)
    assert [call.failed for call in cap.invocation.model_calls] == [True]


def test_a_breakpoint_stops_a_pipeline_where_it_can_go_on(tmp_path):
    pipeline = rag(ScriptedChatGenerator("a week"))
    with recording() as cap, pytest.raises(BreakpointException):
        pipeline.run(asked(), break_point=Breakpoint(component_name="llm", visit_count=0, snapshot_file_path=str(tmp_path)))

    assert cap.invocation.status is Status.AWAITING_APPROVAL


def test_pipelines_run_in_async_code():
    pipeline = rag(ScriptedChatGenerator("a week", "two weeks"), getattr(haystack, "AsyncPipeline", Pipeline))

    async def run():
        async with arecording() as cap:
            await pipeline.run_async(asked())
            async for _ in pipeline.run_async_generator(asked()):
                pass
        return cap

    cap = asyncio.run(run())
    assert [(one.name, one.status, len(one.own_chat_model_calls)) for one in cap.invocations] == [
        ("manual", Status.COMPLETED, 1),
        ("manual", Status.COMPLETED, 1),
    ]
    assert all(one.sources is not NOT_RECORDED for one in cap.invocations)


def test_a_pipeline_that_is_streamed_and_left_is_cancelled():
    pipeline = rag(ScriptedChatGenerator("a week from now", "a while"))
    if not hasattr(pipeline, "stream"):
        pytest.skip("Haystack 2 streams to callbacks alone")

    async def run(until=None):
        async with capture() as cap:
            parts = aiter(pipeline.stream(asked()))
            async for chunk in parts:
                if chunk.content == until:
                    await parts.aclose()
                    break
        return cap

    whole, left = asyncio.run(run()), asyncio.run(run("a"))
    assert (whole.invocation.status, whole.output_text) == (Status.COMPLETED, "a week from now")
    assert left.invocation.status is Status.CANCELLED


def test_haystack_is_recorded_when_it_is_imported_in_the_block(project):
    code = """
from agentassert import assert_that, capture
with capture(on_doubt="fail") as cap:
    from haystack.components.agents import Agent
    from tests.scripted.haystack import ScriptedChatGenerator
    from haystack.dataclasses import ChatMessage
    Agent(chat_generator=ScriptedChatGenerator("done")).run([ChatMessage.from_user("hi")])
assert_that(cap).has_succeeded().has_own_chat_model_call_count(1)
"""
    environment = {**os.environ, "PYTHONPATH": str(project)}
    subprocess.run([sys.executable, "-c", code], cwd=project, env=environment, check=True)


def test_the_tracer_of_the_user_hears_what_it_hears_without_us():
    class Span(tracing.Span):
        def set_tag(self, key, value):
            pass

    class Tracer(tracing.Tracer):
        def __init__(self):
            self.heard = []

        def trace(self, operation_name, tags=None, parent_span=None):
            @contextlib.contextmanager
            def traced():
                self.heard.append(operation_name)
                yield Span()

            return traced()

        def current_span(self):
            return None

    def heard(within):
        tracer = Tracer()
        before = tracing.tracer.actual_tracer
        tracing.enable_tracing(tracer)
        try:
            with within:
                agent(BOOKED, "done", tools=[get_booking]).run(**said())
        finally:
            tracing.tracer.actual_tracer = before
        return tracer.heard

    assert heard(recording()) == heard(contextlib.nullcontext())


def test_without_a_capture_classes_of_components_are_what_they_were():
    with recording():
        pass

    assert list(inspect.signature(ScriptedChatGenerator.run).parameters) == [
        "self",
        "messages",
        "generation_kwargs",
        "tools",
        "streaming_callback",
    ]
    built = agent(BOOKED, "done", tools=[get_booking])
    assert built.run(**said())["last_message"].text == "done"
