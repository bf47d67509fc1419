"""How a trajectory differs from its snapshot, in lines that a person can read."""

from __future__ import annotations

import difflib
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, Final, TypeAlias

import attrs

from agentassert.checks.differences import between
from agentassert.checks.leaves import STRICT
from agentassert.checks.paths import MISSING
from agentassert.checks.values import equal
from agentassert.snapshots.comparing import Mode, shape, shape_of
from agentassert.snapshots.placeholders import Slot, Text, numbering
from agentassert.snapshots.trajectory import Groups, Node, all_slots, nodes
from agentassert.snapshots.writing import INDENT, line_of, plain

_AROUND: Final = 2
_MOST_SHOWN: Final = 60
_MOST_ALIGNED: Final = 500
"""Lines of each side that are aligned with each other, which takes time that grows with the square of their number."""
_MOST_EXPLAINED: Final = 20
"""Pairs of lines whose arguments are compared place by place, which takes milliseconds for each."""
_WIDEST: Final = 200
_BELOW: Final = "      "
_Number: TypeAlias = Callable[[Slot], int | None]


@attrs.frozen
class Told:
    """What a failure says.

    Args:
        lines: the aligned difference: `-` before a line of the snapshot alone, `+` before one of what ran alone.
        differences: the places in arguments and results that differ, a line each.
        unexpected: ids of the executions that the snapshot does not have.
    """

    lines: tuple[str, ...]
    differences: tuple[str, ...]
    unexpected: tuple[str, ...]


@attrs.frozen(eq=False)
class _Line:
    """One of either side.

    Args:
        node: what it is about.
        text: what it says, indented.
        key: equal for lines that may answer each other.
        number: what numbers the values of its side.
    """

    node: Node
    text: str
    key: Hashable
    number: _Number


_Marked: TypeAlias = tuple[str, _Line]


def told(expected: Groups, actual: Groups, mode: Mode) -> Told:
    """The difference between a snapshot and what ran, which do not match in this mode."""
    ours, theirs = _lines(expected), _lines(actual)
    marked = _aligned(ours, theirs)
    if mode != "strict":
        marked = list(_without_moved(marked, mode))
    if all(mark == " " for mark, _ in marked):
        # Line by line they are alike: it is the values behind placeholders, or what lies below what. The texts show that.
        marked = _aligned(*([attrs.evolve(line, key=line.text) for line in side] for side in (ours, theirs)))
    differences = _differences(marked)
    return Told(
        lines=tuple(_shown(marked, differences)),
        differences=tuple(text for texts in differences.values() for text in texts),
        unexpected=tuple(line.node.id for mark, line in marked if mark == "+" and line.node.id is not None),
    )


def _lines(groups: Groups) -> list[_Line]:
    number = numbering(all_slots(groups))
    return [_Line(node, INDENT * depth + line_of(node, number), shape(node, depth), number) for node, depth in nodes(groups)]


def _aligned(ours: Sequence[_Line], theirs: Sequence[_Line]) -> list[_Marked]:
    start = 0
    while start < min(len(ours), len(theirs)) and ours[start].key == theirs[start].key:
        start += 1
    left, right = ours[start : start + _MOST_ALIGNED], theirs[start : start + _MOST_ALIGNED]
    marked: list[_Marked] = [(" ", line) for line in theirs[:start]]
    matcher = difflib.SequenceMatcher(None, [line.key for line in left], [line.key for line in right], autojunk=False)
    for kind, here, here_end, there, there_end in matcher.get_opcodes():
        if kind == "equal":
            marked += ((" ", line) for line in right[there:there_end])
        else:
            marked += (("-", line) for line in left[here:here_end])
            marked += (("+", line) for line in right[there:there_end])
    end = start + _MOST_ALIGNED
    return [*marked, *(("-", line) for line in ours[end:]), *(("+", line) for line in theirs[end:])]


