"""LangChain's messages, responses and documents in the recorder's terms.

Nothing of LangChain is imported: every class is told by the fields that all its versions have.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from agentassert.records import Source
from agentassert.token_usage import TokenUsage

_ROLES: Final = {"human": "user", "ai": "assistant", "AIMessageChunk": "assistant", "chat": "user"}
_FINISH_REASONS: Final = ("finish_reason", "stop_reason", "finishReason", "stopReason", "done_reason")
_MODEL_NAMES: Final = ("model", "model_name", "model_id")


def field(value: Any, name: str) -> Any:
    """A field of whatever an agent or a tool gives back, whose attributes may raise; `None` where there is none."""
    try:
        return getattr(value, name, None)
    except Exception:
        return None


def is_message(value: Any) -> bool:
    """Whether `value` is one of LangChain's messages."""
    fields = field(value, "type"), field(value, "content"), field(value, "additional_kwargs")
    return isinstance(fields[0], str) and isinstance(fields[1], (str, list)) and isinstance(fields[2], dict)


def message_mapping(message: Any) -> dict[str, Any]:
    """A message as `role` and `content`, and what else it carries for the model."""
    kind = message.type
    mapping = {"role": getattr(message, "role", None) or _ROLES.get(kind, kind), "content": message.content}
    if message.name is not None:
        mapping["name"] = message.name
    requests = requests_of(message)
    if requests:
        mapping["tool_calls"] = requests
    call_id = getattr(message, "tool_call_id", None)
    if call_id is not None:
        mapping["tool_call_id"] = call_id
        mapping["status"] = getattr(message, "status", "success")
    return mapping


def text_of(content: Any) -> str:
    """The text of a message's content, which is a text or a list of texts and typed blocks."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "".join(part if isinstance(part, str) else _block_text(part) for part in parts)


def _block_text(block: Any) -> str:
    text = block.get("text") if isinstance(block, Mapping) and block.get("type") == "text" else None
    return text if isinstance(text, str) else ""


def requests_of(message: Any) -> list[dict[str, Any]]:
    """The tool executions that a message asks for; arguments that are no JSON object stay the text they are."""
    calls = [*(getattr(message, "tool_calls", None) or ()), *(getattr(message, "invalid_tool_calls", None) or ())]
    return [{"name": call["name"], "arguments": call["args"], "call_id": call["id"]} for call in calls]


def response_of(result: Any) -> dict[str, Any]:
    """What `ModelCallEvent.respond` takes, from the result of one request."""
    generation = _generation(result)
    message = getattr(generation, "message", None)
    if message is None:
        reported = (result.llm_output or {}).get("token_usage")
        return {"text": getattr(generation, "text", None), "usage": _usage(reported)}
    reported = (
        message.usage_metadata if getattr(message, "usage_metadata", None) else (result.llm_output or {}).get("token_usage")
    )
    # A response out of LangChain's cache is marked by nothing but costs of zero; the usage beside them was another call's.
    cached = isinstance(reported, Mapping) and reported.get("total_cost") == 0
    return {
        "text": text_of(message.content),
        "finish_reason": _finish_reason(message.response_metadata, generation.generation_info or {}),
        "usage": None if cached else _usage(reported),
        "requests": requests_of(message),
        "cached": cached,
    }


def _generation(result: Any) -> Any:
    return next((one for batch in result.generations for one in batch), None)


def _finish_reason(*reported: Mapping[str, Any]) -> str | None:
    found = (metadata[key] for metadata in reported for key in _FINISH_REASONS if metadata.get(key))
    reason = next(found, None)
    return None if reason is None else str(getattr(reason, "value", reason))


def _usage(reported: Any) -> TokenUsage | None:
    if not isinstance(reported, Mapping):
        return None
    read = _count(reported, "input_tokens", "prompt_tokens")
    written = _count(reported, "output_tokens", "completion_tokens")
    total = _count(reported, "total_tokens")
    if read is None and written is None and total is None:
        return None
    return TokenUsage(input_tokens=read, output_tokens=written, total_tokens=total)


def _count(reported: Mapping[str, Any], *keys: str) -> int | None:
    values = (reported.get(key) for key in keys)
    return next((value for value in values if type(value) is int and value >= 0), None)


def model_of(params: Mapping[str, Any], metadata: Mapping[str, Any]) -> str | None:
    """The model's name as requested; `params` are the request's own, `metadata` what LangChain says about them."""
    named = (params.get(key) for key in _MODEL_NAMES)
    return next((name for name in (*named, metadata.get("ls_model_name")) if isinstance(name, str)), None)


def responding_model(result: Any) -> str | None:
    """The model's name as the response tells it."""
    metadata = getattr(getattr(_generation(result), "message", None), "response_metadata", None) or {}
    return model_of(metadata, {})


