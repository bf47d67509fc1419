"""One agent in every form that can be driven: a cashier that pays money back, in one refund for each amount."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import interrupt

from agentassert import record
from tests.adapters.kits import Ask, Kit, Request, Say, Tool
from tests.adapters.kits.langchain import LangChainKit
from tests.adapters.kits.openai_agents import OpenAIAgentsKit
from tests.adapters.kits.pydantic_ai import PydanticAIKit

DONE = "done"


def refund(amount: int) -> str:
    """Pay money back."""
    return f"paid {amount}"


recorded_refund = record.tool(refund)


class NobodyThereError(Exception):
    """A person was asked, where a decision should have been found."""


@record.approver
def ask(tool: str, arguments: Mapping[str, Any]) -> bool:
    raise NobodyThereError(tool)


@record.approver
async def ask_async(tool: str, arguments: Mapping[str, Any]) -> bool:
    raise NobodyThereError(tool)


def _of(kit: Kit) -> Callable[[Sequence[int], bool], Any]:
    def build(amounts: Sequence[int], gated: bool) -> Any:
        asks = [Ask(Request("refund", {"amount": amount}, f"c{index}")) for index, amount in enumerate(amounts)]
        return kit.agent(*asks, Say(DONE), tools=[Tool(refund, needs_approval=gated)], name="cashier")

    return build


def function(amounts: Sequence[int], gated: bool) -> Any:
    @record.agent
    def cashier(payload: Any) -> str:
        for amount in amounts:
            if not gated or ask("refund", {"amount": amount}):
                recorded_refund(amount)
        return DONE

    return cashier


def coroutine_function(amounts: Sequence[int], gated: bool) -> Any:
    async def cashier(payload: Any) -> str:
        for amount in amounts:
            if not gated or await ask_async("refund", {"amount": amount}):
                recorded_refund(amount)
        return DONE

    return cashier


def tool_approval(amount: int) -> dict[str, Any]:
    """A question in the form of LangChain's own."""
    return {"type": "tool_approval", "name": "refund", "args": {"amount": amount}}


def graph_of_its_own(amounts: Sequence[int], gated: bool) -> Any:
    """A graph whose nodes ask with an `interrupt` of their own, and then pay."""

    def paying(amount: int) -> Callable[[Any], Any]:
        def pay(state: Any) -> Any:
            if not gated or interrupt(tool_approval(amount))["type"] == "approve":
                recorded_refund(amount)
            return {"messages": [("ai", DONE)]}

        return pay

    graph = StateGraph(MessagesState)
    graph.add_sequence([(f"pay{index}", paying(amount)) for index, amount in enumerate(amounts)])
    graph.add_edge(START, "pay0")
    return graph.compile(name="cashier", checkpointer=InMemorySaver())


KINDS: dict[str, Callable[[Sequence[int], bool], Any]] = {
    "langgraph": _of(LangChainKit()),
    "openai_agents": _of(OpenAIAgentsKit()),
    "pydantic_ai": _of(PydanticAIKit()),
    "function": function,
    "coroutine function": coroutine_function,
    "graph of its own": graph_of_its_own,
}
"""Builds the cashier, from the amounts that it refunds and whether each refund needs approval."""
