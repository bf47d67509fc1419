"""What is wrong with a suite is one line with its place and the way out, before any agent runs wherever that can be known."""

from __future__ import annotations

import pytest

AGENT = """
    import pathlib

    def support(payload):
        pathlib.Path("ran.txt").touch()
        return "fine"

    def two(payload, more):
        return "fine"

    NOBODY = 5
"""
TEST = "tests:\n  - name: a\n    payload: x\n    "
BOMB = "\n".join(
    ["tests: &a0 [x, x, x, x, x, x, x, x, x, x]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10))]
)
SUITES = {
    "a misspelt key": (
        TEST + "expected_reslt: output",
        "4:5: there is no key 'expected_reslt' in a test; did you mean 'expected_result'?",
    ),
    "half an expression": (
        TEST + "expected_result: output ==",
        "4:22: expected_result: 'output ==', column 10: it cannot be read",
    ),
    "an unknown name": (
        TEST + "expected_result: outptu == 1",
        "4:22: expected_result: 'outptu == 1', column 1: 'outptu' is unknown here; did you mean 'output'?",
    ),
    "a name given twice": (
        TEST + "runs: 2\n  - {name: a, payload: y}",
        "5:12: the name 'a' is that of the test in line 2; a name is unique in its file",
    ),
    "an unknown agent": ("agent: suport\n" + TEST, "1:8: unknown agent 'suport'; did you mean 'support'?"),
    "a bomb of aliases": (BOMB, "5:45: aliases multiply the file to more than 100,000 values: write out what is meant"),
    "an expression of 3,000 characters": (
        TEST + f"expected_result: output == '{'a' * 2_988}'",
        "4:22: expected_result must have at most 2,000 characters, but has 3,000",
    ),
    "a private name": (
        TEST + "expected_result: output.__class__",
        "4:22: expected_result: 'output.__class__', column 1: names that begin with _ are not read by a dot: write [\"__class__\"]",
    ),
    "a call": (
        TEST + "expected_result: len(output) > 1",
        "4:22: expected_result: 'len(output) > 1', column 1: functions and methods are not part of expressions: compare",
    ),
    "a huge power": (
        TEST + "expected_result: 9**9**9 == 1",
        "4:22: expected_result: '9**9**9 == 1', column 1: expressions compare and do not calculate: write the result",
    ),
    "a builder that is not there": (
        TEST + "builder: mad",
        "4:14: builder: there is no builders/mad.py in the suites directory; there is nothing in builders/",
    ),
    "no YAML": ("tests: [", "2:1: this is no YAML: "),
}
AGENTS = {
    "a module that is not there": ("nothing:support", "'nothing:support': there is no module 'nothing' in "),
    "an object that is not there": ("{module}:suport", "module '{module}' has no 'suport'; did you mean 'support'?"),
    "what nobody can run": (
        "{module}:NOBODY",
        "agent must be a callable, an agent of a framework that has an adapter, or a text",
    ),
    "a function of two arguments": ("{module}:two", "agent must take the payload as its only argument, but "),
    "a module that raises": ("raising:support", "importing it raised ZeroDivisionError: division by zero"),
    "a module that leaves": ("leaving:support", "importing it raised SystemExit: 3"),
}
BUILDERS = {
    "that raises": (
        "def build(*given):\n    raise OSError('no\\ndatabase')",
        "2: build() raised OSError: no database",
    ),
    "that leaves": ("import sys\ndef build(*given):\n    sys.exit(3)", "3: build() raised SystemExit: 3"),
    "that hangs": (
        "import time\ndef build(*given):\n    time.sleep(60)",
        "2: build() did not return within 1 s: have it take less, or raise timeout_s",
    ),
    "that hangs in async code": (
        "import asyncio\nasync def build(*given):\n    await asyncio.sleep(60)",
        "2: build() did not return within 1 s: have it take less, or raise timeout_s",
    ),
    "that fails by a time limit of its own": (
        "async def build(*given):\n    raise TimeoutError",
        "2: build() raised TimeoutError",
    ),
    "that returns a number": ("def build(*given):\n    return 5", "1: build() must return a text or a dict, but returned an int"),
    "that returns nothing": ("def build(*given):\n    pass", "1: build() must return a text or a dict, but returned None"),
    "that takes other arguments": (
        "def build(context):\n    return ''",
        "1: build(...) must take (context, builder_args, test_name, payload, files)",
    ),
    "that does not load": ("x = 1 / 0", "1: loading it raised ZeroDivisionError: division by zero"),
    "that leaves while it loads": ("raise SystemExit", "1: loading it raised SystemExit"),
    "that is no Python": ("\ndef build(:", "2: invalid syntax"),
    "without a function": ("y = 1", " there is no function build(context, builder_args, test_name, payload, files); define it"),
}
CLEANUPS = {
    "that says it failed": (
        "return False",
        "3: cleanup() returned False: see what it leaves behind, or return None where that is as it should be",
    ),
    "that returns a text": ("return 'yes'", "3: cleanup() must return a bool or None, but returned a str"),
    "that raises": ("return 1 / 0", "4: cleanup() raised ZeroDivisionError: division by zero"),
    "that hangs": (
        "import time; time.sleep(60)",
        "3: cleanup() did not return within 1 s: have it take less, or raise timeout_s",
    ),
}


def refused_before_anything_ran(project):
    """The one line that is printed."""
    ran = project.test()
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.count("\n") == 1
    assert len(ran.err) < 400
    assert not (project.root / "ran.txt").exists()
    return ran.err


def failed_without_running(project, ran=False):
    """The one line that a test failed with."""
    told = project.test()
    assert (told.code, told.err) == (1, "")
    assert (project.root / "ran.txt").exists() == ran
    reason = told.out.partition("support::a (tests/support.yaml:2)\n  ")[2]
    assert reason.count("\n") == 1
    return reason


@pytest.mark.parametrize(("suite", "told"), SUITES.values(), ids=SUITES)
def test_a_wrong_suite(project, suite, told):
    project.agent(AGENT)
    project.suite(suite)
    assert refused_before_anything_ran(project).startswith(f"tests/support.yaml:{told}")


@pytest.mark.parametrize(("target", "told"), AGENTS.values(), ids=AGENTS)
def test_an_agent_that_cannot_be_had(project, target, told):
    project.agent(AGENT)
    project.write("raising.py", "1 / 0")
    project.write("leaving.py", "raise SystemExit(3)")
    project.settings("", agents=f'other = "{{module}}:support"\nsupport = "{target}"')
    project.suite(TEST, "other")
    project.suite(TEST)
    line = refused_before_anything_ran(project)
    assert line.startswith("[tool.agentassert.agents] support = ")
    assert told.replace("{module}", project.module) in line


@pytest.mark.parametrize(("body", "told"), BUILDERS.values(), ids=BUILDERS)
def test_a_builder(project, body, told):
    project.agent(AGENT)
    project.write("tests/builders/made.py", body)
    project.suite(TEST + "builder: made\n    timeout_s: 1")
    assert failed_without_running(project).startswith(f"tests/builders/made.py:{told}")


@pytest.mark.parametrize(("body", "told"), CLEANUPS.values(), ids=CLEANUPS)
def test_a_cleanup(project, body, told):
    project.agent(AGENT)
    project.write("tests/builders/made.py", f"def build(*given):\n    return ''\ndef cleanup(*given):\n    {body}")
    project.suite(TEST + "builder: made\n    timeout_s: 1")
    assert failed_without_running(project, ran=True).startswith(f"tests/builders/made.py:{told}")


def test_a_module_of_mocks_without_a_mock(project):
    project.agent(AGENT)
    project.write("tests/mocks/shop.py", "def lookup(tool_name, params, context):\n    return 1\n")
    project.suite(TEST + "mocks: shop")
    assert failed_without_running(project).startswith(
        "tests/mocks/shop.py: there is no function mock(tool_name, params, context), nor one for a single tool"
    )


def test_a_child_agent_that_was_never_seen(project):
    project.agent(AGENT)
    project.suite(TEST + "expected_child_agents: {reader: {expected_payload: payload.id == 1}}")
    ran = project.test("--json")
    assert (ran.code, ran.err, ran.case["file"]) == (1, "", "tests/support.yaml:2")
    assert ran.case["failure_reason"] == (
        "Expected invocation 'support' to have triggered 'reader',\nbut it triggered no agent.\n"
        "An agent counts as triggered when a framework with an adapter runs it, or record.agent or record.trigger tells of it.\n"
        "Tool executions: none"
    )


def test_an_agent_that_ends_the_process(project):
    project.agent("def support(payload):\n    raise SystemExit(3)")
    project.suite(TEST)
    ran = project.test("--json")
    assert (ran.code, ran.err) == (1, "")
    assert "SystemExit: 3" in ran.case["failure_reason"]
