"""The items that requests and responses of the Responses API consist of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from agentassert.adapters.stainless.fields import digest, field, id_of, plain, text_in
from agentassert.jsonlike import snapshot
from agentassert.recording.exchanges import Sent, SentRequest, SentResult

_UNNAMED: Final[Mapping[str, tuple[str, Callable[[Any], Any]]]] = {
    "apply_patch_call": ("apply_patch", lambda item: plain(field(item, "operation"))),
    "computer_call": ("computer_use_preview", lambda item: plain(field(item, "action") or {"actions": field(item, "actions")})),
    "local_shell_call": ("local_shell", lambda item: plain(field(item, "action"))),
    "shell_call": ("shell", lambda item: plain(field(item, "action"))),
}
"""The requests that carry no name: what their tool is called, and where their arguments are."""


def request_in(item: Any) -> dict[str, Any] | None:
    """What an item asks the program for, if that is what it is."""
    kind = field(item, "type")
    if kind == "function_call":
        name, arguments = str(field(item, "name")), field(item, "arguments")
    elif kind == "custom_tool_call":
        name, arguments = str(field(item, "name")), {"input": field(item, "input")}
    elif kind in _UNNAMED:
        name, read = _UNNAMED[kind]
        arguments = read(item)
    else:
        return None
    return {"name": name, "arguments": arguments, "call_id": id_of(item, "call_id", "id")}


def sent(item: Any) -> Sent:
    """An item that a request sends."""
    request = request_in(item)
    if request is not None:
        return Sent(digest(item), (SentRequest(**snapshot(request)),))
    if not _is_result(item):
        return Sent(digest(item))
    return Sent(
        digest(item), results=(SentResult(id_of(item, "call_id"), snapshot(text_in(field(item, "output"))), failed=None),)
    )


def message(item: Any) -> dict[str, Any]:
    """An item that a request sends as a message with a role and a content."""
    request = request_in(item)
    if request is not None:
        return {"role": "assistant", "content": "", "tool_calls": [request]}
    if _is_result(item):
        return {"role": "tool", "content": field(item, "output"), "tool_call_id": field(item, "call_id")}
    role = field(item, "role")
    if role is not None:
        return {"role": role, "content": field(item, "content")}
    return {"role": "assistant", "content": "", str(field(item, "type")): plain(item)}


def _is_result(item: Any) -> bool:
    return str(field(item, "type")).endswith("_output") and field(item, "call_id") is not None
