"""Nested invocations, and the way to their chains."""

from __future__ import annotations

import pytest

from agentassert import AgentAssertionError, AmbiguousError, NotRecordedError, assert_that
from tests.factories import captured, execution, failed, invocation, message

NONE = "Tool executions: none"


def team():
    researcher = invocation("researcher", execution("search", {"q": "a"}), nested=[invocation("reader", execution("read"))])
    return captured(invocation("writer", execution("ask"), nested=[researcher, invocation("reader", execution("skim"))]))


def test_nested_invocations_are_found_at_any_depth_without_a_scope():
    chain = assert_that(team())

    assert chain.has_nested_invocation("researcher").has_nested_invocation("reader") is chain
    chain.has_nested_invocation_times("reader", 2).has_nested_invocation_times("researcher", 1)
    chain.has_nested_invocation_times("writer", 0)


@pytest.mark.parametrize(
    ("method", "arguments", "text"),
    [
        (
            "has_nested_invocation",
            ("critic",),
            "to have a nested invocation 'critic',\nbut its nested invocations are 'reader', 'researcher'.",
        ),
        ("has_nested_invocation_times", ("critic", 1), "to have 1 nested invocation 'critic',\nbut there are none."),
        ("has_nested_invocation_times", ("reader", 1), "to have 1 nested invocation 'reader',\nbut there are 2."),
        ("has_nested_invocation_times", ("researcher", 2), "to have 2 nested invocations 'researcher',\nbut there is 1."),
        (
            "nested_invocation",
            ("critic",),
            "to have one nested invocation 'critic',\nbut its nested invocations are 'reader', 'researcher'.",
        ),
        (
            "has_nested_invocation_satisfying",
            ("critic", lambda nested: True),
            "to have a nested invocation 'critic' that satisfies the requirement,\nbut its nested invocations are 'reader', 'researcher'.",
        ),
    ],
)
def test_what_is_nested_instead_is_shown(method, arguments, text):
    shown = message(getattr(assert_that(team()), method), *arguments)

    assert shown == f"Expected invocation 'writer' {text}\nTool executions:\n  [1] ask() -> 'ok'"


@pytest.mark.parametrize("method", ["has_nested_invocation", "nested_invocation"])
def test_an_invocation_without_nested_ones(method):
    assert "\nbut it has none." in message(getattr(assert_that(captured(invocation())), method), "critic")


def test_one_candidate_that_satisfies_the_requirement_is_enough():
    assert_that(team()).has_nested_invocation_satisfying("reader", lambda nested: nested.has_tool_executed("skim"))


def test_every_candidate_says_why_it_does_not_satisfy_the_requirement():
    def requirement(nested):
        nested.has_tool_executed("summarise")

    assert message(assert_that(team()).has_nested_invocation_satisfying, "reader", requirement) == (
        "Expected invocation 'writer' to have a nested invocation 'reader' that satisfies the requirement,\n"
        "but none of 2 does:\n"
        "  1. Expected invocation 'reader' to have executed 'summarise',\n"
        "     but it was never executed.\n"
        "     Tool executions:\n"
        "       [1] read() -> 'ok'\n"
        "  2. Expected invocation 'reader' to have executed 'summarise',\n"
        "     but it was never executed.\n"
        "     Tool executions:\n"
        "       [1] skim() -> 'ok'\n"
        "Tool executions:\n"
        "  [1] ask() -> 'ok'"
    )


@pytest.mark.parametrize(
    "requirement",
    [
        lambda nested: nested,
        lambda nested: nested.top_level_only(),
        lambda nested: nested.including_nested().described_as("flow"),
        lambda nested: assert_that(team()),
    ],
)
def test_a_requirement_that_asserts_nothing_is_a_mistake(requirement):
    with pytest.raises(TypeError, match="returned a chain on which nothing was asserted, so it checked nothing"):
        assert_that(team()).has_nested_invocation_satisfying("reader", requirement)


@pytest.mark.parametrize(
    "requirement",
    [
        lambda nested: nested.has_nested_invocation("reader").top_level_only(),
        lambda nested: nested.top_level_only().nested_invocation("reader"),
        lambda nested: nested.output(),
    ],
)
def test_a_requirement_may_end_after_an_assertion_or_a_navigation(requirement):
    cap = captured(invocation("writer", nested=[invocation("researcher", nested=[invocation("reader")])]))

    assert_that(cap).has_nested_invocation_satisfying("researcher", requirement)


