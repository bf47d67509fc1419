from assertpy2 import assert_that

called = [{"name": "cancel_booking", "arguments": {"booking_number": "MS-777"}}]
assert_that(called).contains({"name": "cancel_booking", "arguments": {"booking_number": "MS-777"}})
