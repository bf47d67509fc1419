"""Runs of real frameworks, exported by real exporters (`export.py`), and what is read of them."""

from __future__ import annotations

import pytest

from agentassert import Capture, NotRecordedError, Outcome, Source, assert_that, execution_of
from tests.telemetry.parts import DATA

RUNS = ("langchain", "twice", "pydantic_ai", "agent_framework", "autogen", "fastmcp")
OTHER_FORMS = ("otlp.json", "console.txt", "phoenix.json")


def run(name, form="otlp.jsonl"):
    return Capture.from_otlp(DATA / f"{name}.{form}")


def told(invocation, *, with_framework=True):
    """An invocation without its times, and without the order in which they would be compared."""
    return (
        invocation.name,
        invocation.framework if with_framework else None,
        invocation.status,
        invocation.input,
        invocation.output,
        repr(invocation.error),
        [
            (one.name, one.arguments, one.result, one.outcome, repr(one.error), one.call_id, one.attempt)
            for one in invocation.tool_executions
        ],
        [(one.kind, one.model, one.messages, one.response_text, one.token_usage, one.own) for one in invocation.model_calls],
        invocation.sources,
        [told(one, with_framework=with_framework) for one in invocation.nested_invocations],
    )


@pytest.mark.parametrize("form", OTHER_FORMS)
@pytest.mark.parametrize("name", RUNS)
def test_the_capture_is_the_same_whichever_exporter_wrote_the_file(name, form):
    # Where two libraries wrote spans, the dumps that leave out the scope do not say which of them speaks of LangChain.
    with_framework = name != "twice"
    expected = [told(one, with_framework=with_framework) for one in run(name).invocations]
    assert expected
    assert [told(one, with_framework=with_framework) for one in run(name, form).invocations] == expected
    assert run(name, form).strays is None


@pytest.mark.parametrize("name", ["langchain", "twice"])
def test_a_run_of_langchain_counts_once_however_many_instrumentations_were_at_work(name):
    cap = run(name)
    chain = assert_that(cap).top_level_only().has_succeeded()
    chain.has_tools_executed_in_order(execution_of("get_booking", {"passengers": 2}), "ask_guide")
    chain.has_tool_execution_failed("cancel_booking").has_own_chat_model_call_count(3).has_total_tokens_at_most(42)
    assert cap.invocation.token_usage.total_tokens == 42
    guide = assert_that(cap).nested_invocation("guide")
    guide.has_tools_executed_exactly_in_order(execution_of("look_up", {"place": "Oslo"})).has_own_chat_model_call_count(2)
    assert cap.invocation.nested_invocations[0].sources == (Source(text="Oslo lies in Norway", metadata={"source": "atlas.md"}),)


def test_a_failed_run_of_pydantic_ai_has_failed_with_the_error_of_its_tool():
    chain = assert_that(run("pydantic_ai")).has_failed_with(ValueError).has_failed_with_message_containing("MS-777")
    chain.has_tool_executed_with("get_booking", {"$.order.to.city": "Oslo"}).has_tool_execution_failed("cancel_booking")
    chain.chat_model_call(0).has_system_message_containing("Be kind").has_tool_offered("cancel_booking")


def test_agent_framework_reports_its_usage_once_and_its_agents_under_its_own_name():
    cap = run("agent_framework")
    assert (cap.invocation.framework, cap.invocation.token_usage.total_tokens) == ("agent-framework", 28)
    chain = assert_that(cap).including_nested().has_nested_invocation("guide").has_total_tokens_at_most(42)
    chain.has_tool_executed_with("ask_guide", {"task": "Where is Oslo?"})
    assert cap.output == "Nothing to cancel."


def test_autogen_writes_no_content_and_nothing_passes_on_what_is_missing():
    chain = assert_that(run("autogen")).has_tool_executed("get_booking").has_tool_execution_failed("cancel_booking")
    with pytest.raises(NotRecordedError, match=r"the arguments of 'get_booking' were not recorded[\s\S]*CAPTURE_MESSAGE_CONTENT"):
        chain.has_tool_executed_with("get_booking", {"passengers": 2})
    with pytest.raises(NotRecordedError, match="'autogen' adapter cannot see chat model calls"):
        chain.has_own_chat_model_call_count(0)
    with pytest.raises(NotRecordedError, match=r"but its output was not recorded[\s\S]*CAPTURE_MESSAGE_CONTENT"):
        chain.output_text()


def test_the_three_spans_of_one_call_through_fastmcp_are_one_execution():
    executions = run("fastmcp").invocation.tool_executions
    assert [(one.name, one.outcome) for one in executions] == [
        ("get_booking", Outcome.SUCCEEDED),
        ("cancel_booking", Outcome.FAILED),
    ]
