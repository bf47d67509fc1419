"""`@pytest.mark.agentassert(runs=…)`."""

from __future__ import annotations

import pytest

CHANCE = """
    import itertools

    numbers = itertools.count(1)

    def lucky(*winning):
        number = next(numbers)
        with capture() as cap:
            support(number)
        assert_that(cap).has_tool_executed("cancel")
        assert number in winning, f"run {number} had no luck"
"""


@pytest.fixture
def repeated(project):
    def write(text, more=""):
        from textwrap import dedent

        project.tests(dedent(CHANCE) + dedent(text))
        return project

    return write


def test_enough_passing_runs_pass_the_test(repeated):
    ran = repeated("""
        @pytest.mark.agentassert(runs=5, success_threshold=80)
        def test_it():
            lucky(1, 3, 4, 5)
    """).run("-v")
    ran.assert_outcomes(passed=1)
    ran.stdout.fnmatch_lines(["test_it.py::test_it PASSED (4 of 5 runs passed)*"])


def test_too_few_passing_runs_fail_the_test(repeated):
    ran = repeated("""
        @pytest.mark.agentassert(runs=5, success_threshold=80)
        def test_it():
            lucky(1, 2, 4)
    """).run("-v")
    ran.assert_outcomes(failed=1)
    ran.stdout.fnmatch_lines(
        [
            "test_it.py::test_it FAILED (3 of 5 runs passed)*",
            "3 of 5 runs passed, and 80 % of 5 are asked for.",
            "*between 27.2 % and 85.7 %*",
            "run 3: AssertionError: run 3 had no luck",
            "run 5: AssertionError: run 5 had no luck",
            "*Captured agents in run 1 (passed)*",
            "*cancel(number=1) -> 'cancelled'*",
            "*Captured agents in run 5 (failed)*",
            "*cancel(number=5) -> 'cancelled'*",
            "FAILED (3 of 5 runs passed) test_it.py::test_it - *",
        ]
    )


def test_equal_problems_are_told_once_with_their_runs(repeated):
    ran = repeated("""
        @pytest.mark.agentassert(runs=3, success_threshold=30)
        def test_it():
            next(numbers)
            raise ValueError("no luck")
    """).run()
    ran.stdout.fnmatch_lines(["0 of 3 runs passed, and 30 % of 3 are asked for.", "*", "runs 1, 2, 3: ValueError: no luck"])


def test_a_test_stops_when_enough_passed(repeated):
    ran = repeated("""
        @pytest.mark.agentassert(runs=10, success_threshold=30)
        def test_it():
            lucky(2, 3, 4)

        def test_count():
            assert next(numbers) == 5
    """).run("-v")
    ran.assert_outcomes(passed=2)
    ran.stdout.fnmatch_lines(["*PASSED (3 of 4 runs passed)*"])


def test_a_test_stops_when_too_few_can_still_pass(repeated):
    ran = repeated("""
        @pytest.mark.agentassert(runs=10, success_threshold=80)
        def test_it():
            lucky(1)

        def test_count():
            assert next(numbers) == 5
    """).run()
    ran.assert_outcomes(passed=1, failed=1)
    ran.stdout.fnmatch_lines(["1 of 4 runs passed, and 80 % of 10 are asked for, so that further runs were of no use."])


def test_the_lower_bound_must_reach_the_threshold_where_a_confidence_is_asked_for(repeated):
    ran = repeated("""
        @pytest.mark.agentassert(runs=11, success_threshold=80, success_confidence=0.95)
        def test_it():
            lucky(*range(1, 11))
    """).run()
    ran.assert_outcomes(failed=1)
    ran.stdout.fnmatch_lines(["10 of 11 runs passed, and 80 % of 11 are asked for with a confidence of 0.95."])


def test_a_run_without_a_threshold_must_pass_each_time(repeated):
    ran = repeated("""
        @pytest.mark.agentassert(runs=3)
        def test_it():
            lucky(1, 3)
    """).run("-v")
    ran.stdout.fnmatch_lines(["*FAILED (1 of 2 runs passed)*"])


def test_each_run_has_fixtures_of_its_own_and_shares_those_of_wider_scope(repeated):
    ran = repeated("""
        made = []

        @pytest.fixture(scope="module")
        def wide():
            made.append("wide")
            yield
            made.append("wide gone")

        @pytest.fixture
        def own(wide):
            made.append("own")
            yield
            made.append("own gone")

        @pytest.mark.agentassert(runs=2)
        def test_it(own, tmp_path):
            assert list(tmp_path.iterdir()) == []
            (tmp_path / "left").touch()

        def test_after(wide):
            assert made == ["wide", "own", "own gone", "own", "own gone"]
    """).run()
    ran.assert_outcomes(passed=2)


def test_each_run_of_a_method_has_an_instance_of_its_own(repeated):
    ran = repeated("""
        class TestIt:
            made = []

            def setup_method(self):
                self.left = []

            @pytest.fixture(autouse=True)
            def own(self):
                assert self.left == []

            @pytest.mark.agentassert(runs=3)
            @pytest.mark.parametrize("number", [1])
            def test_it(self, number):
                assert self not in self.made
                self.left.append(number)
                self.made.append(self)

            def test_count(self):
                assert len(self.made) == 3
    """).run()
    ran.assert_outcomes(passed=2)


