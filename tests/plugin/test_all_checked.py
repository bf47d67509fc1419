"""`@pytest.mark.agentassert(all_checked=True)`: strict stubs for agents."""

from __future__ import annotations

import pytest

FORGETS = """
    @pytest.mark.agentassert(all_checked=True)
    def test_cancels():
        with capture() as cap:
            support("MS-777")
        assert_that(cap).has_tool_executed("cancel")
"""


def test_a_test_that_leaves_an_execution_unchecked_fails_and_names_it(project):
    project.tests(FORGETS)
    ran = project.run()
    ran.assert_outcomes(failed=1)
    ran.stdout.fnmatch_lines(
        [
            "[[]all_checked] Expected the whole capture to have no more tool executions than those checked,",
            "but 1 execution was not checked before:",
            "*look_up(number='MS-777') -> {'number': 'MS-777'}",
        ]
    )
    assert "agentassert/plugin" not in ran.stdout.str()


def test_a_test_that_checks_everything_passes(project):
    project.tests("""
        @pytest.mark.agentassert(all_checked=True)
        def test_cancels():
            with capture() as cap:
                support("MS-777")
            assert_that(cap).has_tool_executed("look_up")
            assert_that(cap).has_tool_executed("cancel")
    """)
    project.run().assert_outcomes(passed=1)


def test_every_capture_of_the_test_counts(project):
    project.tests("""
        @pytest.mark.agentassert(all_checked=True)
        def test_cancels(captured):
            with capture() as second:
                look_up(2)
            assert_that(second).has_tool_executed("look_up")
    """)
    project.run().assert_outcomes(failed=1)


def test_a_capture_of_a_fixture_that_traces_every_test_does_not_count(project):
    project.tests("""
        @pytest.fixture(autouse=True)
        def traced():
            with capture():
                yield

        @pytest.mark.agentassert(all_checked=True)
        def test_cancels():
            with capture() as cap:
                support(1)
            assert_that(cap).has_tools_executed_exactly_in_order("look_up", "cancel")
    """)
    project.run().assert_outcomes(passed=1)


@pytest.mark.parametrize("fixture", ["captured", "cap"])
def test_a_capture_that_the_test_asked_for_and_never_looked_at_counts(project, fixture):
    project.tests(f"""
        @pytest.fixture
        def cap():
            with capture() as cap:
                yield cap

        @pytest.mark.agentassert(all_checked=True)
        def test_cancels({fixture}):
            assert support(1) == "cancelled"
    """)
    project.run().stdout.fnmatch_lines(["but 2 executions were not checked before:"])


def test_a_capture_of_a_helper_counts(project):
    project.tests("""
        def ask():
            with capture():
                return support(1)

        @pytest.mark.agentassert(all_checked=True)
        def test_cancels():
            assert ask() == "cancelled"
    """)
    project.run().stdout.fnmatch_lines(["but 2 executions were not checked before:"])


def test_the_suites_of_a_project_check_what_they_expect(project):
    pytest.importorskip("yaml")
    project.file(
        "pyproject.toml", "[tool.agentassert]\nall_checked = true\n[tool.agentassert.agents]\nsupport = 'strict_agents:support'\n"
    )
    project.file(
        "strict_agents.py",
        "from agentassert import record\n\n@record.tool\ndef look_up(): ...\n\ndef support(payload):\n    look_up()\n",
    )
    project.file("tests/support.yaml", "tests: [{name: looks up, payload: x}]\n")
    project.pytester.syspathinsert()
    project.run("tests").assert_outcomes(passed=1)


def test_all_turns_of_a_capture_count(project):
    project.tests("""
        @pytest.mark.agentassert(all_checked=True)
        def test_cancels():
            with capture() as cap:
                support(1)
                support(2)
            for one in cap.invocations:
                assert_that(one).has_tool_executed("cancel")
    """)
    project.run().stdout.fnmatch_lines(["but 2 executions were not checked before:"])


def test_a_capture_of_a_wider_fixture_counts_for_the_test_that_asserts_on_it(project):
    project.tests("""
        @pytest.fixture(scope="module")
        def cap():
            with capture() as cap:
                support(1)
            return cap

        def test_nothing(cap):
            pass

        @pytest.mark.agentassert(all_checked=True)
        def test_cancels(cap):
            assert_that(cap).has_tool_executed("cancel")
    """)
    project.run().assert_outcomes(passed=1, failed=1)


