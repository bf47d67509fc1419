"""The ways in which a scripted model fails."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import attrs

from agentassert.scripted.lines import Line, checked_text


@attrs.frozen(kw_only=True)
class Fault(Line):
    """A step at which the model fails; made by :func:`fail`, :func:`disconnect`, :func:`time_out` and :func:`malformed`.

    Args:
        after: the text that a streamed response has begun with; `None` where it fails before it has begun.
        retry: whether the client may try again and get the next step.

    Example:
        >>> disconnect(after="Your booking is").after
        'Your booking is'
    """

    after: str | None = None
    retry: bool = True


@attrs.frozen(kw_only=True)
class HttpFailure(Fault):
    """The provider answers with an error."""

    status: int
    message: str
    kind: str
    code: str | None = None
    headers: Mapping[str, str] = attrs.field(factory=dict)


@attrs.frozen(kw_only=True)
class Disconnection(Fault):
    """The connection breaks."""


@attrs.frozen(kw_only=True)
class Silence(Fault):
    """Nothing more comes."""


@attrs.frozen(kw_only=True)
class Garbled(Fault):
    """The provider answers with something else than it should."""

    body: str


_ERRORS: Final = range(400, 600)
_SERVER_ERRORS: Final = 500
_KINDS: Final = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


def fail(
    status: int = 500,
    message: str = "the script says so",
    *,
    code: str | None = None,
    headers: Mapping[str, str] | None = None,
    after: str | None = None,
    retry: bool = True,
) -> Fault:
    """A step: the provider answers with an error.

    The clients of OpenAI and Anthropic try again by themselves after 408, 409, 429 and 5xx, at once here, and get the next step;
    after the last one they get the same failure again. What is to reach the agent however often its client tries is
    `fail(500, retry=False)`.

    Args:
        status: the HTTP status, from 400 to 599.
        message: what the error says.
        code: the provider's code for it, such as `"context_length_exceeded"`.
        headers: further headers, such as `{"retry-after": "1"}`.
        after: the text that a streamed response has begun with before the error; a response that is not streamed just fails.
        retry: `False` tells the client not to try again, and gives the same failure to one that does.

    Raises:
        TypeError, ValueError: when an argument is not of its kind.

    Example:
        >>> fail(429).status, fail(529).kind
        (429, 'overloaded_error')
    """
    if isinstance(status, bool) or not isinstance(status, int):
        raise TypeError(f"status must be a whole number, but was {status!r}")
    if status not in _ERRORS:
        raise ValueError(f"status must be an HTTP status from 400 to 599, but was {status}")
    return HttpFailure(
        status=status,
        message=checked_text(message, "message"),
        kind=_KINDS.get(status, "invalid_request_error" if status < _SERVER_ERRORS else "api_error"),
        code=None if code is None else checked_text(code, "code"),
        headers=_checked_headers({} if headers is None else headers),
        after=_checked_after(after),
        retry=_checked_retry(retry),
    )


def disconnect(*, after: str | None = None, retry: bool = True) -> Fault:
    """A step: the connection breaks off.

    Args:
        after: the text that a streamed response has begun with; without it, nothing is answered at all.
        retry: `False` gives the same to a client that tries again, instead of the next step.

    Raises:
        TypeError: when an argument is not of its kind.

    Example:
        >>> disconnect(retry=False).retry
        False
    """
    return Disconnection(after=_checked_after(after), retry=_checked_retry(retry))


def time_out(*, after: str | None = None, retry: bool = True) -> Fault:
    """A step: nothing comes until the client gives up, or the block is left.

    Args:
        after: the text that a streamed response has begun with.
        retry: `False` gives the same to a client that tries again, instead of the next step.

    Raises:
        TypeError: when an argument is not of its kind.

    Example:
        >>> time_out().after is None
        True
    """
    return Silence(after=_checked_after(after), retry=_checked_retry(retry))


def malformed(body: str = '{"id": "cut off', *, retry: bool = True) -> Fault:
    """A step: the provider answers with success, and a body that is not what it should be.

    Args:
        body: what is sent, streamed or not.
        retry: `False` gives the same to a client that tries again, instead of the next step.

    Raises:
        TypeError: when an argument is not of its kind.

    Example:
        >>> malformed("<html>gateway</html>").body
        '<html>gateway</html>'
    """
    return Garbled(body=checked_text(body, "body"), retry=_checked_retry(retry))


def _checked_after(after: Any) -> str | None:
    return None if after is None else checked_text(after, "after")


def _checked_retry(retry: Any) -> bool:
    if not isinstance(retry, bool):
        raise TypeError(f"retry must be True or False, but was {retry!r}")
    return retry


def _checked_headers(headers: Any) -> dict[str, str]:
    if not isinstance(headers, Mapping):
        raise TypeError(f"headers must be a mapping, but was {headers!r}")
    checked = {
        checked_text(name, "the name of a header"): checked_text(value, f"header {name!r}") for name, value in headers.items()
    }
    for text in (*checked, *checked.values()):
        if not (text.isascii() and text.isprintable()):
            raise ValueError(f"headers must be printable ASCII, but one has {text!r}")
    return checked
