"""Runs of agents, swarms and graphs of Strands, and how they end."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys

import pytest

pytest.importorskip("strands")

from pydantic import BaseModel
from strands import Agent, tool
from strands.agent.conversation_manager import SummarizingConversationManager
from strands.multiagent import Swarm
from strands.types.exceptions import ContextWindowOverflowException

from agentassert import FinishReason, NotRecordedError, Outcome, Status, assert_that, capture
from tests.adapters.scenarios.parts import arecording, recording
from tests.adapters.strands_parts import agent, executed, get_booking, graph_of, refund
from tests.scripted.strands import ScriptedModel, asks_for, says


@pytest.fixture(autouse=True)
def quiet():
    """Strands logs what fails, with its traceback."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def booker(**options):
    return agent(asks_for(("get_booking", {"number": "1"}, "c1")), "found 1", tools=[get_booking], **options)


def handing_over(to):
    return asks_for(("handoff_to_agent", {"agent_name": to, "message": "Over to you."}, "h1"))


def test_a_swarm_is_an_invocation_with_each_handoff_nested_in_the_agent_that_handed_over():
    triage = agent(handing_over("billing"), "I handed over.", name="triage")
    billing = booker(name="billing")

    with recording() as cap:
        Swarm([triage, billing], id="desk")("Where is it?")

    assert [(one.name, one.status) for one in cap.invocation.with_nested()] == [
        ("desk", Status.COMPLETED),
        ("triage", Status.COMPLETED),
        ("billing", Status.COMPLETED),
    ]
    (first,) = cap.invocation.nested_invocations
    (second,) = first.nested_invocations
    assert (first.name, second.name, second.awaited) == ("triage", "billing", True)
    assert (cap.invocation.input, cap.output_text) == ("Where is it?", "found 1")
    assert_that(cap).nested_invocation("triage").top_level_only().has_tools_executed_exactly_in_order("handoff_to_agent")
    assert_that(cap).nested_invocation("billing").has_tools_executed_exactly_in_order("get_booking")


def test_a_handoff_that_did_not_come_about_nests_nothing_that_comes_later():
    one, other = agent(handing_over("other"), ConnectionError("no answer"), name="one"), agent("hello", name="other")

    with recording() as cap:
        Swarm([one, other])("first")
        other("Hi")

    assert [[one.name for one in top.with_nested()] for top in cap.invocations] == [["default_swarm", "one"], ["other"]]
    assert_that(cap.invocations[0]).has_failed_with(ConnectionError)


def test_the_members_of_a_graph_work_in_it_side_by_side_and_one_after_the_other():
    with recording() as cap:
        graph_of(booker(name="finder"), agent("written", name="writer"))("Find and write")

    assert [(one.name, one.output_text) for one in cap.invocation.nested_invocations] == [
        ("finder", "found 1"),
        ("writer", "written"),
    ]
    assert (cap.invocation.name, cap.output_text) == ("default_graph", "written")


def test_a_graph_in_a_graph():
    with recording() as cap:
        inner = graph_of(agent("done", name="worker"))
        inner.id, inner.name = "inner", "inner"
        graph_of(inner)("Work")

    assert [one.name for one in cap.invocation.with_nested()] == ["default_graph", "inner", "worker"]


def test_a_graph_fails_with_the_error_of_a_member():
    with recording(expecting_failure=True) as cap:
        graph_of(agent(ConnectionError("no answer"), name="worker"))("Work")

    assert_that(cap).has_failed_with(ConnectionError)
    assert cap.invocation.nested_invocations[0].status is Status.FAILED


def test_a_swarm_that_comes_to_its_limit_has_failed():
    ever = [agent(*[handing_over(to), "over"] * 2, name=name) for name, to in (("a", "b"), ("b", "a"))]

    with recording(expecting_failure=True) as cap:
        Swarm(ever, max_handoffs=1)("Work")

    assert (cap.invocation.status, cap.invocation.error) == (Status.FAILED, "it failed, and its result does not say why")


@pytest.mark.skipif(not hasattr(Agent, "as_tool"), reason="this release has no agents as tools")
def test_an_agent_as_a_tool_is_nested_in_its_execution():
    with recording() as cap:
        agent(asks_for(("finder", {"input": "booking 1"}, "d1")), "done", tools=[booker(name="finder").as_tool()])("hi")

    (execution,) = cap.invocation.tool_executions
    (nested,) = cap.invocation.nested_invocations
    assert (nested.name, nested.input, nested.started_by, nested.awaited) == ("finder", "booking 1", execution.id, True)
    assert (execution.name, execution.outcome) == ("finder", Outcome.SUCCEEDED)


