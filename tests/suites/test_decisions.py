"""One test for each decision on what the specification leaves open, as far as it is about suites and their runs."""

from __future__ import annotations

import json

import pytest

ECHO = "def support(payload):\n    return payload"


def test_a18_decisions_are_tried_in_order_by_name_and_serve_the_agents_below(project):
    project.agent(
        """
        @record.approver
        def ask(tool, arguments):
            raise EOFError("nobody is there")

        @record.agent
        def cashier(amount):
            return bool(ask("tickets.refund", {"amount": amount}))

        def support(payload):
            return [cashier(5), cashier(500), cashier(6)]
        """
    )
    project.suite(
        """
        defaults: {strict_approval_decisions: true}
        tests:
          - name: a
            payload: x
            approval_decisions:
              - {tool: tickets.refund, params: params.amount > 100, decision: reject}
              - {tool: tickets.refund, decision: approve}
              - {tool: refund, decision: timeout}
            expected_result: output == [true, false, false]
        """
    )
    ran = project.test()
    assert ran.code == 0, ran.out


@pytest.mark.parametrize(
    ("build", "told"),
    [
        ("raise OSError('no database')", "build() raised OSError: no database"),
        ("time.sleep(60)", "build() did not return within 1 s"),
    ],
)
def test_a21_cleaning_up_follows_a_build_that_was_begun(project, tmp_path, build, told):
    project.agent("def support(payload):\n    raise SystemExit('ran')")
    project.write(
        "tests/builders/made.py",
        f"""
        import pathlib, time

        def build(context, *rest):
            context["row"] = 7
            {build}

        def cleanup(run, context, builder_args):
            pathlib.Path("cleaned.txt").write_text(repr((run, context)))
        """,
    )
    project.suite("tests: [{name: a, builder: made, timeout_s: 1}]")
    ran = project.test("--json")
    assert ran.code == 1
    assert told in ran.case["failure_reason"]
    assert (tmp_path / "cleaned.txt").read_text() == repr(
        ({"input": None, "output": None, "context": {}}, {"row": 7}),
    )


def test_a21_building_running_and_cleaning_up_have_the_whole_time_each(project):
    project.agent("import time\ndef support(payload):\n    time.sleep(1.1)\n    return 'in time'")
    project.write(
        "tests/builders/made.py",
        """
        import time

        def build(*given):
            time.sleep(1.1)
            return "x"

        def cleanup(*given):
            time.sleep(1.1)
        """,
    )
    project.suite("tests: [{name: a, builder: made, timeout_s: 2, expected_result: output == 'in time'}]")
    ran = project.test()
    assert ran.code == 0, ran.out


def test_a22_the_builder_and_the_mocks_are_loaded_for_each_run_and_the_context_is_new(project):
    project.agent(
        """
        @record.tool
        def count():
            raise ConnectionError("a real call")

        def support(payload):
            return [payload, count()]
        """
    )
    counting = "calls = []\ndef {name}(*given):\n    calls.append(1)\n    return {result}\n"
    project.write("tests/builders/made.py", counting.format(name="build", result="f'{len(calls)} {given[0]}'"))
    project.write("tests/mocks/shop.py", counting.format(name="mock_count", result="len(calls)"))
    project.suite("tests: [{name: a, builder: made, mocks: shop, runs: 3, expected_result: 'output == [\"1 {}\", 1]'}]")
    ran = project.test()
    assert ran.code == 0, ran.out


def test_a23_a_builder_without_arguments_gets_an_empty_mapping_and_files_with_their_content(project):
    project.agent(ECHO)
    project.write("tests/files/note.txt", "hi")
    project.write(
        "tests/builders/made.py",
        """
        def build(context, builder_args, test_name, payload, files):
            context["given"] = [builder_args, payload, files]
            return "x"
        """,
    )
    project.suite(
        """
        tests:
          - name: a
            builder: made
            files: [note.txt]
            expected_result: |-
              context.given == [{}, null, [{"name": "note.txt", "mime_type": "text/plain", "data": "aGk="}]]
        """
    )
    ran = project.test()
    assert ran.code == 0, ran.out


def test_a24_a_filter_that_fits_nothing_is_an_error(project):
    project.suite("tests: [{name: greets, payload: x}]")
    assert project.test("--filter", "Greets") == (1, "", "agentassert: no test has a name that contains 'Greets'\n")


