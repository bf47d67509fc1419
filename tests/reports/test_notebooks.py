"""The notebooks among the examples are what comes out when they are executed, in a real kernel."""

from __future__ import annotations

import os
import re
from importlib.metadata import version

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")

from tests.factories import captured, execution, invocation  # noqa: E402

VOLATILE = re.compile(
    r"<style>.*?</style>|(&lt; )?[\d,.]+ (ms|s)\b|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} UTC|call_[0-9a-f]+|[0-9a-f]{8}-[0-9a-f-]{27}",
    re.DOTALL,
)
"""The style, durations, moments, and ids that the model makes up."""


def executed(notebook, project):
    environment = {**os.environ, "PYTHONPATH": str(project)}
    client = nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(project / "examples")}})
    return client.execute(env=environment)


def shown(notebook):
    """What each code cell shows, in every form, without what changes from run to run."""
    return [[settled(output) for output in cell.outputs] for cell in notebook.cells if cell.cell_type == "code"]


def settled(output):
    texts = output.data if "data" in output else {"error": "\n".join(output.traceback)} if "traceback" in output else output
    return {kind: VOLATILE.sub("…", text) for kind, text in texts.items()}


def cell(text, **metadata):
    return nbformat.v4.new_code_cell(text, metadata=metadata)


@pytest.fixture
def notebook(project):
    return nbformat.read(project / "examples" / "notebook.ipynb", as_version=4)


def test_the_example_shows_what_it_has_stored(notebook, project):
    stored = shown(notebook)
    again = shown(executed(notebook, project))
    if version("langchain-core").startswith("1.0."):
        pytest.skip("executed, but not compared: this release of LangChain does not name the author of a message")
    assert again == stored


def test_the_example_shows_a_tree_what_a_chain_checked_and_a_short_failure(notebook):
    _, [capture], [chain], [failure] = shown(notebook)
    assert "send_receipt</b>(customer=&#x27;Ann&#x27;)" in capture["text/html"]
    assert "2 of 3 tool executions checked" in chain["text/html"]
    assert "unchecked" in chain["text/plain"]
    assert failure["error"].startswith(
        "Cell In[4], line 1\n    assert_that(cap).has_no_more_tool_executions()\nAgentAssertionError: "
    )


def test_checks_stand_in_a_kernel_as_they_stand_on_the_page(tmp_path, project):
    captured(invocation("agent", execution("one"), execution("two"))).save(tmp_path / "capture.json")
    notebook = nbformat.v4.new_notebook(
        cells=[
            cell(f"from agentassert import Capture, assert_that\ncap = Capture.load({str(tmp_path / 'capture.json')!r})"),
            cell("_ = assert_that(cap).has_tool_executed('one').has_tool_executed('two')"),
            cell("_ = assert_that(cap).has_no_more_tool_executions()"),
            cell("cap.forget_checks()"),
            cell("_ = assert_that(cap).has_no_more_tool_executions()", tags=["raises-exception"]),
        ]
    )
    assert [len(outputs) for outputs in shown(executed(notebook, project))] == [0, 0, 0, 0, 1]


@pytest.fixture
def kernel(project):
    """A kernel, and a client that says which cell it executes, as JupyterLab does."""
    manager = pytest.importorskip("jupyter_client").KernelManager(kernel_name="python3")
    manager.start_kernel(env={**os.environ, "PYTHONPATH": str(project)})
    client = manager.blocking_client()
    client.start_channels()
    client.wait_for_ready(timeout=60)
    yield client
    client.stop_channels()
    manager.shutdown_kernel(now=True)
    manager.cleanup_resources()


def execute(client, text, cell_id):
    content = {
        "code": text,
        "silent": False,
        "store_history": True,
        "user_expressions": {},
        "allow_stdin": False,
        "stop_on_error": True,
    }
    message = client.session.msg("execute_request", content, metadata={"cellId": cell_id})
    client.shell_channel.send(message)
    return client._recv_reply(message["header"]["msg_id"], timeout=60)["content"]["status"]


def test_a_kernel_starts_the_checks_of_a_cell_afresh_when_it_is_executed_again(kernel, tmp_path):
    captured(invocation("agent", execution("one"), execution("two"))).save(tmp_path / "capture.json")
    load = f"from agentassert import Capture, assert_that\ncap = Capture.load({str(tmp_path / 'capture.json')!r})"
    assert execute(kernel, load, "load") == "ok"
    assert execute(kernel, "assert_that(cap).has_tool_executed('one').has_tool_executed('two')", "check") == "ok"
    assert execute(kernel, "assert_that(cap).has_no_more_tool_executions()", "rest") == "ok"
    assert execute(kernel, "assert_that(cap).has_tool_executed('one')", "check") == "ok"
    assert execute(kernel, "assert_that(cap).has_no_more_tool_executions()", "rest") == "error"
