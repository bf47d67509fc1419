"""What a request over a raw SDK sent, so that the tool executions between two requests can be inferred (`inferring.py`).

An SDK's adapter sees requests and responses, never the functions that a hand-written loop runs between them. It sets
`event.exchange` on a chat call; the tool requests of the response itself are `event.requests` as ever.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

import attrs


@attrs.frozen
class SentRequest:
    """A tool execution request that an earlier response made and this request sends back as part of its history.

    Args:
        name: the tool's name.
        arguments: as the provider has them, JSON text or a mapping.
        call_id: the provider's id, or `None`.

    Example:
        >>> SentRequest("get_booking", '{"number": 7}', "call_0").name
        'get_booking'
    """

    name: str
    arguments: Any
    call_id: str | None


@attrs.frozen
class SentResult:
    """What the program sends back as the result of a tool execution request.

    Args:
        call_id: the provider's id of the request that it answers, or `None`.
        result: the content as it is sent.
        failed: the provider's flag; `None` where the provider has none.

    Example:
        >>> SentResult("call_0", "not found", failed=True).failed
        True
    """

    call_id: str | None
    result: Any
    failed: bool | None


@attrs.frozen
class Answer:
    """The first result that was sent back for a request.

    Args:
        result: what was sent.
        order: the place in the recorder's sequence at which the call that sent it started.

    Example:
        >>> Answer(SentResult("call_0", "ok", failed=None), order=12).result.result
        'ok'
    """

    result: SentResult
    order: int


@attrs.frozen
class Sent:
    """One message or item of the conversation that a request sends.

    Args:
        key: a digest of the whole content: equal items have equal keys.
        requests: the tool execution requests in it (an assistant's message that is sent back).
        results: the results in it.

    Example:
        >>> Sent("6f1e", results=(SentResult("call_0", "ok", failed=None),)).requests
        ()
    """

    key: str
    requests: tuple[SentRequest, ...] = ()
    results: tuple[SentResult, ...] = ()


_NO_ANSWERS: Final[Mapping[int, Answer]] = MappingProxyType({})


@attrs.define
class Exchange:
    """What one request sent, in order, and what it goes on from.

    Args:
        sent: the messages or items.
        continues: the id of the response that it goes on from (`previous_response_id`).
        conversation: the id of a conversation that the provider keeps.
        response_id: the id of the response, set when that is known.
        answers: what answers the response's own requests, under their indexes, where that is known without a later request.

    Example:
        >>> exchange = Exchange(sent=(Sent("6f1e"),))
        >>> exchange.response_id = "resp_1"
    """

    sent: tuple[Sent, ...]
    continues: str | None = None
    conversation: str | None = None
    response_id: str | None = None
    answers: Mapping[int, Answer] = _NO_ANSWERS
