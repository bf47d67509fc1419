"""Assertions that are not well-formed are refused, naming what is wrong."""

from __future__ import annotations

import pytest

from agentassert.conversations import rasa
from tests.conversations.trackers import conversation, user

TOOL = {"tool_name": "look", "source": "local"}

REFUSED = [
    ("flow_started", "must be a mapping from its kind to what it asks, but was 'flow_started'"),
    ({}, "this one has none"),
    ({"flow_started": "a", "action_executed": "b"}, "has 'flow_started', 'action_executed': write each as an item of its own"),
    ({"flow_start": "a"}, "there is no assertion 'flow_start'; did you mean 'flow_started'?"),
    ({"flow_started": ""}, "flow_started: must not be empty"),
    ({"flow_started": 7}, "flow_started: must be a mapping with 'operator', 'flow_ids', but was 7"),
    ({"flow_started": {"flow_ids": ["a"]}}, "flow_started: 'operator' is missing"),
    ({"flow_started": {"operator": "some", "flow_ids": ["a"]}}, "operator must be 'any' or 'all', but was 'some'"),
    ({"flow_started": {"operator": "all", "flow_ids": ["a", "b"]}}, "write an assertion for each flow"),
    ({"flow_started": {"operator": "any", "flow_ids": []}}, "'flow_ids' must have 1 or more entries"),
    ({"flow_completed": "a"}, "flow_completed: must be a mapping with 'flow_id', 'flow_step_id', but was 'a'"),
    ({"flow_completed": {"flow_step_id": "a"}}, "flow_completed: 'flow_id' is missing"),
    ({"flow_cancelled": {"flow_id": "a", "step_id": "b"}}, "unknown key 'step_id'; did you mean 'flow_step_id'?"),
    ({"pattern_clarification_contains": []}, "the options must have 1 or more entries"),
    ({"pattern_clarification_contains": ["a", ["b"]]}, r"'an option' must be a text, but was \['b'\]"),
    ({"pattern_clarification_contains": ["a", " "]}, "'an option' must not be empty"),
    ({"action_executed": ["a"]}, r"action_executed: must be a text, but was \['a'\]"),
    ({"slot_was_set": {"name": "a"}}, "slot_was_set: the body must be a list"),
    ({"slot_was_set": [{"value": 1}]}, "slot_was_set: 'name' is missing"),
    ({"slot_was_not_set": [{"name": "a", "values": 1}]}, "unknown key 'values'; did you mean 'value'?"),
    ({"bot_uttered": {}}, "bot_uttered: needs one of 'utter_name', 'text_matches' and 'buttons'"),
    ({"bot_uttered": {"text_matches": "(a"}}, "bot_uttered: 'text_matches' is no regular expression"),
    ({"bot_uttered": {"text_matches": 3}}, "^bot_uttered: 'text_matches' must be a text, but was 3$"),
    ({"bot_uttered": {"utter_name": 3}}, "^bot_uttered: 'utter_name' must be a text, but was 3$"),
    ({"bot_uttered": {"buttons": None}}, "bot_uttered: 'buttons' must be a list, but was None"),
    ({"bot_uttered": {"buttons": []}}, "'buttons' must have 1 or more entries"),
    ({"bot_uttered": {"buttons": ["Yes"]}}, "bot_uttered: a button: must be a mapping with 'title', 'payload'"),
    ({"bot_did_not_utter": {"utter": "a"}}, "unknown key 'utter'"),
    ({"generative_response_is_relevant": {}}, "'threshold' is missing"),
    ({"generative_response_is_relevant": {"threshold": "0.9"}}, "'threshold' must be a number, but was '0.9'"),
    ({"generative_response_is_relevant": {"threshold": True}}, "'threshold' must be a number, but was True"),
    ({"generative_response_is_relevant": {"threshold": 0.9, "ground_truth": "a"}}, "unknown key 'ground_truth'"),
    ({"generative_response_is_grounded": {"threshold": 0.9, "ground_truth": 5}}, "'ground_truth' must be a text, but was 5"),
    ({"skill_activated": {"skill_id": "a", "step_id": "b"}}, "skill_activated: has the unknown key 'step_id'"),
    ({"ordered_block_entered": {"skill_id": "a"}}, "'block_id' is missing"),
    ({"memory_was_not_set": [{"name": "a", "value": None}]}, "'value' must not be null"),
    ({"memory_was_cleared": [{"name": "a", "value": 1}]}, "unknown key 'value'"),
    ({"tool_executed": {"tool_name": "a", "source": "remote"}}, "'source' must be 'local' or 'mcp', but was 'remote'"),
    ({"tool_executed": {"tool_name": "a", "source": "mcp"}}, "'mcp_server' must be given for the source 'mcp'"),
    ({"tool_executed": {**TOOL, "mcp_server": "s"}}, "and for no other"),
    ({"tool_executed": {"tool_name": 3, "source": "local"}}, "tool_executed: 'tool_name' must be a text, but was 3"),
    ({"tool_executed": {**TOOL, "source": 3}}, "tool_executed: 'source' must be 'local' or 'mcp', but was 3"),
    ({"tool_executed": {**TOOL, "source": "mcp", "mcp_server": 3}}, "tool_executed: 'mcp_server' must be a text, but was 3"),
    ({"tool_executed": {**TOOL, "skill_id": 3}}, "tool_executed: 'skill_id' must be a text, but was 3"),
    ({"tool_executed": {**TOOL, "arguments": [1]}}, r"'arguments' must be a mapping, but was \[1\]"),
    ({"tool_executed": {**TOOL, "is_error": "no"}}, "'is_error' must be true or false, but was 'no'"),
    ({"tools_within_one_turn": {"calls": [TOOL], "allow_extra_calls": True}}, "'calls' must have 2 or more entries"),
    ({"tools_within_one_turn": {"calls": [TOOL, TOOL]}}, "'allow_extra_calls' is missing"),
    ({"tools_within_one_turn": {"calls": [TOOL, {}], "allow_extra_calls": True}}, r"calls\[1\]: 'tool_name' is missing"),
]  # fmt: skip


@pytest.mark.parametrize(("assertion", "message"), REFUSED, ids=str)
def test_an_assertion_that_is_not_well_formed_is_refused(assertion, message):
    with pytest.raises(ValueError, match=message):
        rasa.check(conversation(user("Hi")), assertion, user="Hi")


def test_every_assertion_of_a_step_is_read_before_the_first_is_looked_at():
    with pytest.raises(ValueError, match="there is no assertion 'nothing'"):
        rasa.check_step(conversation(user("Hi")), [{"action_executed": "missing"}, {"nothing": 1}], user="Hi")


def test_an_assertion_can_be_read_once_and_checked_often():
    read = rasa.read_assertion({"action_executed": "action_listen"})

    assert rasa.check(conversation(user("Hi")), read, user="Hi") is None
