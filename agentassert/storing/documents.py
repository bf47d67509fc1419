"""What a JSON document out of somebody's records is: a capture of ours, spans, or a list of messages."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any, Final

from agentassert import render
from agentassert.stored.captures import VERSION_KEY
from agentassert.storing.message_kinds import looks_like_message
from agentassert.telemetry.loading import holds_spans


class Kind(enum.StrEnum):
    """What can be checked."""

    CAPTURE = "capture"
    OTLP = "otlp"
    MESSAGES = "messages"


_EXPECTED: Final = (
    "expected a stored capture (an object with 'agentassert'), spans in a form that Capture.from_otlp() reads, or a list of messages, "
    "by itself or under 'messages'"
)
_MESSAGES: Final = "messages"


def kind_of_document(document: Any) -> Kind:
    """The kind of a parsed document.

    Raises:
        ValueError: when it is of none.

    Example:
        >>> kind_of_document({"messages": [{"role": "user", "content": "Hi"}]})
        <Kind.MESSAGES: 'messages'>
    """
    if isinstance(document, Mapping):
        if VERSION_KEY in document:
            return Kind.CAPTURE
        if isinstance(document.get(_MESSAGES), list):
            return Kind.MESSAGES
        if holds_spans(document):
            return Kind.OTLP
        names = ", ".join(map(render.value, list(document)[:10])) or "nothing"
        raise ValueError(f"{_EXPECTED}, but found an object with {names}")
    if isinstance(document, list) and document:
        if isinstance(document[0], Mapping) and holds_spans(document[0]):
            return Kind.OTLP
        if looks_like_message(document[0]):
            return Kind.MESSAGES
    raise ValueError(f"{_EXPECTED}, but found {render.value(document)}")


def messages_of(document: Any) -> Any:
    """The list of messages that a document is, or has."""
    return document[_MESSAGES] if isinstance(document, Mapping) and _MESSAGES in document else document
