"""From files to suites: which files are suites, and every mistake said at once, in its line, before anything runs."""

from __future__ import annotations

import sys

import pytest

from agentassert.suites.discovery import suite_files, suites_directory_of
from agentassert.suites.loading import load_suite, load_suites
from agentassert.suites.problems import MOST_SHOWN, Problem, SuiteError, shown_path
from tests.suites.suite_files import Files, one_test

ONE = "tests: [{name: a, payload: b}]\n"


@pytest.fixture
def files(tmp_path):
    return Files(tmp_path / "tests")


def found(files):
    return [file.relative_to(files.directory).as_posix() for file, _ in suite_files([files.directory])]


def test_suites_are_found_in_all_folders_in_the_order_of_their_paths(files):
    for name in ("b.yaml", "a/z.yaml", "a/b/c.YAML", "notes.txt", "test_a.py"):
        files.write(name, ONE)
    assert found(files) == ["a/b/c.YAML", "a/z.yaml", "b.yaml"]


def test_hidden_files_and_what_suites_use_are_no_suites(files):
    for name in (".hidden.yaml", ".cache/a.yaml", "files/order.yaml", "builders/a.yaml", "mocks/deep/a.yaml", "a/files/b.yaml"):
        files.write(name, ONE)
    assert found(files) == ["a/files/b.yaml"]


def test_the_nearest_suites_directory_is_that_of_a_file(tmp_path):
    outer, inner = tmp_path / "tests", tmp_path / "tests" / "shop"
    Files(inner).write("files/a.yaml", ONE)
    suite = Files(inner).write("b.yaml", ONE)
    assert list(suite_files([outer, inner])) == [(suite, inner)]


def test_a_directory_that_is_not_there_holds_no_suites(tmp_path):
    assert list(suite_files([tmp_path / "nowhere"])) == []
    assert suites_directory_of(tmp_path / "a.yaml", []) is None
    assert suites_directory_of(tmp_path / "a.yaml", [tmp_path / "tests"]) is None


@pytest.mark.parametrize("text", ["", "# later\n", "---\n", "test_cases:\n  - a\n", "fixtures:\n  - a: []\ntest_cases: []\n"])
def test_a_file_without_tests_of_ours_is_no_suite(files, text):
    assert files.load(text) is None


def test_a_suite_under_a_name_that_no_run_would_find_is_refused(files):
    words = ["1:1: suites end in .yaml: rename this one, which no run would find"]
    assert files.refused(f"agent: support\n{ONE}", "support.yml") == words
    files.write("compose.yml", "services: {}\n")
    assert found(files) == ["support.yml"]


def test_the_agent_is_the_one_that_is_named_else_that_of_the_name_of_the_file(files):
    assert files.load(f"agent: refunds\n{ONE}", "support.yaml").agent == "refunds"
    assert files.load(ONE, "deep/support.yaml").agent == "support"


def test_an_unknown_agent_is_refused_with_those_that_come_near(files):
    agents = ["support", "support-fast", "refunds"]
    assert files.refused(f"agent: suport\n{ONE}", agents=agents) == [
        "1:8: unknown agent 'suport'; did you mean 'support' or 'support-fast'?"
    ]
    assert files.refused(ONE, "suport.yaml", agents=["refunds"]) == [
        "1:1: unknown agent 'suport' (from the name of the file; `agent:` names another); known are 'refunds'"
    ]
    assert files.refused(ONE, agents=[]) == [
        "1:1: unknown agent 'support' (from the name of the file; `agent:` names another); "
        "name it in [tool.agentassert.agents] of pyproject.toml"
    ]


def test_an_agent_that_is_no_name_is_not_unknown_too(files):
    assert files.refused(f"agent: 5\n{ONE}", agents=["x"]) == ["1:8: agent must be a text that is not blank, but is 5"]


