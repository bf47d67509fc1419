"""Where an SDK is hooked into."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, ClassVar

from agentassert.adapters.base import CHAT, EMBEDDING, MODERATION, REQUESTS, SCORING, TOOL_FAILURES, Adapter, needs
from agentassert.adapters.patching import wrap_method
from agentassert.adapters.stainless.hooks import Classes, Hooks
from agentassert.adapters.stainless.routes import Route


class StainlessAdapter(Adapter):
    """Wraps the method of an SDK's clients that sends every request, whatever resource, helper or subclass it comes from.

    It sees calls of every kind: those that an SDK has no route for, no program can make over it. Whether a tool failed is told by each
    execution, which is unknown where the provider has no word for it.

    Args:
        routes: the addresses at which models answer, by the end of their path.
    """

    sees = frozenset({CHAT, EMBEDDING, SCORING, MODERATION, REQUESTS, TOOL_FAILURES})
    detaches = True
    routes: ClassVar[Mapping[str, Route]]
    hooks: ClassVar[Hooks | None] = None

    def install(self) -> None:
        with needs():
            streaming = importlib.import_module(f"{self.name}._streaming")
            responding = importlib.import_module(f"{self.name}._response")
            base: Any = importlib.import_module(f"{self.name}._base_client")
            parsing = [responding.BaseAPIResponse]
            closing = [streaming.Stream, responding.APIResponse]
            async_closing = [streaming.AsyncStream, responding.AsyncAPIResponse]
            client, async_client = base.SyncAPIClient, base.AsyncAPIClient
        legacy = getattr(base, "LegacyAPIResponse", None)
        if legacy is not None:
            parsing.append(legacy)
        hooks = Hooks(self.name, self.routes, Classes(streaming.Stream, streaming.AsyncStream, tuple(parsing)))
        for response in parsing:
            wrap_method(response, "_parse", hooks.parse)
        for closed in closing:
            wrap_method(closed, "close", hooks.close)
        for closed in async_closing:
            wrap_method(closed, "close", hooks.async_close)
        wrap_method(client, "request", hooks.request)
        wrap_method(async_client, "request", hooks.async_request)
        type(self).hooks = hooks
