"""Requests to models."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, contextmanager
from typing import Any, Final
from weakref import WeakSet

from google.adk.models.base_llm import BaseLlm

from agentassert import recorder
from agentassert.adapters.base import guarded
from agentassert.adapters.google_adk import ADAPTER
from agentassert.adapters.google_adk.messages import calls_in, messages_sent, request_of, text_of, tools_offered_by, usage_of
from agentassert.adapters.google_adk.runs import position
from agentassert.adapters.patching import wrap_method
from agentassert.adapters.streams import driven
from agentassert.recording.events import ModelCallEvent

_METHOD: Final = "generate_content_async"
_wrapped: Final[WeakSet[type]] = WeakSet()


def finding(original: Callable[..., Any]) -> Callable[..., Any]:
    """`PluginManager.run_before_model_callback`, after which a model is called, of whatever class."""

    async def run_before_model_callback(self: Any, *args: Any, **kwargs: Any) -> Any:
        if recorder.listening():
            _wrap_all()
        return await original(self, *args, **kwargs)

    return run_before_model_callback


@guarded(ADAPTER)
def _wrap_all() -> None:
    """Wrap the method of every class of models that there is: which one is called, only the flow is to decide."""
    for kind in _below(BaseLlm):
        if kind not in _wrapped and _METHOD in vars(kind):
            _wrapped.add(kind)
            wrap_method(kind, _METHOD, _generating)


def _below(kind: type[Any]) -> Iterator[type[Any]]:
    for one in kind.__subclasses__():
        yield one
        yield from _below(one)


def _generating(original: Callable[..., Any]) -> Callable[..., Any]:
    def recorded(self: Any, llm_request: Any, *args: Any, **kwargs: Any) -> Any:
        responses = original(self, llm_request, *args, **kwargs)
        return _call(self, llm_request, responses) if recorder.listening() and not _is_within_a_call() else responses

    return recorded


def _is_within_a_call() -> bool:
    """Whether it is a class's own method that calls the one that it overrides."""
    around = recorder.current_event()
    return isinstance(around, ModelCallEvent) and around.adapter == ADAPTER


async def _call(model: Any, request: Any, responses: Any) -> AsyncGenerator[Any, None]:
    call = Call(model, request)
    try:
        async with aclosing(driven(responses, call.within)) as parts:
            async for response in parts:
                call.hear(response)
                yield response
    except BaseException as error:
        call.stop(error)
        raise
    call.end()


class Call:
    """One request to a model. It is over with its answer: what is done with that happens before the generator goes on."""

    __slots__ = ("_event", "_text")

    def __init__(self, model: Any, request: Any) -> None:
        self._text = ""
        self._event: ModelCallEvent | None = None
        self._begin(model, request)

    @guarded(ADAPTER)
    def _begin(self, model: Any, request: Any) -> None:
        self._event = recorder.start_model_call(
            adapter=ADAPTER,
            model=request.model or model.model,
            inputs=messages_sent(request),
            tools_offered=tools_offered_by(request),
        )
        work = position.get()
        if work is not None:
            work.call = self._event

    @contextmanager
    def within(self) -> Iterator[None]:
        """What happens inside carries the call out."""
        if self._event is None:
            yield
            return
        entered = recorder.enter(self._event)
        try:
            yield
        finally:
            recorder.leave(entered)

    @guarded(ADAPTER)
    def hear(self, response: Any) -> None:
        """A response, or a piece of one that is still to come as a whole."""
        event = self._event
        if event is None:
            return
        if response.partial:
            self._text += text_of(response.content)
        elif event.ended_order is None:
            self._respond(event, response)
        else:
            _go_on(event, response)

    def _respond(self, event: ModelCallEvent, response: Any) -> None:
        if response.error_code and response.content is None and response.finish_reason is None:
            event.fail(f"{response.error_code}: {response.error_message}")
            return
        event.respond(
            text=text_of(response.content),
            finish_reason=_reason(response),
            usage=usage_of(response.usage_metadata),
            requests=[request_of(call) for call in calls_in(response.content)],
        )

    @guarded(ADAPTER)
    def end(self) -> None:
        """Nothing more comes; of some models, only the pieces did."""
        if self._event is not None:
            self._event.stop(self._text) if not self._text else self._event.respond(text=self._text)

    @guarded(ADAPTER)
    def stop(self, error: BaseException) -> None:
        """An error ended it, or nobody waits for its answer any more."""
        if self._event is None:
            return
        if isinstance(error, Exception):
            self._event.fail(error)
        else:
            self._event.stop(self._text or None)


def _go_on(event: ModelCallEvent, response: Any) -> None:
    """Add what comes after a response that was one already: models answer with text, then with calls of tools."""
    event.text = f"{event.text or ''}{text_of(response.content)}"
    event.requests = [*event.requests, *(request_of(call) for call in calls_in(response.content))]
    event.raw_finish_reason = _reason(response) or event.raw_finish_reason
    event.usage = usage_of(response.usage_metadata) or event.usage
    event.changed()


def _reason(response: Any) -> str | None:
    """The provider's word; an error code stands for it where there is none."""
    reason = response.finish_reason
    return response.error_code if reason is None else str(getattr(reason, "value", reason))
