"""What the recording does not decide: a check passes or fails only if it would for every way in which things could have gone.

The oracle evaluates each check in every possible world, where each execution of unknown outcome succeeded or failed, each stray
belongs to the invocation or does not, and each request that nothing answered ran or did not. What is inferred ran at any time between
the response that asked for it and the request that sent its result.
"""

from __future__ import annotations

import itertools

import attrs
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from agentassert import AmbiguousError, NotRecordedError, Outcome, assert_that, execution_of, result_of
from agentassert.checks.view import View
from tests.factories import CANCELLED, FAILED, UNFINISHED, UNKNOWN, captured, execution, invocation, strays, unanswered

CHECKS = {
    "none at all": lambda chain: chain.has_no_tool_executions(),
    "none of a": lambda chain: chain.has_no_tool_executions("a"),
    "a": lambda chain: chain.has_tool_executed("a"),
    "a once": lambda chain: chain.has_tool_executed_times("a", 1),
    "a never": lambda chain: chain.has_tool_executed_times("a", 0),
    "a at least twice": lambda chain: chain.has_tool_executed_times_at_least("a", 2),
    "a at most once": lambda chain: chain.has_tool_executed_times_at_most("a", 1),
    "a with 1": lambda chain: chain.has_tool_executed_with("a", {"n": 1}),
    "a with a predicate": lambda chain: chain.has_tool_executed_with("a", lambda arguments: arguments["n"] == 1),
    "b with a result of a": lambda chain: chain.has_tool_executed_with("b", {"n": result_of("a")}),
    "a failed": lambda chain: chain.has_tool_execution_failed("a"),
    "a cancelled": lambda chain: chain.has_tool_execution_cancelled("a"),
    "none failed": lambda chain: chain.has_no_failed_tool_executions(),
    "a, b": lambda chain: chain.has_tools_executed_in_order("a", "b"),
    "a with 1, a": lambda chain: chain.has_tools_executed_in_order(execution_of("a", {"n": 1}), "a"),
    "a, b with its result": lambda chain: chain.has_tools_executed_in_order("a", execution_of("b", {"n": result_of("a")})),
    "exactly a": lambda chain: chain.has_tools_executed_exactly_in_order("a"),
    "exactly a, b": lambda chain: chain.has_tools_executed_exactly_in_order("a", "b"),
    "exactly a with 1, a": lambda chain: chain.has_tools_executed_exactly_in_order(execution_of("a", {"n": 1}), "a"),
    "exactly a and b": lambda chain: chain.has_tools_executed_exactly_in_any_order("b", "a"),
    "exactly b with a result of a and a": lambda chain: chain.has_tools_executed_exactly_in_any_order(
        execution_of("b", {"n": result_of("a")}), "a"
    ),
    "exactly two a": lambda chain: chain.has_tools_executed_exactly_in_any_order("a", execution_of("a", {"n": 1})),
    "a before b": lambda chain: chain.has_tool_finished_before("a", "b"),
    "nothing repeated": lambda chain: chain.has_no_repeated_tool_executions(),
    "nothing unchecked": lambda chain: chain.has_no_more_tool_executions(),
}
MARKING = {
    "a": [execution("a", {"n": 1})],
    "a with 1": [execution("a", {"n": 1})],
    "a at most once": [],
    "a failed": [execution("a", {"n": 1}, error="no")],
    "a, b": [execution("a", {"n": 1}), execution("b", {"n": 1})],
    "a before b": [execution("a", {"n": 1}), execution("b", {"n": 1})],
}
"""Checks that mark something, with executions for which they pass."""
RUNS = st.builds(
    lambda name, n, outcome, inferred: execution(
        name,
        {"n": n},
        n,
        outcome=outcome,
        error="no" if outcome is FAILED else None,
        inferred=inferred and outcome is not CANCELLED,
    ),
    st.sampled_from("ab"),
    st.sampled_from([1, 2]),
    st.sampled_from([Outcome.SUCCEEDED, Outcome.SUCCEEDED, UNKNOWN, UNKNOWN, FAILED, CANCELLED]),
    st.booleans(),
) | st.builds(lambda name, n: unanswered(name, {"n": n}), st.sampled_from("ab"), st.sampled_from([1, 2]))


