"""Tool executions of the OpenAI Agents SDK: what they were given, in which order, and how they ended."""

from __future__ import annotations

import asyncio

import pydantic
import pytest

pytest.importorskip("agents")

from agents import (
    Agent,
    ModelBehaviorError,
    RunConfig,
    Runner,
    ShellTool,
    ToolGuardrailFunctionOutput,
    ToolInputGuardrailTripwireTriggered,
    ToolOutputGuardrailTripwireTriggered,
    UserError,
    function_tool,
    tool_input_guardrail,
    tool_output_guardrail,
)
from openai.types.responses import ResponseFunctionShellToolCall

from agentassert import NOT_RECORDED, Outcome, Status, capture, record
from tests.adapters.openai_agents_parts import agent, broken, cancel_booking, executed, get_booking, run_sync
from tests.scripted.openai_agents import Answer, asks_for, says


class Booking(pydantic.BaseModel):
    """What a tool may return."""

    number: str


BLIND = RunConfig(tracing_disabled=True)


def test_arguments_result_and_call_id_are_recorded():
    support = agent(asks_for(("get_booking", {"number": "MS-777"}, "c1")), says("done"), tools=[get_booking])

    with capture() as cap:
        run_sync(support)

    (execution,) = cap.invocation.tool_executions
    assert (execution.name, execution.arguments, execution.call_id) == ("get_booking", {"number": "MS-777"}, "c1")
    assert execution.raw_arguments == '{"number": "MS-777"}'
    assert execution.result == {"number": "MS-777", "customer": "Ann"}
    assert (execution.outcome, execution.attempt, execution.inferred) == (Outcome.SUCCEEDED, 1, False)
    assert cap.invocation.tool_execution_requests[0].answered


def test_a_result_that_is_a_model_is_kept_and_converted():
    @function_tool
    def find() -> Booking:
        """Find one."""
        return Booking(number="MS-777")

    with capture() as cap:
        run_sync(agent(asks_for(("find", {}, "c1")), says("done"), tools=[find]))

    (execution,) = cap.invocation.tool_executions
    assert (execution.result, type(execution.raw_result)) == ({"number": "MS-777"}, Booking)


def test_parallel_tools_stand_in_the_order_of_the_models_request():
    second_started = asyncio.Event()

    @function_tool
    async def first() -> str:
        """Wait for the second."""
        await second_started.wait()
        await asyncio.sleep(0.01)
        return "1"

    @function_tool
    async def second() -> str:
        """Be faster."""
        second_started.set()
        return "2"

    support = agent(asks_for(("first", {}, "c1"), ("second", {}, "c2")), says("done"), tools=[first, second])
    with capture() as cap:
        run_sync(support)

    assert [(one.name, one.result) for one in cap.invocation.tool_executions] == [("first", 1), ("second", 2)]
    assert cap.invocation.tool_executions[0].ended_order > cap.invocation.tool_executions[1].ended_order


@pytest.mark.parametrize("config", [None, BLIND, RunConfig(trace_include_sensitive_data=False)])
def test_a_failure_that_the_model_is_told_is_recorded_with_the_exception_itself(config):
    with capture() as cap:
        run_sync(agent(asks_for(("broken", {"x": 1}, "c1")), says("done"), tools=[broken]), run_config=config)

    (execution,) = cap.invocation.tool_executions
    assert (execution.outcome, repr(execution.error), execution.call_id) == (Outcome.FAILED, "ValueError('kaput')", "c1")
    assert "An error occurred while running the tool" in execution.result
    assert cap.invocation.status is Status.COMPLETED


async def _explain(context, error):
    return f"sorry: {error}"


