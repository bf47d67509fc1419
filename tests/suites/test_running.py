"""What a run of a case does beside the agent: builders, files, mocks, approvals, limits."""

from __future__ import annotations

import pytest

BUILT = """
    import uuid

    def build(context, builder_args, test_name, payload, files):
        context["id"] = str(uuid.uuid4())
        context["seen"] = [builder_args, test_name, payload, len(files)]
        return {"id": context["id"]}
"""
ECHO = """
    @record.tool
    def fetch(id):
        return {"id": id}

    def support(payload):
        return {"row": fetch(payload["id"])}
"""


def _builder(project, body, name="made"):
    project.write(f"tests/builders/{name}.py", body)


def test_a_builder_makes_the_payload_and_what_expressions_compare_with(project):
    project.agent(ECHO)
    _builder(project, BUILT)
    project.suite(
        """
        tests:
          - name: fetches what we made
            builder: made
            expected_result: output.row.id == context.id
            expected_tool_calls:
              - fetch: params.id == context.id and invocations == 1
        """
    )
    assert project.test().code == 0


def test_an_agent_that_makes_an_id_up_is_caught(project):
    project.agent(ECHO.replace('fetch(payload["id"])', 'fetch("9d4c6c6e-0000-4000-8000-000000000000")'))
    _builder(project, BUILT)
    project.suite("tests: [{name: a, builder: made, expected_result: output.row.id == context.id}]")
    ran = project.test()
    assert ran.code == 1
    assert "output.row.id was '9d4c6c6e-0000-4000-8000-000000000000'" in ran.out


def test_a_builder_is_given_the_case(project):
    project.agent(ECHO)
    _builder(project, BUILT)
    project.write("tests/files/note.txt", "hi")
    project.suite(
        """
        tests:
          - name: told
            builder: made
            payload: plain
            builder_args: {amount: 5}
            files: [note.txt]
            expected_result: 'context.seen == [{"amount": 5}, "told", "plain", 1]'
        """
    )
    assert project.test().code == 0


def test_each_run_has_a_builder_and_a_context_of_its_own(project):
    project.agent("def support(payload):\n    return payload")
    _builder(
        project,
        """
        calls = []
        def build(context, builder_args, test_name, payload, files):
            calls.append(1)
            builder_args["changed"] = True
            return f"{len(calls)} {len(context)}"
        """,
    )
    project.suite("tests: [{name: a, builder: made, builder_args: {n: 1}, runs: 3, expected_result: output == '1 0'}]")
    assert project.test().code == 0


def test_an_async_builder_is_awaited(project):
    project.agent("def support(payload):\n    return payload")
    _builder(project, "async def build(context, builder_args, test_name, payload, files):\n    return 'built'\n")
    project.suite("tests: [{name: a, builder: made, expected_result: output == 'built'}]")
    assert project.test().code == 0


CLEANED = """
    from pathlib import Path
    def build(context, *rest):
        context["id"] = 7
        return "x"
    def cleanup(run, context, builder_args):
        Path("cleaned.txt").write_text(repr((run["input"], run["output"], context["id"], builder_args)))
        return {returned}
"""


@pytest.mark.parametrize(
    ("agent", "expected", "output"),
    [
        ("return 'fine'", 0, "'fine'"),
        ("raise ValueError('no')", 1, "None"),
        ("import time; time.sleep(30)", 1, "None"),
    ],
)
def test_cleaning_up_follows_every_run(project, tmp_path, agent, expected, output):
    project.agent(f"def support(payload):\n    {agent}")
    _builder(project, CLEANED.replace("{returned}", "True"))
    project.suite("tests: [{name: a, builder: made, timeout_s: 1}]")
    assert project.test().code == expected
    assert (tmp_path / "cleaned.txt").read_text() == f"('x', {output}, 7, {{}})"


def test_cleaning_up_cannot_save_a_case(project):
    project.agent("def support(payload):\n    return 'fine'")
    _builder(project, CLEANED.replace("{returned}", "True"))
    project.suite("tests: [{name: a, builder: made, expected_result: output == 'else'}]")
    assert project.test().code == 1


