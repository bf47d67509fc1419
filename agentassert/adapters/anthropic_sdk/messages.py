"""Messages, whose content is a text or a list of typed blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from agentassert.adapters.anthropic_sdk.hosted import hosted_in
from agentassert.adapters.stainless.fields import digest, field, id_of, listed, names_of, text_in, usage_of
from agentassert.adapters.stainless.routes import Answer, Opening
from agentassert.jsonlike import snapshot
from agentassert.recording.exchanges import Exchange, Sent, SentRequest, SentResult
from agentassert.token_usage import TokenUsage


def opening(body: Mapping[str, Any]) -> Opening:
    """What a request asks."""
    system, messages = body.get("system"), listed(body, "messages")
    return Opening(
        inputs=[
            *([{"role": "system", "content": system}] if system else ()),
            *(mapping for message in messages for mapping in _mappings(message)),
        ],
        tools_offered=names_of(listed(body, "tools")),
        exchange=Exchange(sent=tuple(_sent(message) for message in messages)),
    )


def _sent(message: Any) -> Sent:
    blocks = listed(message, "content")
    results = [
        # Without the flag, a result means by the API's own rule that there was no error.
        SentResult(
            id_of(block, "tool_use_id"), snapshot(text_in(field(block, "content"))), failed=field(block, "is_error") is True
        )
        for block in blocks
        if field(block, "type") == "tool_result"
    ]
    return Sent(digest(message), tuple(SentRequest(**snapshot(request)) for request in requests_in(blocks)), tuple(results))


def _mappings(message: Any) -> Iterator[dict[str, Any]]:
    """A message with a role and a content; results of tools as messages of their own, though they are sent as what a user says."""
    content, blocks = field(message, "content"), listed(message, "content")
    results = [block for block in blocks if field(block, "type") == "tool_result"]
    for block in results:
        status = "error" if field(block, "is_error") is True else "success"
        yield {"role": "tool", "content": field(block, "content"), "tool_call_id": field(block, "tool_use_id"), "status": status}
    requests = requests_in(blocks)
    rest = [block for block in blocks if field(block, "type") not in ("tool_result", "tool_use")] if blocks else content
    if rest or not results:
        mapping = {"role": field(message, "role"), "content": rest}
        yield mapping | {"tool_calls": requests} if requests else mapping


def requests_in(blocks: Iterable[Any]) -> list[dict[str, Any]]:
    """What the blocks of a message ask for, in the order listed."""
    return [
        {"name": str(field(block, "name")), "arguments": field(block, "input"), "call_id": id_of(block, "id")}
        for block in blocks
        if field(block, "type") == "tool_use"
    ]


def answer(response: Any) -> Answer:
    """What a response says, with what the provider's own tools did."""
    blocks = listed(response, "content")
    texts = [field(block, "text") for block in blocks if field(block, "type") == "text"]
    return Answer(
        text="".join(text for text in texts if isinstance(text, str)),
        finish_reason=field(response, "stop_reason"),
        usage=_usage(field(response, "usage")),
        requests=requests_in(blocks),
        response_id=id_of(response, "id"),
        hosted=hosted_in(blocks),
    )


def _usage(usage: Any) -> TokenUsage | None:
    """The tokens read are all that the model read: those that went into a cache or came out of one are reported apart."""
    read = [field(usage, name) for name in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")]
    counts = [count for count in read if type(count) is int]
    return usage_of(sum(counts) if counts else None, field(usage, "output_tokens"))
