"""Each key of a suite file: what it may hold, what it defaults to, and what is said about anything else."""

from __future__ import annotations

import pytest

from agentassert.records import Decision
from agentassert.suites.format import SUITE, TEST
from tests.suites.suite_files import Files

EVERYTHING = """
version: "1.0"
agent: support
defaults:
  runs: 3
  success_threshold: 60
  timeout_s: 30
  mocks: shop.py
  strict_mocks: true
  strict_hook_mocks: true
  strict_middleware_mocks: true
  strict_guardrail_mocks: true
  strict_approval_decisions: true
tests:
  - name: takes the defaults
    payload: '{"order": 7}'
  - name: says otherwise
    builder: order.py
    builder_args: {order: 7, tags: [a, null]}
    payload: ""
    files: [order.pdf, notes.txt]
    mocks: other
    strict_mocks: false
    strict_hook_mocks: false
    strict_middleware_mocks: false
    strict_guardrail_mocks: false
    runs: 20
    success_threshold: 80
    success_confidence: 0.9
    timeout_s: 5
    strict_approval_decisions: false
    approval_decisions:
      - tool: billing.refund
        params: params.amount <= context.limit
        decision: approve
        reason: it is little
        response: go ahead
      - {tool: billing.refund, decision: timeout}
    expected_result: output.id == 7
    expected_tool_calls: [orders.lookup, {billing.refund: invocations == 1}]
    expected_tool_call_order: [orders.lookup, billing.refund]
    expected_no_tool_calls: [mail.send]
    expected_child_agents:
      summarizer:
        expected_triggered: 2
        expected_payload: payload.text != ""
        expected_child_agents: {publisher: {}}
"""


@pytest.fixture
def files(tmp_path):
    suites = Files(tmp_path)
    for name in ("builders/order.py", "mocks/shop.py", "mocks/other.py", "files/order.pdf", "files/notes.txt"):
        suites.write(name)
    return suites


def test_a_test_takes_the_defaults(files):
    suite = files.load(EVERYTHING)
    case = suite.cases[0]
    assert (suite.agent, case.name, case.line, case.payload) == ("support", "takes the defaults", 15, '{"order": 7}')
    assert (case.runs, case.success_threshold, case.success_confidence, case.timeout_s) == (3, 60, None, 30)
    assert case.mocks == "shop"
    assert case.strict_mocks
    assert case.strict_hook_mocks
    assert case.strict_middleware_mocks
    assert case.strict_guardrail_mocks
    assert case.strict_approval_decisions
    assert (case.files, case.builder, case.builder_args, case.approval_decisions) == ((), None, {}, ())
    assert case.expectations.is_empty


def test_a_test_may_say_otherwise(files):
    case = files.load(EVERYTHING).cases[1]
    assert (case.runs, case.success_threshold, case.success_confidence, case.timeout_s) == (20, 80, 0.9, 5)
    assert (case.payload, case.builder, case.builder_args) == ("", "order", {"order": 7, "tags": ["a", None]})
    assert (case.mocks, case.files) == ("other", ("order.pdf", "notes.txt"))
    assert not case.strict_mocks
    assert not case.strict_hook_mocks
    assert not case.strict_middleware_mocks
    assert not case.strict_guardrail_mocks
    assert not case.strict_approval_decisions
    first, second = case.approval_decisions
    assert (first.tool, first.params, first.decision) == ("billing.refund", "params.amount <= context.limit", Decision.APPROVE)
    assert (first.reason, first.response) == ("it is little", "go ahead")
    assert (second.params, second.decision, second.reason) == (None, Decision.TIMEOUT, None)


def test_expectations_are_read(files):
    expected = files.load(EVERYTHING).cases[1].expectations
    assert expected.result.text == "output.id == 7"
    look, refund = expected.tool_calls
    assert (look.name, look.condition) == ("orders.lookup", None)
    assert (refund.name, refund.condition.text) == ("billing.refund", "invocations == 1")
    assert (expected.tool_call_order, expected.no_tool_calls) == (("orders.lookup", "billing.refund"), ("mail.send",))
    (child,) = expected.child_agents
    assert (child.name, child.triggered, child.payload.text) == ("summarizer", 2, 'payload.text != ""')
    assert [grandchild.name for grandchild in child.inside.child_agents] == ["publisher"]


