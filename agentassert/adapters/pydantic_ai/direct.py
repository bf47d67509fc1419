"""`pydantic_ai.direct`: requests to models that no agent makes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import attrs
from pydantic_ai import direct
from pydantic_ai.models import Model
from pydantic_ai.models.wrapper import WrapperModel

from agentassert import recorder
from agentassert.adapters.patching import wrap_function
from agentassert.adapters.pydantic_ai.models import Call


@attrs.frozen
class _Request:
    """What an agent's request tells of itself."""

    model: Model
    messages: list[Any]
    model_request_parameters: Any


class _RecordingModel(WrapperModel):
    """Sends what it is given to the model that it wraps, and records it."""

    async def request(self, messages: list[Any], model_settings: Any, model_request_parameters: Any) -> Any:
        call, request = Call(), _Request(self.wrapped, messages, model_request_parameters)
        call.begin(request)
        try:
            response = await self.wrapped.request(messages, model_settings, model_request_parameters)
        except BaseException as error:
            call.fail(error, request)
            raise
        call.end(response, request)
        return response

    @asynccontextmanager
    async def request_stream(
        self, messages: list[Any], model_settings: Any, model_request_parameters: Any, run_context: Any = None
    ) -> AsyncIterator[Any]:
        call, request = Call(), _Request(self.wrapped, messages, model_request_parameters)
        call.begin(request)
        try:
            async with self.wrapped.request_stream(messages, model_settings, model_request_parameters, run_context) as stream:
                yield stream
        except BaseException as error:
            call.fail(error, request)
            raise
        call.end(stream.get(), request)


def install() -> None:
    """Put the recording model in its place.

    Raises:
        HookMissingError: when the place is not there.
    """
    wrap_function(direct, "_prepare_model", _recording)


def _recording(original: Callable[..., Any]) -> Callable[..., Any]:
    def prepare(*args: Any, **kwargs: Any) -> Any:
        model: Any = original(*args, **kwargs)
        return _RecordingModel(model) if recorder.listening() else model

    return prepare
