"""Where the SDK is hooked into."""

from __future__ import annotations

import importlib
from typing import ClassVar, Final

from agentassert.adapters.anthropic_sdk import ADAPTER, messages, streams, tools
from agentassert.adapters.base import Adapter, needs
from agentassert.adapters.patching import wrap_method
from agentassert.adapters.stainless.adapter import StainlessAdapter
from agentassert.adapters.stainless.routes import Route

_TESTED: Final = ("0.96.0", "2.14.0")


class AnthropicAdapter(StainlessAdapter):
    """The clients of Anthropic, those for Bedrock and Vertex included."""

    name = ADAPTER
    distribution = "anthropic"
    tested = _TESTED
    routes: ClassVar = {"/v1/messages": Route(messages.opening, messages.answer, streams.Events)}


class AnthropicToolsAdapter(Adapter):
    """The tools that the SDK's tool runner runs, with their results and errors."""

    name = ADAPTER
    distribution = "anthropic"
    tested = _TESTED
    sees = AnthropicAdapter.sees
    detaches = True

    def install(self) -> None:
        module = importlib.import_module("anthropic.lib.tools._beta_functions")
        with needs():
            blocking, asynchronous = module.BetaFunctionTool, module.BetaAsyncFunctionTool
        wrap_method(blocking, "call", tools.recorded)
        wrap_method(asynchronous, "call", tools.recorded)
