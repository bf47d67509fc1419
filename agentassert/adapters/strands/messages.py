"""Strands' messages and results in the recorder's terms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from agentassert.token_usage import TokenUsage


def text_of(message: Any) -> str:
    """The text of a message, without the model's thoughts."""
    return "".join(_texts(message.get("content") or ()))


def _texts(blocks: Iterable[Any]) -> Iterator[str]:
    for block in blocks:
        if block.get("text") is not None:
            yield block["text"]
        elif "citationsContent" in block:
            yield from _texts(block["citationsContent"].get("content") or ())


def given_in(prompt: Any) -> Any:
    """What an agent is told: text where it is nothing else."""
    if not isinstance(prompt, list):
        return prompt
    if all(isinstance(one, Mapping) and "role" in one for one in prompt):
        return [mapping for message in prompt for mapping in _mappings(message)]
    return _joined([_piece(block) for block in prompt])


def messages_sent(system_prompt: Any, messages: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """A request's messages as mappings with `role` and `content`, the system's first."""
    sent = [{"role": "system", "content": system_prompt}] if system_prompt else []
    for message in messages:
        sent.extend(_mappings(message))
    return sent


def _mappings(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    blocks = message.get("content") or ()
    for result in (block["toolResult"] for block in blocks if "toolResult" in block):
        call_id = result.get("toolUseId") if isinstance(result, Mapping) else None
        yield {"role": "tool", "tool_call_id": call_id, "content": result_of(result)}
    said = [_piece(block) for block in blocks if "toolUse" not in block and "toolResult" not in block]
    requests = [request_of(block["toolUse"]) for block in blocks if "toolUse" in block]
    if said or requests:
        mapping = {"role": message["role"], "content": _joined(said)}
        yield mapping | {"tool_calls": requests} if requests else mapping


def _piece(block: Any) -> Any:
    """A piece of what was said; of files, what tells one from another, not the bytes."""
    if not isinstance(block, Mapping) or "text" in block:
        return block["text"] if isinstance(block, Mapping) else block
    kind, content = next(iter(block.items()), ("", None))
    if isinstance(content, Mapping) and "source" in content:
        return {"type": kind} | {name: content[name] for name in ("format", "name") if name in content}
    return dict(block)


def _joined(said: Sequence[Any]) -> Any:
    return "".join(said) if all(isinstance(one, str) for one in said) else list(said)


def request_of(use: Mapping[str, Any], arguments: str = "") -> dict[str, Any]:
    """What one block asks for; `arguments` is the text by which the model gave them."""
    return {"name": use["name"], "arguments": arguments or use.get("input") or {}, "call_id": use.get("toolUseId")}


def requests_in(message: Mapping[str, Any], arguments: Sequence[str]) -> list[dict[str, Any]]:
    """The tools that a response asks for."""
    uses = [block["toolUse"] for block in message.get("content") or () if "toolUse" in block]
    texts = arguments if len(arguments) == len(uses) else [""] * len(uses)
    return [request_of(use, text) for use, text in zip(uses, texts, strict=True)]


def answer_in(chunks: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """What a model's own stream says, in the words of `ModelCallEvent.respond`."""
    texts: list[str] = []
    uses: list[tuple[Mapping[str, Any], list[str]]] = []
    reason, usage = None, None
    for chunk in chunks:
        started = (chunk.get("contentBlockStart") or {}).get("start") or {}
        delta = (chunk.get("contentBlockDelta") or {}).get("delta") or {}
        if "toolUse" in started:
            uses.append((started["toolUse"], []))
        elif "toolUse" in delta and uses:
            uses[-1][1].append(delta["toolUse"].get("input") or "")
        elif delta.get("text"):
            texts.append(delta["text"])
        reason = (chunk.get("messageStop") or {}).get("stopReason", reason)
        usage = (chunk.get("metadata") or {}).get("usage", usage)
    requests = [request_of(use, "".join(pieces)) for use, pieces in uses]
    return {"text": "".join(texts), "finish_reason": reason, "usage": usage and usage_of(usage), "requests": requests}


def result_of(result: Any) -> Any:
    """What a tool gave: the text or the data itself, where it gave one of them; whatever it is, where it is no result of Strands'."""
    if not isinstance(result, Mapping):
        return result
    given = [
        block["json"] if isinstance(block, Mapping) and "json" in block else _piece(block)
        for block in result.get("content") or ()
    ]
    return given[0] if len(given) == 1 else given


def usage_of(usage: Mapping[str, Any]) -> TokenUsage | None:
    """The tokens of a call, of which Strands makes zeros where a model reports none.

    What was read includes what a cache gave: providers that count that apart report a total above the sum of the two.
    """
    read, written, total = (usage.get(name) or 0 for name in ("inputTokens", "outputTokens", "totalTokens"))
    if not (read or written or total):
        return None
    if read + written != total:
        read += sum(usage.get(name) or 0 for name in ("cacheReadInputTokens", "cacheWriteInputTokens"))
    return TokenUsage(input_tokens=read, output_tokens=written)
