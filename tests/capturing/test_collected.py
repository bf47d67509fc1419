"""What the garbage collector ends, in the middle of our own work: it comes wherever memory is taken, and may run any generator's end.

Each of these stopped for ever: what was interrupted held a lock, and what the collector ended wanted it.
"""

from __future__ import annotations

import subprocess
import sys
from textwrap import dedent

import pytest

HEAD = """
    import gc
    import threading
    import time

    import agentassert.recorder as recorder
    from agentassert import adapters, capture, record
    from agentassert.recording import threads

    def drop(block):
        around = []
        def generate():
            with block:
                yield around  # a cycle, so that only the collector finds it
        around.append(generate())
        next(around[0])

    def collecting(original):
        def collect(*args):
            collected.append(gc.collect())
            return original(*args)
        return collect

    collected = []
    gc.disable()
    with capture():
        pass
"""
CLOSES_A_CAPTURE = """
    {interrupted}
    drop(capture("dropped"))
    with capture() as cap, record.invocation("support"):
        record.tool_execution("look_up")
    assert any(collected)
    assert [one.name for one in cap.invocation.tool_executions] == ["look_up"]
    assert recorder.open_captures == ()
    with capture() as cap, record.invocation("support"):
        pass
    assert cap.invocation.status == "completed"
"""
INTERRUPTED = {
    "a capture that is opened": """
        class Guard:
            def __init__(self):
                self.lock = recorder._guard
            def __enter__(self):
                self.lock.__enter__()
                collected.append(gc.collect())
            def __exit__(self, *error):
                self.lock.__exit__(*error)
        recorder._guard = Guard()""",
    "a capture that is closed": "recorder.next_order = collecting(recorder.next_order)",
    "adapters that are switched on": "adapters._watcher().start = collecting(adapters._watcher().start)",
    "threads that are to be carried into": """
        class Lock:
            def __init__(self):
                self.lock = threads._lock
            def __enter__(self):
                self.lock.__enter__()
                collected.append(gc.collect())
            def __exit__(self, *error):
                self.lock.__exit__(*error)
        threads._lock = Lock()""",
}
ENDS_WHILE_WAITED = """
    threading.Condition.wait = collecting(threading.Condition.wait)

    def work():
        with record.invocation("support"):
            time.sleep(0.2)
            gc.collect()

    with capture() as cap:
        threading.Thread(target=work, daemon=True).start()
        drop(record.invocation("dropped"))
    assert {one.name: one.status for one in cap.invocations} == {"support": "completed", "dropped": "cancelled"}
"""
AT_THE_END = """
    block = capture("for ever")
    def generate():
        with block:
            yield
    kept = generate()
    next(kept)
"""


def ended(program):
    return subprocess.run([sys.executable, "-c", dedent(HEAD) + program], capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("interrupted", INTERRUPTED)
def test_a_dropped_capture_is_closed_in_the_middle_of(interrupted):
    program = dedent(CLOSES_A_CAPTURE).replace("{interrupted}", dedent(INTERRUPTED[interrupted]).strip())
    ran = ended(program)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_a_dropped_invocation_ends_while_its_capture_waits():
    ran = ended(dedent(ENDS_WHILE_WAITED))
    assert (ran.returncode, ran.stderr) == (0, "")


def test_a_capture_that_is_open_when_the_interpreter_ends_says_nothing():
    ran = ended(dedent(AT_THE_END))
    assert (ran.returncode, ran.stderr) == (0, "")
