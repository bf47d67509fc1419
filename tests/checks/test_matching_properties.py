"""What holds for all values: the decision, the explanation and the keys agree, and so do the pairing and brute force."""

from __future__ import annotations

import copy
import itertools

from dirty_equals import IsInt
from hypothesis import example, given, settings
from hypothesis import strategies as st

from agentassert.checks.arguments import compile_arguments
from agentassert.checks.bipartite import _Network, largest_flow
from agentassert.checks.differences import between
from agentassert.checks.expectations import prepare
from agentassert.checks.leaves import STRICT, Comparison
from agentassert.checks.pairing import can_cover, pair_executions
from agentassert.checks.values import canonical, coarse, equal, equal_or_text, unpaired
from agentassert.patterns import execution_of
from agentassert.records import ToolExecution

LAST = 2**53

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from([0, 1, 2, LAST, LAST + 1, 10**400]),
    st.sampled_from([0.0, -0.0, 1.0, 1.5, float(LAST), float("inf"), float("nan")]),
    st.sampled_from(["", "0", "1", "1.0", " 1", "true", "True", "false", "nan", "a", "A"]),
)
json_values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["a", "b", "__c"]), inner, max_size=3)),
    max_leaves=6,
)
comparisons = st.sampled_from([STRICT, Comparison(any_order=True), Comparison(tolerance=0.5), Comparison(True, 0.5)])


@st.composite
def similar_values(draw):
    """Two values that are often equal, and else differ in a place or two."""
    value = draw(json_values)
    return value, draw(st.one_of(st.just(copy.deepcopy(value)), json_values, changed(value)))


def changed(value):
    if isinstance(value, list) and value:
        return st.one_of(
            st.permutations(value),
            st.just(value[1:]),
            changed(value[0]).map(lambda first: [first, *value[1:]]),
        )
    if isinstance(value, dict) and value:
        key = next(iter(value))
        return st.one_of(
            st.just({name: value[name] for name in value if name != key}),
            changed(value[key]).map(lambda item: {**value, key: item}),
        )
    return json_values


@given(similar_values(), comparisons)
@example((True, 1), STRICT)
@example(([1, [True]], [1, [1]]), STRICT)
@example(({"a": LAST + 1}, {"a": float(LAST)}), STRICT)
@settings(max_examples=150, deadline=None)
def test_deepdiff_finds_a_difference_exactly_where_the_comparison_decides_against(pair, comparison):
    expected, actual = pair
    if equal(expected, actual, comparison):
        # Asked all the same, it has to agree; it is asked about an enclosing value, as it would be for a neighbour's sake.
        assert ["$.y"] == [one.path for one in between({"x": expected, "y": 1}, {"x": actual, "y": 2}, "$", comparison)]
    else:
        differences = between(expected, actual, "$", comparison)
        assert differences
        assert all(one.path.startswith("$") for one in differences)


