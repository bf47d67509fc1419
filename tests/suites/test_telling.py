"""What `agentassert test` tells of what agents, builders and people did that no result was made for."""

from __future__ import annotations

import json

import pytest

FAILING = "tests: [{name: a, payload: x, builder: made, expected_result: output == 'no'}]"
PAIR = "tests: [{name: a, payload: x}, {name: b, payload: x}]"


def _builder(project, body):
    project.write("tests/builders/made.py", f"def build(context, *given):\n    {body}\n    return 'x'\n")


def _strictly(constant):
    raise ValueError(f"{constant} is no JSON")


def test_a_context_that_is_no_json_is_shown_in_the_json(project):
    _builder(project, "context.update(db=object(), rate=float('nan'), raw=b'x', password='hunter2'); context[3] = {1}")
    project.suite(FAILING)
    ran = project.test("--json")
    (shown,) = json.loads(ran.out, parse_constant=_strictly)["cases"][0]["failed_runs"]["shown"]
    assert shown["run_context"] == {"db": "<object object>", "rate": "nan", "raw": "b'x'", "password": "***", "3": [1]}


@pytest.mark.parametrize("arguments", [(), ("--json",)])
def test_characters_that_the_encoding_does_not_have_are_told_all_the_same(project, arguments):
    project.agent("def support(payload):\n    return '\\ud800 \\U0001f600'")
    project.suite("tests: [{name: \U0001f600 مرحبا, payload: x, expected_result: output == 'no'}]")
    ran = project.in_a_process("-m", "agentassert", "test", *arguments, PYTHONIOENCODING="cp1252")
    assert (ran.code, ran.err) == (1, "")
    assert "output was" in ran.out
    if arguments:
        assert ran.case["test_name"] == "\U0001f600 مرحبا"


def test_a_character_that_is_none_passes_between_processes(project):
    pytest.importorskip("xdist", reason="spreading tests needs pytest-xdist")
    project.agent("def support(payload):\n    return '\\ud800'")
    project.suite("tests: [{name: a, payload: x, expected_result: output == 'no'}]")
    ran = project.in_a_process("-m", "agentassert", "test", "--json", "-n", "1", PYTEST_DISABLE_PLUGIN_AUTOLOAD="")
    assert (ran.code, ran.json["status"]) == (1, "failed")


@pytest.mark.parametrize("left", ["pytest.skip('no network')", "pytest.fail('called')", "sys.exit(0)"])
def test_a_run_that_is_left_has_not_passed(project, left):
    project.agent(f"import pytest, sys\ndef support(payload):\n    {left}")
    project.suite("tests: [{name: a, payload: x, builder: made}]")
    project.write("tests/builders/made.py", "def build(*given):\n    return 'x'\ndef cleanup(*given):\n    return False\n")
    ran = project.test("--json")
    assert (ran.code, ran.err, ran.json["status"]) == (1, "", "failed")
    assert "the run was left by" in ran.case["failure_reason"]
    assert "cleanup() returned False" in ran.case["failure_reason"]


def test_a_skipped_test_is_told(project):
    project.suite(PAIR)
    project.write("conftest.py", "import pytest\ndef pytest_runtest_setup(item):\n    item.name == 'a' and pytest.skip('slow')\n")
    ran = project.test("--json")
    assert [case["test_name"] for case in ran.json["cases"]] == ["b"]
    assert (ran.code, ran.err) == (0, "tests/support.yaml::a: Skipped: slow\n")


def test_when_every_test_is_skipped_nothing_has_passed(project):
    project.suite(PAIR)
    project.write("conftest.py", "import pytest\ndef pytest_runtest_setup(item):\n    pytest.skip('slow')\n")
    ran = project.test()
    assert (ran.code, ran.err.splitlines()[-1]) == (1, "agentassert: none of 2 tests was run")


def test_an_interrupted_run_is_cancelled(project):
    project.agent("def support(payload):\n    if payload == 'stop':\n        raise KeyboardInterrupt\n    return 'x'")
    project.suite("tests: [{name: a, payload: x}, {name: b, payload: stop}, {name: c, payload: x}]")
    ran = project.test("--json")
    assert (ran.code, ran.json["status"], len(ran.json["cases"])) == (1, "cancelled", 1)
    assert ran.err == "agentassert: cancelled after 1 test\n"


def test_prints_of_the_modules_of_agents_stay_out_of_the_coverage(project):
    project.agent("print('noise')\ndef support(payload):\n    return 'x'")
    project.suite(PAIR)
    ran = project.run("coverage", "--json")
    assert [agent["name"] for agent in ran.json["agents"]] == ["support"]
    assert ran.err == "noise\n"


def test_a_suites_folder_that_is_not_there_is_an_error(project):
    project.settings('suites = ["tests", "chekcs"]')
    project.suite(PAIR)
    ran = project.test()
    assert (ran.code, ran.out) == (1, "")
    assert "there are no suites in chekcs, which `suites` in [tool.agentassert] names" in ran.err


def test_agents_and_builders_find_the_modules_of_the_project_from_any_folder(project, monkeypatch):
    project.agent("def support(payload):\n    import lazily_imported_helper\n    return lazily_imported_helper.WORD")
    project.write("lazily_imported_helper.py", "WORD = 'here'\n")
    _builder(project, "import lazily_imported_helper")
    project.suite("tests: [{name: a, builder: made, expected_result: output == 'here'}]")
    monkeypatch.chdir(project.root / "tests")
    assert project.test().code == 0


def test_an_empty_object_of_a_builder_stays_an_object(project):
    project.agent("def support(payload):\n    return type(payload).__name__")
    project.write("tests/builders/made.py", "def build(*given):\n    return {}\n")
    project.suite("tests: [{name: a, builder: made, expected_result: output == 'dict'}]")
    assert project.test().code == 0
