"""Which execution answers which pattern, when their order says nothing."""

from __future__ import annotations

import pytest

from agentassert.checks.bipartite import _Network, largest_flow
from agentassert.checks.pairing import can_cover, pair_executions
from agentassert.checks.returned import found_at
from agentassert.patterns import execution_of, result_of
from agentassert.records import ToolExecution


class Returned:
    def __init__(self, *results):
        self.results = results

    def before(self, name):
        return self.results

    def alike(self, name, path, value):
        return found_at(path, self.results)


def executions(*arguments, name="pay"):
    return [ToolExecution(id=str(number), name=name, arguments=one) for number, one in enumerate(arguments)]


def pay(arguments=None):
    return execution_of("pay", arguments)


def paired(patterns, ran):
    pairing = pair_executions(patterns, ran, lambda execution: Returned())
    taken = {there for there in pairing.partners if there is not None}
    assert pairing.unmatched_patterns == tuple(here for here, there in enumerate(pairing.partners) if there is None)
    assert pairing.unmatched_executions == tuple(there for there in range(len(ran)) if there not in taken)
    return pairing.partners


def test_each_pattern_is_paired_with_an_execution_that_it_matches():
    assert (1, 0) == paired([pay({"n": 1}), pay({"n": 2})], executions({"n": 2}, {"n": 1}))


def test_an_execution_answers_one_pattern_only():
    assert (0, None) == paired([pay({"n": 1})] * 2, executions({"n": 1}))
    assert (0,) == paired([pay({"n": 1})], executions({"n": 1}, {"n": 1}))
    assert (0, 1) == paired([pay({"n": 1}), pay({"n": 1})], executions({"n": 1}, {"n": 1}))


def test_a_general_pattern_leaves_an_execution_to_a_picky_one_however_they_are_listed():
    ran = executions({"n": 1}, {"n": 2})
    for patterns, partners in (([pay(), pay({"n": 1})], (1, 0)), ([pay({"n": 1}), pay()], (0, 1))):
        assert partners == paired(patterns, ran)
        assert tuple(1 - there for there in partners) == paired(patterns, ran[::-1])


def test_overlapping_patterns_are_paired_as_far_as_possible():
    patterns = [pay({"a": 1}), pay({"b": 1}), pay({"a": 1, "b": 1}), pay({"a": 1}).exactly()]
    ran = executions({"a": 1, "b": 1}, {"a": 1}, {"a": 2, "b": 1}, {"a": 1, "c": 1})
    assert (3, 2, 0, 1) == paired(patterns, ran)


def test_equal_patterns_that_others_stand_between_are_paired_each_with_its_own():
    patterns = [pay({"n": 1}), pay({"n": 2}), pay({"n": 1})]
    assert (0, 1, 2) == paired(patterns, executions({"n": 1}, {"n": 2}, {"n": 1}))
    assert (1, 0, 2) == paired(patterns, executions({"n": 2}, {"n": 1}, {"n": 1}))


def test_tools_are_kept_apart():
    ran = [*executions({"n": 1}, name="look"), *executions({"n": 1})]
    assert (1, 0, None) == paired([pay(), execution_of("look", {"n": 1}), execution_of("find")], ran)
    assert () == paired([], ran)
    assert (None,) == paired([pay()], [])


def test_arguments_that_did_not_parse_answer_only_patterns_for_any_arguments():
    assert (None, 0) == paired([pay({"n": 1}), pay()], executions(None))
    assert (None, None) == paired([pay(lambda arguments: True), pay().exactly()], executions(None))


def test_numbers_as_text_are_paired_as_they_match():
    assert (0, 1) == paired([pay({"n": 3}), pay({"n": "3"})], executions({"n": 3}, {"n": "3"}))
    assert (1, 0) == paired([pay({"n": "3"}), pay({"n": 3})], executions({"n": "3.0"}, {"n": "3"}))
    assert (None, 0) == paired([pay({"n": "3"}), pay({"n": 3})], executions({"n": 3}))
    assert (None, None) == paired([pay({"n": True}), pay({"n": 1, "m": 1})], executions({"n": 1}))
    assert (None, 0) == paired([pay({"a": "x", "b": 1}), pay({"a": "x", "b": 2})], executions({"a": "x", "b": 2}))
    assert (0,) == paired([pay({"n": True, "m": [1]})], executions({"n": "true", "m": [1.0]}))
    assert (None,) == paired([pay({"a": "x", "b": "3"})], executions({"a": "x", "b": 3}))
    assert (None,) == paired([pay({"a": "3", "b": "x"})], executions({"a": 3, "b": "x"}))


def test_an_exact_pattern_counts_the_arguments():
    ran = executions({"n": 1, "m": 2}, {"n": 1}, {})
    assert (1, 2) == paired([pay({"n": 1}).exactly(), pay().exactly()], ran)


def test_special_patterns_are_paired_with_the_others():
    patterns = [pay(lambda arguments: arguments["n"] > 1), pay({"n": 2}), pay({"tags": [1, 2]}).ignoring_order()]
    assert (2, 1, 0) == paired(patterns, executions({"n": 0, "tags": [2, 1]}, {"n": 2}, {"n": 3}))


