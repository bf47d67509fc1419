"""Agents and crews of CrewAI that the tests of its adapter share."""

from __future__ import annotations

from tests.scripted.crewai import ScriptedModel  # isort: skip  # before CrewAI itself

from crewai import Agent, Crew, Task
from crewai.tools import tool

from agentassert import Invocation, Outcome


@tool
def get_booking(number: str) -> dict:
    """Look a booking up."""
    return {"number": number, "customer": "Ann"}


@tool("Pay Back")
def refund(amount: int) -> str:
    """Pay money back."""
    return f"paid {amount}"


@tool
def fragile(x: int) -> str:
    """Fail."""
    raise ValueError("kaput")


def agent(*steps, tools=(), role="support", native=True, **options):
    """An agent whose model follows the script."""
    model = ScriptedModel(*steps, native=native)
    return Agent(**{"role": role, "goal": "help", "backstory": "You help.", "llm": model, "tools": list(tools), **options})


def task(worker, **options):
    """What an agent of a crew is to do."""
    return Task(description="Help {customer}", expected_output="An answer.", agent=worker, **options)


def crew(*workers, tasks=None, **options):
    """A crew in which each agent has a task."""
    return Crew(agents=[*workers], tasks=tasks or [task(one) for one in workers], **options)


def executed(invocation: Invocation) -> list[tuple[str, Outcome]]:
    """Names and outcomes of the tool executions of an invocation and all below it."""
    return [(one.name, one.outcome) for each in invocation.with_nested() for one in each.tool_executions]
