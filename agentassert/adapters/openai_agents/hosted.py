"""Tools that the provider runs itself: the SDK calls no hook for them, but the response tells what they did."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from agentassert import recorder
from agentassert.adapters.openai_agents import ADAPTER
from agentassert.adapters.openai_agents.items import Requested, as_mapping, field
from agentassert.recording.events import Event
from agentassert.records import Source


def _file_search(item: Any) -> tuple[Requested, Any]:
    asked = Requested("file_search", {"queries": field(item, "queries")}, field(item, "id"))
    results = field(item, "results")
    return asked, None if results is None else [as_mapping(one) for one in results]


def _web_search(item: Any) -> tuple[Requested, Any]:
    return Requested("web_search", as_mapping(field(item, "action")), field(item, "id")), None


def _code_interpreter(item: Any) -> tuple[Requested, Any]:
    outputs = field(item, "outputs")
    asked = Requested("code_interpreter", {"code": field(item, "code")}, field(item, "id"))
    return asked, None if outputs is None else [as_mapping(one) for one in outputs]


def _image_generation(item: Any) -> tuple[Requested, Any]:
    return Requested("image_generation", {}, field(item, "id")), field(item, "result")


def _mcp(item: Any) -> tuple[Requested, Any]:
    return Requested(str(field(item, "name")), field(item, "arguments"), field(item, "id")), field(item, "output")


_HOSTED: Final[Mapping[str, Callable[[Any], tuple[Requested, Any]]]] = {
    "code_interpreter_call": _code_interpreter,
    "file_search_call": _file_search,
    "image_generation_call": _image_generation,
    "mcp_call": _mcp,
    "web_search_call": _web_search,
}


def record_hosted(output: Iterable[Any], parent: Event) -> None:
    """Record the tools that ran at the provider while it made a response, and what they retrieved."""
    for item in output:
        read = _HOSTED.get(str(field(item, "type")))
        if read is None:
            continue
        asked, result = read(item)
        event = recorder.start_tool(asked.name, asked.arguments, adapter=ADAPTER, call_id=asked.call_id, parent=parent)
        if event is None:
            continue
        error = field(item, "error")
        if error is not None or field(item, "status") in ("failed", "incomplete"):
            event.fail(str(field(error, "message") or error or field(item, "status")), result)
        else:
            event.succeed(result)
        if asked.name == "file_search" and result is not None:
            _retrieve(result, parent)


def _retrieve(results: Iterable[Mapping[str, Any]], parent: Event) -> None:
    event = recorder.start_retrieval(adapter=ADAPTER, parent=parent)
    if event is not None:
        event.retrieve(
            [
                Source(
                    text=str(one.get("text") or ""),
                    metadata={**(one.get("attributes") or {}), "filename": one.get("filename"), "file_id": one.get("file_id")},
                    score=one.get("score"),
                )
                for one in results
            ]
        )
