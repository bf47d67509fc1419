"""The spans of runs, their steps, the tools that they call, and of engines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workflows.runtime.types.results import WaitingForEvent

from agentassert import recorder
from agentassert.adapters.asked import asked_a_model
from agentassert.adapters.base import CHAT, REQUESTS
from agentassert.adapters.llama_index import ADAPTER
from agentassert.adapters.llama_index.messages import result_of, selected
from agentassert.adapters.llama_index.models import Call, answered_by
from agentassert.adapters.llama_index.opened import Entered, Span, Work
from agentassert.adapters.llama_index.runs import Run, claim, go_on, run_around
from agentassert.recording.events import InvocationEvent, ToolEvent, next_order
from agentassert.records import NOT_RECORDED


class Task(Span):
    """A run, in the task that it goes on in."""

    def __init__(self, run: Run, workflow: Any, event: InvocationEvent | None) -> None:
        super().__init__(event)
        self.run = run
        self.has_agents = hasattr(workflow, "get_tools")

    def end(self, result: Any) -> None:
        self.run.end(result)

    def stop(self, error: BaseException) -> None:
        self.run.stop(error)


class Step(Span):
    """A step of a run.

    Attributes:
        of: the run.
        given: the event that it was called with.
        calls: the requests to models that it made itself.
    """

    def __init__(self, task: Task, given: Any) -> None:
        super().__init__(task.run.current)
        self.of = task
        self.given = given
        self.calls: list[Call] = []
        self._agent = task.run.current
        self._began = next_order()

    def end(self, result: Any) -> None:
        if not hasattr(result, "tool_calls"):
            return
        if self.calls:
            self.calls[-1].complete(result.response, selected(result.tool_calls))
        elif type(self.given).__name__ == "AgentSetup" and not asked_a_model(self._agent, self._began):
            recorder.lose_sight(ADAPTER, CHAT, REQUESTS)


class Tool(Work):
    """A tool that runs."""

    event: ToolEvent

    def end(self, result: Any) -> None:
        raw = getattr(result, "raw_output", result)
        # What tools of MCP return says so itself; some releases warn of the name that the others have.
        failed = raw.is_error if hasattr(raw, "is_error") else getattr(raw, "isError", None)
        if getattr(result, "is_error", False) or failed is True:
            content = getattr(result, "content", str(raw))
            self.event.fail(getattr(result, "exception", None) or content, content)
        else:
            self.event.succeed(result_of(result), raw)
        self._wait_on()

    def stop(self, error: BaseException) -> None:
        if isinstance(error, WaitingForEvent):
            recorder.withdraw(self.event)  # it only asked, and runs again with the answer
        else:
            super().stop(error)

    def _wait_on(self) -> None:
        run = run_around()
        if run is not None and run.asked:
            run.suspend()


class Talk(Work):
    """A query or chat engine that answers."""

    event: InvocationEvent

    def end(self, result: Any) -> None:
        text = getattr(result, "response", NOT_RECORDED)
        self.event.complete(text, text if isinstance(text, str) else None)


def begin_run(entered: Entered) -> Span | None:
    """A run begins, which was recorded where it was called for, or goes on."""
    workflow, arguments = entered.instance, entered.arguments
    run = claim()
    if run is not None:
        return Task(run, workflow, None)
    run = go_on(workflow, arguments["init_state"]) if arguments["start_event"] is None else None
    return None if run is None else Task(run, workflow, run.current)


def begin_step(task: Task, arguments: Mapping[str, Any]) -> Span:
    """A step of a run begins, perhaps of another agent than the last one."""
    given = next((one for one in arguments.values() if hasattr(one, "current_agent_name") or hasattr(one, "tool_kwargs")), None)
    name = getattr(given, "current_agent_name", None)
    if name is not None and task.has_agents:
        task.run.turn_to(name)
    return Step(task, given)


def begin_tool(entered: Entered) -> Span | None:
    """A method of a tool begins, perhaps one that another method of it calls."""
    tool, around = entered.instance, entered.around
    name = str(tool.metadata.get_name())
    if _is_form(tool):
        answered_by(name)
        return None
    inside = recorder.open_around(ToolEvent, ADAPTER)
    if inside is not None and inside.name == name:
        return None
    given = around.given if isinstance(around, Step) else None
    if given is not None and getattr(given, "tool_name", None) == name:
        call_id, sent = given.tool_id, given.tool_kwargs
    else:
        call_id, sent = None, _arguments(tool, entered.arguments)
    run = run_around()
    if run is not None and call_id in run.asked:
        run.resume()
    event = recorder.start_tool(name, sent, adapter=ADAPTER, call_id=call_id)
    if event is not None and run is not None:
        run.tools.append(event)
    return None if event is None else Tool(event)


def begin_talk(entered: Entered) -> Span | None:
    """An engine is asked, which is an invocation unless it is part of one, or goes on after it has returned: with a stream."""
    streams = getattr(getattr(entered.instance, "_response_synthesizer", None), "_streaming", False)
    if streams or recorder.current_event() is not None:
        return None
    asked = next(iter(entered.arguments.values()), None)
    event = recorder.start_invocation(type(entered.instance).__name__, adapter=ADAPTER, input=getattr(asked, "query_str", asked))
    return None if event is None else Talk(event)


def _is_form(tool: Any) -> bool:
    """Whether it is no tool of the program's, but what LlamaIndex has a model give data by."""
    function = getattr(tool, "_fn", None)
    return getattr(function, "__qualname__", None) == "get_function_tool.<locals>.model_fn"


def _arguments(tool: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """What a tool is called with outside an agent, by name."""
    fields = tool.metadata.get_parameters_dict().get("properties", {})
    named = {**dict(zip(fields, given.get("args", ()), strict=False)), **given, **given.get("kwargs", {})}
    hidden = ("args", "kwargs", getattr(tool, "ctx_param_name", None))
    return {name: value for name, value in named.items() if name not in hidden}
