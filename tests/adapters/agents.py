"""Tools and agents of LangChain that the tests of its adapter share."""

from __future__ import annotations

from langchain.agents import create_agent
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.tools import ToolException, tool

from agentassert import Capture, Outcome
from tests.scripted.langchain import ScriptedChatModel

QUESTION = {"messages": [("user", "hi")]}


@tool
def get_booking(number: str) -> str:
    """Look a booking up."""
    return f'{{"number": "{number}", "customer": "Ann"}}'


@tool
def cancel_booking(number: str, reason: str = "user") -> str:
    """Cancel a booking."""
    return f"cancelled {number}"


@tool
def broken(x: int) -> str:
    """Fail."""
    raise ValueError("kaput")


@tool
def soft(x: int) -> str:
    """Fail with a message to the model."""
    raise ToolException("not today")


soft.handle_tool_error = True


class Library(BaseRetriever):
    """A retriever that finds what it was given."""

    texts: tuple[str, ...] = ()

    def _get_relevant_documents(self, query, *, run_manager):
        return [Document(text, metadata={"source": "geo.md", "score": 0.5}) for text in self.texts]


def agent(*steps, tools=(), name="support", **options):
    """An agent whose model follows the script."""
    return create_agent(ScriptedChatModel(*steps), list(tools), name=name, **options)


def executed(cap: Capture, invocation: str | None = None) -> list[tuple[str, Outcome]]:
    """Names and outcomes of an invocation's tool executions."""
    chosen = cap.invocation if invocation is None else cap.invocation_named(invocation)
    return [(execution.name, execution.outcome) for execution in chosen.tool_executions]
