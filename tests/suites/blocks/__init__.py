"""For each kind of test that suites are made of: one test, an agent that passes it, and agents that it is there to catch."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import dedent
from typing import NamedTuple


class Break(NamedTuple):
    """A change that breaks the agent, and what the test says then."""

    good: str
    bad: str
    told: str


class Block(NamedTuple):
    """A test.

    Args:
        name: what it is called.
        fields: the fields of the test.
        agent: a module with an `agent`.
        breaks: the ways in which the agent is broken.
        builder: the module that `builder: made` names.
    """

    name: str
    fields: str
    agent: str
    breaks: Sequence[Break]
    builder: str = ""

    @property
    def suite(self) -> str:
        """The suite of this one test."""
        fields = dedent(self.fields).strip().replace("\n", "\n    ")
        return f"tests:\n  - name: {self.name}\n    {fields}\n"

    def broken(self, one: Break) -> str:
        """The module with the agent broken."""
        if self.agent.count(one.good) != 1:
            raise ValueError(f"{self.name}: {one.good!r} must be in the agent once")
        return self.agent.replace(one.good, one.bad)
