"""Tool names that nobody offered and nobody executed: misspelt, most likely."""

from __future__ import annotations

import difflib

from agentassert.checks.view import View
from agentassert.records import ChatModelCall


def about_unknown(view: View, name: str) -> str:
    """Words for a tool name that was neither offered nor executed, as far as that is known; empty for a known one."""
    offered = offered_tools(view)
    known = {*view.by_name, *(offered or ())}
    if name in known:
        return ""
    nearest = difflib.get_close_matches(name, sorted(known), n=1)
    meant = f" Did you mean {nearest[0]!r}?" if nearest else ""
    if offered is None:
        return meant.strip()
    if is_requested(view, name):
        return f"The model requested {name!r}, which it was not offered.{meant}"
    return f"No tool {name!r} was offered to the model or executed.{meant}"


def is_requested(view: View, name: str) -> bool:
    """Whether the model asked for the tool in scope, strays left out, so that the name is one that it made up."""
    return any(request.name == name for invocation in view.invocations for request in invocation.tool_execution_requests)


def offered_tools(view: View) -> frozenset[str] | None:
    """The names of the tools that the model was offered in scope, strays left out; `None` when nobody saw that."""
    own = (call for invocation in view.invocations for call in invocation.model_calls)
    calls = [call for call in own if isinstance(call, ChatModelCall) and call.tools_offered is not None]
    return frozenset(name for call in calls for name in call.tools_offered or ()) if calls else None
