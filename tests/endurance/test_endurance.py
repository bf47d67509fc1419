"""Small runs of what `python -m tests.endurance` does for as long as one likes, and whether it would notice."""

from __future__ import annotations

import re
import threading
import time
from collections import Counter

import attrs
import pytest

from agentassert import capture, record, recorder
from tests.adapters.kits import installed_kits, tolerate
from tests.endurance import crowd, work
from tests.endurance.crowd import Sizes, run_crowd
from tests.endurance.growth import growth_of
from tests.endurance.hammer import compare, hammer

PIECES = 12
SMALL = Sizes(threads=4, tasks=24, agents_per_thread=2)


@pytest.fixture
def kits():
    found = [kit for kit in installed_kits() if kit.random_run == "frameworks"]
    if not found:
        pytest.skip("no framework that takes part is installed here")
    tolerate(*found)
    return found


@pytest.mark.parametrize("kind", ["asserting", "failing", "expressing", "leaving_behind", "in_tasks"])
def test_nothing_grows(kind, tmp_path):
    grown = growth_of(work.pieces(tmp_path)[kind], PIECES, rounds=2)
    assert grown.complaints == []


def test_what_grows_is_named():
    kept = []

    def leak(number):
        with capture() as cap, record.invocation("support"):
            record.tool_execution("look_up", {"number": number})
        kept.append(cap)

    complaints = growth_of(leak, PIECES, rounds=2).complaints
    for what in ("1.00 of agentassert.captures.Capture", "1.00 of agentassert.recording.events.ToolEvent"):
        assert what in complaints
    assert re.fullmatch(r"\d+\.\d\d blocks of memory", complaints[-1])


def test_what_a_framework_keeps_by_itself_is_no_growth_of_ours():
    ours, theirs = [], []
    grown = growth_of(lambda number: ours.append({number}), PIECES, rounds=2)
    assert grown.complaints[0] == "1.00 of builtins.set"
    assert grown.without(growth_of(lambda number: theirs.append({number}), PIECES, rounds=2)).complaints == []


@pytest.mark.parametrize(("pieces", "rounds"), [(0, 3), (1, 1)])
def test_growth_needs_something_to_compare(pieces, rounds):
    with pytest.raises(ValueError, match=f"but there were to be {pieces} and {rounds}"):
        growth_of(print, pieces, rounds=rounds)


def test_threads_that_record_at_once_lose_nothing():
    hammered = hammer(seed=1, threads=16, rounds=2)
    assert hammered.wrong == []
    assert hammered.tools > 16 * 2 * 2


def test_what_two_threads_lose_sight_of_at_once_is_out_of_sight():
    class Slow(dict):
        def get(self, *args):
            found = super().get(*args)
            time.sleep(0.05)
            return found

    with capture() as cap:
        recorder.open_captures[-1].visibility = Slow(robots=frozenset({"sources", "approvals", "chat"}))
        threads = [threading.Thread(target=recorder.lose_sight, args=("robots", one)) for one in ("sources", "approvals")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert cap.visibility["robots"] == {"chat"}


def test_what_threads_lose_is_told():
    with capture() as cap, record.invocation("support"):
        record.tool_execution("look_up")
    wrong = []
    compare("here", cap, Counter({("look_up", "succeeded"): 2}), wrong)
    assert wrong == ["here: Counter({('look_up', 'succeeded'): 1}) is not there, and Counter() is too much"]


def test_a_crowd_is_recorded_as_it_was(kits):
    outcome = run_crowd(1, kits, SMALL)
    assert outcome.wrong == []
    assert outcome.agents > 24
    assert outcome.failed
    assert outcome.cut_off


@pytest.mark.parametrize("lost", ["tool_executions", "model_calls", "nested_invocations"])
def test_what_a_crowd_loses_is_told(kits, lost, monkeypatch):
    complete = crowd.by_name

    def incomplete(cap, outcome):
        return {name: attrs.evolve(one, **{lost: getattr(one, lost)[1:]}) for name, one in complete(cap, outcome).items()}

    monkeypatch.setattr(crowd, "by_name", incomplete)
    wrong = run_crowd(1, kits, attrs.evolve(SMALL, threads=2, tasks=8)).wrong
    for where in ("thread 0, in its own", "thread 1, in everything", "in its own: a", "in the desk's: a", "in everything: a"):
        assert any(one.startswith(where) for one in wrong), where