def _without_moved(marked: Sequence[_Marked], mode: Mode) -> Iterator[_Marked]:
    """Without marks where the order alone differs, or where the mode allows it and nothing else is of that name."""
    removed = Counter(line.key for mark, line in marked if mark == "-")
    added = Counter(line.key for mark, line in marked if mark == "+")
    moved = removed & added
    missing = {line.node.name for mark, line in marked if mark == "-" and removed[line.key] > moved[line.key]}
    extra = {line.node.name for mark, line in marked if mark == "+" and added[line.key] > moved[line.key]}
    left, right = Counter(moved), Counter(moved)
    for mark, line in marked:
        if mark == "-":
            is_moved = left[line.key] > 0
            left[line.key] -= 1
            if not is_moved and (mode != "subset" or line.node.name in extra):
                yield mark, line
        elif mark == "+":
            is_moved = right[line.key] > 0
            right[line.key] -= 1
            yield " " if is_moved or (mode == "superset" and line.node.name not in missing) else mark, line
        else:
            yield mark, line


def _differences(marked: Sequence[_Marked]) -> dict[int, tuple[str, ...]]:
    """For the position of each line that ran, what is different in the line of the snapshot that it may stand for."""
    waiting: defaultdict[Hashable, list[_Line]] = defaultdict(list)
    for mark, line in marked:
        if mark == "-":
            waiting[line.node.name, line.node.is_invocation].append(line)
    found: dict[int, tuple[str, ...]] = {}
    for position, (mark, line) in enumerate(marked):
        alike = waiting[line.node.name, line.node.is_invocation]
        if mark == "+" and alike and len(found) < _MOST_EXPLAINED:
            found[position] = tuple(_between(alike.pop(0), line))
    return found


def _between(ours: _Line, theirs: _Line) -> Iterator[str]:
    expected, actual = ours.node, theirs.node
    if expected.ending != actual.ending:
        yield f"{'status' if actual.is_invocation else 'outcome'}: expected {expected.ending}, was {actual.ending}"
    for place, here, there in (("$", expected.arguments, actual.arguments), ("result", expected.result, actual.result)):
        if here is MISSING or there is MISSING:
            if here is not there:
                what = "arguments" if place == "$" else "result"
                yield f"the {what} {'stand' if place == '$' else 'stands'} only in {'what ran' if here is MISSING else 'the snapshot'}"
        else:
            wanted, was = plain(here, ours.number), _against(here, there, theirs.number)
            if not equal(wanted, was):
                yield from (one.text() for one in between(wanted, was, place, STRICT))


def _against(ours: Any, theirs: Any, number: _Number) -> Any:
    """With placeholders, except where the snapshot has another text: there it is the value that a person looks for."""
    if type(theirs) is dict:
        known = ours if type(ours) is dict else {}
        return {key: _against(known.get(key), item, number) for key, item in theirs.items()}
    if type(theirs) is list:
        others = [*ours, *[None] * len(theirs)] if type(ours) is list else [None] * len(theirs)
        return [_against(other, item, number) for other, item in zip(others, theirs, strict=False)]
    if isinstance(theirs, Text) and isinstance(ours, (str, Text)) and shape_of(ours) != shape_of(theirs):
        return theirs.as_it_was
    return plain(theirs, number)


def _shown(marked: Sequence[_Marked], differences: dict[int, tuple[str, ...]]) -> Iterator[str]:
    """The marked lines with some around them."""
    near = {
        near
        for position, (mark, _) in enumerate(marked)
        if mark != " "
        for near in range(position - _AROUND, position + _AROUND + 1)
    }
    last, count = -1, 0
    for position, (mark, line) in enumerate(marked):
        if position not in near:
            continue
        if position > last + 1:
            yield "  …"
        if count == _MOST_SHOWN:
            yield f"… {len([mark for mark, _ in marked[position:] if mark != ' ']):,} more differ …"
            return
        yield f"{mark} {line.text if len(line.text) <= _WIDEST else line.text[: _WIDEST - 1] + '…'}"
        yield from (_BELOW + text for text in differences.get(position, ()))
        last, count = position, count + 1
    if last < len(marked) - 1:
        yield "  …"
