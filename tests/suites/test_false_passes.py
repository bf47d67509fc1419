"""What would let a test of a suite pass although it checks nothing: names that are none, tools that nobody sees, mocks of nothing."""

from __future__ import annotations

import pytest

LISTED = 'support = {target = "{module}:support", tools = ["refund"]}'
UNDECORATED = """
    def refund(id):
        return "refunded"

    def support(payload):
        return refund(payload)
"""
DECORATED = UNDECORATED.replace("def refund(id)", "@record.tool\n    def refund(id)")
FALLBACK = """
    @record.tool
    def refund(id):
        raise SystemExit("the real tool ran")

    def support(payload):
        try:
            return refund(payload)
        except Exception:
            return "sorry"
"""
NESTED = """
    @record.tool
    def find_order(id):
        return id

    @record.agent
    def searcher(id):
        return find_order(id)

    def support(payload):
        return searcher(payload)
"""
TEST = "tests:\n  - name: a\n    payload: x\n    "


def reason(project):
    ran = project.test("--json")
    assert (ran.code, ran.case["status"]) == (1, "failed")
    return ran.case["failure_reason"]


def refused(project):
    ran = project.test()
    assert (ran.code, ran.out) == (1, "")
    return ran.err


def test_what_a_nested_agent_called_contradicts_that_it_was_not_called(project):
    project.agent(NESTED)
    project.suite(TEST + "expected_no_tool_calls: [find_order]")
    told = reason(project)
    assert "but nested invocation 'searcher' executed it, and 'support' may mean itself alone or all that it runs" in told
    assert "expect it of 'searcher' under `expected_child_agents`" in told


def test_what_a_nested_agent_called_is_hinted_at_where_it_is_missed(project):
    project.agent(NESTED)
    project.suite(TEST + "expected_tool_calls: [find_order]")
    assert "Nested invocation 'searcher' executed it: find_order(id='x')." in reason(project)


@pytest.mark.parametrize(
    ("kind", "mock", "told"),
    [
        ("mocks", "def mock_refund(params):", "tests/mocks/made.py:1: mock_refund(...) must take (tool_name, params, context)"),
        ("builder", "def build(context):", "build(...) must take (context, builder_args, test_name, payload, files)"),
        (
            "builder",
            "def build(*given):\n    return ''\ndef cleanup(run):",
            "tests/builders/made.py:3: cleanup(...) must take (run, context, builder_args)",
        ),
    ],
)
def test_a_function_with_other_parameters_fails_before_the_agent_runs(project, kind, mock, told):
    project.agent(FALLBACK)
    project.write(f"tests/{kind.rstrip('s')}s/made.py", f"{mock}\n    return ''\n")
    project.suite(TEST + f"{kind}: made")
    assert told in reason(project)


def test_a_misspelt_mock_of_a_known_tool_keeps_the_real_one_from_running(project):
    project.agent(FALLBACK)
    project.settings("", agents=LISTED)
    project.write("tests/mocks/made.py", "def mock_refnud(tool_name, params, context):\n    return ''\n")
    project.suite(TEST + "mocks: made")
    told = reason(project)
    assert told == "tests/mocks/made.py:1: mock_refnud(...) stands for no tool of the agent; did you mean mock_refund?"


def test_a_mock_of_no_tool_stood_in_for_nothing(project):
    project.agent("def support(payload):\n    return 'sorry'")
    project.write("tests/mocks/made.py", "def mock_warehouse_ship(tool_name, params, context):\n    return ''\n")
    project.suite(TEST + "mocks: made")
    assert "tests/mocks/made.py:1: mock_warehouse_ship stood in for nothing: no tool that it is for" in reason(project)


def test_a_mock_of_a_tool_that_did_not_run_this_time_is_none(project):
    project.agent(DECORATED.replace("return refund(payload)", "return 'sorry'"))
    project.write("tests/mocks/made.py", "def mock_refund(tool_name, params, context):\n    return ''\n")
    project.suite(TEST + "mocks: made")
    assert project.test().code == 0


@pytest.mark.filterwarnings("ignore::agentassert.CaptureWarning")
@pytest.mark.parametrize("mock", ["mock_refund", "mock"])
def test_a_tool_that_ran_where_no_mock_follows_is_called_out(project, mock):
    project.agent(
        DECORATED.replace("return refund(payload)", "import contextvars; return contextvars.Context().run(refund, payload)")
    )
    project.write("tests/mocks/made.py", f"def {mock}(tool_name, params, context):\n    return ''\n")
    project.suite(TEST + "mocks: made")
    assert "'refund' is mocked, but the real tool ran: nothing could be put in its place there\n" in reason(project)


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        (
            "expected_no_tool_calls: [refnd]",
            "4:30: expected_no_tool_calls[0]: the agent has no tool 'refnd', so this could never fail; did you mean 'refund'?",
        ),
        ("expected_tool_calls: [{refnd: invocations == 0}]", "the agent has no tool 'refnd', so this could never fail"),
        ("approval_decisions: [{tool: refnd, decision: approve}]", "4:33: tool: the agent has no tool 'refnd'"),
    ],
)
def test_a_name_that_no_tool_of_the_agent_has_is_refused(project, fields, told):
    project.agent(DECORATED)
    project.settings("", agents=LISTED)
    project.suite(TEST + fields)
    assert told in refused(project)


