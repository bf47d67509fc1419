"""Failure messages as HTML."""

from __future__ import annotations

import re
from html import unescape

import pytest

from agentassert import AgentAssertionError, assert_that
from agentassert.reports.page_failures import message_html, traceback_html
from tests.factories import captured, execution, invocation


def parts(shown, tag):
    return [unescape(re.sub(r"<[^>]*>", "", found)) for found in re.findall(rf"<{tag}>(.*?)</{tag}>", shown)]


def text(shown):
    return unescape(re.sub(r"<[^>]*>", "", shown))


@pytest.mark.parametrize(
    ("line", "expected", "found", "differs"),
    [
        ("$.number: expected 'MS-777', was 'MS-778'", "'MS-777'", "'MS-778'", ["7", "8"]),
        ("  $.number: expected 3, was 'three'", "3", "'three'", []),
        ("$.text: expected 'a, was b', was 'c'", "'a, was b'", "'c'", []),
        ("$.text: expected \"it's, was\", was 'no'", '"it\'s, was"', "'no'", []),
        ("$['odd: key'].x: expected 1, was 2", "1", "2", []),
        ("$.cut: expected '…it's so, was '…it's not", "'…it's so", "'…it's not", ["so", "not"]),
        ("$.long: expected 'abc', was 'abcdef'", "'abc'", "'abcdef'", ["def"]),
    ],
)
def test_both_sides_of_a_difference_stand_out(line, expected, found, differs):
    shown = message_html(line)
    assert text(shown) == line
    assert (parts(shown, "ins"), parts(shown, "del")) == ([expected], [found])
    assert parts(shown, "mark") == differs


def test_one_side_stands_out_where_there_is_no_other():
    assert parts(message_html("$.x: expected 3, but it is missing"), "ins") == ["3"]
    assert parts(message_html("$.y: not expected, was 'more'"), "del") == ["'more'"]


def test_a_real_message_is_marked_and_complete():
    cap = captured(invocation("support", execution("cancel", {"number": "MS-778"}), execution("notify", error="no answer")))
    with pytest.raises(AgentAssertionError) as raised:
        assert_that(cap).has_tool_executed_with("cancel", {"number": "MS-777"})
    shown = message_html(str(raised.value))
    assert text(shown) == str(raised.value)
    assert '<span class="m-asked">Expected invocation' in shown
    assert '<span class="m-found">but no successful execution' in shown
    assert '<span class="m-path">$.number</span>' in shown
    assert '<span class="m-tool">notify</span>()<span class="m-bad"> FAILED</span>' in shown


def test_the_difference_of_a_plain_assert_is_marked_and_a_list_in_a_text_is_not():
    shown = message_html("AssertionError: assert 'a' == 'b'\n  \n  - b\n  + a")
    assert (parts(shown, "del"), parts(shown, "ins")) == (["- b"], ["+ a"])
    assert message_html("The agent said:\n- one\n- two") == "The agent said:\n- one\n- two"


def test_lines_of_a_traceback_that_tell_the_error_are_marked():
    shown = traceback_html("    def test():\n>       check()\nE   $.id: expected 1, was 2\nE   - no")
    assert '<span class="m-here">&gt;       check()</span>' in shown
    assert parts(shown, "ins") == ["1"]
    assert text(shown).endswith("E   $.id: expected 1, was 2\nE   - no")


def test_nothing_in_a_message_is_markup():
    hostile = "<script>alert(1)</script>"
    for line in (
        hostile,
        f"$.{hostile}: expected '{hostile}', was '<b>'",
        f"[1] {hostile}({hostile})",
        f"Expected {hostile}",
        f"E   {hostile}",
    ):
        for shown in (message_html(line), traceback_html(line)):
            assert "<script" not in shown
            assert text(shown) == line
