"""Doubles in the place of LangChain's tools."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Mapping
from typing import Any

from langchain_core.tools import BaseTool, Tool

from agentassert.adapters.patching import wrap_method
from agentassert.doubles import active
from agentassert.doubles.sets import Call, StandIn


@functools.cache
def install_doubles() -> None:
    """Wrap the methods that every tool runs by: callbacks, checks of arguments and the handling of errors stay LangChain's."""
    wrap_method(BaseTool, "run", _running)
    wrap_method(BaseTool, "arun", _running)


def _running(original: Callable[..., Any]) -> Callable[..., Any]:
    def run(self: Any, tool_input: Any, *args: Any, **kwargs: Any) -> Any:
        double = active.stand_in(self.name)
        tool = self if double is None else _replaced(self, double, tool_input)
        return original(tool, tool_input, *args, **kwargs)

    return run


def _replaced(tool: BaseTool, double: StandIn, given: Any) -> BaseTool:
    """A copy of the tool that does what the double does, so that nobody else sees it."""
    hidden = _hidden_in(tool)
    complaint = _complaint(tool, given, hidden)
    if complaint is not None:
        double.refuse(complaint)  # noted here, since LangChain may refuse it before the double is asked

    def call(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Call:
        if args:  # the only argument of a tool, which has no name
            return Call(given if isinstance(given, Mapping) else {"input": given}, args, kwargs)
        arguments = {name: value for name, value in kwargs.items() if name not in hidden}
        injected = {name: value for name, value in kwargs.items() if name in hidden}
        return Call(arguments, injected=injected, complaint=complaint)

    def run(*args: Any, **kwargs: Any) -> Any:
        return _formatted(tool, double.called(call(args, kwargs)))

    async def arun(*args: Any, **kwargs: Any) -> Any:
        return _formatted(tool, await double.awaited(call(args, kwargs)))

    replaced = copy.copy(tool)
    vars(replaced).update(_run=run, _arun=arun)
    return replaced


def _formatted(tool: BaseTool, result: Any) -> Any:
    """The result of a tool that gives an artifact too, which a double need not."""
    wants_artifact = tool.response_format == "content_and_artifact" and not isinstance(result, tuple)
    return (result, None) if wants_artifact else result


def _complaint(tool: BaseTool, given: Any, hidden: set[str]) -> str | None:
    from agentassert.doubles.specs import schema_complaint

    if not isinstance(given, Mapping) or (isinstance(tool, Tool) and tool.args_schema is None):
        return None  # a text for the only argument, whatever its name
    return schema_complaint(_schema_of(tool), {name: value for name, value in given.items() if name not in hidden})


def _hidden_in(tool: BaseTool) -> set[str]:
    """The parameters that LangChain fills in, of which the model is not told."""
    taken: Any = tool.get_input_schema()
    # Schemas of pydantic 1 call their fields otherwise.
    fields = taken.model_fields if hasattr(taken, "model_fields") else taken.__fields__
    return set(fields) - set(_schema_of(tool).get("properties") or ())


def _schema_of(tool: BaseTool) -> Mapping[str, Any]:
    """What the model is told of the tool's parameters."""
    schema: Any = tool.tool_call_schema
    if isinstance(schema, Mapping):
        return schema
    described: Mapping[str, Any] = schema.model_json_schema() if hasattr(schema, "model_json_schema") else schema.schema()
    return described
