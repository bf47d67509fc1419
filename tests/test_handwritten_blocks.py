"""The blocks and calls of `record`: invocations, model calls, sources, tool executions, approvals."""

from __future__ import annotations

import asyncio
import json

import pytest

from agentassert import (
    NOT_RECORDED,
    Approval,
    Capture,
    Decision,
    EmbeddingModelCall,
    FinishReason,
    ModerationModelCall,
    Outcome,
    ScoringModelCall,
    Source,
    Status,
    TokenUsage,
    assert_that,
    capture,
    record,
)


def run_everything():
    with record.invocation("support", input={"question": "Cancel MS-777"}) as invocation:
        with record.model_call(
            "small",
            messages=[{"role": "system", "content": "Be kind"}, {"role": "user", "content": "Cancel"}],
            tools_offered=["get"],
        ) as call:
            call.respond(
                "",
                finish_reason="tool_calls",
                input_tokens=11,
                output_tokens=3,
                tool_execution_requests=[{"name": "get", "arguments": '{"number": "MS-777"}', "call_id": "c1"}, {"name": "pay"}],
            )
        record.tool_execution("get", '{"number": "MS-777"}', result='{"customer": "Ann"}', call_id="c1")
        record.tool_execution("notify", error=TimeoutError("no answer"), result="try again")
        record.sources(["Paris", {"text": "Rome", "metadata": {"page": 3}, "score": 0.5}, Source(text="Oslo")])
        record.approval("pay", {"amount": 5})
        record.approval("pay", {"amount": 5}, decision="reject", reason="too much")
        with record.invocation("nested"):
            record.tool_execution("look")
        for kind in (EmbeddingModelCall, ScoringModelCall, ModerationModelCall):
            with record.model_call("other", messages="a text", kind=kind) as call:
                call.respond(input_tokens=2)
        with pytest.raises(ConnectionError), record.model_call("small"):
            raise ConnectionError("cut off")
        with record.model_call("small", messages="Hi") as call:
            call.respond("It is cancelled.", finish_reason="stop")
        invocation.output = {"text": "It is cancelled."}
    return invocation


def test_everything_that_a_hand_written_agent_records_is_there():
    with capture() as cap:
        run_everything()

    one = cap.invocation
    assert (one.name, one.input, one.output) == ("support", {"question": "Cancel MS-777"}, {"text": "It is cancelled."})
    assert json.loads(one.output_text) == one.output
    assert (one.status, one.finish_reason, one.raw_finish_reason) == (Status.COMPLETED, FinishReason.STOP, "stop")
    assert one.token_usage == TokenUsage(input_tokens=11, output_tokens=3)
    assert one.recorded_by == ("record",)


def test_a_model_call_keeps_what_was_sent_and_what_came_back():
    with capture() as cap:
        run_everything()

    first, embedding, scoring, moderation, failed, last = cap.invocation.model_calls
    assert [message["role"] for message in first.messages] == ["system", "user"]
    assert (first.model, first.tools_offered, first.finish_reason) == ("small", ("get",), FinishReason.TOOL_EXECUTION)
    assert [(one.name, one.arguments, one.call_id, one.answered) for one in first.tool_execution_requests] == [
        ("get", {"number": "MS-777"}, "c1", True),
        ("pay", {}, None, False),
    ]
    assert [one.kind for one in (embedding, scoring, moderation)] == ["embedding", "scoring", "moderation"]
    assert [one.inputs for one in (embedding, scoring, moderation)] == [("a text",)] * 3
    assert (failed.failed, failed.completed, failed.response_text) == (True, False, None)
    assert (last.messages, last.completed, last.own) == (({"role": "user", "content": "Hi"},), True, True)


def test_executions_that_are_over_are_recorded_as_they_ended():
    with capture() as cap:
        run_everything()

    got, notified = cap.invocation.tool_executions
    assert (got.arguments, got.raw_arguments, got.call_id) == ({"number": "MS-777"}, '{"number": "MS-777"}', "c1")
    assert (got.result, got.raw_result) == ({"customer": "Ann"}, '{"customer": "Ann"}')
    assert (notified.outcome, str(notified.error), notified.result) == (Outcome.FAILED, "no answer", "try again")


def test_sources_are_collected_and_none_seen_is_not_none_found():
    with capture() as cap:
        run_everything()
    with capture() as empty, record.invocation("support"):
        record.sources([])
    with capture() as unseen, record.invocation("support"):
        pass

    assert cap.invocation.sources == (
        Source(text="Paris"),
        Source(text="Rome", metadata={"page": 3}, score=0.5),
        Source(text="Oslo"),
    )
    assert empty.invocation.sources == ()
    assert unseen.invocation.sources is NOT_RECORDED


