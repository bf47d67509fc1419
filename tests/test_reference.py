"""The reference leaves out nothing, and says nothing that the code does not: each of its tables against what it is about."""

from __future__ import annotations

import argparse
import importlib
import inspect
import json
import re
import sys
from pathlib import Path

import attrs
import pytest
import yaml

import agentassert
from agentassert import Capture, Status, cli, pytest_plugin, records
from agentassert.conversations.rasa import reading as rasa_reading
from agentassert.conversations.rasa.mantle import HAPPENINGS
from agentassert.conversations.rasa_files import cases, reading, results
from agentassert.conversations.rasa_files.format import RasaCase
from agentassert.conversations.rasa_files.outcomes import CaseOutcome, StepOutcome
from agentassert.expressions import expectations, expression
from agentassert.patterns import ExecutionPattern
from agentassert.plugin import marks
from agentassert.suites.agent_tools import AgentTools
from agentassert.suites.coverage import coverage
from agentassert.suites.outcomes import CaseStatus
from agentassert.suites.stored.choosing import Choice
from agentassert.suites.stored.judging import Verdict
from agentassert.suites.stored.tallies import Tallies
from agentassert.suites.stored.telling import print_json
from tests.reference_tables import PAGES, described_fields, public_members, resolved, rewritten, tables
from tests.suites.projects import Project
from tests.test_public_api import LED_TO, MODULES

PAGE = {page.stem: page.read_text("utf-8") for page in PAGES}
DIRECTIVE = re.compile(r"^\.\. auto(class|function|exception|data):: ([\w.]+)(?:\(\))?\n((?:   :.*\n?)*)", re.MULTILINE)
CURRENT = re.compile(r"^\.\. currentmodule:: ([\w.]+)", re.MULTILINE)


def section(page, heading):
    """What stands under a heading, up to the next one of its level."""
    level = heading.partition(" ")[0]
    found = PAGE[page].split(f"\n{heading}\n", 1)
    assert len(found) == 2, f"{page}.md has no heading {heading!r}"
    return found[1].split(f"\n{level} ")[0]


def table_under(page, text):
    """The first column of the table that follows a text, cell by cell as written."""
    assert PAGE[page].count(text) == 1, f"{page}.md: {text!r}"
    return first_column(PAGE[page].partition(text)[2])


def first_column(text):
    rows = re.search(r"^\|.*\n\|[-| ]+\|\n((?:\|.*\n?)+)", text, re.MULTILINE)
    assert rows is not None, text
    return [row.split("|")[1].strip() for row in rows[1].splitlines()]


def codes(cells):
    """Every name in a column, without what follows it in its code."""
    return {name.split("(")[0] for cell in cells for name in re.findall(r"`([^`]+)`", cell)}


def documented(page):
    """What the directives of a page show: dotted name, kind, options."""
    text = PAGE[page]
    current = CURRENT.search(text)
    for kind, name, options in DIRECTIVE.findall(text):
        yield name if name.startswith("agentassert") else f"{current[1]}.{name}", kind, options


@pytest.mark.parametrize("page", sorted(PAGE))
def test_the_tables_of_names_say_what_the_code_says(page):
    assert rewritten(PAGE[page]) == PAGE[page], "write them anew with `python -m tests.reference_tables`"


@pytest.mark.parametrize("page", sorted(PAGE))
def test_what_only_a_built_page_shows_stands_in_a_table_too(page):
    """A page is read on a forge, where directives show nothing."""
    named = {name.rpartition(".")[2] for table in tables(PAGE[page]) if table.kind == "names" for name in table.names}
    rows = {row.split("(")[0] for table in tables(PAGE[page]) if table.kind != "names" for row, _ in table.rows()}
    shown, members = set(), set()
    for name, kind, options in documented(page):
        if kind == "exception":
            assert f"`{name.rpartition('.')[2]}`" in PAGE[page].partition("```{eval-rst}")[0]
            continue
        value = resolved(name)
        shown.add(name.rpartition(".")[2])
        chosen = re.search(r":members: *(.*)", options)
        if kind == "class" and chosen is not None:
            hidden = set(re.findall(r"[\w]+", "".join(re.findall(r":exclude-members: (.*)", options))))
            members |= set(filter(None, re.split(r"[ ,]+", chosen[1]))) or (set(public_members(value)) - hidden)

    assert shown - named - rows == PARTS.get(page, set())
    assert members - rows == set()


