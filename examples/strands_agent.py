"""Test what an agent of Strands does: offline, with a model that follows a script.

pip install -e ".[strands]" && python examples/strands_agent.py
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any

from strands import Agent, tool
from strands.hooks import BeforeToolCallEvent, HookProvider, HookRegistry
from strands.models import Model
from strands.types.interrupt import InterruptResponseContent

from agentassert import AgentAssertionError, assert_that, capture

# An agent as you would write it, with a hook that asks a person before money is paid. Nothing here knows that it will be tested.


@tool
def find_order(number: str) -> dict[str, Any]:
    """Find an order."""
    return {"number": number, "paid": 40}


@tool
def refund(number: str, amount: int) -> str:
    """Pay money back."""
    return f"paid {amount} for {number}"


class AskFirst(HookProvider):
    """Lets `refund` run only when somebody says yes."""

    def register_hooks(self, registry: HookRegistry, **kwargs: Any) -> None:
        """Be told of tools that are about to run."""
        registry.add_callback(BeforeToolCallEvent, self.ask)

    def ask(self, event: BeforeToolCallEvent) -> None:
        """Interrupt the run until there is an answer."""
        if event.tool_use["name"] == "refund" and event.interrupt("refund", reason=event.tool_use["input"]) != "y":
            event.cancel_tool = "not allowed"


def cashier(model: Model | None = None) -> Agent:
    """The agent; a test gives it another model than Strands' own default."""
    return Agent(name="cashier", model=model, tools=[find_order, refund], hooks=[AskFirst()], callback_handler=None)


# The script: what the model answers, request by request, so that this example needs no key and no network.

SCRIPT: list[tuple[str, Mapping[str, Any]] | str] = [
    ("find_order", {"number": "A-7"}),
    ("refund", {"number": "A-7", "amount": 40}),
    "You get 40 back.",
]


class ScriptedModel(Model):
    """Answers the first request with the first step of the script, and so on."""

    def update_config(self, **model_config: Any) -> None:
        """There is nothing to configure."""

    def get_config(self) -> dict[str, str]:
        """The model's name."""
        return {"model_id": "scripted"}

    def structured_output(self, *args: Any, **kwargs: Any) -> Any:
        """The script has none."""
        raise NotImplementedError

    async def stream(self, messages: Any, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        """Answer by the number of answers that the conversation holds."""
        for chunk in chunks_of(SCRIPT[sum(message["role"] == "assistant" for message in messages)]):
            yield chunk


def chunks_of(step: tuple[str, Mapping[str, Any]] | str) -> Iterator[dict[str, Any]]:
    """A step of the script as the events that models of Strands send."""
    yield {"messageStart": {"role": "assistant"}}
    if isinstance(step, str):
        yield {"contentBlockStart": {"start": {}}}
        yield {"contentBlockDelta": {"delta": {"text": step}}}
    else:
        name, arguments = step
        yield {"contentBlockStart": {"start": {"toolUse": {"name": name, "toolUseId": f"call-{name}"}}}}
        yield {"contentBlockDelta": {"delta": {"toolUse": {"input": json.dumps(arguments)}}}}
    yield {"contentBlockStop": {}}
    yield {"messageStop": {"stopReason": "end_turn" if isinstance(step, str) else "tool_use"}}


def main() -> None:
    """Capture one invocation, interrupted and resumed, and assert on it."""
    agent = cashier(ScriptedModel())
    with capture() as cap:
        result = agent("The lamp is broken, I want my money back")
        answers: list[InterruptResponseContent] = [
            {"interruptResponse": {"interruptId": interrupt.id, "response": "y"}} for interrupt in result.interrupts or ()
        ]
        agent(answers)

    print("1. A chain that passes\n")
    chain = (
        assert_that(cap)
        .has_succeeded()
        .has_tool_approved("refund")
        .has_tools_executed_exactly_in_order("find_order", "refund")
        .has_no_more_tool_executions()
        .has_own_chat_model_call_count(3)
    )
    print(chain)

    print("\n2. An assertion that fails, and what it says\n")
    try:
        assert_that(cap).has_tool_executed_with("refund", {"amount": 4})
    except AgentAssertionError as error:
        print(error)


if __name__ == "__main__":
    main()