@pytest.mark.parametrize("fields", ["expected_no_tool_calls: [shop.refund, refund]", "expected_result: output == 'refunded'"])
def test_a_name_that_fits_in_full_or_by_its_last_part_is_not(project, fields):
    project.agent(DECORATED.replace("return refund(payload)", "return 'refunded'"))
    project.settings("", agents=LISTED)
    project.suite(TEST + fields)
    assert project.test().code == 0


def test_a_misspelt_name_that_was_not_offered_fails_where_nobody_knows_the_tools(project):
    project.agent(
        """
        def support(payload):
            with record.model_call(messages=payload, tools_offered=["zzz_pay"]) as call:
                call.respond("ok")
            return "ok"
        """
    )
    project.suite(TEST + "expected_no_tool_calls: [zzz_pya]")
    told = reason(project)
    assert "but no such tool was offered or executed, so that this could never fail" in told
    assert "Did you mean 'zzz_pay'?" in told


@pytest.mark.parametrize("fields", ["expected_no_tool_calls: [zzz_wire]", "expected_tool_calls: [zzz_wire]"])
def test_a_listed_tool_that_nothing_stands_for_cannot_be_seen(project, fields):
    project.agent(UNDECORATED.replace("refund", "zzz_wire"))
    project.settings("", agents=LISTED.replace("refund", "zzz_wire"))
    project.suite(TEST + fields)
    assert "to have 'zzz_wire' recorded,\nbut nothing tells whether it ran.\nThe tools of a function are seen" in reason(project)


@pytest.mark.parametrize("fields", ["strict_mocks: true", "mocks: made"])
def test_a_listed_tool_that_nothing_stands_for_cannot_be_mocked(project, fields):
    project.agent(UNDECORATED.replace("refund", "zzz_wire"))
    project.settings("", agents=LISTED.replace("refund", "zzz_wire"))
    project.write("tests/mocks/made.py", "def mock_zzz_wire(tool_name, params, context):\n    return ''\n")
    project.suite(TEST + fields)
    assert "no mock could be put in the place of 'zzz_wire'. The tools of a function are seen" in reason(project)


def test_a_failed_test_lists_the_executions_once_and_names_the_type_of_the_error(project):
    project.agent(DECORATED.replace("return refund(payload)", "refund(payload)\n        raise KeyError('MS-777')"))
    project.suite(TEST + "runs: 2\n    expected_tool_calls: [{refund: params.id == 'y'}]")
    told = reason(project)
    assert "agent error: 'MS-777' (KeyError)" in told
    assert told.count("Tool executions") == 1
    assert told.endswith("In the first run that failed:\nTool executions:\n  [1] refund(id='x') -> 'refunded'")


def test_what_the_model_requested_is_no_misspelt_name_and_stands_below_the_executions(project):
    project.agent(
        """
        def support(payload):
            with record.model_call(messages=payload, tools_offered=["refund"]) as call:
                call.respond("Sorry", tool_execution_requests=[{"name": "refnd", "arguments": {"id": payload}}])
            return "Sorry"
        """
    )
    project.suite(TEST + "expected_no_tool_calls: [refnd]")
    assert project.test().code == 0
    project.suite(TEST + "expected_tool_calls: [refnd]")
    assert reason(project).endswith(
        "The model requested 'refnd', which it was not offered. Did you mean 'refund'?\n"
        "Tool executions: none\nRequested, never executed: refnd(id='x')"
    )


def test_what_waits_for_approval_is_named(project):
    project.agent(
        """
        @record.approver
        def ask(tool, arguments):
            raise EOFError("nobody is there")

        def support(payload):
            return ask("refund", {"id": payload})
        """
    )
    project.suite(TEST + "expected_result: output == 'x'")
    assert "Approval of 'refund' is waited for: decide by `approval_decisions` (in Python `approvals=`)." in reason(project)


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ("expected_tool_calls: {refund: params.id == 1}", "must be a list, but is a mapping: begin each entry with `- `"),
        ("expected_tool_calls: [{refund: amount == 20}]", "'amount' is unknown here; did you mean 'params.amount'?"),
        ("expected_tool_calls: [{refund: 'params.a == 1, invocations == 1'}]", "write `and`"),
    ],
)
def test_a_slip_is_told_with_what_was_meant(project, fields, told):
    project.suite(TEST + fields)
    assert told in refused(project)


def test_a_factory_is_refused_in_the_place_of_the_agent(project):
    project.agent("def support():\n    return print")
    project.suite(TEST)
    assert "name the agent, not a function that makes it" in refused(project)


def test_a_path_from_a_folder_below_is_a_suite_of_the_project(project, monkeypatch):
    project.suite(TEST)
    (project.root / "shop" / "agents").mkdir(parents=True)
    monkeypatch.chdir(project.root / "shop" / "agents")
    assert project.test("../../tests/support.yaml").code == 0
