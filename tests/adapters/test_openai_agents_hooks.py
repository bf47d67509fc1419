"""What a program hooks into the OpenAI Agents SDK itself works as without us, and so does its agent when our hooks break."""

from __future__ import annotations

import asyncio
import re

import pytest

pytest.importorskip("agents")

from agents import (
    AgentHooks,
    RunConfig,
    RunHooks,
    Runner,
    ToolGuardrailFunctionOutput,
    TracingProcessor,
    function_tool,
    set_trace_processors,
    tool_output_guardrail,
)
from agents.exceptions import UserError
from agents.tool_context import ToolContext

from agentassert import AdapterError, Outcome, Status, assert_that, capture, record
from agentassert.adapters.openai_agents import adapter, approvals, hooks, models, runner, tools
from tests.adapters.openai_agents_parts import Dice, agent, broken, cancel_booking, executed, get_booking, run_sync
from tests.scripted.openai_agents import asks_for, hands_off_to, says


def conversation(**options):
    """Tools, a failure among them, and a handoff."""
    helper = agent(says("bye"), name="helper")
    return agent(
        asks_for(("get_booking", {"number": "1"}, "c1"), ("broken", {"x": 1}, "c2")),
        hands_off_to("helper", "h1"),
        tools=[get_booking, broken],
        handoffs=[helper],
        **options,
    )


class Diary(RunHooks):
    """Hooks of a run that write down what they are told."""

    def __init__(self):
        self.lines = []

    async def on_agent_start(self, context, agent):
        self.lines.append(("agent start", agent.name))

    async def on_agent_end(self, context, agent, output):
        self.lines.append(("agent end", agent.name, output))

    async def on_llm_start(self, context, agent, system_prompt, input_items):
        self.lines.append(("llm start", agent.name, system_prompt, len(input_items)))

    async def on_llm_end(self, context, agent, response):
        self.lines.append(("llm end", agent.name, [item.type for item in response.output]))

    async def on_tool_start(self, context, agent, tool):
        self.lines.append(("tool start", agent.name, tool.name, type(context), context.tool_call_id))

    async def on_tool_end(self, context, agent, tool, result):
        self.lines.append(("tool end", agent.name, tool.name, context.tool_call_id, result))

    async def on_handoff(self, context, from_agent, to_agent):
        self.lines.append(("handoff", from_agent.name, to_agent.name))


class AgentDiary(AgentHooks):
    """Hooks of an agent that write down that they are called."""

    def __init__(self):
        self.lines = []

    async def on_start(self, context, agent):
        self.lines.append("start")

    async def on_tool_start(self, context, agent, tool):
        self.lines.append(f"tool {tool.name}")

    async def on_handoff(self, context, agent, source):
        self.lines.append(f"handoff to {agent.name}")


def test_the_hooks_of_a_run_are_called_as_without_us():
    without, within = Diary(), Diary()
    run_sync(conversation(), hooks=without)
    with capture():
        run_sync(conversation(), hooks=within)

    assert within.lines == without.lines
    assert {line[0] for line in without.lines} == {
        "agent start", "agent end", "llm start", "llm end", "tool start", "tool end", "handoff"
    }  # fmt: skip
    assert ("tool start", "support", "get_booking", ToolContext, "c1") in within.lines


def test_the_hooks_of_an_agent_are_called_as_without_us():
    without, within = AgentDiary(), AgentDiary()
    run_sync(conversation(hooks=without))
    with capture():
        run_sync(conversation(hooks=within))

    assert within.lines == without.lines
    assert len(without.lines) == 4


def test_hooks_that_raise_fail_the_run_as_without_us_and_keep_a_tool_from_running():
    class Strict(RunHooks):
        async def on_tool_start(self, context, agent, tool):
            raise PermissionError(tool.name)

    with capture(expecting_failure=True) as cap:
        run_sync(agent(asks_for(("get_booking", {"number": "1"}, "c1")), tools=[get_booking]), hooks=Strict())

    assert (cap.invocation.status, cap.invocation.tool_executions) == (Status.FAILED, ())
    assert isinstance(cap.error.__cause__, PermissionError)


def test_hooks_that_raise_after_a_tool_do_not_make_it_fail():
    class Strict(RunHooks):
        async def on_tool_end(self, context, agent, tool, result):
            raise PermissionError(tool.name)

    with capture(expecting_failure=True) as cap:
        run_sync(agent(asks_for(("get_booking", {"number": "1"}, "c1")), tools=[get_booking]), hooks=Strict())

    assert (cap.invocation.status, executed(cap)) == (Status.FAILED, [("get_booking", Outcome.SUCCEEDED)])


def test_hooks_that_the_sdk_refuses_are_refused_by_it():
    async def run(hooks):
        await Runner.run(agent(says("x")), "hi", hooks=hooks)

    with pytest.raises((TypeError, AttributeError, UserError)) as without:
        asyncio.run(run(AgentDiary()))
    with capture(), pytest.raises(type(without.value), match=re.escape(str(without.value))):
        asyncio.run(run(AgentDiary()))


