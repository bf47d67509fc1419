"""What a scripted model says: texts, and requests for tools."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

import attrs

from agentassert.records import FinishReason
from agentassert.scripted.faults import Fault
from agentassert.scripted.lines import Line, checked_seconds, checked_text, checked_tokens
from agentassert.scripted.requests import ScriptedRequest

_TOKENS: Final = (10, 5)


@attrs.frozen
class ToolRequest(Line):
    """A tool that the model asks for; made by :func:`call_tool`.

    Args:
        name: the tool's name.
        arguments: by name, or the text that is sent in their place.
        call_id: the id of the request; `None` has one made that is unique in the block.

    Example:
        >>> ToolRequest("get", {"id": 7}).call_id is None
        True
    """

    name: str
    arguments: Mapping[str, Any] | str
    call_id: str | None = None

    @property
    def text(self) -> str:
        """The arguments as the text that is sent."""
        return self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments)


@attrs.frozen(kw_only=True)
class Reply(Line):
    """What the model says in one response; made by :func:`reply` and :func:`refuse`.

    Args:
        parts: texts and requests for tools, in order.
        finish_reason: why the model stops; `None`: for the requests in it, or because it has said everything.
        tokens: those read and written; `None` reports none.
        latency: seconds before the response begins.
        pace: seconds between the pieces of a streamed response.
        refusal: whether the text says that the model will not answer.

    Example:
        >>> Reply(parts=("Hello.",)).tokens
        (10, 5)
    """

    parts: tuple[str | ToolRequest, ...]
    finish_reason: str | None = None
    tokens: tuple[int, int] | None = _TOKENS
    latency: float = 0.0
    pace: float = 0.0
    refusal: bool = False

    @property
    def text(self) -> str | None:
        """All texts as one; `None` where there is none."""
        texts = [part for part in self.parts if isinstance(part, str)]
        return "".join(texts) if texts else None

    @property
    def tool_requests(self) -> tuple[ToolRequest, ...]:
        """The tools that it asks for."""
        return tuple(part for part in self.parts if isinstance(part, ToolRequest))

    @property
    def reason(self) -> str:
        """Why the model stops, as given, or as the parts say."""
        return self.finish_reason or (FinishReason.TOOL_EXECUTION if self.tool_requests else FinishReason.STOP)


Answer: TypeAlias = Reply | Fault
"""What answers a request in the end."""

Step: TypeAlias = Line | Callable[[ScriptedRequest], Line]
"""A step: what the model says, how it fails, or a function that is given the request and gives either."""


def reply(
    *parts: str | ToolRequest,
    finish_reason: FinishReason | str | None = None,
    tokens: tuple[int, int] | None = _TOKENS,
    latency: float = 0.0,
    pace: float = 0.0,
) -> Reply:
    """A step: the model answers with a text, with requests for tools, or with both, in this order.

    Args:
        parts: texts, and what :func:`call_tool` gives.
        finish_reason: why the model stops: `"length"`, `"content_filter"`, or a word of the provider's own, which is sent as it is. It
            follows from the parts where it is not given.
        tokens: the numbers of tokens read and written; `None` reports none, which Anthropic's protocol cannot.
        latency: seconds before the response begins.
        pace: seconds between two pieces of a streamed response.

    Raises:
        TypeError, ValueError: when there are no parts, or an argument is not of its kind.

    Example:
        >>> both = reply("Let me see.", call_tool("get", {"id": 7}), call_tool("get", {"id": 8}))
        >>> both.text, len(both.tool_requests), both.reason
        ('Let me see.', 2, <FinishReason.TOOL_EXECUTION: 'tool_execution'>)
    """
    if not parts:
        raise TypeError('reply() takes a text or call_tool(...): for an answer without content write reply("")')
    for part in parts:
        if not isinstance(part, (str, ToolRequest)):
            raise TypeError(f"a part of a reply must be a text or call_tool(...), but was {part!r}")
    return Reply(
        parts=parts,
        finish_reason=None if finish_reason is None else checked_text(finish_reason, "finish_reason"),
        tokens=checked_tokens(tokens),
        latency=checked_seconds(latency, "latency"),
        pace=checked_seconds(pace, "pace"),
    )


def refuse(text: str, *, tokens: tuple[int, int] | None = _TOKENS) -> Reply:
    """A step: the model refuses, in the way that the provider has for it.

    Args:
        text: what it says.
        tokens: the numbers of tokens read and written.

    Raises:
        TypeError, ValueError: when an argument is not of its kind.

    Example:
        >>> refuse("I cannot help with that.").refusal
        True
    """
    return Reply(parts=(checked_text(text, "text"),), tokens=checked_tokens(tokens), refusal=True)


def call_tool(name: str, arguments: Mapping[str, Any] | str | None = None, *, call_id: str | None = None) -> ToolRequest:
    """A step, or a part of a reply: the model asks for a tool.

    Args:
        name: the tool's name; one that was not offered is sent all the same, as models do.
        arguments: by name; a text is sent as it is, for arguments that do not parse.
        call_id: the id of the request; without it, one that is unique in the block.

    Raises:
        TypeError: when the name is no text, or the arguments are neither a text nor a mapping that JSON can say.

    Example:
        >>> call_tool("get_booking", {"number": "MS-777"})
        ToolRequest(name='get_booking', arguments={'number': 'MS-777'}, call_id=None)
    """
    if not checked_text(name, "name"):
        raise ValueError("name must be the name of a tool, but was empty")
    given: Mapping[str, Any] | str = {} if arguments is None else arguments
    if not isinstance(given, str):
        if not isinstance(given, Mapping):
            raise TypeError(f"arguments of {name!r} must be a mapping or a text, but were {arguments!r}")
        given = dict(given)
        try:
            json.dumps(given)
        except (TypeError, ValueError, RecursionError) as error:
            raise TypeError(f"arguments of {name!r} must be values that JSON has: {error}") from error
    return ToolRequest(name, given, None if call_id is None else checked_text(call_id, "call_id"))
