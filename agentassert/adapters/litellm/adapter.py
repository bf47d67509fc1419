"""Where LiteLLM is hooked into."""

from __future__ import annotations

import importlib
import sys
from types import FunctionType
from typing import Any, ClassVar, Final

from agentassert.adapters.base import (
    CHAT,
    EMBEDDING,
    MODERATION,
    REQUESTS,
    SCORING,
    TOOL_FAILURES,
    Adapter,
    HookMissingError,
    needs,
)
from agentassert.adapters.litellm import ADAPTER
from agentassert.adapters.litellm.bodies import replace_body
from agentassert.adapters.litellm.calls import Calls, counted
from agentassert.adapters.litellm.routes import FUNCTIONS, ROUTED
from agentassert.adapters.patching import wrap_method
from agentassert.adapters.replacing import keeper

_MODULES: Final = (
    "litellm",
    "litellm.main",
    "litellm.chat_completions.dispatch",
    "litellm.embeddings.dispatch",
    "litellm.responses.dispatch",
    "litellm.responses.main",
    "litellm.rerank_api.main",
)


class LiteLLMAdapter(Adapter):
    """Gives LiteLLM's functions, and the methods of its router, a body that records what they are called with and give back.

    Its callbacks would hear of an answer after the program has it, on another thread, and of none that came from a cache.
    """

    name = ADAPTER
    distribution = "litellm"
    tested = ("1.82.0", "1.110.2")
    sees = frozenset({CHAT, EMBEDDING, SCORING, MODERATION, REQUESTS, TOOL_FAILURES})
    detaches = True
    calls: ClassVar[Calls | None] = None

    def install(self) -> None:
        with needs():
            logging: Any = importlib.import_module("litellm.litellm_core_utils.litellm_logging").Logging
            router: Any = importlib.import_module("litellm.router").Router
        calls = Calls(keeper())
        wrap_method(logging, "pre_call", counted)
        for name, function in FUNCTIONS.items():
            for one in _functions(name):
                replace_body(one, calls.recorded(function))
        if "completion" in vars(router):
            wrap_router(router, calls)
        type(self).calls = calls


class LiteLLMRouterAdapter(Adapter):
    """The router of newer versions, which has its methods from a class that is imported when the first router is made."""

    name = ADAPTER
    distribution = "litellm"
    tested = LiteLLMAdapter.tested
    sees = LiteLLMAdapter.sees
    detaches = True

    def install(self) -> None:
        with needs():
            core: Any = importlib.import_module("litellm.router_rust.core").RustCore
        if LiteLLMAdapter.calls is None:
            raise HookMissingError("calls are not recorded, so neither are those of its router")
        wrap_router(core, LiteLLMAdapter.calls)


def wrap_router(router: type, calls: Calls) -> None:
    """Have a call over a router be one, however many deployments it tries."""
    for name, function in ROUTED.items():
        if name in vars(router):  # some are made for each router, and call the function of that name
            wrap_method(router, name, calls.recorded(function))


def _functions(name: str) -> list[FunctionType]:
    """LiteLLM's own functions of that name, below whatever somebody else put in their place: each with what it decorates."""
    found: list[FunctionType] = []
    for module in _MODULES:
        function: Any = getattr(sys.modules.get(module), name, None)
        while hasattr(function, "__wrapped__"):
            decorated = function.__wrapped__
            if (
                isinstance(function, FunctionType)
                and function.__globals__["__name__"].startswith("litellm.")
                and function not in found
            ):
                found.append(function)
            function = decorated
    if not found:
        raise HookMissingError(f"litellm has no function {name!r}")
    return found
