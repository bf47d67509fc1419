"""Test a conversation turn by turn: what was asked, remembered, done and said. Run it: `python examples/conversation.py`."""

from __future__ import annotations

from agentassert import AgentAssertionError, assert_that, record
from agentassert.conversations import conversation


@record.tool
def reserve(crossing: str, seats: int) -> str:
    """Reserve seats on a ferry."""
    return f"{seats} seats to {crossing}"


class FerryClerk:
    """Asks for what is missing, then reserves."""

    def __init__(self) -> None:
        self._crossing: str | None = None

    def __call__(self, message: str) -> str:
        if "ferry" in message:
            record.flow("book_ferry")
            return "Where do you want to go?"
        if self._crossing is None:
            self._crossing = message
            record.slot("crossing", message)
            return "How many seats?"
        record.slot("seats", int(message))
        done = reserve(self._crossing, int(message))
        record.flow("book_ferry", "completed")
        return f"Reserved: {done}."


def main() -> None:
    """Book a ferry in three turns, and look at what happened in each."""
    with conversation(FerryClerk()) as talk:
        assert_that(talk.say("A ferry, please")).has_flow_started("book_ferry").has_bot_uttered(text_matching="Where")
        assert_that(talk.say("Moss")).has_slot_set("crossing", "Moss").has_bot_uttered(text_matching="How many")
        last = talk.say("2")
        assert_that(last).has_action_executed("reserve").has_flow_completed("book_ferry")
        assert_that(last.invocation).has_tool_executed_with("reserve", {"crossing": "Moss", "seats": 2})

    booked = assert_that(talk.conversation).in_order()
    booked.has_slot_set("crossing", "Moss").has_slot_set("seats", 2).has_action_executed("reserve")
    print("Three turns, as they should be.\n")

    try:
        assert_that(talk.conversation.turn(1)).has_slot_set("crossing", "Bergen")
    except AgentAssertionError as error:
        print(error)


if __name__ == "__main__":
    main()
