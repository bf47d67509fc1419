"""In a notebook a cell that is executed again starts its checks afresh, in a real IPython shell."""

from __future__ import annotations

import atexit

import pytest

IPython = pytest.importorskip("IPython")

from IPython.core.interactiveshell import InteractiveShell  # noqa: E402
from traitlets.config import Config  # noqa: E402

from agentassert import AgentAssertionError, cells  # noqa: E402
from tests.factories import captured, execution, failed, invocation  # noqa: E402

CHECKS_ONE = "chain = assert_that(cap).has_tool_executed('one')"
CHECKS_TWO = "chain = assert_that(cap).has_tool_executed('two')"
CHECKS_THE_REST = "chain = assert_that(cap).has_no_more_tool_executions()"


class Notebook:
    """A shell, and cells with ids as a notebook has them."""

    def __init__(self, shell):
        self.shell = shell

    def run(self, text, cell=None):
        """What the cell raised, or `None`."""
        outcome = self.shell.run_cell(text, store_history=True, cell_id=cell)
        return outcome.error_in_exec or outcome.error_before_exec

    def has_checked_everything(self, cell="rest"):
        return self.run(CHECKS_THE_REST, cell) is None


@pytest.fixture
def notebook(monkeypatch):
    monkeypatch.setattr(cells, "_watched", None)
    monkeypatch.setattr(cells, "_current", None)
    shell = InteractiveShell.instance(config=Config(HistoryManager={"enabled": False}))
    shell.showtraceback = lambda *_, **__: None
    yield Notebook(shell)
    shell.restore_sys_module_state()  # or its emptied `__main__` stays everybody's
    shell.atexit_operations()
    atexit.unregister(shell.atexit_operations)
    InteractiveShell.clear_instance()


@pytest.fixture
def opened(notebook):
    """With a capture of two tool executions in `cap`."""
    notebook.shell.user_ns["cap"] = captured(invocation("agent", execution("one"), execution("two")))
    assert notebook.run("from agentassert import assert_that, capture, record", "imports") is None
    return notebook


def test_checks_add_up_from_cell_to_cell(opened):
    opened.run(CHECKS_ONE, "a")
    assert not opened.has_checked_everything()
    opened.run(CHECKS_TWO, "b")
    assert opened.has_checked_everything()


def test_a_cell_that_is_edited_and_executed_again_takes_its_earlier_checks_back(opened):
    opened.run(f"{CHECKS_ONE}; {CHECKS_TWO}", "a")
    assert opened.has_checked_everything()
    opened.run(CHECKS_ONE, "a")
    assert not opened.has_checked_everything()


def test_a_cell_that_only_asserts_does_not_stand_on_what_it_checked_before(opened):
    assert opened.run(f"{CHECKS_ONE}; {CHECKS_TWO}; {CHECKS_THE_REST}", "a") is None
    assert isinstance(opened.run(CHECKS_THE_REST, "a"), AssertionError)


def test_a_cell_that_is_executed_again_leaves_the_checks_of_others(opened):
    opened.run(CHECKS_ONE, "a")
    opened.run(CHECKS_TWO, "b")
    opened.run(CHECKS_TWO, "b")
    assert opened.has_checked_everything()
    assert opened.shell.user_ns["cap"].books.passed.count("has_tool_executed('two')") == 1


def test_a_cell_that_fails_when_it_is_executed_again_has_checked_nothing(opened):
    opened.run(f"{CHECKS_ONE}; {CHECKS_TWO}", "a")
    assert isinstance(opened.run("1 / 0", "a"), ZeroDivisionError)
    assert not opened.has_checked_everything()


def test_a_failure_that_a_cell_unlocked_is_locked_again(opened):
    opened.shell.user_ns["cap"] = captured(failed("agent", error=TimeoutError("no answer")))
    assert opened.run("assert_that(cap).has_failed_with(TimeoutError)", "a") is None
    assert opened.run("assert_that(cap).has_no_tool_executions()", "b") is None
    opened.run("pass", "a")
    assert isinstance(opened.run("assert_that(cap).has_no_tool_executions()", "b"), AssertionError)