def test_without_anything_said_the_built_in_defaults_hold(files):
    case = files.case("")
    assert (case.runs, case.success_threshold, case.success_confidence, case.timeout_s) == (1, 100, None, 120)
    assert case.mocks is None
    assert not case.strict_mocks
    assert not case.strict_approval_decisions


NULLABLE = [name for name, field in TEST.fields.items() if field.or_null and name not in {"payload", "builder"}]


@pytest.mark.parametrize("name", NULLABLE)
def test_a_key_left_empty_is_as_if_it_were_not_there(files, name):
    assert files.case(f"{name}:").expectations.is_empty
    assert files.load(f"defaults: {{runs: 4, mocks: shop}}\ntests: [{{name: a, payload: b, {name}: null}}]").cases[0].runs == 4


def test_a_test_cannot_set_mocks_back_to_none(files):
    assert files.load("defaults: {mocks: shop}\ntests: [{name: a, payload: b, mocks: null}]").cases[0].mocks == "shop"


@pytest.mark.parametrize("text", ["version: '1.0'\n", "agent: null\n", "defaults: {}\n", "defaults: {mocks: null}\n"])
def test_what_is_at_the_top_may_be_left_out(files, text):
    suite = files.load(text + "tests: [{name: a, payload: b}]")
    assert suite.agent == "support"


def test_a_whole_number_may_be_written_with_a_point(files):
    runs = files.case("runs: 5.0").runs
    assert (runs, type(runs)) == (5, int)


