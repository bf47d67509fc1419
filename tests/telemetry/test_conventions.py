"""What attributes mean, by either convention and by what came before them."""

from __future__ import annotations

import json
import math

import pytest

from agentassert import (
    NOT_RECORDED,
    Capture,
    EmbeddingModelCall,
    FinishReason,
    NotRecordedError,
    Outcome,
    ScoringModelCall,
    Source,
    Status,
    TokenUsage,
    assert_that,
    execution_of,
    result_of,
)
from tests.telemetry.parts import agent, any_value, arguments, chat, kind, load, says, span, tool

ASSISTANT_ASKS = [{"role": "assistant", "parts": [{"type": "tool_call", "id": "c1", "name": "look_up", "arguments": {"q": "x"}}]}]


def only_call(*spans):
    (call,) = load(agent(1), *spans).invocation.model_calls
    return call


def only_tool(*spans):
    (execution,) = load(agent(1), *spans).invocation.tool_executions
    return execution


@pytest.mark.parametrize(
    "counts",
    [
        {"gen_ai.usage.input_tokens": 11, "gen_ai.usage.output_tokens": 3},
        {"gen_ai.usage.prompt_tokens": 11, "gen_ai.usage.completion_tokens": 3},
        {"llm.token_count.prompt": 11, "llm.token_count.completion": 3, "llm.token_count.total": 14},
        {"gen_ai.usage.input_tokens": 11.0, "gen_ai.usage.output_tokens": 3.0},
    ],
)
def test_token_counts_have_old_and_new_names(counts):
    assert only_call(chat(2, counts, inside=1)).token_usage == TokenUsage(input_tokens=11, output_tokens=3)


@pytest.mark.parametrize(
    "counts",
    [
        {},
        {"gen_ai.usage.input_tokens": 0, "gen_ai.usage.output_tokens": 0},
        {"gen_ai.usage.input_tokens": math.inf, "gen_ai.usage.output_tokens": math.nan},
    ],
)
def test_no_tokens_are_none_reported(counts):
    assert only_call(chat(2, counts, inside=1)).token_usage is None


def test_what_an_agent_sums_up_is_not_counted_again():
    cap = load(agent(1, attributes={"gen_ai.usage.input_tokens": 100}), chat(2, {"gen_ai.usage.input_tokens": 11}, inside=1))
    assert cap.invocation.token_usage == TokenUsage(input_tokens=11)


MESSAGES = {
    "json text": {"gen_ai.input.messages": '[{"role": "user", "parts": [{"type": "text", "content": "Hi"}]}]'},
    "arrays": {"gen_ai.input.messages": [{"role": "user", "parts": [{"type": "text", "content": "Hi"}]}]},
    "openinference": {"llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": "Hi"},
    "openinference parts": {
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.contents.0.message_content.type": "text",
        "llm.input_messages.0.message.contents.0.message_content.text": "Hi",
    },
    "indexed": {"gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": "Hi"},
    "dotted in a list": {"llm.input_messages": [{"message.role": "user", "message.content": "Hi"}]},
    "langchain": {"gen_ai.input.messages": '[{"type": "human", "data": {"content": "Hi"}}]'},
}


@pytest.mark.parametrize("attributes", MESSAGES.values(), ids=MESSAGES)
def test_messages_sent_come_in_many_forms(attributes):
    assert only_call(chat(2, attributes, inside=1)).messages == ({"role": "user", "content": "Hi"},)


def test_instructions_come_first_and_tool_results_are_messages_of_their_own():
    sent = [
        {"role": "user", "parts": [{"type": "text", "content": "Hi"}]},
        *ASSISTANT_ASKS,
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "found"}]},
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c2", "result": {"n": 1}}]},
    ]
    call = only_call(
        chat(
            2,
            {
                "gen_ai.system_instructions": '[{"type": "text", "content": "Be kind."}]',
                "gen_ai.input.messages": json.dumps(sent),
            },
            inside=1,
        )
    )
    assert call.messages == (
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "", "tool_calls": [{"name": "look_up", "arguments": {"q": "x"}, "call_id": "c1"}]},
        {"role": "tool", "content": "found", "tool_call_id": "c1"},
        {"role": "tool", "content": '{"n": 1}', "tool_call_id": "c2"},
    )


