"""Tools of LlamaIndex: of every class, within agents and without them."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("llama_index.core")

from llama_index.core.base.llms.types import ToolCallBlock
from llama_index.core.tools import AsyncBaseTool, BaseTool, FunctionTool, ToolMetadata, ToolOutput
from llama_index.core.workflow import Context

from agentassert import Outcome, assert_that
from tests.adapters.llama_index_parts import agent, executed, get_booking, refund, run
from tests.adapters.llama_index_warnings import quietly
from tests.adapters.scenarios.parts import LOOKED_UP, only_execution, recording
from tests.scripted.llama_index import asks_for

pytestmark = quietly


def described(name):
    return ToolMetadata(name=name, description=name)


class Whole(AsyncBaseTool):
    """A tool with methods of its own."""

    metadata = described("ship")

    def call(self, input: str) -> ToolOutput:
        return ToolOutput(tool_name="ship", content="late", raw_input={"input": input}, raw_output={"shipped": input})

    async def acall(self, input: str) -> ToolOutput:
        return self.call(input)


class Plain(BaseTool):
    """A tool that is only called."""

    metadata = described("ship")

    def __call__(self, input: str) -> ToolOutput:
        return ToolOutput(tool_name="ship", content="no", raw_input={"input": input}, raw_output=None, is_error=True)


def shipped(tool):
    with recording() as cap:
        run(agent(asks_for(("ship", {"input": "Oslo"}, "c1")), "done", tools=[tool]))
    return only_execution(cap.invocation)


def test_a_tool_with_methods_of_its_own_is_one_execution():
    execution = shipped(Whole())

    assert (execution.arguments, execution.call_id, execution.result) == ({"input": "Oslo"}, "c1", {"shipped": "Oslo"})


def test_a_failure_that_a_tool_tells_of_by_its_output_is_one():
    execution = shipped(Plain())

    assert (execution.arguments, execution.call_id, execution.outcome) == ({"input": "Oslo"}, "c1", Outcome.FAILED)
    assert str(execution.error) == "no"


def test_the_context_is_no_argument():
    async def note(ctx, text):
        return f"{type(ctx).__name__}: {text}"

    note.__annotations__ = {"ctx": Context, "text": str, "return": str}
    with recording() as cap:
        run(agent(asks_for(("note", {"text": "x"}, "c1")), "done", tools=[note]))

    assert_that(cap).has_tool_executed_with_exactly("note", {"text": "x"}).results_of("note").is_equal_to(["Context: x"])


def test_what_a_tool_has_beforehand_is_no_argument_of_the_model():
    tool = FunctionTool.from_defaults(refund, name="refund", partial_params={"amount": 7})
    with recording() as cap:
        run(agent(asks_for(("refund", {}, "c1")), "done", tools=[tool]))

    assert_that(cap).has_tool_executed_with_exactly("refund", {}).results_of("refund").is_equal_to(["paid 7"])


@pytest.mark.parametrize(
    "call", [lambda tool: tool(50), lambda tool: tool.call(amount=50), lambda tool: asyncio.run(tool.acall(50))]
)
def test_a_tool_that_a_program_calls_is_an_execution_too(call):
    tool = FunctionTool.from_defaults(refund)
    with recording(name="program") as cap:
        call(tool)

    assert (cap.invocation.name, cap.invocation.implicit) == ("program", True)
    assert_that(cap).has_tool_executed_with_exactly("refund", {"amount": 50}).results_of("refund").is_equal_to(["paid 50"])


def test_the_exception_that_a_tool_raised_is_kept():
    def fail(x: int) -> str:
        """Fail."""
        raise KeyError("kaput")

    with recording() as cap:
        run(agent(asks_for(("fail", {"x": 1}, "c1")), "sorry", tools=[fail]))

    assert repr(only_execution(cap.invocation).error) == "KeyError('kaput')"


def test_a_tool_whose_result_is_the_answer():
    tool = FunctionTool.from_defaults(get_booking, return_direct=True)
    with recording() as cap:
        run(agent(asks_for(("get_booking", {"number": "1"}, "c1")), tools=[tool]))

    assert executed(cap) == [LOOKED_UP]
    assert cap.output_text == "{'number': '1', 'customer': 'Ann'}"


def test_a_model_that_gives_no_call_ids_gets_those_of_the_agent():
    response = asks_for(("get_booking", {"number": "1"}, None))
    assert isinstance(response.message.blocks[0], ToolCallBlock)
    with recording() as cap:
        run(agent(response, "done", tools=[get_booking]))

    assert [one.answered for one in cap.invocation.tool_execution_requests] == [True]
