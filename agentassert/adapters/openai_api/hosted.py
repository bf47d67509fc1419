"""Tools that the provider runs itself while it makes a response, which tells what they did."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from agentassert.adapters.stainless.fields import field, id_of, listed, plain
from agentassert.adapters.stainless.routes import Hosted
from agentassert.records import Outcome, Source


def _web_search(item: Any) -> tuple[str, Any, Any]:
    return "web_search", plain(field(item, "action")) or {}, None


def _file_search(item: Any) -> tuple[str, Any, Any]:
    results = field(item, "results")
    return "file_search", {"queries": field(item, "queries")}, None if results is None else [plain(one) for one in results]


def _code_interpreter(item: Any) -> tuple[str, Any, Any]:
    outputs = field(item, "outputs")
    return "code_interpreter", {"code": field(item, "code")}, None if outputs is None else [plain(one) for one in outputs]


def _image_generation(item: Any) -> tuple[str, Any, Any]:
    return "image_generation", {}, field(item, "result")


def _mcp(item: Any) -> tuple[str, Any, Any]:
    return str(field(item, "name")), field(item, "arguments"), field(item, "output")


_KINDS: Final[Mapping[str, Callable[[Any], tuple[str, Any, Any]]]] = {
    "code_interpreter_call": _code_interpreter,
    "file_search_call": _file_search,
    "image_generation_call": _image_generation,
    "mcp_call": _mcp,
    "web_search_call": _web_search,
}
_FAILED: Final = ("failed", "incomplete")


def hosted_in(output: Iterable[Any]) -> list[Hosted]:
    """The tools that ran at the provider, in order."""
    return [_read(item, _KINDS[kind]) for item in output if (kind := str(field(item, "type"))) in _KINDS]


def _read(item: Any, kind: Callable[[Any], tuple[str, Any, Any]]) -> Hosted:
    name, arguments, result = kind(item)
    error, status = field(item, "error"), field(item, "status")
    failed = error is not None or status in _FAILED
    outcome = Outcome.FAILED if failed else Outcome.SUCCEEDED if status in (None, "completed") else Outcome.UNKNOWN
    return Hosted(
        name=name,
        arguments=arguments,
        call_id=id_of(item, "id"),
        result=result,
        error=str(field(error, "message") or error or status) if failed else None,
        outcome=outcome,
        sources=[_source(one) for one in listed(item, "results")] if name == "file_search" and result is not None else None,
    )


def _source(found: Any) -> Source:
    named = {name: field(found, name) for name in ("filename", "file_id")}
    score = field(found, "score")
    return Source(
        text=str(field(found, "text") or ""),
        metadata={**(field(found, "attributes") or {}), **named},
        score=score if isinstance(score, (int, float)) else None,
    )
