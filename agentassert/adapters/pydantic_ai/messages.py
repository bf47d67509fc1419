"""Pydantic AI's messages and responses in the recorder's terms.

Parts are told by the kind that each of them names, so that those of later versions pass through.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from agentassert.records import FinishReason
from agentassert.token_usage import TokenUsage

_ROLES: Final = {"system-prompt": "system", "user-prompt": "user", "tool-return": "tool"}
_FED_BACK: Final = ("retry-prompt", "retry-feedback")


def messages_sent(request: Any) -> list[dict[str, Any]]:
    """A request's messages as mappings with `role` and `content`, the instructions first, as providers are sent them."""
    instructions = _instructions(request)
    sent = [{"role": "system", "content": instructions}] if instructions else []
    for message in request.messages:
        sent.extend(_response_mapping(message) if message.kind == "response" else _request_mappings(message))
    return sent


def _instructions(request: Any) -> str | None:
    parts = request.model_request_parameters.instruction_parts
    if parts is not None:
        return "\n\n".join(part.content for part in parts)
    last = next((message for message in reversed(request.messages) if message.kind == "request"), None)
    return None if last is None else last.instructions


def _request_mappings(message: Any) -> Iterator[dict[str, Any]]:
    for part in message.parts:
        kind = part.part_kind
        if kind in _FED_BACK:
            yield _fed_back(part)
        elif kind in _ROLES:
            mapping: dict[str, Any] = {"role": _ROLES[kind], "content": _content(part)}
            if kind == "tool-return":
                failed = getattr(part, "outcome", "success") not in ("success", "denied")
                mapping |= _answering(part, "error" if failed else "success")
            yield mapping


def _fed_back(part: Any) -> dict[str, Any]:
    """What a model is told that has to try again, about a tool or about its answer."""
    if getattr(part, "tool_name", None) is None:
        return {"role": "user", "content": part.model_response()}
    return {"role": "tool", "content": part.model_response()} | _answering(part, "error")


def _answering(part: Any, status: str) -> dict[str, Any]:
    return {"name": part.tool_name, "tool_call_id": part.tool_call_id, "status": status}


def _content(part: Any) -> Any:
    if part.part_kind == "tool-return":
        return part.model_response_str()
    return part.content if isinstance(part.content, str) else [_content_mapping(one) for one in part.content]


def _content_mapping(content: Any) -> dict[str, Any]:
    """A piece of what a user sent; of files, what tells one from another, not the bytes."""
    if isinstance(content, str):
        return {"type": "text", "text": content}
    kind = str(getattr(content, "kind", type(content).__name__))
    if isinstance(getattr(content, "content", None), str):
        return {"type": "text", "text": content.content}
    known = {name: getattr(content, name, None) for name in ("url", "media_type", "identifier")}
    return {"type": kind} | {name: value for name, value in known.items() if isinstance(value, str)}


def _response_mapping(message: Any) -> list[dict[str, Any]]:
    mapping: dict[str, Any] = {"role": "assistant", "content": text_of(message)}
    requests = [request_of(part) for part in calls_in(message)]
    return [mapping | {"tool_calls": requests} if requests else mapping]


def text_of(response: Any) -> str:
    """The text of a response."""
    return "".join(part.content for part in response.parts if part.part_kind == "text")


def calls_in(response: Any) -> list[Any]:
    """The parts of a response that ask for tools, those that produce the output included."""
    return [part for part in response.parts if part.part_kind == "tool-call"]


def request_of(call: Any) -> dict[str, Any]:
    """What one such part asks for; arguments that are no JSON object stay the text they are."""
    return {"name": call.tool_name, "arguments": arguments_of(call), "call_id": call.tool_call_id}


def arguments_of(call: Any) -> Any:
    """The arguments as the model sent them: a mapping, or JSON text."""
    return {} if call.args is None else call.args


def last_response(messages: Iterable[Any]) -> Any:
    """The last response among messages, or `None`."""
    return next((one for one in reversed(list(messages)) if one.kind == "response"), None)


def response_of(response: Any, parameters: Any) -> dict[str, Any]:
    """What `ModelCallEvent.respond` takes. A call of an output tool is the answer in another form, and asks for no execution."""
    outputs = {tool.name for tool in parameters.output_tools}
    return {
        "text": text_of(response),
        "finish_reason": _finish_reason(response),
        "usage": _usage(response.usage),
        "requests": [request_of(call) for call in calls_in(response) if call.tool_name not in outputs],
    }


def _finish_reason(response: Any) -> str | None:
    """The provider's own word where it is a known one, else Pydantic AI's word for it."""
    details = response.provider_details
    own = details.get("finish_reason") if isinstance(details, Mapping) else None
    if isinstance(own, str) and (FinishReason.from_provider(own) is not FinishReason.OTHER or response.finish_reason is None):
        return own
    return None if response.finish_reason is None else str(response.finish_reason)


def _usage(reported: Any) -> TokenUsage | None:
    if not reported.input_tokens and not reported.output_tokens:
        return None  # zeros are what Pydantic AI fills in where a provider reports nothing
    return TokenUsage(
        input_tokens=reported.input_tokens, output_tokens=reported.output_tokens, total_tokens=reported.total_tokens
    )


def tools_offered_by(parameters: Any) -> list[str]:
    """The names of the tools that a request offers, those that the provider runs included, those for the output left out."""
    fields = vars(parameters)  # where a field has been renamed, asking for it by its old name warns
    native = fields.get("native_tools", fields.get("builtin_tools", ()))
    return [*(tool.name for tool in parameters.function_tools), *(str(tool.kind) for tool in native)]