@st.composite
def recorded(draw, first=(), most=3):
    """Executions in the order in which they started, and which of them are strays; some overlap the one that follows."""
    runs = [*first, *draw(st.lists(RUNS, max_size=most))]
    lengths = [1 if place < len(first) else draw(st.sampled_from([1, 3])) for place in range(len(runs))]
    placed = [
        attrs.evolve(
            one,
            id=f"t{place}",
            started_order=10 + 2 * place,
            ended_order=None if one.outcome is UNKNOWN and one.result is None else 10 + 2 * place + length,
        )
        for place, (one, length) in enumerate(zip(runs, lengths, strict=True))
    ]
    return placed, [place >= len(first) and draw(st.integers(0, 2)) == 0 for place in range(len(runs))]


def capture_of(runs, are_strays):
    own = [one for one, is_stray in zip(runs, are_strays, strict=True) if not is_stray]
    other = [one for one, is_stray in zip(runs, are_strays, strict=True) if is_stray]
    return captured(invocation("support", *own), strays=strays(*other) if other else None)


def worlds(runs, are_strays, timed):
    """The captures of everything that may have happened; of what is inferred also at any time, where that matters."""

    def ways(one, is_stray):
        outcomes = [Outcome.SUCCEEDED, FAILED] if one.outcome is UNKNOWN else [one.outcome]
        known = [attrs.evolve(one, outcome=outcome) for outcome in outcomes]
        if one.inferred:
            times = every_time(one) if timed else [(one.started_order, one.ended_order)]
            known = [
                attrs.evolve(way, inferred=False, started_order=start, ended_order=end) for way in known for start, end in times
            ]
        return [*known, None] if is_stray or one.may_not_have_run else known

    for world in itertools.product(*map(ways, runs, are_strays)):
        present = [one for one in world if one is not None]
        yield capture_of(present, [False] * len(present))


def every_time(inferred):
    """At once, at last, and all the time between."""
    first, last = inferred.started_order, inferred.ended_order or 1000
    return (first, first), (last, last), (first, last)


def verdict(cap, *checks):
    chain = assert_that(cap)
    try:
        for check in checks:
            check(chain)
    except (NotRecordedError, AmbiguousError):
        return "undecided"
    except AssertionError:
        return "fails"
    return "passes"


def decided_by_every_world(recording, *checks):
    verdicts = {verdict(world, *checks) for world in worlds(*recording, timed=CHECKS["a before b"] in checks)}
    return verdicts.pop() if len(verdicts) == 1 else "undecided"


@pytest.mark.parametrize("name", CHECKS)
@settings(max_examples=40, deadline=None)
@given(recorded())
def test_a_check_decides_exactly_what_every_possible_world_agrees_on(name, recording):
    assert verdict(capture_of(*recording), CHECKS[name]) == decided_by_every_world(recording, CHECKS[name])


@pytest.mark.parametrize("name", MARKING)
@settings(max_examples=30, deadline=None)
@given(st.data())
def test_what_is_unchecked_after_a_check_is_decided_by_every_possible_world_too(name, data):
    recording = data.draw(recorded(MARKING[name], most=3))
    assume(verdict(capture_of(*recording), CHECKS[name]) == "passes")
    checks = CHECKS[name], CHECKS["nothing unchecked"]

    assert verdict(capture_of(*recording), *checks) == decided_by_every_world(recording, *checks)


