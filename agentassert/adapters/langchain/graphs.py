"""The runs of LangGraph's graphs: each is an agent's, and is told from the chains that LangChain reports in the same way."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any, Final

from agentassert import recorder
from agentassert.adapters.base import guarded, holding
from agentassert.adapters.langchain import ADAPTER
from agentassert.adapters.langchain.callbacks import HANDLER
from agentassert.adapters.langchain.runs import GraphStart, starting

_INTERRUPT: Final = "__interrupt__"


def watched(original: Callable[..., Any]) -> Callable[..., Any]:
    """`Pregel.stream`, recorded."""

    def stream(self: Any, input: Any, config: Any = None, **options: Any) -> Iterator[Any]:
        if not recorder.listening():
            yield from original(self, input, config, **options)
            return
        start = _start(self, config)
        chunks = original(self, input, _heard(config) or config, **options)
        yield from chunks if start is None else _Chunks(chunks, start)

    return stream


def awatched(original: Callable[..., Any]) -> Callable[..., Any]:
    """`Pregel.astream`, recorded."""

    async def astream(self: Any, input: Any, config: Any = None, **options: Any) -> AsyncIterator[Any]:
        start = _start(self, config) if recorder.listening() else None
        chunks = original(self, input, config if start is None else _heard(config) or config, **options)
        try:
            while True:
                try:
                    chunk = await anext(chunks) if start is None else await _anext(chunks, start)
                except StopAsyncIteration:
                    return
                yield chunk
        finally:
            if hasattr(chunks, "aclose"):  # not where another library's wrapper gives something else than a generator
                await chunks.aclose()

    return astream


async def _anext(chunks: Any, start: GraphStart) -> Any:
    _advanced(start)
    if start.claimed:
        chunk = await anext(chunks)
    else:
        with holding(starting, start):
            chunk = await anext(chunks)
    _saw(start, chunk)
    return chunk


class _Chunks:
    """What a graph's run produces, as it produces it."""

    def __init__(self, chunks: Any, start: GraphStart) -> None:
        self._chunks = chunks
        self._start = start
        if hasattr(chunks, "throw"):  # not where another library's wrapper gives something else than a generator
            self.throw = chunks.throw
            self.close = chunks.close

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        start = self._start
        _advanced(start)
        if start.claimed:
            chunk = next(self._chunks)
        else:
            with holding(starting, start):
                chunk = next(self._chunks)
        _saw(start, chunk)
        return chunk


@guarded(ADAPTER)
def _start(graph: Any, config: Any) -> GraphStart:
    return GraphStart(graph, config)


@guarded(ADAPTER)
def _heard(config: Any) -> Any:
    """A configuration that our handler hears of: LangGraph completes a list of callbacks, but not a manager that it is given."""
    manager: Any = config.get("callbacks") if isinstance(config, Mapping) else None
    if not hasattr(manager, "inheritable_handlers") or any(one is HANDLER for one in manager.handlers):
        return config
    manager = manager.copy()
    manager.add_handler(HANDLER, inherit=True)
    return {**config, "callbacks": manager}


@guarded(ADAPTER)
def _advanced(start: GraphStart) -> None:
    if start.agent is not None:
        start.agent.event.advanced()


@guarded(ADAPTER)
def _saw(start: GraphStart, chunk: Any) -> None:
    """Notice that a breakpoint stopped the run, which no callback tells."""
    data = chunk[-1] if isinstance(chunk, tuple) else chunk
    if not isinstance(data, Mapping):
        return
    if "type" in data and "ns" in data and "data" in data:
        start.interrupted = start.interrupted or bool(data.get("interrupts")) or _holds_interrupt(data["data"])
    elif _holds_interrupt(data):
        start.interrupted = True


def _holds_interrupt(data: Any) -> bool:
    return isinstance(data, Mapping) and _INTERRUPT in data
