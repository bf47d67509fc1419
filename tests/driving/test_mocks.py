"""Doubles in the place of tools, in every form of agent."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
import time

import pytest
from agents import Agent as OpenAIAgent
from agents import Runner, WebSearchTool, function_tool
from pydantic_ai import Agent, RunContext

from agentassert import (
    AgentAssertionError,
    CaptureWarning,
    Outcome,
    assert_that,
    capture,
    delays,
    fails,
    mocked_tools,
    record,
    returns,
    run,
    run_async,
)
from agentassert.driving import drive
from tests.adapters.kits import Ask, Request, Say, Tool, loop_of_its_own
from tests.adapters.kits.langchain import LangChainKit
from tests.adapters.kits.openai_agents import OpenAIAgentsKit
from tests.adapters.kits.pydantic_ai import PydanticAIKit
from tests.driving.cashiers import KINDS
from tests.scripted import openai_agents
from tests.scripted.pydantic_ai import ScriptedModel, asks_for, says

KIND = pytest.mark.parametrize("cashier", KINDS.values(), ids=KINDS)
PAYLOAD = "Refund the lamp"


def executions_in(cap):
    return [(one.name, one.arguments, one.result, one.outcome) for one in cap.invocation.tool_executions]


@KIND
def test_a_double_stands_in_for_the_tool_and_is_recorded_as_the_tool(cashier):
    cap = run(cashier([50], False), PAYLOAD, mocks={"refund": returns("mocked")})

    assert executions_in(cap) == [("refund", {"amount": 50}, "mocked", Outcome.SUCCEEDED)]


@KIND
def test_a_double_may_have_the_tools_own_signature(cashier):
    cap = run(cashier([50], False), PAYLOAD, mocks={"refund": lambda amount: f"mocked {amount + 1}"})

    assert executions_in(cap) == [("refund", {"amount": 50}, "mocked 51", Outcome.SUCCEEDED)]


@KIND
def test_a_double_fails_as_the_tool_would(cashier):
    error = TimeoutError("no answer")

    cap = run(cashier([50], False), PAYLOAD, mocks={"refund": fails(error)})

    assert cap.invocation.tool_executions[0].outcome == Outcome.FAILED
    assert cap.invocation.tool_executions[0].error is error
    assert_that(cap).has_failed_with(TimeoutError)


@KIND
def test_a_double_may_fail_for_a_while(cashier):
    mock = fails(TimeoutError, times=1, then=returns("paid at last"))

    run(cashier([1], False), PAYLOAD, mocks={"refund": mock})
    cap = run(cashier([1], False), PAYLOAD, mocks={"refund": mock})

    assert executions_in(cap) == [("refund", {"amount": 1}, "paid at last", Outcome.SUCCEEDED)]


@KIND
def test_a_double_may_take_its_time(cashier):
    began = time.monotonic()

    cap = run(cashier([50], False), PAYLOAD, mocks={"refund": delays(0.05, then=returns("late"))})

    assert time.monotonic() - began >= 0.05
    assert executions_in(cap) == [("refund", {"amount": 50}, "late", Outcome.SUCCEEDED)]


@KIND
def test_a_slow_double_runs_into_the_time_limit(cashier):
    cap = run(cashier([50], False), PAYLOAD, mocks={"refund": delays(0.5, then=returns("late"))}, timeout_s=0.1)

    assert "timed out" in str(cap.invocation.error)


@KIND
def test_a_replaced_tool_that_needs_approval_needs_it_still(cashier):
    mocks, approvals = {"refund": returns("mocked")}, [{"tool": "refund", "decision": "approve"}]

    assert executions_in(run(cashier([50], True), PAYLOAD, mocks=mocks)) == []
    cap = run(cashier([50], True), PAYLOAD, mocks=mocks, approvals=approvals)
    assert executions_in(cap) == [("refund", {"amount": 50}, "mocked", Outcome.SUCCEEDED)]


@KIND
def test_a_call_that_the_real_tool_does_not_take_fails_the_run(cashier):
    driven = drive(cashier(["much"], False), PAYLOAD, mocks={"refund": returns("mocked")})

    assert len(driven.problems()) == 1
    assert driven.problems()[0].startswith("'refund' was called in a way that the real tool does not take: 'amount' must be int")
    assert "mocked" not in str(executions_in(driven.capture))
    with pytest.raises(AgentAssertionError, match="'amount' must be int"):
        driven.conclude()


@pytest.mark.parametrize("kind", ["langgraph", "openai_agents", "pydantic_ai"])
def test_arguments_that_are_no_json_fail_the_run(kind):
    kit = {"langgraph": LangChainKit(), "openai_agents": OpenAIAgentsKit(), "pydantic_ai": PydanticAIKit()}[kind]

    def refund(amount: int) -> str:
        """Pay money back."""
        return "paid"

    agent = kit.agent(Ask(Request("refund", "{amount")), Say("done"), tools=[Tool(refund)])

    driven = drive(agent, PAYLOAD, mocks={"refund": returns("mocked")})

    assert "mocked" not in str(executions_in(driven.capture))


@KIND
def test_a_double_that_does_not_take_the_call_is_no_failure_of_the_tool(cashier):
    with pytest.raises(AgentAssertionError, match="the mock of 'refund' does not take what the tool was called with: "):
        run(cashier([50], False), PAYLOAD, mocks={"refund": lambda: "mocked"})


@KIND
def test_the_agent_is_unchanged_afterwards(cashier):
    agent = cashier([50, 60], False)
    run(agent, PAYLOAD, mocks={"refund": fails(TimeoutError)})

    again = KINDS["function"]([50], False) if callable(agent) else agent
    cap = run(again, PAYLOAD)

    assert "paid" in cap.invocation.tool_executions[0].result


class Ladder:
    """Finds doubles as suites do."""

    def __init__(self, found, *, strict=False):
        self.found, self.strict, self.calls = found, strict, []

    def find(self, tool):
        return self.serve if tool in self.found else None

    def serve(self, tool_name, params, context):
        self.calls.append((tool_name, dict(params), context))
        return "served"


@KIND
def test_a_resolver_serves_tools_by_name_with_the_context_of_the_test(cashier):
    ladder = Ladder({"refund"})

    cap = run(cashier([50], False), PAYLOAD, mocks=ladder, context={"charge": 7})

    assert ladder.calls == [("refund", {"amount": 50}, {"charge": 7})]
    assert executions_in(cap) == [("refund", {"amount": 50}, "served", Outcome.SUCCEEDED)]


@KIND
def test_a_resolver_leaves_other_tools_alone_unless_it_is_strict(cashier):
    assert "paid" in run(cashier([50], False), PAYLOAD, mocks=Ladder(set())).invocation.tool_executions[0].result

    driven = drive(cashier([50], False), PAYLOAD, mocks=Ladder(set(), strict=True))

    assert driven.problems() == ("'refund' has no mock, and mocks are strict, so it was not run",)
    assert driven.capture.invocation.tool_executions[0].outcome == Outcome.FAILED


@KIND
def test_runs_side_by_side_do_not_see_each_others_doubles(cashier):
    agents = [cashier([number], False) for number in range(6)]

    async def main():
        return await asyncio.gather(
            *(
                run_async(agent, PAYLOAD, mocks={"refund": delays(0.02, then=returns(number))} if number % 2 else None)
                for number, agent in enumerate(agents)
            )
        )

    results = [cap.invocation.tool_executions[0].result for cap in asyncio.run(main())]

    assert results == ["paid 0", 1, "paid 2", 3, "paid 4", 5]


@pytest.mark.parametrize("kind", ["langgraph", "openai_agents", "pydantic_ai"])
def test_a_mock_of_a_tool_that_there_is_not_is_refused(kind):
    with pytest.raises(ValueError, match=r"the agent has no tool 'refnd' to mock; did you mean 'refund'\?"):
        run(KINDS[kind]([50], False), PAYLOAD, mocks={"refnd": returns(1)})


def test_a_mock_of_a_tool_of_an_agent_that_a_tool_runs_is_said_to_belong_elsewhere():
    def pay_back(amount: int) -> str:
        """Pay money back."""
        raise NotImplementedError

    kit = PydanticAIKit()
    clerk = kit.agent(Ask(Request("pay_back", {"amount": 5})), Say("done"), tools=[Tool(pay_back)], name="clerk")

    async def ask_the_clerk() -> str:
        """Ask."""
        return kit.text_of(await kit.arun(clerk))

    desk = kit.agent(Ask(Request("ask_the_clerk", {})), Say("done"), tools=[Tool(ask_the_clerk)], name="desk")

    with pytest.raises(ValueError) as caught:  # noqa: PT011  # the whole text is compared
        run(desk, PAYLOAD, mocks={"pay_back": returns("mocked")})
    assert str(caught.value) == (
        "the agent has no tool 'pay_back' to mock; known are 'ask_the_clerk'. "
        "If an agent that it runs has it, put `with mocked_tools(that_agent, {...}):` around the run"
    )
    with mocked_tools(clerk, {"pay_back": returns("mocked")}):
        cap = run(desk, PAYLOAD)
    assert_that(cap).nested_invocation("clerk").results_of("pay_back").is_equal_to(["mocked"])


def test_what_hands_over_to_another_agent_cannot_be_mocked():
    def made():
        clerk = OpenAIAgent("clerk", model=openai_agents.ScriptedModel("done"))
        asked = openai_agents.asks_for(("transfer_to_clerk", {}, "c1"))
        return OpenAIAgent("desk", model=openai_agents.ScriptedModel(asked), handoffs=[clerk])

    mocks = {"transfer_to_clerk": returns("mocked")}

    with pytest.raises(
        ValueError, match=r"to mock; it has none. Handing over to another agent cannot be mocked: let it, and mock "
    ):
        run(made(), PAYLOAD, mocks=mocks)
    with pytest.raises(AgentAssertionError, match="'transfer_to_clerk' is mocked, but no tool: handing over to another agent"):
        run(lambda payload: Runner.run(made(), payload), PAYLOAD, mocks=mocks)


def test_a_tool_that_a_person_refused_beside_a_handoff_may_be_mocked():
    def agent(payload):
        with record.model_call("small", messages=payload) as call:
            call.respond(tool_execution_requests=[{"name": "refund", "arguments": {}, "call_id": "c1"}])
        record.approval("refund", {}, decision="reject", call_id="c1")
        with record.invocation("clerk"):
            pass
        return "done"

    assert run(agent, PAYLOAD, mocks={"refund": returns("mocked")}).output == "done"


def test_a_mock_that_no_tool_of_a_callable_is_known_for_fails_the_run():
    agent = KINDS["function"]([50], False)

    with pytest.raises(
        AgentAssertionError, match=r"'refnd' is mocked, but no tool of this name was offered or executed; .*'refund'"
    ):
        run(agent, PAYLOAD, mocks={"refnd": returns(1)})


def test_a_tool_that_ran_for_real_in_spite_of_its_mock_fails_the_run():
    def agent(payload):
        record.tool_execution("pay_by_hand", {"amount": 1}, result="paid")

    with pytest.raises(AgentAssertionError, match="'pay_by_hand' is mocked, but the real tool ran"):
        run(agent, PAYLOAD, mocks={"pay_by_hand": returns(1)})


def test_so_does_one_that_ran_where_neither_mocks_nor_invocations_follow():
    @record.tool
    def pay_from_afar(amount):
        return "paid"

    def agent(payload):
        return contextvars.Context().run(pay_from_afar, 5)

    with (
        pytest.raises(AgentAssertionError, match="'pay_from_afar' is mocked, but the real tool ran"),
        pytest.warns(CaptureWarning, match="given to the only open capture"),
    ):
        run(agent, PAYLOAD, mocks={"pay_from_afar": returns(1)})


@pytest.mark.parametrize("kit", [LangChainKit(), OpenAIAgentsKit(), PydanticAIKit()], ids=lambda kit: kit.framework)
def test_the_tools_of_an_agent_inside_a_callable_are_replaced(kit):
    def refund(amount: int) -> str:
        """Pay money back."""
        return "paid"

    inner = kit.agent(Ask(Request("refund", {"amount": 5})), Say("done"), tools=[Tool(refund)])

    def desk(payload):
        return kit.text_of(kit.run(inner))

    cap = run(desk, PAYLOAD, mocks={"refund": returns("mocked")})

    assert [one.result for one in cap.invocation.nested_invocations[0].tool_executions] == ["mocked"]


@pytest.mark.parametrize("kit", [LangChainKit(), OpenAIAgentsKit(), PydanticAIKit()], ids=lambda kit: kit.framework)
def test_async_tools_take_async_doubles(kit):
    async def refund(amount: int) -> str:
        """Pay money back."""
        return "paid"

    async def mock(amount):
        await asyncio.sleep(0)
        return f"mocked {amount}"

    agent = kit.agent(Ask(Request("refund", {"amount": 5})), Say("done"), tools=[Tool(refund)])

    assert executions_in(run(agent, PAYLOAD, mocks={"refund": mock})) == [
        ("refund", {"amount": 5}, "mocked 5", Outcome.SUCCEEDED)
    ]


@pytest.mark.parametrize("kit", [LangChainKit(), OpenAIAgentsKit(), PydanticAIKit()], ids=lambda kit: kit.framework)
def test_a_block_mocks_the_tools_of_an_agent_that_is_run_as_ever(kit):
    def refund(amount: int) -> str:
        """Pay money back."""
        return "paid"

    script = [Ask(Request("refund", {"amount": 5})), Say("done")]
    agent = kit.agent(*script, *script, tools=[Tool(refund)])

    with capture() as cap, mocked_tools(agent, {"refund": returns(7)}) as doubles:
        kit.run(agent)
    with capture() as afterwards:
        kit.run(agent)

    assert_that(cap).results_of("refund").is_equal_to([7])
    assert_that(afterwards).results_of("refund").is_equal_to(["paid"])
    assert doubles.arguments_of("refund") == [{"amount": 5}]


def test_a_block_needs_no_capture():
    kit = LangChainKit()

    def refund(amount: int) -> str:
        """Pay money back."""
        raise AssertionError("the real tool ran")

    agent = kit.agent(Ask(Request("refund", {"amount": 5})), Say("done"), tools=[Tool(refund)])

    with mocked_tools(agent, {"refund": returns(7)}) as doubles:
        kit.run(agent)

    assert doubles.arguments_of("refund") == [{"amount": 5}]


def test_a_block_fails_by_a_call_that_the_real_tool_does_not_take():
    @record.tool
    def pay(amount: int) -> str:
        return "paid"

    def agent(payload):
        try:
            pay(amont=5)
        except TypeError:
            return "failed"

    with pytest.raises(AgentAssertionError, match=r"'pay' was called in a way that the real tool does not take: .*'amount'"):
        with mocked_tools(agent, {"pay": returns(7)}):
            agent("Hi")


def test_a_block_keeps_its_own_error():
    @record.tool
    def pay(amount: int) -> str:
        return "paid"

    with pytest.raises(KeyError) as raised:
        with mocked_tools(lambda payload: None, {"pay": returns(7)}) as doubles:
            doubles.note_problem("something else went wrong")
            raise KeyError("mine")

    assert raised.value.__notes__ == ["something else went wrong"]


def test_what_a_run_leaves_behind_never_gets_at_the_real_tools():
    paid, gate, over = [], threading.Event(), threading.Event()

    @record.tool
    def pay_now():
        paid.append("for real")

    def slow(payload):
        gate.wait(5)
        pay_now()
        over.set()

    run(slow, PAYLOAD, mocks={"pay_now": returns("mocked")}, timeout_s=0.05)
    gate.set()

    assert over.wait(5)
    assert paid == []


def test_a_builtin_may_be_a_double():
    @record.tool
    def collect(**options):
        return "real"

    def agent(payload):
        return collect(a=1)

    assert run(agent, PAYLOAD, mocks={"collect": dict}).output == {"a": 1}


def test_a_builtin_may_be_a_tool():
    tool = record.tool(dict)

    assert run(lambda payload: tool(a=1), PAYLOAD, mocks={"dict": returns("mocked")}).output == "mocked"


def test_what_comes_with_a_call_reaches_doubles_that_ask_for_it():
    seen = []

    def refund(ctx: RunContext[str], amount: int) -> str:
        """Pay money back."""
        return "paid"

    def mock(amount, ctx):
        seen.append((amount, ctx.prompt))
        return "mocked"

    script = ScriptedModel(asks_for(("refund", {"amount": 5}, "c1")), says("done"))
    run(Agent(script, tools=[refund]), "Hi", mocks={"refund": mock})

    assert seen == [(5, "Hi")]
    again = ScriptedModel(asks_for(("refund", {"amount": 5}, "c1")), says("done"))
    assert run(Agent(again, tools=[refund]), "Hi", mocks={"refund": dict}).invocation.tool_executions[0].result == {"amount": 5}


def test_a_block_may_be_left_by_an_error_of_its_own():
    with pytest.raises(KeyError) as raised, mocked_tools(lambda payload: None, {"pay": returns(7)}):
        raise KeyError("mine")

    assert not hasattr(raised.value, "__notes__")


def test_a_problem_is_told_once():
    @record.tool
    def pay_twice(amount):
        return "paid"

    def agent(payload):
        for _ in range(2):
            with contextlib.suppress(TypeError):
                pay_twice()

    assert len(drive(agent, PAYLOAD, mocks={"pay_twice": returns(7)}).problems()) == 1


def test_other_tools_of_an_agent_and_what_they_are_told_stay_as_they_are():
    def refund(amount: int) -> str:
        """Pay money back."""
        return "paid"

    def look(key: str) -> str:
        """Look it up."""
        return "found"

    for kit in (LangChainKit(), OpenAIAgentsKit(), PydanticAIKit()):
        asked = Ask(Request("refund", {"amount": 5}, "c1"), Request("look", {"key": "a"}, "c2"), Request("look", {}, "c3"))
        agent = kit.agent(asked, Say("done"), tools=[Tool(refund), Tool(look, tells_errors=True)])
        driven = drive(agent, PAYLOAD, mocks={"refund": returns("mocked")})
        results = {(one.name, str(one.result)) for one in driven.capture.invocation.tool_executions}
        assert {("refund", "mocked"), ("look", "found")} <= results
        assert driven.problems() == ()


def test_a_tool_tells_the_model_of_a_doubles_error_in_its_own_words():
    tool = function_tool(lambda: "paid", name_override="refund", failure_error_function=lambda context, error: f"sorry: {error}")
    model = openai_agents.ScriptedModel(openai_agents.asks_for(("refund", {}, "c1")), "done")

    run(OpenAIAgent("cashier", model=model, tools=[tool, WebSearchTool()]), "Hi", mocks={"refund": fails(TimeoutError("no"))})

    assert model.requests[1].input[-1]["output"] == "sorry: no"


def test_blocks_nest():
    @record.tool
    def outer_tool():
        return "real"

    @record.tool
    def inner_tool():
        return "real"

    def agent(payload):
        return [outer_tool(), inner_tool()]

    with (
        mocked_tools(agent, {"outer_tool": returns(1), "inner_tool": returns(1)}),
        mocked_tools(agent, {"inner_tool": returns(2)}),
    ):
        assert agent("Hi") == [1, 2]
    assert agent("Hi") == ["real", "real"]


def test_every_flavour_of_decorated_tool_is_replaced():
    @record.tool
    def items(count):
        yield from range(count)

    @record.tool
    async def items_later(count):
        yield count

    @record.tool
    async def fetch(key):
        return key

    class Shop:
        @record.tool
        def price(self, article, *, discount=0):
            return 0

    async def agent(payload):
        return [
            list(items(2)),
            [one async for one in items_later(1)],
            await fetch("a"),
            Shop().price("lamp", discount=1),
        ]

    async def later(count):
        for number in range(count):
            yield number * 10

    mocks = {
        "items": returns([7, 8]),
        "items_later": later,
        "fetch": lambda key: key * 2,
        "price": lambda article, discount: f"{article} {discount}",
    }
    cap = run(agent, PAYLOAD, mocks=mocks)

    assert cap.output == [[7, 8], [0], "aa", "lamp 1"]
    assert [one.result for one in cap.invocation.tool_executions] == [[7, 8], [0], "aa", "lamp 1"]


def test_a_single_value_is_the_only_item_of_a_generator():
    @record.tool
    def lines(count):
        yield from range(count)

    @record.tool
    async def lines_later(count):
        yield count

    async def agent(payload):
        return [*lines(2), *[one async for one in lines_later(1)]]

    assert run(agent, PAYLOAD, mocks={"lines": returns(7), "lines_later": returns([8, 9])}).output == [7, 8, 9]


def test_tools_are_replaced_in_threads_that_the_agent_starts():
    from concurrent.futures import ThreadPoolExecutor

    @record.tool
    def ring(number):
        return "real"

    def agent(payload):
        rung = []
        thread = threading.Thread(target=lambda: rung.append(ring(1)))
        thread.start()
        thread.join()
        with ThreadPoolExecutor() as pool:
            return [*rung, pool.submit(ring, 2).result()]

    with ThreadPoolExecutor(1) as pool:
        assert run(agent, PAYLOAD, mocks={"ring": returns("mocked")}).output == ["mocked", "mocked"]
        assert pool.submit(ring, 3).result() == "real"


def test_tools_are_replaced_in_threads_without_a_capture():
    from concurrent.futures import ThreadPoolExecutor

    @record.tool
    def ring(number):
        return "real"

    def agent(pool):
        rung = []
        thread = threading.Thread(target=lambda: rung.append(ring(1)))
        thread.start()
        thread.join()
        return [*rung, pool.submit(ring, 2).result()]

    with ThreadPoolExecutor(1) as pool:
        with mocked_tools(agent, {"ring": returns("mocked")}):
            assert agent(pool) == ["mocked", "mocked"]
        assert agent(pool) == ["real", "real"]


def test_a_sync_tool_does_not_take_an_async_double():
    kit = LangChainKit()

    def refund(amount: int) -> str:
        """Pay money back."""
        return "paid"

    async def mock(amount):
        return "mocked"

    agent = kit.agent(Ask(Request("refund", {"amount": 5})), Say("done"), tools=[Tool(refund)])

    with pytest.raises(
        AgentAssertionError, match="the mock of 'refund' is a coroutine function, but the tool is called from sync"
    ):
        run(agent, PAYLOAD, mocks={"refund": mock})


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: fails("no"), "error must be an exception"),
        (lambda: fails(KeyboardInterrupt), "error must be an exception"),
        (lambda: fails(ValueError, times=1), "takes times and then together"),
        (lambda: fails(ValueError, then=returns(1)), "takes times and then together"),
        (lambda: fails(ValueError, times=0, then=returns(1)), "times must be 1 or more"),
        (lambda: fails(ValueError, times="1", then=returns(1)), "times must be a whole number"),
        (lambda: delays("1", then=returns(1)), "seconds must be a number of seconds"),
        (lambda: delays(-1, then=returns(1)), "seconds must be a number of seconds from 0"),
        (lambda: delays(1, then=7), r"then must be callable, but was 7; for a fixed result write returns\(7\)"),
    ],
)
def test_doubles_are_made_with_care(make, message):
    with pytest.raises((TypeError, ValueError), match=message):
        make()


def test_doubles_say_what_they_are():
    assert [repr(one) for one in (returns(7), fails(ValueError("no")), delays(1, then=returns(7)))] == [
        "returns(7)",
        "fails(ValueError('no'))",
        "delays(1.0, then=returns(7))",
    ]


def test_an_async_agent_of_a_framework_is_mocked_in_a_loop_of_its_own():
    kit = PydanticAIKit()

    def refund(amount: int) -> str:
        """Pay money back."""
        return "paid"

    agent = kit.agent(Ask(Request("refund", {"amount": 5})), Say("done"), tools=[Tool(refund)])
    with loop_of_its_own(), mocked_tools(agent, {"refund": returns(7)}) as doubles:
        agent.run_sync("Hi")

    assert doubles.arguments_of("refund") == [{"amount": 5}]