EVENTS = {
    "one a message": [
        ("gen_ai.user.message", {"content": "Hi"}),
        ("gen_ai.choice", {"message": '[{"text": "Hello"}]', "finish_reason": "end_turn"}),
    ],
    "details": [
        (
            "gen_ai.client.inference.operation.details",
            {
                "gen_ai.input.messages": '[{"role": "user", "parts": [{"type": "text", "content": "Hi"}]}]',
                "gen_ai.output.messages": '[{"role": "assistant", "parts": [{"type": "text", "content": "Hello"}], "finish_reason": "stop"}]',
            },
        )
    ],
    "prompt and completion": [
        ("gen_ai.content.prompt", {"gen_ai.prompt": '[{"role": "user", "content": "Hi"}]'}),
        (
            "gen_ai.content.completion",
            {"gen_ai.completion": '[{"role": "assistant", "content": "Hello", "finish_reason": "stop"}]'},
        ),
    ],
}


@pytest.mark.parametrize("events", EVENTS.values(), ids=EVENTS)
def test_content_may_be_in_the_events_of_a_span(events):
    call = only_call(chat(2, inside=1, events=events))
    assert (call.messages, call.response_text, call.finish_reason) == (
        ({"role": "user", "content": "Hi"},),
        "Hello",
        FinishReason.STOP,
    )


REQUESTS = {
    "gen_ai": {"gen_ai.output.messages": json.dumps(ASSISTANT_ASKS)},
    "openinference": {
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.tool_calls.0.tool_call.id": "c1",
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "look_up",
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": '{"q": "x"}',
    },
    "indexed": {
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.tool_calls.0.id": "c1",
        "gen_ai.completion.0.tool_calls.0.name": "look_up",
        "gen_ai.completion.0.tool_calls.0.arguments": '{"q": "x"}',
    },
    "openai": {
        "gen_ai.output.messages": '[{"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "type": "function", '
        '"function": {"name": "look_up", "arguments": "{\\"q\\": \\"x\\"}"}}]}]'
    },
    "bedrock": {
        "gen_ai.output.messages": [
            {"role": "assistant", "content": [{"toolUse": {"toolUseId": "c1", "name": "look_up", "input": {"q": "x"}}}]}
        ]
    },
}


@pytest.mark.parametrize("attributes", REQUESTS.values(), ids=REQUESTS)
def test_requests_come_in_many_forms_and_tools_answer_them(attributes):
    cap = load(
        agent(1), chat(2, attributes, inside=1, end=10), tool(3, "look_up", {"gen_ai.tool.call.id": "c1"}, inside=1, start=20)
    )
    (request,) = cap.invocation.tool_execution_requests
    assert (request.name, request.arguments, request.call_id, request.answered) == ("look_up", {"q": "x"}, "c1", True)
    # What the span of the tool does not say, the request does.
    assert_that(cap).has_tool_executed_with("look_up", {"q": "x"})


OFFERED = {
    "gen_ai": {"gen_ai.tool.definitions": '[{"type": "function", "name": "look_up"}]'},
    "openai": {"gen_ai.tool.definitions": '[{"type": "function", "function": {"name": "look_up"}}]'},
    "openinference": {"llm.tools.0.tool.json_schema": '{"type": "function", "function": {"name": "look_up"}}'},
}


@pytest.mark.parametrize("attributes", OFFERED.values(), ids=OFFERED)
def test_tools_offered_come_in_many_forms(attributes):
    assert only_call(chat(2, attributes, inside=1)).tools_offered == ("look_up",)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ('{"q": "x"}', {"q": "x"}),
        ('{"kwargs": {"q": "x"}}', {"q": "x"}),
        ('{"args": [], "kwargs": {"q": "x"}, "sanitize_inputs_outputs": true}', {"q": "x"}),
        ('{"args": ["x"], "kwargs": {}}', {"args": ["x"], "kwargs": {}}),
    ],
)
def test_the_arguments_are_what_was_given_to_the_function_that_runs_the_tool(given, expected):
    assert only_tool(kind(2, "TOOL", {"tool.name": "look_up", "input.value": given}, inside=1)).arguments == expected