WRONG_TESTS = {
    "expected_tool_cals: [a]": "4:5: there is no key 'expected_tool_cals' in a test; did you mean 'expected_tool_calls'?",
    "decision: approve": "4:5: there is no key 'decision' in a test; it belongs in approval_decisions",
    "expected_payload: payload": "4:5: there is no key 'expected_payload' in a test; it belongs in expected_child_agents",
    "agent: other": "4:5: there is no key 'agent' in a test; it belongs at the top of the file",
    'runs: "5"': "4:11: runs must be a whole number from 1 to 100, but is the text '5'",
    "runs: true": "4:11: runs must be a whole number from 1 to 100, but is true",
    "runs: 0": "4:11: runs must be a whole number from 1 to 100, but is 0",
    "runs: 101": "4:11: runs must be a whole number from 1 to 100, but is 101",
    "runs: 1.5": "4:11: runs must be a whole number from 1 to 100, but is 1.5",
    "runs: .inf": "4:11: runs must be a whole number from 1 to 100, but is inf",
    "success_threshold: 0": "4:24: success_threshold must be a whole number from 1 to 100, but is 0",
    "success_confidence: 95": "4:25: success_confidence must be a number between 0.5 and 1, such as 0.95, but is 95",
    "success_confidence: 1": "4:25: success_confidence must be a number between 0.5 and 1, such as 0.95, but is 1",
    "timeout_s: 3601": "4:16: timeout_s must be a whole number from 1 to 3,600, but is 3601",
    "strict_mocks: yes": "4:19: strict_mocks must be true or false, but is the text 'yes'",
    "builder_args: [1]": "4:19: builder_args must be a mapping, but is a list",
    "files: order.pdf": "4:12: files must be a list, but is the text 'order.pdf'",
    "files: [a/b]": (
        "4:13: files[0] must be the bare name of a file, of letters, digits, dots, dashes and underscores, but is the text 'a/b'"
    ),
    "files: [..]": (
        "4:13: files[0] must be the bare name of a file, of letters, digits, dots, dashes and underscores, but is the text '..'"
    ),
    "mocks: a b": (
        "4:12: mocks must be the bare name of a module, of letters, digits, dots, dashes and underscores, but is the text 'a b'"
    ),
    "mocks: .py": (
        "4:12: mocks must be the bare name of a module, of letters, digits, dots, dashes and underscores, but is the text '.py'"
    ),
    "files: [notes.txt, notes.txt]": "4:24: files[1] is the text 'notes.txt', which the list already has",
    "files: [order.pfd]": "4:13: files[0]: there is no files/order.pfd in the suites directory; did you mean 'order.pdf'?",
    "builder: oder": "4:14: builder: there is no builders/oder.py in the suites directory; did you mean 'order.py'?",
    "mocks: shops": "4:12: mocks: there is no mocks/shops.py in the suites directory; did you mean 'shop.py'?",
    "expected_result: true": "4:22: expected_result must be an expression, as text, but is true",
    "expected_result: ''": "4:22: expected_result must be an expression, as text, but is the text ''",
    "expected_tool_calls:": "4:25: expected_tool_calls must be a list, but is empty",
    "expected_tool_calls: a": "4:26: expected_tool_calls must be a list, but is the text 'a'",
    "expected_tool_calls: []": (
        "4:26: expected_tool_calls is empty: that expects nothing, so leave the key out; "
        "that no tool is called is said by expected_no_tool_calls"
    ),
    "expected_tool_calls: [' ']": "4:27: expected_tool_calls[0] must be a text that is not blank, but is the text ' '",
    "expected_tool_calls: [3]": (
        "4:27: expected_tool_calls[0] must be the name of a tool, or a mapping from it to an expression, but is 3"
    ),
    "expected_tool_calls: [{}]": (
        "4:27: expected_tool_calls[0] must be a mapping with one key, the name of a tool, but has none"
    ),
    "expected_tool_calls: [{a: b, c: d}]": (
        "4:27: expected_tool_calls[0] must be a mapping with one key, the name of a tool, but has 2 keys: 'a', 'c'"
    ),
    "expected_tool_calls: [{' ': b}]": "4:28: the name of the tool is blank",
    "expected_tool_calls: [{a: null}]": "4:31: a must be an expression, as text, but is empty",
    "expected_tool_call_order: [3]": "4:32: expected_tool_call_order[0] must be a text that is not blank, but is 3",
    "expected_no_tool_calls: ['']": "4:30: expected_no_tool_calls[0] must be a text that is not blank, but is the text ''",
    "expected_child_agents: {}": (
        "4:28: expected_child_agents is empty: name the agents that must be triggered, or leave it out"
    ),
    "expected_child_agents: {a: null}": "4:32: a must be a mapping, but is empty",
    "expected_child_agents: {' ': {}}": "4:29: the name of an agent is blank",
    "expected_child_agents: {a: {expected_triggered: 0}}": (
        "4:53: expected_triggered must be a whole number of 1 or more, but is 0"
    ),
    "expected_child_agents: {a: {expected_playload: x}}": (
        "4:33: there is no key 'expected_playload' in a child agent; did you mean 'expected_payload'?"
    ),
    "approval_decisions: [{tool: a, decision: aprove}]": (
        "4:46: decision must be 'approve' or 'reject' or 'timeout', but is the text 'aprove'"
    ),
    "approval_decisions: [{decision: approve}]": "4:26: an approval decision needs 'tool'",
    "approval_decisions: [{tool: a, decision: reject, because: b}]": (
        "4:54: there is no key 'because' in an approval decision; known are 'decision', 'params', 'reason', 'response', 'tool'"
    ),
    "approval_decisions: [{tool: a, decision: reject, response: b}]": (
        "4:64: response goes with `decision: approve` alone, but the decision is reject"
    ),
    f"approval_decisions: [{{tool: a, decision: approve, response: {'b' * 16_385}}}]": (
        "4:65: response must have at most 16,384 characters, but has 16,385"
    ),
    "approval_decisions: [{tool: a, decision: approve, params: ' '}]": (
        "4:63: params must be an expression, as text, but is the text ' '"
    ),
}


