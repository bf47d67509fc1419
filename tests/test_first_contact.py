"""Who follows the first pages and nothing else succeeds, and what the README says about the library is so.

Blocks whose first line is `# name` are files, `# cell` is a cell of a notebook, and a `console` block is what its command shows, with
`...` for what is left out: a page's blocks are written, executed and run in the order in which a reader meets them. Settings that are
written again begin another project.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from langchain.agents import create_agent
from langchain_core.tools import ToolException, tool

from agentassert import AmbiguousError, assert_that, capture
from tests.scripted.langchain import ScriptedChatModel, asks_for

PROJECT = Path(__file__).parent.parent
EXAMPLES = PROJECT / "examples"
README = (PROJECT / "README.md").read_text("utf-8")
BLOCK = re.compile(r"^```(bash|console|py|toml|yaml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ROW = re.compile(r"^\| (.+?) \| (.*?) ?\| (.+?) \|$", re.MULTILINE)


def blocks(page):
    return BLOCK.findall((PROJECT / page).read_text("utf-8"))


def pattern(line):
    return "(?:.*\n)*" if line == "..." else re.escape(line).replace(re.escape("..."), ".*") + "\n"


class Reader:
    """Does what a page says, in an empty folder."""

    def __init__(self, folder):
        self.folder = folder
        programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        plugins = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": "-p agentassert -p no:cacheprovider"}
        self.environment = {**os.environ, **plugins, "PATH": programs, "PYTHONPATH": str(PROJECT), "COLUMNS": "80"}

    def write(self, text):
        name = re.match(r"# (\S+)\n", text)[1]
        if name == "pyproject.toml" and (self.folder / name).exists():
            self.folder = self.folder.parent / f"{self.folder.name}_next"
        self.file(name, text)

    def file(self, name, text):
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def run(self, shown):
        commands = re.findall(r"^\$ (.+)$", shown, re.MULTILINE)
        lines = [line for line in shown.splitlines() if not line.startswith("$ ")]
        ran = subprocess.run(
            "; ".join(commands),
            shell=True,
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert re.fullmatch("".join(pattern(line) for line in lines), ran.stdout), ran.stdout

    def execute(self, text):
        nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text)])
        client = nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(self.folder)}})
        (shown,) = client.execute(env=self.environment).cells[0].outputs
        assert "cancel_booking</b>" in shown.data["text/html"]


FOLLOWED = [
    "README.md",
    "docs/tutorial.md",
    *(f"docs/how-to/{page}.md" for page in ("ci", "stored-captures", "suites", "unittest")),
]


@pytest.mark.parametrize("page", FOLLOWED)
def test_a_newcomer_who_follows_the_page_sees_what_it_shows(page, tmp_path):
    reader = Reader(tmp_path)
    for kind, text in blocks(page):
        if kind == "console":
            reader.run(text)
        elif text.startswith("# cell\n"):
            reader.execute(text)
        elif text.startswith("# "):
            reader.write(text)


def test_whatever_a_command_shows_is_held_by_a_test():
    pages = [PROJECT / "README.md", *PROJECT.glob("docs/**/*.md")]
    showing = {
        name
        for name in (str(page.relative_to(PROJECT)) for page in pages)
        if any(not line.startswith("$ ") for kind, text in blocks(name) if kind == "console" for line in text.splitlines())
    }
    elsewhere = {"docs/how-to/pytest.md"}  # tests/plugin/test_page.py
    below = {"docs/how-to/snapshots.md", "docs/how-to/rasa.md"}
    assert showing == {*FOLLOWED} | elsewhere | below


def test_a_snapshot_is_made_and_a_change_is_found_as_its_page_shows(tmp_path):
    page, change = (PROJECT / "docs" / "how-to" / "snapshots.md").read_text("utf-8"), ('reason="rain"', 'reason="sun"')
    code = re.search(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)[1]
    creating, failing = (text for kind, text in blocks("docs/how-to/snapshots.md") if kind == "console")
    assert code.count(change[0]) == 1
    reader = Reader(tmp_path)
    reader.write(f"# tests/test_support.py\n{code}")
    reader.run(creating)
    reader.write(f"# tests/test_support.py\n{code.replace(*change)}")
    reader.run(failing)


def test_rasas_files_give_what_their_page_shows(tmp_path):
    shown = blocks("docs/how-to/rasa.md")
    (cases,) = (text for kind, text in shown if kind == "yaml" and text.startswith("# tests/e2e.yml\n"))
    passing, warning = (text for kind, text in shown if kind == "console" and "--tracker" in text)
    value = ", value: moss_horten}]"
    assert cases.count(value) == 1
    reader = Reader(tmp_path)
    reader.write(cases)
    reader.file("trackers/books_a_ferry.json", json.dumps(ferry_booked("moss_horten")))
    reader.run(passing)
    reader.write(cases.replace(value, "}]"))
    reader.file("trackers/books_a_ferry.json", json.dumps(ferry_booked(None)))
    reader.run(warning)


def ferry_booked(route):
    """What a tracker holds of it; without a route, the slot was emptied."""
    button = {"title": "Moss to Horten", "payload": "/SetSlots(ferry_route=moss_horten)"}
    return [
        {"event": "action", "name": "action_session_start"},
        {"event": "slot", "name": "membership", "value": "gold"},
        {"event": "user", "text": "I'd like to book a ferry"},
        {"event": "flow_started", "flow_id": "book_ferry"},
        {
            "event": "bot",
            "text": "Which one?",
            "data": {"buttons": [button]},
            "metadata": {"utter_action": "utter_ask_ferry_route"},
        },
        {"event": "user", "text": button["payload"]},
        {"event": "slot", "name": "ferry_route", "value": route},
    ]


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_links_beside_the_documentation_lead_somewhere(page):
    links = re.findall(r"\[[^\"\]]+\]\(([^)#]+)", (PROJECT / page).read_text("utf-8"))
    assert links
    assert [link for link in links if not (PROJECT / link).exists()] == []


def test_the_first_page_leads_to_every_example():
    page = (PROJECT / "docs" / "index.md").read_text("utf-8")
    examples = [
        path
        for pattern in (
            "*.py",
            "*.ipynb",
            "pytest_project/*.py",
            "pytest_project/*.toml",
            "suite/*.py",
            "suite/tests/*.yaml",
            "suite/ci/*",
        )
        for path in EXAMPLES.glob(pattern)
    ]
    assert len(examples) > 20
    assert [str(path) for path in examples if f"](../{path.relative_to(PROJECT)})" not in page] == []


def test_the_page_about_suites_shows_the_example_as_it_is():
    suite = EXAMPLES / "suite"
    shown = dict(text.removeprefix("# ").split("\n", 1) for _, text in blocks("docs/how-to/suites.md"))
    files = [path for pattern in ("*.toml", "*.py", "tests/**/*.yaml", "tests/**/*.py") for path in suite.glob(pattern)]
    assert len(files) == 5
    for file in files:
        assert shown.get(str(file.relative_to(suite))) == file.read_text("utf-8"), file


def test_the_page_about_continuous_integration_shows_the_recipes_as_they_are():
    shown = [text for kind, text in blocks("docs/how-to/ci.md") if kind == "yaml"]
    assert shown == [(EXAMPLES / "suite" / "ci" / name).read_text("utf-8") for name in ("github.yml", "gitlab.yml")]


def test_the_readme_has_the_commands_that_set_it_up():
    commands = [text.strip() for kind, text in blocks("README.md") if kind == "bash"]
    assert 'pip install -e ".[langchain]" && python examples/quickstart.py' in commands
    assert 'pip install -e ".[test]" && pytest' in commands


def rows(heading):
    section = README.partition(f"## {heading}")[2].partition("\n## ")[0]
    return [cells for cells in ROW.findall(section) if not cells[0].startswith(("--", "The agent", "agents"))]


def test_the_table_of_frameworks_has_every_extra_and_the_version_that_it_asks_for():
    extras = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    frameworks = extras.keys() - {"docs", "lint", "suites", "test"}
    told = {}
    for _, versions, names in rows("What it works with"):
        told |= dict(zip(re.findall(r"`([a-z-]+)`", names), versions.split(", ") if versions else [], strict=True))
    assert told == {name: re.search(r">=([\d.]+)", extras[name][0])[1] for name in frameworks}


# What the comparison says, each line on a real agent.


def get_booking(booking_number: str) -> str:
    """Look up a booking."""
    return "Ann"


def cancel_booking(booking_number: str) -> str:
    """Cancel a booking."""
    return "cancelled"


def delete_account(customer: str) -> str:
    """Delete an account."""
    return "deleted"


@tool("cancel_booking")
def failing(booking_number: str) -> str:
    """Cancel a booking."""
    raise ToolException("too late")


failing.handle_tool_error = True


def delegate(task: str) -> str:
    """Let another agent do it."""
    agent(CANCEL, name="clerk").invoke({"messages": [("user", task)]})
    return "done"


LOOK, CANCEL = (("get_booking", {"booking_number": "MS-777"}), ("cancel_booking", {"booking_number": "MS-777"}))
WRONG = ("cancel_booking", {"booking_number": "MS-778"})
DELETE = ("delete_account", {"customer": "Ann"})
DELEGATE = ("delegate", {"task": "Cancel MS-777"})


def agent(*requests, tools=(get_booking, cancel_booking, delete_account, delegate), name="support_agent"):
    script = [asks_for((*request, f"call_{number}")) for number, request in enumerate(requests)]
    return create_agent(ScriptedChatModel(*script, "Done."), list(tools), name=name)


AGENTS = {
    "asked for the tool, which never ran": lambda: agent(CANCEL, tools=[get_booking]),
    "ran it, and it failed": lambda: agent(CANCEL, tools=[failing]),
    "cancelled somebody else's booking": lambda: agent(LOOK, WRONG),
    "cancelled before it had looked": lambda: agent(CANCEL, LOOK),
    "cancelled twice": lambda: agent(CANCEL, CANCEL),
    "cancelled, and deleted the account": lambda: agent(LOOK, CANCEL, DELETE),
    "had a sub-agent cancel": lambda: agent(DELEGATE),
}


def answered(what):
    """What the agent did, as a capture and as most people collect it: the calls in the messages."""
    with capture() as cap:
        messages = AGENTS[what]().invoke({"messages": [("user", "Please cancel MS-777")]})["messages"]
    return cap, [call["name"] for message in messages for call in getattr(message, "tool_calls", ())]


def code(cell):
    return re.search("`(.+)`", cell)[1]


*FAULTS, SUB_AGENT = rows("Why not")


def test_every_line_of_the_comparison_is_here():
    assert [what for what, _, _ in [*FAULTS, SUB_AGENT]] == list(AGENTS)


@pytest.mark.parametrize(("what", "naively", "notices"), FAULTS)
def test_a_fault_passes_the_naive_line_and_not_the_one_beside_it(what, naively, notices):
    cap, names = answered(what)
    assert naively == "passes"
    assert "cancel_booking" in names
    chain = assert_that(cap)
    if notices == "`has_no_more_tool_executions()`":
        chain.has_tools_executed_in_order("get_booking", "cancel_booking")
    with pytest.raises(AssertionError, match="Expected invocation 'support_agent' to have"):
        eval(f"chain.{code(notices)}", {"chain": chain})


def test_the_work_of_a_sub_agent_is_found_when_the_scope_is_said_and_asked_for_when_not():
    what, naively, notices = SUB_AGENT
    cap, names = answered(what)
    assert naively == "fails"
    assert "cancel_booking" not in names
    eval(f"chain.{code(notices)}", {"chain": assert_that(cap)})
    with pytest.raises(AmbiguousError, match="including_nested"):
        assert_that(cap).has_tool_executed("cancel_booking")


def test_nothing_seen_is_an_error():
    with capture() as cap:
        pass
    with pytest.raises(AmbiguousError):
        assert_that(cap).has_no_tool_executions("delete_account")