def test_a_run_that_a_plugin_calls_failed_did_not_pass(repeated):
    project = repeated("""
        @pytest.mark.agentassert(runs=4, success_threshold=50)
        def test_passes(request):
            request.node.is_wrong = next(numbers) in (1, 3)

        @pytest.mark.agentassert(runs=4, success_threshold=50)
        def test_fails(request):
            request.node.is_wrong = next(numbers) != 6
    """)
    project.file(
        "conftest.py",
        """
        import pytest

        @pytest.hookimpl(wrapper=True)
        def pytest_runtest_makereport(item, call):
            report = yield
            if call.when == "call" and item.is_wrong:
                report.outcome, report.longrepr = "failed", "two checks failed"
            return report
    """,
    )
    ran = project.run("-v")
    ran.assert_outcomes(passed=1, failed=1)
    ran.stdout.fnmatch_lines(
        ["*test_passes PASSED (2 of 4 runs passed)*", "1 of 4 runs passed, and *", "runs 1, 3, 4: two checks failed"]
    )


def test_fixtures_of_wider_scope_end_with_the_last_run_when_nothing_follows(repeated):
    project = repeated("""
        @pytest.fixture(scope="module")
        def wide():
            yield
            print("wide gone")

        @pytest.mark.agentassert(runs=2)
        def test_it(wide):
            print("a run")
    """)
    project.tests("def test_other():\n    print('other')\n", "test_other")
    ran = project.run("-s", "test_it.py", "test_other.py")
    shown = [line for line in ran.outlines if line.endswith(("a run", "wide gone", "other"))]
    assert [line.rpartition(".py ")[2] for line in shown] == ["a run", "a run", ".wide gone", "other"]


def test_all_runs_of_a_parametrised_test_are_its_own(repeated):
    ran = repeated("""
        @pytest.mark.parametrize("number", [1, 2])
        @pytest.mark.agentassert(runs=3, success_threshold=60)
        def test_it(number):
            assert number == 1
    """).run("-v")
    ran.assert_outcomes(passed=1, failed=1)
    ran.stdout.fnmatch_lines(["*[[]1] PASSED (2 of 2 runs passed)*", "*[[]2] FAILED (0 of 2 runs passed)*"])


def test_each_run_is_checked_on_its_own(repeated):
    ran = repeated("""
        @pytest.mark.agentassert(runs=2, success_threshold=50, all_checked=True)
        def test_it():
            with capture() as cap:
                support(1)
            assert_that(cap).has_tool_executed("look_up")
            if next(numbers) == 2:
                assert_that(cap).has_tool_executed("cancel")
    """).run("-v")
    ran.stdout.fnmatch_lines(["*PASSED (1 of 2 runs passed)*"])


def test_a_capture_that_the_runs_share_is_called_so(repeated):
    ran = repeated("""
        @pytest.fixture(scope="module")
        def cap():
            with capture() as cap:
                support(1)
            return cap

        @pytest.mark.agentassert(runs=2)
        def test_it(cap):
            assert_that(cap).has_tool_executed("cancel")
    """).run()
    ran.stdout.fnmatch_lines(["*SharedChecksWarning: this capture was asserted on by test_it.py::test_it (run 1) before*"])


def test_a_fixture_that_fails_is_a_run_that_did_not_pass(repeated):
    ran = repeated("""
        @pytest.fixture
        def asked():
            lucky(2, 3)

        @pytest.mark.agentassert(runs=3, success_threshold=60)
        def test_it(asked):
            pass

        @pytest.mark.agentassert(runs=3, success_threshold=60)
        def test_again(asked):
            pass
    """).run("-v")
    ran.assert_outcomes(passed=1, errors=1)
    ran.stdout.fnmatch_lines(
        ["*test_it PASSED (2 of 3 runs passed)*", "0 of 2 runs passed, and *", "run 1: setup: AssertionError: run 4 had no luck"]
    )


def test_a_fixture_that_cannot_be_torn_down_is_an_error_beside_the_outcome(repeated):
    ran = repeated("""
        @pytest.fixture
        def broken():
            yield
            lucky(2)

        @pytest.mark.agentassert(runs=2)
        def test_it(broken):
            pass
    """).run("-v")
    ran.assert_outcomes(passed=1, errors=1)


def test_a_test_that_is_skipped_is_skipped_once(repeated):
    ran = repeated("""
        @pytest.mark.agentassert(runs=5)
        @pytest.mark.skip(reason="not today")
        def test_marked():
            pass

        @pytest.mark.agentassert(runs=5)
        def test_skips():
            pytest.skip("no server")
    """).run("-rs")
    ran.assert_outcomes(skipped=2)