PARTS = {
    "record": {"record", "Record"},  # the one object of that class, whose members the page is about
    "judges": {"JudgedTextAssertion"},
    "chain": {"ChatModelCallAssertion"},
    "conversations": {"ConversationAssertion"},
    "patterns": {"ExecutionPattern"},
}
"""Classes that nobody names: a page tells of them by their members."""


def test_what_is_documented_is_promised_or_said_not_to_be():
    told = set(re.findall(r"`(agentassert[\w.]*)`", PAGE["stability"]))
    modules = {name.rpartition(".")[0] for page in PAGE for name, _, _ in documented(page)}
    of_nameless_classes = {owner.__module__ for owner in (*LED_TO, ExecutionPattern, type(agentassert.record))}
    promised = {"agentassert", *(one for one in modules if {one, one.rpartition(".")[0]} & (told - {"agentassert"}))}

    assert modules - promised - of_nameless_classes == set()
    assert set(MODULES) <= told


@pytest.mark.parametrize("page", sorted((Path(__file__).parents[1] / "docs").rglob("*.md")), ids=lambda page: page.stem)
def test_no_page_says_what_a_forge_would_show_raw(page):
    assert re.findall(r"(?<!\$)\{\w+\}`[^`]", page.read_text("utf-8")) == []


def test_every_assertion_stands_under_one_heading():
    headings = [name for table in tables(PAGE["chain"]) if table.kind == "own" for name, _ in table.rows()]
    names = [name.split("(")[0] for name in headings]

    assert sorted(names) == sorted(set(names))
    assert set(names) == set(public_members(agentassert.InvocationAssertion))


@pytest.mark.parametrize(
    "record",
    [
        value
        for value in vars(records).values()
        if inspect.isclass(value) and value.__module__ == records.__name__ and attrs.has(value)
    ],
)
def test_every_field_of_a_record_is_explained(record):
    inherited = {field.name for base in record.__bases__ if attrs.has(base) for field in attrs.fields(base)}
    text = " ".join([record.__doc__, *(f"{name} {told}" for name, told in described_fields(record).items())])
    silent = {field.name for field in attrs.fields(record)} - inherited - set(re.findall(r"\w+", text))

    assert silent <= {"home", "started_order", "ended_order"}


def options_of(parser):
    """The options of a command as one writes them, without `--help`."""
    return {name for action in parser._actions for name in action.option_strings} - {"-h", "--help"}


def commands():
    (commands,) = [action for action in cli._parser()._actions if isinstance(action, argparse._SubParsersAction)]
    return commands.choices


def test_every_command_has_its_section():
    headings = re.findall(r"^## `agentassert (\w+)", PAGE["command-line"], re.MULTILINE)
    assert sorted(headings) == sorted(commands())


@pytest.mark.parametrize("command", ["test", "coverage", "check"])
def test_every_option_of_a_command_is_in_its_table(command):
    heading = re.search(rf"^## `agentassert {command}.*$", PAGE["command-line"], re.MULTILINE)[0]
    shown = {
        name.split()[0] for cell in first_column(section("command-line", heading)) for name in re.findall(r"`([^`]+)`", cell)
    }
    if command == "test":
        rasas = first_column(section("rasa", "## Options of `agentassert test`"))
        shown |= {name.split()[0] for name in codes(cell.partition(" or ")[0] for cell in rasas)}
        shown.remove("--")
    assert shown == options_of(commands()[command])


def test_show_and_schema_have_no_options_to_tell_of():
    assert options_of(commands()["show"]) | options_of(commands()["schema"]) == set()