def tools_offered_by(params: Mapping[str, Any]) -> list[str] | None:
    """The names of the tools that a request offers, in any provider's notation; `None` when it does not say."""
    tools = params.get("tools", params.get("functions"))
    if not isinstance(tools, Sequence) or isinstance(tools, str):
        return None
    return [name for name in map(_tool_name, tools) if name is not None]


def _tool_name(tool: Any) -> str | None:
    if not isinstance(tool, Mapping):
        return getattr(tool, "name", None)
    for place in (tool.get("function"), tool.get("toolSpec"), tool):
        name = place.get("name") if isinstance(place, Mapping) else None
        if isinstance(name, str):
            return name
    kind = tool.get("type")
    return kind if isinstance(kind, str) else None


def sources_of(documents: Iterable[Any]) -> list[Source]:
    """Retrieved documents as sources."""
    return [Source(text=one.page_content, metadata=dict(one.metadata), score=_score(one.metadata)) for one in documents]


def _score(metadata: Mapping[str, Any]) -> float | None:
    scores = (metadata.get(key) for key in ("score", "relevance_score", "_score"))
    return next((float(score) for score in scores if isinstance(score, (int, float)) and not isinstance(score, bool)), None)


def output_text_of(output: Any) -> str | None:
    """The final text of what a run produced: of a message, or of the last message of the model in a state that holds messages."""
    if isinstance(output, str):
        return output
    if is_message(output):
        return text_of(output.content)
    messages = output.get("messages") if isinstance(output, Mapping) else field(output, "messages") or output
    if not isinstance(messages, list):
        return None
    answers = [one for one in messages if is_message(one) and _ROLES.get(one.type) == "assistant"]
    return text_of(answers[-1].content) if answers else None


def last_requests_in(state: Any) -> list[dict[str, Any]]:
    """What the last message of the model in a state asks for."""
    messages = state.get("messages") if isinstance(state, Mapping) else None
    if not isinstance(messages, list):
        return []
    answers = [one for one in messages if is_message(one) and _ROLES.get(one.type) == "assistant"]
    return requests_of(answers[-1]) if answers else []


def tool_messages_in(output: Any) -> list[Any]:
    """The messages of tools in what a tool gives back: such a message, a command that carries some, or a list of those."""
    if isinstance(output, list):
        return [message for one in output for message in tool_messages_in(one)]
    if isinstance(field(output, "tool_call_id"), str):
        return [output]
    update = field(output, "update")
    carried = update.get("messages") if isinstance(update, Mapping) else None
    messages = carried if isinstance(carried, list) else [carried]
    return [one for one in messages if isinstance(field(one, "tool_call_id"), str)]


def tool_message_of(output: Any, call_id: str | None) -> Any:
    """The message that tells the model a tool's result, where its output holds one.

    A message that answers another call counts only as one of several that all report failures: then the tool failed, whatever ids
    it gave them.
    """
    candidates = tool_messages_in(output)
    if any(output is one for one in candidates):
        return output
    answer = next((one for one in candidates if call_id in (None, one.tool_call_id)), None)
    if answer is None and candidates and all(field(one, "status") == "error" for one in candidates):
        return candidates[0]
    return answer
