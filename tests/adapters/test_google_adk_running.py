"""Runs of ADK: models, streams, agents in agents, and the state of sessions."""

from __future__ import annotations

import asyncio
import inspect
import subprocess
import sys

import pytest

pytest.importorskip("google.adk")

from google.adk import Workflow
from google.adk.agents import ParallelAgent, SequentialAgent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.models import LlmResponse
from google.adk.runners import InMemoryRunner, Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools import AgentTool, FunctionTool, ToolContext, google_search
from google.genai import types

from agentassert import AgentAssertionError, Outcome, Status, assert_that, capture
from agentassert.conversations import Conversation
from tests.adapters.google_adk_parts import agent, answers, arun, executed, experimental, get_booking, refund, run, text
from tests.scripted.google_adk import ScriptedModel, asks_for, says

pytestmark = [
    experimental,
    pytest.mark.filterwarnings("ignore:.*Agent is deprecated:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:The `plugins` argument is deprecated:DeprecationWarning"),  # ADK's own, in an agent tool
]

LOOK_UP = ("get_booking", {"number": "1"}, "c1")


def test_pieces_of_a_stream_are_one_call():
    streamed = RunConfig(streaming_mode=StreamingMode.SSE)

    with capture(on_doubt="fail") as cap:
        run(agent(asks_for(LOOK_UP), "it is there", tools=[get_booking]), run_config=streamed)

    assert [one.response_text for one in cap.invocation.own_chat_model_calls] == ["", "it is there"]
    assert cap.output_text == "it is there"
    assert_that(cap).has_total_tokens_at_most(28)


class InPieces(ScriptedModel):
    """A model that streams, and never says the whole."""

    async def generate_content_async(self, llm_request, stream=False):
        for word in ("all", " ", "of it"):
            yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text=word)]), partial=True)


def test_an_answer_of_which_only_pieces_come_is_their_text():
    support = agent()
    support.model = InPieces()

    with capture() as cap:
        run(support, run_config=RunConfig(streaming_mode=StreamingMode.SSE))

    assert [one.response_text for one in cap.invocation.own_chat_model_calls] == ["all of it"]


class TextThenCalls(ScriptedModel):
    """A model whose answer comes in two responses, each of them whole, and which calls the method that it overrides for it."""

    async def generate_content_async(self, llm_request, stream=False):
        if not self.requests:
            yield says("Let me see.", tokens=(11, 2), finish_reason=None)
        async for response in super().generate_content_async(llm_request, stream):
            yield response


def test_an_answer_in_several_responses_is_one_call():
    support = agent(tools=[get_booking])
    support.model = TextThenCalls(asks_for(LOOK_UP), "done")

    with capture(on_doubt="fail") as cap:
        run(support)

    first, second = cap.invocation.model_calls
    assert (first.response_text, [one.call_id for one in first.tool_execution_requests]) == ("Let me see.", ["c1"])
    assert (first.token_usage.output_tokens, second.response_text) == (3, "done")


def test_a_callback_that_answers_for_the_model_leaves_no_call():
    def cached(callback_context, llm_request):
        return says("from the cache")

    with capture() as cap:
        run(agent(before_model_callback=cached))

    assert cap.output_text == "from the cache"
    assert_that(cap).has_own_chat_model_call_count(0)


def test_thoughts_are_tokens_that_were_written():
    thinking = says("done")
    thinking.usage_metadata.thoughts_token_count = 5
    thinking.usage_metadata.total_token_count = 19

    with capture() as cap:
        run(agent(thinking))

    usage = cap.invocation.token_usage
    assert (usage.input_tokens, usage.output_tokens, usage.total_tokens) == (11, 8, 19)


@pytest.mark.parametrize(
    ("reason", "expected"), [(types.FinishReason.MAX_TOKENS, "length"), (types.FinishReason.SAFETY, "content_filter")]
)
def test_finish_reasons_are_told_in_our_words(reason, expected):
    with capture() as cap:
        run(agent(says("cut", finish_reason=reason)))

    assert_that(cap).has_finish_reason(expected)


def test_an_error_code_in_the_place_of_an_answer_is_a_failed_call():
    with capture() as cap:
        run(agent(LlmResponse(error_code="500", error_message="try later")))

    assert [str(one.error) for one in cap.invocation.model_calls] == ["500: try later"]