@given(
    st.dictionaries(st.sampled_from(["a", "b", "$.a", "$.a.b", "$.a[*].b", "$..b"]), json_values, max_size=3),
    st.dictionaries(st.sampled_from(["a", "b", "c"]), json_values, max_size=3),
    st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_there_are_differences_if_and_only_if_the_arguments_do_not_match(expected, arguments, exactly):
    if not expected or (exactly and "$..b" in expected):
        return
    matcher = compile_arguments(expected, exactly=exactly)
    assert matcher.matches(arguments) == (matcher.differences(arguments) == ())


@given(similar_values())
@settings(max_examples=150, deadline=None)
def test_arguments_taken_from_an_execution_match_it_and_keys_tell_others_apart(pair):
    value, other = pair
    matcher = compile_arguments({"a": value})
    assert matcher.matches({"a": value, "b": other})
    assert matcher.matches({"a": other}) == equal_or_text(value, other)
    assert (matcher.key == compile_arguments({"a": other}).key) == equal(value, other)


@given(similar_values())
@example((float("nan"), float("nan")))
@settings(max_examples=150, deadline=None)
def test_keys_agree_with_equality(pair):
    one, other = pair
    assert equal(one, other) == equal(other, one) == (canonical(one) == canonical(other))
    assert equal(prepare(one), other) == equal(one, other)
    if equal(one, other):
        assert hash(canonical(one)) == hash(canonical(other))
    if equal_or_text(one, other):
        assert coarse(one) == coarse(other)


@given(st.lists(scalars, max_size=4), st.lists(scalars, max_size=4), st.sampled_from([None, 0.5]))
@settings(max_examples=100, deadline=None)
def test_what_is_left_of_two_lists_is_the_least_possible(expected, actual, tolerance):
    comparison = Comparison(any_order=True, tolerance=tolerance)
    missing, unexpected = unpaired(expected, actual, comparison)
    longer, shorter = (expected, actual) if len(expected) > len(actual) else (actual, expected)
    best = max(
        sum(equal(one, other, comparison) for one, other in zip(shorter, order, strict=False))
        for order in itertools.permutations(longer)
    )
    assert (len(expected) - best, len(actual) - best) == (len(missing), len(unexpected))


def most_pairs(edges, units):
    """The size of the largest pairing, by trying every choice: `edges` for each unit of the left side."""
    if not edges:
        return 0
    return max(
        most_pairs(edges[1:], units),
        *(1 + most_pairs(edges[1:], units - {right}) for right in units if right[0] in edges[0]),
        0,
    )


@st.composite
def networks(draw):
    rights = draw(st.integers(0, 4))
    edges = draw(st.lists(st.lists(st.integers(0, max(rights - 1, 0)), unique=True, max_size=rights), max_size=3))
    amounts = st.integers(0, 2)
    return edges, [draw(amounts) for _ in edges], [draw(amounts) for _ in range(rights)]


def improved_only(edges, supply, demand):
    """What the augmenting paths find by themselves: after the greedy start there is seldom anything left for them."""
    network = _Network(edges, supply, demand)
    while network.improve():
        pass
    return [(left, right, amount) for left, amounts in enumerate(network.flow) for right, amount in amounts.items()]


@given(networks(), st.sampled_from([largest_flow, improved_only]))
@example(([[1], [0, 2, 3], [1, 2], [0, 1]], [1, 2, 1, 2], [1, 2, 2, 1]), largest_flow)
@example(([[0, 1], [0]], [2, 1], [2, 1]), improved_only)
@example(([[1, 0], [1]], [2, 2], [1, 2]), improved_only)
@example(([[0], [3, 2, 1], [2, 0, 3], [2, 0, 3]], [1, 1, 3, 3], [1, 2, 3, 1]), improved_only)
@settings(max_examples=150, deadline=None)
def test_no_flow_is_larger_than_the_largest(network, algorithm):
    edges, supply, demand = network
    flow = list(algorithm(edges, supply, demand))
    assert all(amount > 0 and right in edges[left] for left, right, amount in flow)
    assert len(flow) == len({(left, right) for left, right, _ in flow})
    for side, limits in ((0, supply), (1, demand)):
        assert all(sum(one[2] for one in flow if one[side] == node) <= limit for node, limit in enumerate(limits))
    lefts = [edges[left] for left, amount in enumerate(supply) for _ in range(amount)]
    units = frozenset((right, unit) for right, amount in enumerate(demand) for unit in range(amount))
    assert most_pairs(lefts, units) == sum(amount for _, _, amount in flow)


small = st.sampled_from([1, 2, "1", True, 1.0])
argument_mappings = st.dictionaries(st.sampled_from("ab"), small, min_size=1)
patterns_to_pair = st.one_of(
    st.sampled_from([execution_of("t"), execution_of("u")]),
    st.builds(execution_of, st.sampled_from("tu"), argument_mappings),
    st.builds(lambda given: execution_of("t", given).exactly(), argument_mappings),
    st.builds(lambda given: execution_of("t", given).ignoring_order(), argument_mappings),
    st.just(execution_of("t", {"a": IsInt()})),
    st.just(execution_of("t").exactly()),
)
executions_to_pair = st.builds(
    lambda name, given: ToolExecution(id="", name=name, arguments=given),
    st.sampled_from("tuv"),
    st.one_of(st.none(), st.just({}), argument_mappings),
)


def fits(pattern, execution):
    return pattern.name == execution.name and (pattern.matcher is None or pattern.matcher.matches(execution.arguments))


@given(st.lists(patterns_to_pair, max_size=5), st.lists(executions_to_pair, max_size=5), st.sets(st.integers(0, 4)))
@settings(max_examples=200, deadline=None)
def test_pairing_agrees_with_brute_force(patterns, executions, must):
    pairing = pair_executions(patterns, executions, lambda execution: None)
    pairs = [(here, there) for here, there in enumerate(pairing.partners) if there is not None]
    assert all(fits(patterns[here], executions[there]) for here, there in pairs)
    assert len(pairs) == len({there for _, there in pairs})
    choices = list(all_pairings(patterns, executions))
    assert max(map(len, choices)) == len(pairs)
    wanted = {there for there in must if there < len(executions)}
    possible = any(len(choice) == len(patterns) and wanted <= choice for choice in choices)
    assert possible == can_cover(patterns, executions, wanted, lambda execution: None)


def all_pairings(patterns, executions, taken=frozenset()):
    """The executions that are taken in every possible pairing, partial ones included."""
    if not patterns:
        yield taken
        return
    yield from all_pairings(patterns[1:], executions, taken)
    for there, execution in enumerate(executions):
        if there not in taken and fits(patterns[0], execution):
            yield from all_pairings(patterns[1:], executions, taken | {there})
