"""The capability that every recorded run is given: Pydantic AI tells it of each request to a model and of each tool."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib.util import find_spec
from typing import Any, ClassVar, Final

from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.tools import DeferredToolRequests
from pydantic_graph import End

from agentassert.adapters.pydantic_ai.models import Call
from agentassert.adapters.pydantic_ai.runs import Run, complete
from agentassert.adapters.pydantic_ai.tools import Execution, refuse

# Before 2.6, the context around a run that `run_stream_sync` began is never left, so what it ends with ends it.
_LEAVES_OPEN: Final = find_spec("pydantic_ai._sync_stream") is None


class Watcher(AbstractCapability[Any]):
    """Sees what one run does, and changes nothing.

    It stands last among the capabilities of its run. What the others do before a tool runs (ask, skip, change) is over when its
    `before_tool_execute` is called, and what they do afterwards has not begun when its `after_tool_execute` is, so it records what
    really ran and what that really gave; likewise for models. Early releases call `before` ahead of `wrap`, later ones in it.
    """

    # Durable runs refuse capabilities that come with the run, since they might bring tools along; this one brings none.
    _safe_at_runtime: ClassVar[bool] = True

    def __init__(self, run: Run) -> None:
        self._run = run
        self._call: Call | None = None
        self._executions: dict[int, Execution] = {}
        self._is_told_ahead = False

    async def after_node_run(self, ctx: Any, *, node: Any, result: Any) -> Any:
        if _LEAVES_OPEN and isinstance(result, End) and not isinstance(result.data.output, DeferredToolRequests):
            complete(self._run, result.data.output)
        return result

    async def before_model_request(self, ctx: Any, request_context: Any) -> Any:
        if self._call is None:
            self._is_told_ahead = True
        else:
            self._call.begin(request_context)
        return request_context

    async def wrap_model_request(self, ctx: Any, *, request_context: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        self._call = call = Call(self._run.event)
        if self._is_told_ahead:
            call.begin(request_context)
        try:
            response = await handler(request_context)
        except BaseException as error:
            call.fail(error, request_context)
            raise
        else:
            call.end(response, request_context)
        finally:
            self._call = None
        return response

    async def after_model_request(self, ctx: Any, *, request_context: Any, response: Any) -> Any:
        if self._call is not None:
            self._call.hear(response, request_context)
        return response

    async def on_tool_validate_error(self, ctx: Any, *, call: Any, tool_def: Any, args: Any, error: Any) -> Any:
        if not ctx.partial_output:  # arguments of which more is still to come
            refuse(self._run, call, error)
        raise error

    async def before_tool_execute(self, ctx: Any, *, call: Any, tool_def: Any, args: Any) -> Any:
        execution = self._executions.get(id(call))
        if execution is None:
            self._is_told_ahead = True
        else:
            execution.begin()
        return args

    async def wrap_tool_execute(
        self, ctx: Any, *, call: Any, tool_def: Any, args: Any, handler: Callable[[Any], Awaitable[Any]]
    ) -> Any:
        self._executions[id(call)] = execution = Execution(self._run, call)
        if self._is_told_ahead:
            execution.begin()
        try:
            result = await handler(args)
        except BaseException as error:
            execution.stop(error)
            raise
        else:
            execution.succeed(result)
        finally:
            execution.leave()
            del self._executions[id(call)]
        return result

    async def after_tool_execute(self, ctx: Any, *, call: Any, tool_def: Any, args: Any, result: Any) -> Any:
        execution = self._executions.get(id(call))
        if execution is not None:
            execution.succeed(result)
        return result

    async def on_tool_execute_error(self, ctx: Any, *, call: Any, tool_def: Any, args: Any, error: Exception) -> Any:
        execution = self._executions.get(id(call))
        if execution is not None:
            execution.stop(error)
        raise error
