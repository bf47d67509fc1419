"""A capture, or some of its invocations, as nodes: what both the terminal and the pages show."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import attrs

from agentassert import render
from agentassert.failures import counted
from agentassert.records import Invocation, ToolExecution
from agentassert.reports import items
from agentassert.reports.invocations import Tree, counts, error_node, quiet
from agentassert.reports.nodes import Limits, Node, Span, Tone

if TYPE_CHECKING:
    from agentassert.captures import Capture

_MOST_DOUBTS: Final = 20
_MOST_UNFOLDED: Final = 8
"""Assertions that passed are listed at first where they are so few."""


@attrs.frozen(kw_only=True)
class Checks:
    """What a chain looks at, and what it has checked.

    Args:
        subject: how messages name it.
        invocations: the outermost invocations that it looks at.
        strays: what was recorded outside every invocation.
        executions: the tool executions in its scope.
        checked: the ids of those that were checked.
        passed: the assertions that passed, as they were written.
        doubts: what is doubtful about the recording.
    """

    subject: str
    invocations: tuple[Invocation, ...]
    strays: Invocation | None
    executions: tuple[ToolExecution, ...]
    checked: Collection[str]
    passed: Sequence[str]
    doubts: Sequence[str]


def capture_node(capture: Capture, checked: Collection[str] | None, limits: Limits) -> Node:
    """A whole capture.

    Args:
        capture: what was recorded.
        checked: the ids of the tool executions that were checked; without it nothing is said about checks.
        limits: how much may be shown.
    """
    health, strays, error = capture.health, capture.strays, capture.error
    everything = [one for top in _tops(capture.invocations, strays) for one in top.with_nested()]
    below = [*_doubts(health.doubts), *invocation_nodes(capture.invocations, strays, checked, limits)]
    if not everything:
        below.append(quiet("note", "no invocation was recorded"))
    if error is not None and all(one.error is not error for one in everything):
        below.append(error_node("error that left the block", error, limits))
    badges = [Span("still recording", Tone.DOUBT)] if capture.is_open else []
    executions = list(_executions(everything))
    if checked is not None and executions:
        badges.append(_progress(executions, checked))
    return Node(
        kind="capture",
        line=(Span("capture", Tone.QUIET), *(() if capture.name is None else (Span(" "), items.name(capture.name)))),
        badges=tuple(badges),
        facts=counts(everything, len(everything) if len(everything) > 1 else 0),
        below=tuple(below),
        expanded=True,
    )


def chain_node(checks: Checks, limits: Limits) -> Node:
    """A chain: the assertions that passed, and the invocations it looks at, each tool execution checked or unchecked."""
    passed = [
        Node(kind="passed", line=(Span("✓ ", Tone.GOOD), Span(render.words(one, 400)))) for one in checks.passed[-limits.items :]
    ]
    words = counted(len(checks.passed), "assertion") if checks.passed else "no assertion"
    tops = _tops(checks.invocations, checks.strays)
    numbers = {one.id: number for number, one in enumerate(_executions(one for top in tops for one in top.with_nested()), 1)}
    return Node(
        kind="chain",
        line=(Span("chain on ", Tone.QUIET), Span(render.words(checks.subject), Tone.STRONG)),
        badges=(_progress(checks.executions, checks.checked),),
        below=(
            Node(
                kind="passed",
                line=(Span(f"{words} passed", Tone.QUIET),),
                below=tuple(passed),
                expanded=len(passed) <= _MOST_UNFOLDED,
            ),
            *_doubts(checks.doubts),
            *invocation_nodes(checks.invocations, checks.strays, checks.checked, limits, numbers),
        ),
        expanded=True,
    )


def invocation_nodes(
    invocations: Sequence[Invocation],
    strays: Invocation | None,
    checked: Collection[str] | None,
    limits: Limits,
    numbers: Mapping[str, int] | None = None,
) -> list[Node]:
    """Some invocations and all that lies inside them; of many the first and the last.

    Args:
        invocations: the outermost ones.
        strays: what was recorded outside every invocation.
        checked: as for :func:`capture_node`.
        limits: likewise.
        numbers: under which messages list the tool executions, by id; without it each outermost invocation begins at 1.
    """
    tops = _tops(invocations, strays)
    shown, nodes, last = render.chosen(len(tops), limits.items), [], -1
    for at in shown:
        if at - last > 1:
            nodes.append(quiet("more", f"… {counted(at - last - 1, 'more invocation')} …"))
        known = numbers or {one.id: number for number, one in enumerate(_executions(tops[at].with_nested()), 1)}
        nodes.append(Tree(checked, limits, known).of(tops[at], is_stray=tops[at] is strays))
        last = at
    return nodes


def _tops(invocations: Sequence[Invocation], strays: Invocation | None) -> tuple[Invocation, ...]:
    return tuple(invocations) if strays is None else (*invocations, strays)


def _executions(invocations: Iterable[Invocation]) -> Iterator[ToolExecution]:
    return (execution for one in invocations for execution in one.tool_executions)


def _progress(executions: Sequence[ToolExecution], checked: Collection[str]) -> Span:
    done = sum(1 for one in executions if one.id in checked)
    words = f"{done:,} of {counted(len(executions), 'tool execution')} checked"
    return Span(words, Tone.GOOD if done == len(executions) else Tone.DOUBT)


def _doubts(doubts: Sequence[str]) -> Iterator[Node]:
    for words in doubts[:_MOST_DOUBTS]:
        yield Node(kind="doubt", line=(Span("in doubt: ", Tone.DOUBT), Span(render.words(words, 400))))
    if len(doubts) > _MOST_DOUBTS:
        yield quiet("more", f"… {len(doubts) - _MOST_DOUBTS:,} more doubts …")
