"""When a trajectory matches its snapshot, and how one is told that it does not."""

from __future__ import annotations

import pytest

from agentassert.snapshots.comparing import MODES, matching
from agentassert.snapshots.telling import told
from tests.snapshots.trajectories import IDS, alone, execution, found, invocation, trajectory

PAID = 'shop: completed\n  look {"id": 1}\n  pay {"n": 2}\n'
PAID_FIRST = 'shop: completed\n  pay {"n": 2.0}\n  look {"id": 1}\n'
LOOKED = 'shop: completed\n  look {"id": 1}\n'
IN_ANY_ORDER = 'shop: completed\n  in any order:\n    look {"id": 1}\n    pay {"n": 2}\n'
SECOND_AGENT = "shop: completed\n  ask {}\n    reader: completed\n      look {}\n"
AGENTS_SWAPPED = "shop: completed\n  ask {}\n  other {}\n    reader: completed\n      look {}\n"


def modes(expected, actual):
    """The modes in which one matches the other."""
    return {mode for mode in MODES if matching(trajectory(expected), trajectory(actual), mode) is not None}


@pytest.mark.parametrize(
    ("expected", "actual", "matching_modes"),
    [
        (PAID, PAID, set(MODES)),
        (PAID, PAID_FIRST, {"unordered", "subset", "superset"}),
        (PAID, LOOKED, {"subset"}),
        (LOOKED, PAID, {"superset"}),
        (PAID, PAID.replace("2", "3"), set()),
        (PAID, PAID.replace("2", '"2"'), set()),
        (PAID, PAID.replace("2", "true"), set()),
        (PAID, PAID.replace("}\n", "} -> failed KeyError\n"), set()),
        (PAID, PAID.replace("completed", "failed KeyError"), set()),
        (PAID, PAID.replace("shop", "shop2"), set()),
        (PAID, PAID.replace("pay", "  reader: completed\n      pay"), set()),
        (IN_ANY_ORDER, PAID_FIRST, set(MODES)),
        (PAID_FIRST, IN_ANY_ORDER, set(MODES)),
        (IN_ANY_ORDER, LOOKED, {"subset"}),
        (SECOND_AGENT, SECOND_AGENT, set(MODES)),
        (SECOND_AGENT, AGENTS_SWAPPED, set()),
        (SECOND_AGENT, "shop: completed\n  ask {}\n", {"subset"}),
    ],
)
def test_a_mode_says_what_may_differ(expected, actual, matching_modes):
    assert modes(expected, actual) == matching_modes


def test_order_counts_around_a_group():
    grouped = "shop: completed\n  a {}\n  in any order:\n    b {}\n    c {}\n  d {}\n"
    assert "strict" in modes(grouped, "shop: completed\n  a {}\n  c {}\n  b {}\n  d {}\n")
    assert "strict" not in modes(grouped, "shop: completed\n  b {}\n  a {}\n  c {}\n  d {}\n")
    assert "strict" not in modes(grouped, "shop: completed\n  a {}\n  b {}\n  c {}\n")


def test_order_counts_within_agents_of_which_nobody_knows_which_came_first():
    grouped = "in any order:\n  x: completed\n    a {}\n    b {}\n  y: completed\n    b {}\n    a {}\n"
    same = "y: completed\n  b {}\n  a {}\nx: completed\n  a {}\n  b {}\n"
    assert "strict" in modes(grouped, same)
    assert "strict" not in modes(grouped, "y: completed\n  a {}\n  b {}\nx: completed\n  a {}\n  b {}\n")


def test_a_numbered_value_is_one_value():
    numbered = 'shop: completed\n  look {"id": "<uuid 1>"}\n  look {"id": "<uuid 2>"}\n  pay {"id": "<uuid 1>"}\n'
    one, two = ({"id": found(number)} for number in IDS[:2])

    def ran(*ids):
        return ((invocation("shop", *alone(execution("look", ids[0]), execution("look", ids[1]), execution("pay", ids[2]))),),)

    for mode in MODES:
        assert matching(trajectory(numbered), ran(one, two, one), mode) is not None
        assert matching(trajectory(numbered), ran(one, one, one), mode) is None
    assert matching(trajectory(numbered), ran(one, two, two), "strict") is None
    assert matching(trajectory(numbered), ran(one, two, two), "unordered") is not None
    assert matching(trajectory(numbered.replace(" 1", "").replace(" 2", "")), ran(one, one, two), "strict") is not None


def told_in(mode, expected, actual):
    difference = told(trajectory(expected), trajectory(actual), mode)
    return "\n".join(difference.lines), difference.differences