def test_every_option_of_the_pytest_plugin_is_told():
    parser = pytest.Parser(_ispytest=True)
    pytest_plugin.pytest_addoption(parser)
    options = {name for group in parser._groups for option in group.options for name in option.names()}

    shown = {option.split()[0] for option in codes(first_column(section("command-line", "## pytest")))}
    assert shown - {"-p"} == options


def test_every_argument_of_the_mark_is_told():
    text = section("command-line", "## pytest")
    assert codes(first_column(text.partition("`@pytest.mark.agentassert(…)` takes")[2])) == set(marks._ARGUMENTS)


def test_every_environment_variable_is_told(project):
    read = {
        name
        for file in (project / "agentassert").rglob("*.py")
        for name in re.findall(r'"(AGENTASSERT_\w+)"', file.read_text("utf-8"))
    }
    told = {name for page in (project / "docs").rglob("*.md") for name in re.findall(r"AGENTASSERT_\w+", page.read_text("utf-8"))}
    assert read == told


def test_every_key_of_a_rasa_test_file_is_in_its_table():
    text = section("rasa", "## The file")
    assert codes(first_column(text)) == set(reading._OF_TESTS)
    assert codes(first_column("| of a test case |" + text.partition("| of a test case |")[2])) == set(cases._CASE)
    of_a_step = codes(first_column("| of a step |" + text.partition("| of a step |")[2]))
    assert of_a_step | set(cases._OF_USER) == set(cases._STEP)
    assert set(cases._OF_USER) <= codes(re.findall(r"^\| `user` .*", text, re.MULTILINE))


def test_every_assertion_of_a_rasa_test_file_is_shown_as_it_may_be_written():
    both, calm, mantle = (
        yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", section("rasa", "## The file"), re.DOTALL)
    )

    assert all(rasa_reading.read_assertion(one) for one in [*both, *calm, *mantle])
    assert keys(*calm) == set(rasa_reading.CALM)
    assert keys(*mantle) == set(rasa_reading.MANTLE)
    assert keys(*both, *calm, *mantle) == set(rasa_reading.KINDS)


def test_every_key_of_an_assertion_of_rasas_is_shown():
    """What `fields` of the readers takes is what their source names."""
    folder = Path(rasa_reading.__file__).parent
    sources = "\n".join(file.read_text("utf-8") for file in folder.glob("*.py"))
    taken = {
        key for call in re.findall(r"shapes\.fields\((?:[^()]|\([^()]*\))*\)", sources) for key in re.findall(r'"(\w+)"', call)
    }
    taken |= {key for fields in HAPPENINGS.values() for part in fields for key in part}
    shown = set(re.findall(r"(\w+):", "".join(re.findall(r"```yaml\n(.*?)```", section("rasa", "## The file"), re.DOTALL))))

    assert taken - shown == set()


def keys(*objects):
    return {key for one in objects for key in one}