def test_the_configuration_of_a_run_is_the_users_own_object():
    seen = []

    @function_tool
    def look(context: ToolContext) -> str:
        """Look at the configuration."""
        seen.append(context.run_config)
        return "ok"

    config = RunConfig(workflow_name="mine")
    with capture():
        run_sync(agent(asks_for(("look", {}, "c1")), says("done"), tools=[look]), run_config=config)

    assert [one.workflow_name for one in seen] == ["mine"]
    assert getattr(seen[0], "tool_error_formatter", None) is None


class Spans(TracingProcessor):
    """Counts the spans of a program's own traces."""

    def __init__(self):
        self.kinds = []

    def on_trace_start(self, trace):
        pass

    def on_trace_end(self, trace):
        pass

    def on_span_start(self, span):
        pass

    def on_span_end(self, span):
        self.kinds.append((span.span_data.type, span.error is not None))

    def shutdown(self):
        pass

    def force_flush(self):
        pass


def test_processors_that_replace_all_others_see_what_they_see_without_us_and_take_nothing_from_us():
    without, within = Spans(), Spans()
    try:
        set_trace_processors([without])
        run_sync(conversation())
        with capture() as cap:
            set_trace_processors([within])
            run_sync(conversation())
    finally:
        set_trace_processors([])

    assert sorted(within.kinds) == sorted(without.kinds)
    assert ("function", True) in without.kinds
    assert executed(cap) == [("get_booking", Outcome.SUCCEEDED), ("broken", Outcome.FAILED)]


def test_a_span_of_the_programs_own_in_a_tool_does_not_fail_the_tool():
    from agents.tracing import SpanError
    from agents.tracing import function_span as span_of

    @function_tool
    def careful() -> str:
        """Mark a span of its own as failed."""
        with span_of("mine") as span:
            span.set_error(SpanError(message="only this", data=None))
        return "ok"

    with capture() as cap:
        run_sync(agent(asks_for(("careful", {}, "c1")), says("done"), tools=[careful]))

    assert executed(cap) == [("careful", Outcome.SUCCEEDED)]


class Fault(Exception):
    """Ours."""


def break_down(*args, **kwargs):
    raise Fault


HOOKS = [
    pytest.param(hook, id=f"{module.__name__.rpartition('.')[2]}.{name}")
    for module in (adapter, approvals, hooks, models, runner, tools)
    for name, hook in vars(module).items()
    if "hook" in getattr(getattr(hook, "__code__", None), "co_freevars", ()) and hook.__module__ == module.__name__
]


@tool_output_guardrail
def pass_on(data):
    return ToolGuardrailFunctionOutput.allow()


@function_tool(timeout=0.01)
async def slow() -> str:
    """Take too long."""
    await asyncio.sleep(3600)


@function_tool(tool_output_guardrails=[pass_on])
def noted() -> str:
    """Use what is recorded by hand."""
    record.tool_execution("inner", {}, result="ok")
    return "ok"


@function_tool(needs_approval=True)
def risky() -> str:
    """Wait for a human."""
    return "ok"


async def everything():
    """What agents give when everything happens that we hook into."""
    result = Runner.run_streamed(conversation(), "hi")
    events = [event.type async for event in result.stream_events()]
    requests = [(name, {}, name) for name in ("slow", "noted", "risky")]
    support = agent(
        asks_for(("roll", {"sides": -1}, "r"), *requests), says("done"), tools=[slow, noted, risky], mcp_servers=[Dice()]
    )
    waiting = await Runner.run(support, "hi")
    state = waiting.to_state()
    state.approve(waiting.interruptions[0])
    resumed = await Runner.run(support, state)
    failed = (await asyncio.gather(Runner.run(agent(RuntimeError("500")), "hi"), return_exceptions=True))[0]
    cancelled = Runner.run_streamed(agent(says("x")), "hi")
    cancelled.cancel()
    events += [event.type async for event in cancelled.stream_events()]
    outputs = [str(item.output) for item in resumed.new_items if item.type == "tool_call_output_item"]
    return events, result.final_output, outputs, resumed.final_output, repr(failed), cancelled.final_output


@pytest.mark.parametrize("hook", HOOKS)
def test_a_fault_of_ours_does_not_reach_the_agent_and_fails_every_assertion(hook, monkeypatch):
    expected = asyncio.run(everything())
    with capture():
        pass
    code = dict(zip(hook.__code__.co_freevars, hook.__closure__, strict=True))["hook"]
    monkeypatch.setattr(code, "cell_contents", break_down)

    with pytest.warns(match="the openai-agents adapter broke: Fault"), capture() as cap:
        given = asyncio.run(everything())

    assert given == expected
    with pytest.raises(AdapterError, match="Fault"):
        assert_that(cap).has_succeeded()


def test_every_hook_is_broken_in_turn():
    assert len(HOOKS) > 15


def test_an_error_of_the_sdk_before_anything_runs_fails_the_invocation():
    twice = agent(says("x"), tools=[cancel_booking])

    with capture(expecting_failure=True) as cap:
        run_sync(twice, session=object(), conversation_id="c")

    assert cap.invocation.status is Status.FAILED
    assert isinstance(cap.error, (UserError, AttributeError))
