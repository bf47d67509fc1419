"""What a server answers, as data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from mcp.types import CallToolResult

from agentassert.jsonlike import decode

_WRAPPED: Final = frozenset({"result"})
"""The only key of what servers make of a result that is no JSON object, which is all that structured content could be for long."""


def is_error(result: CallToolResult) -> bool:
    """Whether the server says that the tool failed.

    Example:
        >>> is_error(CallToolResult(content=[]))
        False
    """
    return bool(_either(result, "is_error", "isError"))


def value_of(result: CallToolResult) -> Any:
    """What the tool returned: its structured content where there is some, else what its text says, else its content as it is.

    `None` where there is nothing at all.

    Example:
        >>> from mcp.types import TextContent
        >>> value_of(CallToolResult(content=[TextContent(type="text", text='{"number": 7}')]))
        {'number': 7}
    """
    items = [_item(block) for block in result.content]
    structured = _either(result, "structured_content", "structuredContent")
    if structured is None:
        return items if len(items) > 1 else next(iter(items), None)
    if isinstance(structured, dict) and structured.keys() == _WRAPPED and _says(result.content, items, structured["result"]):
        return structured["result"]
    return structured


def text_of(result: CallToolResult) -> str:
    """The text that the model would read.

    Example:
        >>> text_of(CallToolResult(content=[]))
        ''
    """
    return "\n".join(block.text for block in result.content if block.type == "text")


def _says(content: Sequence[Any], items: list[Any], value: Any) -> bool:
    """Whether the content is that of `value` itself, rather than of an object that has it under a key."""
    if len(content) == 1 and (items[0] == value or getattr(content[0], "text", None) == value):
        return True
    return items == value or (not items and value is None)


def _item(block: Any) -> Any:
    return decode(block.text) if block.type == "text" else block


def _either(result: Any, name: str, before: str) -> Any:
    """A field by its name in mcp 2, else in mcp 1: asking for the old one is deprecated where there is the new one."""
    return getattr(result, name) if hasattr(result, name) else getattr(result, before, None)
