"""So many tests of pytest, each with assertions written by hand: what a suite cannot be faster than."""

import contextlib
import io
import sys
import time
from pathlib import Path

import pytest

TESTS = """
import pytest


def support(payload):
    return [("look_up", payload)], {{"number": payload["number"], "status": "shipped"}}


@pytest.mark.parametrize("number", range({cases}))
def test_looks_the_order_up(number):
    calls, output = support({{"number": number}})
    assert output["number"] == number
    assert [arguments["number"] for name, arguments in calls if name == "look_up"] == [number]
    assert not [name for name, _ in calls if name == "cancel"]
"""

cases = int(sys.argv[1])
Path("test_support.py").write_text(TESTS.format(cases=cases), "utf-8")
began = time.process_time()
with contextlib.redirect_stdout(io.StringIO()) as said:
    assert pytest.main(["-q", "-p", "no:cacheprovider", "test_support.py"]) == 0, said.getvalue()
print(time.process_time() - began)
assert f"{cases} passed" in said.getvalue(), said.getvalue()
