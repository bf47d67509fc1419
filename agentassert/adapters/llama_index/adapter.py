"""Where LlamaIndex is hooked into."""

from __future__ import annotations

from agentassert.adapters.base import APPROVALS, CHAT, REQUESTS, SOURCES, TOOL_FAILURES, Adapter, needs
from agentassert.adapters.driver import Driver
from agentassert.adapters.hooks import recorded
from agentassert.adapters.llama_index import ADAPTER
from agentassert.adapters.patching import wrap_method


class LlamaIndexAdapter(Adapter):
    """Wraps the methods by which dispatchers tell their handlers of spans and events.

    No handler is added: a program may replace the list of them, dispatchers need not pass on to the root, and what a handler raises
    is swallowed. Only what no span tells is heard elsewhere: that a workflow was started, and that a person is asked.
    """

    name = ADAPTER
    distribution = "llama-index-core"
    tested = ("0.14.18", "0.14.25")
    # Embeddings are recorded, but not those of images, of which nothing tells.
    sees = frozenset({TOOL_FAILURES, CHAT, SOURCES, APPROVALS, REQUESTS})

    @classmethod
    def driver(cls) -> Driver:
        from agentassert.adapters.llama_index.driving import LlamaIndexDriver

        return LlamaIndexDriver()

    def install(self) -> None:
        with needs():
            # Nothing of LlamaIndex itself, which is not complete when the trigger was imported.
            from llama_index_instrumentation.dispatcher import Dispatcher
            from workflows.context import Context
            from workflows.runtime.types.step_function import SpanCancelledEvent  # noqa: F401  # since then a run's span is open until its end
            from workflows.workflow import Workflow

            from agentassert.adapters.llama_index import approvals, runs, spans
        wrap_method(Workflow, "run", recorded(ADAPTER, runs.begin, runs.started, stop=runs.refused))
        wrap_method(Dispatcher, "span_enter", spans.entering)
        wrap_method(Dispatcher, "span_exit", spans.exiting)
        wrap_method(Dispatcher, "span_drop", spans.dropping)
        wrap_method(Dispatcher, "event", spans.hearing)
        wrap_method(Context, "wait_for_event", approvals.asking)
