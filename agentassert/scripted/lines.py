"""What stands in a script, other than functions, and the arguments that it is made with."""

from __future__ import annotations

import threading
from typing import Any

import attrs


@attrs.frozen
class Line:
    """What :func:`reply`, :func:`call_tool`, :func:`refuse`, :func:`fail` and the like give: lists of them have one type.

    Example:
        >>> from agentassert.scripted import fail, reply
        >>> isinstance(reply("done"), Line), isinstance(fail(500), Line)
        (True, True)
    """


def checked_text(value: Any, name: str) -> str:
    """`value`, if it is a text.

    Raises:
        TypeError: when it is none.

    Example:
        >>> checked_text(7, "message")
        Traceback (most recent call last):
        TypeError: message must be a text, but was 7
    """
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a text, but was {value!r}")
    return value


def checked_seconds(value: Any, name: str) -> float:
    """`value`, if it is a number of seconds.

    Raises:
        TypeError, ValueError: when it is none, or none that can be waited for.

    Example:
        >>> checked_seconds(-1, "latency")
        Traceback (most recent call last):
        ValueError: latency must be a number of seconds from 0 on, but was -1
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name} must be a number of seconds, but was {value!r}")
    if not 0 <= value < threading.TIMEOUT_MAX:
        raise ValueError(f"{name} must be a number of seconds from 0 on, but was {value!r}")
    return float(value)


def checked_tokens(value: Any) -> tuple[int, int] | None:
    """`value`, if it is a pair of token counts, or `None`.

    Raises:
        TypeError, ValueError: when it is neither.

    Example:
        >>> checked_tokens([11, 3])
        (11, 3)
    """
    if value is None:
        return None
    if not isinstance(value, (tuple, list)) or [type(count) for count in value] != [int, int]:
        raise TypeError(f"tokens must be the numbers of tokens read and written, such as (11, 3), or None, but was {value!r}")
    if min(value) < 0:
        raise ValueError(f"tokens must be 0 or more, but was {value!r}")
    return value[0], value[1]