def test_a_bare_text_is_the_only_argument_where_the_schema_says_which():
    schema = {"tool.parameters": '{"type": "object", "properties": {"q": {"type": "string"}}}'}
    known = only_tool(kind(2, "TOOL", {"tool.name": "look_up", "input.value": "x", **schema}, inside=1))
    unknown = only_tool(kind(2, "TOOL", {"tool.name": "look_up", "input.value": "x"}, inside=1))
    assert (known.arguments, unknown.arguments, unknown.raw_arguments) == ({"q": "x"}, None, "x")


def test_parameters_may_be_the_arguments_or_their_schema():
    assert only_tool(kind(2, "TOOL", {"tool.parameters": '{"q": "x"}'}, inside=1)).arguments == {"q": "x"}
    assert only_tool(kind(2, "TOOL", {"tool.parameters": '{"properties": {"q": {}}}'}, inside=1)).raw_arguments is None


def test_events_may_hold_the_arguments_and_the_result_of_a_tool():
    events = [("gen_ai.tool.message", {"content": '{"q": "x"}', "id": "c1"}), ("gen_ai.choice", {"message": '{"n": 1}'})]
    execution = only_tool(tool(2, "look_up", inside=1, events=events))
    assert (execution.arguments, execution.result) == ({"q": "x"}, {"n": 1})


def test_older_names_of_pydantic_ai_and_openllmetry_are_known():
    older = span(2, {"agent_name": "clerk", "final_result": "done"}, name="agent run")
    ran = span(
        3, {"gen_ai.tool.name": "look_up", "tool_arguments": '{"q": "x"}', "tool_response": "1"}, name="running tool", inside=2
    )
    flow = span(4, {"traceloop.span.kind": "workflow", "traceloop.entity.name": "flow"}, trace_id="b" * 32)
    task = span(
        5,
        {"traceloop.span.kind": "tool", "traceloop.entity.name": "weigh", "traceloop.entity.input": '{"inputs": {"kg": 3}}'},
        inside=4,
        trace_id="b" * 32,
    )
    call = span(6, {"llm.request.type": "chat", "gen_ai.request.model": "small"}, inside=4, trace_id="b" * 32)
    one, other = load(older, ran, flow, task, call).invocations
    assert (one.name, one.output, one.tool_executions[0].arguments) == ("clerk", "done", {"q": "x"})
    assert (other.name, other.tool_executions[0].arguments, len(other.model_calls)) == ("flow", {"kg": 3}, 1)


def test_embeddings_scorings_and_retrievals_are_kept_apart():
    cap = load(
        agent(1),
        kind(2, "EMBEDDING", {"embedding.embeddings.0.embedding.text": "Oslo"}, inside=1),
        kind(3, "RERANKER", {"reranker.query": "where", "reranker.input_documents.0.document.content": "Oslo"}, inside=1),
        kind(
            4,
            "RETRIEVER",
            {"retrieval.documents.0.document.content": "Oslo", "retrieval.documents.0.document.score": 0.5},
            inside=1,
        ),
        kind(5, "LLM", inside=4),
    )
    embedding, scoring, within = cap.invocation.model_calls
    assert (type(embedding), embedding.inputs) == (EmbeddingModelCall, ("Oslo",))
    assert (type(scoring), scoring.inputs) == (ScoringModelCall, ("where", "Oslo"))
    assert within.own is False
    assert cap.invocation.sources == (Source(text="Oslo", score=0.5),)


