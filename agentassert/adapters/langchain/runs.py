"""What is known of the agents and retrievers that run."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, Final, TypeAlias

from agentassert.adapters.langchain.approvals import Interrupted
from agentassert.recording.events import Event, InvocationEvent, ModelCallEvent, Mover, RetrievalEvent, ToolEvent, current_mover

UNNAMED: Final = "LangGraph"
"""What LangGraph calls a graph that was compiled without a name."""

Key: TypeAlias = tuple[Any, ...]


class GraphStart:
    """A graph that is about to run: what its callbacks do not tell.

    The callback of a graph's run looks like that of any chain, on all versions: metadata and tags are inherited by the chains below
    it, `serialized` is `None` for both. So whoever runs the graph leaves this in a context variable while the graph makes its first
    step, and the first callback in that step takes it.
    """

    __slots__ = ("agent", "claimed", "interrupted", "name", "saver", "thread")

    def __init__(self, graph: Any, config: Any) -> None:
        bound = getattr(graph, "config", None)
        self.name = _name_of(graph)
        self.thread = _thread_id(config) or _thread_id(bound)
        self.saver = _reference_to(_saver_of(graph, config))
        self.claimed = False
        self.interrupted = False
        self.agent: AgentRun | None = None


starting: ContextVar[GraphStart | None] = ContextVar("agentassert_langgraph_start", default=None)


def claim_start() -> GraphStart | None:
    """The graph whose run begins with the callback that asks, if one does."""
    start = starting.get()
    if start is None or start.claimed:
        return None
    start.claimed = True
    return start


def _name_of(graph: Any) -> str:
    name = str(getattr(graph, "name", None) or UNNAMED)
    if name == UNNAMED and type(graph).__name__ == "Pregel" and len(graph.nodes) == 1:
        return str(next(iter(graph.nodes)))  # an `@entrypoint` function, which gives its name to its only node
    return name


def _thread_id(config: Any) -> str | None:
    thread_id = _configured(config, "thread_id")
    return None if thread_id is None else str(thread_id)


def _saver_of(graph: Any, config: Any) -> Any:
    """The checkpointer that keeps what an interrupted run goes on from; inside another graph it is that one's."""
    lent = _configured(config, "__pregel_checkpointer")
    saver = getattr(graph, "checkpointer", None) if lent is None else lent
    return None if isinstance(saver, bool) else saver


def _configured(config: Any, key: str) -> Any:
    configurable = config.get("configurable") if isinstance(config, Mapping) else None
    return configurable.get(key) if isinstance(configurable, Mapping) else None


def _reference_to(saver: Any) -> Callable[[], Any]:
    try:
        return weakref.ref(saver)
    except TypeError:
        return lambda: saver


class AgentRun:
    """An invocation, from its start over any number of interrupts to its end."""

    __slots__ = ("around", "event", "handoffs", "key", "open", "start", "suspended_tools", "unplaced", "waiting")

    def __init__(self, event: InvocationEvent, start: GraphStart | None, key: Key | None, around: AgentRun | None) -> None:
        self.event = event
        self.start = start
        self.key = key
        self.around = around
        self.open: dict[Any, ToolEvent | ModelCallEvent] = {}
        self.suspended_tools: dict[str, ToolEvent] = {}
        self.waiting: list[Interrupted] = []
        self.unplaced: Sequence[Any] = ()
        self.handoffs: dict[str, InvocationEvent] = {}

    @property
    def root(self) -> AgentRun:
        """The agent at the top, which is the one that is resumed."""
        return self if self.around is None else self.around.root

    @property
    def interrupted(self) -> bool:
        """Whether an interrupt of its own stopped it."""
        return self.start is not None and self.start.interrupted

    def interrupt(self) -> None:
        """Note that an interrupt stops it."""
        if self.start is not None:
            self.start.interrupted = True

    def has_open_model_call(self) -> bool:
        """Whether a model is still answering."""
        return any(isinstance(event, ModelCallEvent) for event in self.open.values())

    def cancel_tools(self) -> None:
        """End the tools that its failure left behind: older LangChains report no end of a tool whose task was cancelled."""
        for event in list(self.open.values()):
            if isinstance(event, ToolEvent):
                event.cancel()


class Retrievals:
    """The retrievers that run, and by whom: LangChain does not tell what runs inside one that it does."""

    def __init__(self) -> None:
        self._running: dict[Any, tuple[Mover, RetrievalEvent]] = {}

    def put(self, run_id: Any, event: RetrievalEvent) -> None:
        """Remember one that starts."""
        self._running[run_id] = current_mover(), event

    def end(self, run_id: Any) -> None:
        """Forget one that ends."""
        self._running.pop(run_id, None)

    def around(self, event: Event | None) -> Event | None:
        """The retrieval that goes on beside `event`, by the hand of the running thread or task: that can only be inside it."""
        if self._running:
            mover = current_mover()
            for by, retrieval in reversed(list(self._running.values())):
                if by == mover and retrieval.parent is event:
                    return retrieval
        return event
