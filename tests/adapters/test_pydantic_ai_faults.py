"""A fault in one of our own hooks: the agent does not notice, and the assertions say so."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("pydantic_ai")

from pydantic_ai import DeferredToolResults, Embedder, ModelHTTPError, Tool, capabilities
from pydantic_ai import direct as requests
from pydantic_ai.embeddings import TestEmbeddingModel
from pydantic_ai.messages import ModelRequest

from agentassert import AdapterError, assert_that, capture, recorder
from agentassert.adapters.pydantic_ai import ADAPTER, contexts, embedding, models, tools
from agentassert.adapters.pydantic_ai.capability import Watcher
from agentassert.adapters.pydantic_ai.models import Call
from agentassert.adapters.pydantic_ai.runs import Waiting
from agentassert.adapters.pydantic_ai.tools import Execution
from agentassert.recording.events import InvocationEvent, ModelCallEvent, ToolEvent
from tests.adapters.pydantic_ai_parts import again, agent, broken, cancel_booking, gated, get_booking, run_sync
from tests.scripted.pydantic_ai import ScriptedModel, asks_for, own_loop, says

DECIDES = hasattr(capabilities, "HandleDeferredToolCalls")


def outcome(support, **options):
    try:
        return run_sync(support, **options).output
    except Exception as error:
        return repr(error)


def run_agent():
    script = (
        asks_for(("get_booking", {"number": "1"}, "c1"), ("again", {"x": 1}, "c2"), ("broken", {}, "c3")),
        says("all is well"),
    )
    return outcome(agent(*script, tools=[get_booking, again, broken]))


def run_failing_tool():
    return outcome(agent(asks_for(("broken", {"x": 1}, "c1")), tools=[broken]))


def run_failing_model():
    return outcome(agent(ModelHTTPError(500, "m")))


def run_stream():
    async def run():
        async with agent(says("all is well")).run_stream("hi") as streamed:
            return await streamed.get_output()

    return asyncio.run(run())


def run_with_approval():
    support = gated(
        asks_for(("cancel_booking", {"number": "1"}, "c1")),
        says("all is well"),
        tools=[Tool(cancel_booking, requires_approval=True)],
    )
    waiting = run_sync(support)
    answers = DeferredToolResults(approvals={"c1": True})
    return run_sync(support, None, message_history=waiting.all_messages(), deferred_tool_results=answers).output


def run_with_decision():
    deciding = capabilities.HandleDeferredToolCalls(handler=lambda ctx, asked: DeferredToolResults(approvals={"c1": True}))
    script = asks_for(("cancel_booking", {"number": "1"}, "c1")), says("all is well")
    return outcome(agent(*script, tools=[Tool(cancel_booking, requires_approval=True)], capabilities=[deciding]))


def run_direct():
    with own_loop():
        return requests.model_request_sync(ScriptedModel(says("yes")), [ModelRequest.user_text_prompt("hi")]).parts[0].content


def run_embedder():
    return len(asyncio.run(Embedder(TestEmbeddingModel()).embed_query("x")).embeddings)


def run_failing_embedder():
    class Broken(TestEmbeddingModel):
        async def embed(self, inputs, *, input_type, settings=None):
            raise ModelHTTPError(500, "m")

    try:
        asyncio.run(Embedder(Broken()).embed_query("x"))
    except ModelHTTPError as error:
        return repr(error)


def explode(*args, **kwargs):
    raise ZeroDivisionError("forced")


FAULTS = [
    (run_agent, contexts, "begin"),
    (run_agent, recorder, "enter"),
    (run_agent, InvocationEvent, "complete"),
    (run_stream, InvocationEvent, "complete"),
    (run_failing_tool, InvocationEvent, "fail"),
    (run_agent, models, "messages_sent"),
    (run_agent, models, "response_of"),
    (run_stream, models, "tools_offered_by"),
    (run_stream, ModelCallEvent, "respond"),
    (run_failing_model, ModelCallEvent, "fail"),
    (run_agent, tools, "arguments_of"),
    (run_agent, tools, "start"),
    (run_agent, tools, "succeed"),
    (run_agent, ToolEvent, "fail"),
    (run_failing_tool, ToolEvent, "fail"),
    (run_with_approval, contexts, "ask"),
    (run_with_approval, contexts, "answer"),
    (run_with_approval, contexts, "last_response"),
    (run_with_approval, recorder, "add_approval"),
    (run_with_approval, InvocationEvent, "suspend"),
    (run_with_approval, InvocationEvent, "resume"),
    (run_with_approval, Waiting, "put"),
    (run_with_approval, Waiting, "take"),
    (run_direct, models, "messages_sent"),
    (run_embedder, recorder, "start_model_call"),
    (run_embedder, embedding, "TokenUsage"),
    (run_failing_embedder, ModelCallEvent, "fail"),
]
if DECIDES:
    FAULTS.append((run_with_decision, recorder, "add_approval"))


@pytest.mark.parametrize(("run", "owner", "name"), FAULTS, ids=[f"{run.__name__}-{name}" for run, _, name in FAULTS])
def test_a_fault_changes_nothing_for_the_agent_and_fails_the_assertions(monkeypatch, run, owner, name):
    expected = run()
    monkeypatch.setattr(owner, name, explode)

    with capture(on_doubt="fail") as cap:
        assert run() == expected

    monkeypatch.undo()
    assert any("ZeroDivisionError: forced" in fault for fault in cap.health.faults)
    with pytest.raises(AdapterError, match="forced"):
        assert_that(cap).has_no_tool_executions()


GUARDED = [(Call, "begin"), (Call, "hear"), (Call, "end"), (Call, "fail")]
GUARDED += [(Execution, "begin"), (Execution, "succeed"), (Execution, "stop"), (Execution, "leave")]
GUARDED += [(contexts.RecordedRun, "_begin"), (contexts.RecordedRun, "_end")]


@pytest.mark.parametrize(("owner", "name"), GUARDED, ids=lambda value: value if isinstance(value, str) else value.__name__)
def test_every_part_that_may_break_is_guarded(owner, name):
    with capture(on_doubt="fail") as cap:
        # Called with nothing that it needs, any of them breaks.
        assert getattr(owner, name)() is None
    assert len(cap.health.faults) == 1
    assert f"the {ADAPTER} adapter" in cap.health.faults[0]


def test_the_capability_brings_nothing_that_the_agent_could_see():
    """No tools, instructions, settings or wrappers, and none of the hooks whose mere presence changes how runs go."""
    hooks = {name for name in vars(Watcher) if not name.startswith("_")}
    assert hooks <= set(dir(capabilities.AbstractCapability))
    assert not [name for name in hooks if name.startswith(("get_", "prepare_", "for_", "wrap_node", "wrap_run"))]
