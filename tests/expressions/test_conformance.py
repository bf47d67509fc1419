"""The small conformance vectors of the specification, as data."""

from __future__ import annotations

import pytest

from agentassert import assert_that
from agentassert.expressions import Expectations, unmet
from tests.factories import captured, execution, failed, invocation, message

TOOLS = [
    execution("add", {"a": 4, "b": 6}),
    execution("look", {"id": "x"}),
    execution("add", {"a": 7, "b": 8}),
    execution("send", {"to": "c"}),
]


def calls(entry):
    return {"expected_tool_calls": [entry]}


def order(*names):
    return {"expected_tool_call_order": list(names)}


def result(text):
    return {"expected_result": text}


def child(**expected):
    return {"expected_child_agents": {"reader": expected}}


def agent(**fields):
    return invocation("support", *TOOLS, **fields)


def parent(*children):
    return invocation("support", nested=children)


def reader(output, *, awaited=True):
    return invocation("reader", output=output, input={"id": output}, awaited=awaited)


FAILED = failed("support", error=ValueError("missing vendor"))
ANSWER = agent(output='{"id": 10}', output_text='{"id": 10}')
VECTORS = [
    (agent(), calls("add"), None),
    (agent(), calls({"add": "invocations == 1"}), "invocations was 2"),
    (agent(), calls({"add": "invocations == 1 and params.a == 4"}), None),
    (agent(), calls({"add": "params.a == 9"}), "none of its executions matched"),
    (agent(), calls({"add": "params.a == 9 and invocations == 0"}), None),
    (agent(), calls({"gone": "invocations == 0"}), None),
    (agent(), order("look", "send"), None),
    (agent(), order("add", "add"), None),
    (agent(), order("add", "look", "add"), None),
    (agent(), order("send", "look"), "after [4] send 'look' did not start"),
    (agent(), order("add", "add", "add"), "after [3] add 'add' did not start"),
    (agent(), {"expected_no_tool_calls": ["send"]}, "it had 1 execution of 'send'"),
    (FAILED, result("output == null"), "agent error: missing vendor"),
    (FAILED, result('status == "failed" and "missing vendor" in error'), None),
    (agent(), result('"x" in error'), "error was None"),
    (ANSWER, result("output.id == 10"), None),
    (ANSWER, result('output.nope != "y"'), "output.nope: output has no 'nope'; it has 'id'"),
    (parent(reader("a"), reader("b")), child(expected_result='output == "b"'), None),
    (parent(reader("a", awaited=False)), child(expected_result='output == "a"'), "Let the agent wait for the response"),
    (parent(reader("a", awaited=False)), child(expected_payload='payload.id == "a"'), None),
]


@pytest.mark.parametrize(("recorded", "expected", "why"), VECTORS, ids=range(len(VECTORS)))
def test_a_vector_of_the_specification_comes_out_as_it_says(recorded, expected, why):
    cap = captured(recorded)
    failures = unmet(cap.invocation, Expectations.parse(expected))

    assert len(failures) == (0 if why is None else 1)
    if why is None:
        assert_that(cap).meets(**expected)
    else:
        assert why in message(assert_that(cap).meets, **expected)
        assert why in failures[0].text("it")