@pytest.mark.parametrize(
    ("error", "outcomes"), [("AssertionError('mine')", {"failed": 1}), ("pytest.skip.Exception('mine')", {"skipped": 1})]
)
def test_a_test_that_ends_otherwise_is_left_alone(project, error, outcomes):
    project.tests(f"""
        @pytest.mark.agentassert(all_checked=True)
        def test_cancels():
            with capture() as cap:
                support("MS-777")
            raise {error}
    """)
    ran = project.run("-rs")
    ran.assert_outcomes(**outcomes)
    assert "not checked before" not in ran.stdout.str()


def test_a_capture_without_an_agent_leaves_nothing_unchecked(project):
    project.tests("""
        @pytest.mark.agentassert(all_checked=True)
        def test_nothing():
            with capture() as cap:
                pass
            assert cap.invocations == ()
    """)
    project.run().assert_outcomes(passed=1)


def test_a_failed_invocation_must_be_checked_like_any_other(project):
    project.tests("""
        @pytest.mark.agentassert(all_checked=True)
        def test_fails():
            with capture(expecting_failure=True) as cap, record.invocation("support"):
                raise ValueError("no")

        @pytest.mark.agentassert(all_checked=True)
        def test_fails_as_expected():
            with capture(expecting_failure=True) as cap, record.invocation("support"):
                raise ValueError("no")
            assert_that(cap).has_failed_with(ValueError)
    """)
    ran = project.run()
    ran.assert_outcomes(passed=1, failed=1)
    ran.stdout.fnmatch_lines(["*Expected invocation 'support' to have completed*"])


def test_the_question_itself_checks_nothing(project):
    project.tests("""
        @pytest.fixture
        def cap():
            with capture() as cap:
                support(1)
            yield cap
            assert cap.books.passed == ["has_tools_executed_exactly_in_order('look_up', 'cancel')"]

        @pytest.mark.agentassert(all_checked=True)
        def test_cancels(cap):
            assert_that(cap).has_tools_executed_exactly_in_order("look_up", "cancel")
    """)
    project.run().assert_outcomes(passed=1)


def test_a_project_can_ask_it_of_every_test(project):
    project.file("pyproject.toml", "[tool.agentassert]\nall_checked = true\n")
    project.tests(FORGETS.replace("@pytest.mark.agentassert(all_checked=True)", ""))
    ran = project.run()
    ran.assert_outcomes(failed=1)
    ran.stdout.fnmatch_lines(["[[]tool.agentassert.all_checked] Expected the whole capture*"])


def test_a_test_can_be_left_out_of_what_its_project_asks(project):
    project.file("pyproject.toml", "[tool.agentassert]\nall_checked = true\n")
    project.tests(FORGETS.replace("all_checked=True", "all_checked=False"))
    project.run().assert_outcomes(passed=1)


def test_the_nearest_mark_decides(project):
    project.tests("""
        @pytest.mark.agentassert(all_checked=True)
        class TestCancelling:
            def test_strictly(self, captured):
                support(1)
                assert_that(captured).has_tool_executed("cancel")

            @pytest.mark.agentassert(all_checked=False)
            def test_loosely(self, captured):
                support(1)
                assert_that(captured).has_tool_executed("cancel")
    """)
    project.run().assert_outcomes(passed=1, failed=1)


def test_a_mark_for_an_expected_failure_holds(project):
    project.tests("    @pytest.mark.xfail(strict=True)" + FORGETS)
    project.run().assert_outcomes(xfailed=1)


@pytest.mark.parametrize("style", ["auto", "long", "short", "native", "no"])
def test_every_traceback_style_shows_it_in_its_way(project, style):
    project.tests(FORGETS)
    ran = project.run(f"--tb={style}")
    ran.assert_outcomes(failed=1)
    assert ("look_up(number=" in ran.stdout.str()) == (style != "no")
    assert "INTERNALERROR" not in ran.stdout.str()


def test_the_test_is_to_blame_and_not_the_plugin(project):
    project.tests(FORGETS)
    ran = project.run("--tb=line", "--show-capture=no")
    ran.stdout.fnmatch_lines(["*/test_it.py:18: Failed: [[]all_checked] Expected the whole capture*"])


@pytest.mark.skipif(not hasattr(pytest, "Subtests"), reason="pytest has subtests of its own since version 9")
def test_a_test_whose_subtest_failed_is_not_asked_on_top(project):
    project.tests("""
        import unittest

        class TestCancelling(unittest.TestCase):
            @pytest.mark.agentassert(all_checked=True)
            def test_cancels(self):
                with self.subTest("cancels"):
                    with capture() as cap:
                        support(1)
                    assert_that(cap).has_tool_executed("refund")
    """)
    ran = project.run()
    assert ran.ret == pytest.ExitCode.TESTS_FAILED
    assert "[all_checked]" not in ran.stdout.str()