def test_a_stream_that_is_left_at_its_result_is_complete():
    async def run():
        async with arecording() as cap:
            parts = booker().stream_async("hi")
            async for part in parts:
                if "result" in part:
                    break
            await parts.aclose()
        return cap

    assert_that(asyncio.run(run())).has_succeeded().has_tool_executed("get_booking")


def test_an_agent_that_is_told_to_stop_is_cancelled():
    @tool
    def stop() -> str:
        """Stop."""
        stopping.cancel()
        return "stopped"

    stopping = agent(asks_for(("stop", {}, "c1")), "never", tools=[stop])
    with recording() as cap:
        stopping("hi")

    assert_that(cap).was_cancelled().has_tool_executed("stop")


def test_a_guardrail_blocks():
    with recording() as cap:
        agent(says("I must not.", stop_reason="guardrail_intervened"))("hi")

    assert_that(cap).was_blocked().has_finish_reason(FinishReason.CONTENT_FILTER)


def test_a_response_that_is_cut_off_fails_the_run_but_not_the_call():
    with recording(expecting_failure=True) as cap:
        agent(says("It is", stop_reason="max_tokens"))("hi")

    (call,) = cap.invocation.model_calls
    assert (call.response_text, call.finish_reason, call.failed) == ("It is", FinishReason.LENGTH, False)
    assert_that(cap).has_failed_with_message_containing("max")


class Person(BaseModel):
    """What the model is to give."""

    name: str


def test_structured_output_is_the_output_and_its_tool_a_tool():
    asked = [asks_for(("Person", {"name": name}, f"c{number}")) for number, name in enumerate((3, "Ann"))]
    with recording() as cap:
        agent(*asked)("Who?", structured_output_model=Person)

    assert cap.invocation.output == {"name": "Ann"}
    assert executed(cap) == [("Person", Outcome.FAILED), ("Person", Outcome.SUCCEEDED)]


class Structured(ScriptedModel):
    """A model with a way of its own."""

    async def structured_output(self, output_model, prompt, system_prompt=None, **kwargs):
        yield {"output": output_model(name="Ann")}


@pytest.mark.filterwarnings("ignore:.*structured_output.* method is deprecated:DeprecationWarning")
def test_what_a_model_is_asked_by_a_way_of_its_own_is_not_recorded_which_is_said():
    with capture() as cap:
        Agent(model=Structured(), name="support").structured_output(Person, "Who?")

    assert (cap.invocation.name, cap.invocation.output) == ("support", {"name": "Ann"})
    with pytest.raises(NotRecordedError):
        assert_that(cap).has_own_chat_model_call_count(0)
    with pytest.raises(NotRecordedError):
        assert_that(cap).has_no_tool_requested("get_booking")


def test_what_the_user_says_is_text_where_it_is_nothing_else():
    said = [
        [{"text": "Where"}, {"text": " is it?"}],
        [{"text": "This?"}, {"image": {"format": "png", "source": {"bytes": b"1"}}}],
        [{"role": "user", "content": [{"text": "Hello"}]}],
    ]
    with recording() as cap:
        for one in said:
            agent("done")(one)

    assert [one.input for one in cap.invocations] == [
        "Where is it?",
        ["This?", {"type": "image", "format": "png"}],
        [{"role": "user", "content": "Hello"}],
    ]


def test_messages_are_recorded_as_they_were_sent():
    with recording() as cap:
        booker(system_prompt="Be kind.")("hi")

    first, second = cap.invocation.model_calls
    assert first.model == "scripted-1"
    assert first.messages == ({"role": "system", "content": "Be kind."}, {"role": "user", "content": "hi"})
    assert second.messages[2:] == (
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"name": "get_booking", "arguments": {"number": "1"}, "call_id": "c1"}],
        },
        {"role": "tool", "tool_call_id": "c1", "content": '{"number": "1", "customer": "Ann"}'},
    )


def test_tokens_that_nobody_reports_are_not_zero():
    with recording() as cap:
        agent(says("hi", tokens=None))("hi")

    assert cap.invocation.model_calls[0].token_usage is None


