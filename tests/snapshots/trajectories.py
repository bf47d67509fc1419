"""Trajectories for tests: from text, and at random."""

from __future__ import annotations

from hypothesis import strategies as st

from agentassert.snapshots.placeholders import found
from agentassert.snapshots.reading import read
from agentassert.snapshots.trajectory import Node
from agentassert.snapshots.writing import HEADER

IDS = [f"123e4567-e89b-42d3-a456-42661417400{digit}" for digit in range(3)]


def trajectory(text, file="a.trajectory"):
    """What stands in a file below its first line."""
    return read(f"{HEADER}\n{text}", file)


def execution(name, arguments=None, ending="succeeded", *groups, **fields):
    return Node(name=name, ending=ending, arguments={} if arguments is None else arguments, groups=groups, **fields)


def invocation(name, *groups, ending="completed"):
    return Node(name=name, ending=ending, is_invocation=True, groups=groups)


def alone(*nodes):
    """Nodes one after the other."""
    return tuple((node,) for node in nodes)


arguments = st.sampled_from([{}, {"n": 1}, *({"id": found(one)} for one in IDS)])


@st.composite
def executions(draw, most=3, inner=1):
    nested = alone(*(draw(st.lists(invocations(inner - 1), max_size=1)) if inner else ()))
    return execution(draw(st.sampled_from(["look", "pay"])), draw(arguments), "succeeded", *nested)


@st.composite
def invocations(draw, inner=1):
    ran = draw(st.lists(executions(inner=inner), max_size=3))
    return invocation(draw(st.sampled_from(["shop", "reader"])), *alone(*ran))


@st.composite
def forests(draw):
    """An invocation with up to three executions, some of which started invocations of their own."""
    return ((draw(invocations()),),)


def shuffled(draw, groups):
    """The same in another order, below the same work."""
    order = draw(st.permutations(groups))
    return tuple(tuple(_shuffled(draw, node) for node in group) for group in order)


def _shuffled(draw, node):
    return Node(
        name=node.name,
        ending=node.ending,
        is_invocation=node.is_invocation,
        arguments=node.arguments,
        result=node.result,
        groups=shuffled(draw, node.groups),
    )


@st.composite
def similar_forests(draw):
    """Two that often match in some mode: one is the other in another order, with something left out, or renamed ids."""
    one = draw(forests())
    kind = draw(st.sampled_from(["same", "shuffled", "other", "renamed", "shorter"]))
    if kind == "other":
        return one, draw(forests())
    if kind == "shuffled":
        return one, shuffled(draw, one)
    if kind == "renamed":
        names = dict(zip(IDS, draw(st.permutations(IDS)), strict=True))
        return one, _renamed(one, names)
    if kind == "shorter":
        root = one[0][0]
        return one, ((invocation(root.name, *root.groups[1:]),),)
    return one, one


def _renamed(groups, names):
    def renamed(node):
        given = node.arguments
        if not node.is_invocation and "id" in given:
            given = {"id": found(names[given["id"].slots[0].label])}
        return Node(
            name=node.name,
            ending=node.ending,
            is_invocation=node.is_invocation,
            arguments=given,
            groups=_renamed(node.groups, names),
        )

    return tuple(tuple(map(renamed, group)) for group in groups)
