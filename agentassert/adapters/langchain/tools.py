"""Tools: what they are given and what they give back, on all versions of LangChain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from agentassert.adapters.langchain.approvals import Question
from agentassert.adapters.langchain.messages import field, text_of, tool_message_of
from agentassert.recording.events import ToolEvent

_FRAMEWORKS: Final = ("langchain", "langchain_core", "langgraph")
_STATE: Final = ("messages", "configurable", "callbacks")


def arguments_of(inputs: Any, text: str, *, filtered: bool) -> Any:
    """The arguments as the model sent them.

    Args:
        inputs: as LangChain reports them; no mapping where the tool was called with a text.
        text: what it was called with then.
        filtered: whether LangChain left out what it injects itself. Before 1.3 it does not.
    """
    if not isinstance(inputs, Mapping):
        return text
    return inputs if filtered else {name: value for name, value in inputs.items() if not _is_injected(value)}


def _is_injected(value: Any) -> bool:
    """Told by the value: any parameter may be injected into, and a tool may well have one of its own that is named `state`."""
    if type(value).__module__.partition(".")[0] in _FRAMEWORKS:
        return True
    return isinstance(value, Mapping) and any(key in value for key in _STATE)


def request_in(inputs: Any) -> Question | None:
    """The request that LangGraph's tool node was given to answer, where it gets one at a time."""
    request = inputs.get("tool_call") if isinstance(inputs, Mapping) else None
    if not isinstance(request, Mapping) or "name" not in request:
        return None
    return Question(request["name"], request.get("args"), request.get("id"))


def end_tool(event: ToolEvent, output: Any) -> None:
    """End a tool that did not raise: whether it failed stands in the message to the model."""
    message = tool_message_of(output, event.call_id)
    if message is None:
        event.succeed(output)
        return
    if event.call_id is None:
        event.call_id = message.tool_call_id
    if field(message, "status") == "error":
        event.fail(text_of(message.content), message.content)
    else:
        event.succeed(message.content, output)
