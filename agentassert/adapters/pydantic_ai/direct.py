"""`pydantic_ai.direct`: requests to models that no agent makes."""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

import attrs
from pydantic_ai import direct
from pydantic_ai.models import Model
from pydantic_ai.models.wrapper import WrapperModel

from agentassert import recorder
from agentassert.adapters.base import HookMissingError
from agentassert.adapters.patching import replace
from agentassert.adapters.pydantic_ai.calls import Call

_PREPARE: Final = "_prepare_model"


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
    replace(direct, _PREPARE, _recording)


def _recording(original: Callable[..., Any] | None) -> Callable[..., Any]:
    if original is None:
        raise HookMissingError(f"pydantic_ai.direct has no function {_PREPARE!r}")

    @functools.wraps(original)
    def prepare(*args: Any, **kwargs: Any) -> Any:
        model: Any = original(*args, **kwargs)
        return _RecordingModel(model) if recorder.listening() else model

    return prepare
