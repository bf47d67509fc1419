"""Coverage: which tools some test expects to be called, agent by agent, from files alone."""

from __future__ import annotations

import pytest

from agentassert.settings import AgentSettings, Settings
from agentassert.suites.agent_tools import AgentTools, agents_to_cover
from agentassert.suites.coverage import CoverageReport, coverage, project_coverage
from agentassert.suites.loading import load_suites
from tests.suites.suite_files import Files


@pytest.fixture
def files(tmp_path):
    return Files(tmp_path / "tests")


def agent(name, *tools):
    return AgentTools(name=name, tools=frozenset(tools))


def covered(files, *agents, problems=()):
    loaded = load_suites([files.directory])
    return coverage(loaded.suites, agents, loaded.errors, problems)


def uncovered(files, *agents):
    return {one.name: one.uncovered_tools for one in covered(files, *agents).agents}


def suite(*fields):
    return "tests:\n" + "".join(f"  - {{name: t{number}, payload: x, {field}}}\n" for number, field in enumerate(fields))


def test_the_report_has_the_form_of_the_specification(files):
    files.write("search.yaml", suite("expected_tool_calls: [web.search]"))
    report = covered(files, agent("search", "web.search", "web.fetch", "web.summarize"), agent("idle", "look"))
    assert report.to_json() == {
        "overall": pytest.approx(100 / 6),
        "agents": [
            {
                "name": "idle",
                "type": "agent",
                "has_tests": False,
                "tools_total": 1,
                "tools_covered": 0,
                "uncovered_tools": ["look"],
                "percent": 0.0,
                "parse_error": None,
            },
            {
                "name": "search",
                "type": "agent",
                "has_tests": True,
                "tools_total": 3,
                "tools_covered": 1,
                "uncovered_tools": ["web.fetch", "web.summarize"],
                "percent": pytest.approx(100 / 3),
                "parse_error": None,
            },
        ],
    }


@pytest.mark.parametrize(
    "field",
    [
        "expected_tool_calls: [a.add]",
        "expected_tool_calls: [{a.add: params.x == 1}]",
        "expected_tool_calls: [{a.add: invocations == 0}]",
        "expected_tool_call_order: [a.add]",
        "expected_tool_calls: [add]",
    ],
)
def test_a_tool_is_covered_when_a_test_names_it_where_it_is_expected(files, field):
    files.write("one.yaml", suite(field))
    assert uncovered(files, agent("one", "a.add")) == {"one": ()}


@pytest.mark.parametrize(
    "field",
    [
        "expected_no_tool_calls: [a.add]",
        "expected_child_agents: {one: {expected_tool_calls: [a.add]}}",
        "expected_result: output.id == 1",
        "expected_tool_calls: [b.add]",
        "expected_tool_calls: [a]",
    ],
)
def test_a_tool_is_not_covered_by_anything_else(files, field):
    files.write("one.yaml", suite(field))
    assert uncovered(files, agent("one", "a.add")) == {"one": ("a.add",)}


def test_a_full_name_covers_a_tool_that_the_agent_knows_by_its_last_part(files):
    files.write("one.yaml", suite("expected_tool_calls: [math.calculator.add]"))
    assert uncovered(files, agent("one", "add", "sub")) == {"one": ("sub",)}


def test_the_very_name_comes_before_the_same_last_part(files):
    files.write("one.yaml", suite("expected_tool_calls: [add]"))
    assert uncovered(files, agent("one", "a.add", "add")) == {"one": ("a.add",)}
    assert uncovered(files, agent("one", "b.add", "a.add")) == {"one": ("b.add",)}


def test_suites_of_one_agent_count_together(files):
    files.write("one.yaml", suite("expected_tool_calls: [a]"))
    files.write("more/of_it.yaml", "agent: one\n" + suite("expected_tool_calls: [b]", "expected_tool_call_order: [c, a]"))
    assert uncovered(files, agent("one", "a", "b", "c", "d")) == {"one": ("d",)}


def test_an_agent_without_tools_needs_a_suite_and_no_more(files):
    files.write("one.yaml", suite("expected_result: output"))
    assert [one.percent for one in covered(files, agent("one"), agent("two")).agents] == [100.0, 0.0]


def test_every_agent_counts_the_same(files):
    files.write("one.yaml", suite("expected_tool_calls: [a]"))
    assert covered(files, agent("one", "a"), agent("two", *map(str, range(20)))).overall == 50.0
    assert covered(files).overall == 0.0


def test_an_agent_with_a_wrong_suite_is_left_out_of_the_mean(files):
    files.write("one.yaml", suite("expected_tool_calls: [a]"))
    files.write("wrong.yaml", "agent: one\ntests: []\n")
    report = covered(files, agent("one", "a"), agent("two", "b"))
    one, _ = report.agents
    assert (one.percent, one.has_tests, one.tools_covered, report.overall) == (None, True, 1, 0.0)
    assert one.parse_error.endswith("wrong.yaml:2:8: tests is empty: a suite has one test at least")
    assert report.error is None
    assert report.is_broken