def test_of_files_the_bytes_are_not_recorded():
    photo = types.Part(inline_data=types.Blob(data=b"secret", mime_type="image/png"))
    stored = types.Part(file_data=types.FileData(file_uri="gs://shop/bill.pdf", mime_type="application/pdf"))
    message = types.Content(role="user", parts=[types.Part(text="Look"), photo, stored])

    with capture() as cap:
        run(agent("nice"), lambda _: message)

    expected = [
        "Look",
        {"type": "file", "mime_type": "image/png"},
        {"type": "file", "mime_type": "application/pdf", "uri": "gs://shop/bill.pdf"},
    ]
    assert cap.invocation.input == expected
    assert cap.invocation.own_chat_model_calls[0].messages[-1]["content"] == expected


def test_tools_that_the_provider_runs_are_offered_too():
    searching = agent("found", tools=[google_search], instruction="Be short.")
    searching.model.model = "gemini-2.5-flash"

    with capture() as cap:
        run(searching)

    (call,) = cap.invocation.own_chat_model_calls
    assert (call.model, call.tools_offered) == ("gemini-2.5-flash", ("google_search",))
    assert_that(cap).chat_model_call(0).has_system_message_containing("Be short.")


def test_a_model_that_is_cancelled_got_no_answer_and_did_not_fail():
    async def cancelled():
        started = asyncio.Event()

        async def never(request):
            started.set()
            await asyncio.Event().wait()

        async with capture() as cap:
            task = asyncio.create_task(arun(agent(never)))
            await asyncio.wait_for(started.wait(), 10)
            task.cancel()
            await asyncio.wait([task])
        return cap

    cap = asyncio.run(cancelled())
    assert cap.invocation.status is Status.CANCELLED
    assert [(one.completed, one.failed) for one in cap.invocation.model_calls] == [(False, False)]


@pytest.mark.skipif(
    "abort_signal" not in inspect.signature(Runner.run_async).parameters, reason="this release has no signal for it"
)
def test_a_run_that_is_aborted_is_cancelled():
    signal = asyncio.Event()

    def abort(tool, args, tool_context):
        signal.set()

    with capture() as cap:
        run(agent(asks_for(LOOK_UP), "never", tools=[get_booking], before_tool_callback=abort), abort_signal=signal)

    assert cap.invocation.status is Status.CANCELLED


def test_an_agent_tool_runs_a_nested_invocation():
    researcher = agent(asks_for(LOOK_UP), "found", tools=[get_booking], name="researcher")

    with capture(on_doubt="fail") as cap:
        run(agent(asks_for(("researcher", {"request": "go"}, "d1")), "done", tools=[AgentTool(researcher)]))

    (nested,) = cap.invocation.nested_invocations
    assert (nested.name, nested.output_text, nested.started_by) == ("researcher", "found", cap.invocation.tool_executions[0].id)
    assert (executed(nested), executed(cap)) == ([("get_booking", Outcome.SUCCEEDED)], [("researcher", Outcome.SUCCEEDED)])


@pytest.mark.parametrize("kind", [SequentialAgent, ParallelAgent])
def test_agents_that_run_others_are_invocations_around_them(kind):
    parts = [agent(asks_for(LOOK_UP), name, tools=[get_booking], name=name) for name in ("first", "second")]

    with capture(on_doubt="fail") as cap:
        run(kind(name="both", sub_agents=parts))

    assert sorted(one.name for one in cap.invocation.nested_invocations) == ["first", "second"]
    assert [executed(one) for one in cap.invocation.nested_invocations] == [[("get_booking", Outcome.SUCCEEDED)]] * 2
    assert cap.invocation.own_chat_model_calls == ()


def test_a_workflow_is_an_invocation_around_its_agents_and_answers_with_its_output():
    def shout(node_input: str) -> str:
        return str(node_input).upper()

    flow = Workflow(name="flow", edges=[("START", agent(asks_for(LOOK_UP), "done", tools=[get_booking]), shout)])
    runner = Runner(app_name="tests", node=flow, session_service=InMemorySessionService(), auto_create_session=True)

    async def run_flow():
        return [event async for event in runner.run_async(user_id="ann", session_id="1", new_message=text("hi"))]

    with capture(on_doubt="fail") as cap:
        asyncio.run(run_flow())

    (nested,) = cap.invocation.nested_invocations
    assert (cap.invocation.name, cap.output, nested.name, nested.output) == ("flow", "DONE", "support", "done")
    assert executed(nested) == [("get_booking", Outcome.SUCCEEDED)]


def test_adks_own_spans_add_nothing():
    code = """
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
trace.set_tracer_provider(TracerProvider())
from agentassert import capture
from tests.adapters.google_adk_parts import agent, get_booking, run
from tests.scripted.google_adk import asks_for
with capture(on_doubt="fail") as cap:
    run(agent(asks_for(("get_booking", {"number": "1"}, None)), "done", tools=[get_booking]))
(invocation,) = cap.invocations
print(len(invocation.model_calls), len(invocation.tool_executions), len(invocation.nested_invocations))
"""
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert shown.stdout == "2 1 0\n"


