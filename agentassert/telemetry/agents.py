"""What a span tells about a run of an agent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from agentassert.jsonlike import decode
from agentassert.records import NOT_RECORDED
from agentassert.telemetry.attributes import first, structured, text
from agentassert.telemetry.messages import Message, messages_in, received, sent, text_of
from agentassert.telemetry.spans import Span

_NAMES: Final = ("gen_ai.agent.name", "agent.name", "agent_name", "gen_ai.workflow.name", "traceloop.entity.name")
_HISTORIES: Final = ("pydantic_ai.all_messages", "all_messages_events", "all_messages")
_INPUTS: Final = ("input.value", "traceloop.entity.input")
_OUTPUTS: Final = ("final_result", "output.value", "traceloop.entity.output")


def name_of(span: Span) -> str:
    """The agent's name; that of the span where it has none.

    Example:
        >>> name_of(Span("1", "2", None, "invoke_agent clerk", attributes={"gen_ai.agent.name": "clerk"}))
        'clerk'
    """
    named = text(span.attributes, *_NAMES)
    if named is not None:
        return named
    head, _, rest = span.name.partition(" ")
    return rest if head in ("invoke_agent", "invoke_workflow") and rest else span.name


def input_of(span: Span) -> Any:
    """What the agent was given: the text of a single message, else the messages, or what its function was called with."""
    messages = sent(span) or _asked(structured(span.attributes, *_HISTORIES))
    if messages:
        given = [one for one in messages if one["role"] != "system"]
        alone = given[0]["content"] if len(given) == 1 and given[0]["role"] == "user" else None
        return given if alone is None else alone
    value = first(span.attributes, *_INPUTS)
    return decode(value) if isinstance(value, str) else value


def output_of(span: Span) -> tuple[Any, str | None]:
    """What the agent produced, and its final text where that is something else; `NOT_RECORDED` where the span holds no content."""
    value = first(span.attributes, *_OUTPUTS)
    if value is not None:
        value = decode(value) if isinstance(value, str) else value
        return value, _last_text(value.get("messages")) if isinstance(value, Mapping) else None
    answer = received(span) or _messages(structured(span.attributes, *_HISTORIES))
    if not answer:
        return NOT_RECORDED, None
    last = _last_text(answer)
    return last, last


def _asked(history: Any) -> list[Message]:
    """What a history begins with, up to the first answer."""
    messages = _messages(history)
    answers = [index for index, one in enumerate(messages) if one["role"] == "assistant"]
    return messages[: answers[0]] if answers else messages


def _messages(history: Any) -> list[Message]:
    return [] if history is None else list(messages_in(history))


def _last_text(messages: Any) -> str | None:
    if not isinstance(messages, Sequence) or isinstance(messages, str):
        return None
    said = [one for one in messages_in(messages) if one["role"] == "assistant"]
    return text_of(said[-1:]) or None if said else None
