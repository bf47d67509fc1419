"""What the tests of DSPy share."""

from __future__ import annotations

from typing import Any

import dspy
import pytest

from agentassert import Capture, Outcome
from tests.scripted.dspy import ScriptedLM

quietly = [
    pytest.mark.filterwarnings(r"ignore:.*(BaseLM|ReActV2|deprecated|experimental|legacy)"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
PLAIN = dspy.ChatAdapter(use_json_adapter_fallback=False)
FINISH = {"next_thought": "That is all.", "next_tool_name": "finish", "next_tool_args": {}}


def get_booking(number: str) -> str:
    """Look a booking up."""
    return f"{number}: confirmed"


def refund(amount: int) -> str:
    """Refund an amount."""
    if amount > 100:
        raise ValueError("at most 100")
    return f"paid {amount}"


def react(*script: Any, tools: Any = (get_booking, refund), signature: Any = "question -> answer", **options: Any) -> dspy.ReAct:
    """An agent whose model answers by this script."""
    agent = dspy.ReAct(signature, tools=list(tools), **options)
    agent.set_lm(ScriptedLM(*script))
    return agent


def predict(*script: Any, signature: Any = "question -> answer", kind: Any = dspy.Predict) -> Any:
    """A predictor whose model answers by this script."""
    predictor = kind(signature)
    predictor.set_lm(ScriptedLM(*script))
    return predictor


def executed(cap: Capture) -> list[tuple[str, Outcome]]:
    """Names and outcomes of the tool executions."""
    return [(one.name, one.outcome) for one in cap.invocation.tool_executions]