@pytest.mark.parametrize(
    ("check", "expected"),
    [
        ("a", "to have executed 'a'"),
        ("a once", "to have executed 'a' successfully exactly once"),
        ("a with 1", "to have executed 'a' with {'n': 1}"),
        ("a failed", "to have had a failed execution of 'a'"),
        ("none failed", "to have no failed tool execution"),
        ("exactly a", "to have executed exactly, in order, 'a'"),
    ],
)
def test_an_undecided_check_says_what_it_depends_on_and_how_to_settle_it(check, expected):
    with pytest.raises(NotRecordedError) as caught:
        CHECKS[check](assert_that(captured(invocation("support", execution("a", {"n": 1}, outcome=UNKNOWN)))))

    assert str(caught.value) == (
        f"Expected invocation 'support' {expected},\n"
        "but that depends on 1 execution of 'a' whose outcome was not reported.\n"
        "The result alone does not say whether it means success. "
        "Decorate the function with `@record.tool` to have its outcome recorded, "
        'or say by `capture(unreported_tools="succeeded")` that a result means success.\n'
        "Tool executions:\n"
        "  [1] a(n=1) -> 'ok' (outcome not reported)"
    )


def test_an_undecided_pair_names_both_tools():
    cap = captured(invocation("support", execution("a", outcome=UNKNOWN), execution("b", outcome=UNKNOWN)))

    with pytest.raises(NotRecordedError, match="\nbut that depends on 2 executions of 'a', 'b' whose outcome was not reported"):
        CHECKS["a, b"](assert_that(cap))


def test_a_result_that_may_not_have_been_there_decides_nothing():
    cap = captured(invocation("support", execution("a", {"n": 1}, 1, outcome=UNKNOWN), execution("b", {"n": 1})))

    with pytest.raises(NotRecordedError, match="\nbut that depends on 1 execution of 'a' whose outcome was not reported"):
        CHECKS["b with a result of a"](assert_that(cap))


def test_the_closest_execution_may_be_one_of_unknown_outcome():
    cap = captured(invocation("support", execution("a", {"n": 2}, outcome=UNKNOWN)))

    with pytest.raises(AssertionError, match=r"Closest:\n  \[1\] a\(n=2\)\n      \$\.n: expected 1, was 2"):
        CHECKS["a with 1"](assert_that(cap))


def test_a_count_that_is_out_of_reach_fails():
    runs = execution("a"), execution("a", outcome=UNKNOWN)

    with pytest.raises(AssertionError, match=r"successfully exactly 3 times,\nbut it did 1 to 2 times \(1 unknown\)\."):
        assert_that(captured(invocation("support", *runs))).has_tool_executed_times("a", 3)


def test_what_is_repeated_for_certain_is_so_whatever_came_before():
    cap = captured(invocation("support", unanswered("pay", {"n": 1}), execution("pay", {"n": 1}), execution("pay", {"n": 1})))

    with pytest.raises(AssertionError, match="\nbut 1 execution repeated an earlier one"):
        assert_that(cap).has_no_repeated_tool_executions()


def test_only_what_a_check_is_about_is_said_to_be_unknown():
    cap = captured(invocation("support", execution("pay", outcome=UNKNOWN), execution("look", outcome=UNKNOWN)))

    with pytest.raises(NotRecordedError, match="\nbut that depends on 1 execution of 'pay' whose outcome was not reported"):
        assert_that(cap).has_tool_executed("pay")


def test_or_what_it_refers_to():
    cap = captured(invocation("support", execution("look", {}, 7, outcome=UNKNOWN), execution("pay", {"n": 7})))

    with pytest.raises(NotRecordedError, match="\nbut that depends on 1 execution of 'look' whose outcome was not reported"):
        assert_that(cap).has_tool_executed_with("pay", {"n": result_of("look")})


def test_what_may_not_belong_there_is_told_first_and_then_what_still_runs():
    pay, look = execution("pay", outcome=UNKNOWN, id="a"), execution("look", outcome=UNFINISHED, id="b")
    mail = execution("mail", id="c")
    found = {
        own: View(
            subject="it", invocations=(invocation("support", pay, look),), strays=None if own else strays(mail), is_open=True
        )
        .undecided("to", [pay, look, mail])
        .found
        for own in (True, False)
    }

    assert found == {
        True: "but that depends on 1 execution of 'look' that has not ended",
        False: "but that depends on 1 execution of 'mail' recorded outside every invocation",
    }
