"""The HTML report as pytest and `agentassert test` write it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from html import unescape
from textwrap import dedent

import pytest

from tests.suites.projects import Project

SHOP = """
    import pytest
    from agentassert import assert_that, capture, record

    def support(number="MS-778"):
        with capture(name="refund") as cap, record.invocation("support"):
            record.tool_execution("look_up", {"number": "MS-777"}, result="found")
            record.tool_execution("cancel", {"number": number}, result="ok")
        return cap

    def test_passes():
        assert_that(support("MS-777")).has_tool_executed_with("cancel", {"number": "MS-777"})

    def test_fails():
        print("about to cancel")
        assert_that(support()).has_tool_executed_with("cancel", {"number": "MS-777"})

    @pytest.mark.skip(reason="not today")
    def test_skips():
        pass

    @pytest.mark.xfail(reason="issue 41")
    def test_gap():
        assert False

    @pytest.mark.xfail(reason="issue 42")
    def test_gap_closed():
        pass

    @pytest.fixture
    def database():
        raise ConnectionError("no database")

    @pytest.fixture
    def leaky():
        yield
        raise OSError("still open")

    def test_breaks(database):
        pass

    def test_leaks(leaky):
        pass

    numbers = iter(["MS-777", "MS-778", "MS-777"])

    @pytest.mark.agentassert(runs=3, success_threshold=60)
    def test_often():
        assert_that(support(next(numbers))).has_tool_executed_with("cancel", {"number": "MS-777"})

    def test_logs_in():
        with capture(), record.invocation("support", input={"password": "hunter2"}):
            record.tool_execution("log_in", {"password": "hunter2"}, result={"token": "hunter2"})
        print("Authorization: Bearer hunter2hunter2hunter2")
        raise ValueError("password='hunter2'")
"""
ENDINGS = {
    "test_passes": "passed",
    "test_fails": "failed",
    "test_skips": "skipped",
    "test_gap": "xfailed",
    "test_gap_closed": "xpassed",
    "test_breaks": "error",
    "test_leaks": "error",
    "test_often": "passed",
    "test_logs_in": "failed",
}


def written(folder, name="report.html"):
    return (folder / name).read_text("utf-8")


def endings(page):
    rows = re.findall(r'class="test" data-ending="(\w+)" data-kinds="[^"]*" data-key="[^"]*?::([^"]*)"', page)
    return {unescape(name): ending for ending, name in rows}


def details(page, name):
    """The text of a test's details."""
    number = re.search(rf'id="test-(\d+)"[^>]*::{re.escape(name)}"', page)[1]
    return unescape(re.sub(r"<[^>]*>", "", details_html(page, number)))


def details_html(page, number):
    return json.loads(re.search(rf'id="details-{number}">(.*?)</script>', page)[1])