def test_files_reach_the_agent_beside_the_payload(project):
    project.agent("def support(payload):\n    return payload")
    project.write("tests/files/note.txt", "hi")
    project.suite(
        """
        tests:
          - name: object
            payload: '{"a": 1}'
            files: [note.txt]
            expected_result: 'output == {"a": 1, "files": [{"name": "note.txt", "mime_type": "text/plain", "data": "aGk="}]}'
          - name: text
            payload: look
            files: [note.txt]
            expected_result: output.message == "look" and output.files[0].name == "note.txt"
        """
    )
    assert project.test().code == 0


MOCKED = """
    @record.tool
    def lookup(id: int):
        raise ConnectionError("a real call")

    @record.tool
    def notify(to: str):
        raise ConnectionError("a real call")

    def support(payload):
        return {"found": lookup(id=payload["id"]), "told": notify(to="Ann") if payload.get("tell") else None}
"""


def test_mocks_stand_in_for_tools_and_are_recorded(project):
    project.agent(MOCKED)
    project.write(
        "tests/mocks/shop.py",
        """
        def mock_lookup(tool_name, params, context):
            return f"{tool_name} {params['id']}"

        def mock(tool_name, params, context):
            return "any"
        """,
    )
    project.suite(
        """
        defaults: {mocks: shop}
        tests:
          - name: a
            payload: '{"id": 7, "tell": true}'
            expected_result: output.found == "lookup 7" and output.told == "any"
            expected_tool_calls: [lookup, {notify: params.to == "Ann"}]
        """
    )
    ran = project.test()
    assert ran.code == 0, ran.out


def test_strict_mocks_keep_real_tools_from_running(project):
    project.agent(MOCKED)
    project.write("tests/mocks/shop.py", "def mock_lookup(tool_name, params, context):\n    return 1\n")
    project.suite('tests: [{name: a, payload: \'{"id": 7, "tell": true}\', mocks: shop, strict_mocks: true}]')
    ran = project.test("--json")
    assert ran.code == 1
    assert "'notify' has no mock" in ran.case["failure_reason"]
    assert "a real call" not in ran.out


def test_a_call_that_the_real_tool_would_refuse_fails_the_case(project):
    project.agent(MOCKED.replace('lookup(id=payload["id"])', "lookup(number=7)"))
    project.write("tests/mocks/shop.py", "def mock(tool_name, params, context):\n    return 1\n")
    project.suite("tests: [{name: a, payload: '{}', mocks: shop, expected_result: status == 'failed' or status == 'completed'}]")
    ran = project.test("--json")
    assert ran.code == 1
    assert "'lookup' was called in a way that the real tool does not take" in ran.case["failure_reason"]


def test_a_run_that_takes_too_long_has_failed(project):
    project.agent("import asyncio\nasync def support(payload):\n    await asyncio.sleep(30)")
    project.suite(
        """
        tests:
          - {name: a, payload: x, timeout_s: 1}
          - {name: b, payload: x, timeout_s: 1, expected_result: 'status == "failed" and "timed out" in error'}
        """
    )
    ran = project.test("--json")
    assert [case["passed"] for case in ran.json["cases"]] == [False, True]
    assert "timed out" in ran.json["cases"][0]["failure_reason"]


def test_an_agents_own_error_is_told(project):
    project.agent("def support(payload):\n    raise ValueError('missing vendor')")
    project.suite(
        """
        tests:
          - {name: a, payload: x, expected_result: output == null}
          - {name: b, payload: x, expected_result: 'status == "failed" and "missing vendor" in error'}
        """
    )
    ran = project.test("--json")
    assert [case["passed"] for case in ran.json["cases"]] == [False, True]
    assert "missing vendor" in ran.json["cases"][0]["failure_reason"]


def test_reasons_of_several_runs_are_counted(project):
    project.suite("tests: [{name: a, payload: x, runs: 3, expected_result: output == 1}]")
    assert "(in 3 of 3 runs)" in project.test("--json").case["failure_reason"]