@pytest.mark.parametrize("config", [None, BLIND])
@pytest.mark.parametrize("explain", [lambda context, error: f"sorry: {error}", _explain])
def test_a_failure_in_a_tools_own_words_is_a_failure(explain, config):
    @function_tool(failure_error_function=explain)
    def worded() -> str:
        """Fail."""
        raise KeyError("kaput")

    with capture() as cap:
        run_sync(agent(asks_for(("worded", {}, "c1")), says("done"), tools=[worded]), run_config=config)

    (execution,) = cap.invocation.tool_executions
    assert (execution.outcome, repr(execution.error)) == (Outcome.FAILED, "KeyError('kaput')")
    assert execution.result == "sorry: 'kaput'"


@pytest.mark.parametrize("config", [None, BLIND])
def test_an_exception_that_leaves_a_tool_fails_it_and_the_agent(config):
    @function_tool(failure_error_function=None)
    def hard() -> str:
        """Fail."""
        raise ValueError("kaput")

    with capture(expecting_failure=True) as cap:
        run_sync(agent(asks_for(("hard", {}, "c1")), tools=[hard]), run_config=config)

    (execution,) = cap.invocation.tool_executions
    assert (execution.outcome, repr(execution.error)) == (Outcome.FAILED, "ValueError('kaput')")
    assert (cap.invocation.status, type(cap.invocation.error)) == (Status.FAILED, UserError)
    assert cap.invocation.error.__cause__ is execution.error


def test_a_failure_inside_an_exception_handler_of_the_program_is_told_from_what_is_handled_there():
    support = agent(
        asks_for(("broken", {"x": 1}, "c1"), ("get_booking", {"number": "1"}, "c2")), says("done"), tools=[broken, get_booking]
    )

    with capture() as cap:
        try:
            raise OSError("before")
        except OSError:
            run_sync(support)

    assert executed(cap) == [("broken", Outcome.FAILED), ("get_booking", Outcome.SUCCEEDED)]
    assert repr(cap.invocation.tool_executions[0].error) == "ValueError('kaput')"


@pytest.mark.parametrize(
    ("sent", "parsed"), [('{"number": ', None), ("[1]", None), ({"number": ["no", "text"]}, {"number": ["no", "text"]})]
)
def test_arguments_that_the_tool_cannot_take_fail_the_execution(sent, parsed):
    support = agent(asks_for(("get_booking", sent, "c1")), says("done"), tools=[get_booking])

    with capture() as cap:
        run_sync(support)

    (execution,) = cap.invocation.tool_executions
    assert (execution.arguments, execution.outcome) == (parsed, Outcome.FAILED)
    assert isinstance(execution.error, (ModelBehaviorError, TypeError))
    assert cap.invocation.tool_execution_requests[0].raw_arguments == execution.raw_arguments


@pytest.mark.parametrize("streamed", [False, True])
def test_an_unknown_tool_is_requested_and_never_executed(streamed):
    support = agent(asks_for(("nope", {"a": 1}, "c9")), tools=[get_booking])

    async def go():
        async with capture(expecting_failure=True) as cap:
            if streamed:
                async for _ in Runner.run_streamed(support, "hi").stream_events():
                    pass
            else:
                await Runner.run(support, "hi")
        return cap

    cap = asyncio.run(go())
    assert (cap.invocation.status, type(cap.error)) == (Status.FAILED, ModelBehaviorError)
    assert cap.invocation.tool_executions == ()
    (request,) = cap.invocation.tool_execution_requests
    assert (request.name, request.arguments, request.answered) == ("nope", {"a": 1}, False)
    assert cap.invocation.own_chat_model_calls[0].completed


@pytest.mark.parametrize("config", [None, BLIND])
def test_a_tool_that_takes_too_long_has_failed(config):
    @function_tool(timeout=0.01)
    async def slow() -> str:
        """Take too long."""
        await asyncio.sleep(3600)

    with capture() as cap:
        run_sync(agent(asks_for(("slow", {}, "c1")), says("done"), tools=[slow]), run_config=config)

    (execution,) = cap.invocation.tool_executions
    assert (execution.outcome, type(execution.error).__name__) == (Outcome.FAILED, "ToolTimeoutError")
    assert "timed out" in execution.result


