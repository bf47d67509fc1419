"""Test what an agent of LlamaIndex does: offline, with a model that follows a script.

pip install -e ".[llama-index]" && python examples/llama_index_agent.py
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, ToolCallBlock
from llama_index.core.llms.llm import LLM
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from llama_index.core.tools import RetrieverTool

from agentassert import AgentAssertionError, assert_that, capture

# An agent as you would write it, with a tool that retrieves. Nothing here knows that it will be tested.


class Menu(BaseRetriever):
    """Finds what is on the menu; yours would ask an index."""

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [NodeWithScore(node=TextNode(text="On Friday, the soup is of pumpkins."), score=0.8)]


def reserve_table(guests: int, day: str) -> dict[str, Any]:
    """Reserve a table in our restaurant."""
    return {"day": day, "table": "by the window", "guests": guests}


def host(model: LLM) -> FunctionAgent:
    """The agent; a test gives it a model."""
    menu = RetrieverTool.from_defaults(Menu(), name="read_menu", description="Read the menu.")
    return FunctionAgent(name="host", llm=model, system_prompt="You reserve tables.", tools=[menu, reserve_table])


# The script: what the model answers, request by request, so that this example needs no key and no network.

SCRIPT = [
    [ToolCallBlock(tool_call_id="c1", tool_name="read_menu", tool_kwargs={"input": "Friday"})],
    [ToolCallBlock(tool_call_id="c2", tool_name="reserve_table", tool_kwargs={"guests": 2, "day": "Friday"})],
    "A table by the window, for two. There will be pumpkin soup.",
]


class ScriptedModel(MockFunctionCallingLLM):
    """Answers the first request with the first step of the script, and so on."""

    async def astream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> Any:
        """Answer by the number of answers that the conversation holds."""
        step = SCRIPT[sum(message.role == "assistant" for message in messages)]
        content = {"content": step} if isinstance(step, str) else {"blocks": step}

        async def parts() -> Any:
            yield ChatResponse(message=ChatMessage(role="assistant", **content))

        return parts()


async def ask(question: str) -> None:
    """Run the agent as a program does."""
    await host(ScriptedModel()).run(user_msg=question)


def main() -> None:
    """Capture one invocation, and assert on it."""
    with capture() as cap:
        asyncio.run(ask("A table for two on Friday, please. What is the soup?"))

    print("1. A chain that passes\n")
    chain = (
        assert_that(cap)
        .has_succeeded()
        .has_tools_executed_in_order("read_menu", "reserve_table")
        .has_tool_executed_with("reserve_table", {"guests": 2, "day": "Friday"})
        .has_no_more_tool_executions()
        .has_retrieved_source_containing("pumpkin")
        .has_own_chat_model_call_count(3)
    )
    print(chain)

    print("\n2. An assertion that fails, and what it says\n")
    try:
        assert_that(cap).has_tool_executed_with("reserve_table", {"day": "Saturday"})
    except AgentAssertionError as error:
        print(error)


if __name__ == "__main__":
    main()
