"""Snapshots in unittest, in notebooks, and in the documentation."""

from __future__ import annotations

import re
import subprocess
import sys
from textwrap import dedent
from types import SimpleNamespace

from agentassert.snapshots.summary import _written

RECORDED = """
    from agentassert import assert_that, capture, record

    def paid(n):
        with capture() as cap, record.invocation("shop"):
            record.tool_execution("pay", {"n": n}, result="ok")
        return assert_that(cap)
"""
UNITTEST = """
    import unittest

    class Pays(unittest.TestCase):
        def test_pays(self):
            for n in (1, 2):
                with self.subTest(n=n):
                    paid(n).matches_snapshot(f"paid {n}")

    class PaysLater(unittest.IsolatedAsyncioTestCase):
        async def test_pays(self):
            paid(1).matches_snapshot("paid 1")
"""


def unittest_run(folder, project, update):
    return subprocess.run(
        [sys.executable, "-m", "unittest", "test_pays"],
        cwd=folder,
        env={"AGENTASSERT_UPDATE": update, "PYTHONPATH": str(project)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_unittest_has_them_beside_the_test(tmp_path, project):
    (tmp_path / "test_pays.py").write_text(dedent(RECORDED) + dedent(UNITTEST), encoding="utf-8")
    missing = unittest_run(tmp_path, project, "0")
    assert "but there is no file __snapshots__/test_pays/paid 1.trajectory" in missing.stderr
    assert "To create it, for review: set AGENTASSERT_UPDATE=1 in the environment, and run it again" in missing.stderr
    created = unittest_run(tmp_path, project, "1")
    assert (created.returncode, created.stdout) == (0, "")
    for n in (1, 2):
        assert f"agentassert: created __snapshots__/test_pays/paid {n}.trajectory\n" in created.stderr


def test_a_notebook_has_them_in_its_folder_and_its_cells_may_run_again(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AGENTASSERT_UPDATE", "1")
    for n, use in ((1, "created"), (2, "updated")):
        cell = compile(f'{dedent(RECORDED)}\npaid({n}).matches_snapshot("paid")', "<cell 1>", "exec")
        exec(cell, {"__name__": "__main__"})
        assert capsys.readouterr().err == f"agentassert: {use} __snapshots__/paid.trajectory\n"


def test_the_page_shows_the_file_that_its_test_is_compared_with(project):
    page = (project / "docs" / "how-to" / "snapshots.md").read_text("utf-8")
    shown = re.findall(r"```none\n(.*?)```", page, re.DOTALL)
    kept = project / "docs" / "how-to" / "__snapshots__" / "snapshots" / "cancels a booking.trajectory"
    assert shown[0] == kept.read_text("utf-8")


def test_a_file_that_several_processes_wrote_is_said():
    def report(nodeid, use):
        return SimpleNamespace(nodeid=nodeid, agentassert_snapshots=f'{{"/x/paid.trajectory": "{use}"}}')

    reports = [report("test_a.py::test_two", "updated"), report("test_a.py::test_one", "created"), report("test_b.py::t", "used")]
    assert list(_written(reports)) == [
        "created /x/paid.trajectory",
        "  by test_a.py::test_one and test_a.py::test_two: give each a name of its own",
    ]