@pytest.fixture
def tests(pytester, monkeypatch):
    """Runs tests, given as the text of a file, with a report asked for."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)

    def run(text, *options):
        pytester.makepyfile(test_shop=text)
        return pytester.runpytest_subprocess("-p", "agentassert", "--agentassert-html=report.html", *options)

    return run


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """The report of the tests above, which are run once."""
    folder = tmp_path_factory.mktemp("shop")
    (folder / "test_shop.py").write_text(dedent(SHOP), "utf-8")
    (folder / "pytest.ini").write_text("[pytest]\n", "utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "agentassert", "--agentassert-html=report.html"]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}
    ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert "HTML report: file://" in ran.stdout
    return written(folder)


def test_each_test_is_listed_with_how_it_ended(shop):
    assert endings(shop) == ENDINGS
    assert '<h1><span class="bad">4 of 9 tests failed' in shop


def test_it_is_the_same_from_several_processes(tests, pytester):
    tests(SHOP, "-p", "xdist.plugin", "-n", "2")
    page = written(pytester.path)
    assert endings(page) == ENDINGS
    assert "$.number: expected 'MS-777', was 'MS-778'" in details(page, "test_fails")
    assert "look_up(number='MS-777')" in details(page, "test_passes")


def test_a_failure_is_told_with_its_message_its_traceback_its_output_and_its_captures(shop):
    shown = details(shop, "test_fails")
    assert "$.number: expected 'MS-777', was 'MS-778'" in shown
    assert "assert_that(support())" in shown
    assert "about to cancel" in shown
    assert "refund" in shown
    assert shown.count("Captured agents") == 0
    assert "<mark>8</mark>" in details_html(shop, 1)


def test_why_the_others_did_not_pass_is_told(shop):
    assert "not today" in details(shop, "test_skips")
    assert "issue 41" in details(shop, "test_gap")
    assert "issue 42" in details(shop, "test_gap_closed")
    assert "Error in setup" in details(shop, "test_breaks")
    assert "ConnectionError: no database" in details(shop, "test_breaks")
    assert "Error in teardown" in details(shop, "test_leaks")


def test_unchecked_executions_are_marked_in_tests_that_passed_too(shop):
    assert re.search(r'data-ending="passed" data-kinds="passed unchecked"[^>]*::test_passes', shop)
    assert "2 tool executions (1 unchecked)" in details(shop, "test_passes")


def test_each_run_of_a_repeated_test_shows_its_capture(shop):
    shown = details(shop, "test_often")
    assert "Capture 1 · run 1" in shown
    assert "2 of 3 runs passed" in shown


def test_the_capture_of_a_run_that_failed_says_so_and_why(shop):
    first, second, third = re.findall(r"Capture \d · .*?(?=Capture \d · |$)", details(shop, "test_often"), re.DOTALL)
    assert second.startswith("Capture 2 · run 2 (failed)")
    assert "$.number: expected 'MS-777', was 'MS-778'" in second
    assert "expected" not in first + third


@pytest.mark.skipif(not hasattr(pytest, "Subtests"), reason="pytest has subtests of its own since version 9")
def test_subtests_are_told_in_their_test(tests, pytester):
    tests(
        """
        def test_parts(subtests):
            for number in range(3):
                with subtests.test("part", number=number):
                    assert number != 1
        """
    )
    page = written(pytester.path)
    assert endings(page) == {"test_parts": "failed"}
    assert "Subtest failed: test_parts [part] (number=" in details(page, "test_parts")
    assert "number=2" not in details(page, "test_parts")


def test_a_file_that_cannot_be_collected_is_an_error(tests, pytester):
    ran = tests("import nowhere_to_be_found")
    page = written(pytester.path)
    assert ran.ret == pytest.ExitCode.INTERRUPTED
    assert endings(page) == {"collecting the tests": "error"}
    assert "No module named 'nowhere_to_be_found'" in details(page, "collecting the tests")


def test_an_interrupted_run_has_a_report_that_says_so(tests, pytester):
    tests(
        """
        import pytest

        def test_passes():
            pass

        @pytest.mark.agentassert(runs=3)
        def test_hangs():
            raise KeyboardInterrupt
        """
    )
    page = written(pytester.path)
    assert endings(page) == {"test_passes": "passed", "test_hangs": "error"}
    assert "stopped before every test had ended" in page
    assert "The test had not ended" in details(page, "test_hangs")


def test_a_run_that_stops_at_the_first_failure_says_so(tests, pytester):
    tests(SHOP, "-x")
    page = written(pytester.path)
    assert len(endings(page)) == 2
    assert "stopped before every test had ended" in page


def test_folders_are_made_a_report_is_replaced_and_nothing_is_left_beside_it(pytester, tests):
    folder = pytester.path / "reports" / "of"
    for headline in ("All 1 test passed", "No tests ran"):
        tests(
            "def test_passes(): pass", "--agentassert-html=reports/of/today.html", "-k", "passes" if "All" in headline else "no"
        )
        assert [file.name for file in folder.iterdir()] == ["today.html"]
        assert headline in written(folder, "today.html")


@pytest.mark.parametrize("file", ["", ".", "taken/report.html"])
def test_a_file_that_cannot_be_written_is_said_before_anything_runs(pytester, tests, file):
    (pytester.path / "taken").write_text("a file", "utf-8")
    ran = tests("def test_passes(): open('ran', 'w')", f"--agentassert-html={file}")
    assert ran.ret == pytest.ExitCode.USAGE_ERROR
    ran.stderr.fnmatch_lines(["*--agentassert-html: * cannot be written: *"])
    assert not (pytester.path / "ran").exists()


def test_a_file_that_cannot_be_written_in_the_end_is_said_and_fails_the_session(pytester, tests):
    ran = tests("import os\n\ndef test_passes(): os.mkdir('report.html')")
    ran.assert_outcomes(passed=1)
    assert ran.ret == pytest.ExitCode.TESTS_FAILED
    ran.stdout.fnmatch_lines(["--agentassert-html: *report.html could not be written: *"])


def test_secrets_are_masked_in_captures_messages_code_and_output(shop):
    assert "log_in" in details(shop, "test_logs_in")
    assert "ValueError: password=" in details(shop, "test_logs_in")
    assert "hunter2" not in shop


@pytest.mark.parametrize("processes", [(), ("-p", "xdist.plugin", "-n", "1")])
def test_warnings_of_ours_are_told_at_their_test(tests, pytester, processes):
    tests(
        """
        import warnings
        from agentassert import capture, record

        def test_looks_at_nothing():
            warnings.warn("of somebody else")
            with capture(), record.invocation("support"):
                pass

        def test_passes():
            pass
        """,
        "-W",
        "default",
        *processes,
    )
    page = written(pytester.path)
    shown = details(page, "test_looks_at_nothing")
    assert re.search(r"NothingCheckedWarningnobody looked at what was captured here: .*\ntest_shop\.py:6Capture", shown)
    assert "of somebody else" not in shown
    assert "Warning" not in details(page, "test_passes")
    assert re.findall(r'data-kinds="passed warned" data-key="[^"]*::(\w+)"', page) == ["test_looks_at_nothing"]
    assert 'data-kind="warned"' in page


def test_a_process_that_dies_is_an_error_of_its_test(tests, pytester):
    tests("import os\n\ndef test_dies(): os._exit(3)\n\ndef test_passes(): pass", "-p", "xdist.plugin", "-n", "1")
    page = written(pytester.path)
    assert endings(page) == {"test_dies": "error", "test_passes": "passed"}
    assert "crashed while running" in details(page, "test_dies")


def test_without_the_option_nothing_is_written(pytester, monkeypatch):
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makepyfile(test_shop="def test_passes(): pass")
    ran = pytester.runpytest_subprocess("-p", "agentassert")
    assert "HTML report" not in ran.stdout.str()
    assert not list(pytester.path.glob("**/*.html"))


@pytest.fixture
def project(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    made = Project(tmp_path, capsys)
    made.agent(
        """
        @record.tool
        def add(a, b):
            return a + b

        def support(payload):
            return {"id": add(payload["a"], payload["b"])}
        """
    )
    made.suite(
        """
        tests:
          - name: adds
            payload: '{"a": 4, "b": 6}'
            expected_result: output.id == 10
          - name: subtracts
            payload: '{"a": 4, "b": 6}'
            expected_result: output.id == -2
        """
    )
    return made


@pytest.mark.parametrize("processes", [(), ("-n", "2", "--", "-p", "xdist.plugin")])
def test_suites_have_the_same_report(project, processes):
    ran = project.test("--html", "out/report.html", *processes)
    page = written(project.root, "out/report.html")
    assert ran.code == 1
    assert f"HTML report: {(project.root / 'out/report.html').resolve().as_uri()}" in ran.err
    assert endings(page) == {"adds": "passed", "subtracts": "failed"}
    assert "output.id was 10" in details(page, "subtracts")
    assert "add(a=4, b=6)" in details(page, "subtracts")
    assert "add(a=4, b=6)" in details(page, "adds")
    assert "unchecked" not in details(page, "adds")


def test_suites_fail_if_the_file_cannot_be_written_in_the_end(project):
    project.agent("import os\n\ndef support(payload):\n    os.makedirs('report.html', exist_ok=True)\n    return {'id': 10}\n")
    ran = project.run("test", "--html", "report.html", "--filter", "adds")
    assert ran.code == 1
    assert "report.html could not be written" in ran.err
    assert "passed  support::adds" in ran.out


def test_suites_say_that_the_file_cannot_be_written(project):
    ran = project.run("test", "--html", ".")
    assert ran.code == 1
    assert "cannot be written" in ran.err
