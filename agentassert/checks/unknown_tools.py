"""Tool names that nobody offered and nobody executed: misspelt, most likely."""

from __future__ import annotations

from typing import Final

from agentassert.checks.view import View
from agentassert.records import ChatModelCall
from agentassert.text.nearest import nearest

_FEWEST_LETTERS: Final = 4
"""Of names that one letter may tell apart by mistake: it is all of a shorter one."""


def about_unknown(view: View, name: str) -> str:
    """Words for a tool name that was neither offered nor executed, as far as that is known; empty for a known one."""
    offered = offered_tools(view)
    known = {*view.by_name, *(offered or ())}
    if name in known:
        return ""
    near = nearest(name, known)
    meant = f" Did you mean {near[0]!r}?" if near else ""
    if offered is None:
        return meant.strip()
    if is_requested(view, name):
        return f"The model requested {name!r}, which it was not offered.{meant}"
    return f"No tool {name!r} was offered to the model or executed.{meant}"


def about_misspelt(view: View, name: str) -> str:
    """Words for a name that would make a negative assertion pass for ever; empty where nothing speaks for a typing error.

    Where nobody saw which tools were offered, a name that is a slip away from one that ran.
    """
    if is_requested(view, name):
        return ""
    if offered_tools(view) is not None:
        return about_unknown(view, name)
    if name in view.by_name or name in view.decorated:
        return ""
    meant = next((ran for ran in view.by_name if _is_slip(name, ran)), None)
    return "" if meant is None else f"No tool {name!r} was executed, but {meant!r} was."


def _is_slip(written: str, meant: str) -> bool:
    """Whether they differ by case, by what separates words, by a letter too many, or by two that changed places."""
    shorter, longer = sorted((_letters(written), _letters(meant)), key=len)
    if shorter == longer:
        return True
    if len(shorter) < _FEWEST_LETTERS or len(longer) - len(shorter) > 1:
        return False
    pairs = enumerate(zip(shorter, longer, strict=False))
    same = next((index for index, (one, other) in pairs if one != other), len(shorter))
    if len(longer) > len(shorter):
        return longer[same].isalpha() and longer[same + 1 :] == shorter[same:]
    return longer[same : same + 2] == shorter[same : same + 2][::-1] and longer[same + 2 :] == shorter[same + 2 :]


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name)).casefold()


def is_requested(view: View, name: str) -> bool:
    """Whether the model asked for the tool in scope, strays left out, so that the name is one that it made up."""
    return any(request.name == name for invocation in view.invocations for request in invocation.tool_execution_requests)


def offered_tools(view: View) -> frozenset[str] | None:
    """The names of the tools that the model was offered in scope, strays left out; `None` when nobody saw that."""
    own = (call for invocation in view.invocations for call in invocation.model_calls)
    calls = [call for call in own if isinstance(call, ChatModelCall) and call.tools_offered is not None]
    return frozenset(name for call in calls for name in call.tools_offered or ()) if calls else None
