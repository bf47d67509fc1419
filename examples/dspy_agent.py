"""Test what agents of DSPy do: offline, with a model that follows a script.

pip install -e ".[dspy]" && python examples/dspy_agent.py
"""

from __future__ import annotations

from typing import Any

import dspy
from dspy.utils import DummyLM

from agentassert import AgentAssertionError, assert_that, capture

# A program as you would write it. Nothing here knows that it will be tested.


def find_tables(day: str) -> list[str]:
    """Find the tables that are free."""
    return ["by the window"] if day == "Friday" else []


def reserve_table(guests: int, day: str, table: str) -> str:
    """Reserve a table in our restaurant."""
    return f"{day}: the table {table}, for {guests}"


class Reservation(dspy.Signature):
    """Reserve what the guest wishes for."""

    wish: str = dspy.InputField()
    reservation: str = dspy.OutputField()


class Host(dspy.Module):
    """It reserves, and answers in the language of the guest."""

    def __init__(self) -> None:
        super().__init__()
        self.reserve = dspy.ReAct(Reservation, tools=[find_tables, reserve_table])
        self.translate = dspy.Predict("text, language -> translation")

    def forward(self, wish: str, language: str) -> dspy.Prediction:
        """Answer."""
        reserved = self.reserve(wish=wish).reservation
        return dspy.Prediction(answer=self.translate(text=reserved, language=language).translation)


# The script: what the model answers, request by request, so that this example needs no key and no network.


def choose(tool: str, **arguments: Any) -> dict[str, Any]:
    """An answer that chooses a tool; `finish` is the one by which `ReAct` ends."""
    return {"next_thought": "", "next_tool_name": tool, "next_tool_args": arguments}


SCRIPT = [
    choose("find_tables", day="Friday"),
    choose("reserve_table", guests=2, day="Friday", table="by the window"),
    choose("finish"),
    {"reasoning": "It was reserved.", "reservation": "A table by the window, for two."},
    {"translation": "Ein Tisch am Fenster, für zwei."},
]


def main() -> None:
    """Capture an invocation, and assert on it."""
    with capture() as cap, dspy.context(lm=DummyLM(list(SCRIPT))):
        Host()(wish="A table for two on Friday, please", language="German")

    print("1. A chain that passes\n")
    chain = (
        assert_that(cap)
        .has_succeeded()
        .nested_invocation("Reservation")
        .has_tools_executed_exactly_in_order("find_tables", "reserve_table")
        .has_tool_executed_with("reserve_table", {"guests": 2, "day": "Friday"})
    )
    print(chain)

    print("\n2. An assertion that fails, and what it says\n")
    try:
        assert_that(cap).nested_invocation("Reservation").has_tool_executed_with("reserve_table", {"day": "Sunday"})
    except AgentAssertionError as error:
        print(error)


if __name__ == "__main__":
    main()
