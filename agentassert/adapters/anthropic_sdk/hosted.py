"""Tools that the provider runs itself while it makes a response, which tells what they did."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from agentassert.adapters.stainless.fields import field, id_of, plain, text_in
from agentassert.adapters.stainless.routes import Hosted
from agentassert.records import Outcome

_USES: Final = ("server_tool_use", "mcp_tool_use")


def hosted_in(blocks: Sequence[Any]) -> list[Hosted]:
    """The tools that ran at the provider, in order."""
    results = {id_of(block, "tool_use_id"): block for block in blocks if str(field(block, "type")).endswith("_tool_result")}
    return [_read(block, results.get(id_of(block, "id"))) for block in blocks if field(block, "type") in _USES]


def _read(use: Any, block: Any) -> Hosted:
    content = field(block, "content")
    result = text_in([plain(one) for one in content]) if isinstance(content, (list, tuple)) else plain(content)
    error = _error(block, content, result)
    known = Outcome.SUCCEEDED if error is None else Outcome.FAILED
    return Hosted(
        name=str(field(use, "name")),
        arguments=field(use, "input"),
        call_id=id_of(use, "id"),
        result=result,
        error=error,
        outcome=Outcome.UNKNOWN if block is None else known,
    )


def _error(block: Any, content: Any, result: Any) -> str | None:
    if field(block, "is_error") is True:
        return result if isinstance(result, str) else str(result)
    code = None if isinstance(content, (str, list)) else field(content, "error_code")
    return None if code is None else str(code)
