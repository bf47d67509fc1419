"""An agent tested with pytest: a capture for the whole test, and one that may fail by chance. Run it here: `pytest`.

The settings beside it ask every test to check every tool execution that it captured.
"""

from __future__ import annotations

import itertools

import pytest

from agentassert import Capture, assert_that, capture, record, result_of

BOOKINGS = {"MS-777": "Ann", "MS-778": "Bob"}
WORDS = itertools.cycle(["is cancelled", "is no more", "is cancelled", "is cancelled", "is cancelled"])


@record.tool
def get_booking(number: str) -> dict[str, str]:
    return {"number": number, "customer": BOOKINGS[number]}


@record.tool
def cancel_booking(number: str, customer: str) -> str:
    return f"cancelled {number} of {customer}"


@record.agent
def support_agent(request: str) -> str:
    """Stands for an agent of any framework, whose model has a choice of words; see `quickstart.py` for a real one."""
    booking = get_booking(request.rpartition(" ")[2])
    cancel_booking(**booking)
    return f"{booking['customer']}, your booking {next(WORDS)}."


@pytest.mark.parametrize("number", BOOKINGS)
def test_cancels_the_booking_that_was_looked_up(number: str, captured: Capture) -> None:
    support_agent(f"Cancel {number}")
    assert_that(captured).has_tool_executed_with("get_booking", {"number": number})
    assert_that(captured).has_tool_executed_with("cancel_booking", {"customer": result_of("get_booking", "$.customer")})


def test_an_unknown_booking_is_not_cancelled() -> None:
    with capture(expecting_failure=True) as cap:
        support_agent("Cancel MS-999")
    assert_that(cap).has_failed_with(KeyError).has_tool_execution_failed("get_booking").has_no_tool_executions("cancel_booking")


@pytest.mark.agentassert(runs=5, success_threshold=80)
def test_says_that_it_is_cancelled_in_four_of_five_runs(captured: Capture) -> None:
    support_agent("Cancel MS-777")
    assert_that(captured).has_tools_executed_in_order("get_booking", "cancel_booking")
    assert_that(captured).output_text().contains("cancelled")
