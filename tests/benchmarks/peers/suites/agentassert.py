"""A suite of so many cases, as its users write it."""

import contextlib
import io
import sys
import time
from pathlib import Path

import pytest

AGENT = """
from agentassert import record


@record.tool
def look_up(number):
    return {"number": number, "status": "shipped"}


@record.agent
def support(payload):
    return look_up(payload["number"])
"""
CASE = """
  - name: looks order {number} up
    payload: '{{"number": {number}}}'
    expected_result: output.number == {number} and status == "completed"
    expected_tool_calls:
      - look_up: params.number == {number} and invocations == 1
    expected_no_tool_calls: [cancel]
"""

cases = int(sys.argv[1])
Path("tests").mkdir(exist_ok=True)
Path("tests/support.yaml").write_text("tests:" + "".join(CASE.format(number=number) for number in range(cases)), "utf-8")
Path("shop_agents.py").write_text(AGENT, "utf-8")
Path("pyproject.toml").write_text('[tool.agentassert.agents]\nsupport = "shop_agents:support"\n', "utf-8")
sys.path.insert(0, "")
began = time.process_time()
with contextlib.redirect_stdout(io.StringIO()) as said:
    assert pytest.main(["-q", "-p", "no:cacheprovider", "tests/support.yaml"]) == 0, said.getvalue()
print(time.process_time() - began)
assert f"{cases} passed" in said.getvalue(), said.getvalue()
