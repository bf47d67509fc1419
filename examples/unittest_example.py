"""An agent tested with the standard library's `unittest`. Run it: `python examples/unittest_example.py`."""

from __future__ import annotations

import unittest

from agentassert import assert_that, capture, execution_of, record, soft_assertions

BOOKINGS = {"MS-777": "Ann", "MS-778": "Bob"}


@record.tool
def get_booking(booking_number: str) -> dict[str, str]:
    return {"customer": BOOKINGS[booking_number]}


@record.tool
def cancel_booking(booking_number: str) -> str:
    return f"cancelled {booking_number}"


@record.agent
def support_agent(request: str) -> str:
    """Stands for an agent of any framework; see `examples/openai_agents.py` for a real one."""
    booking_number = request.rpartition(" ")[2]
    customer = get_booking(booking_number)["customer"]
    return f"{customer}, your booking is {cancel_booking(booking_number)}."


@record.agent
async def support_agent_async(request: str) -> str:
    return support_agent(request)


class CancellingTest(unittest.TestCase):
    def setUp(self) -> None:
        self.cap = self.enterContext(capture())

    def test_cancels_the_booking_that_was_looked_up(self) -> None:
        support_agent("Cancel MS-777")
        assert_that(self.cap).has_tools_executed_in_order(
            execution_of("get_booking", {"booking_number": "MS-777"}),
            execution_of("cancel_booking", {"booking_number": "MS-777"}),
        ).has_no_more_tool_executions()

    def test_whatever_is_wrong_is_said_at_once(self) -> None:
        support_agent("Cancel MS-777")
        with soft_assertions():
            assert_that(self.cap).has_tool_executed_with("get_booking", {"booking_number": "MS-777"})
            assert_that(self.cap).has_tool_executed_with("cancel_booking", {"booking_number": "MS-777"})
            assert_that(self.cap).output_text().starts_with("Ann")

    def test_every_customer_is_called_by_name(self) -> None:
        for booking_number, customer in BOOKINGS.items():
            with self.subTest(booking_number), capture() as cap:
                support_agent(f"Cancel {booking_number}")
                assert_that(cap).output_text().starts_with(customer)

    def test_an_unknown_booking_is_not_cancelled(self) -> None:
        with capture(expecting_failure=True) as cap:
            support_agent("Cancel MS-999")
        assert_that(cap).has_failed_with(KeyError).has_no_tool_executions("cancel_booking")


class AsynchronousTest(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        self.cap = await self.enterAsyncContext(capture())

    async def test_cancels_the_booking(self) -> None:
        await support_agent_async("Cancel MS-778")
        assert_that(self.cap).including_nested().has_tool_executed_with("cancel_booking", {"booking_number": "MS-778"})


if __name__ == "__main__":
    unittest.main()
