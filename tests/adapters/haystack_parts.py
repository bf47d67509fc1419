"""Agents of Haystack, and the people whom they ask, that the tests of its adapter share."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from typing import Any

from haystack.components.agents import Agent
from haystack.dataclasses import ChatMessage
from haystack.tools import create_tool_from_function

from agentassert import Capture, Invocation, Outcome
from tests.scripted.haystack import ScriptedChatGenerator

try:
    from haystack.hooks import human_in_the_loop as humans
except ImportError:  # before Haystack 3
    from haystack import human_in_the_loop as humans

IS_OLD = version("haystack-ai").startswith("2.")


class Person:
    """What asks a person: a function that gives the action, the words that come with it, and other arguments."""

    def __init__(self, ask: Callable[[str, Mapping[str, Any]], Any]) -> None:
        self.ask = ask

    def get_user_confirmation(self, tool_name, tool_description, tool_params):
        action, feedback, arguments = self.ask(tool_name, tool_params)
        return humans.ConfirmationUIResult(action=action, feedback=feedback, new_tool_params=arguments)


def gates(tools: Sequence[str], ask: Callable[[str, Mapping[str, Any]], Any], policy: Any = None) -> dict[str, Any]:
    """What an agent is made with whose tools of these names a person has to confirm."""
    strategy = humans.BlockingConfirmationStrategy(
        confirmation_policy=policy or humans.AlwaysAskPolicy(), confirmation_ui=Person(ask)
    )
    return gated_by(dict.fromkeys(tools, strategy))


def gated_by(strategies: Mapping[str, Any]) -> dict[str, Any]:
    """The same with any strategies."""
    if not strategies:
        return {}
    if hasattr(humans, "ConfirmationHook"):
        return {"hooks": {"before_tool": [humans.ConfirmationHook(dict(strategies))]}}
    return {"confirmation_strategies": dict(strategies)}


def get_booking(number: str) -> dict[str, str]:
    """Look a booking up."""
    return {"number": number, "customer": "Ann"}


def refund(amount: int) -> str:
    """Pay money back."""
    return f"paid {amount}"


def agent(*steps, tools=(), **options) -> Agent:
    """An agent whose model follows the script."""
    made = (
        [create_tool_from_function(tool) if inspect.isfunction(tool) else tool for tool in tools]
        if isinstance(tools, Sequence)
        else tools
    )
    return Agent(chat_generator=ScriptedChatGenerator(*steps), tools=made, **options)


def said(text: str = "hi") -> dict[str, Any]:
    """What an agent is run with."""
    return {"messages": [ChatMessage.from_user(text)]}


def executed(recorded: Capture | Invocation) -> list[tuple[str, Outcome]]:
    """Names and outcomes of the tool executions of an invocation, or of a capture's only one."""
    invocation = recorded if isinstance(recorded, Invocation) else recorded.invocation
    return [(execution.name, execution.outcome) for execution in invocation.tool_executions]
