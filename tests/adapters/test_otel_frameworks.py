"""Frameworks that come in by their spans say what is missing, and tell what they can."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("opentelemetry.sdk.trace")

from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider

from agentassert import AmbiguousError, CaptureWarning, NotRecordedError, Outcome, Status, assert_that, capture, record
from tests.adapters.kits import Ask, Request, Say, Tool
from tests.adapters.kits.spans import forget_that_spans_are_recorded
from tests.adapters.scenarios.parts import fragile, get_booking

ASKED = Ask(Request("get_booking", {"number": "MS-777"}))


@pytest.fixture(autouse=True)
def _process():
    """What a test sets up for the whole process is forgotten."""
    forget_that_spans_are_recorded()
    yield
    forget_that_spans_are_recorded()


@pytest.fixture
def agent_framework():
    pytest.importorskip("agent_framework")
    from tests.adapters.kits.agent_framework import AgentFrameworkKit

    return AgentFrameworkKit()


@pytest.fixture
def autogen():
    pytest.importorskip("autogen_agentchat")
    from tests.adapters.kits.autogen import AutoGenKit

    return AutoGenKit()


def notes_of(kit, prepare):
    """What a capture says of an agent that is run after `prepare` has changed what the kit had set up."""
    agent = kit.agent(ASKED, Say("done"), tools=[Tool(get_booking)])
    prepare()
    with pytest.warns(CaptureWarning, match="comes in by its spans"), capture() as cap:
        kit.run(agent)
    return cap


def test_agent_framework_without_a_provider_says_so(agent_framework):
    from agent_framework.observability import enable_instrumentation

    def prepare():
        forget_that_spans_are_recorded()
        enable_instrumentation(enable_sensitive_data=True)

    cap = notes_of(agent_framework, prepare)
    assert cap.invocations == ()
    assert "no OpenTelemetry SDK is set up, so nothing of it is recorded" in cap.health.notes[0]


def test_agent_framework_without_a_provider_and_content_names_both_and_so_does_a_look_at_what_is_not_there(agent_framework):
    from agent_framework.observability import OBSERVABILITY_SETTINGS

    def prepare():
        forget_that_spans_are_recorded()
        OBSERVABILITY_SETTINGS.enable_sensitive_data = False

    cap = notes_of(agent_framework, prepare)
    both = "no OpenTelemetry SDK is set up, so nothing of it is recorded: .*, and leaves messages, arguments and results out of them: "
    with pytest.raises(AmbiguousError, match=f"In doubt:\n  Microsoft Agent Framework comes in by its spans, and {both}"):
        assert_that(cap).has_succeeded()


def test_agent_framework_without_content_says_so_and_refuses_what_it_does_not_tell(agent_framework):
    from agent_framework.observability import OBSERVABILITY_SETTINGS

    def prepare():
        OBSERVABILITY_SETTINGS.enable_sensitive_data = False

    cap = notes_of(agent_framework, prepare)
    assert "leaves messages, arguments and results out of them" in cap.health.notes[0]
    assert_that(cap).has_succeeded().has_tool_executed("get_booking").has_own_chat_model_call_count(2)
    with pytest.raises(NotRecordedError, match="the arguments of 'get_booking' were not recorded"):
        assert_that(cap).has_tool_executed_with("get_booking", {"number": "MS-777"})
    with pytest.raises(NotRecordedError):
        assert_that(cap).has_no_tool_requested("cancel_booking")


def test_agent_framework_with_its_instrumentation_off_says_so(agent_framework, monkeypatch):
    from agent_framework.observability import OBSERVABILITY_SETTINGS

    cap = notes_of(agent_framework, lambda: monkeypatch.setattr(OBSERVABILITY_SETTINGS, "enable_instrumentation", False))
    assert cap.invocations == ()
    assert "its instrumentation is switched off, so nothing of it is recorded" in cap.health.notes[0]


def test_the_users_settings_of_agent_framework_are_never_changed(agent_framework):
    from agent_framework.observability import OBSERVABILITY_SETTINGS

    agent = agent_framework.agent(ASKED, Say("done"), tools=[Tool(get_booking)])
    OBSERVABILITY_SETTINGS.enable_sensitive_data = False
    before = dict(vars(OBSERVABILITY_SETTINGS))
    with pytest.warns(CaptureWarning), capture():
        agent_framework.run(agent)
        within = dict(vars(OBSERVABILITY_SETTINGS))
    assert before == within == vars(OBSERVABILITY_SETTINGS)


def test_an_agent_as_tool_of_agent_framework_is_nested(agent_framework):
    researcher = agent_framework.agent(ASKED, Say("found"), tools=[Tool(get_booking)], name="researcher")
    desk = agent_framework.agent(Ask(Request("ask", {"task": "?"})), Say("done"))

    async def run():  # early releases need `run` to be called where it is awaited
        await desk.run("?", tools=[researcher.as_tool(name="ask")])

    with capture() as cap:
        asyncio.run(run())

    assert_that(cap).top_level_only().has_tools_executed_exactly_in_order("ask")
    assert_that(cap).nested_invocation("researcher").has_tool_executed_with("get_booking", {"number": "MS-777"})


def test_autogen_without_a_provider_says_so(autogen):
    cap = notes_of(autogen, forget_that_spans_are_recorded)
    assert cap.invocations == ()
    assert "AutoGen comes in by its spans, and no OpenTelemetry SDK is set up" in cap.health.notes[0]


def test_an_sdk_that_is_disabled_is_no_provider(autogen, monkeypatch):
    def prepare():
        forget_that_spans_are_recorded()
        monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
        trace.set_tracer_provider(TracerProvider())

    assert "nothing of it is recorded" in notes_of(autogen, prepare).health.notes[0]


def test_autogen_tells_agents_tools_and_outcomes_by_name(autogen):
    asked = Ask(Request("get_booking", {"number": "1"}, "c1"), Request("fragile", {"x": 1}, "c2"))
    agent = autogen.agent(asked, Say("done"), tools=[Tool(get_booking), Tool(fragile)])
    with capture(on_doubt="fail") as cap:
        autogen.run(agent)

    assert (cap.invocation.name, cap.invocation.framework, cap.invocation.status) == ("support", "autogen", Status.COMPLETED)
    assert sorted((one.name, one.call_id, one.outcome) for one in cap.invocation.tool_executions) == [
        ("fragile", "c2", Outcome.FAILED),
        ("get_booking", "c1", Outcome.SUCCEEDED),
    ]
    assert_that(cap).has_tool_execution_failed("fragile").has_tool_executed_times("get_booking", 1)


def test_autogen_refuses_what_its_spans_do_not_tell(autogen):
    with capture() as cap:
        autogen.run(autogen.agent(ASKED, Say("done"), tools=[Tool(get_booking)]))

    for ask in (
        lambda chain: chain.has_tool_executed_with("get_booking", {"number": "MS-777"}),
        lambda chain: chain.has_tool_executed_with_exactly("get_booking", {}),
        lambda chain: chain.has_own_chat_model_call_count(2),
        lambda chain: chain.has_no_tool_requested("cancel_booking"),
        lambda chain: chain.has_total_tokens_at_most(1000),
        lambda chain: chain.has_no_retrieved_sources(),
        lambda chain: chain.has_no_pending_approvals(),
    ):
        with pytest.raises(NotRecordedError):
            ask(assert_that(cap))


def test_a_recorded_function_tells_the_arguments_that_autogen_does_not(autogen):
    recorded = record.tool(get_booking)
    with capture() as cap:
        autogen.run(autogen.agent(ASKED, Say("done"), tools=[Tool(recorded)]))

    assert_that(cap).has_tool_executed_with_exactly("get_booking", {"number": "MS-777"}).has_no_more_tool_executions()


def test_agents_in_agents_threads_and_captures_of_autogen_are_told_apart(autogen):
    researcher = autogen.agent(ASKED, Say("found"), tools=[Tool(get_booking)], name="researcher")
    desk = autogen.agent(Ask(Request("ask", {"topic": "?"})), Say("done"), tools=[autogen.delegating(researcher, "ask")])

    async def alone(name):
        async with capture(on_doubt="fail") as cap:
            await autogen.arun(autogen.agent(ASKED, Say("done"), tools=[Tool(get_booking)], name=name))
        return cap

    async def side_by_side():
        return await asyncio.gather(*(alone(f"agent_{number}") for number in range(5)))

    with capture(on_doubt="fail") as nesting:
        autogen.run(desk)

    assert_that(nesting).top_level_only().has_tools_executed_exactly_in_order("ask")
    assert_that(nesting).nested_invocation("researcher").has_tools_executed_exactly_in_order("get_booking")
    assert [[one.name for one in cap.invocations] for cap in asyncio.run(side_by_side())] == [[f"agent_{n}"] for n in range(5)]


def test_the_agents_of_a_team_of_autogen_are_invocations(autogen):
    from autogen_agentchat.conditions import MaxMessageTermination
    from autogen_agentchat.teams import RoundRobinGroupChat

    team = RoundRobinGroupChat(
        [autogen.agent(Say("I see"), name="first"), autogen.agent(Say("so do I"), name="second")],
        termination_condition=MaxMessageTermination(3),
    )
    with capture() as cap:
        asyncio.run(team.run(task="?"))

    assert [one.name for top in cap.invocations for one in top.with_nested()] == ["first", "second"]
