"""What stands in a script, other than functions."""

from __future__ import annotations

import attrs


@attrs.frozen
class Line:
    """What :func:`reply`, :func:`call_tool`, :func:`refuse`, :func:`fail` and the like give: lists of them have one type.

    Example:
        >>> from agentassert.scripted import fail, reply
        >>> isinstance(reply("done"), Line), isinstance(fail(500), Line)
        (True, True)
    """