def test_without_ids_a_cell_is_known_by_its_text(opened):
    opened.run(CHECKS_ONE)
    opened.run(CHECKS_TWO)
    opened.run(CHECKS_TWO)
    assert opened.has_checked_everything(None)
    assert opened.shell.user_ns["cap"].books.passed.count("has_tool_executed('two')") == 1


def test_what_a_magic_executes_belongs_to_its_cell(opened):
    opened.run(f"%%time\n{CHECKS_ONE}\n{CHECKS_TWO}", "a")
    opened.run(f"get_ipython().run_cell({CHECKS_ONE!r}); {CHECKS_TWO}", "b")
    opened.run("%%capture\npass", "a")
    assert opened.has_checked_everything()
    opened.run("pass", "b")
    assert not opened.has_checked_everything()


def test_checks_outside_every_cell_stay(opened):
    from agentassert import assert_that

    assert_that(opened.shell.user_ns["cap"]).has_tool_executed("one").has_tool_executed("two")
    opened.run("pass", "a")
    assert opened.has_checked_everything()


def test_checks_can_be_forgotten_at_any_time(opened):
    opened.run(f"{CHECKS_ONE}; {CHECKS_TWO}", "a")
    opened.run("cap.forget_checks()", "b")
    assert not opened.has_checked_everything()


def test_nothing_is_heard_of_cells_where_ipython_runs_no_code(monkeypatch):
    monkeypatch.setattr(cells, "_watched", None)
    captured(invocation("agent"))
    assert cells._watched is None
    assert cells.current() is None


def test_the_shell_is_asked_once(opened):
    opened.run("for _ in range(3):\n    with capture(): pass", "a")
    assert opened.shell.events.callbacks["pre_run_cell"].count(cells._begin) == 1


def test_a_failed_assertion_shows_the_lines_of_the_notebook_and_none_of_this_library(opened, monkeypatch):
    monkeypatch.delattr(opened.shell, "showtraceback")
    written = []
    monkeypatch.setattr(opened.shell, "_showtraceback", lambda kind, error, lines: written.extend(lines))
    opened.run("def check(cap):\n    (\n        assert_that(cap)\n        .has_tool_executed('three')\n    )\ncheck(cap)", "a")
    assert written == [
        "Cell In[2], line 6",
        "    check(cap)",
        "Cell In[2], line 4, in check",
        "    .has_tool_executed('three')",
        "AgentAssertionError: Expected invocation 'agent' to have executed 'three',\nbut it was never executed.\nTool executions:\n"
        "  [1] one() -> 'ok'\n  [2] two() -> 'ok'",
    ]


def test_a_misspelt_name_shows_the_lines_of_the_notebook_and_none_of_this_library(opened, monkeypatch):
    monkeypatch.delattr(opened.shell, "showtraceback")
    written = []
    monkeypatch.setattr(opened.shell, "_showtraceback", lambda kind, error, lines: written.append(lines))
    opened.run("assert_that(cap).has_tool_executd('one')", "a")
    opened.run("cap.tool_calls", "b")
    assert [lines[-1] for lines in written] == [
        "UnknownNameError: 'InvocationAssertion' object has no attribute 'has_tool_executd'; did you mean 'has_tool_executed'?",
        "UnknownNameError: 'Capture' object has no attribute 'tool_calls'; did you mean 'invocation.tool_executions'?",
    ]
    assert [lines[:-1] for lines in written] == [
        ["Cell In[2], line 1", "    assert_that(cap).has_tool_executd('one')"],
        ["Cell In[3], line 1", "    cap.tool_calls"],
    ]


def test_a_failed_assertion_outside_a_notebook_shows_files_and_notes():
    def check():
        raise AgentAssertionError("it did not")

    with pytest.raises(AgentAssertionError) as caught:
        check()
    caught.value.add_note("said by somebody")
    lines = caught.value._render_traceback_()
    assert lines[0].startswith(f"File {__file__}, line ")
    assert lines[-4:] == [
        lines[-4],
        '    raise AgentAssertionError("it did not")',
        "AgentAssertionError: it did not",
        "said by somebody",
    ]
    assert lines[-4].endswith(", in check")