@pytest.mark.parametrize(
    ("attributes", "sources"),
    [
        ({"gen_ai.retrieval.documents": '[{"id": "1", "score": 0.5}]'}, NOT_RECORDED),
        ({}, NOT_RECORDED),
        ({"output.value": '{"documents": []}'}, ()),
        ({"gen_ai.retrieval.documents": '[{"content": "Oslo"}]'}, (Source(text="Oslo"),)),
    ],
)
def test_documents_without_content_are_not_recorded_which_is_not_the_same_as_none(attributes, sources):
    cap = load(agent(1), span(2, {"gen_ai.operation.name": "retrieval", **attributes}, inside=1))
    assert cap.invocation.sources == sources


def test_creating_an_agent_merged_copies_handoffs_and_pending_copies_are_nothing():
    cap = load(
        span(1, {"gen_ai.operation.name": "create_agent", "gen_ai.agent.name": "clerk"}, trace_id="b" * 32),
        agent(2),
        tool(3, "(merged tools)", inside=2, name="execute_tool (merged)"),
        kind(4, "TOOL", {"input.value": "clerk", "output.value": "guide"}, inside=2, name="handoff to guide"),
        tool(5, "look_up", {"logfire.span_type": "pending_span"}, inside=2),
        span(6, {"gen_ai.operation.name": "plan"}, inside=2),
    )
    assert [one.name for one in cap.invocations] == ["clerk"]
    assert_that(cap).has_no_tool_executions()


def test_a_chain_is_an_invocation_only_at_the_root_and_around_no_single_agent():
    alone = load(kind(1, "CHAIN", name="flow"), kind(2, "CHAIN", name="step", inside=1), kind(3, "LLM", inside=2))
    assert [(one.name, len(one.own_chat_model_calls)) for one in alone.invocations] == [("flow", 1)]
    around = load(kind(1, "CHAIN", name="flow"), agent(2, inside=1), chat(3, inside=2))
    assert [one.name for one in around.invocations] == ["clerk"]
    several = load(kind(1, "CHAIN", name="flow"), agent(2, inside=1, end=10), agent(3, "guide", inside=1, start=20))
    assert [one.name for one in several.invocation.nested_invocations] == ["clerk", "guide"]
    inside = load(agent(1), kind(2, "CHAIN", name="step", inside=1), tool(3, "look_up", inside=2))
    assert inside.invocation.nested_invocations == ()


def test_a_workflow_around_several_agents_holds_them_and_sees_what_they_see():
    flow = span(1, {"gen_ai.operation.name": "invoke_workflow", "gen_ai.workflow.name": "flow"})
    cap = load(
        flow, agent(2, inside=1, end=10), chat(3, says("Hi"), inside=1, start=20, scope="opentelemetry.instrumentation.openai")
    )
    assert_that(cap).top_level_only().has_own_chat_model_call_count(1).has_no_tool_requested()


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"error": "no"}, "no"),
        ({"error": "", "attributes": {"error.type": "timeout"}}, "timeout"),
        ({"error": "no", "attributes": {"error.type": "_OTHER"}}, "no"),
        ({"error": ""}, "the span says that it failed, and not why"),
    ],
)
def test_an_error_without_a_class_is_its_text(given, expected):
    cap = load(agent(1, **given))
    assert (cap.invocation.status, cap.invocation.error) == (Status.FAILED, expected)
    with pytest.raises(NotRecordedError):
        assert_that(cap).has_failed_with(ValueError)


def test_an_error_keeps_its_class_by_name():
    raised = [("exception", {"exception.type": "TimeoutError", "exception.message": "no answer"})]
    assert_that(load(agent(1, error="no answer", events=raised))).has_failed_with(OSError).has_failed_with_message_containing(
        "answer"
    )
    named = load(agent(1, error="oops", attributes={"error.type": "json.decoder.JSONDecodeError"}))
    assert_that(named).has_failed_with(json.JSONDecodeError).has_failed_with(ValueError)

    class BookingError(Exception):
        pass

    BookingError.__qualname__ = "BookingError"
    assert_that(load(agent(1, error="oops", attributes={"error.type": "BookingError"}))).has_failed_with(BookingError)


