"""The assertions of the Mantle engine."""

from __future__ import annotations

import pytest

from agentassert.conversations import rasa
from agentassert.conversations.rasa.mantle import HAPPENINGS
from tests.conversations.trackers import action, conversation, user, verdict


def tool(name, *, server=None, skill=None, error=False, **arguments):
    source = {"source": "local"} if server is None else {"source": "mcp", "mcp_server": server}
    metadata = {} if skill is None else {"skill_id": skill}
    return {
        "event": "tool_executed",
        "tool_name": name,
        "arguments": arguments,
        "is_error": error,
        "metadata": metadata,
        **source,
    }


def memory(key, value):
    return {"event": "memory_set", "key": key, "value": value}


LOOK = {"tool_name": "look", "source": "local"}
BOOK = {"tool_name": "book", "source": "mcp", "mcp_server": "ferries"}


@pytest.mark.parametrize("kind", HAPPENINGS)
def test_what_happened_to_skills_and_blocks_has_every_field_that_is_given(kind):
    required, optional = HAPPENINGS[kind]
    given = {key: f"my_{key}" for key in (*required, *optional)}

    assert verdict([{"event": kind, **given, "more": 1}], {kind: given})[0].passes
    for key in given:
        failure = verdict([{"event": kind, **given, key: "other"}], {kind: given})[0].failure
        assert f"my_{key}" in str(failure)
    assert verdict([], {kind: given})[0].failure is not None


@pytest.mark.parametrize(
    ("assertion", "events", "passes"),
    [
        ({"memory_was_set": [{"name": "seats"}]}, [memory("seats", 2)], True),
        ({"memory_was_set": [{"name": "seats", "value": 2}]}, [memory("seats", 3)], False),
        ({"memory_was_not_set": [{"name": "seats"}]}, [memory("seats", None)], False),
        ({"memory_was_not_set": [{"name": "seats", "value": 2}]}, [memory("seats", 2), memory("seats", 3)], True),
        ({"memory_was_not_set": [{"name": "seats", "value": 3}]}, [memory("seats", 2), memory("seats", 3)], False),
        ({"memory_was_cleared": [{"name": "seats"}]}, [{"event": "memory_cleared", "key": "seats"}], True),
        ({"memory_was_cleared": [{"name": "seats"}]}, [{"event": "memory_cleared", "key": "cabin"}], False),
    ],
)
def test_memory_is_looked_at_like_slots(assertion, events, passes):
    found, _ = verdict(events, assertion)

    assert found.passes is passes
    assert passes or "memory 'seats'" in str(found.failure)


@pytest.mark.parametrize(
    ("given", "event", "passes"),
    [
        (LOOK, tool("look", at=1), True),
        (LOOK, tool("look", server="ferries"), False),
        (LOOK, tool("book"), False),
        (BOOK, tool("book", server="ferries"), True),
        (BOOK, tool("book", server="trains"), False),
        ({**LOOK, "arguments": {"a": 1}}, tool("look", a=1, b=2), True),
        ({**LOOK, "arguments": {"a": 1}}, tool("look", b=2), False),
        ({**LOOK, "arguments": {"a": None}}, tool("look"), False),
        ({**LOOK, "skill_id": "s"}, tool("look", skill="s"), True),
        ({**LOOK, "skill_id": "s"}, tool("look", skill="t"), False),
        ({**LOOK, "is_error": True}, tool("look", error=False), False),
    ],
)
def test_a_tool_was_executed_with_everything_that_is_given(given, event, passes):
    found, _ = verdict([event], {"tool_executed": given})

    assert found.passes is passes
    assert passes or f"'{given['tool_name']}'" in str(found.failure)


@pytest.mark.parametrize(
    ("events", "options", "passes"),
    [
        ([tool("look"), action("x"), tool("book", server="ferries")], {}, True),
        ([tool("book", server="ferries"), tool("look")], {}, True),
        ([tool("book", server="ferries"), tool("look")], {"ordered": True}, False),
        ([tool("look")], {}, False),
        ([tool("look"), tool("pay"), tool("book", server="ferries")], {}, False),
        ([tool("look"), tool("pay"), tool("book", server="ferries")], {"allow_extra_calls": True, "ordered": True}, True),
        ([tool("look"), user("Hi"), tool("book", server="ferries")], {"allow_extra_calls": True}, False),
        ([tool("look")], {"calls": [LOOK, LOOK]}, False),
        ([tool("look")], {"calls": [LOOK, LOOK], "ordered": True, "allow_extra_calls": True}, False),
        ([tool("look"), tool("pay"), tool("look")], {"calls": [LOOK, LOOK], "ordered": True, "allow_extra_calls": True}, True),
    ],
)
@pytest.mark.filterwarnings("ignore:the user says 'Hi' again right after")
def test_tools_within_one_turn(events, options, passes):
    assertion = {"tools_within_one_turn": {"calls": [LOOK, BOOK], "allow_extra_calls": False, **options}}

    failure = rasa.check(conversation(user("Hi", n=1), *events), assertion, user="Hi", metadata={"n": 1})

    assert (failure is None) is passes
    assert passes or f"'{assertion['tools_within_one_turn']['calls'][1]['tool_name']}'" in str(failure)


@pytest.mark.filterwarnings("ignore:the user says '/book' again right after")
def test_a_command_of_the_user_begins_no_turn_of_tools():
    assertion = {"tools_within_one_turn": {"calls": [LOOK, BOOK], "allow_extra_calls": False}}
    events = user("/book", n=1), tool("look"), user("/book", n=2), tool("book", server="ferries")

    assert rasa.check(conversation(*events), assertion, user="/book", metadata={"n": 1}) is None
