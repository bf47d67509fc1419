"""Messages of Anthropic: a text, or a list of typed blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from agentassert.adapters.anthropic_sdk.messages import answer, opening
from agentassert.adapters.stainless.fields import field, listed
from agentassert.storing.message_parts import (
    MisfitError,
    Part,
    foreign,
    need_absent,
    need_each,
    need_name,
    need_one_of,
    need_text,
    refuse,
    results_in,
)

_ROLES: Final = ("user", "assistant", "system")
_BLOCKS: Final = (
    "text",
    "tool_use",
    "tool_result",
    "compaction",
    "container_upload",
    "document",
    "fallback",
    "image",
    "mcp_tool_listing",
    "mcp_tool_use",
    "redacted_thinking",
    "search_result",
    "server_tool_use",
    "thinking",
)
_HOSTED_RESULT: Final = "_tool_result"
_ASKING, _ANSWERING, _SUMMARY = "tool_use", "tool_result", "compaction"


def look(message: Any) -> None:
    """Refuse a message that is none of these.

    Raises:
        MisfitError: naming the key.
    """
    if field(message, "type") not in (None, "message"):
        raise foreign("type")
    need_one_of(message, "role", _ROLES)
    need_absent(message, "tool_calls", "function_call", "tool_call_id")
    content = field(message, "content")
    if isinstance(content, str):
        return
    if not isinstance(content, (list, tuple)):
        refuse("content", "a text or a list of blocks", content)
    by_model = field(message, "role") == "assistant"
    need_each(message, "content", lambda block, inside: _look_at_block(block, inside, by_model=by_model))


def parts(messages: Sequence[Any]) -> Iterator[Part]:
    """What each message tells."""
    for message in messages:
        opened = opening({"messages": [message]})
        if field(message, "role") != "assistant":
            yield Part(inputs=opened.inputs, results=results_in(opened))
            continue
        model = field(message, "model")
        yield Part(
            inputs=opened.inputs,
            answer=answer(_written_out(message)),
            model=model if isinstance(model, str) else None,
            is_stand_in=any(field(block, "type") == _SUMMARY for block in listed(message, "content")),
        )


def _look_at_block(block: Any, inside: str, *, by_model: bool) -> None:
    kind = field(block, "type")
    if not (isinstance(kind, str) and kind.endswith(_HOSTED_RESULT)):
        need_one_of(block, "type", _BLOCKS, inside)
    if kind == (_ANSWERING if by_model else _ASKING):
        raise MisfitError(
            f"{inside}type", f"{kind!r} does not belong into a message of {'the assistant' if by_model else 'the user'}"
        )
    if kind == _ASKING:
        need_name(block, inside)
        need_text(block, "id", inside)
    elif kind == _ANSWERING:
        need_text(block, "tool_use_id", inside)
        flag = field(block, "is_error")
        if flag is not None and not isinstance(flag, bool):
            refuse(f"{inside}is_error", "true or false", flag)


def _written_out(message: Any) -> Any:
    """A message whose content is a text, in the form that a response has."""
    content = field(message, "content")
    return {"content": [{"type": "text", "text": content}]} if isinstance(content, str) else message
