"""What differs, place by place. The only module that knows deepdiff: the comparison decides, deepdiff finds the places."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

from agentassert import render
from agentassert.checks.expectations import shown
from agentassert.checks.leaves import Comparison, Leaf
from agentassert.checks.paths import MISSING, child, joined
from agentassert.checks.values import equal, keys_differ_in_kind, unpaired
from agentassert.text.masking import is_secret_path

if TYPE_CHECKING:
    from deepdiff import DeepDiff


@attrs.frozen
class Difference:
    """One place where what was expected and what was there differ.

    Args:
        path: the place, as a JSONPath.
        expected: what was expected there, as the user wrote it; `MISSING` for nothing at all.
        actual: what was there; `MISSING` for nothing at all.
        reason: why the one is not the other, where the two values do not show it; or what was meant by a name that is not there.

    Example:
        >>> Difference("$.id", "MS-777", "MS-778").text()
        "$.id: expected 'MS-777', was 'MS-778'"
        >>> Difference("$.amount", print, 3, "not accepted by print").text()
        '$.amount: was 3, not accepted by print'
        >>> Difference("$.orderid", 7, MISSING, "did you mean 'order_id'?").text()
        "$.orderid: expected 7, but it is missing; did you mean 'order_id'?"
    """

    path: str
    expected: Any
    actual: Any
    reason: str | None = None

    def text(self) -> str:
        """The difference in a line, values cut and secrets masked."""
        if self.reason is not None and self.actual is not MISSING and not is_secret_path(self.path):
            reason = self.reason.partition("\n")[0]
            return f"{self.path}: was {render.pair(self.expected, self.actual)[1]}, {render.error(reason)}"
        sides = {"expected": self.expected, "actual": self.actual}
        line = render.difference(self.path, **{side: value for side, value in sides.items() if value is not MISSING})
        return f"{line}; {self.reason}" if self.reason is not None and self.actual is MISSING else line


def between(expected: Any, actual: Any, place: str, comparison: Comparison) -> list[Difference]:
    """The differences between two values that are not equal.

    Args:
        expected: as :func:`~agentassert.checks.expectations.prepare` returned it.
        actual: a snapshot.
        place: the JSONPath of both.
        comparison: how they were compared.

    Example:
        >>> from agentassert.checks.leaves import STRICT
        >>> between({"to": {"city": "Oslo"}}, {"to": {"city": "Bergen"}}, "$.order", STRICT)
        [Difference(path='$.order.to.city', expected='Oslo', actual='Bergen', reason=None)]
    """
    if not _both(dict, expected, actual) and not _both(list, expected, actual):
        return [_difference(place, expected, actual, comparison)]
    from deepdiff import DeepDiff

    decider = _Decider(place, comparison)
    diff = DeepDiff(
        expected,
        actual,
        custom_operators=[decider],
        view="tree",
        # Its own pairing of list items asks `==`, for which True is 1.
        zip_ordered_iterables=True,
        # Objects with few names in common are looked into as well.
        threshold_to_diff_deeper=0,
        # Which to it are the names that begin with two underscores.
        ignore_private_variables=False,
    )
    missing = [
        Difference(_place(place, level), shown(level.t1), MISSING)
        for kind in ("dictionary_item_removed", "iterable_item_removed")
        for level in diff.tree.get(kind, ())
    ]
    unexpected = [
        Difference(_place(place, level), MISSING, level.t2)
        for kind in ("dictionary_item_added", "iterable_item_added")
        for level in diff.tree.get(kind, ())
    ]
    return decider.found + missing + unexpected


class _Decider:
    """Deepdiff's operator for every pair of values: what is equal, and what has no places to look into."""

    def __init__(self, place: str, comparison: Comparison) -> None:
        self.place = place
        self.comparison = comparison
        self.found: list[Difference] = []

    def match(self, _: Any) -> bool:
        return True

    def give_up_diffing(self, level: Any, diff_instance: DeepDiff) -> bool:
        expected, actual = level.t1, level.t2
        if equal(expected, actual, self.comparison):
            return True
        if _both(dict, expected, actual) and not _hides_a_key(expected, actual):
            return False
        place = _place(self.place, level)
        if not _both(list, expected, actual):
            self.found.append(_difference(place, expected, actual, self.comparison))
        elif self.comparison.any_order:
            self.found += _in_any_order(place, expected, actual, self.comparison)
        else:
            return False
        return True


def _in_any_order(place: str, expected: list[Any], actual: list[Any], comparison: Comparison) -> list[Difference]:
    missing, unexpected = unpaired(expected, actual, comparison)
    if len(missing) == len(unexpected) == 1:
        here, there = missing[0], unexpected[0]
        return between(expected[here], actual[there], child(place, there), comparison)
    return [
        *(Difference(child(place, here), shown(expected[here]), MISSING) for here in missing),
        *(Difference(child(place, there), MISSING, actual[there]) for there in unexpected),
    ]


def _difference(place: str, expected: Any, actual: Any, comparison: Comparison) -> Difference:
    reason = expected.reason(actual, comparison) if isinstance(expected, Leaf) else None
    return Difference(place, shown(expected), actual, reason)


def _place(root: str, level: Any) -> str:
    return joined(root, level.path(output_format="list"))


def _hides_a_key(expected: dict[Any, Any], actual: dict[Any, Any]) -> bool:
    """Whether deepdiff sees the same keys, because to it `True` is 1."""
    return expected.keys() == actual.keys() and keys_differ_in_kind(expected, actual)


def _both(kind: type, expected: Any, actual: Any) -> bool:
    return type(expected) is kind and type(actual) is kind
