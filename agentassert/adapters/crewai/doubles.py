"""Doubles in the place of tools."""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from crewai.agents.cache.cache_handler import CacheHandler
from crewai.tools.base_tool import BaseTool
from crewai.tools.structured_tool import CrewStructuredTool
from crewai.utilities.string_utils import sanitize_tool_name

from agentassert.adapters.patching import wrap_family, wrap_method
from agentassert.doubles import active
from agentassert.doubles.sets import Call
from agentassert.recording.requests import parsed_arguments


@functools.cache
def install_doubles() -> None:
    """Have doubles looked for where tools run, and keep them away from the cache of real results."""
    wrap_family(BaseTool, {"run": _standing_in, "arun": _awaiting})
    wrap_family(CrewStructuredTool, {"invoke": _standing_in, "ainvoke": _awaiting})
    for name in ("read", "add"):
        wrap_method(CacheHandler, name, _past_the_cache)


def arguments_of(tool: Any, args: tuple[Any, ...], options: Mapping[str, Any]) -> Any:
    """What a tool is called with: by name; as a whole, perhaps a JSON text, where the model asked for it in words."""
    if isinstance(tool, CrewStructuredTool):
        return args[0] if args else options.get("input")
    names = tool.args_schema.model_fields if args else ()
    return {**dict(zip(names, args, strict=False)), **options}


def _standing_in(original: Callable[..., Any]) -> Callable[..., Any]:
    def run(self: Any, *args: Any, **options: Any) -> Any:
        double = active.stand_in(sanitize_tool_name(self.name))
        if double is None:
            return original(self, *args, **options)
        result = double.call(_call(self, args, options))
        return asyncio.run(result) if inspect.iscoroutine(result) else result

    return run


def _awaiting(original: Callable[..., Any]) -> Callable[..., Any]:
    async def arun(self: Any, *args: Any, **options: Any) -> Any:
        double = active.stand_in(sanitize_tool_name(self.name))
        if double is None:
            return await original(self, *args, **options)
        return await double.awaited(_call(self, args, options))

    return arun


def _call(tool: Any, args: tuple[Any, ...], options: Mapping[str, Any]) -> Call:
    from agentassert.doubles.specs import schema_complaint

    given = arguments_of(tool, args, options)
    arguments = parsed_arguments(given)
    if arguments is None:
        return Call({}, complaint=f"its arguments are no JSON: {given!r}")
    # CrewAI drops what a tool has no parameter for.
    schema = {"additionalProperties": True, **tool.args_schema.model_json_schema()}
    taken = {name: value for name, value in arguments.items() if name in tool.args_schema.model_fields}
    return Call(taken, complaint=schema_complaint(schema, arguments))


def _past_the_cache(original: Callable[..., Any]) -> Callable[..., Any]:
    def call(self: Any, tool: str, *args: Any, **options: Any) -> Any:
        return None if active.stand_in(tool) is not None else original(self, tool, *args, **options)

    return call
