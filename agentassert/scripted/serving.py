"""What is sent in answer to a request, ready to be written to a connection."""

from __future__ import annotations

import enum
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import attrs

from agentassert.scripted.faults import Disconnection, Fault, Garbled, HttpFailure, Silence
from agentassert.scripted.requests import Api, ScriptedRequest
from agentassert.scripted.steps import Answer, Reply
from agentassert.scripted.wire.chat import ChatCompletions
from agentassert.scripted.wire.messages import Messages
from agentassert.scripted.wire.protocol import Protocol, failure_body
from agentassert.scripted.wire.responses import Responses

_PROTOCOLS: Final[Mapping[Api, type[Protocol]]] = {
    Api.CHAT_COMPLETIONS: ChatCompletions,
    Api.RESPONSES: Responses,
    Api.MESSAGES: Messages,
}
_AT_ONCE: Final = {"retry-after-ms": "1"}
"""Spares a test the seconds that clients wait before they try again."""


class Ending(enum.Enum):
    """How an answer ends."""

    COMPLETE = enum.auto()
    BREAKS = enum.auto()
    HANGS = enum.auto()


@attrs.frozen(kw_only=True)
class Sending:
    """An answer as it goes over a connection.

    Args:
        status: the HTTP status; `None` where not even that is sent.
        pieces: the body.
        streamed: whether the body is a stream of events.
        latency: seconds to wait first; `pace`: seconds between the pieces.
    """

    status: int | None = 200
    headers: Mapping[str, str] = attrs.field(factory=dict)
    pieces: Iterable[str] = ()
    streamed: bool = False
    latency: float = 0.0
    pace: float = 0.0
    ending: Ending = Ending.COMPLETE


def plain(body: Mapping[str, Any]) -> Sending:
    """A JSON object, sent at once."""
    return Sending(pieces=[json.dumps(body)])


def sending(answer: Answer, request: ScriptedRequest, numbers: Iterator[int]) -> Sending:
    """What a step has to say to a chat.

    Args:
        answer: the step.
        request: what it answers.
        numbers: makes what is answered unique.

    Raises:
        UnsayableError: when the protocol of the request has no words for it.
    """
    protocol = _PROTOCOLS[request.api](request, numbers)
    if isinstance(answer, Fault):
        return failing(answer, protocol if request.streamed else None)
    return _replying(answer, protocol, streamed=request.streamed)


def _replying(reply: Reply, protocol: Protocol, *, streamed: bool) -> Sending:
    if not streamed:
        return attrs.evolve(plain(protocol.whole(reply)), latency=reply.latency)
    frames = [*map(protocol.frame, protocol.events(reply)), *([protocol.ending] if protocol.ending else ())]
    return Sending(pieces=frames, streamed=True, latency=reply.latency, pace=reply.pace)


def failing(fault: Fault, streamed: Protocol | None = None) -> Sending:
    """How a fault shows.

    Args:
        fault: what goes wrong.
        streamed: the protocol of the stream that is asked for; `None` where none is.
    """
    begun = [] if streamed is None or fault.after is None else [*map(streamed.frame, streamed.beginning(fault.after))]
    if isinstance(fault, HttpFailure):
        if streamed is not None and begun:
            return Sending(pieces=[*begun, streamed.frame(streamed.broken(fault))], streamed=True)
        advice = _AT_ONCE if fault.retry else {"x-should-retry": "false"}
        headers = {**({} if "retry-after" in {name.lower() for name in fault.headers} else advice), **fault.headers}
        return Sending(status=fault.status, headers=headers, pieces=[json.dumps(failure_body(fault))])
    if isinstance(fault, Garbled):
        return Sending(pieces=[fault.body], streamed=streamed is not None)
    endings: dict[type[Fault], Ending] = {Disconnection: Ending.BREAKS, Silence: Ending.HANGS}
    return Sending(status=200 if begun else None, pieces=begun, streamed=True, ending=endings[type(fault)])
