"""The pairing of lines, and the modes, agree with brute force."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentassert.snapshots import matching as module
from agentassert.snapshots.comparing import MODES, matching, shape
from agentassert.snapshots.matching import Item, TooManyAttemptsError, embedded
from agentassert.snapshots.reading import read
from agentassert.snapshots.telling import told
from agentassert.snapshots.trajectory import nodes, slots
from agentassert.snapshots.writing import written
from tests.snapshots.trajectories import similar_forests

items = st.builds(
    Item, st.sampled_from(["look", "pay"]), st.tuples(st.sampled_from([None, 1, 2, 3]), st.sampled_from([None, 1, 2, 3]))
)


def fits(pairs):
    """Whether labels stand for each other one to one."""
    pairs = {(one, other) for one, other in pairs if one is not None and other is not None}
    return len({one for one, _ in pairs}) == len(pairs) == len({other for _, other in pairs})


def answers(small, large, chosen):
    return all(one.shape == large[there].shape for one, there in zip(small, chosen, strict=True)) and fits(
        pair for one, there in zip(small, chosen, strict=True) for pair in zip(one.labels, large[there].labels, strict=True)
    )


@settings(max_examples=200, deadline=None)
@given(st.lists(items, max_size=4), st.lists(items, max_size=5))
def test_lines_are_paired_when_brute_force_finds_a_pairing(small, large):
    found = embedded(small, large)
    by_force = any(answers(small, large, chosen) for chosen in itertools.permutations(range(len(large)), len(small)))
    assert (found is not None) == by_force
    if found is not None:
        assert len(set(found)) == len(found)
        assert answers(small, large, found)


def flattened(groups):
    """Each node with the position of the one that it lies in, its depth, and its place among its siblings."""
    found, above = [], []
    for node, depth in nodes(groups):
        del above[depth:]
        found.append((node, above[-1] if above else None, depth))
        above.append(len(found) - 1)
    return found


def oracle(small, large):
    """Whether the nodes of one trajectory can be found in another one, each below the one that its own parent was found as."""
    few, many = flattened(small), flattened(large)
    for chosen in itertools.permutations(range(len(many)), len(few)):
        alike = all(
            shape(node, depth) == shape(many[there][0], many[there][2])
            and (None if parent is None else chosen[parent]) == many[there][1]
            for (node, parent, depth), there in zip(few, chosen, strict=True)
        )
        if alike and fits(
            (one.label, other.label)
            for (node, _, _), there in zip(few, chosen, strict=True)
            for one, other in zip(slots(node), slots(many[there][0]), strict=True)
        ):
            return True
    return False


def in_order(one, other):
    """Whether two trajectories without groups are the same line by line."""
    left, right = flattened(one), flattened(other)
    return (
        len(left) == len(right)
        and all(
            shape(node, depth) == shape(twin, level) and parent == above
            for (node, parent, depth), (twin, above, level) in zip(left, right, strict=True)
        )
        and fits(
            (a.label, b.label)
            for (node, _, _), (twin, _, _) in zip(left, right, strict=True)
            for a, b in zip(slots(node), slots(twin), strict=True)
        )
    )


def small_enough(pair):
    return all(len(flattened(one)) <= 6 for one in pair)


@settings(max_examples=80, deadline=None)
@given(similar_forests().filter(small_enough))
def test_every_mode_agrees_with_brute_force(pair):
    expected, actual = pair
    same_size = len(flattened(expected)) == len(flattened(actual))
    assert (matching(expected, actual, "superset") is not None) == oracle(expected, actual)
    assert (matching(expected, actual, "subset") is not None) == oracle(actual, expected)
    assert (matching(expected, actual, "unordered") is not None) == (same_size and oracle(expected, actual))
    assert (matching(expected, actual, "strict") is not None) == in_order(expected, actual)


@settings(max_examples=80, deadline=None)
@given(similar_forests())
def test_a_file_says_the_same_as_what_was_written(pair):
    expected, actual = pair
    kept = read(written(expected), "a.trajectory")
    assert written(kept) == written(expected)
    for mode in MODES:
        assert (matching(kept, actual, mode) is None) == (matching(expected, actual, mode) is None)


@settings(max_examples=80, deadline=None)
@given(similar_forests(), st.sampled_from(MODES))
def test_what_does_not_match_is_told(pair, mode):
    expected, actual = pair
    if matching(expected, actual, mode) is None:
        assert any(line.startswith(("-", "+")) for line in told(expected, actual, mode).lines)


@pytest.mark.parametrize("other", [(5_000, True), (4_999, False)])
def test_ten_thousand_lines_that_are_alike_are_paired_by_their_values(other):
    count, is_whole = other
    small = [Item(name, (number,)) for name in ("look", "pay") for number in range(5_000)]
    large = [Item(name, (-number,)) for name in ("pay", "look") for number in reversed(range(1, count + 1))]
    assert (embedded(small, large) is not None) == is_whole


def test_a_question_that_takes_too_long_is_given_up(monkeypatch):
    """Rings of lines are looked for among others, of which the last one is too small to be there."""

    def rings(*sizes):
        firsts = itertools.accumulate(sizes, initial=0)
        return [
            Item("link", (first + number, first + (number + 1) % size))
            for first, size in zip(firsts, sizes, strict=False)
            for number in range(size)
        ]

    monkeypatch.setattr(module, "_ATTEMPTS", 1_000)
    with pytest.raises(TooManyAttemptsError):
        embedded(rings(*[7] * 9, 6), rings(*[7] * 10))
