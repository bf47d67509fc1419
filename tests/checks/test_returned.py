"""What `result_of` finds by an index is what it would find by going through all results."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentassert import NOT_RECORDED
from agentassert.checks.paths import compile_path
from agentassert.checks.returned import Returned, found_at
from agentassert.checks.values import equal_or_text
from agentassert.patterns import execution_of, result_of
from tests.factories import execution

SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 2), st.sampled_from([0.0, 1.0, 1.5, "1", "1.0", " 1", "true", "True", "x", ""])
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2)
)
PATHS = st.sampled_from(["$", "$.a", "$.a.b", "$..a", "$[0]"]).map(compile_path)


def returned(*results):
    """The results of executions that ended one after another, at 1, 2, 3 and so on."""
    return Returned([execution("look", result=result, ended_order=place) for place, result in enumerate(results, 1)])


@given(st.lists(VALUES, max_size=6), VALUES, PATHS, st.integers(0, 8))
def test_nothing_is_missed_that_is_equal_in_either_direction(results, value, path, before):
    kept = returned(*results)
    alike = list(kept.alike(path, value, before=before))
    there = found_at(path, kept.before(before))
    assert all(any(one is other for other in there) for one in alike)
    equal = [one for one in there if equal_or_text(one, value) or equal_or_text(value, one)]
    assert all(any(one is other for other in alike) for one in equal)


def test_only_results_that_were_there_count():
    kept = returned({"id": 1}, NOT_RECORDED, {"id": 2})
    assert [[], [{"id": 1}], [{"id": 1}], [{"id": 1}, {"id": 2}]] == [kept.before(place) for place in (1, 2, 3, 4)]
    assert [] == Returned([execution("look", result="running", ended_order=None)]).before(9)
    by_id = compile_path("$.id")
    assert [[], [2]] == [list(kept.alike(by_id, 2, before=place)) for place in (3, 4)]
    assert [] == list(kept.alike(compile_path("$.no"), None, before=9))


def test_they_come_in_the_order_in_which_they_ended():
    late, early = (execution("look", result=place, ended_order=place) for place in (5, 2))
    assert [2, 5] == Returned([late, early]).before(9)


def test_results_that_came_at_the_same_moment_stay_as_they_are():
    same = [execution("look", result={"id": place}, ended_order=1) for place in (2, 1)]
    assert [{"id": 2}, {"id": 1}] == Returned(same).before(9)


def test_a_reference_takes_part_in_what_a_comparison_overlooks():
    class Results:
        def before(self, name):
            return [{"fee": 0.3, "tags": ["a", "b"]}]

        def alike(self, name, path, value):
            raise AssertionError("what is equal need not look alike here")

    tags = execution_of("pay", {"tags": result_of("look", "$.tags")}).ignoring_order().matcher
    fee = execution_of("pay", {"fee": result_of("look", "$.fee")}).with_tolerance(0.1).matcher
    assert tags.matches({"tags": ["b", "a"]}, Results())
    assert not tags.matches({"tags": ["b", "b"]}, Results())
    assert fee.matches({"fee": 0.35}, Results())
    assert not fee.matches({"fee": 0.5}, Results())
