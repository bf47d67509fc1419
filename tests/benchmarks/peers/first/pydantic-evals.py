import logfire
from pydantic_evals import Case, Dataset
from pydantic_evals.evaluators import HasMatchingSpan

logfire.configure(send_to_logfire=False, console=False)


def cancel(question: str) -> str:
    with logfire.span("cancel_booking", booking_number="MS-777"):
        return "ok"


called = HasMatchingSpan({"name_equals": "cancel_booking", "has_attributes": {"booking_number": "MS-777"}})
report = Dataset(name="bookings", cases=[Case(inputs="Cancel MS-777")], evaluators=[called]).evaluate_sync(cancel, progress=False)
assert all(one.value for one in report.cases[0].assertions.values())