def test_the_json_of_a_suite_run_has_these_keys(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    project = Project(tmp_path, capsys)
    project.agent("""
        @record.tool
        def look_up(number):
            return number

        def support(message):
            with record.model_call("small") as call:
                call.respond("Hello")
            return look_up(7)
    """)
    project.suite(
        "tests: [{name: a, payload: hi, expected_result: output == 8, runs: 3, success_threshold: 20, success_confidence: 0.6}]"
    )
    told = project.test("--json").json
    (case,) = told["cases"]
    run = case["failed_runs"]["shown"][0]
    text = section("command-line", "## `agentassert test [PATH…]`")
    traces = re.search(r"\| `traces` \| .*", text)[0]

    assert keys(told) == {"status", "environment", "cases"} <= codes([section("command-line", "### The JSON")])
    assert keys(case) == codes(first_column(text.partition("one object a test:")[2]))
    assert keys(case["failed_runs"]) == {"total_failed", "shown"} <= codes([text])
    assert keys(run) == codes(first_column(text.partition("A failed run has")[2]))
    assert keys(*run["traces"]) == codes([traces]) - {"traces"}


def test_the_json_of_coverage_has_these_keys():
    report = coverage([], [AgentTools(name="support", tools=None)], problems=["no module"]).to_json()
    text = section("command-line", "## `agentassert coverage`")

    assert keys(report) == {"overall", "agents", "error"} <= codes([text])
    assert keys(*report["agents"]) == codes(first_column(text.partition("each with\n")[2]))


def test_the_json_of_a_check_has_these_keys(capsys):
    print_json(Tallies([]), Choice((), {}), sys.stdout)
    told = json.loads(capsys.readouterr().out)
    text = section("command-line", "## `agentassert check CAPTURE…`")

    assert keys(told) - {"status", "cases"} == codes(first_column(text.partition("stand\n")[2]))
    assert {"status", "cases", "total", "shown", "first", "agent_run_passed"} <= codes([text])
    assert fields(Verdict) - {"case"} == codes([text.partition("`failed_runs` has\n")[2].partition(".")[0]])


def test_the_json_of_rasas_test_files_has_these_keys():
    case = RasaCase(name="greets", steps=())
    step = StepOutcome(user="Hi", line=1, events=())
    told = results.to_json([CaseOutcome(case=case, file=Path("a.yml"), status=CaseStatus.PASSED, steps=(step,))])
    text = section("rasa", "## The JSON")
    rows = [row for row in text.splitlines() if row.startswith("| `")]

    assert keys(told) <= codes([text.partition("| key")[0]])
    assert keys(*told["cases"]) == codes(first_column(text))
    assert keys(*told["cases"][0]["steps"]) == codes([rows[-1]]) - {"steps"}


def test_a_stored_capture_has_these_keys():
    document = json.loads(
        Capture.from_json(
            '{"agentassert": 1, "invocations": [], "strays": [], "name": null, "visibility": {}, '
            '"late": 0, "adopted": 0, "unattributed": 0, "notes": [], "faults": [], "error": null}'
        ).to_json()
    )
    assert keys(document) == codes(first_column(PAGE["stored-format"]))


def test_every_name_of_an_expression_is_explained():
    text = section("expressions", "## Names")
    by_place = {
        tuple(re.findall(r"`(\w+)`", cells[1])): set(re.findall(r"`(\w+)`", cells[2]))
        for cells in (row.split("|") for row in text.splitlines() if row.startswith("| `"))
    }
    terms = {name for line in re.findall(r"^((?:`\w+`(?:, )?)+)$", text, re.MULTILINE) for name in re.findall(r"`(\w+)`", line)}

    assert by_place == {
        ("satisfies", "expected_result"): set(expression.RESULT_NAMES),
        ("expected_tool_calls",): set(expression.TOOL_NAMES),
        ("expected_payload",): set(expression.PAYLOAD_NAMES),
        ("approval_decisions",): set(expression.APPROVAL_NAMES),
    }
    assert terms == set().union(*by_place.values())
    assert codes(first_column(section("expressions", "## Expectations"))) == set(expectations._FIELDS)
    assert set(expectations._CHILD_FIELDS) <= set(re.findall(r"`(\w+)`", PAGE["expressions"]))


def test_every_status_is_in_the_catalogue_of_failures():
    assert codes(table_under("failures", "invocation ends, and what to do with each:\n")) == {str(one) for one in Status}


RAISED = {
    name: value
    for module in MODULES
    for name in importlib.import_module(module).__all__
    if inspect.isclass(value := getattr(importlib.import_module(module), name)) and issubclass(value, Exception)
}
"""Every error and every warning that is public."""


@pytest.mark.parametrize("name", sorted(RAISED))
def test_every_error_and_warning_is_in_the_catalogues(name):
    assert f"`{name}`" in PAGE["errors"]
    if name != "AgentAssertionError":  # all of the others on that page
        assert f"`{name}`" in PAGE["failures"]


def fields(record):
    return {field.name for field in attrs.fields(record)}