def test_strict_aligns_the_lines():
    lines, differences = told_in(
        "strict",
        "shop: completed\n" + "".join(f"  a{number} {{}}\n" for number in range(9)) + '  pay {"n": 1, "to": "Ann"}\n  z {}\n',
        "shop: completed\n"
        + "".join(f"  a{number} {{}}\n" for number in range(9))
        + '  pay {"n": 2} -> failed KeyError\n  b {}\n  z {}\n',
    )
    assert lines == (
        """  …
    a7 {}
    a8 {}
-   pay {"n": 1, "to": "Ann"}
+   pay {"n": 2} -> failed KeyError
      outcome: expected succeeded, was failed KeyError
      $.n: expected 1, was 2
      $.to: expected 'Ann', but it is missing
+   b {}
    z {}"""
    )
    assert differences == (
        "outcome: expected succeeded, was failed KeyError",
        "$.n: expected 1, was 2",
        "$.to: expected 'Ann', but it is missing",
    )


def test_lines_far_from_a_difference_are_left_out():
    after = "".join(f"  a{number} {{}}\n" for number in range(9))
    lines, _ = told_in("strict", f"shop: completed\n{after}", f"shop: failed\n{after}")
    assert lines == "- shop: completed\n+ shop: failed\n      status: expected completed, was failed\n    a0 {}\n    a1 {}\n  …"


def test_a_moved_line_is_marked_where_order_counts_and_nowhere_else():
    assert told_in("strict", PAID, PAID_FIRST)[0] == '  shop: completed\n+   pay {"n": 2.0}\n    look {"id": 1}\n-   pay {"n": 2}'
    extra = PAID_FIRST + "  mail {}\n"
    assert told_in("unordered", PAID, extra)[
        0
    ] == '  shop: completed\n    pay {"n": 2.0}\n    look {"id": 1}\n+   mail {}'.replace("  shop: completed\n", "  …\n")


def test_what_the_mode_allows_is_not_marked_unless_it_is_what_was_meant():
    expected = 'shop: completed\n  pay {"n": 1}\n  mail {}\n'
    actual = 'shop: completed\n  look {}\n  pay {"n": 2}\n'
    assert told_in("superset", expected, actual)[0] == (
        '  shop: completed\n-   pay {"n": 1}\n-   mail {}\n    look {}\n+   pay {"n": 2}\n      $.n: expected 1, was 2'
    )
    assert told_in("subset", expected, actual)[0] == (
        '  shop: completed\n-   pay {"n": 1}\n+   look {}\n+   pay {"n": 2}\n      $.n: expected 1, was 2'
    )


def test_values_that_do_not_fit_together_are_told_by_their_numbers():
    lines, differences = told_in(
        "unordered",
        'shop: completed\n  look {"id": "<uuid 1>"}\n  pay {"id": "<uuid 1>"}\n',
        'shop: completed\n  look {"id": "<uuid>"}\n  pay {"id": "<uuid>"}\n',
    )
    assert '-   pay {"id": "<uuid 1>"}' in lines
    assert "$.id: expected '<uuid 1>', was '<uuid>'" in differences


def test_arguments_or_results_on_one_side_alone_are_told():
    assert told_in("strict", "s: completed\n  pay\n", "s: completed\n  pay {}\n")[1] == ("the arguments stand only in what ran",)
    assert told_in("strict", "s: completed\n  pay {} -> 3\n", "s: completed\n  pay {}\n")[1] == (
        "the result stands only in the snapshot",
    )
    assert told_in("strict", "s: completed\n  pay {} -> 3\n", "s: completed\n  pay {} -> 4\n")[1] == (
        "result: expected 3, was 4",
    )
    assert told_in("strict", 's: completed\n  pay {"n": 1} -> ""\n', 's: completed\n  pay {"n": 2} -> ""\n')[1] == (
        "$.n: expected 1, was 2",
    )
    assert told_in("strict", "s: completed\n", "s: failed\n")[1] == ("status: expected completed, was failed",)


def test_a_long_difference_is_cut():
    many = "".join(f"  a{number} {{}}\n" for number in range(2_000))
    lines, _ = told_in("strict", "shop: completed\n", f"shop: completed\n{many}")
    assert len(lines.splitlines()) == 61
    assert lines.splitlines()[-1] == "… 1,941 more differ …"
    _, differences = told_in("strict", f"shop: completed\n{many}", f"shop: completed\n{many.replace('{}', '[]')}")
    assert len(differences) == 20
    wide, _ = told_in("strict", "shop: completed\n", f'shop: completed\n  pay {{"t": "{"x" * 500}"}}\n')
    assert max(map(len, wide.splitlines())) == 202
