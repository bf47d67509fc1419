"""ADK's contents, requests and responses in the recorder's terms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from agentassert.token_usage import TokenUsage

CONFIRMATION: Final = "adk_request_confirmation"
"""The tool that ADK pretends to call where it asks a human."""
_OWN: Final = (CONFIRMATION, "adk_request_credential")


def parts_of(content: Any) -> list[Any]:
    """The parts of a content, which may be missing."""
    return list(getattr(content, "parts", None) or ())


def text_of(content: Any) -> str:
    """The text of a content, without the model's thoughts."""
    return "".join(part.text for part in parts_of(content) if part.text and not part.thought)


def all_calls_in(content: Any) -> list[Any]:
    """The calls in a content, those by which ADK asks a human included."""
    return [part.function_call for part in parts_of(content) if part.function_call]


def calls_in(content: Any) -> list[Any]:
    """The calls in a content that the model made."""
    return [call for call in all_calls_in(content) if call.name not in _OWN]


def responses_in(content: Any) -> list[Any]:
    """The answers to calls in a content."""
    return [part.function_response for part in parts_of(content) if part.function_response]


def given_in(message: Any) -> Any:
    """What a user says: text where it is nothing else."""
    return None if message is None else _joined([_piece(part) for part in parts_of(message)])


def request_of(call: Any) -> dict[str, Any]:
    """What one call asks for."""
    return {"name": call.name, "arguments": call.args or {}, "call_id": call.id}


def messages_sent(request: Any) -> list[dict[str, Any]]:
    """A request's messages as mappings with `role` and `content`, the instruction first."""
    instruction = _instruction(getattr(request.config, "system_instruction", None))
    sent = [{"role": "system", "content": instruction}] if instruction else []
    for content in request.contents:
        sent.extend(_mappings(content))
    return sent


def _instruction(given: Any) -> str:
    if given is None or isinstance(given, str):
        return given or ""
    if isinstance(given, (list, tuple)):
        return "\n".join(_instruction(one) for one in given)
    return text_of(given) or str(getattr(given, "text", None) or "")


def _mappings(content: Any) -> Iterator[dict[str, Any]]:
    for response in responses_in(content):
        yield {"role": "tool", "name": response.name, "tool_call_id": response.id, "content": response.response}
    said = [_piece(part) for part in parts_of(content) if not part.function_call and not part.function_response]
    requests = [request_of(call) for call in all_calls_in(content)]
    if said or requests:
        mapping = {"role": "assistant" if content.role == "model" else content.role, "content": _joined(said)}
        yield mapping | {"tool_calls": requests} if requests else mapping


def _piece(part: Any) -> Any:
    """A piece of what was said; of files, what tells one from another, not the bytes."""
    if part.text is not None:
        return part.text
    file = part.file_data or part.inline_data
    if file is None:
        return part.model_dump(mode="json", exclude_none=True)
    known = {"mime_type": file.mime_type, "uri": getattr(file, "file_uri", None)}
    return {"type": "file"} | {name: value for name, value in known.items() if value is not None}


def _joined(said: list[Any]) -> Any:
    return "".join(said) if all(isinstance(one, str) for one in said) else said


def tools_offered_by(request: Any) -> list[str]:
    """The names of the tools that a request offers, those that the provider runs included."""
    native = [
        name
        for tool in getattr(request.config, "tools", None) or ()
        for name, value in vars(tool).items()
        if value and name != "function_declarations"
    ]
    return [*request.tools_dict, *(name for name in native if name not in request.tools_dict)]


def usage_of(reported: Any) -> TokenUsage | None:
    """The tokens of a call: those that the provider's tools and the model's thoughts took are counted where they were read or written."""
    if reported is None or reported.prompt_token_count is None:
        return None
    read = reported.prompt_token_count + (getattr(reported, "tool_use_prompt_token_count", None) or 0)
    written = (reported.candidates_token_count or 0) + (getattr(reported, "thoughts_token_count", None) or 0)
    return TokenUsage(input_tokens=read, output_tokens=written, total_tokens=reported.total_token_count)
