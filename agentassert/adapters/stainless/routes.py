"""What a request says and what a response answers, in the recorder's terms, whichever provider they are for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs

from agentassert.recording.exchanges import Exchange
from agentassert.records import ChatModelCall, ModelCall, Outcome, Source
from agentassert.token_usage import TokenUsage


@attrs.frozen(kw_only=True)
class Opening:
    """What a request asks.

    Args:
        inputs: its messages, or the texts that it is about.
        tools_offered: the names of the tools that the model may ask for.
        exchange: how it goes on from earlier ones, where tools can be part of it.
    """

    inputs: Sequence[Any]
    tools_offered: Sequence[str] | None = None
    exchange: Exchange | None = None


@attrs.frozen(kw_only=True)
class Hosted:
    """A tool that the provider ran itself while it answered; `sources` is what it retrieved."""

    name: str
    arguments: Any
    call_id: str | None
    result: Any = None
    error: str | None = None
    outcome: Outcome = Outcome.SUCCEEDED
    sources: Sequence[Source] | None = None


@attrs.frozen(kw_only=True)
class Answer:
    """What a response says.

    Args:
        finish_reason: the provider's own word.
        requests: mappings with `name`, `arguments` and `call_id`.
        error: what went wrong at the provider, where the response says so.
        complete: whether it is whole, rather than cut off.
        pending: whether the provider still works on it, and is to be asked for it again.
    """

    text: str | None = None
    finish_reason: str | None = None
    usage: TokenUsage | None = None
    requests: Sequence[Mapping[str, Any]] = ()
    response_id: str | None = None
    hosted: Sequence[Hosted] = ()
    error: str | None = None
    complete: bool = True
    pending: bool = False


class Collector(ABC):
    """Puts a streamed response together."""

    @abstractmethod
    def add(self, event: Any) -> Answer | None:
        """Take an event of the stream; gives the answer when that is complete, and again when more has been told of its usage."""

    @abstractmethod
    def answer(self, *, exhausted: bool) -> Answer:
        """What has come by now; `exhausted` says that nothing more will."""


@attrs.frozen
class Route:
    """One address of a provider at which a model answers.

    Args:
        opening: reads the body of a request.
        answer: reads a response, whether an object of the SDK or the decoded body.
        collector: makes what reads the streamed response to a request with that body; `None` where there are no streams.
        kind: the record class of such a call.
    """

    opening: Callable[[Mapping[str, Any]], Opening]
    answer: Callable[[Any], Answer]
    collector: Callable[[Mapping[str, Any]], Collector] | None = None
    kind: type[ModelCall] = ChatModelCall


def route_of(routes: Mapping[str, Route], method: str, url: str) -> Route | None:
    """The route that a request takes, out of those named by the end of their path; the longest one that fits comes first."""
    if method.lower() != "post":
        return None
    path = url.partition("?")[0].rstrip("/")
    return next((route for ending, route in routes.items() if path.endswith(ending)), None)