def test_an_only_candidate_that_is_not_accepted():
    shown = message(assert_that(team()).has_nested_invocation_satisfying, "researcher", lambda nested: False)

    assert "\nbut the only one does not:\n  1. it was not accepted\n" in shown


def test_a_requirement_on_a_candidate_with_nested_invocations_needs_a_scope():
    with pytest.raises(AmbiguousError, match="including_nested"):
        assert_that(team()).has_nested_invocation_satisfying("researcher", lambda nested: nested.has_tool_executed("search"))


def test_the_chain_of_a_nested_invocation_has_its_own_scope_and_gate():
    cap = captured(invocation("writer", nested=[failed("reader", execution("read"))]))

    chain = assert_that(cap).including_nested().nested_invocation("reader")
    assert "\nbut it failed with TimeoutError: no answer." in message(chain.has_tool_executed, "read")
    chain.has_failed_with(TimeoutError).has_tool_executed("read")
    assert_that(cap).nested_invocation("reader").has_tool_executed("read")


def test_the_scope_is_not_carried_over():
    with pytest.raises(AmbiguousError, match="Invocation 'researcher' has the nested invocations 'reader'"):
        assert_that(team()).including_nested().nested_invocation("researcher").has_tool_executed("search")


def test_the_description_is_carried_over():
    chain = assert_that(team()).described_as("flow").nested_invocation("researcher").top_level_only()

    assert message(chain.has_tool_executed, "x").startswith("[flow] Expected invocation 'researcher' to have executed 'x',")


def test_marks_are_shared_with_the_invocation_above():
    cap = team()
    assert_that(cap).nested_invocation("researcher").including_nested().has_tool_executed("search").has_tool_executed("read")

    assert "\nbut 2 executions were not checked before" in message(
        assert_that(cap).including_nested().has_no_more_tool_executions
    )


def test_several_nested_invocations_of_a_name_are_ambiguous():
    with pytest.raises(AmbiguousError) as caught:
        assert_that(team()).nested_invocation("reader")

    assert str(caught.value) == (
        "Expected invocation 'writer' to have one nested invocation 'reader',\n"
        "but there are 2.\n"
        "Use has_nested_invocation_satisfying(name, requirement), or assert_that(…) one of `nested_invocations`.\n"
        "Tool executions:\n"
        "  [1] ask() -> 'ok'"
    )


def test_an_invocation_taken_from_the_capture_has_a_chain_of_its_own():
    cap = team()

    assert_that(cap.invocation.nested_invocations[1]).has_tools_executed_exactly_in_order("skim")


def test_a_failed_invocation_passes_none_of_these():
    cap = captured(failed("writer", nested=[invocation("reader")]))

    assert "\nbut it failed with" in message(assert_that(cap).has_nested_invocation, "reader")
    assert "\nbut it failed with" in message(assert_that(cap).nested_invocation, "reader")


@pytest.mark.parametrize(
    ("method", "arguments", "error", "text"),
    [
        ("has_nested_invocation", ("",), ValueError, "has_nested_invocation: name must not be empty"),
        (
            "has_nested_invocation_times",
            ("a", 1.5),
            TypeError,
            "has_nested_invocation_times: n must be a whole number, but was 1.5",
        ),
        ("nested_invocation", (None,), TypeError, "nested_invocation: name must be a string, but was None"),
        (
            "has_nested_invocation_satisfying",
            ("a", {"q": 1}),
            TypeError,
            "has_nested_invocation_satisfying: the requirement must be a function, but was {'q': 1}",
        ),
        (
            "has_nested_invocation_satisfying",
            ("a", bool),
            TypeError,
            "has_nested_invocation_satisfying: the requirement must be a function, but was <class 'bool'>",
        ),
    ],
)
def test_a_mistake_in_the_test_is_told(method, arguments, error, text):
    with pytest.raises(error) as caught:
        getattr(assert_that(team()), method)(*arguments)

    assert str(caught.value).startswith(text)


def test_what_a_requirement_cannot_know_is_not_a_mismatch():
    with pytest.raises(NotRecordedError):
        assert_that(team()).has_nested_invocation_satisfying("reader", lambda nested: nested.has_no_retrieved_sources())


def test_fields_of_a_failure_say_how_many_there_were():
    with pytest.raises(AgentAssertionError) as caught:
        assert_that(team()).has_nested_invocation_times("reader", 1)

    assert (caught.value.expected, caught.value.actual) == (1, 2)