def test_a_predicate_is_asked_once_for_each_execution():
    seen = []

    def note(arguments):
        seen.append(arguments["n"])
        return True

    pattern = pay(note)
    ran = executions({"n": 1}, {"n": 2}, {"n": 1})
    assert (0, 1) == paired([pattern, pattern], ran)
    assert not can_cover([pattern, pattern], ran, range(3), lambda execution: Returned())
    assert [1, 2, 1] == seen


def test_each_execution_has_results_of_its_own():
    ran = executions({"id": 5}, {"id": 5})
    results = {"0": Returned(), "1": Returned(5)}
    pairing = pair_executions([pay({"id": result_of("look")})], ran, lambda execution: results[execution.id])
    assert (1,) == pairing.partners


@pytest.mark.parametrize(
    ("patterns", "ran", "must", "covered"),
    [
        ([pay({"n": 1})], [{"n": 1}, {"n": 2}], [0], True),
        ([pay({"n": 1})], [{"n": 1}, {"n": 2}], [], True),
        ([pay({"n": 1})], [{"n": 1}, {"n": 2}], [1], False),
        ([pay({"n": 1})], [{"n": 1}, {"n": 1}], [1], True),
        ([pay({"n": 1})], [{"n": 1}, {"n": 1}], [0, 1], False),
        ([pay(), pay({"n": 1})], [{"n": 1}, {"n": 2}, {"n": 3}], [2], True),
        ([pay(), pay({"n": 1})], [{"n": 1}, {"n": 2}, {"n": 3}], [1, 2], False),
        ([pay({"n": 3})], [{"n": 1}], [], False),
        ([], [{"n": 1}], [], True),
        ([], [{"n": 1}], [0], False),
        ([pay({"a": 1}), pay({"b": 1})], [{"a": 1, "b": 1}, {"a": 1}, {"b": 1}], [0, 1], True),
    ],
)
def test_covering_takes_every_pattern_and_every_execution_that_must_be_paired(patterns, ran, must, covered):
    assert covered == can_cover(patterns, executions(*ran), must, lambda execution: Returned())
    assert covered == can_cover(patterns[::-1], executions(*ran), must, lambda execution: Returned())


def test_an_execution_that_no_pattern_names_cannot_be_covered():
    assert not can_cover([pay()], [*executions({}), *executions({}, name="look")], [1], lambda execution: Returned())


def test_a_long_chain_of_choices_is_followed_to_its_end():
    """Each pattern fits two executions, and all of them have to move for the last one."""
    count = 3000
    patterns = [pay({key: number}) for number in range(count) for key in ("a", "b")]
    ran = executions(*({"a": number, "b": number + 1} for number in range(-1, count)))
    partners = paired(patterns, ran)
    assert count + 1 == len([one for one in partners if one is not None])


@pytest.mark.parametrize("turn", [lambda patterns: patterns, lambda patterns: patterns[::-1]])
def test_many_patterns_are_paired_whichever_way_they_are_listed(turn):
    ran = executions(*({"n": number, "kind": "x"} for number in range(1000)))
    picky = [pay({"n": number}) for number in range(500)]
    assert (
        () == pair_executions(turn([*picky, *[pay({"kind": "x"})] * 500]), ran, lambda execution: Returned()).unmatched_patterns
    )


def test_the_largest_flow_respects_multiplicities():
    assert [(0, 0, 2), (0, 1, 1), (1, 1, 2)] == sorted(largest_flow([[0, 1], [1]], [3, 2], [2, 3]))
    assert [] == list(largest_flow([[0]], [0], [3]))
    assert [] == list(largest_flow([[0]], [3], [0]))
    assert [] == list(largest_flow([[], []], [1, 1], [1]))


def test_the_largest_flow_re_pairs_what_a_greedy_start_paired_wrongly():
    edges, supply, demand = [[1], [0, 2, 3], [1, 2], [0, 1]], [1, 2, 1, 2], [1, 2, 2, 1]
    network = _Network(edges, supply, demand)
    network.start_greedily()
    assert 1 == sum(network.supply)
    assert network.improve()
    assert 0 == sum(network.supply)
    assert 6 == sum(amount for _, _, amount in largest_flow(edges, supply, demand))


def test_a_way_through_many_nodes_is_found_without_a_greedy_start():
    count = 500
    network = _Network([[number, number + 1] for number in range(count)] + [[0]], [1] * (count + 1), [1] * (count + 1))
    while network.improve():
        pass
    assert 0 == sum(network.supply)


def test_equal_patterns_written_twice_ask_for_two_executions():
    patterns = [pay({"id": "3"}), pay({"id": "3"}), pay(), pay()]  # a number in a text, which a bucket does not decide

    pairing = pair_executions(patterns, executions({"id": "3"}, {"id": "3"}, {"id": "4"}), lambda execution: Returned())

    assert len(pairing.unmatched_patterns) == 1
    assert () == pairing.unmatched_executions
