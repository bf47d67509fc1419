"""What an unquoted word means: the core schema of YAML 1.2, in which `yes`, `on` and `2020-01-01` are texts."""

from __future__ import annotations

import re
from typing import Any, Final

MOST_DIGITS: Final = 400

_WORDS: Final[dict[str, Any]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
_BEGIN_A_NUMBER: Final = frozenset("+-.0123456789")
_INTEGER: Final = re.compile(r"[-+]?[0-9]+")
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_OTHER_BASE: Final = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")


def resolve(word: str) -> Any:
    """The value of a scalar without quotes and tag.

    Raises:
        ValueError: when it is a number of more digits than anybody means.

    Example:
        >>> [resolve(word) for word in ("yes", "0o17", "1e3", "true", "", "1.0.0")]
        ['yes', 15, 1000.0, True, None, '1.0.0']
    """
    if word in _WORDS:
        return _WORDS[word]
    if word[0] not in _BEGIN_A_NUMBER:
        return word
    if len(word) > MOST_DIGITS and (_FLOAT.fullmatch(word) or _OTHER_BASE.fullmatch(word)):
        raise ValueError(f"this number has more than {MOST_DIGITS} digits; put it in quotes if it is a text")
    if _INTEGER.fullmatch(word):
        return int(word)
    if _OTHER_BASE.fullmatch(word):
        return int(word, 0)
    return float(word) if _FLOAT.fullmatch(word) else word