def test_a_wrong_suite_of_no_agent_is_an_error_of_the_report_and_a_right_one_is_nothing(files):
    files.write("nobody.yaml", "tests: []\n")
    files.write("nobody_either.yaml", suite("expected_tool_calls: [a]"))
    report = covered(files, agent("one", "a"), problems=["agent 'two' is broken"])
    assert report.error.splitlines()[0] == "agent 'two' is broken"
    assert report.error.splitlines()[1].endswith("nobody.yaml:1:8: tests is empty: a suite has one test at least")
    assert report.to_json()["error"] == report.error
    assert report.is_broken


def test_a_report_without_errors_is_not_broken(files):
    assert not covered(files, agent("one", "a")).is_broken
    assert "error" not in covered(files, agent("one", "a")).to_json()


def test_tools_that_nobody_knows_are_not_no_tools(files):
    files.write("one.yaml", suite("expected_tool_calls: [a]"))
    (one,) = covered(files, AgentTools(name="one", tools=None)).agents
    assert one.percent is None
    assert one.parse_error is None
    assert one.note == (
        "nobody can tell the tools of agent 'one', which is left out of the numbers: "
        "name them in pyproject.toml, in [tool.agentassert.agents.one], as tools = [...]"
    )


def test_tools_are_those_of_the_settings_with_the_discoverable_ones(files):
    agents, problems = agents_to_cover(
        {
            "named": AgentSettings(target="nowhere:a", tools=("a", "b")),
            "found": AgentSettings(target="nowhere:a", tools=("a", "search_tools", "use_tool"), discoverable_tools=("b", "a")),
            "own": AgentSettings(target="nowhere:a", tools=("use_tool",)),
            "variant": AgentSettings(target="nowhere:a", tools=("a",), variant_of="named"),
        }
    )
    assert agents == [agent("named", "a", "b"), agent("found", "a", "b"), agent("own", "use_tool")]
    assert problems == []


def test_tools_that_the_settings_do_not_name_are_those_that_the_adapter_lists(tmp_path, monkeypatch):
    langchain_tools = pytest.importorskip("langchain_core.tools")
    assert langchain_tools is not None
    (tmp_path / "shop_agents.py").write_text(
        "from langchain.agents import create_agent\n"
        "from tests.scripted.langchain import ScriptedChatModel\n"
        "def look_up(order: str) -> str:\n    'Look an order up.'\n    return order\n"
        "desk = create_agent(ScriptedChatModel(responses=[]), tools=[look_up])\n"
        "def plain(payload):\n    return payload\n",
        "utf-8",
    )
    monkeypatch.chdir(tmp_path)
    agents, problems = agents_to_cover(
        {"desk": AgentSettings(target="shop_agents:desk"), "plain": AgentSettings(target="shop_agents:plain")}
    )
    assert agents == [agent("desk", "look_up"), AgentTools(name="plain", tools=None)]
    assert problems == []


def test_an_agent_that_cannot_be_loaded_is_a_problem_and_no_crash(tmp_path, monkeypatch):
    (tmp_path / "broken_agents.py").write_text("raise RuntimeError('no key')", "utf-8")
    monkeypatch.chdir(tmp_path)
    agents, problems = agents_to_cover(
        {"broken": AgentSettings(target="broken_agents:a"), "missing": AgentSettings(target="nowhere_at_all:a")}
    )
    assert agents == []
    assert problems[0] == ("[tool.agentassert.agents] broken = 'broken_agents:a': importing it raised RuntimeError: no key")
    assert problems[1].startswith("[tool.agentassert.agents] missing = 'nowhere_at_all:a': ")


def test_a_project_is_covered_with_the_agents_of_an_environment(files, tmp_path):
    files.write("one.yaml", suite("expected_tool_calls: [a]"))
    project = Settings(root=tmp_path, agents={"one": AgentSettings(target="nowhere:a", tools=("a", "b"))})
    assert project_coverage(project).overall == 50.0
    with pytest.raises(ValueError, match="there is no environment 'x'"):
        project_coverage(project, "x")


def test_the_report_is_a_table_for_people(files):
    files.write("search.yaml", suite("expected_tool_calls: [web.search]"))
    files.write("plain.yaml", suite("expected_result: output"))
    files.write("wrong.yaml", "tests: [a]")
    report = covered(
        files, agent("search", "web.search", "web.fetch", "web.sum"), agent("plain"), agent("wrong", "a"), agent("idle")
    )
    *table, problem = report.text().splitlines()
    assert table == [
        "idle        0 %  no tests",
        "plain     100 %  no tools",
        "search  33.33 %  1 of 3 tools",
        "wrong         ?  no tests",
        "overall 44.44 %",
        "not covered in search: web.fetch, web.sum",
        "not covered in wrong: a",
    ]
    assert problem.endswith("wrong.yaml:1:9: tests[0] must be a mapping with 'name', but is the text 'a'")
    assert CoverageReport(overall=0.0, error="broken").text() == "overall 0 %\nbroken"


def test_an_agent_whose_tools_nobody_knows_is_left_out_with_a_note_and_breaks_nothing(files):
    files.write("one.yaml", suite("expected_tool_calls: [a]"))
    files.write("two.yaml", suite("expected_tool_calls: [a]"))
    report = covered(files, AgentTools(name="one", tools=None), agent("two", "a", "b"))
    assert (report.overall, report.is_broken) == (50, False)
    assert "note" in report.to_json()["agents"][0]
    assert "note" not in report.to_json()["agents"][1]
    assert "nobody can tell the tools of agent 'one'" in report.text()
