"""What the built package must do where nothing but its own dependencies is installed."""

from __future__ import annotations

import importlib.resources
import importlib.util

from agentassert import AgentAssertionError, assert_that, capture, record

if importlib.util.find_spec("langchain_core"):
    raise SystemExit("this environment is meant to have no framework")
if not importlib.resources.files("agentassert").joinpath("py.typed").is_file():
    raise SystemExit("the package carries no py.typed")

with capture() as cap, record.invocation("support_agent"):
    record.tool_execution("lookup", {"booking_number": "MS-777"}, result={"customer": "Ann"})

assert_that(cap).has_tool_executed_with("lookup", {"booking_number": "MS-777"}).has_no_more_tool_executions()
try:
    assert_that(cap).has_tool_executed_with("lookup", {"booking_number": "MS-778"})
except AgentAssertionError as error:
    print(error)
else:
    raise SystemExit("an assertion that had to fail passed")
