"""Tools of Strands: what is recorded is what the tool itself did, however hooks go on with it."""

from __future__ import annotations

import contextlib
import logging
import threading

import pytest

pytest.importorskip("strands")

from strands import ToolContext, tool
from strands.hooks import AfterToolCallEvent, BeforeToolCallEvent
from strands.tools.decorator import DecoratedFunctionTool
from strands.tools.executors import SequentialToolExecutor
from strands.tools.tools import PythonAgentTool
from strands.types.exceptions import EventLoopException
from strands.types.tools import AgentTool

from agentassert import CaptureWarning, Outcome, assert_that, capture
from tests.adapters.scenarios.parts import recording
from tests.adapters.strands_parts import agent, executed, get_booking, refund
from tests.scripted.strands import asks_for


@pytest.fixture(autouse=True)
def quiet():
    """Strands logs what fails, with its traceback."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def asking(name, arguments, *tools, **options):
    return agent(asks_for((name, arguments, "c1")), "done", tools=tools, **options)


def test_a_failure_that_the_model_is_told_is_the_real_exception():
    @tool
    def pay(amount: int) -> str:
        """Pay."""
        raise KeyError("no such account")

    with recording() as cap:
        asking("pay", {"amount": 5}, pay)("Pay")

    (execution,) = cap.invocation.tool_executions
    assert (execution.outcome, repr(execution.error)) == (Outcome.FAILED, "KeyError('no such account')")
    assert execution.result == "Error: KeyError - 'no such account'"
    assert_that(cap).has_succeeded().has_tool_execution_failed("pay")


def test_a_result_whose_status_is_error_is_a_failure():
    @tool
    def pay(amount: int) -> dict:
        """Pay."""
        return {"status": "error", "content": [{"text": "at most 100"}]}

    with recording() as cap:
        asking("pay", {"amount": 500}, pay)("Pay")

    (execution,) = cap.invocation.tool_executions
    assert (execution.outcome, execution.error) == (Outcome.FAILED, "at most 100")


@pytest.mark.parametrize(
    ("content", "result"),
    [
        ([{"text": "a"}], "a"),
        ([{"json": {"a": 1}}], {"a": 1}),
        ([{"text": "a"}, {"json": 1}], ["a", 1]),
        ([{"image": {"format": "png", "source": {"bytes": b"1"}}}], {"type": "image", "format": "png"}),
        ([], []),
    ],
)
def test_a_result_is_what_the_tool_gave(content, result):
    @tool
    def look() -> dict:
        """Look."""
        return {"status": "success", "content": content}

    with recording() as cap:
        asking("look", {}, look)("Look")

    assert cap.invocation.tool_executions[0].result == result


def test_what_hooks_make_of_a_result_is_not_the_tools():
    def rewrite(event):
        event.result = {**event.result, "status": "error", "content": [{"text": "hidden"}]}

    support = asking("refund", {"amount": 5}, refund)
    support.hooks.add_callback(AfterToolCallEvent, rewrite)
    with recording() as cap:
        support("Refund")

    assert_that(cap).results_of("refund").is_equal_to(["paid 5"])


def test_a_tool_that_a_hook_cancels_was_requested_never_executed_nor_rejected_by_anybody():
    def cancel(event):
        event.cancel_tool = "not today"

    support = asking("refund", {"amount": 5}, refund)
    support.hooks.add_callback(BeforeToolCallEvent, cancel)
    with recording() as cap:
        support("Refund")

    assert_that(cap).has_tool_requested("refund").has_no_tool_executions()
    assert [one.answered for one in cap.invocation.tool_execution_requests] == [False]
    assert cap.invocation.approvals == ()


def test_a_tool_that_a_hook_puts_in_the_place_of_another_is_the_one_that_ran():
    def swap(event):
        event.selected_tool = get_booking
        event.tool_use = {**event.tool_use, "input": {"number": "1"}}

    support = asking("refund", {"amount": 5}, refund)
    support.hooks.add_callback(BeforeToolCallEvent, swap)
    with recording() as cap:
        support("Refund")

    assert [(one.name, one.arguments) for one in cap.invocation.tool_executions] == [("get_booking", {"number": "1"})]


def test_tools_one_after_the_other():
    asked = asks_for(("get_booking", {"number": "1"}, "c1"), ("refund", {"amount": 2}, "c2"))
    with recording() as cap:
        agent(asked, "done", tools=[refund, get_booking], tool_executor=SequentialToolExecutor())("Refund")

    assert_that(cap).has_tool_finished_before("get_booking", "refund")


def test_a_tool_that_streams_what_it_does():
    @tool
    async def count(upto: int):
        """Count."""
        for number in range(upto):
            yield f"at {number}"
        yield {"counted": upto}

    with recording() as cap:
        asking("count", {"upto": 2}, count)("Count")

    assert_that(cap).results_of("count").is_equal_to([{"counted": 2}])


class Shipping(AgentTool):
    """A tool that is no function."""

    tool_name = "ship"
    tool_type = "shipping"
    tool_spec = {"name": "ship", "description": "Ship.", "inputSchema": {"json": {"type": "object", "properties": {}}}}  # noqa: RUF012

    async def stream(self, tool_use, invocation_state, **kwargs):
        yield "on its way"
        yield {"toolUseId": tool_use["toolUseId"], "status": "success", "content": [{"text": "shipped"}]}


class Broken(Shipping):
    """One that fails."""

    async def stream(self, tool_use, invocation_state, **kwargs):
        async for part in super().stream(tool_use, invocation_state, **kwargs):
            yield part
            raise ConnectionError("lost")


@pytest.mark.parametrize(("ship", "outcome"), [(Shipping(), Outcome.SUCCEEDED), (Broken(), Outcome.FAILED)])
def test_a_tool_of_a_class_of_the_users_own_is_one_execution(ship, outcome):
    with recording() as cap:
        asking("ship", {}, ship)("Ship")

    assert executed(cap) == [("ship", outcome)]


def test_a_class_that_is_defined_while_a_capture_is_open():
    with recording() as cap:

        class Late(Shipping):
            async def stream(self, tool_use, invocation_state, **kwargs):
                yield {"toolUseId": tool_use["toolUseId"], "status": "success", "content": [{"text": "late"}]}

        asking("ship", {}, Late())("Ship")

    assert_that(cap).results_of("ship").is_equal_to(["late"])


def test_a_subclass_of_strands_own_that_calls_it_is_one_execution():
    class Logged(DecoratedFunctionTool):
        async def stream(self, tool_use, invocation_state, **kwargs):
            async for part in super().stream(tool_use, invocation_state, **kwargs):
                yield part

    logged = Logged(refund._tool_name, refund._tool_spec, refund._tool_func, refund._metadata)
    with recording() as cap:
        asking("refund", {"amount": 5}, logged)("Refund")

    assert executed(cap) == [("refund", Outcome.SUCCEEDED)]


def test_what_strands_injects_is_no_argument():
    @tool(context=True)
    def whose(tool_context: ToolContext) -> str:
        """Tell."""
        return f"{tool_context.agent.name} in {threading.current_thread() is not threading.main_thread()}"

    with recording() as cap:
        asking("whose", {}, whose)("Whose?")

    assert_that(cap).has_tool_executed_with_exactly("whose", {}).results_of("whose").is_equal_to(["support in True"])


def test_of_a_bidirectional_agent_only_tools_are_recorded_which_is_said():
    bidi = pytest.importorskip("strands.bidi", reason="this release has none that needs no extras")
    from strands.bidi.models import BidiModel

    class Silent(BidiModel):
        def get_config(self):
            return {}

        def update_config(self, **config):
            pass

        async def start(self, *args, **kwargs):
            pass

        async def stop(self):
            pass

        async def send(self, content):
            pass

        async def receive(self):
            yield {}

    with pytest.warns(CaptureWarning, match="bidirectional"), capture() as cap:
        bidi.BidiAgent(model=Silent(), tools=[refund]).tool.refund(amount=3)

    assert executed(cap) == [("refund", Outcome.SUCCEEDED)]


@pytest.mark.parametrize("given", ["text", None, 5, {"status": "success", "content": [None]}, {"content": None}])
def test_a_result_that_is_none_of_strands_breaks_no_recording(given):
    def odd(tool_use, **_):
        return given

    spec = {"name": "odd", "description": "Give something.", "inputSchema": {"json": {"type": "object", "properties": {}}}}
    with recording() as cap, contextlib.suppress(EventLoopException):  # which older releases raise
        agent(asks_for(("odd", {}, "c1")), "done", tools=[PythonAgentTool("odd", spec, odd)])("hi")

    assert executed(cap) == [("odd", Outcome.SUCCEEDED if isinstance(given, dict) else Outcome.FAILED)]
    assert cap.health.faults == ()


@pytest.mark.parametrize("parts", [[], ["text"]])
def test_a_tool_that_streams_no_result_has_failed(parts):
    class Odd(AgentTool):
        tool_name, tool_type = "odd", "python"

        @property
        def tool_spec(self):
            return {"name": "odd", "description": "Give.", "inputSchema": {"json": {"type": "object", "properties": {}}}}

        async def stream(self, tool_use, invocation_state, **kwargs):
            for part in parts:
                yield part

    with recording() as cap, contextlib.suppress(EventLoopException):
        agent(asks_for(("odd", {}, "c1")), "done", tools=[Odd()])("hi")

    assert executed(cap) == [("odd", Outcome.FAILED)]
