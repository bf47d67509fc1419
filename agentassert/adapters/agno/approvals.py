"""What a run waits for, and what was decided."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from agno.tools.function import Function
from agno.utils.functions import get_function_call

from agentassert import recorder
from agentassert.adapters.agno import ADAPTER
from agentassert.adapters.base import guarded
from agentassert.recording.events import InvocationEvent
from agentassert.records import Decision


def ask(event: InvocationEvent, requirements: Iterable[Any]) -> None:
    """Record what a run waits for, each of a person's decisions; what members of a team wait for, is theirs."""
    for one in requirements:
        tool = one.tool_execution
        if one.member_agent_id is None and not one.is_resolved() and not tool.external_execution_required:
            _add(tool, tool.tool_args, Decision.PENDING, parent=event)


def deciding(original: Callable[..., Any]) -> Callable[..., Any]:
    """`handle_tool_call_updates` and its like, which carry out what was decided."""

    def update(*args: Any, **kwargs: Any) -> Any:
        if recorder.listening():
            _decide(args, kwargs)
        return original(*args, **kwargs)

    return update


@guarded(ADAPTER)
def _decide(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    response = kwargs["run_response"] if "run_response" in kwargs else args[1]
    for tool in response.tools or ():
        if tool.external_execution_required:
            if tool.result is not None:
                _end_elsewhere(tool)
        elif tool.requires_confirmation and not tool.confirmed:  # what was left open is refused
            _add(tool, _asked(response, tool), Decision.REJECT, reason=tool.confirmation_note)
        elif tool.requires_confirmation or tool.requires_user_input:
            asked = _asked(response, tool)
            is_as_asked = tool.requires_confirmation and asked == (tool.tool_args or {})
            _add(tool, asked, Decision.APPROVE if is_as_asked else Decision.EDIT)


def _end_elsewhere(tool: Any) -> None:
    """Record a tool that ran elsewhere, of which only the result was ever here."""
    event = recorder.start_tool(tool.tool_name, tool.tool_args or {}, adapter=ADAPTER, call_id=tool.tool_call_id, inferred=True)
    if event is not None:
        event.succeed(tool.result)


def _asked(response: Any, tool: Any) -> Any:
    """The arguments that the model sent, which a person may have changed since."""
    messages: list[Any] = response.messages or []
    for message in reversed(messages):
        for call in message.tool_calls or ():
            if call.get("id") == tool.tool_call_id:
                name, text = call["function"]["name"], call["function"].get("arguments")
                parsed = get_function_call(name, text, functions={name: Function(name=name)})
                return (parsed and parsed.arguments) or {}
    return tool.tool_args or {}


def _add(
    tool: Any, arguments: Any, decision: Decision, *, reason: str | None = None, parent: InvocationEvent | None = None
) -> None:
    recorder.add_approval(
        tool.tool_name,
        arguments or {},
        adapter=ADAPTER,
        decision=decision,
        reason=reason,
        call_id=tool.tool_call_id,
        parent=parent,
    )
