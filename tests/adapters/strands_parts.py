"""Agents of Strands, and the ways to run them, that the tests of its adapter share."""

from __future__ import annotations

import itertools

from strands import Agent, tool
from strands.hooks import BeforeToolCallEvent
from strands.multiagent import GraphBuilder

from agentassert import Capture, Invocation, Outcome
from tests.scripted.strands import ScriptedModel


@tool
def get_booking(number: str) -> dict:
    """Look a booking up."""
    return {"number": number, "customer": "Ann"}


@tool
def refund(amount: int) -> str:
    """Pay money back."""
    return f"paid {amount}"


def agent(*steps, tools=(), name="support", **options):
    """An agent whose model follows the script."""
    return Agent(name=name, model=ScriptedModel(*steps), tools=list(tools), callback_handler=None, **options)


def graph_of(*members):
    """A graph in which each works after the other."""
    builder = GraphBuilder()
    builder.set_max_node_executions(10)
    nodes = [builder.add_node(one, one.name) for one in members]
    for before, after in itertools.pairwise(nodes):
        builder.add_edge(before, after)
    return builder.build()


class Gate:
    """Asks a person whether a tool may run, as Strands' own documentation does."""

    def __init__(self, name):
        self.name = name

    def register_hooks(self, registry, **kwargs):
        registry.add_callback(BeforeToolCallEvent, self.ask)

    def ask(self, event):
        if event.tool_use["name"] == self.name and event.interrupt("approval", reason=event.tool_use["input"]).lower() != "y":
            event.cancel_tool = True


def answers(result, response):
    """What every interrupt of a result is answered with."""
    return [{"interruptResponse": {"interruptId": one.id, "response": response}} for one in result.interrupts]


def executed(recorded: Capture | Invocation) -> list[tuple[str, Outcome]]:
    """Names and outcomes of the tool executions of an invocation, or of a capture's only one."""
    invocation = recorded if isinstance(recorded, Invocation) else recorded.invocation
    return [(execution.name, execution.outcome) for execution in invocation.tool_executions]
