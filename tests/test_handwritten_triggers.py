"""`record.trigger`: agents that are started and never waited for."""

from __future__ import annotations

import pytest

from agentassert import Capture, Status, assert_that, capture, record
from tests.factories import message


def triggered(*payloads):
    with capture() as cap, record.invocation("checkout"):
        for payload in payloads:
            record.trigger("telemetry-writer", payload)
    return cap


def test_a_trigger_is_a_nested_invocation_with_its_payload_that_was_never_awaited():
    nested = triggered({"event": "checkout"}).invocation.nested_invocations[0]

    assert (nested.name, nested.input, nested.awaited) == ("telemetry-writer", {"event": "checkout"}, False)
    assert (nested.status, nested.output, nested.ended_order, nested.started_by) == (Status.UNFINISHED, None, None, None)


def test_a_trigger_in_a_tool_was_started_by_that_tool():
    @record.tool
    def trigger_agent_at(agent_name, payload):
        record.trigger(agent_name, payload)

    with capture() as cap, record.invocation("checkout"):
        trigger_agent_at("reader", {"id": 1})

    nested = cap.invocation.nested_invocations[0]
    assert (nested.name, nested.started_by) == ("reader", cap.invocation.tool_executions[0].id)


def test_nobody_waits_for_it_when_the_block_is_left():
    with capture(wait=86_400) as cap, record.invocation("checkout"):
        record.trigger("telemetry-writer")

    assert cap.health.doubts == ()


def test_the_payload_is_as_it_was_at_that_moment():
    payload = {"id": 1}
    cap = triggered(payload)
    payload["id"] = 2

    assert cap.invocation.nested_invocations[0].input == {"id": 1}


def test_how_often_and_with_what_can_be_asked_and_nothing_else():
    chain = assert_that(triggered({"id": 1}, '{"id": 2}'))

    chain.meets(expected_child_agents={"telemetry-writer": {"expected_triggered": 2, "expected_payload": "payload.id == 2"}})
    chain.has_nested_invocation_times("telemetry-writer", 2)
    assert "Let the agent wait for the response" in message(
        chain.meets, expected_child_agents={"telemetry-writer": {"expected_result": "output"}}
    )
    assert "but it has not finished" in message(chain.including_nested().has_no_tool_executions)
    chain.top_level_only().has_no_tool_executions()


def test_a_stored_trigger_is_still_one():
    loaded = Capture.from_json(triggered({"id": 1}).to_json())

    assert_that(loaded).meets(expected_child_agents={"telemetry-writer": {"expected_payload": "payload.id == 1"}})
    assert loaded.invocation.nested_invocations[0].awaited is False


def test_with_no_capture_open_nothing_is_recorded():
    record.trigger("reader", {"id": 1})
    with capture() as cap:
        pass

    assert cap.invocations == ()


@pytest.mark.parametrize(("name", "error"), [(None, TypeError), (3, TypeError), ("", ValueError)])
def test_a_name_is_needed(name, error):
    with pytest.raises(error, match="the name of a triggered agent must"):
        record.trigger(name, {})
