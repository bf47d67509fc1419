"""What is refused when expectations are read, and where in the data it says the mistake is."""

from __future__ import annotations

import pytest

from agentassert.expressions import ExpectationError, Expectations

CHILD = ("expected_child_agents", "reader")
REFUSED = [
    (["x"], (), "it must be a mapping, but was ['x'] (list)"),
    ({"expected_reslt": "output"}, ("expected_reslt",), "this is no expectation; did you mean 'expected_result'?"),
    ({"expected_payload": "payload"}, ("expected_payload",), "this is no expectation; did you mean"),
    ({"expected_result": None}, ("expected_result",), "an expression is text: write it in quotes, but it was None (NoneType)"),
    ({"expected_result": True}, ("expected_result",), "an expression is text: write it in quotes, but it was True (bool)"),
    ({"expected_result": ""}, ("expected_result",), "'', column 1: it is empty, so it asks for nothing"),
    ({"expected_result": "params"}, ("expected_result",), "'params', column 1: 'params' is unknown here;"),
    ({"expected_tool_calls": "pay"}, ("expected_tool_calls",), "it must be a list, but was 'pay' (str)"),
    ({"expected_tool_calls": None}, ("expected_tool_calls",), "it must be a list, but was None (NoneType)"),
    ({"expected_tool_calls": []}, ("expected_tool_calls",), "it is empty, so it expects nothing: leave it out"),
    (
        {"expected_tool_calls": ["pay", 3]},
        ("expected_tool_calls", 1),
        "an entry is a tool's name, or a name with an expression, but was 3 (int)",
    ),
    ({"expected_tool_calls": [{}]}, ("expected_tool_calls", 0), "an entry has one tool's name, but this one has 0: none"),
    (
        {"expected_tool_calls": [{"a": "x", "b": "y"}]},
        ("expected_tool_calls", 0),
        "an entry has one tool's name, but this one has 2: 'a', 'b'",
    ),
    (
        {"expected_tool_calls": [{"pay": 1}]},
        ("expected_tool_calls", 0, "pay"),
        "an expression is text: write it in quotes, but it was 1 (int)",
    ),
    ({"expected_tool_calls": [{3: "invocations == 1"}]}, ("expected_tool_calls", 0, 3), "a name is text, but was 3 (int)"),
    ({"expected_tool_calls": [" "]}, ("expected_tool_calls", 0), "a name must not be empty"),
    (
        {"expected_tool_calls": [{"pay": "output == 1"}]},
        ("expected_tool_calls", 0, "pay"),
        "'output == 1', column 1: 'output' is unknown here",
    ),
    ({"expected_tool_call_order": ["pay", ""]}, ("expected_tool_call_order", 1), "a name must not be empty"),
    ({"expected_tool_call_order": {"pay": 1}}, ("expected_tool_call_order",), "it must be a list, but was {'pay': 1} (dict)"),
    (
        {"expected_no_tool_calls": [{"pay": "params"}]},
        ("expected_no_tool_calls", 0),
        "a name is text, but was {'pay': 'params'} (dict)",
    ),
    ({"expected_child_agents": {}}, ("expected_child_agents",), "it is empty, so it expects nothing: leave it out"),
    ({"expected_child_agents": {"reader": None}}, CHILD, "it must be a mapping, but was None (NoneType)"),
    ({"expected_child_agents": {"": {}}}, ("expected_child_agents", ""), "a name must not be empty"),
    (
        {"expected_child_agents": {"reader": {"expected_trigered": 1}}},
        (*CHILD, "expected_trigered"),
        "did you mean 'expected_triggered'?",
    ),
    (
        {"expected_child_agents": {"reader": {"expected_triggered": True}}},
        (*CHILD, "expected_triggered"),
        "it must be a whole number, but was True",
    ),
    (
        {"expected_child_agents": {"reader": {"expected_payload": "output"}}},
        (*CHILD, "expected_payload"),
        "'output' is unknown here",
    ),
    (
        {"expected_child_agents": {"reader": {"expected_child_agents": {"a": {"expected_tool_calls": ["", "b"]}}}}},
        (*CHILD, "expected_child_agents", "a", "expected_tool_calls", 0),
        "a name must not be empty",
    ),
]


@pytest.mark.parametrize(("data", "path", "problem"), REFUSED, ids=range(len(REFUSED)))
def test_a_mistake_is_refused_with_the_path_to_it(data, path, problem):
    with pytest.raises(ExpectationError) as caught:
        Expectations.parse(data)

    assert caught.value.path == path
    assert problem in caught.value.problem


def test_the_error_names_the_place_as_it_would_be_written():
    with pytest.raises(
        ExpectationError, match=r"^expected_child_agents\.reader\.expected_tool_calls\[1\]: a name must not be empty$"
    ):
        Expectations.parse({"expected_child_agents": {"reader": {"expected_tool_calls": ["a", ""]}}})


def test_expectations_that_contain_themselves_are_refused():
    data: dict = {}
    data["expected_child_agents"] = {"reader": data}

    with pytest.raises(ExpectationError, match="it is nested too deeply"):
        Expectations.parse(data)


def test_what_was_read_can_be_asked_for():
    read = Expectations.parse(
        {
            "expected_result": "output.id == 1",
            "expected_tool_calls": ["a", {"b": "params.x == 1 and (context.y and invocations == 2)"}],
            "expected_tool_call_order": ["b", "a", "b"],
            "expected_no_tool_calls": ["c"],
            "expected_child_agents": {
                "reader": {"expected_triggered": 2, "expected_payload": "payload.x", "expected_result": "output"}
            },
        }
    )
    condition = read.tool_calls[1].condition
    child = read.child_agents[0]

    assert read.result is not None
    assert read.result.text == "output.id == 1"
    assert read.tool_names == ("a", "b", "b", "a", "b", "c")
    assert [[one.text for one in part] for part in (condition.filters, condition.gates, condition.counts)] == [
        ["params.x == 1"],
        ["context.y"],
        ["invocations == 2"],
    ]
    assert (child.name, child.triggered, child.payload.text, child.inside.result.text) == ("reader", 2, "payload.x", "output")
    assert (read.is_empty, Expectations.parse({}).is_empty) == (False, True)
