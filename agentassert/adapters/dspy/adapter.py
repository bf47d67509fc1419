"""Where DSPy is hooked into."""

from __future__ import annotations

import functools
from importlib.util import find_spec

from agentassert.adapters.base import CHAT, REQUESTS, SOURCES, TOOL_FAILURES, Adapter, needs
from agentassert.adapters.driver import Driver
from agentassert.adapters.dspy import ADAPTER
from agentassert.adapters.hooks import recorded
from agentassert.adapters.patching import wrap_function, wrap_method


class DSPyAdapter(Adapter):
    """Wraps what DSPy's own callbacks hang on: the calls of modules, tools and language models.

    Callbacks are not used: a thread that a program starts itself does not have those of `dspy.context`, and only the thread that called
    `dspy.configure` first may add any.
    """

    name = ADAPTER
    distribution = "dspy"
    tested = ("3.3.0", "3.4.1")
    sees = frozenset({TOOL_FAILURES, CHAT, SOURCES, REQUESTS})

    @classmethod
    def driver(cls) -> Driver:
        from agentassert.adapters.dspy.driving import DSPyDriver

        return DSPyDriver()

    def install(self) -> None:
        with needs():
            from dspy.adapters.types.tool import Tool
            from dspy.clients.base_lm import BaseLM
            from dspy.predict.predict import Predict
            from dspy.primitives.module import Module
            from dspy.retrievers.embeddings import Embeddings
            from dspy.retrievers.retrieve import Retrieve

            from agentassert.adapters.dspy import models, modules, predictions, retrievers, tools
        for name in ("__call__", "acall"):
            wrap_method(Module, name, recorded(ADAPTER, modules.begin, modules.end))
            wrap_method(Tool, name, recorded(ADAPTER, tools.begin, tools.end))
            wrap_method(BaseLM, name, recorded(ADAPTER, models.begin, models.end))
        if find_spec("dspy.clients.execution") is None:  # before 3.4
            wrap_method(BaseLM, "_process_lm_response", functools.partial(models.telling, at=1))
        else:
            from dspy.clients import execution

            wrap_function(execution, "finalize", functools.partial(models.telling, at=2))
        wrap_method(Predict, "_forward_postprocess", predictions.predicting)
        for kind in (Retrieve, Embeddings):
            wrap_method(kind, "__call__", retrievers.searched)
