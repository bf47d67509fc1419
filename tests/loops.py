"""Hand-written loops over an SDK, as its adapter would see them: what they send, and what is answered."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, TypeAlias

from agentassert import recorder
from agentassert.recording.events import ModelCallEvent
from agentassert.recording.exchanges import Exchange, Sent, SentRequest, SentResult

Asked: TypeAlias = tuple[str, Any] | tuple[str, Any, str | None]
"""A request: the tool's name, its arguments, and its id (`"call_0"` without one)."""


def text(content: str) -> Sent:
    """A message without requests or results."""
    return Sent(f"text {content}")


def asked(*requests: Asked) -> Sent:
    """A response that is sent back as part of the history."""
    sent = tuple(SentRequest(*_whole(request)) for request in requests)
    return Sent(f"asked {sent}", requests=sent)


def told(result: Any, call_id: str | None = "call_0", failed: bool | None = None) -> Sent:
    """A result that is sent back."""
    return Sent(f"told {call_id} {result}", results=(SentResult(call_id, result, failed),))


def send(
    *sent: Sent,
    asks: Sequence[Asked] = (),
    error: Exception | None = None,
    continues: str | None = None,
    conversation: str | None = None,
    response_id: str | None = None,
    adapter: str = "sdk",
) -> ModelCallEvent | None:
    """A request that sends these items, and its response."""
    call = recorder.start_model_call(adapter=adapter)
    if call is None:
        return None
    call.exchange = Exchange(sent, continues=continues, conversation=conversation, response_id=response_id)
    if error is not None:
        call.fail(error)
        return call
    requests = [dict(zip(("name", "arguments", "call_id"), _whole(one), strict=True)) for one in asks]
    call.respond(text=None if asks else "Done.", requests=requests)
    return call


class Loop:
    """A loop that keeps its whole history and sends it each time."""

    def __init__(self, *history: Sent) -> None:
        self.history = [*history]

    def ask(self, *requests: Asked) -> None:
        """Send the history; the response asks for these tools, or says something."""
        send(*self.history, asks=requests)
        self.history.append(asked(*requests) if requests else text("Done."))

    def tell(self, *results: Sent) -> None:
        """Take results, or messages, into the history."""
        self.history += results


def _whole(request: Asked) -> tuple[str, Any, str | None]:
    name, arguments, *call_id = request
    return name, arguments if isinstance(arguments, str) else json.dumps(arguments), call_id[0] if call_id else "call_0"
