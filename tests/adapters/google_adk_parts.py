"""Agents of ADK, and the ways to run them, that the tests of its adapter share."""

from __future__ import annotations

import asyncio

import pytest
from google.adk.agents import LlmAgent
from google.adk.apps.app import App
from google.adk.runners import InMemoryRunner
from google.genai import types

from agentassert import Capture, Invocation, Outcome
from tests.scripted.google_adk import ScriptedModel

experimental = pytest.mark.filterwarnings(r"ignore:\[EXPERIMENTAL\]:UserWarning")
"""Releases up to 2.0 warn of a feature that they have on."""


def get_booking(number: str) -> dict[str, str]:
    """Look a booking up."""
    return {"number": number, "customer": "Ann"}


def refund(amount: int) -> str:
    """Pay money back."""
    return f"paid {amount}"


def agent(*steps, tools=(), name="support", **options):
    """An agent whose model follows the script."""
    return LlmAgent(name=name, description=name, model=ScriptedModel(*steps), tools=list(tools), **options)


def text(said):
    """What a user says."""
    return types.Content(role="user", parts=[types.Part(text=said)])


async def arun(support, *said, plugins=(), **options):
    """Run an agent, turn by turn, in one session."""
    runner = InMemoryRunner(app=App(name="tests", root_agent=support, plugins=list(plugins)))
    session = await runner.session_service.create_session(app_name="tests", user_id="ann")
    events = []
    for one in said or ("hi",):
        message = text(one) if isinstance(one, str) else one(events)
        run = runner.run_async(user_id="ann", session_id=session.id, new_message=message, **options)
        events += [event async for event in run]
    return events


def run(support, *said, **options):
    """The same outside async code."""
    return asyncio.run(arun(support, *said, **options))


def answers(confirmed, *, as_text=False):
    """What a user answers to every confirmation that was asked for."""

    def message(events):
        response = {"response": '{"confirmed": true}'} if as_text else {"confirmed": confirmed}
        calls = [call for event in events for call in event.get_function_calls() if call.name == "adk_request_confirmation"]
        answered = [types.FunctionResponse(id=call.id, name=call.name, response=response) for call in calls]
        return types.Content(role="user", parts=[types.Part(function_response=one) for one in answered])

    return message


def executed(recorded: Capture | Invocation) -> list[tuple[str, Outcome]]:
    """Names and outcomes of the tool executions of an invocation, or of a capture's only one."""
    invocation = recorded if isinstance(recorded, Invocation) else recorded.invocation
    return [(execution.name, execution.outcome) for execution in invocation.tool_executions]
