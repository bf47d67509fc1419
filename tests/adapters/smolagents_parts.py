"""Agents of smolagents, and their tools, that the tests of its adapter share."""

from __future__ import annotations

from smolagents import CodeAgent, ToolCallingAgent, tool
from smolagents.monitoring import LogLevel

from agentassert import Capture, Invocation, Outcome
from tests.scripted.smolagents import ScriptedModel, answers, code


@tool
def get_booking(number: str) -> dict:
    """Look a booking up.

    Args:
        number: Its number.
    """
    return {"number": number, "customer": "Ann"}


@tool
def refund(amount: int, currency: str = "EUR") -> str:
    """Pay money back.

    Args:
        amount: How much.
        currency: Of which kind.
    """
    return f"paid {amount} {currency}"


@tool
def fragile(x: int) -> str:
    """Fail.

    Args:
        x: Nothing.
    """
    raise ValueError("kaput")


QUIET = {"verbosity_level": LogLevel.OFF}


def agent(*steps, tools=(), name="support", **options):
    """An agent that calls tools, whose model follows the script."""
    return ToolCallingAgent(
        tools=list(tools), model=ScriptedModel(*steps), name=name, description=f"{name}.", **{**QUIET, **options}
    )


def coder(*sources, tools=(), name="coder", **options):
    """An agent that writes code; each text is the code of one response."""
    model = ScriptedModel(*(code(one) if isinstance(one, str) else one for one in sources))
    return CodeAgent(tools=list(tools), model=model, name=name, description=f"{name}.", **{**QUIET, **options})


def done(*steps):
    """The script, and an answer at its end."""
    return *steps, answers("done")


def executed(recorded: Capture | Invocation) -> list[tuple[str, Outcome]]:
    """Names and outcomes of the tool executions of an invocation, or of a capture's only one."""
    invocation = recorded if isinstance(recorded, Invocation) else recorded.invocation
    return [(execution.name, execution.outcome) for execution in invocation.tool_executions]