def test_a_transfer_from_agent_to_agent_is_nested_step_by_step():
    third = agent("from the third", name="third")
    second = agent(asks_for(("transfer_to_agent", {"agent_name": "third"}, "t2")), name="second", sub_agents=[third])
    first = agent(asks_for(("transfer_to_agent", {"agent_name": "second"}, "t1")), name="first", sub_agents=[second])

    with capture() as cap:
        run(first)

    assert [one.name for one in cap.invocation.with_nested()] == ["first", "second", "third"]
    assert [one.name for one in cap.invocation.nested_invocations] == ["second"]
    assert cap.output_text == "from the third"


def test_an_agent_that_goes_on_with_the_session_is_nested_in_the_runners_own():
    second = agent("hello", "hello again", name="second")
    first = agent(asks_for(("transfer_to_agent", {"agent_name": "second"}, "t1")), name="first", sub_agents=[second])

    with capture() as cap:
        run(first, "hi", "and now?")

    assert [[one.name for one in top.with_nested()] for top in cap.invocations] == [["first", "second"], ["first", "second"]]
    assert [one.output_text for one in cap.invocations] == ["hello", "hello again"]


def test_a_sub_agent_that_waited_goes_on_as_the_invocation_that_it_was():
    gated = FunctionTool(refund, require_confirmation=True)
    second = agent(asks_for(("refund", {"amount": 5}, "p1")), "paid", tools=[gated], name="second")
    first = agent(asks_for(("transfer_to_agent", {"agent_name": "second"}, "t1")), name="first", sub_agents=[second])

    with capture() as cap:
        run(first, "hi", answers(True))

    (nested,) = cap.invocation.nested_invocations
    assert (nested.name, nested.status, cap.invocation.status) == ("second", Status.COMPLETED, Status.COMPLETED)
    assert executed(nested) == [("refund", Outcome.SUCCEEDED)]
    assert_that(cap).nested_invocation("second").has_tool_approved("refund")


def test_the_synchronous_run_is_recorded_though_it_runs_in_a_thread():
    runner = InMemoryRunner(agent=agent(asks_for(LOOK_UP), "done", tools=[get_booking]), app_name="tests")
    session = asyncio.run(runner.session_service.create_session(app_name="tests", user_id="ann"))

    with capture(on_doubt="fail") as cap:
        list(runner.run(user_id="ann", session_id=session.id, new_message=text("hi")))

    assert (cap.invocation.input, cap.output_text) == ("hi", "done")
    assert executed(cap) == [("get_booking", Outcome.SUCCEEDED)]


def choose(seats: int, tool_context: ToolContext) -> str:
    """Choose seats."""
    tool_context.state["seats"] = seats
    tool_context.state["user:name"] = "Ann"
    return "chosen"


def test_what_is_written_to_the_state_of_a_session_are_slots():
    booking = agent(asks_for(("choose", {"seats": 2}, "c1")), "two seats", "anything else?", tools=[choose], output_key="answer")

    with capture(on_doubt="fail") as cap:
        run(booking, "two, please", "thanks")

    talk = Conversation.from_capture(cap)
    assert_that(talk.turn(0)).has_slot_set("seats", 2).has_slot_set("user:name", "Ann").has_slot_set("answer", "two seats")
    assert_that(talk.turn(0)).in_order().has_action_executed("choose").has_slot_set("seats")
    assert_that(talk.turn(1)).has_slot_set("answer", "anything else?").does_not_have_slot_set("seats")


def test_a_conversation_in_which_nothing_was_written_has_no_slot():
    with capture() as cap:
        run(agent("hello"), "hi")

    turn = Conversation.from_capture(cap).turn(0)
    assert_that(turn).does_not_have_slot_set("seats")
    with pytest.raises(AgentAssertionError, match="seats"):
        assert_that(turn).has_slot_set("seats")


def test_slots_that_a_sub_agent_sets_belong_to_it():
    second = agent(asks_for(("choose", {"seats": 3}, "c1")), "three", tools=[choose], name="second")
    first = agent(asks_for(("transfer_to_agent", {"agent_name": "second"}, "t1")), name="first", sub_agents=[second])

    with capture() as cap:
        run(first)

    (nested,) = cap.invocation.nested_invocations
    assert [(one.name, one.value) for one in nested.conversation_events] == [("seats", 3), ("user:name", "Ann")]
    assert cap.invocation.conversation_events == ()
