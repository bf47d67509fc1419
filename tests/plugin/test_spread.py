"""The same run in one process and spread over four by pytest-xdist: same outcomes and messages, and nothing lost or written twice."""

from __future__ import annotations

import json
import re
from collections import Counter
from xml.etree import ElementTree

import pytest

from agentassert import Capture
from tests.suites.projects import Project

TESTS = """
    from pathlib import Path

    HERE = Path(__file__).parent

    @pytest.fixture
    def cap(request):
        with capture(request.node.name) as cap:
            support(request.node.name)
        cap.append_to(HERE / "all.jsonl")
        return cap

    @pytest.mark.parametrize("number", range(12))
    def test_passes(cap, number):
        assert_that(cap).has_tool_executed("look_up").has_tool_executed("cancel")

    @pytest.mark.parametrize("number", range(12))
    def test_fails(cap, number):
        assert_that(cap).has_tool_executed(f"refund_{number}")

    @pytest.mark.parametrize("number", range(6))
    @pytest.mark.agentassert(all_checked=True)
    def test_leaves(cap, number):
        assert_that(cap).has_tool_executed("cancel")

    @pytest.mark.parametrize("number", range(6))
    @pytest.mark.agentassert(runs=3, success_threshold=60)
    def test_repeats(number):
        with capture(f"run of {number}") as cap:
            support(number)
        cap.append_to(HERE / "all.jsonl")
        assert_that(cap).has_tool_executed("cancel" if next(RUNS[number]) != 1 else "refund")

    RUNS = [iter(range(3)) for _ in range(6)]

    @pytest.mark.parametrize("number", range(6))
    def test_forgets(cap, number):
        pass

    @pytest.mark.parametrize("number", range(6))
    def test_snapshot(cap, number):
        assert_that(cap).matches_snapshot(f"number {number}", ignoring=["$.number"])
"""
OUTCOMES = {"passed": 12 + 6 + 6 + 6, "failed": 12 + 6}


@pytest.fixture
def spread(project):
    pytest.importorskip("xdist", reason="spreading tests needs pytest-xdist")
    project.tests(TESTS)
    project.run_apart("-p", "agentassert", "--agentassert-update", "-k", "snapshot").assert_outcomes(passed=6, deselected=42)
    (project.pytester.path / "all.jsonl").unlink()
    return project


def told(project, *arguments):
    """What a run says of each test: in its XML, in its HTML, in the captures that its tests stored, and in its warnings."""
    written = project.pytester.path / "all.jsonl"
    ran = project.run_apart("-p", "agentassert", "--junit-xml=out.xml", "--agentassert-html=out.html", *arguments)
    cases = ElementTree.parse(project.pytester.path / "out.xml").getroot().iter("testcase")
    page = (project.pytester.path / "out.html").read_text("utf-8")
    stored = Counter(one.name for one in Capture.load_all(written))
    written.unlink()
    return {
        "outcomes": ran.parseoutcomes(),
        "cases": sorted((case.get("name"), [(one.tag, untimed(one.get("message") or "")) for one in case]) for case in cases),
        "page": sorted(re.findall(r'data-ending="(\w+)" data-kinds="([^"]*)" data-key="([^"]*)"', page)),
        "stored": stored,
    }


def untimed(text):
    return re.sub(r"\d+(\.\d+)? m?s\b", "0 s", text)


def test_a_run_over_four_processes_tells_the_same(spread):
    alone, together = told(spread), told(spread, "-p", "xdist", "-n", "4")
    assert {name: alone["outcomes"][name] for name in OUTCOMES} == OUTCOMES
    assert len(alone["cases"]) == 48
    assert alone["stored"].total() == 42 + 6 * 3
    assert alone["page"]
    assert together == alone


def test_suites_over_four_processes_are_told_the_same(tmp_path, monkeypatch, capsys):
    pytest.importorskip("xdist", reason="spreading tests needs pytest-xdist")
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    shop = Project(tmp_path, capsys)
    shop.agent("def support(payload):\n    return len(payload)\n")
    for name in ("first", "second"):
        cases = "".join(f"  - {{name: n{n}, payload: {'x' * n}, expected_result: output < 4}}\n" for n in range(1, 9))
        shop.suite(f"agent: support\ntests:\n{cases}", name)
    alone = shop.in_a_process("-m", "agentassert", "test", "--json")
    together = shop.in_a_process("-m", "agentassert", "test", "--json", "-n", "4", "--", "-p", "xdist")
    assert (alone.code, together.code) == (1, 1), alone.err + together.err
    assert len(alone.json["cases"]) == 16
    assert Counter(case["passed"] for case in alone.json["cases"]) == {True: 6, False: 10}
    assert results(together) == results(alone)


def results(ran):
    """What was told of each case, but for how long it took."""
    return sorted(re.sub(r'(_ms": )[\d.]+', r"\1 0", untimed(json.dumps(case, sort_keys=True))) for case in ran.json["cases"])
