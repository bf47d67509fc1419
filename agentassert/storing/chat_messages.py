"""Messages of OpenAI's chat completions, which many other services understand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from agentassert.adapters.openai_api.chat import answer, opening
from agentassert.adapters.stainless.fields import field
from agentassert.storing.message_parts import (
    Part,
    foreign,
    need_absent,
    need_content,
    need_each,
    need_name,
    need_one_of,
    need_text,
    refuse,
    results_in,
)

_ROLES: Final = ("system", "developer", "user", "assistant", "tool", "function")
_PARTS: Final = ("text", "image_url", "input_audio", "file", "refusal")
_ONLY_ASSISTANT: Final = ("tool_calls", "function_call")


def look(message: Any) -> None:
    """Refuse a message that is none of these.

    Raises:
        MisfitError: naming the key.
    """
    if field(message, "type") is not None:
        raise foreign("type")
    need_one_of(message, "role", _ROLES)
    role = field(message, "role")
    if role == "assistant":
        look_at_requests(message)
    else:
        need_absent(message, *_ONLY_ASSISTANT)
    if role == "tool":
        need_text(message, "tool_call_id")
    if field(message, "content") is not None or not _may_be_silent(message):
        need_content(message, _PARTS)


def look_at_requests(message: Any, inside: str = "") -> None:
    """Refuse a message that asks for tools in another way; `inside` is the key of the message itself."""
    need_each(message, "tool_calls", _look_at_call, inside)
    if field(message, "function_call") is not None:
        _look_at_function(field(message, "function_call"), f"{inside}function_call.")


def parts(messages: Sequence[Any]) -> Iterator[Part]:
    """What each message tells."""
    for message in messages:
        opened = opening({"messages": [message]})
        said = answer({"choices": [{"message": message}]}) if field(message, "role") == "assistant" else None
        yield Part(inputs=opened.inputs, results=results_in(opened), answer=said)


def _may_be_silent(message: Any) -> bool:
    """Whether it need not have a content: it says, or asks for, something in another place."""
    if field(message, "role") == "function":
        return True
    return any(field(message, name) is not None for name in (*_ONLY_ASSISTANT, "refusal", "audio"))


def _look_at_call(call: Any, inside: str) -> None:
    if field(call, "custom") is not None:
        need_name(field(call, "custom"), f"{inside}custom.")
        return
    function = field(call, "function")
    if function is None:
        refuse(f"{inside}function", "an object", None)
    _look_at_function(function, f"{inside}function.")


def _look_at_function(function: Any, inside: str) -> None:
    need_name(function, inside)
    arguments = field(function, "arguments")
    if arguments is not None and not isinstance(arguments, (str, dict)):
        refuse(f"{inside}arguments", "JSON text or an object", arguments)
