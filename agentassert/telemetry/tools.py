"""What a span tells about a tool that ran."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, Final

import attrs

from agentassert.jsonlike import decode
from agentassert.recording.requests import key_of, parsed_arguments
from agentassert.telemetry.attributes import Attributes, first, structured, text
from agentassert.telemetry.faults import error_of, has_failed
from agentassert.telemetry.messages import messages_in
from agentassert.telemetry.roles import tool_in_name
from agentassert.telemetry.spans import Span

_NAMES: Final = ("gen_ai.tool.name", "tool.name", "traceloop.entity.name")
_CALL_IDS: Final = ("gen_ai.tool.call.id", "tool_call.id", "tool.id")
_ARGUMENTS: Final = ("gen_ai.tool.call.arguments", "tool_arguments", "gcp.vertex.agent.tool_call_args")
_RESULTS: Final = ("gen_ai.tool.call.result", "tool_response", "gcp.vertex.agent.tool_response")
_WRAPPED: Final = frozenset({"args", "kwargs", "sanitize_inputs_outputs"})


@attrs.frozen
class ToolFacts:
    """What is known of a tool execution; `None` where the span does not say.

    Args:
        name: the tool's name.
        call_id: of the request that it answers.
        arguments: a mapping, or the text as it was written.
        result: what it gave back; `has_result` tells a missing one from one that is `None`.
        error: why it failed, if it did.
    """

    name: str
    call_id: str | None = None
    arguments: Any = None
    result: Any = None
    has_result: bool = False
    error: BaseException | str | None = None

    @functools.cached_property
    def arguments_key(self) -> str | None:
        """The same for the same arguments; `None` for what is no mapping, or is not told."""
        parsed = parsed_arguments(self.arguments)
        return None if parsed is None else key_of(parsed)

    def may_be(self, other: ToolFacts) -> bool:
        """Whether both may tell of one execution: their ids agree, else nothing that both of them know differs."""
        if self.name != other.name:
            return False
        if self.call_id and other.call_id:
            return self.call_id == other.call_id
        mine, theirs = self.arguments_key, other.arguments_key
        return mine is None or theirs is None or mine == theirs


def tool_facts(span: Span) -> ToolFacts:
    """What the span tells.

    Example:
        >>> span = Span("1", "2", None, "look", attributes={"input.value": '{"q": "x"}', "output.value": "3"})
        >>> facts = tool_facts(span)
        >>> facts.name, facts.arguments, facts.result
        ('look', {'q': 'x'}, '3')
    """
    attributes = span.attributes
    name = text(attributes, *_NAMES) or tool_in_name(span) or span.name
    result, has_result, call_id, soft_failure = _result(span)
    failed = has_failed(span) or text(attributes, "gen_ai.tool.status") == "error"
    error = error_of(span) if failed else soft_failure
    call_id = text(attributes, *_CALL_IDS) or call_id
    return ToolFacts(name, call_id, _arguments(span), result, has_result, error)


def _arguments(span: Span) -> Any:
    given = first(span.attributes, *_ARGUMENTS)
    if given is None:
        given = _from_event(span, "gen_ai.tool.message", "content")
    if given is not None:
        return given
    given = first(span.attributes, "input.value", "traceloop.entity.input")
    return _parameters(span.attributes) if given is None else _unwrapped(given, span.attributes)


def _unwrapped(given: Any, attributes: Attributes) -> Any:
    """The arguments in what was given to the function that runs the tool."""
    value = decode(given) if isinstance(given, str) else given
    if not isinstance(value, Mapping):
        return _by_schema(given, attributes)
    if isinstance(value.get("inputs"), Mapping) and "traceloop.entity.input" in attributes:
        value = value["inputs"]
    if isinstance(value.get("kwargs"), Mapping) and value.keys() <= _WRAPPED and not value.get("args"):
        return value["kwargs"]
    return value


def _by_schema(given: Any, attributes: Attributes) -> Any:
    """LangChain gives a tool of one argument that argument alone."""
    schema = structured(attributes, "tool.parameters")
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    return {next(iter(properties)): given} if isinstance(properties, Mapping) and len(properties) == 1 else given


def _parameters(attributes: Attributes) -> Any:
    """Some writers put the arguments where others put their schema."""
    given = structured(attributes, "tool.parameters")
    return None if not isinstance(given, Mapping) or "properties" in given else given


def _result(span: Span) -> tuple[Any, bool, str | None, str | None]:
    """The result, whether there is one, and the call id and the failure that LangChain's message about it tells."""
    given = first(span.attributes, *_RESULTS)
    if given is None:
        given = _from_event(span, "gen_ai.choice", "message")
    if given is not None:
        return given, True, None, None
    given = first(span.attributes, "output.value", "traceloop.entity.output")
    value = decode(given) if isinstance(given, str) else given
    if not isinstance(value, Mapping) or not _is_tool_message(value):
        return given, given is not None, None, None
    message = next(iter(messages_in(value)))
    content = message["content"]
    return content, True, message.get("tool_call_id"), str(content) if message.get("status") == "error" else None


def _is_tool_message(value: Mapping[str, Any]) -> bool:
    inner = value.get("data")
    return value.get("type") == "tool" and isinstance(inner, Mapping) and "tool_call_id" in inner


def _from_event(span: Span, name: str, key: str) -> Any:
    return next((event.attributes[key] for event in span.events if event.name == name and key in event.attributes), None)
