"""Every form of test that Connic's pages show loads as it stands there, with names and values of our own."""

from __future__ import annotations

import pytest

from tests.suites.suite_files import Files

FORMS = {
    "the status": ('payload: "are you there"', 'expected_result: status == "completed"'),
    "a field of a JSON output": ('payload: \'{"first": 3, "second": 9}\'', "expected_result: output.sum == 12"),
    "a part of a text": ('payload: "good morning"', "expected_result: '\"morning\" in output'"),
    "numbers and words": ('payload: "rate it"', 'expected_result: output.score >= 0.75 and output.mood != "neutral"'),
    "an error that is expected": (
        'payload: \'{"customer": ""}\'',
        'expected_result: status == "failed" and "no customer" in error',
    ),
    "a tool by its name": ("payload: '{\"first\": 3}'", "expected_tool_calls:", "  - shop.prices.total"),
    "a number of calls": ("payload: '{\"all\": [1,2,3]}'", "expected_tool_calls:", "  - shop.prices.total: invocations >= 3"),
    "one call": ('payload: "write to Ann"', "expected_tool_calls:", "  - mail.send: invocations == 1"),
    "arguments": ("payload: '{}'", "expected_tool_calls:", "  - shop.prices.total: params.first == 3 and params.second == 9"),
    "one tool twice": (
        'payload: "3+9, then 5+8"',
        "expected_tool_calls:",
        "  - shop.prices.total: invocations == 1 and params.first == 3",
        "  - shop.prices.total: invocations == 1 and params.first == 5",
    ),
    "an order": ('payload: "find it"', "expected_tool_call_order:", "  - stock.find", "  - mail.send"),
    "what a builder made": (
        "builder: put_row_in",
        "expected_result: output.row.key == context.row_key",
        "expected_tool_calls:",
        "  - table.read: params.key == context.row_key and invocations == 1",
    ),
    "no tools": ('payload: "hello"', "expected_no_tool_calls:", "  - shop.prices.total", "  - mail.send"),
    "a triggered agent": (
        'payload: \'{"letter": "..."}\'',
        "expected_child_agents:",
        "  shortener:",
        '    expected_payload: payload.letter != ""',
        '    expected_result: output.short != ""',
        "    expected_tool_calls:",
        "      - model.answer: invocations >= 1",
        "    expected_no_tool_calls:",
        "      - mail.send",
    ),
    "the payload of a triggered agent": (
        "builder: put_row_in",
        "builder_args:",
        "  cents: 1250",
        "expected_child_agents:",
        "  row-keeper:",
        "    expected_payload: payload.key == context.row_key",
    ),
    "an agent that a triggered agent triggers": (
        'payload: \'{"letter": "..."}\'',
        "expected_child_agents:",
        "  shortener:",
        '    expected_result: output.short != ""',
        "    expected_child_agents:",
        "      poster:",
        "        expected_tool_calls:",
        '          - board.post: params.board == "letters"',
    ),
    "an agent that nobody waits for": (
        'payload: \'{"happened": "sale"}\'',
        "expected_child_agents:",
        "  book-keeper:",
        "    expected_triggered: 1",
        '    expected_payload: payload.happened == "sale"',
    ),
    "an approval": (
        "builder: put_row_in",
        "approval_decisions:",
        "  - tool: table.delete",
        "    params: params.key == context.row_key",
        "    decision: approve",
        "    reason: The test says so",
        'expected_result: status == "completed"',
    ),
}


@pytest.mark.parametrize("lines", FORMS.values(), ids=FORMS)
def test_the_form_loads(tmp_path, lines):
    files = Files(tmp_path)
    files.write("builders/put_row_in.py")
    body = "".join(f"    {line}\n" for line in lines)
    (case,) = files.load(f"tests:\n  # What it is for\n  - name: does_it\n{body}").cases
    assert case.payload is not None or case.builder == "put_row_in"
    assert not case.expectations.is_empty