@pytest.mark.parametrize(("text", "words"), WRONG_TESTS.items(), ids=lambda text: text[:60])
def test_a_wrong_value_in_a_test_is_refused_in_one_line(files, text, words):
    assert files.refused_test(text) == [words]


WRONG_SUITES = {
    "hello": "1:1: the file must be a mapping with 'tests', but is the text 'hello'",
    "- name: a": "1:1: the file must be a mapping with 'tests', but is a list",
    "agent: support": "1:1: a suite needs 'tests'",
    "tests:": "1:7: tests must be a list, but is empty",
    "tests: []": "1:8: tests is empty: a suite has one test at least",
    "tests: [a]": "1:9: tests[0] must be a mapping with 'name', but is the text 'a'",
    "tests: [{payload: a}]": "1:9: a test needs 'name'",
    "tests: [{name: a}]": "1:9: the test 'a' needs a payload or a builder",
    "tests: [{name: a, files: [notes.txt]}]": "1:9: the test 'a' needs a payload or a builder",
    "tests: [{name: a, payload: null}]": "1:9: the test 'a' needs a payload or a builder",
    "tests: [{name: a, payload: 5}]": "1:28: payload must be text; JSON is written as text, in single quotes, but is 5",
    "tests: [{name: a, payload: {a: 1}}]": (
        "1:28: payload must be text; JSON is written as text, in single quotes, but is a mapping"
    ),
    "tests: [{name: '', payload: a}]": "1:16: name must be a name of 1 to 120 characters in one line, but is the text ''",
    "tests: [{name: 5, payload: a}]": "1:16: name must be a name of 1 to 120 characters in one line, but is 5",
    'tests: [{name: "a\\nb", payload: a}]': (
        "1:16: name must be a name of 1 to 120 characters in one line, but is the text 'a\\nb'"
    ),
    f"tests: [{{name: {'a' * 121}, payload: a}}]": (
        f"1:16: name must be a name of 1 to 120 characters in one line, but is the text '{'a' * 60}…'"
    ),
    "version: 1.0\ntests: [{name: a, payload: b}]": "1:10: version must be '1.0', but is 1.0",
    "version: '2.0'\ntests: [{name: a, payload: b}]": "1:10: version must be '1.0', but is the text '2.0'",
    "agent: 5\ntests: [{name: a, payload: b}]": "1:8: agent must be a text that is not blank, but is 5",
    "defaults:\ntests: [{name: a, payload: b}]": "1:10: defaults must be a mapping, but is empty",
    "defaults: {runs: null}\ntests: [{name: a, payload: b}]": ("1:18: runs must be a whole number from 1 to 100, but is empty"),
    "defaults: {mocks: shops}\ntests: [{name: a, payload: b}]": (
        "1:19: mocks: there is no mocks/shops.py in the suites directory; did you mean 'shop.py'?"
    ),
    "defaults: {expected_result: a}\ntests: [{name: a, payload: b}]": (
        "1:12: there is no key 'expected_result' in the defaults; it belongs in a test"
    ),
    "runs: 3\ntests: [{name: a, payload: b}]": (
        "1:1: there is no key 'runs' in a suite; it belongs under `defaults`, or in a test"
    ),
    "payload: a\ntests: [{name: a, payload: b}]": "1:1: there is no key 'payload' in a suite; it belongs in a test",
    "test: []\ntests: [{name: a, payload: b}]": "1:1: there is no key 'test' in a suite; did you mean 'tests'?",
}


@pytest.mark.parametrize(("text", "words"), WRONG_SUITES.items(), ids=lambda text: text[:60])
def test_a_wrong_suite_is_refused_in_one_line(files, text, words):
    assert files.refused(text) == [words]


def test_every_key_says_what_it_is_for():
    def fields(record):
        for name, field in record.fields.items():
            yield name, field.about

    assert all(about[0].isupper() and not about.endswith(".") for record in (SUITE, TEST) for _, about in fields(record))
