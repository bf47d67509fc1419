"""Items of OpenAI's Responses API: what a request sends, and what a response consists of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from agentassert.adapters.openai_api.responses import answer, opening
from agentassert.adapters.stainless.fields import field
from agentassert.storing.message_parts import (
    Part,
    need_absent,
    need_content,
    need_name,
    need_one_of,
    need_text,
    refuse,
    results_in,
)

_ROLES: Final = ("system", "developer", "user", "assistant")
_PARTS: Final = ("input_text", "input_image", "input_file", "input_audio", "output_text", "refusal")
_OF_MODEL: Final = (
    "reasoning",
    "function_call",
    "custom_tool_call",
    "apply_patch_call",
    "code_interpreter_call",
    "compaction",
    "computer_call",
    "file_search_call",
    "image_generation_call",
    "local_shell_call",
    "mcp_approval_request",
    "mcp_call",
    "mcp_list_tools",
    "program",
    "shell_call",
    "tool_search_call",
    "web_search_call",
)
_OF_PROGRAM: Final = (
    "function_call_output",
    "custom_tool_call_output",
    "additional_tools",
    "apply_patch_call_output",
    "compaction_trigger",
    "computer_call_output",
    "configuration_update",
    "item_reference",
    "local_shell_call_output",
    "mcp_approval_response",
    "program_output",
    "shell_call_output",
    "tool_search_output",
)
_NAMED: Final = ("function_call", "custom_tool_call")
_ANSWERS: Final = ("function_call_output", "custom_tool_call_output", "computer_call_output", "apply_patch_call_output")
_STAND_INS: Final = ("item_reference", "compaction")
_MESSAGE: Final = "message"


def look(item: Any) -> None:
    """Refuse an item that is none of these.

    Raises:
        MisfitError: naming the key.
    """
    kind = field(item, "type")
    if kind is None or kind == _MESSAGE:
        need_one_of(item, "role", _ROLES)
        need_content(item, _PARTS)
        need_absent(item, "tool_calls", "function_call", "tool_call_id")
        return
    need_one_of(item, "type", (_MESSAGE, *_OF_MODEL, *_OF_PROGRAM))
    if kind in _NAMED:
        need_name(item)
        need_text(item, "call_id")
    if kind in _ANSWERS:
        need_text(item, "call_id")
        if field(item, "output") is None:
            refuse("output", "a text or a list of parts", None)


def parts(items: Sequence[Any]) -> Iterator[Part]:
    """What each response tells, whose items follow one another, and each item that is sent."""
    response: list[Any] = []
    for item in items:
        if _is_of_model(item):
            response.append(item)
            continue
        if response:
            yield _response(response)
            response = []
        opened = opening({"input": [item]})
        yield Part(inputs=opened.inputs, results=results_in(opened), is_stand_in=_is_stand_in(item))
    if response:
        yield _response(response)


def _is_of_model(item: Any) -> bool:
    return field(item, "type") in _OF_MODEL or field(item, "role") == "assistant"


def _is_stand_in(item: Any) -> bool:
    return field(item, "type") in _STAND_INS


def _response(items: list[Any]) -> Part:
    return Part(
        inputs=opening({"input": items}).inputs,
        answer=answer({"output": [_written_out(item) for item in items]}),
        is_stand_in=any(map(_is_stand_in, items)),
    )


def _written_out(item: Any) -> Any:
    """A message in its short form, whose content is a text, in the form that a response has."""
    content = field(item, "content")
    if field(item, "role") is None or not isinstance(content, str):
        return item if field(item, "type") is not None else {"type": _MESSAGE, "role": "assistant", "content": content}
    return {"type": _MESSAGE, "role": "assistant", "content": [{"type": "output_text", "text": content}]}
