"""What the tests of Agno share: agents, and the ways to look at a capture."""

from __future__ import annotations

from typing import Any

from agno.agent import Agent
from agno.tools.function import Function

from tests.scripted.agno import scripted


def refund(amount: int) -> str:
    """Pay money back."""
    return f"paid {amount}"


def get_booking(number: str) -> dict[str, str]:
    """Look a booking up."""
    return {"number": number, "customer": "Ann"}


def agent(*script: Any, name: str = "support", **options: Any) -> Agent:
    """An agent whose model follows the script."""
    return Agent(name=name, id=name, model=scripted(*script), telemetry=False, **options)


def gated(function: Any, **options: Any) -> Function:
    """A function that must not run before a person has said so."""
    made = Function.from_callable(function)
    for name, value in (options or {"requires_confirmation": True}).items():
        setattr(made, name, value)
    return made


def executed(cap: Any) -> list[tuple[Any, ...]]:
    """Names and outcomes of the tool executions."""
    return [(one.name, one.outcome) for one in cap.invocation.tool_executions]
