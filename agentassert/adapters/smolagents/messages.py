"""What smolagents sends to models, and what comes back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from agentassert.jsonlike import decode
from agentassert.token_usage import TokenUsage

FINAL_ANSWER: Final = "final_answer"
"""The tool by which an agent answers: a call of it is the answer in another form, and asks for no execution."""

_ROLES: Final = {"tool-call": "assistant", "tool-response": "tool"}


def messages_sent(messages: Sequence[Any]) -> list[dict[str, Any]]:
    """The messages of a request."""
    return [_mapping(message if isinstance(message, Mapping) else vars(message)) for message in messages]


def _mapping(message: Mapping[str, Any]) -> dict[str, Any]:
    role = str(getattr(message["role"], "value", message["role"]))
    return {"role": _ROLES.get(role, role), "content": _content(message.get("content"))}


def _content(content: Any) -> Any:
    if not isinstance(content, list):
        return content
    if all(part.get("type") == "text" for part in content):
        return "\n".join(part["text"] for part in content)
    return [part if part.get("type") == "text" else {"type": part.get("type")} for part in content]


def requests_in(message: Any) -> list[dict[str, Any]]:
    """What a response asks for; arguments that arrived as text stay so, and none are an empty mapping, as the tool gets it."""
    return [
        {"name": call.function.name, "arguments": call.function.arguments or {}, "call_id": call.id or None}
        for call in message.tool_calls or ()
        if call.function.name != FINAL_ANSWER
    ]


def response_of(message: Any) -> dict[str, Any]:
    """What `ModelCallEvent.respond` takes."""
    return {
        "text": _content(message.content) or _answer_in(message),
        "finish_reason": _finish_reason(message.raw),
        "usage": _usage(message.token_usage),
        "requests": requests_in(message),
    }


def _answer_in(message: Any) -> str | None:
    """The text that an agent's last response gives to the tool by which it answers."""
    for call in message.tool_calls or ():
        if call.function.name == FINAL_ANSWER:
            given = call.function.arguments
            arguments = decode(given) if isinstance(given, str) else given
            answer = arguments.get("answer") if isinstance(arguments, Mapping) else arguments
            return answer if isinstance(answer, str) else None
    return None


def _finish_reason(raw: Any) -> str | None:
    """The provider's word, where the model keeps what the provider sent: OpenAI and those like it, or Bedrock."""
    choices = getattr(raw, "choices", None)
    if choices:
        return getattr(choices[0], "finish_reason", None)
    return raw.get("stopReason") if isinstance(raw, Mapping) else None


def _usage(reported: Any) -> TokenUsage | None:
    if reported is None or not (reported.input_tokens or reported.output_tokens):
        return None  # zeros are what the pieces of a stream add up to where none of them reports any
    return TokenUsage(input_tokens=reported.input_tokens, output_tokens=reported.output_tokens)
