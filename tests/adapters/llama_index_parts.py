"""Agents of LlamaIndex, and the ways to run them, that the tests of its adapter share."""

from __future__ import annotations

import asyncio

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, TextNode
from llama_index.core.workflow import Context, HumanResponseEvent, InputRequiredEvent

from agentassert import Capture, Invocation, Outcome
from tests.scripted.llama_index import ScriptedModel


def get_booking(number: str) -> dict[str, str]:
    """Look a booking up."""
    return {"number": number, "customer": "Ann"}


def refund(amount: int) -> str:
    """Pay money back."""
    return f"paid {amount}"


async def gated_refund(ctx, amount):
    """Pay money back, if a person lets it."""
    answer = await ctx.wait_for_event(
        HumanResponseEvent,
        waiter_id=f"refund {amount}",
        waiter_event=InputRequiredEvent(prefix=f"Refund {amount}?"),
        requirements={"amount": amount},
    )
    return f"paid {amount}" if answer.response == "yes" else f"not paid: {answer.get('reason', answer.response)}"


gated_refund.__name__ = "refund"
gated_refund.__annotations__ = {"ctx": Context, "amount": int, "return": str}  # LlamaIndex does not read them as text


class Finder(BaseRetriever):
    """A retriever that finds what it was made with: texts, each with a score."""

    def __init__(self, **texts: float) -> None:
        super().__init__()
        self._nodes = [
            NodeWithScore(node=TextNode(text=text, metadata={"page": 1}), score=score) for text, score in texts.items()
        ]

    def _retrieve(self, query_bundle):
        return [*self._nodes]


def agent(*steps, tools=(), name="support", **options):
    """An agent whose model follows the script."""
    return FunctionAgent(name=name, description=name, llm=ScriptedModel(*steps), tools=list(tools), **options)


def run(support, said="hi", **options):
    """Run an agent outside async code."""

    async def go():
        return await support.run(user_msg=said, **options)

    return asyncio.run(go())


def executed(recorded: Capture | Invocation) -> list[tuple[str, Outcome]]:
    """Names and outcomes of the tool executions of an invocation, or of a capture's only one."""
    invocation = recorded if isinstance(recorded, Invocation) else recorded.invocation
    return [(execution.name, execution.outcome) for execution in invocation.tool_executions]
