"""The plugin beside others and in other processes: pytest-xdist, running event loops, pytest inside pytest, switched off, unused."""

from __future__ import annotations

import subprocess
import sys

import pytest

TESTS = """
    import itertools

    numbers = itertools.count(1)

    def test_fails():
        with capture() as cap:
            support("\\ud800")
        assert cap.output == "refunded"

    @pytest.mark.agentassert(all_checked=True)
    def test_leaves():
        with capture() as cap:
            support(2)
        assert_that(cap).has_tool_executed("cancel")

    @pytest.mark.agentassert(runs=3, success_threshold=60)
    def test_repeats():
        with capture() as cap:
            support(3)
        assert_that(cap).has_tool_executed("cancel")
        assert next(numbers) != 2

    def test_forgets():
        with capture() as cap:
            support(4)
"""


def test_processes_of_xdist_tell_all_of_it(project):
    pytest.importorskip("xdist")
    project.tests(TESTS)
    project.tests("@pytest.mark.agentassert(all_cheked=True)\ndef test_it(): pass", "test_wrong")
    ran = project.run_apart("-p", "agentassert", "-p", "xdist", "-n", "2", "-v")
    ran.assert_outcomes(passed=2, failed=2, errors=1, warnings=1)
    for line in (
        "*PASSED*test_repeats*",
        "*Captured agents*",
        "*cancel(number=*",
        "[[]all_checked] Expected the whole capture to have no more tool executions than those checked,",
        "*NothingCheckedWarning: nobody looked*",
        "test_wrong.py:17: test_it: @pytest.mark.agentassert(…): knows no 'all_cheked'; did you mean 'all_checked'?",
    ):
        ran.stdout.fnmatch_lines_random([line])


def test_a_block_inside_a_running_loop_is_watched(project):
    project.tests("""
        import asyncio

        @pytest.mark.agentassert(all_checked=True)
        def test_it():
            async def main():
                async with capture() as cap:
                    support(1)
                assert_that(cap).has_tool_executed("cancel")
            asyncio.run(main())
    """)
    ran = project.run()
    ran.assert_outcomes(failed=1)
    ran.stdout.fnmatch_lines(["*look_up(number=1)*"])


def test_what_pytest_runs_inside_a_test_belongs_to_the_inner_test(project):
    project.tests("""
        pytest_plugins = ["pytester"]

        def test_outer(pytester, captured):
            pytester.makepyfile('''
                from agentassert import capture

                def test_inner():
                    with capture("inner") as cap:
                        pass
            ''')
            pytester.runpytest_inprocess("-p", "agentassert").assert_outcomes(passed=1, warnings=1)
            assert captured.name == "outer"
    """)
    ran = project.run("-p", "pytester")
    ran.assert_outcomes(failed=1)
    assert "capture inner" not in ran.stdout.str()


def test_captures_work_without_the_plugin(project):
    project.tests("""
        def test_it():
            with capture() as cap:
                support(1)
            assert_that(cap)
            assert_that(cap).has_tool_executed("cancel")
    """)
    ran = project.run_apart("-p", "no:agentassert", "-W", "error")
    ran.assert_outcomes(passed=1)


def test_a_run_that_captures_nothing_imports_the_plugin_alone(project):
    project.file(
        "test_plain.py",
        """
        import sys

        import pytest

        @pytest.fixture(scope="module")
        def ours():
            yield sorted(name for name in sys.modules if name.split(".")[0] == "agentassert")

        @pytest.mark.parametrize("number", range(3))
        def test_it(ours, number):
            assert ours == ["agentassert", "agentassert.pytest_plugin"]
            assert {"attrs", "asyncio", "json"}.isdisjoint(sys.modules.keys() - before)

        before = set(sys.modules)
    """,
    )
    project.run_apart("-p", "agentassert").assert_outcomes(passed=3)


def test_the_plugin_itself_imports_only_what_pytest_has_imported():
    loads = (
        "import pytest, sys; before = set(sys.modules); import agentassert.pytest_plugin; print(*(sys.modules.keys() - before))"
    )
    loaded = subprocess.run([sys.executable, "-c", loads], capture_output=True, text=True, check=True).stdout.split()
    assert set(loaded) == {"agentassert", "agentassert.pytest_plugin"}


def test_a_module_that_is_captured_at_import_belongs_to_no_test(project):
    project.tests("""
        with capture("at import") as cap:
            support(1)

        def test_it():
            raise ValueError("no")
    """)
    ran = project.run()
    ran.assert_outcomes(failed=1)
    assert "Captured agents" not in ran.stdout.str()


def test_the_first_capture_of_a_process_is_watched_from_the_start(project):
    """Nothing of ours is loaded before this test runs."""
    project.file(
        "test_plain.py",
        """
        import pytest

        @pytest.mark.agentassert(all_checked=True)
        def test_it():
            from agentassert import assert_that, capture, record

            with capture() as cap, record.invocation("support"):
                record.tool_execution("look_up", {"number": 1})
            assert_that(cap).has_succeeded()
            assert_that(cap)
    """,
    )
    ran = project.run_apart("-p", "agentassert")
    ran.assert_outcomes(failed=1)
    ran.stdout.fnmatch_lines(["*look_up(number=1)*"])
