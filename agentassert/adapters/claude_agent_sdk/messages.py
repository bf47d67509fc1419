"""What the messages of Claude Code tell: mappings, as they stand in its protocol."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

from agentassert.jsonlike import decode
from agentassert.token_usage import TokenUsage

_MCP: Final = "mcp__"
_UNFIT: Final = re.compile(r"[^a-zA-Z0-9_-]")
_UNKNOWN_TOOL: Final = "<tool_use_error>Error: No such tool available"
_READ: Final = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


class Names:
    """The names that tools are recorded by: their own, without that of their MCP server, unless two have the same.

    Example:
        >>> Names(["Read", "mcp__shop__search", "mcp__a__get", "mcp__b__get"]).offered
        ('Read', 'search', 'mcp__a__get', 'mcp__b__get')
    """

    def __init__(self, tools: Iterable[str]) -> None:
        tools = list(tools)
        own = Counter(map(_own, tools))
        self._shared = frozenset(name for name, times in own.items() if times > 1)
        self.offered = tuple(map(self.of, tools))

    def of(self, tool: str) -> str:
        """The name that a tool is recorded by."""
        own = _own(tool)
        return tool if own in self._shared else own


def full_name(server: str, tool: str) -> str:
    """What Claude Code calls a tool of a server, in whose names it puts up with letters, digits and hyphens only.

    Example:
        >>> full_name("my shop", "get.booking")
        'mcp__my_shop__get_booking'
    """
    return f"{_MCP}{_UNFIT.sub('_', server)}__{_UNFIT.sub('_', tool)}"


def _own(tool: str) -> str:
    return tool.split("__", 2)[2] if tool.startswith(_MCP) and tool.count("__") > 1 else tool


def blocks_of(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The blocks of what an assistant or a user says."""
    content = message["message"]["content"]
    return content if isinstance(content, list) else [{"type": "text", "text": content}]


def is_result(block: Mapping[str, Any]) -> bool:
    """Whether a block is the result of a tool."""
    return str(block.get("type")).endswith("tool_result")


def text_of(content: Any) -> str:
    """The text of a list of blocks, or of what is one."""
    if not isinstance(content, list):
        return "" if content is None else str(content)
    return "".join(block["text"] for block in content if block.get("type") == "text")


def value_of(content: Any) -> Any:
    """What a tool's result says: one text as it is; several blocks as a list, in which JSON text is decoded."""
    if not isinstance(content, list):
        return content
    items = [block["text"] if block.get("type") == "text" else block for block in content]
    if len(items) == 1:
        return items[0]
    return [decode(item) if isinstance(item, str) else item for item in items] or None


def requests_in(blocks: Iterable[Mapping[str, Any]], names: Names) -> list[dict[str, Any]]:
    """The tools that a response asks Claude Code to run."""
    return [
        {"name": names.of(block["name"]), "arguments": block["input"], "call_id": block["id"]}
        for block in blocks
        if block["type"] == "tool_use"
    ]


def usage_of(usage: Any, *, is_final: bool) -> TokenUsage | None:
    """The tokens of a call; until its response is over, the number of those written is a placeholder."""
    if not isinstance(usage, Mapping):
        return None
    read = [usage[name] for name in _READ if type(usage.get(name)) is int]
    return TokenUsage(
        input_tokens=sum(read) if read else None,
        output_tokens=usage.get("output_tokens") if is_final else None,
    )


def never_ran(block: Mapping[str, Any], meta: Mapping[str, Any]) -> bool:
    """Whether a result that is an error says that its tool was not run at all: nobody permitted it, or there is none."""
    return "non_execution_kind" in meta or text_of(block.get("content")).startswith(_UNKNOWN_TOOL)


def error_of(result: Mapping[str, Any]) -> str:
    """Why a run failed."""
    errors = [str(error) for error in result.get("errors") or () if error]
    return "; ".join(errors) or result.get("result") or str(result.get("subtype"))


def report_of(answer: Mapping[str, Any]) -> str:
    """What a sub-agent said in the end, without what Claude Code says before and after it."""
    content = answer.get("content") or []
    notes, tail = answer.get("harnessNoteCount", 0), answer.get("harnessTailCount", 0)
    return text_of(content[notes : len(content) - tail] if isinstance(content, list) else content)
