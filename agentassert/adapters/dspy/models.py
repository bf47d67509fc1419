"""Requests to language models."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final
from weakref import WeakKeyDictionary

from agentassert import recorder
from agentassert.adapters.base import guarded
from agentassert.adapters.dspy import ADAPTER, predictions
from agentassert.recording.events import ModelCallEvent
from agentassert.token_usage import TokenUsage

_told: Final[WeakKeyDictionary[ModelCallEvent, Any]] = WeakKeyDictionary()


def begin(model: Any, prompt: Any = None, *, messages: Any = None, **_: Any) -> ModelCallEvent | None:
    """It is sent."""
    work = predictions.at_work()
    event = recorder.start_model_call(
        adapter=ADAPTER,
        model=str(model.model),
        inputs=_messages(prompt, messages),
        tools_offered=None if work is None else work.offered(),
    )
    if work is not None:
        work.event = event
    return event


def telling(original: Callable[..., Any], at: int) -> Callable[..., Any]:
    """What makes the answer of a response, its argument `at`: the answer has neither the tokens nor why it ended."""

    def told(*args: Any, **options: Any) -> Any:
        _hear(args[at])
        return original(*args, **options)

    return told


@guarded(ADAPTER)
def _hear(response: Any) -> None:
    event = recorder.current_event()
    if isinstance(event, ModelCallEvent):
        _told[event] = response


def end(event: ModelCallEvent, outputs: Any) -> None:
    """It was answered."""
    response = _told.pop(event, None)
    event.respond(
        text=_text_of(outputs),
        finish_reason=_finish_reason(response),
        usage=_usage_of(_part(response, "usage")),
        cached=bool(_part(response, "cache_hit")),
    )


def _messages(prompt: Any, messages: Any) -> list[Any]:
    if messages is not None:
        return list(messages)
    if isinstance(prompt, str):
        return [{"role": "user", "content": prompt}]
    return [{"role": one.role, "content": _words(one)} for one in getattr(prompt, "messages", ())]


def _text_of(outputs: Any) -> str | None:
    """The text of the first answer: of a list, as DSPy's own modules get it, or of what answers a request that a program wrote itself."""
    first = outputs[0] if isinstance(outputs, list) and outputs else outputs
    text = first if isinstance(first, str) else _part(first, "text")
    return text if isinstance(text, str) else None


def _words(message: Any) -> str:
    return "".join(part.text for part in message.parts if isinstance(getattr(part, "text", None), str))


def _finish_reason(response: Any) -> str | None:
    for told in (_part(response, "raw"), *(_part(response, "responses") or ()), response):
        choices = _part(told, "choices")
        reason = _part(choices[0] if choices else told, "finish_reason")
        if isinstance(reason, str):
            return reason
    return None


def _usage_of(usage: Any) -> TokenUsage | None:
    read, written = _part(usage, "prompt_tokens"), _part(usage, "completion_tokens")
    return None if read is None and written is None else TokenUsage(input_tokens=read, output_tokens=written)


def _part(whole: Any, name: str) -> Any:
    return whole.get(name) if isinstance(whole, Mapping) else getattr(whole, name, None)
