"""Text as a page shows it: secrets masked, in bounded room, no character that does anything, escaped."""

from __future__ import annotations

import re
from html import escape
from typing import Final

from agentassert.text.masking import masked

LONGEST: Final = 40_000
"""Characters of one text that a page shows at most."""

_LONGEST_LINE: Final = 4_000
_COLOURS: Final = re.compile(r"\x1b\[[0-9;:]*[A-Za-z]")
_UNSEEN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
"""Control characters, half surrogates, and what turns the direction of text or hides in it."""


def readable(text: str, limit: int = LONGEST) -> str:
    """The text without secrets, colours of a terminal and unseen characters, and without its middle where it is long.

    Args:
        text: any text.
        limit: characters at most, and a line that says how many were left out.

    Example:
        >>> readable("\\x1b[31mred\\x1b[0m\\x07 password='x'")
        "red\\\\x07 password='***'"
        >>> readable("a" * 100, limit=10)
        'aaaaaaa\\n… 90 characters left out …\\naaa'
    """
    # Masked before it is cut: half a secret is not known as one.
    shown = _COLOURS.sub("", "".join(masked(text.replace("\r\n", "\n"))))
    shown = "\n".join(_cut(line, _LONGEST_LINE, " ") for line in shown.split("\n"))
    return _UNSEEN.sub(_spelled, _cut(shown, limit, "\n"))


def html(text: str) -> str:
    """Readable text, escaped for the content of an element and for a quoted attribute.

    Example:
        >>> html("<script>alert('x')</script>")
        '&lt;script&gt;alert(&#x27;x&#x27;)&lt;/script&gt;'
    """
    return escape(readable(text))


def seconds(duration: float) -> str:
    """A duration in the unit that a person would take.

    Example:
        >>> [seconds(one) for one in (0.0004, 0.25, 2.345, 75.2, 7380)]
        ['< 1 ms', '250 ms', '2.35 s', '1 min 15 s', '2 h 3 min']
    """
    if duration < 0.001:  # noqa: PLR2004  # a millisecond
        return "< 1 ms"
    if duration < 1:
        return f"{1000 * duration:.0f} ms"
    if duration < 60:  # noqa: PLR2004  # a minute
        return f"{duration:.3g} s"
    minutes, rest = divmod(round(duration), 60)
    hours, of_hour = divmod(minutes, 60)
    return f"{hours} h {of_hour} min" if hours else f"{minutes} min {rest} s"


def _cut(text: str, limit: int, between: str) -> str:
    if len(text) <= limit:
        return text
    head, tail = limit - limit // 3, limit // 3
    return f"{text[:head]}{between}… {len(text) - limit:,} characters left out …{between}{text[len(text) - tail :]}"


def _spelled(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"  # noqa: PLR2004  # as Python writes them
