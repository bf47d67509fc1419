"""Where LangChain and LangGraph are hooked into."""

from __future__ import annotations

from contextvars import ContextVar

from agentassert.adapters.base import APPROVALS, CHAT, REQUESTS, SOURCES, TOOL_FAILURES, Adapter, HookMissingError
from agentassert.adapters.driver import Driver
from agentassert.adapters.langchain import ADAPTER
from agentassert.adapters.langchain.callbacks import HANDLER
from agentassert.adapters.langchain.graphs import awatched, watched
from agentassert.adapters.patching import wrap_method


class LangChainAdapter(Adapter):
    """Registers one handler that LangChain adds to every run, in whatever thread or task; it cannot be taken away again."""

    name = ADAPTER
    distribution = "langchain-core"
    tested = ("1.0.0", "1.8.3")
    sees = frozenset({TOOL_FAILURES, CHAT, SOURCES, APPROVALS, REQUESTS})

    @classmethod
    def driver(cls) -> Driver:
        from agentassert.adapters.langchain.driving import RunnableDriver

        return RunnableDriver()

    def install(self) -> None:
        try:
            from langchain_core.tracers.context import register_configure_hook
        except ImportError as error:
            raise HookMissingError("langchain_core.tracers.context has no function 'register_configure_hook'") from error
        # A variable whose default is the handler holds it in every context, also in those of threads that were started bare.
        register_configure_hook(ContextVar("agentassert_langchain_handler", default=HANDLER), inheritable=True)
        self.resolver = HANDLER.current_event


class LangGraphAdapter(Adapter):
    """Wraps the two methods that every run of a compiled graph goes through: `invoke`, `batch` and the others call them too."""

    name = ADAPTER
    distribution = "langgraph"
    tested = ("1.0.0", "1.2.24")
    sees = LangChainAdapter.sees

    @classmethod
    def driver(cls) -> Driver:
        from agentassert.adapters.langchain.driving import GraphDriver

        return GraphDriver()

    def install(self) -> None:
        try:
            from langgraph.pregel import Pregel
        except ImportError as error:
            raise HookMissingError("langgraph.pregel has no class 'Pregel'") from error
        wrap_method(Pregel, "stream", watched)
        wrap_method(Pregel, "astream", awatched)
