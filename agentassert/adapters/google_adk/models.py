"""Requests to models."""

from __future__ import annotations

from typing import Any, Final
from weakref import WeakKeyDictionary

from agentassert import recorder
from agentassert.adapters.google_adk import ADAPTER
from agentassert.adapters.google_adk.messages import calls_in, messages_sent, request_of, text_of, tools_offered_by, usage_of
from agentassert.adapters.google_adk.runs import position
from agentassert.adapters.hooks import recorded
from agentassert.recording.events import ModelCallEvent

_pieces: Final[WeakKeyDictionary[ModelCallEvent, str]] = WeakKeyDictionary()
"""What has come of an answer that is still to come as a whole."""


def _begin(model: Any, llm_request: Any, *_: Any, **__: Any) -> ModelCallEvent | None:
    around = recorder.current_event()
    if isinstance(around, ModelCallEvent) and around.adapter == ADAPTER:
        return None  # a class's own method calls the one that it overrides, perhaps when the first of its responses has ended the call
    event = recorder.start_model_call(
        adapter=ADAPTER,
        model=llm_request.model or model.model,
        inputs=messages_sent(llm_request),
        tools_offered=tools_offered_by(llm_request),
    )
    work = position.get()
    if work is not None:
        work.call = event
    return event


def _hear(event: ModelCallEvent, response: Any) -> None:
    """A response, or a piece of one that is still to come as a whole; what is done with it happens before the generator goes on."""
    if response.partial:
        _pieces[event] = _pieces.get(event, "") + text_of(response.content)
    elif event.ended_order is not None:
        _go_on(event, response)
    elif response.error_code and response.content is None and response.finish_reason is None:
        event.fail(f"{response.error_code}: {response.error_message}")
    else:
        event.respond(
            text=text_of(response.content),
            finish_reason=_reason(response),
            usage=usage_of(response.usage_metadata),
            requests=[request_of(call) for call in calls_in(response.content)],
        )


def _go_on(event: ModelCallEvent, response: Any) -> None:
    """Add what comes after a response that was one already: models answer with text, then with calls of tools."""
    event.text = f"{event.text or ''}{text_of(response.content)}"
    event.requests = [*event.requests, *(request_of(call) for call in calls_in(response.content))]
    event.raw_finish_reason = _reason(response) or event.raw_finish_reason
    event.usage = usage_of(response.usage_metadata) or event.usage
    event.changed()


def _end(event: ModelCallEvent, _: Any) -> None:
    """Nothing more comes; of some models, only the pieces did."""
    text = _pieces.pop(event, "")
    event.respond(text=text) if text else event.stop()


def _stop(event: ModelCallEvent, error: BaseException) -> None:
    """An error ended it, or nobody waits for its answer any more."""
    if isinstance(error, Exception):
        event.fail(error)
    else:
        event.stop(_pieces.pop(event, None))


generating: Final = recorded(ADAPTER, _begin, _end, stop=_stop, hear=_hear, kind="async stream")
"""`BaseLlm.generate_content_async`, recorded."""


def _reason(response: Any) -> str | None:
    """The provider's word; an error code stands for it where there is none."""
    reason = response.finish_reason
    return response.error_code if reason is None else str(getattr(reason, "value", reason))
