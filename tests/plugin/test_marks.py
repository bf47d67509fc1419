"""What the mark `agentassert` may say; anything else keeps the run from starting, and names the fix."""

from __future__ import annotations

import pytest

WRONG = {
    "": "says nothing; write what is wanted by name, as in all_checked=True or runs=5, success_threshold=80",
    "True": "True has no name; write what is wanted by name, *",
    "all_cheked=True": "knows no 'all_cheked'; did you mean 'all_checked'?",
    "all_checked=1": "all_checked must be True or False, but is 1",
    "runs=0": "runs must be a whole number from 1 to 100, but is 0",
    "runs=True": "runs must be a whole number from 1 to 100, but is True",
    "runs='5'": "runs must be a whole number from 1 to 100, but is '5'",
    "runs=101": "runs must be a whole number from 1 to 100, but is 101",
    "runs=5, success_threshold=0.8": "success_threshold must be a whole number from 1 to 100, but is 0.8",
    "runs=5, success_threshold=101": "success_threshold must be a whole number from 1 to 100, but is 101",
    "success_threshold=80": "success_threshold says how many of several runs must pass: give runs, too, as in runs=5",
    "runs=5, success_confidence=95": "success_confidence must be a number between 0.5 and 1, or None, but is 95",
    "runs=5, success_threshold=80, success_confidence=0.95": "5 runs cannot show with a confidence of 0.95 that 80 % pass, even if all do: "
    "set runs to 11",
}


@pytest.mark.parametrize("arguments", WRONG)
def test_what_is_wrong_with_a_mark_is_an_error_of_usage_that_names_the_fix(project, arguments):
    project.tests(f"""
        @pytest.mark.agentassert({arguments})
        def test_it():
            pass
    """)
    ran = project.run()
    assert ran.ret == pytest.ExitCode.USAGE_ERROR
    told = f"ERROR: test_it.py:18: test_it: @pytest.mark.agentassert(…): {WRONG[arguments]}"
    ran.stderr.fnmatch_lines([told.replace("[", "[[]")])


def test_the_mark_is_known(project):
    project.tests("""
        @pytest.mark.agentassert(runs=2)
        def test_it():
            pass
    """)
    project.run("--strict-markers").assert_outcomes(passed=1)
    project.run("--markers").stdout.fnmatch_lines(["@pytest.mark.agentassert(all_checked=False, runs=1, *"])


def test_of_several_marks_each_argument_is_taken_from_the_nearest(project):
    project.tests("""
        @pytest.mark.agentassert(runs=3, all_checked=True)
        class TestIt:
            @pytest.mark.agentassert(runs=2)
            def test_it(self, captured):
                support(1)
                assert_that(captured).has_tool_executed("cancel")
    """)
    ran = project.run("-v")
    ran.stdout.fnmatch_lines(["*FAILED (0 of 1 runs passed)*", "*not checked before*", "*100 % of 2 are asked for*"])
