"""Test classes of the standard library's `unittest`: everything works in them, under pytest and without it."""

from __future__ import annotations

import subprocess
import sys

import pytest

CLASS = """
    import unittest
    from agentassert import soft_assertions

    class CancellingTest(unittest.{kind}):
"""


@pytest.fixture
def unittests(project):
    def write(text, kind="TestCase"):
        from textwrap import dedent, indent

        project.tests(dedent(CLASS.format(kind=kind)) + indent(dedent(text), "    "))
        return project

    return write


def alone(project):
    """What `python -m unittest` says of the same tests."""
    command = [sys.executable, "-m", "unittest", "test_it"]
    return subprocess.run(command, cwd=project.pytester.path, capture_output=True, text=True, check=False, timeout=60)


def test_the_example_runs_as_it_stands():
    from pathlib import Path

    root = Path(__file__).parents[2]
    ran = subprocess.run([sys.executable, "examples/unittest_example.py"], cwd=root, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr.splitlines()[-1]) == (0, "OK"), ran.stderr


def test_the_example_runs_under_pytest(project):
    from pathlib import Path

    example = Path(__file__).parents[2] / "examples" / "unittest_example.py"
    project.file("test_example.py", example.read_text("utf-8"))
    outcomes = project.run("-W", "error::agentassert.NothingCheckedWarning").parseoutcomes()
    assert outcomes["passed"] == 5
    assert outcomes.keys() <= {"passed", "subtests passed"}


def test_a_capture_of_the_set_up_is_shown_with_the_failure(unittests):
    ran = unittests("""
        def setUp(self):
            self.cap = self.enterContext(capture("refund"))

        def test_cancels(self):
            support(7)
            assert_that(self.cap).has_tool_executed("refund")
    """).run()
    ran.assert_outcomes(failed=1)
    ran.stdout.fnmatch_lines(
        ["*Expected invocation 'support' to have executed 'refund'*", "*Captured agents*", "capture refund*"]
    )


def test_a_capture_of_the_set_up_that_a_test_does_not_need_is_no_reproach(unittests):
    unittests("""
        def setUp(self):
            self.cap = self.enterContext(capture())
            self.chain = assert_that(self.cap)

        def test_cancels(self):
            support(7)
            self.chain.has_tool_executed("cancel")

        def test_nothing(self):
            self.assertTrue(True)
    """).run().assert_outcomes(passed=2, warnings=0)


def test_a_capture_that_a_test_method_ignores_is_warned_of(unittests):
    ran = unittests("""
        def test_cancels(self):
            with capture() as cap:
                support(7)
    """).run()
    ran.assert_outcomes(passed=1, warnings=1)
    ran.stdout.fnmatch_lines(["*NothingCheckedWarning: nobody looked*"])


def test_a_capture_of_the_class_is_shared(unittests):
    ran = unittests("""
        @classmethod
        def setUpClass(cls):
            with capture() as cls.cap:
                support(7)

        def test_one(self):
            assert_that(self.cap).has_tool_executed("cancel")

        def test_two(self):
            assert_that(self.cap).has_tool_executed("look_up")
    """).run()
    ran.assert_outcomes(passed=2, warnings=1)
    ran.stdout.fnmatch_lines(
        ["*SharedChecksWarning: this capture was asserted on by test_it.py::CancellingTest::test_one before*"]
    )


def test_soft_assertions_are_told_together(unittests):
    project = unittests("""
        def test_cancels(self):
            with capture() as cap:
                support(7)
            with soft_assertions():
                assert_that(cap).has_tool_executed("refund")
                assert_that(cap).has_tool_executed("notify")
    """)
    project.run().stdout.fnmatch_lines(["*2 soft assertions failed:*", "*'refund'*", "*'notify'*"])
    assert "2 soft assertions failed" in alone(project).stderr