def test_a_run_that_is_skipped_after_others_hides_no_failure(repeated):
    ran = repeated("""
        @pytest.mark.agentassert(runs=4, success_threshold=75)
        def test_it():
            if next(numbers) > 1:
                pytest.skip("no server")
            raise ValueError("no")
    """).run("-v")
    ran.assert_outcomes(failed=1)
    ran.stdout.fnmatch_lines(["run 2: it was skipped after a run that was not: *no server"])


def test_an_expected_failure_is_expected_of_the_whole(repeated):
    ran = repeated("""
        @pytest.mark.xfail(strict=True)
        @pytest.mark.agentassert(runs=5, success_threshold=80)
        def test_fails():
            lucky(1, 2, 4)

        @pytest.mark.xfail(strict=True)
        @pytest.mark.agentassert(runs=2, success_threshold=50)
        def test_passes():
            lucky(7)
    """).run("-v")
    ran.assert_outcomes(xfailed=1, failed=1)
    ran.stdout.fnmatch_lines(["*XPASS(strict)*"])


def test_the_first_failure_that_stops_is_that_of_a_test_and_not_of_a_run(repeated):
    project = repeated("""
        @pytest.mark.agentassert(runs=3, success_threshold=60)
        def test_passes():
            lucky(2, 3, 5)

        @pytest.mark.agentassert(runs=3, success_threshold=60)
        def test_fails():
            lucky(5)

        def test_after():
            pass
    """)
    project.run("-x").assert_outcomes(passed=1, failed=1)


def test_an_error_that_stops_the_session_stops_the_runs(repeated):
    ran = repeated("""
        @pytest.fixture
        def broken():
            yield
            next(numbers)
            raise ValueError("no")

        @pytest.mark.agentassert(runs=5)
        def test_it(broken):
            print("a run")
    """).run("-x", "-s")
    ran.assert_outcomes(errors=1)
    assert ran.stdout.str().count("a run") == 1


def test_fixtures_are_shown_and_nothing_is_run_when_that_is_asked_for(repeated):
    ran = repeated("""
        @pytest.mark.agentassert(runs=5)
        def test_it(tmp_path):
            print("a run")
    """).run("--setup-only", "-s")
    assert ran.stdout.str().count("SETUP    F tmp_path") == 1
    assert "a run" not in ran.stdout.str()


def test_the_debugger_opens_in_the_run_that_fails(repeated):
    project = repeated("""
        @pytest.mark.agentassert(runs=3, success_threshold=60)
        def test_it():
            lucky(1, 3)
    """)
    project.file(
        "conftest.py",
        """
        import pdb, sys

        class Debugger(pdb.Pdb):
            def interaction(self, frame, traceback):
                print("LOOKING AT", traceback and str(sys.last_value).splitlines()[0])
    """,
    )
    ran = project.run("--pdb", "--pdbcls=conftest:Debugger", "-v")
    ran.assert_outcomes(passed=1)
    ran.stdout.fnmatch_lines(["LOOKING AT run 2 had no luck", "*PASSED (2 of 3 runs passed)*"])


def test_what_runs_print_is_shown_with_the_failure(repeated):
    ran = repeated("""
        @pytest.mark.agentassert(runs=2, success_threshold=100)
        def test_it(caplog):
            print("run", next(numbers))
            assert caplog.records == []
            assert next(numbers) != 4
    """).run()
    ran.stdout.fnmatch_lines(["*Captured stdout call*", "run 1", "run 3"])


def test_junit_tells_how_many_runs_passed(repeated):
    project = repeated("""
        @pytest.mark.agentassert(runs=2)
        def test_it():
            pass
    """)
    project.run("--junit-xml=junit.xml")
    assert '<property name="agentassert_runs" value="2 of 2 runs passed"' in (project.pytester.path / "junit.xml").read_text(
        "utf-8"
    )


@pytest.mark.parametrize("style", ["long", "short", "line", "native", "no"])
def test_every_traceback_style_tells_how_many_runs_passed(repeated, style):
    ran = repeated("""
        @pytest.mark.agentassert(runs=2)
        def test_it():
            lucky(1)
    """).run(f"--tb={style}")
    ran.stdout.fnmatch_lines(["FAILED (1 of 2 runs passed) test_it.py::test_it*"])


def test_the_html_report_is_given_the_captures_of_all_runs(repeated):
    import json

    class Reports:
        def pytest_runtest_logreport(self, report):
            if report.when == "call":
                self.told = json.loads(report.agentassert_captures)

    reports = Reports()
    project = repeated("""
        @pytest.mark.agentassert(runs=3, success_threshold=60)
        def test_it():
            lucky(1, 3)
    """)
    project.pytester.inline_run("-p", "agentassert", "--agentassert-html", "report.html", plugins=[reports])
    assert [one["run"] for one in reports.told] == [1, 2, 3]


def test_a_test_without_a_capture_is_repeated_too(project):
    project.file(
        "test_plain.py",
        """
        import itertools, pytest

        numbers = itertools.count(1)

        @pytest.mark.agentassert(runs=3, success_threshold=60)
        def test_it():
            assert next(numbers) != 2
    """,
    )
    project.run("-v").stdout.fnmatch_lines(["*PASSED (2 of 3 runs passed)*"])
