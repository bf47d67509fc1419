"""`Agent.iter`, which every run goes through: `run`, `run_sync`, `run_stream` and the others enter the context that it gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import Token
from types import TracebackType
from typing import Any, Final

from pydantic_ai import exceptions
from pydantic_ai.tools import DeferredToolRequests, DeferredToolResults

from agentassert import recorder
from agentassert.adapters.base import guarded
from agentassert.adapters.pydantic_ai import ADAPTER
from agentassert.adapters.pydantic_ai.approvals import answer, ask
from agentassert.adapters.pydantic_ai.capability import Watcher
from agentassert.adapters.pydantic_ai.messages import calls_in, last_response
from agentassert.adapters.pydantic_ai.runs import Run, Waiting, begin, running
from agentassert.recording.events import Scope

_waiting: Final = Waiting()


def recorded(original: Callable[..., Any]) -> Callable[..., Any]:
    """`Agent.iter`, recorded."""

    def open_run(self: Any, *args: Any, **options: Any) -> Any:
        return RecordedRun(original, self, args, options) if recorder.listening() else original(self, *args, **options)

    return open_run


class RecordedRun:
    """The context of one run: what is done in it, by the agent or by who steps through it, is part of the run."""

    def __init__(self, original: Callable[..., Any], agent: Any, args: tuple[Any, ...], options: dict[str, Any]) -> None:
        self._open = original
        self._agent = agent
        self._args = args
        self._options = options
        self._run: Run | None = None
        self._context: Any = None
        self._agent_run: Any = None
        self._tokens: tuple[Scope, Token[Run | None]] | None = None

    async def __aenter__(self) -> Any:
        self._begin()
        if self._run is not None:
            self._options["capabilities"] = [*(self._options.get("capabilities") or ()), Watcher(self._run)]
        try:
            self._context = self._open(self._agent, *self._args, **self._options)
            self._agent_run = await self._context.__aenter__()
        except BaseException as error:
            self._end(error)
            raise
        return self._agent_run

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool | None:
        # What a reader raises, or closes, after the last of a stream is no failure of the run.
        was_over = self._result() is not None
        try:
            swallowed: bool | None = await self._context.__aexit__(kind, error, traceback)
        except BaseException as raised:
            self._end(None if was_over and error is not None else raised)
            raise
        self._end(None if was_over or swallowed else error)
        return swallowed

    @guarded(ADAPTER)
    def _begin(self) -> None:
        results = self._options.get("deferred_tool_results")
        history = _history(self._options)
        run = None if results is None else _waiting.take(history)
        if run is not None:
            run.event.resume()
        else:
            run = begin(self._agent, self._args[0] if self._args else self._options.get("user_prompt"))
        if run is None:
            return
        self._tokens = recorder.enter(run.event), running.set(run)
        self._run = run
        response = last_response(history)
        if isinstance(results, DeferredToolResults) and response is not None:
            answer(run, calls_in(response), results)

    @guarded(ADAPTER)
    def _end(self, error: BaseException | None) -> None:
        run = self._run
        if run is None:
            return
        self._leave()
        result = self._result()
        if error is not None:
            stop(run, error)
        elif result is None:
            run.event.cancel()  # left before its end
        elif isinstance(result.output, DeferredToolRequests):
            ask(run, result.output)
            run.event.suspend(result.output)
            _waiting.put(run, self._agent_run.all_messages())
        else:
            run.event.complete(result.output)

    def _result(self) -> Any:
        return None if self._agent_run is None else self._agent_run.result

    def _leave(self) -> None:
        if self._tokens is not None:
            scope, outer = self._tokens
            recorder.leave(scope)
            recorder.restore(outer)


def _history(options: Mapping[str, Any]) -> list[Any]:
    """The messages that a run continues, which later releases may be given as a conversation."""
    conversation = options.get("conversation")
    return list(options.get("message_history") or getattr(conversation, "messages", None) or ())


def stop(run: Run, error: BaseException) -> None:
    """An error ends a run; it is no failure where someone cancelled the run: by its task, or by what later releases have for that."""
    cancelled = getattr(exceptions, "RunCancelled", ())
    if not isinstance(error, Exception) or (isinstance(error, cancelled) and not isinstance(error, TimeoutError)):
        run.event.cancel(error)
    else:
        run.event.fail(error)