@pytest.mark.parametrize("kind", ["TestCase", "IsolatedAsyncioTestCase"])
def test_the_mark_holds_on_methods(unittests, kind):
    ran = unittests(
        f"""
        {"async " * (kind != "TestCase")}def test_cancels(self):
            with capture() as cap:
                support(7)
            assert_that(cap).has_tool_executed("cancel")

        test_cancels = pytest.mark.agentassert(all_checked=True)(test_cancels)
    """,
        kind,
    ).run()
    ran.assert_outcomes(failed=1)
    ran.stdout.fnmatch_lines(["[[]all_checked] Expected*", "*look_up(number=7)*"])


def test_a_failure_of_the_test_itself_comes_before_what_it_left_unchecked(unittests):
    ran = unittests("""
        @pytest.mark.agentassert(all_checked=True)
        def test_cancels(self):
            with capture() as cap:
                support(7)
            self.fail("mine")
    """).run()
    ran.assert_outcomes(failed=1)
    ran.stdout.fnmatch_lines(["*AssertionError: mine*"])
    assert "all_checked]" not in ran.stdout.str()


@pytest.mark.parametrize("kind", ["TestCase", "IsolatedAsyncioTestCase"])
def test_each_run_has_an_instance_of_its_own(unittests, kind):
    ran = unittests(
        f"""
        runs = []

        def setUp(self):
            self.cap = self.enterContext(capture())
            self.runs.append(self)

        @pytest.mark.agentassert(runs=3, success_threshold=60)
        {"async " * (kind != "TestCase")}def test_cancels(self):
            support(len(self.runs))
            assert_that(self.cap).has_tool_executed_times("cancel", 1)
            self.assertNotEqual(len(self.runs), 2)

        def test_zero(self):
            self.assertEqual(len(set(map(id, self.runs))), 4)
    """,
        kind,
    ).run("-v")
    ran.assert_outcomes(passed=2)
    ran.stdout.fnmatch_lines(["*PASSED (2 of 3 runs passed)*"])


@pytest.mark.parametrize("kind", ["TestCase", "IsolatedAsyncioTestCase"])
def test_subtests_fail_one_by_one_with_their_own_captures(unittests, kind):
    project = unittests(
        f"""
        {"async " * (kind != "TestCase")}def test_cancels(self):
            for number in (1, 2, 3):
                with self.subTest(number=number), capture() as cap:
                    support(number)
                    assert_that(cap).has_tool_executed_with("cancel", {{"number": 2}})
    """,
        kind,
    )
    ended = alone(project)
    assert "FAILED (failures=2)" in ended.stderr
    assert "number=1" in ended.stderr
    assert "number=3" in ended.stderr
    assert project.run().ret == pytest.ExitCode.TESTS_FAILED


def test_the_async_context_of_the_set_up_holds_what_the_test_awaits(unittests):
    project = unittests(
        """
        async def asyncSetUp(self):
            self.cap = await self.enterAsyncContext(capture(on_doubt="fail"))

        async def test_cancels(self):
            support(7)
            assert_that(self.cap).has_tools_executed_exactly_in_order("look_up", "cancel")
    """,
        "IsolatedAsyncioTestCase",
    )
    project.run("-W", "error::agentassert.CaptureWarning").assert_outcomes(passed=1)
    assert alone(project).returncode == 0


def test_the_fixture_reaches_a_class_by_a_fixture_of_its_own(unittests):
    unittests("""
        @pytest.fixture(autouse=True)
        def _capture(self, captured):
            self.cap = captured

        def test_cancels(self):
            support(7)
            assert_that(self.cap).has_tool_executed("cancel")
    """).run().assert_outcomes(passed=1, warnings=0)


def test_expected_failures_and_skips_are_left_alone(unittests):
    unittests("""
        @unittest.expectedFailure
        def test_fails(self):
            with capture() as cap:
                support(7)
            self.fail("as expected")

        def test_skips(self):
            with capture() as cap:
                support(7)
            self.skipTest("not today")
    """).run().assert_outcomes(xfailed=1, skipped=1, warnings=0)
