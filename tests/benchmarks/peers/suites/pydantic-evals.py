"""A dataset of so many cases, with the same three questions."""

import sys
import time

import logfire
from pydantic_evals import Case, Dataset
from pydantic_evals.evaluators import ArgumentCorrectness, Contains, ToolCorrectness

cases = int(sys.argv[1])
logfire.configure(send_to_logfire=False, console=False)


def support(payload: dict) -> dict:
    with logfire.span("execute_tool look_up", **{"gen_ai.tool.name": "look_up", "tool_arguments": payload}):
        return {"number": payload["number"], "status": "shipped"}


began = time.process_time()
written = [
    Case(
        name=f"looks order {number} up",
        inputs={"number": number},
        evaluators=(
            Contains({"number": number}),
            ArgumentCorrectness(tool_name="look_up", expected_arguments={"number": number}),
            ToolCorrectness(expected_tools=["look_up"], allow_extra=False),
        ),
    )
    for number in range(cases)
]
report = Dataset(name="support", cases=written).evaluate_sync(support, progress=False)
print(time.process_time() - began)
assert len(report.cases) == cases
assert all(one.value for case in report.cases for one in case.assertions.values()), report.cases[0]