def test_the_metadata_of_a_source_is_a_snapshot():
    metadata = {"pages": [1]}
    with capture() as cap, record.invocation("support"):
        record.sources([{"text": "Rome", "metadata": metadata}, Source(text="Oslo", metadata=metadata)])
        metadata["pages"].append(2)

    assert [source.metadata for source in cap.invocation.sources] == [{"pages": [1]}] * 2


def test_a_decision_settles_the_approval_that_waits_for_it():
    with capture() as cap, record.invocation("support"):
        record.approval("pay", {"amount": 5}, call_id="c1")
        record.approval("pay", {"amount": 6})
        record.approval("pay", {"amount": 7})
        record.approval("pay", {"amount": 6}, decision=Decision.APPROVE)
        record.approval("pay", decision="timeout", call_id="c1")
        record.approval("pay", {"amount": 70}, decision="edit", reason="rounded")
        record.approval("book", '{"id": 1}', decision="reject")

    assert cap.invocation.approvals == (
        Approval(tool="pay", arguments={"amount": 5}, decision=Decision.TIMEOUT, call_id="c1"),
        Approval(tool="pay", arguments={"amount": 6}, decision=Decision.APPROVE),
        Approval(tool="pay", arguments={"amount": 7}, decision=Decision.EDIT, reason="rounded"),
        Approval(tool="book", arguments={"id": 1}, decision=Decision.REJECT),
    )


def test_a_call_inside_a_tool_is_not_the_agents_own():
    @record.tool
    def summarise():
        with record.model_call("small", messages="long") as call:
            call.respond("short")

    with capture() as cap, record.invocation("support"):
        summarise()
        with record.model_call("large") as call:
            call.respond("done")

    assert [(call.model, call.own) for call in cap.invocation.model_calls] == [("small", False), ("large", True)]
    assert [call.model for call in cap.invocation.own_chat_model_calls] == ["large"]


def test_a_call_that_nobody_answered_in_its_block_is_a_completed_one_without_a_text():
    with capture() as cap, record.model_call("small"):
        pass

    (call,) = cap.invocation.model_calls
    assert (call.completed, call.response_text, call.token_usage) == (True, None, None)


def test_inside_the_block_what_runs_is_unfinished():
    with capture() as cap, record.invocation("support"), record.model_call("small"):
        assert cap.invocation.status is Status.UNFINISHED
        assert cap.invocation.model_calls[0].completed is False
        assert cap.invocation.duration is None


def test_an_invocation_that_fails_keeps_what_it_had_produced():
    with pytest.raises(LookupError) as raised, capture() as cap, record.invocation("support") as invocation:
        invocation.output = "half an answer"
        raise LookupError("no such booking")

    assert (cap.invocation.status, cap.invocation.error, cap.output) == (Status.FAILED, raised.value, "half an answer")


def test_blocks_work_in_coroutines_and_keep_tasks_apart():
    async def one_user(number):
        with record.invocation(f"user {number}") as invocation:
            await asyncio.sleep(0)
            record.tool_execution("get", {"number": number}, result=number)
            with record.model_call() as call:
                await asyncio.sleep(0)
                call.respond(str(number))
            invocation.output = number

    async def all_users():
        async with capture() as cap:
            await asyncio.gather(*(one_user(number) for number in range(5)))
        return cap

    for number, one in enumerate(asyncio.run(all_users()).invocations):
        assert (one.name, one.output, one.model_calls[0].response_text) == (f"user {number}", number, str(number))
        assert [execution.arguments["number"] for execution in one.tool_executions] == [number]


def test_with_no_capture_open_everything_passes_through():
    assert run_everything().output == {"text": "It is cancelled."}


def test_a_stored_capture_is_asserted_on_like_the_live_one():
    with capture("nightly") as cap:
        run_everything()
    loaded = Capture.from_json(cap.to_json())

    assert (loaded.name, loaded.invocations[0].output_text) == ("nightly", cap.output_text)
    assert loaded.to_json() == cap.to_json()
    for each in (cap, loaded):
        (
            assert_that(each)
            .top_level_only()
            .has_tool_executed_with("get", {"number": "MS-777"})
            .has_tool_execution_failed("notify")
            .has_tool_rejected("pay")
            .has_retrieved_source_containing("Rome")
            .has_model_call_count(6)
            .has_no_more_tool_executions()
            .has_succeeded()
        )
        with pytest.raises(AssertionError, match="'MS-778'"):
            assert_that(each).top_level_only().has_tool_executed_with("get", {"number": "MS-778"})


def test_a_stored_failure_is_asserted_on_by_its_classes():
    with capture(expecting_failure=True) as cap, record.invocation("support"):
        raise ConnectionResetError("cut off")
    loaded = Capture.from_json(cap.to_json())

    for each in (cap, loaded):
        assert_that(each).has_failed_with(ConnectionError).has_failed_with_message_containing("cut off")
    assert [one.status for one in loaded.invocations] == [Status.FAILED]
