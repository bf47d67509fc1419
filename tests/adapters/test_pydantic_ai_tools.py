"""Tool executions of Pydantic AI's agents: what they were given, in which order, and how they ended."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("pydantic_ai")

import pydantic
import pydantic_ai
from pydantic_ai import Agent, FunctionToolset, ModelRetry, RunContext, Tool, ToolOutput, ToolReturn, UnexpectedModelBehavior
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import SkipToolExecution
from pydantic_ai.messages import ModelResponse, TextPart

from agentassert import Outcome, Status, assert_that, capture, record
from tests.adapters.pydantic_ai_parts import again, agent, broken, cancel_booking, executed, get_booking, run_sync, toolset_of
from tests.scripted.pydantic_ai import ScriptedModel, asks_for, says


@pytest.mark.parametrize("sent", [{"number": "MS-777"}, '{"number": "MS-777"}'])
def test_arguments_result_and_call_id_are_recorded(sent):
    support = agent(asks_for(("get_booking", sent, "c1")), says("done"), tools=[get_booking])

    with capture() as cap:
        run_sync(support)

    (execution,) = cap.invocation.tool_executions
    assert (execution.name, execution.arguments, execution.call_id) == ("get_booking", {"number": "MS-777"}, "c1")
    assert execution.raw_arguments == sent
    assert execution.result == {"number": "MS-777", "customer": "Ann"}


def test_arguments_are_as_the_model_sent_them_not_as_the_tool_receives_them():
    def pay(amount: int, currency: str = "EUR") -> str:
        return f"{amount} {currency}"

    support = agent(asks_for(("pay", {"amount": "5"}, "c1")), says("done"), tools=[pay])
    with capture() as cap:
        run_sync(support)

    (execution,) = cap.invocation.tool_executions
    assert (execution.arguments, execution.result) == ({"amount": "5"}, "5 EUR")


def test_a_result_that_says_more_to_the_model_is_recorded_as_what_it_returns():
    told = ToolReturn({"price": 20}, content="and a picture", metadata={"secret": 1})

    def look(_: RunContext[None]) -> ToolReturn:
        return told

    support = agent(asks_for(("look", {}, "c1")), says("done"), tools=[look])
    with capture() as cap:
        run_sync(support)

    (execution,) = cap.invocation.tool_executions
    assert (execution.result, execution.raw_result) == ({"price": 20}, told)


def test_each_try_that_the_model_makes_is_an_execution_of_its_own_request():
    tries = asks_for(("again", {"x": 1}, "c1")), asks_for(("again", {"x": 2}, "c2"))
    support = agent(*tries, says("given up"), tools=[Tool(again, max_retries=2)])

    with capture() as cap:
        run_sync(support)

    assert [(one.outcome, str(one.error), one.call_id, one.attempt) for one in cap.invocation.tool_executions] == [
        (Outcome.FAILED, "not 1", "c1", 1),
        (Outcome.FAILED, "not 2", "c2", 1),
    ]
    assert all(type(one.error) is ModelRetry for one in cap.invocation.tool_executions)
    assert_that(cap).has_succeeded().has_tool_execution_failed("again")


def test_too_many_tries_fail_the_invocation_too():
    support = agent(asks_for(("again", {"x": 1}, "c1")), asks_for(("again", {"x": 2}, "c2")), tools=[again])

    with capture(expecting_failure=True) as cap:
        run_sync(support)

    assert [one.outcome for one in cap.invocation.tool_executions] == [Outcome.FAILED] * 2
    assert_that(cap).has_failed_with(UnexpectedModelBehavior)


@pytest.mark.parametrize(("sent", "arguments"), [({"x": "many"}, {"x": "many"}), ('{"x": "many"}', {"x": "many"}), ("{", None)])
def test_arguments_that_do_not_fit_are_a_failed_execution(sent, arguments):
    support = agent(asks_for(("broken", sent, "c1")), says("sorry"), tools=[broken])

    with capture() as cap:
        run_sync(support)

    (execution,) = cap.invocation.tool_executions
    assert (execution.outcome, execution.arguments, execution.call_id) == (Outcome.FAILED, arguments, "c1")
    assert isinstance(execution.error, pydantic.ValidationError)


def test_a_tool_that_refuses_its_arguments_is_a_failed_execution():
    def is_known(ctx: RunContext[None], number: str) -> None:
        raise ModelRetry(f"unknown: {number}")

    support = agent(
        asks_for(("get_booking", {"number": "1"}, "c1")), says("sorry"), tools=[Tool(get_booking, args_validator=is_known)]
    )
    with capture() as cap:
        run_sync(support)

    (execution,) = cap.invocation.tool_executions
    assert (execution.outcome, str(execution.error)) == (Outcome.FAILED, "unknown: 1")


@pytest.mark.skipif(not hasattr(pydantic_ai, "ToolFailed"), reason="this version has no such failure")
def test_a_failure_that_the_model_is_told_is_a_failed_execution():
    def pay() -> str:
        raise pydantic_ai.ToolFailed("no money")

    support = agent(asks_for(("pay", {}, "c1")), says("sorry"), tools=[pay])
    with capture() as cap:
        run_sync(support)

    (execution,) = cap.invocation.tool_executions
    assert (execution.outcome, execution.error.message) == (Outcome.FAILED, "no money")


def test_the_tools_of_toolsets_are_recorded_by_the_names_that_the_model_knows():
    shop = FunctionToolset([get_booking]).prefixed("shop")
    support = agent(asks_for(("shop_get_booking", {"number": "1"}, "c1")), says("done"), toolsets=[shop])

    with capture() as cap:
        run_sync(support)

    assert executed(cap) == [("shop_get_booking", Outcome.SUCCEEDED)]
    assert cap.invocation.model_calls[0].tools_offered == ("shop_get_booking",)


def test_toolsets_of_a_run_and_overridden_tools_are_recorded():
    support = agent(asks_for(("get_booking", {"number": "1"}, "c1")), says("done"))
    overridden = agent(asks_for(("get_booking", {"number": "2"}, "c1")), says("done"), tools=[broken], name="overridden")

    with capture() as cap:
        run_sync(support, toolsets=[FunctionToolset([get_booking])])
        with overridden.override(tools=[get_booking]):
            run_sync(overridden)

    assert executed(cap.invocations[0]) == executed(cap.invocations[1]) == [("get_booking", Outcome.SUCCEEDED)]


class Verdict(pydantic.BaseModel):
    ok: bool


async def decide(ok: bool) -> Verdict:
    return Verdict(ok=ok)


def test_what_produces_the_output_is_no_execution():
    for output in (Verdict, ToolOutput(Verdict, name="verdict"), decide):
        support = agent(lambda _: None, output_type=output)
        name = "verdict" if isinstance(output, ToolOutput) else "final_result"
        support.model = ScriptedModel(asks_for((name, {"ok": True}, "o1")))
        with capture() as cap:
            run_sync(support)

        assert (cap.invocation.status, cap.output) == (Status.COMPLETED, {"ok": True})
        assert (cap.invocation.tool_executions, cap.invocation.tool_execution_requests) == ((), ())
        assert cap.invocation.model_calls[0].tools_offered == ()


def test_an_output_that_is_refused_is_asked_for_again():
    support = agent(says("short"), says("long enough"))

    @support.output_validator
    def is_long(text: str) -> str:
        if len(text) < 6:
            raise ModelRetry("longer")
        return text

    with capture() as cap:
        run_sync(support)

    assert (cap.output, [one.response_text for one in cap.invocation.model_calls]) == ("long enough", ["short", "long enough"])
    assert cap.invocation.tool_executions == ()


def test_a_tool_that_a_capability_skips_has_not_run():
    class Skipping(AbstractCapability[None]):
        async def before_tool_execute(self, ctx, *, call, tool_def, args):
            raise SkipToolExecution("from the cache")

    support = agent(asks_for(("broken", {"x": 1}, "c1")), says("done"), tools=[broken], capabilities=[Skipping()])
    with capture() as cap:
        run_sync(support)

    assert (cap.invocation.tool_executions, cap.output) == ((), "done")
    assert cap.invocation.tool_execution_requests[0].answered is False


def test_a_failure_that_a_capability_hides_is_a_failure():
    class Hiding(AbstractCapability[None]):
        async def on_tool_execute_error(self, ctx, *, call, tool_def, args, error):
            return "all is well"

    support = agent(asks_for(("broken", {"x": 1}, "c1")), says("done"), tools=[broken], capabilities=[Hiding()])
    with capture() as cap:
        run_sync(support)

    (execution,) = cap.invocation.tool_executions
    assert (execution.outcome, repr(execution.error)) == (Outcome.FAILED, "ValueError('kaput')")


def test_a_capability_that_runs_a_tool_again_makes_attempts_of_one_request():
    class Retrying(AbstractCapability[None]):
        async def wrap_tool_execute(self, ctx, *, call, tool_def, args, handler):
            try:
                return await handler(args)
            except ValueError:
                return await handler(args)

    calls = []

    def flaky() -> str:
        calls.append(1)
        if len(calls) == 1:
            raise ValueError("kaput")
        return "ok"

    support = agent(asks_for(("flaky", {}, "c1")), says("done"), tools=[flaky], capabilities=[Retrying()])
    with capture() as cap:
        run_sync(support)

    assert [(one.outcome, one.call_id, one.attempt) for one in cap.invocation.tool_executions] == [
        (Outcome.FAILED, "c1", 1),
        (Outcome.SUCCEEDED, "c1", 2),
    ]


def test_a_result_that_a_capability_changes_is_recorded_as_the_tool_gave_it():
    class Censor(AbstractCapability[None]):
        async def after_tool_execute(self, ctx, *, call, tool_def, args, result):
            return "***"

    support = agent(asks_for(("get_booking", {"number": "1"}, "c1")), says("done"), tools=[get_booking], capabilities=[Censor()])
    with capture() as cap:
        run_sync(support)

    assert cap.invocation.tool_executions[0].result == {"number": "1", "customer": "Ann"}
    assert cap.invocation.model_calls[1].messages[-1]["content"] == "***"


def test_a_recorded_function_behind_a_tool_is_one_execution():
    look = record.tool(get_booking)
    support = agent(asks_for(("get_booking", {"number": "1"}, "c1")), says("done"), tools=[look])

    with capture() as cap:
        run_sync(support)

    assert executed(cap) == [("get_booking", Outcome.SUCCEEDED)]


def test_a_timeout_of_a_tool_is_a_failed_execution():
    async def slow() -> str:
        await asyncio.sleep(10)
        return "never"

    support = agent(asks_for(("slow", {}, "c1")), says("sorry"), tools=[Tool(slow, timeout=0.01)])
    with capture() as cap:
        run_sync(support)

    (execution,) = cap.invocation.tool_executions
    assert (execution.outcome, type(execution.error)) == (Outcome.FAILED, ModelRetry)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # early versions warn of themselves
def test_a_tool_that_the_provider_ran_is_recorded_from_the_response():
    called, returned = (
        getattr(pydantic_ai.messages, new, None) or getattr(pydantic_ai.messages, old)
        for new, old in (("NativeToolCallPart", "BuiltinToolCallPart"), ("NativeToolReturnPart", "BuiltinToolReturnPart"))
    )
    parts = [
        called("web_search", {"query": "kettles"}, tool_call_id="n1"),
        returned("web_search", [{"title": "K-1"}], tool_call_id="n1"),
        called("code_execution", {"code": "1/0"}, tool_call_id="n2"),
        TextPart("K-1"),
    ]
    with capture() as cap:
        run_sync(agent(ModelResponse(parts)))

    search, code = cap.invocation.tool_executions
    assert (search.name, search.arguments, search.result) == ("web_search", {"query": "kettles"}, [{"title": "K-1"}])
    assert (code.name, code.outcome) == ("code_execution", Outcome.UNKNOWN)


def test_tools_of_an_mcp_server_are_recorded():
    fastmcp = pytest.importorskip("fastmcp")
    pytest.importorskip("pydantic_ai.mcp")
    server = fastmcp.FastMCP("shop")
    server.tool(get_booking)

    support = agent(asks_for(("get_booking", {"number": "1"}, "c1")), says("done"), toolsets=[toolset_of(server)])
    with capture() as cap:
        run_sync(support)

    assert executed(cap) == [("get_booking", Outcome.SUCCEEDED)]
    assert cap.invocation.tool_executions[0].result == {"number": "1", "customer": "Ann"}


def test_parallel_tools_that_fail_together_are_all_recorded():
    async def run():
        ready = asyncio.Event()

        async def patient() -> str:
            ready.set()
            await asyncio.Event().wait()
            return "never"

        async def hasty() -> str:
            await ready.wait()
            raise ValueError("kaput")

        support = agent(asks_for(("patient", {}, "c1"), ("hasty", {}, "c2")), tools=[patient, hasty])
        async with capture(expecting_failure=True) as cap:
            await support.run("hi")
        return cap

    assert executed(asyncio.run(run())) == [("patient", Outcome.CANCELLED), ("hasty", Outcome.FAILED)]


def test_a_typed_agent_with_dependencies_is_recorded():
    class Support(Agent[dict, str]):
        pass

    support = Support(ScriptedModel(asks_for(("greet", {}, "c1")), says("done")), deps_type=dict, name="typed")

    @support.tool
    def greet(ctx: RunContext[dict]) -> str:
        return f"hello {ctx.deps['name']}"

    with capture() as cap:
        run_sync(support, deps={"name": "Ann"})

    assert cap.invocation.tool_executions[0].result == "hello Ann"
    assert cap.invocation.tool_executions[0].arguments == {}


def test_async_tools_are_recorded_too():
    support = agent(asks_for(("cancel_booking", {"number": "1"}, "c1")), says("done"), tools=[cancel_booking])

    with capture() as cap:
        run_sync(support)

    assert_that(cap).has_tool_executed_with_exactly("cancel_booking", {"number": "1"})