def test_a_sibling_that_is_cancelled_because_another_one_raised_has_not_failed():
    started = asyncio.Event()

    @function_tool
    async def slow() -> str:
        """Never end."""
        started.set()
        await asyncio.sleep(3600)

    @function_tool(failure_error_function=None)
    async def raising() -> str:
        """Raise once the other one runs."""
        await started.wait()
        raise ValueError("kaput")

    async def go():
        async with capture(expecting_failure=True) as cap:
            await Runner.run(agent(asks_for(("slow", {}, "c1"), ("raising", {}, "c2")), tools=[slow, raising]), "hi")
        return cap

    assert executed(asyncio.run(go())) == [("slow", Outcome.CANCELLED), ("raising", Outcome.FAILED)]


def guarded_tool(**guardrails):
    @function_tool(**guardrails)
    def secret() -> str:
        """Tell."""
        return "the truth"

    return agent(asks_for(("secret", {}, "c1")), says("done"), tools=[secret])


@tool_input_guardrail
def keep_out(data):
    return ToolGuardrailFunctionOutput.reject_content("not allowed")


@tool_input_guardrail
def stop_before(data):
    return ToolGuardrailFunctionOutput.raise_exception()


@tool_output_guardrail
def replace(data):
    return ToolGuardrailFunctionOutput.reject_content("removed")


@tool_output_guardrail
def stop_after(data):
    return ToolGuardrailFunctionOutput.raise_exception()


def test_a_tool_that_a_guardrail_keeps_from_running_was_requested_only():
    with capture() as cap:
        run_sync(guarded_tool(tool_input_guardrails=[keep_out]))

    assert (cap.invocation.status, cap.invocation.tool_executions) == (Status.COMPLETED, ())
    assert [one.name for one in cap.invocation.tool_execution_requests] == ["secret"]


def test_a_tripwire_before_a_tool_blocks_the_agent():
    with capture(expecting_failure=True) as cap:
        run_sync(guarded_tool(tool_input_guardrails=[stop_before]))

    assert (cap.invocation.status, cap.invocation.tool_executions) == (Status.BLOCKED, ())
    assert isinstance(cap.error, ToolInputGuardrailTripwireTriggered)


def test_a_result_that_a_guardrail_replaces_is_recorded_as_the_tool_returned_it():
    with capture() as cap:
        run_sync(guarded_tool(tool_output_guardrails=[replace]))

    (execution,) = cap.invocation.tool_executions
    assert (execution.outcome, execution.result) == (Outcome.SUCCEEDED, "the truth")


def test_a_tripwire_after_a_tool_blocks_the_agent_and_the_tool_has_succeeded():
    with capture(expecting_failure=True) as cap:
        run_sync(guarded_tool(tool_output_guardrails=[stop_after]))

    (execution,) = cap.invocation.tool_executions
    assert (cap.invocation.status, execution.outcome, execution.result) == (Status.BLOCKED, Outcome.SUCCEEDED, "the truth")
    assert isinstance(cap.error, ToolOutputGuardrailTripwireTriggered)


@pytest.mark.parametrize("config", [None, BLIND])
@pytest.mark.parametrize("flavour", ["sync", "async"])
def test_a_recorded_function_under_a_tool_is_one_execution(flavour, config):
    @record.tool
    def lookup(key: str) -> str:
        """Look up."""
        return "found"

    @record.tool
    async def alookup(key: str) -> str:
        """Look up."""
        return "found"

    function = lookup if flavour == "sync" else alookup
    tool = function_tool(function, name_override=function.__name__)
    with capture() as cap:
        run_sync(
            agent(asks_for((tool.name, {"key": "a"}, "c1"), (tool.name, {"key": "b"}, "c2")), says("done"), tools=[tool]),
            run_config=config,
        )

    assert [(one.call_id, one.arguments) for one in cap.invocation.tool_executions] == [
        ("c1", {"key": "a"}),
        ("c2", {"key": "b"}),
    ]


