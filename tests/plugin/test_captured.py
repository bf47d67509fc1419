"""The fixture `captured`."""

from __future__ import annotations


def test_it_holds_what_agents_do_in_the_test(project):
    project.tests("""
        def test_cancels(captured):
            support("MS-777")
            assert_that(captured).has_tools_executed_exactly_in_order("look_up", "cancel")
    """)
    project.run().assert_outcomes(passed=1)


def test_it_begins_anew_in_each_test(project):
    project.tests("""
        @pytest.mark.parametrize("number", [1, 2])
        def test_cancels(captured, number):
            support(number)
            assert_that(captured).has_tool_executed_times("cancel", 1)
    """)
    project.run().assert_outcomes(passed=2)


def test_it_holds_what_later_fixtures_do(project):
    project.tests("""
        @pytest.fixture
        def cancelled():
            return support("MS-777")

        def test_cancels(captured, cancelled):
            assert_that(captured).has_tool_executed("cancel")
    """)
    project.run().assert_outcomes(passed=1)


def test_it_shows_up_among_the_fixtures(project):
    project.tests("")
    project.run("--fixtures").stdout.fnmatch_lines(["captured*", "*What agents do from here to the end of the test*"])
