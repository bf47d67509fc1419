"""Where the SDK is hooked into."""

from __future__ import annotations

import importlib
from typing import Any, ClassVar, Final

from agentassert.adapters.base import Adapter, HookMissingError, needs
from agentassert.adapters.openai_api import chat, completions, embeddings, moderations, responses
from agentassert.adapters.openai_sdk import ADAPTER
from agentassert.adapters.patching import wrap_method
from agentassert.adapters.stainless.adapter import StainlessAdapter
from agentassert.adapters.stainless.routes import Route
from agentassert.records import EmbeddingModelCall, ModerationModelCall

_TESTED: Final = ("2.26.0", "3.57.0")


class OpenAIAdapter(StainlessAdapter):
    """The clients of OpenAI, Azure's included, and whatever else is reached over them."""

    name = ADAPTER
    distribution = "openai"
    tested = _TESTED
    routes: ClassVar = {
        "/chat/completions": Route(chat.opening, chat.answer, chat.Chunks),
        "/completions": Route(completions.opening, completions.answer, completions.Chunks),
        "/responses": Route(responses.opening, responses.answer, responses.Events),
        "/embeddings": Route(embeddings.opening, embeddings.answer, kind=EmbeddingModelCall),
        "/moderations": Route(moderations.opening, moderations.answer, kind=ModerationModelCall),
    }


class _StreamHelperAdapter(Adapter):
    """The helpers for streams close the connection below the stream that they read, which then hears nothing of it."""

    name = ADAPTER
    distribution = "openai"
    tested = _TESTED
    sees = OpenAIAdapter.sees
    detaches = True
    module: ClassVar[str]
    helper: ClassVar[str]

    def install(self) -> None:
        module: Any = importlib.import_module(self.module)
        hooks = OpenAIAdapter.hooks
        if hooks is None:
            raise HookMissingError("requests are not recorded, so neither are their streams")
        with needs():
            blocking, asynchronous = getattr(module, self.helper), getattr(module, f"Async{self.helper}")
        wrap_method(blocking, "close", hooks.close)
        wrap_method(asynchronous, "close", hooks.async_close)


class OpenAIChatStreamAdapter(_StreamHelperAdapter):
    """That of chat completions."""

    module = "openai.lib.streaming.chat._completions"
    helper = "ChatCompletionStream"


class OpenAIResponseStreamAdapter(_StreamHelperAdapter):
    """That of responses."""

    module = "openai.lib.streaming.responses._responses"
    helper = "ResponseStream"