def test_what_a_tool_does_belongs_to_it_also_beside_others():
    @function_tool
    async def outer(key: str) -> str:
        """Call another recorded function."""
        await asyncio.sleep(0)
        record.tool_execution("inner", {"key": key}, result="ok")
        with record.invocation(f"helper {key}"):
            await asyncio.sleep(0)
        return key

    support = agent(asks_for(("outer", {"key": "a"}, "c1"), ("outer", {"key": "b"}, "c2")), says("done"), tools=[outer])
    with capture() as cap:
        run_sync(support, run_config=BLIND)

    outers = {one.id: one.arguments["key"] for one in cap.invocation.tool_executions if one.name == "outer"}
    assert {nested.name: outers[nested.started_by] for nested in cap.invocation.nested_invocations} == {
        "helper a": "a",
        "helper b": "b",
    }


def test_a_tool_whose_result_is_the_answer_is_an_execution_like_any_other():
    support = agent(asks_for(("get_booking", {"number": "1"}, "c1")), tools=[get_booking], tool_use_behavior="stop_on_first_tool")

    with capture() as cap:
        run_sync(support)

    assert executed(cap) == [("get_booking", Outcome.SUCCEEDED)]
    assert (cap.invocation.status, len(cap.invocation.model_calls)) == (Status.COMPLETED, 1)


def test_ids_that_the_provider_repeats_are_told_apart():
    first, second = asks_for(("get_booking", {"number": "1"}, "c1")), asks_for(("cancel_booking", {"number": "2"}, "c1"))

    with capture() as cap:
        run_sync(agent(first, says("one"), tools=[get_booking]))
        run_sync(agent(second, says("two"), tools=[cancel_booking]))

    assert [one.tool_executions[0].call_id for one in cap.invocations] == ["c1", "c1#2"]


def shell_call(call_id):
    return ResponseFunctionShellToolCall.model_validate(
        {
            "id": f"s{call_id}",
            "type": "shell_call",
            "call_id": call_id,
            "status": "completed",
            "action": {"commands": ["ls"], "timeout_ms": None, "max_output_length": None},
            "environment": None,
        }
    )


def shell_agent(executor):
    return agent(Answer([shell_call("c1")]), says("done"), tools=[ShellTool(executor=executor)])


def test_the_shell_tool_is_recorded_with_the_request_that_it_answers():
    with capture() as cap:
        run_sync(shell_agent(lambda request: "README.md"))

    (execution,) = cap.invocation.tool_executions
    assert (execution.name, execution.call_id, execution.outcome) == ("shell", "c1", Outcome.SUCCEEDED)
    assert (execution.arguments["commands"], execution.result) == (["ls"], "README.md")


def _no_shell(request):
    raise OSError("no shell")


def test_a_shell_that_fails_is_a_failure():
    with capture() as cap:
        run_sync(shell_agent(_no_shell))

    (execution,) = cap.invocation.tool_executions
    assert (execution.outcome, repr(execution.error)) == (Outcome.FAILED, "OSError('no shell')")


def test_without_tracing_nobody_says_whether_the_shell_failed():
    with capture() as cap:
        run_sync(shell_agent(_no_shell), run_config=BLIND)

    assert executed(cap) == [("shell", Outcome.UNKNOWN)]


def test_nobody_saw_a_retriever():
    with capture() as cap:
        run_sync(agent(says("done")))

    assert cap.invocation.sources is NOT_RECORDED


def test_a_disabled_tool_that_is_asked_for_all_the_same_was_requested_only():
    hidden = function_tool(lambda: "x", name_override="hidden", description_override="x", is_enabled=False)
    support = Agent("support", model=agent(asks_for(("hidden", {}, "c1"))).model, tools=[hidden])

    with capture(expecting_failure=True) as cap:
        run_sync(support)

    assert cap.invocation.tool_executions == ()
    assert [one.name for one in cap.invocation.tool_execution_requests] == ["hidden"]