def test_a_bomb_of_aliases_is_refused_in_one_line(files):
    lines = ["tests: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    (line,) = files.refused("\n".join(lines))
    assert line.startswith("5:")
    assert line.endswith("aliases multiply the file to more than 100,000 values: write out what is meant")


BAD_EXPRESSIONS = {
    "expected_result: outptu.id == 10": "4:22: expected_result: ",
    "expected_result: len(output) > 3": "4:22: expected_result: ",
    "expected_result: output.__class__": "4:22: expected_result: ",
    "expected_result: 9**9**9 == 1": "4:22: expected_result: ",
    "expected_result: status = 'failed'": "4:22: expected_result: ",
    f"expected_result: {'a' * 3_000}": "4:22: expected_result must have at most 2,000 characters, but has 3,000",
    "expected_tool_calls: [{add: parms.a == 1}]": "4:33: add: ",
    "expected_tool_calls: [{add: params.a == invocations}]": "4:33: add: ",
    "expected_tool_calls: [{add: invocations >= 0}]": "4:33: add: ",
    "expected_child_agents: {a: {expected_payload: pay.x}}": "4:51: expected_payload: ",
    "expected_child_agents: {a: {expected_child_agents: {b: {expected_result: outputs}}}}": "4:78: expected_result: ",
    "approval_decisions: [{tool: a, decision: approve, params: parms.a}]": "4:63: params: ",
}


@pytest.mark.parametrize(("text", "words"), BAD_EXPRESSIONS.items(), ids=lambda text: text[:60])
def test_an_expression_that_cannot_be_read_is_refused_in_its_line(files, text, words):
    (line,) = files.refused_test(text)
    assert line.startswith(words)
    assert len(line) < 400


def test_every_expression_is_looked_at_whatever_is_wrong_beside_it(files):
    text = """runs: none
expected_result: one()
expected_tool_calls:
  - add: two()
  - look: invocations == 1
  - add: three()
expected_child_agents:
  a: {expected_result: four(), expected_payload: five()}
expected_no_tool_calls: []"""
    assert [line.partition(" ")[0] for line in files.refused_test(text)] == [
        "4:11:",
        "5:22:",
        "7:14:",
        "9:14:",
        "11:28:",
        "11:54:",
        "12:29:",
    ]


def test_everything_that_is_wrong_with_a_file_is_said_at_once_in_the_order_of_its_lines(files):
    text = "agnt: x\ntests:\n  - name: a\n  - name: b\n    payload: 5\n    runs: 0\n  - {name: b, payload: c}\n  - 3\n"
    lines = files.refused(text, agents=["shop"])
    assert [line.partition(" ")[0] for line in lines] == ["1:1:", "1:1:", "3:5:", "5:14:", "6:11:", "7:12:", "8:5:"]


def test_a_name_is_unique_in_its_file(files):
    text = "tests:\n  - {name: a, payload: x}\n  - {name: b, payload: x}\n  - {name: a, payload: x}\n"
    assert files.refused(text) == ["4:12: the name 'a' is that of the test in line 2; a name is unique in its file"]


def test_messages_end_at_some_point(files):
    lines = files.refused("tests:\n" + "  - {nme: a}\n" * 1_000)
    assert len(lines) == MOST_SHOWN + 1
    assert lines[-1] == " and more"


CHANCES = {
    ("success_confidence: 0.95", "success_threshold: 80", "runs: 5"): (
        "4:25: 5 runs cannot show with a confidence of 0.95 that 80 % pass, even if all do: set runs to 11"
    ),
    ("success_confidence: 0.95", "runs: 50"): (
        "4:25: 50 runs cannot show with a confidence of 0.95 that 100 % pass, even if all do: "
        "no number of runs can, so set success_threshold below 100"
    ),
    ("success_threshold: 99", "success_confidence: 0.999"): (
        "5:25: 1 run cannot show with a confidence of 0.999 that 99 % pass, even if all do: "
        "it takes 946, and 100 is the most, so lower success_threshold or success_confidence"
    ),
}


@pytest.mark.parametrize(("fields", "words"), CHANCES.items(), ids=str)
def test_a_threshold_that_the_runs_cannot_reach_is_refused(files, fields, words):
    assert files.refused_test("\n".join(fields)) == [words]


def test_a_threshold_that_the_runs_can_reach_is_not(files):
    assert files.case("success_confidence: 0.95\nsuccess_threshold: 80\nruns: 11").runs == 11


def test_a_threshold_out_of_reach_by_default_is_refused_once(files):
    defaults = "defaults: {success_confidence: 0.95, success_threshold: 80, runs: 5}\n"
    text = f"{defaults}tests:\n  - {{name: a, payload: x}}\n  - {{name: b, payload: x}}\n  - {{name: c, payload: x, runs: 6}}\n"
    assert files.refused(f"{text}  - {{name: d, payload: x, runs: 11}}\n") == [
        "1:32: 5 runs cannot show with a confidence of 0.95 that 80 % pass, even if all do: set runs to 11",
        "5:33: 6 runs cannot show with a confidence of 0.95 that 80 % pass, even if all do: set runs to 11",
    ]


def test_what_is_no_yaml_is_refused_in_its_line(files):
    assert files.refused(one_test('expected_result: "hello" in output')) == [
        "4:30: there is more after the closing quote: put the whole value in single quotes, as '…'"
    ]


def test_anchors_serve_to_say_things_once(files):
    suite = files.load(
        "tests:\n  - &look {name: a, payload: x, expected_tool_calls: &calls [look]}\n"
        "  - {<<: *look, name: b}\n  - {name: c, payload: y, expected_tool_calls: *calls}\n"
    )
    assert [case.asserted_tools for case in suite.cases] == [{"look"}] * 3


def test_a_mistake_behind_an_alias_is_placed_where_it_was_written(files):
    text = "tests:\n  - &look {name: a, payload: x, expected_tool_calls: [look: nope()]}\n  - {<<: *look, name: b}\n"
    assert {line.partition(" ")[0] for line in files.refused(text)} == {"2:61:"}


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_links_may_stay_inside_of_the_suites_directory_only(files, tmp_path):
    (tmp_path / "secret.yaml").write_text(ONE, "utf-8")
    files.write("a.yaml", ONE)
    (files.directory / "b.yaml").symlink_to(tmp_path / "secret.yaml")
    (files.directory / "c.yaml").symlink_to(files.directory / "a.yaml")
    (files.directory / "d.yaml").symlink_to(tmp_path / "nowhere.yaml")
    loaded = load_suites([files.directory])
    assert [suite.file.name for suite in loaded.suites] == ["a.yaml", "c.yaml"]
    assert [error.file.name for error in loaded.errors] == ["b.yaml", "d.yaml"]
    assert "outside of the suites directory" in str(loaded.errors[0])
    (files.directory / "e.yml").symlink_to(tmp_path / "nowhere.yml")
    assert "e.yml" not in found(files)


def test_a_folder_in_place_of_a_file_is_an_error_in_one_line(files):
    (files.directory / "a.yaml").mkdir(parents=True)
    with pytest.raises(SuiteError, match=r"a\.yaml:1:1: the file cannot be read: "):
        load_suite(files.directory / "a.yaml", files.directory)


def test_one_wrong_suite_does_not_hide_the_others(files):
    files.write("a.yaml", "agent: support\ntests: []")
    files.write("b.yaml", ONE)
    files.write("c.yaml", "a: 1\nb")
    files.write("d.yaml", "")
    loaded = load_suites([files.directory])
    assert [suite.agent for suite in loaded.suites] == ["b"]
    assert [(error.file.name, error.agent) for error in loaded.errors] == [("a.yaml", "support"), ("c.yaml", "c")]
    assert [len(error.problems) for error in loaded.errors] == [1, 1]


def test_suites_know_where_what_they_use_is(files):
    suite = files.load(ONE)
    assert suite.file_of("a.pdf") == files.directory / "files" / "a.pdf"
    assert suite.builder_of("order") == files.directory / "builders" / "order.py"
    assert suite.mocks_of("shop") == files.directory / "mocks" / "shop.py"


def test_a_suite_in_a_folder_uses_the_files_of_the_suites_directory(files):
    files.write("builders/order.py")
    suite = files.load("tests: [{name: a, builder: order}]", "deep/er/support.yaml")
    assert suite.builder_of("order").is_file()


def test_paths_are_shown_from_the_working_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert str(SuiteError(tmp_path / "tests" / "a.yaml", [Problem(1, 2, "no")])) == "tests/a.yaml:1:2: no"
    assert shown_path(tmp_path.parent / "a.yaml") == (tmp_path.parent / "a.yaml").as_posix()
