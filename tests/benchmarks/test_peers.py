"""The contest is fair to those who take part, and the page about performance says what was recorded."""

from __future__ import annotations

import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.benchmarks import run
from tests.benchmarks.peers.contests import CHECKS, SIZES, Contest
from tests.benchmarks.peers.environments import Environments
from tests.benchmarks.peers.goals import goals
from tests.benchmarks.peers.page import PAGE, PICTURES, TABLES, blocks, page, read
from tests.benchmarks.peers.plots import plots
from tests.benchmarks.peers.running import OverCapError, Worker, take_turns

CELLS = """
from worker import timed


def endless(size):
    def work(_):
        while True:
            pass

    return timed(object, work)


CELLS = {
    "sum": lambda size: timed(lambda: range(size), lambda numbers: sum(numbers) > 0),
    "endless": endless,
    "wrong": lambda size: timed(object, lambda _: False),
}
"""


class Here(Environments):
    """The environment of this test, for all."""

    def have(self, name):
        return True

    def python(self, name):
        return Path(sys.executable)


@pytest.fixture
def worker(tmp_path):
    file = tmp_path / "cells.py"
    file.write_text(CELLS)
    worker = Worker(Here(tmp_path), "here", file)
    yield worker
    worker.stop()


def test_the_page_is_what_the_recorded_figures_give():
    text = PAGE.read_text("utf-8")
    assert text == page(text, read())


def test_the_page_has_every_table_once():
    assert sorted(blocks(PAGE.read_text("utf-8"))) == sorted(TABLES)


def test_the_pictures_are_what_the_recorded_figures_give():
    assert {file.name: file.read_text("utf-8") for file in PICTURES.iterdir()} == plots(read())


@pytest.mark.parametrize("name", ["checks.svg", "costs.svg"])
def test_a_picture_is_small_and_well_formed(name):
    text = plots(read())[name]
    assert ElementTree.fromstring(text).tag.endswith("svg")
    assert len(text.encode()) < 60_000


def test_the_recorded_figures_are_those_of_the_pinned_versions():
    pinned, recorded = Environments(Path()).pinned, read()["versions"]
    wanted = {
        name: dict(one.split("==") for one in [*pinned["everywhere"], *ones]) for name, ones in pinned["environments"].items()
    }
    wanted = {name: {one.partition("[")[0]: number for one, number in ones.items()} for name, ones in wanted.items()}
    assert {name: recorded[name] | ones for name, ones in wanted.items()} == recorded


def test_a_recorded_check_ends_with_the_cap_or_with_the_last_size():
    for name in CHECKS:
        for by_size in read()["checks"][name].values():
            sizes, all_but_last = list(by_size), list(by_size.values())[:-1]
            assert sizes == [str(size) for size in SIZES][: len(sizes)]
            assert None not in all_but_last
            assert len(sizes) == len(SIZES) or by_size[sizes[-1]] is None


def test_work_is_done_in_another_process(worker):
    few, many = (worker.seconds("sum", size, cap=60) for size in (10, 1_000_000))
    assert 0 < few < many


def test_what_takes_longer_than_the_cap_is_ended_and_the_next_one_begins_anew(worker):
    with pytest.raises(OverCapError):
        worker.seconds("endless", 10, cap=0.2)

    assert worker.seconds("sum", 10, cap=60) > 0


def test_a_wrong_verdict_stops_the_contest(worker, capfd):
    with pytest.raises(RuntimeError, match="the cell 'wrong' of 10 in the environment 'here' ended with 1"):
        worker.seconds("wrong", 10, cap=60)

    assert "expected to pass, but said False" in capfd.readouterr().err


def test_turns_are_taken_and_who_comes_first_changes():
    taken = []
    turns = {name: lambda name=name: taken.append(name) or 1.0 for name in "abc"}

    assert take_turns(turns, rounds=3) == {"a": [1.0] * 3, "b": [1.0] * 3, "c": [1.0] * 3}
    assert "".join(taken) == "abcbcacab"


def test_who_is_over_the_cap_is_out_and_what_is_long_is_done_once():
    def over():
        raise OverCapError

    assert take_turns({"quick": lambda: 1.0, "long": lambda: 7.0, "over": over}, rounds=3) == {
        "quick": [1.0, 1.0, 1.0],
        "long": [7.0],
        "over": None,
    }


class Clock:
    """Stands for workers that need so many seconds for an execution."""

    def __init__(self, seconds):
        self.seconds, self.asked = seconds, []

    def turn(self, environment, module, cell, size):
        self.asked.append((environment, size))
        return lambda: self.seconds[environment] * size


def test_what_is_bound_to_go_over_the_cap_is_not_run(tmp_path):
    (check,) = [one for one in CHECKS.values() if "agentevals `strict`" in one.contestants]
    seconds = dict.fromkeys(("agentassert", "deepeval", "pydantic-evals"), 1e-9) | {"agentevals": 1e-2}
    clock = Clock(seconds)

    measured = Contest(Here(tmp_path), cap=60, quick=False).check(clock, check)

    assert measured["agentevals `strict`"] == {"10": [0.1] * 5, "100": [1.0] * 5, "1000": [10.0], "10000": None}
    assert [size for environment, size in clock.asked if environment == "agentevals"] == [10, 100, 1_000]
    assert list(measured["agentassert"]) == [str(size) for size in SIZES]


def test_goals_are_about_the_median_of_the_ratios_within_rounds():
    figures = {
        "first": {"agentassert": [0.1, 0.2, 0.4], "deepeval": [2.0, 2.0, 4.0], "agentevals": [1.0, 1.0, 2.0]},
        "plugins": {"agentassert": [1.03, 2.05], "pytest alone": [1.0, 2.0]},
        "suites": {"cases": 2, "seconds": {}},
        "events": {"tool": {"bare": [1.0, 1.0], "agentassert": [2.0, 2.0], "opentelemetry": [6.0, 6.0]}},
        "checks": {
            "executed": {
                "agentassert": {"10": [2.0, 2.0]},
                "agentevals `superset`": {"10": [1.0, 4.0]},
                "a loop by hand": {"10": [1.0, 1.0]},
            }
        },
    }

    assert [(one.what, pytest.approx(one.value), one.value <= one.goal) for one in goals(figures)] == [
        ("import and a first assertion beside agentevals, the fastest of agentevals, deepeval, pydantic-evals", 0.2, False),
        ("what the installed plugin adds to a run of pytest", 30.0, False),
        ("what a capture adds to a tool execution beside a span of OpenTelemetry", 0.2, False),
        ("a tool was executed, 10: beside agentevals `superset`", 1.25, False),
    ]


@pytest.mark.parametrize("stamp", [None, "# Python 2.7.18\n"])
def test_an_environment_that_is_missing_or_out_of_date_is_not_used_without_leave_to_make_it(tmp_path, stamp):
    if stamp is not None:
        (tmp_path / "pytest").mkdir()
        (tmp_path / "pytest" / "requirements.txt").write_text(stamp)

    assert not Environments(tmp_path, may_install=False).have("pytest")


def test_quick_figures_are_not_recorded(capsys):
    with pytest.raises(SystemExit):
        run.main(["--quick", "--write"])

    assert "what --quick measures is not worth recording" in capsys.readouterr().err


def test_where_nothing_is_installed_a_quick_run_says_so(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(sys, "path", sys.path[:])  # of which a script replaces the first
    assert run.main(["--quick", "peers", "--environments", str(tmp_path)]) == 0
    assert "without those that are not installed: pytest, agentassert, agentevals" in capsys.readouterr().out