def test_tokens_from_a_cache_were_read():
    from agentassert.adapters.strands.messages import usage_of

    apart = {"inputTokens": 5, "outputTokens": 2, "totalTokens": 27, "cacheReadInputTokens": 20}
    within = {"inputTokens": 25, "outputTokens": 2, "totalTokens": 27, "cacheReadInputTokens": 20}
    assert [usage_of(one).input_tokens for one in (apart, within)] == [25, 25]


def test_a_tool_that_the_program_itself_calls_is_no_part_of_a_run():
    support = agent("done", tools=[refund])
    with recording() as cap:
        support.tool.refund(amount=3)

    assert executed(cap) == [("refund", Outcome.SUCCEEDED)]
    assert cap.invocation.implicit


def test_what_is_found_in_its_memory_are_sources():
    memory = pytest.importorskip("strands.memory", reason="this release has no memory")
    from tests.adapters.kits.strands import Shelf

    class Library(Shelf):
        async def search(self, query, options=None):
            return [memory.MemoryEntry(text, metadata={"page": 1}) for text in self.texts]

    remembering = agent(
        asks_for(("search_memory", {"query": "refunds"}, "c1")),
        "A week.",
        memory_manager=memory.MemoryManager(stores=[Library(["Refunds take a week."])]),
    )
    with recording() as cap:
        remembering("How long?")

    assert_that(cap).has_retrieved_source_containing("a week").has_tool_executed("search_memory")
    assert cap.invocation.sources[-1].metadata == {"store": "shelf", "page": 1}


def test_nothing_is_kept_of_runs_that_ended():
    import gc
    import weakref

    with capture() as cap:
        support = booker()
        support("hi")
        kept = weakref.ref(support)
    del support
    gc.collect()

    assert cap.invocation.output_text == "found 1"
    assert kept() is None


IMPORTED = """
from agentassert import capture

with capture(on_doubt="fail") as cap:
    from strands import Agent
    from tests.scripted.strands import ScriptedModel, asks_for

    agent = Agent(model=ScriptedModel("hi"), name="one", callback_handler=None)
    from strands.multiagent import Swarm

    Swarm([agent])("hello")
print(*(one.name for one in cap.invocation.with_nested()))
"""


def test_strands_may_be_imported_while_a_capture_is_open(project):
    command = [sys.executable, "-W", "error::agentassert.CaptureWarning", "-c", IMPORTED]
    ended = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)

    assert (ended.returncode, ended.stdout.split()) == (0, ["default_swarm", "one"]), ended.stderr


def test_what_sums_a_conversation_up_is_a_call_to_the_model_too():
    said = [f"said {number}" for number in range(4)]
    manager = SummarizingConversationManager(preserve_recent_messages=2)
    summing = agent(*said, ContextWindowOverflowException("too long"), "a summary", "done", conversation_manager=manager)
    for _ in said:
        summing("hi")

    with recording() as cap:
        summing("hi")

    calls = [(one.response_text, one.model) for one in cap.invocation.own_chat_model_calls]
    assert calls == [(None, "scripted-1"), ("a summary", "scripted-1"), ("done", "scripted-1")]
    assert "said 0" in str(cap.invocation.own_chat_model_calls[1].messages)
    assert cap.invocation.token_usage.total_tokens == 28


def test_a_model_that_a_program_asks_itself_is_a_call():
    async def ask(model):
        async for _ in model.stream([{"role": "user", "content": [{"text": "hi"}]}]):
            pass

    with recording() as cap:
        asyncio.run(ask(ScriptedModel(asks_for(("refund", {"amount": 5}, "c1"), text="I pay"))))

    call = cap.invocation.model_calls[0]
    assert (call.response_text, call.finish_reason, call.token_usage.total_tokens) == ("I pay", FinishReason.TOOL_EXECUTION, 14)
    assert [(one.name, one.arguments) for one in call.tool_execution_requests] == [("refund", {"amount": 5})]


def test_a_stream_of_a_model_need_not_be_a_generator():
    class Parts:
        def __init__(self, parts):
            self.parts = parts

        def __aiter__(self):
            return self

        async def __anext__(self):
            return await anext(self.parts)

    class Plain(ScriptedModel):
        def stream(self, *args, **kwargs):
            return Parts(super().stream(*args, **kwargs))

    async def ask(model):
        return [part async for part in model.stream([{"role": "user", "content": [{"text": "hi"}]}])]

    with recording() as cap:
        assert len(asyncio.run(ask(Plain("done")))) == 6
        assert str(Agent(model=Plain("done"), callback_handler=None)("hi")) == "done\n"
    assert [one.response_text for one in cap.invocation.model_calls] == ["done"]
