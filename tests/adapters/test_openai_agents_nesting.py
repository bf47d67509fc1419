"""Agents of the OpenAI Agents SDK in one another: handed off to, as tools, and run by tools."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("agents")

from agents import GuardrailFunctionOutput, RunConfig, Runner, function_tool, handoff, input_guardrail

from agentassert import Outcome, Status, capture
from tests.adapters.openai_agents_parts import agent, executed, get_booking, run_sync
from tests.scripted.openai_agents import asks_for, hands_off_to, says

BOOKING = asks_for(("get_booking", {"number": "1"}, "b1"))
CONFIGS = [None, RunConfig(tracing_disabled=True)]


def booker(*steps, **options):
    return agent(*(steps or (BOOKING, says("booked"))), tools=[get_booking], name="booker", **options)


def tree(invocation):
    """Names of an invocation and of those nested in it."""
    return (
        {invocation.name: [tree(one) for one in invocation.nested_invocations]}
        if invocation.nested_invocations
        else invocation.name
    )


async def run_async(support, config=None):
    return await Runner.run(support, "hi", run_config=config)


async def run_streamed(support, config=None):
    async for _ in Runner.run_streamed(support, "hi", run_config=config).stream_events():
        pass


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("run", [run_async, run_streamed])
def test_an_agent_that_is_handed_off_to_is_nested_in_the_one_that_handed_off(run, config):
    desk = agent(hands_off_to("booker", "h1"), name="desk", handoffs=[booker()])

    with capture() as cap:
        asyncio.run(run(desk, config))

    (nested,) = cap.invocation.nested_invocations
    assert (cap.invocation.name, nested.name, nested.awaited, nested.started_by) == ("desk", "booker", True, None)
    assert [(one.status, one.output) for one in (cap.invocation, nested)] == [(Status.COMPLETED, "booked")] * 2
    assert (cap.invocation.tool_executions, [one.name for one in nested.tool_executions]) == ((), ["get_booking"])
    assert [len(one.own_chat_model_calls) for one in (cap.invocation, nested)] == [1, 2]
    assert [one.name for one in cap.invocation.tool_execution_requests] == ["transfer_to_booker"]
    assert nested.input[0] == {"role": "user", "content": "hi"}


def test_a_chain_of_handoffs_is_nested_link_by_link():
    last = agent(says("done"), name="last")
    middle = agent(hands_off_to("last", "h2"), name="middle", handoffs=[last])
    first = agent(hands_off_to("middle", "h1"), name="first", handoffs=[handoff(middle)])

    with capture() as cap:
        run_sync(first)

    assert tree(cap.invocation) == {"first": [{"middle": ["last"]}]}


def test_a_handoff_back_is_another_invocation():
    desk = agent(hands_off_to("booker", "h1"), says("bye"), name="desk")
    desk.handoffs = [booker(hands_off_to("desk", "h2"), handoffs=[desk])]

    with capture() as cap:
        run_sync(desk)

    assert tree(cap.invocation) == {"desk": [{"booker": ["desk"]}]}


def test_a_failure_after_a_handoff_fails_both():
    error = RuntimeError("500")
    desk = agent(hands_off_to("booker", "h1"), name="desk", handoffs=[booker(error)])

    with capture(expecting_failure=True) as cap:
        run_sync(desk)

    assert [(one.status, one.error) for one in cap.invocation.with_nested()] == [(Status.FAILED, error)] * 2


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("run", [run_async, run_streamed])
def test_an_agent_that_is_a_tool_is_nested_and_started_by_that_tool(run, config):
    desk = agent(
        asks_for(("book", {"input": "MS-777"}, "c1")), says("done"), name="desk", tools=[booker().as_tool("book", "Book.")]
    )

    with capture() as cap:
        asyncio.run(run(desk, config))

    (nested,) = cap.invocation.nested_invocations
    (execution,) = cap.invocation.tool_executions
    assert (nested.name, nested.input, nested.output, nested.awaited) == ("booker", "MS-777", "booked", True)
    assert (nested.started_by, execution.name, execution.result) == (execution.id, "book", "booked")
    assert [one.name for one in nested.tool_executions] == ["get_booking"]
    assert [len(one.own_chat_model_calls) for one in (cap.invocation, nested)] == [2, 2]


def test_an_agent_that_is_a_tool_and_streams_is_nested_alike():
    seen = []
    tool = booker().as_tool("book", "Book.", on_stream=lambda event: seen.append(event["event"].type))
    desk = agent(asks_for(("book", {"input": "MS-777"}, "c1")), says("done"), name="desk", tools=[tool])

    with capture() as cap:
        run_sync(desk)

    (nested,) = cap.invocation.nested_invocations
    assert (nested.status, nested.output, nested.awaited) == (Status.COMPLETED, "booked", True)
    assert "run_item_stream_event" in seen


@pytest.mark.parametrize("config", CONFIGS)
def test_a_tool_that_is_an_agent_fails_with_it(config):
    desk = agent(
        asks_for(("book", {"input": "MS-777"}, "c1")),
        says("sorry"),
        name="desk",
        tools=[booker(RuntimeError("500")).as_tool("book", "Book.")],
    )

    with capture() as cap:
        run_sync(desk, run_config=config)

    assert (cap.invocation.status, executed(cap)) == (Status.COMPLETED, [("book", Outcome.FAILED)])
    (nested,) = cap.invocation.nested_invocations
    assert (nested.status, nested.error) == (Status.FAILED, cap.invocation.tool_executions[0].error)


@pytest.mark.parametrize("config", CONFIGS)
def test_agents_that_tools_run_at_once_are_each_nested_in_their_tool(config):
    @function_tool
    async def ask(city: str) -> str:
        """Ask a specialist."""
        await asyncio.sleep(0)
        specialist = agent(
            asks_for(("get_booking", {"number": city}, "b1")), says(city), tools=[get_booking], name=f"expert in {city}"
        )
        return str((await Runner.run(specialist, city, run_config=config)).final_output)

    requests = [("ask", {"city": city}, f"c{city}") for city in ("Oslo", "Rome", "Paris")]
    with capture() as cap:
        run_sync(agent(asks_for(*requests), says("done"), tools=[ask]), run_config=config)

    tools = {one.id: one.arguments["city"] for one in cap.invocation.tool_executions}
    assert {nested.name: tools[nested.started_by] for nested in cap.invocation.nested_invocations} == {
        f"expert in {city}": city for city in ("Oslo", "Rome", "Paris")
    }
    assert all(nested.awaited for nested in cap.invocation.nested_invocations)
    assert [one.tool_executions[0].arguments["number"] for one in cap.invocation.nested_invocations] == [
        nested.output for nested in cap.invocation.nested_invocations
    ]


def test_a_sync_tool_that_runs_an_agent_in_its_thread_has_it_nested():
    @function_tool
    def ask() -> str:
        """Ask a specialist."""
        return str(asyncio.run(Runner.run(booker(), "x")).final_output)

    with capture() as cap:
        run_sync(agent(asks_for(("ask", {}, "c1")), says("done"), tools=[ask]))

    assert tree(cap.invocation) == {"support": ["booker"]}
    assert cap.invocation.nested_invocations[0].started_by == cap.invocation.tool_executions[0].id


def test_an_agent_that_is_started_and_not_awaited_is_nested_and_waited_for_by_the_capture():
    tasks = []

    async def slow(sent):
        await asyncio.sleep(0.02)
        return "late"

    @function_tool
    async def notify() -> str:
        """Start an agent and go on."""
        tasks.append(asyncio.create_task(Runner.run(agent(slow, name="notifier"), "x")))
        return "started"

    async def go():
        async with capture() as cap:
            await Runner.run(agent(asks_for(("notify", {}, "c1")), says("done"), tools=[notify]), "hi")
        return cap

    cap = asyncio.run(go())
    (nested,) = cap.invocation.nested_invocations
    assert (nested.name, nested.status, nested.awaited) == ("notifier", Status.COMPLETED, False)


def test_an_agent_that_guards_another_one_is_nested_in_it_and_started_by_no_tool():
    judge = agent(says("fine"), name="judge")

    @input_guardrail
    async def judged(context, agent, given):
        await Runner.run(judge, given)
        return GuardrailFunctionOutput(output_info=None, tripwire_triggered=False)

    with capture() as cap:
        run_sync(agent(says("done"), input_guardrails=[judged]))

    (nested,) = cap.invocation.nested_invocations
    assert (nested.name, nested.started_by) == ("judge", None)
    assert [len(one.own_chat_model_calls) for one in (cap.invocation, nested)] == [1, 1]


def test_an_agent_that_decides_about_a_tool_is_not_part_of_it():
    judge = agent(says("no need"), name="judge")

    async def judged(context, arguments, call_id):
        await Runner.run(judge, "may it?")
        return False

    risky = function_tool(lambda: "ok", name_override="risky", description_override="x", needs_approval=judged)
    with capture() as cap:
        run_sync(agent(asks_for(("risky", {}, "c1")), says("done"), tools=[risky]))

    assert executed(cap) == [("risky", Outcome.SUCCEEDED)]
    assert {(nested.name, nested.started_by) for nested in cap.invocation.nested_invocations} == {("judge", None)}


def test_agents_nest_two_deep():
    middle = agent(asks_for(("book", {"input": "x"}, "m1")), says("m"), name="middle", tools=[booker().as_tool("book", "x")])
    top = agent(asks_for(("relay", {"input": "x"}, "t1")), says("t"), name="top", tools=[middle.as_tool("relay", "x")])

    with capture() as cap:
        run_sync(top)

    assert tree(cap.invocation) == {"top": [{"middle": ["booker"]}]}


def test_a_capture_inside_a_tool_takes_nothing_from_the_one_around_it():
    inner = []

    @function_tool
    async def ask() -> str:
        """Capture what a specialist does."""
        async with capture() as cap:
            await Runner.run(booker(), "x")
        inner.append(cap)
        return "ok"

    with capture() as outer:
        run_sync(agent(asks_for(("ask", {}, "c1")), says("done"), tools=[ask]))

    assert tree(outer.invocation) == {"support": ["booker"]}
    assert (tree(inner[0].invocation), executed(inner[0])) == ("booker", [("get_booking", Outcome.SUCCEEDED)])
