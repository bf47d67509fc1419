"""What a notebook shows: everything that happened, nothing that could harm."""

from __future__ import annotations

import contextlib
from html.parser import HTMLParser

import pytest

from agentassert import (
    NOT_RECORDED,
    Approval,
    Capture,
    Decision,
    Source,
    ToolExecutionRequest,
    assert_that,
    capture,
    record,
    show_secrets,
)
from agentassert.conversation_events import ConversationEvent, ConversationEventKind
from agentassert.records import EmbeddingModelCall, FinishReason
from agentassert.reports.style import STYLE
from agentassert.reports.tree_html import capture_html
from agentassert.token_usage import TokenUsage
from tests.factories import CANCELLED, UNKNOWN, captured, chat, execution, failed, failed_chat, invocation, strays, unanswered
from tests.reports.hostile import HUGE, hostile_capture

TAGS = {"b", "code", "dd", "details", "div", "dl", "dt", "li", "pre", "span", "style", "summary", "ul"}
ATTRIBUTES = {"class", "open", "data-kind", "data-status", "data-outcome", "data-checked", "data-decision"}


class Reader(HTMLParser):
    """The tags and attributes of some HTML, its text, and the text of each row."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.attributes, self.open, self.text, self.kinds = set(), set(), [], "", []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.kinds += [value for name, value in attrs if name == "data-kind"]
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.text += data


def shown(subject):
    return Reader(subject if isinstance(subject, str) else subject._repr_html_())


def support(*more, **fields):
    get = execution("get_booking", {"number": "MS-7"}, {"customer": "Ann"}, duration=0.012)
    return captured(invocation("support_agent", get, *more, **fields))


def test_a_capture_shows_its_invocations_with_input_tools_results_and_output():
    text = shown(support(input="Cancel MS-7", output="Done.", output_text="Done.", duration=1.5)).text
    assert "agent support_agent completed" in text
    assert "input 'Cancel MS-7'" in text
    assert "[1] get_booking(number='MS-7') -> {'customer': 'Ann'} 12 ms" in text
    assert "output 'Done.'" in text
    assert "1.50 s" in text


def test_a_failed_tool_execution_shows_its_error_with_what_caused_it():
    error = TimeoutError("no answer")
    error.__cause__ = ExceptionGroup("several", [OSError("refused")])
    text = shown(support(execution("notify", error=error))).text
    assert "notify() FAILED TimeoutError: no answer" in text
    assert "caused by" in text
    assert "ExceptionGroup: several (1 sub-exception)" in text
    assert "OSError: refused" in text


def test_a_failed_invocation_shows_its_error():
    text = shown(captured(failed(error=KeyError("id")))).text
    assert "support failed" in text
    assert "error KeyError: 'id'" in text


def test_a_model_call_shows_tokens_requests_messages_and_how_it_ended():
    usage = TokenUsage(input_tokens=1200, output_tokens=34)
    call = chat(
        "Wait.",
        requests=["get_booking"],
        messages=[{"role": "user", "content": "Hi\nthere"}],
        token_usage=usage,
        tools_offered=("get_booking", "refund"),
        finish_reason=FinishReason.LENGTH,
        attempts=2,
    )
    text = shown(captured(invocation("a", calls=[call]))).text
    assert "model small -> asks for get_booking" in text
    assert "1,234 tokens (1,200 in, 34 out)" in text
    assert "finish reason: length" in text
    assert "2 attempts" in text
    assert "Hi\nthere" in text
    assert "get_booking, refund" in text


def test_a_request_that_never_ran_is_said():
    request = ToolExecutionRequest(name="delete_all", arguments={"sure": True})
    text = shown(captured(invocation("a", calls=[chat(None, requests=[request])]))).text
    assert "requested delete_all(sure=True) never ran" in text


def test_calls_of_other_kinds_and_failed_ones_are_shown():
    embedding = EmbeddingModelCall(id="e", model="tiny", inputs=("some text",))
    text = shown(captured(invocation("a", calls=[embedding, failed_chat("overloaded")]))).text
    assert "embedding model tiny" in text
    assert "some text" in text
    assert "FAILED overloaded" in text


def test_sources_are_shown_or_that_there_were_none_or_nothing_where_nobody_saw():
    found = Source(text="Refunds take 5 days.", metadata={"page": 3}, score=0.91)
    text = shown(captured(invocation("a", sources=[found]))).text
    assert "1 source" in text
    assert "'Refunds take 5 days.' score 0.91" in text
    assert "page" in text
    assert "no sources were retrieved" in shown(captured(invocation("a", sources=()))).text
    assert "source" not in shown(captured(invocation("a"))).text


def test_an_approval_stands_behind_the_model_call_that_asked_for_it():
    approvals = (
        Approval(tool="pay", arguments={"amount": 5}, decision=Decision.REJECT, reason="too much"),
        Approval(tool="pay"),
        Approval(tool="other"),
    )
    calls = [chat("first", requests=["pay"]), chat("second", requests=["pay"])]
    text = shown(captured(invocation("a", calls=calls, approvals=approvals))).text
    places = [text.index(words) for words in ("first", "reject 'too much'", "second", "pending", "approval other(...)")]
    assert places == sorted(places)


def test_an_approval_of_a_tool_that_no_model_asked_for_stands_before_its_execution():
    one = invocation("a", execution("look"), execution("pay"), approvals=(Approval(tool="pay", decision=Decision.APPROVE),))
    text = shown(captured(one)).text
    assert text.index("look(") < text.index("approval pay") < text.index("] pay(")


def test_changes_of_a_conversation_are_shown():
    events = (
        ConversationEvent(kind=ConversationEventKind.SLOT_SET, name="seats", value=2),
        ConversationEvent(kind=ConversationEventKind.FLOW_STARTED, name="book", step="ask"),
    )
    text = shown(captured(invocation("a", conversation_events=events))).text
    assert "slot set seats = 2" in text
    assert "flow started book at ask" in text


def test_an_invocation_that_a_tool_started_lies_inside_its_execution():
    with capture() as cap, record.invocation("writer"):

        @record.tool
        def ask_researcher():
            with record.invocation("researcher"):
                record.tool_execution("search", {})

        ask_researcher()
    html = cap._repr_html_()
    inside_the_tool = html[html.index("ask_researcher</b>") :]
    assert '<ul class="aa-below"><li data-kind="agent"' in inside_the_tool[: inside_the_tool.index("researcher</b>", 20)]


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (execution("x", outcome=UNKNOWN), "(outcome not reported)"),
        (unanswered("x"), "may never have run: nothing answered"),
        (execution("x", outcome=CANCELLED), "CANCELLED"),
        (execution("x", result=NOT_RECORDED), "(result not recorded)"),
        (execution("x", cached=True, attempt=3, inferred=True), "attempt 3 cached inferred"),
        (execution("x", "[1]"), "<no object: '[1]'>"),
    ],
)
def test_what_is_doubtful_about_an_execution_is_said(one, words):
    assert words in shown(captured(invocation("a", one))).text


def test_what_is_doubtful_about_the_recording_is_said():
    cap = captured(invocation("a"), late=3, notes=tuple(f"doubt {number}" for number in range(30)), strays=strays(execution("x")))
    text = shown(cap).text
    assert "in doubt: events dropped" in text
    assert "… 11 more doubts …" in text
    assert "recorded outside every invocation" in text
    assert "is not the agent" not in text


def test_an_error_that_left_the_block_is_shown_once():
    assert shown(captured(invocation("a"), error="it broke")).text.count("it broke") == 2
    with capture(expecting_failure=True) as cap, record.invocation("a"):
        raise ValueError("of the agent")
    assert "error that left the block" not in shown(cap).text


def test_an_empty_capture_and_an_open_one_say_so():
    with capture("now") as cap:
        assert "capture now still recording" in shown(cap).text
    assert "no invocation was recorded" in shown(cap).text


def test_a_chain_shows_which_executions_are_checked():
    cap = support(execution("refund"), execution("notify", error="gone"))
    chain = assert_that(cap).has_tool_executed("get_booking").has_tool_execution_failed("notify")
    text = shown(chain).text
    assert "chain on invocation 'support_agent' (completed) 2 of 3 tool executions checked" in text
    assert "✓ has_tool_executed('get_booking')" in text
    assert "[2] refund() -> 'ok' unchecked" in text
    assert "[3] notify() FAILED gone ✓ checked" in text


def test_a_chain_that_includes_nested_invocations_counts_theirs():
    cap = captured(invocation("outer", execution("a"), nested=[invocation("inner", execution("b"))]))
    chain = assert_that(cap).including_nested().has_tool_executed("a")
    assert "1 of 2 tool executions checked" in shown(chain).text
    assert "[2] b() -> 'ok'" in repr(chain)
    assert "1 of 1 tool execution checked" in shown(assert_that(cap).top_level_only()).text


def test_a_chain_numbers_executions_as_messages_do():
    inner = invocation("inner", execution("x"))
    cap = captured(invocation("one", execution("a"), nested=[inner]), invocation("two", execution("b")))
    assert "[3] b()" in shown(assert_that(cap).whole_capture()).text
    assert "[1] b()" in shown(assert_that(cap.invocation_named("two"))).text
    assert "[1] b()" in shown(cap).text


def test_an_execution_of_unknown_outcome_is_checked_when_every_outcome_was():
    chain = assert_that(captured(invocation("a", execution("x", outcome=UNKNOWN))))
    with contextlib.suppress(AssertionError):
        chain.has_tool_executed("x")
    assert "unchecked" in shown(chain).text


def test_a_chain_that_has_no_single_invocation_to_look_at_says_so():
    assert "there are 2" in shown(assert_that(captured(invocation("a"), invocation("b")))).text


def test_an_invocation_shows_itself():
    assert "agent support_agent completed" in shown(support().invocation).text


def test_the_html_holds_no_script_no_address_and_no_unknown_tag():
    for subject in (hostile_capture(), hostile_capture(fails=True), assert_that(hostile_capture()), hostile_capture().invocation):
        html = subject._repr_html_()
        page = Reader(html)
        assert page.tags <= TAGS
        assert page.attributes <= ATTRIBUTES
        assert "url(" not in html
        assert "@import" not in html
        assert all(char.isprintable() or char == "\n" for char in html)
        html.encode("utf-8")


def test_secrets_are_masked_unless_asked_otherwise():
    html = hostile_capture()._repr_html_()
    assert "hunter2" not in html
    assert "abcdefgh12345678" not in html
    with show_secrets():
        assert "hunter2" in hostile_capture()._repr_html_()


def test_megabytes_are_cut_and_how_much_is_said():
    html = hostile_capture()._repr_html_()
    assert len(html) < 100_000
    assert f"{len(HUGE):,} characters in all" in html


def test_ten_thousand_executions_are_limited_and_counted():
    many = [execution(f"tool_{number % 3}", {"n": number}, error="bad" if number == 5000 else None) for number in range(10_000)]
    cap = captured(invocation("busy", *many))
    page = shown(cap)
    assert page.kinds.count("tool") <= 100
    assert "10,000 tool executions" in page.text
    assert "[5001] tool_2(n=5000) FAILED bad" in page.text
    assert "more: 1,650 tool_" in page.text
    assert "[10000] tool_0(n=9999)" in page.text
    assert len(cap._repr_html_()) < 300_000


def test_many_nested_invocations_are_limited_and_counted():
    with capture() as cap, contextlib.ExitStack() as open_ones:
        for number in range(300):
            open_ones.enter_context(record.invocation(f"level_{number}"))
            record.tool_execution("look", {})
    page = shown(cap)
    assert page.kinds.count("agent") < 40
    assert "… 275 tool executions, 274 invocations inside, not shown …" in page.text

    busy = [invocation("inner", *[execution("look")] * 60) for _ in range(150)]
    page = shown(captured(invocation("outer", nested=busy)))
    assert page.kinds.count("tool") < 1100
    assert "… 75 more: 75 invocations …" in page.text


def test_long_lists_of_messages_and_entries_are_cut():
    messages = [{"role": "user", "content": f"message {number}"} for number in range(30)]
    many = execution("x", {f"key_{number}": number for number in range(100)})
    text = shown(captured(invocation("a", many, calls=[chat(messages=messages)]))).text
    assert "24 earlier ones, not shown" in text
    assert "60 more" in text


def test_a_fragment_marks_what_was_checked_for_whoever_asks():
    cap = support(execution("refund"))
    first, second = cap.invocation.tool_executions
    assert 'data-outcome="succeeded" data-checked="yes"' in capture_html(cap, checked={first.id})
    assert "data-checked" not in capture_html(cap)
    assert "1 of 2 tool executions checked" in capture_html(cap, checked=[second.id])


def test_of_a_capture_without_tool_executions_it_is_not_said_how_many_were_checked():
    with capture() as cap, record.invocation("support_agent"):
        pass
    assert "tool executions checked" not in capture_html(cap, checked=[])
    assert "<style" not in capture_html(cap)


def test_what_cannot_be_shown_at_all_does_not_raise(monkeypatch):
    cap = support()
    monkeypatch.setattr(Capture, "health", property(lambda _: 1 / 0))
    assert "cannot be shown" in cap._repr_html_()


def test_the_style_knows_both_themes_and_those_of_notebooks():
    assert "prefers-color-scheme: dark" in STYLE
    assert '[data-jp-theme-light="false"] .agentassert' in STYLE
    assert "body.vscode-dark .agentassert" in STYLE


def test_a_deeply_nested_value_and_a_circular_one_are_shown():
    assert "circular reference" in shown(hostile_capture()).text
