"""What a scripted model is asked."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import attrs

from agentassert.jsonlike import decode
from agentassert.text.masking import MASK, is_secret_name, masked


class Api(enum.StrEnum):
    """What a request asks for, by the address that it was sent to.

    Example:
        >>> Api.CHAT_COMPLETIONS
        <Api.CHAT_COMPLETIONS: 'chat completions'>
    """

    CHAT_COMPLETIONS = "chat completions"
    RESPONSES = "responses"
    MESSAGES = "messages"
    TOKEN_COUNT = "token count"  # noqa: S105  # tokens that are counted, not kept secret
    EMBEDDINGS = "embeddings"
    MODERATIONS = "moderations"


@attrs.frozen(kw_only=True)
class ToolResult:
    """What came of a tool that the model had asked for.

    Args:
        name: the tool's name; `None` where the request does not say which one it was.
        call_id: the id of the request that it answers.
        text: the result as it was sent; `value`: what its JSON says, or the text itself where it is none.
        failed: the protocol's flag; `None` where it has none.

    Example:
        >>> ToolResult(name="get", call_id="call_1", text='{"id": 7}', value={"id": 7}).failed is None
        True
    """

    name: str | None
    call_id: str | None
    text: str
    value: Any
    failed: bool | None = None


@attrs.frozen(kw_only=True, slots=False)
class ScriptedRequest:
    """A request that a scripted model got.

    Args:
        number: 1 for the first of the block, in the order in which they came.
        api: what was asked for; `path`: the address.
        body: the request itself, parsed.
        headers: by their names in lower case; what looks like a secret is masked in them and in `path`.
        messages: the conversation, each a mapping with `role` and `content` at least; the same for all protocols, a system prompt
            and the results of tools as messages of their own. For embeddings and moderations it is empty.
        tools: the names of the tools that were offered.
        attempt: 2 for a request that is sent again after a failure, and so on.

    Example:
        >>> messages = ({"role": "system", "content": "Be brief."}, {"role": "user", "content": "MS-777?"})
        >>> body = {"model": "gpt-5.2", "stream": True}
        >>> request = ScriptedRequest(number=1, api=Api.CHAT_COMPLETIONS, path="/v1/chat/completions", body=body, messages=messages)
        >>> request.model, request.streamed, request.system_text, request.last_user_text
        ('gpt-5.2', True, 'Be brief.', 'MS-777?')
    """

    number: int
    api: Api
    path: str
    body: Mapping[str, Any] = attrs.field(repr=False)
    headers: Mapping[str, str] = attrs.field(factory=dict, repr=False)
    messages: tuple[Mapping[str, Any], ...] = ()
    tools: tuple[str, ...] = ()
    attempt: int = 1

    @property
    def model(self) -> str:
        """The model that was asked for."""
        return str(self.body.get("model", ""))

    @property
    def streamed(self) -> bool:
        """Whether the response is to be streamed."""
        return self.body.get("stream") is True

    @property
    def system_text(self) -> str:
        """All system prompts, developer messages included, as one text."""
        return "\n".join(
            text for message in self.messages if message["role"] in ("system", "developer") and (text := _text(message))
        )

    @property
    def last_user_text(self) -> str:
        """What the user said last; empty where no user said anything."""
        return next((_text(message) for message in reversed(self.messages) if message["role"] == "user"), "")

    @cached_property
    def tool_results(self) -> tuple[ToolResult, ...]:
        """The results that came since the model spoke last, in the order sent."""
        names = {call["call_id"]: call["name"] for message in self.messages for call in message.get("tool_calls", ())}
        found: list[ToolResult] = []
        for message in reversed(self.messages):
            if message["role"] == "assistant":
                break
            if message["role"] == "tool":
                found.append(_result(message, names))
        return tuple(reversed(found))


def _text(message: Mapping[str, Any]) -> str:
    from agentassert.checks.messages import text_of

    return text_of(message)


def _result(message: Mapping[str, Any], names: Mapping[Any, str]) -> ToolResult:
    from agentassert.render import json_text

    content, call_id, status = message.get("content"), message.get("tool_call_id"), message.get("status")
    text = _text(message)
    if not text and content:  # something else than text: a mapping, or parts that are images
        text = json_text(content)
    return ToolResult(
        name=names.get(call_id) if isinstance(call_id, str) else None,
        call_id=call_id,
        text=text,
        value=decode(text),
        failed=None if status is None else status == "error",
    )


def shown_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers as a request keeps them.

    Example:
        >>> shown_headers({"Authorization": "Bearer abc", "Accept": "*/*"})
        {'authorization': '***', 'accept': '*/*'}
    """
    return {name.lower(): MASK if is_secret_name(name) else "".join(masked(value)) for name, value in headers.items()}
