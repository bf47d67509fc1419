from agentassert import assert_that, capture, record

with capture() as cap, record.invocation("clerk"):
    record.tool_execution("cancel_booking", {"booking_number": "MS-777"}, result="ok")
assert_that(cap).has_tool_executed_with("cancel_booking", {"booking_number": "MS-777"})
