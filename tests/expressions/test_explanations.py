"""How an expression that does not hold explains itself."""

from __future__ import annotations

import pytest

from agentassert import show_secrets
from agentassert.expressions import RESULT_NAMES, TOOL_NAMES, Expression


def explained(text, names=RESULT_NAMES, **values):
    verdict = Expression.parse(text, names).evaluate(values)
    assert not verdict.satisfied
    return verdict.explanation


@pytest.mark.parametrize(
    ("text", "output", "explanation"),
    [
        ("output.id == 10", {"id": 9}, "output.id was 9"),
        ("output.id == 1", {"id": True}, "output.id was True (bool)"),
        ("output.id == 10", {"id": "10"}, "output.id was '10'"),
        ("'hi' in output", "hello", "output was 'hello'"),
        ("output.a == 1 and output.b == 2 and output.c", {"a": 1, "b": 3, "c": 0}, "output.b was 3; output.c was 0"),
        ("output.a == 1 or output.b == 2", {"a": 2, "b": 3}, "output.a was 2; output.b was 3"),
        ("(output.a == 1 and output.b == 2) or output.a == 3", {"a": 1, "b": 3}, "output.a was 1; output.b was 3"),
        ("not output.a", {"a": 5}, "output.a was 5"),
        ("output.a == output.b", {"a": 1, "b": 2}, "output.a was 1; output.b was 2"),
        (
            "output.order.total > 3",
            {"order": {"id": 1, "items": []}},
            "output.order.total: output.order has no 'total'; it has 'id', 'items'",
        ),
        ("output.order.total > 3", {"id": 1}, "output.order.total: output has no 'order'; it has 'id'"),
        ("output.order.total > 3", {"order": {}}, "output.order.total: output.order has no 'total'; it is empty"),
        ("output.items[3].id == 1", {"items": [1, 2]}, "output.items[3].id: output.items has no 3; it is a list of 2 items"),
        (
            "output.items.id == 1",
            {"items": [1]},
            "output.items.id: output.items has no 'id'; it is a list of 1 item, which are read as [0]",
        ),
        ("output.items[0].id == 1", {"items": [5]}, "output.items[0].id: output.items[0] has no 'id'; it was 5"),
        ("output.a.b == 1", {"a": None}, "output.a.b: output.a has no 'b'; it was None"),
        ("output.a > 5", {"a": "12"}, "output.a was '12'; output.a > 5: text and a number have no order"),
        ("1 in output.a", {"a": "12"}, "output.a was '12'; 1 in output.a: a text cannot contain a number"),
        ("'a' in output.a", {"a": 12}, "output.a was 12; 'a' in output.a: a number contains nothing"),
        ("output.a < {1}", {"a": True}, "output.a was True; output.a < {1}: true or false and a set have no order"),
        ("output.a < null", {"a": {}}, "output.a was {}; output.a < null: an object and null have no order"),
    ],
)
def test_a_failing_expression_tells_what_it_looked_at(text, output, explanation):
    assert explained(text, output=output) == explanation


def test_a_count_is_told_as_it_was():
    assert explained("invocations == 1", TOOL_NAMES, invocations=2) == "invocations was 2"


def test_a_name_without_a_value_is_told_so():
    assert explained("result.id == 1", TOOL_NAMES) == "result.id: there is no 'result'"


def test_of_many_keys_the_first_are_told():
    told = explained("output.x == 1", output={f"k{number}": number for number in range(1_200)})

    assert told.endswith("it has 'k0', 'k1', 'k2', 'k3', 'k4', 'k5', 'k6', 'k7', 'k8', 'k9' and 1,190 more")
    assert explained("output.x == 1", output=dict.fromkeys(range(10))).endswith("it has 0, 1, 2, 3, 4, 5, 6, 7, 8, 9")


def test_long_values_are_cut_around_the_difference():
    told = explained("output == '" + "a" * 600 + "b" + "c" * 600 + "'", output="a" * 600 + "X" + "c" * 600)

    assert "aX" in told
    assert len(told) < 300


def test_secrets_are_masked_unless_they_are_asked_for():
    assert (
        explained("output.password == 'a'", output={"password": "hunter2"})
        == "output.password was '***' (a different value, masked)"
    )
    assert (
        explained("output.password.first == 'a'", output={"password": "hunter2"})
        == "output.password.first: output.password has no 'first'; it was '***'"
    )
    assert explained("not output.password", output={"password": "hunter2"}) == "output.password was '***'"
    assert "hunter2" not in explained("not output.password.first", output={"password": {"first": "hunter2"}})
    assert (
        explained("output.password.first.second == 'a'", output={"password": {"first": "hunter2"}})
        == "output.password.first.second: output.password.first has no 'second'; it was '***'"
    )
    assert "hunter2" not in explained("output == 1", output={"api_key": "hunter2"})
    with show_secrets():
        assert explained("output.password == 'a'", output={"password": "hunter2"}) == "output.password was 'hunter2'"


def test_each_path_is_told_once_and_a_long_expression_in_part():
    assert explained("output == 1 or output == 2", output=3) == "output was 3"
    many = " and ".join(f"output.a{number} == 1" for number in range(60))
    assert len(Expression.parse(many, RESULT_NAMES).evaluate({"output": {}}).reasons) == 20


def test_an_expression_that_holds_has_nothing_to_explain():
    assert Expression.parse("output == 1", RESULT_NAMES).evaluate({"output": 1}).explanation == ""


def test_an_expression_knows_the_names_that_it_looks_at():
    expression = Expression.parse('(status == "failed" or output.a.b) and 3 > context', RESULT_NAMES)

    assert expression.mentions("error", "status")
    assert not expression.mentions("error", "output_text")
    assert expression.keys_of("output") == {"a"}
    assert expression.numbers() == {3}
    assert [(one.text, one.column) for one in expression.conjuncts()] == [
        ('status == "failed" or output.a.b', 2),
        ("3 > context", 40),
    ]