def test_a_cancellation_an_interruption_and_a_guardrail_are_no_failures():
    def ended(name):
        return load(agent(1, error="x", attributes={"error.type": name})).invocation.status

    assert ended("asyncio.exceptions.CancelledError") is Status.CANCELLED
    assert ended("GraphInterrupt") is Status.AWAITING_APPROVAL
    assert ended("InputGuardrailTripwireTriggered") is Status.BLOCKED
    stopped = only_tool(tool(2, "look_up", {"error.type": "CancelledError"}, inside=1))
    assert stopped.outcome is Outcome.CANCELLED


def test_a_failed_model_call_and_a_failed_retriever_are_still_there():
    cap = load(agent(1), chat(2, inside=1, error="429"), kind(3, "RETRIEVER", inside=1, error="down"))
    assert (cap.invocation.model_calls[0].error, cap.invocation.sources) == ("429", ())


def test_arguments_that_were_cut_off_are_kept_raw_and_doubtful():
    cap = load(agent(1), tool(2, "pay", {"gen_ai.tool.call.arguments": '{"order": {"to": {"ci'}, inside=1))
    execution = cap.invocation.tool_executions[0]
    assert (execution.arguments, execution.raw_arguments) == (None, '{"order": {"to": {"ci')
    assert cap.health.doubts == ("the arguments of 'pay' were cut off where its span was written",)


def test_messages_that_were_cut_off_are_not_recorded_and_doubtful():
    cap = load(agent(1), chat(2, {"gen_ai.output.messages": '[{"role": "assist'}, inside=1))
    assert cap.health.doubts == ("the messages of 'small' were cut off where its span was written",)
    with pytest.raises(NotRecordedError, match="cannot see requests"):
        assert_that(cap).has_no_tool_requested("pay")


def test_without_content_nobody_knows_the_arguments_nor_the_requests():
    cap = load(agent(1), chat(2, inside=1), tool(3, "pay", inside=1), tool(4, "pay", inside=1, start=50))
    chain = assert_that(cap).has_tool_executed_times("pay", 2).has_own_chat_model_call_count(1)
    asks = (
        lambda: chain.has_tool_executed_with("pay", {"amount": 5}),
        lambda: chain.has_tool_executed_with_exactly("pay", {}),
        lambda: chain.has_tools_executed_in_order("pay", execution_of("pay", {"amount": 5})),
        lambda: chain.has_tools_executed_exactly_in_order("pay", execution_of("pay", {"amount": 5})),
        lambda: chain.has_tools_executed_exactly_in_any_order("pay", execution_of("pay", {"amount": 5})),
        chain.has_no_repeated_tool_executions,
        lambda: chain.arguments_of("pay"),
        lambda: chain.has_no_tool_requested("pay"),
    )
    for ask in asks:
        with pytest.raises(NotRecordedError):
            ask()


def test_arguments_that_are_known_decide_where_they_can():
    cap = load(agent(1), tool(2, "pay", inside=1), tool(3, "pay", arguments(amount=5), inside=1, start=50))
    assert_that(cap).has_tool_executed_with("pay", {"amount": 5})


def test_values_of_otlp_become_those_of_python():
    given = {"order": {"to": ["Oslo", 2, 1.5, True, None]}}
    execution = only_tool(tool(2, "pay", {"gen_ai.tool.call.arguments": given}, inside=1))
    assert execution.arguments == given
    assert any_value(given)["kvlistValue"]["values"][0]["key"] == "order"


