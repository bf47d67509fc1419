"""What the user said, in whatever form an agent was given it."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from agentassert.checks.messages import said_by_user


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("Hi", "Hi"),
        ({"messages": "Hi"}, "Hi"),
        (["Hello", "Hi"], "Hi"),
        ([SimpleNamespace(type="human", content="Hi"), SimpleNamespace(type="ai", content="Yes?")], "Hi"),
        ([SimpleNamespace(role="user", content=[{"type": "text", "text": "Hi"}])], "Hi"),
        ([SimpleNamespace(type="message", role="user", content="Hi")], "Hi"),
        ([{"type": "message", "role": "user", "content": "Hi"}, {"type": "message", "role": "assistant", "content": "?"}], "Hi"),
        ([("assistant", "Yes?"), ["user", "Hi"]], "Hi"),
        ((("human", "Hi"), ("ai", "Yes?")), "Hi"),
        ([("user", "Hi", "there")], None),
        ([("user", None)], ""),
        ([{"role": "user", "content": [{"type": "text", "text": {"value": "Hi"}}, "Ho", 5]}], "Ho"),
        ([("assistant", "Yes?")], None),
        ([], None),
        (None, None),
        ({"amount": 5}, None),
        (5, None),
    ],
)
def test_what_the_user_said_last(given, said):
    assert said_by_user(given) == said
