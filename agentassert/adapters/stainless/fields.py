"""Reading what an SDK sends, a mapping, and what it gives back, mostly an object."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from agentassert.recording.requests import id_among
from agentassert.token_usage import TokenUsage

_MARKERS: Final = frozenset({"cache_control", "prompt_cache_breakpoint"})
"""What programs put on the last message and take off it again in the next request: they say nothing of the message."""


def field(item: Any, name: str) -> Any:
    """A field of an item, `None` where it has none of that name."""
    return item.get(name) if isinstance(item, Mapping) else getattr(item, name, None)


def id_of(item: Any, *names: str) -> str | None:
    """An id, the first that an item has under these names, as text."""
    return id_among(field(item, name) for name in names)


def listed(item: Any, name: str) -> list[Any]:
    """A field of an item that holds several, empty where it holds none."""
    value = field(item, name)
    return list(value) if isinstance(value, (list, tuple)) else []


def plain(value: Any) -> Any:
    """A part of a response as the mapping that it stands for."""
    dump = getattr(value, "model_dump", None)
    return dump(mode="json", exclude_none=True, warnings=False) if callable(dump) else value


def text_in(content: Any) -> Any:
    """Content that consists of nothing but texts as one text; any other as it is."""
    if not isinstance(content, list) or not content:
        return content
    texts = [field(part, "text") for part in content]
    return "".join(texts) if all(isinstance(text, str) for text in texts) else content


def names_of(tools: Iterable[Any]) -> list[str]:
    """The names of the tools that a request offers, of those without one their type."""
    names = (_name(tool) for tool in tools)
    return [name for name in names if isinstance(name, str)]


def _name(tool: Any) -> Any:
    for place in (field(tool, "function"), field(tool, "custom"), tool):
        name = field(place, "name")
        if isinstance(name, str):
            return name
    return field(tool, "type")


def usage_of(read: Any, written: Any, total: Any = None) -> TokenUsage | None:
    """Token counts as a record; `None` where none is one."""
    counts = [count if type(count) is int and count >= 0 else None for count in (read, written, total)]
    if counts == [None, None, None]:
        return None
    return TokenUsage(input_tokens=counts[0], output_tokens=counts[1], total_tokens=counts[2])


def digest(item: Any) -> str:
    """A key that is the same for the same content, whether an item is sent as it was received or written by hand."""
    text = _json(item)
    if "null" in text or "cache" in text or '"content": [' in text:
        text = _json(_essence(json.loads(text)))
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _json(item: Any) -> str:
    return json.dumps(item, sort_keys=True, default=_dumped, skipkeys=True)


def _dumped(value: Any) -> Any:
    """Parts of a response are sent back as the objects they were received as."""
    dumped = plain(value)
    return repr(value) if dumped is value else dumped


def _essence(value: Any) -> Any:
    if isinstance(value, list):
        return [_essence(one) for one in value]
    if not isinstance(value, dict):
        return value
    kept = {key: _essence(one) for key, one in value.items() if one is not None and key not in _MARKERS}
    content = kept.get("content")
    if isinstance(content, list) and len(content) == 1 and isinstance(content[0], dict) and set(content[0]) == {"type", "text"}:
        kept["content"] = content[0]["text"]
    return kept