def test_a_result_that_was_not_captured_is_no_returned_none():
    """A span without content says that the tool succeeded, and no more."""
    live = load(
        agent(1),
        tool(2, "look_up", inside=1, end=10),
        tool(3, "pay", {"gen_ai.tool.call.arguments": '{"to": null}', "gen_ai.tool.call.result": "null"}, inside=1, start=20),
    )
    refers = {"to": result_of("look_up")}
    for cap in (live, Capture.from_json(live.to_json())):
        hidden, told = cap.invocation.tool_executions
        assert (hidden.result, hidden.raw_result, told.result) == (NOT_RECORDED, None, None)
        chain = assert_that(cap)
        chain.results_of("pay").is_equal_to([None])
        checks = (
            (chain.results_of, ("look_up",)),
            (chain.has_tool_executed_with, ("pay", refers)),
            (chain.has_tools_executed_in_order, (execution_of("pay", refers),)),
            (chain.has_tools_executed_exactly_in_order, ("look_up", execution_of("pay", refers))),
            (chain.has_tools_executed_exactly_in_any_order, ("look_up", execution_of("pay", refers))),
        )
        for check, given in checks:
            with pytest.raises(NotRecordedError, match=r"the results of 'look_up' were not recorded"):
                check(*given)
        for read in ("result == null", "result.is_error == false and result.text == null"):
            with pytest.raises(NotRecordedError):
                chain.meets(expected_tool_calls=[{"look_up": read}])
        chain.meets(expected_tool_calls=[{"look_up": "result.is_error == false"}])
        with pytest.raises(AssertionError, match=r"look_up\(...\) \(result not recorded\)"):
            chain.has_tool_executed("delete")


def talk(sent, received):
    return {"gen_ai.input.messages": json.dumps(sent), "gen_ai.output.messages": json.dumps(received)}


def loop_over_an_sdk(scope, *around, call_id="c1"):
    """What a hand-written loop looks like where nothing but the SDK is instrumented: no span tells of its tools."""
    asks = [{"role": "assistant", "parts": [{"type": "tool_call", "id": call_id, "name": "delete", "arguments": {"id": 7}}]}]
    result = {"role": "tool", "parts": [{"type": "tool_call_response", "id": call_id, "response": "deleted"}]}
    sent = [{"role": "user", "parts": [{"type": "text", "content": "Delete 7"}]}]
    inside = 1 if around else None
    return load(
        *around,
        chat(2, talk(sent, asks), inside=inside, scope=scope, end=10),
        chat(3, talk([*sent, *asks, result], [{"role": "assistant", "content": "Done."}]), inside=inside, scope=scope, start=20),
    )


@pytest.mark.parametrize("scope", ["opentelemetry.instrumentation.openai_v2", "openinference.instrumentation.anthropic"])
@pytest.mark.parametrize("around", [(), (agent(1),)])
def test_the_tools_of_a_loop_over_an_instrumented_sdk_are_inferred(scope, around):
    cap = loop_over_an_sdk(scope, *around)
    (execution,) = cap.invocation.tool_executions
    assert (execution.name, execution.arguments, execution.result) == ("delete", {"id": 7}, "deleted")
    assert (execution.inferred, execution.outcome) == (True, Outcome.UNKNOWN)
    with pytest.raises(AssertionError, match="but it executed 'delete' once"):
        assert_that(cap).has_no_tool_executions("delete")


def test_an_id_that_is_a_number_is_one():
    cap = loop_over_an_sdk("opentelemetry.instrumentation.openai_v2", call_id=5)
    (execution,) = Capture.from_json(cap.to_json()).invocation.tool_executions
    assert (execution.call_id, execution.result) == ("5", "deleted")


def test_nothing_is_inferred_for_a_framework_whose_tools_have_spans_of_their_own():
    cap = loop_over_an_sdk("opentelemetry.instrumentation.openai_v2", agent(1, scope="agent_framework"))
    assert cap.invocation.tool_executions == ()
    assert_that(cap).has_tool_requested("delete")


def test_the_span_of_a_tool_is_the_execution_that_a_loop_over_an_instrumented_sdk_sends_back():
    span = tool(4, "delete", arguments(id=7), inside=1, start=12, end=15)
    cap = loop_over_an_sdk("opentelemetry.instrumentation.openai_v2", agent(1), span)
    (execution,) = cap.invocation.tool_executions
    assert (execution.inferred, execution.outcome, execution.call_id) == (False, Outcome.SUCCEEDED, "c1")
