"""The program `agentassert test`."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

PASSING = """
    tests:
      - name: adds
        payload: '{"a": 4, "b": 6}'
        expected_result: output.id == 10
"""
FAILING = """
    tests:
      - name: adds
        payload: '{"a": 4, "b": 6}'
        expected_result: output.id == 11
"""
FLAKY = """
    runs = 0
    def support(payload):
        global runs
        runs += 1
        return "good" if runs % 5 else "bad"
"""


def test_all_tests_passing_is_exit_code_0(project):
    project.suite(PASSING)
    ran = project.test()
    assert (ran.code, ran.err) == (0, "")
    assert re.search(r"passed +support::adds +1/1 +100 %", ran.out)


def test_a_failing_test_is_exit_code_1_and_says_why(project):
    project.suite(FAILING)
    ran = project.test()
    assert ran.code == 1
    assert "support::adds (tests/support.yaml:3)" in ran.out
    assert "output.id was 10" in ran.out


def test_the_json_is_all_that_is_printed(project):
    project.suite(FAILING)
    ran = project.test("--json")
    assert ran.json["status"] == "failed"
    case = ran.case
    assert (case["agent_name"], case["test_name"], case["passed"]) == ("support", "adds", False)
    assert (case["successes"], case["runs"], case["success_threshold"]) == (0, 1, 100)
    assert case["agent_run_passed"] == [False]
    assert "output.id was 10" in case["failure_reason"]


def test_the_json_shows_what_failed_runs_did(project):
    project.suite(FAILING.replace("expected_result", "runs: 5\n        expected_result"))
    failed = project.test("--json").case["failed_runs"]
    assert failed["total_failed"] == 5
    assert len(failed["shown"]) == 3
    shown = failed["shown"][0]
    assert (shown["input"], shown["output"], shown["error"]) == ('{"a": 4, "b": 6}', '{"id": 10}', None)
    agent, tool = shown["traces"]
    assert (agent["name"], agent["status"], agent["parent_span_id"]) == ("support", "completed", None)
    assert (tool["name"], tool["status"], tool["parent_span_id"]) == ("add", "succeeded", agent["span_id"])
    assert '"arguments": {"a": 4, "b": 6}' in tool["metadata_json"]


def test_secrets_are_masked_in_the_json(project):
    project.agent(
        """
        @record.tool
        def log_in(password):
            return "ok"

        def support(payload):
            log_in("hunter2")
            return "no"
        """
    )
    project.suite("tests: [{name: a, payload: x, expected_result: output == 'yes'}]")
    assert "hunter2" not in project.test("--json").out


@pytest.mark.parametrize(("threshold", "code"), [(80, 0), (81, 1)])
def test_enough_of_the_runs_must_pass(project, threshold, code):
    project.agent(FLAKY)
    project.suite(f"tests: [{{name: a, payload: x, runs: 5, success_threshold: {threshold}, expected_result: output == 'good'}}]")
    ran = project.test("--json")
    assert (ran.code, ran.case["successes"], ran.case["runs"]) == (code, 4, 5)
    assert ran.case["agent_run_passed"] == [True] * 4 + [False]


def test_all_runs_are_made_even_when_it_is_decided(project):
    project.suite("tests: [{name: a, payload: x, runs: 4, expected_result: output == 'no'}]")
    assert project.test("--json").case["runs"] == 4


@pytest.mark.parametrize(("runs", "code"), [(20, 1), (100, 0)])
def test_a_confidence_asks_for_more_than_the_rate(project, runs, code):
    project.agent(FLAKY)
    project.suite(
        f"tests: [{{name: a, payload: x, runs: {runs}, success_threshold: 70, success_confidence: 0.95, expected_result: output == 'good'}}]"
    )
    ran = project.test("--json")
    assert ran.code == code
    lower, upper = ran.case["success_interval"]
    assert lower < 80 < upper
    assert (lower >= 70) is (code == 0)


def test_the_table_shows_the_interval(project):
    project.agent(FLAKY)
    project.suite(
        "tests: [{name: a, payload: x, runs: 20, success_threshold: 70, success_confidence: 0.95, expected_result: output == 'good'}]"
    )
    assert re.search(r"70 % at 95 % \([\d.]+ to [\d.]+ %\)", project.test().out)


def test_a_run_that_breaks_is_an_error_and_no_failure(project):
    project.write(
        "tests/builders/judged.py",
        """
        from agentassert import JudgeError

        def build(*given):
            return "x"

        def cleanup(*given):
            raise JudgeError("the judge did not answer")
        """,
    )
    project.suite("tests: [{name: a, builder: judged}]")
    ran = project.test("--json")
    assert ran.code == 2
    assert (ran.case["status"], ran.case["errors"], ran.case["successes"]) == ("error", 1, 0)
    assert ran.case["failure_reason"] == "error: JudgeError: the judge did not answer"


def test_a_hook_of_ours_that_breaks_is_an_error_and_no_failure(project):
    project.agent(
        """
        from agentassert import recorder

        def support(payload):
            recorder.report_fault("langchain", ValueError("broken"))
        """
    )
    project.suite("tests: [{name: a, payload: x}]")
    ran = project.test("--json", "--", "-W", "default")
    assert (ran.code, ran.case["errors"]) == (2, 1)
    assert "a hook of this library broke while the agent ran" in ran.case["failure_reason"]


def test_a_filter_picks_tests_by_a_part_of_their_name(project):
    project.suite("tests: [{name: adds two, payload: x}, {name: greets, payload: x}]")
    ran = project.test("--json", "--filter", "two")
    assert [case["test_name"] for case in ran.json["cases"]] == ["adds two"]


def test_a_filter_that_fits_no_test_is_an_error(project):
    project.suite(PASSING)
    ran = project.test("--filter", "nothing")
    assert (ran.code, ran.err) == (1, "agentassert: no test has a name that contains 'nothing'\n")


def test_the_environment_sets_variables_and_other_agents(project):
    project.settings(
        """
        default_environment = "local"
        [tool.agentassert.environments.local]
        variables = {CITY = "Rome"}
        [tool.agentassert.environments.staging]
        variables = {CITY = "Bergen"}
        agents = {support = "{module}:other"}
        """
    )
    project.agent(
        """
        import os
        def support(payload):
            return os.environ["CITY"]
        def other(payload):
            return "other in " + os.environ["CITY"]
        """
    )
    project.suite("tests: [{name: a, payload: x, expected_result: output == 'Rome'}]")
    assert project.test().code == 0
    told = project.test("--env", "staging", "--json")
    assert (told.code, told.json["environment"]) == (1, "staging")
    assert "output was 'other in Bergen'" in told.case["failure_reason"]


def test_variables_of_the_environment_are_gone_afterwards(project, monkeypatch):
    import os

    monkeypatch.setenv("CITY", "Oslo")
    project.settings(
        'default_environment = "local"\n[tool.agentassert.environments.local]\nvariables = {CITY = "Rome", TOWN = "x"}'
    )
    project.suite(PASSING)
    assert project.test().code == 0
    assert (os.environ["CITY"], os.environ.get("TOWN")) == ("Oslo", None)


def test_an_unknown_environment_is_an_error(project):
    project.settings("[tool.agentassert.environments.staging]")
    project.suite(PASSING)
    ran = project.test("--env", "stagin")
    assert ran.code == 1
    assert "did you mean 'staging'?" in ran.err


def test_without_a_table_the_program_says_what_to_write(project):
    project.write("pyproject.toml", "[project]\nname = 'x'\n")
    ran = project.test()
    assert ran.code == 1
    assert "there is no [tool.agentassert]" in ran.err
    assert "[tool.agentassert.agents]" in ran.err


def test_without_suites_there_is_nothing_to_run(project):
    assert project.test().err.startswith("agentassert: there are no suites")
    project.write("tests/notes.txt", "")
    assert project.test() == (1, "", "agentassert: there are no tests in the suites\n")


@pytest.mark.parametrize("path", ["tests/other.yaml", "elsewhere"])
def test_a_path_that_is_not_there_is_an_error(project, path):
    project.suite(PASSING)
    assert project.test(path) == (1, "", f"agentassert: {path}: there is no such file or folder\n")


def test_a_path_outside_the_suites_folders_is_an_error(project):
    project.suite(PASSING)
    project.write("elsewhere/a.yaml", PASSING)
    ran = project.test("elsewhere/a.yaml")
    assert ran.code == 1
    assert "this is not below the folders that hold suites (tests)" in ran.err


def test_a_path_picks_files(project):
    project.suite(PASSING)
    project.suite("agent: support\ntests: [{name: other, payload: x}]", "more")
    assert [case["test_name"] for case in project.test("--json", "tests/more.yaml").json["cases"]] == ["other"]


def test_python_tests_are_not_run(project):
    project.suite(PASSING)
    project.write("tests/test_more.py", "raise SystemExit('imported')")
    assert project.test().code == 0


def test_junit_xml_holds_the_same_results(project, tmp_path):
    project.suite("tests: [{name: good, payload: x}, {name: bad, payload: x, expected_result: output == 1}]")
    assert project.test("--junit-xml", "results.xml").code == 1
    tree = ElementTree.parse(tmp_path / "results.xml")
    cases = {case.get("name"): [child.tag for child in case] for case in tree.iter("testcase")}
    assert cases == {"good": [], "bad": ["failure"]}


def test_arguments_after_two_dashes_go_to_pytest(project):
    project.suite("tests: [{name: good, payload: x}, {name: bad, payload: x, expected_result: output == 1}]")
    assert [case["test_name"] for case in project.test("--json", "--", "-k", "good").json["cases"]] == ["good"]


def test_an_argument_that_pytest_does_not_take_is_told(project):
    project.suite(PASSING)
    ran = project.test("--", "--no-such-option")
    assert ran.code == 1
    assert "--no-such-option" in ran.err


def test_cases_spread_over_processes(project):
    pytest.importorskip("xdist", reason="spreading tests needs pytest-xdist")
    project.suite(
        "tests: [{name: good, payload: x}, {name: bad, payload: x, expected_result: output == 1}, {name: fine, payload: x}]"
    )
    ran = project.in_a_process("-m", "agentassert", "test", "--json", "-n", "2", "--", "-p", "xdist")
    assert ran.code == 1
    assert {case["test_name"]: case["passed"] for case in ran.json["cases"]} == {"good": True, "bad": False, "fine": True}


def test_a_forge_is_told_where_tests_failed(project, monkeypatch):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    project.suite(FAILING)
    assert "::error file=tests/support.yaml,line=3,title=support%3A%3Aadds::" in project.test().out
    told = project.test("--json")
    assert told.json["status"] == "failed"
    assert "::error" in told.err


def test_wrong_arguments_are_exit_code_1(project):
    with pytest.raises(SystemExit) as exit_:
        project.test("--no-such-option")
    assert exit_.value.code == 1


def test_the_package_is_the_same_program(project):
    project.suite(PASSING)
    ran = project.in_a_process("-m", "agentassert", "test")
    assert (ran.code, ran.err) == (0, "")
    assert "support::adds" in ran.out


def test_output_of_agents_stays_out_of_the_json(project):
    project.agent("def support(payload):\n    print('noise')\n    return 'x'")
    project.suite("tests: [{name: a, payload: x}]")
    assert project.test("--json").json["status"] == "passed"


def test_the_schema_is_printed(project):
    schema = project.run("schema")
    assert schema.code == 0
    assert schema.json["$schema"].endswith("2020-12/schema")