def test_a25_runs_and_cases_come_one_after_the_other_in_the_order_of_the_file(project):
    project.agent(
        """
        import pathlib
        running = []

        async def support(payload):
            with pathlib.Path("order.txt").open("a") as file:
                file.write(payload)
            running.append(payload)
            beside = list(running)
            running.remove(payload)
            return beside
        """
    )
    project.suite("tests: [{name: z, payload: z, runs: 3, expected_result: 'output == [\"z\"]'}, {name: a, payload: a}]")
    ran = project.test()
    assert ran.code == 0, ran.out
    assert (project.root / "order.txt").read_text() == "zzza"


def test_a26_an_agent_that_a_guardrail_stops_is_blocked(project):
    pytest.importorskip("agents", reason="the guardrail is that of the OpenAI Agents SDK")
    project.agent(
        """
        from agents import Agent, GuardrailFunctionOutput, input_guardrail
        from tests.scripted.openai_agents import ScriptedModel

        @input_guardrail
        def polite(context, agent, given):
            return GuardrailFunctionOutput(output_info=None, tripwire_triggered="please" not in str(given))

        support = Agent("support", model=ScriptedModel("Gladly", "Gladly", "Gladly"), input_guardrails=[polite])
        """
    )
    project.suite(
        """
        tests:
          - {name: a, payload: 'Refund me, please'}
          - {name: b, payload: Refund me, expected_result: status == "blocked"}
          - {name: c, payload: Refund me, expected_result: output is null}
        """
    )
    ran = project.test("--json")
    assert [case["passed"] for case in ran.json["cases"]] == [True, True, False]
    assert "its status was 'blocked'" in ran.json["cases"][2]["failure_reason"]


def test_a27_coverage_is_a_report_that_a_flag_makes_a_gate_and_a_bad_file_an_error(project):
    project.settings("", agents='support = {target = "{module}:support", tools = ["add", "send"]}')
    project.suite("tests: [{name: a, payload: x, expected_tool_calls: [add]}]")
    assert json.loads(project.run("coverage", "--json").out)["overall"] == 50.0
    assert project.run("coverage").code == project.run("test", "--coverage", "--json").code == 0
    assert project.run("coverage", "--fail-under", "51").code == 1
    assert project.run("coverage", "--fail-under", "50").code == 0
    project.suite("tests: [{name: a, paylod: x}]")
    assert project.run("coverage").code == 1


@pytest.mark.parametrize(
    ("suite", "told"),
    [
        ("agnt: support\ntests: [{name: a, payload: x}]", "1:1: there is no key 'agnt' in a suite; did you mean 'agent'?"),
        (
            "defaults: {run: 3}\ntests: [{name: a, payload: x}]",
            "1:12: there is no key 'run' in the defaults; did you mean 'runs'?",
        ),
        (
            "tests: [{name: a, payload: x, expected_reslt: 'output'}]",
            "1:31: there is no key 'expected_reslt' in a test; did you mean 'expected_result'?",
        ),
        (
            "tests: [{name: a, payload: x, expected_child_agents: {b: {expected_resul: 'output'}}}]",
            "1:59: there is no key 'expected_resul' in a child agent; did you mean 'expected_result'?",
        ),
    ],
)
def test_a28_a_key_that_nobody_knows_is_an_error_wherever_it_stands(project, suite, told):
    project.suite(suite)
    assert project.test() == (1, "", f"tests/support.yaml:{told}\n")


@pytest.mark.parametrize(("passing", "code"), [(4, 0), (3, 1)])
def test_the_vector_of_the_threshold_five_runs_of_which_80_percent_must_pass(project, passing, code):
    project.agent(f"runs = iter([True] * {passing} + [False] * {5 - passing})\ndef support(payload):\n    return next(runs)")
    project.suite("tests: [{name: a, payload: x, runs: 5, success_threshold: 80, expected_result: output}]")
    ran = project.test("--json")
    assert (ran.code, ran.case["successes"]) == (code, passing)


@pytest.mark.parametrize(("strict", "code"), [("true", 1), ("false", 0)])
def test_the_vector_of_strict_approvals_two_decisions_of_which_one_is_used(project, strict, code):
    project.agent(
        """
        @record.approver
        def ask(tool, arguments):
            raise EOFError("nobody is there")

        def support(payload):
            return bool(ask("refund", {"amount": 5}))
        """
    )
    project.suite(
        f"""
        tests:
          - name: a
            payload: x
            strict_approval_decisions: {strict}
            approval_decisions: [{{tool: refund, decision: approve}}, {{tool: refund, decision: approve}}]
            expected_result: output
        """
    )
    ran = project.test("--json")
    assert ran.code == code
    assert (ran.case["failure_reason"] or "").count("nothing asked for the decision to approve 'refund'") == code
