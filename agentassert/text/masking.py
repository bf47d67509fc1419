"""Which names and which texts look like secrets, and what is shown in their place.

Failure messages end up in build logs, so a value that looks like a secret is masked before it is shown. Guessing wrong costs a
reader a detail; not guessing costs the owner a key. Records keep the real values: only what is shown is masked.
"""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any, Final

MASK: Final = "***"

_NAMED: Final = (
    r"(?:(?:api|access|secret|private|signing|encryption|subscription)[-_]?key|authorization|password|passwd|passphrase|secret"
    r"|credential|cookie)s?|pwd|token|bearer"
)
_SECRET_NAME: Final = rf"(?i:{_NAMED})\Z"
_LONGEST_NAME: Final = 40

_SECRET: Final = (
    # A bare word and a colon (`unexpected token: …`) is prose more often than a secret, so the colon asks for a quoted name.
    rf"((?i:{_NAMED})(?:\\*[\"']\s{{0,8}}:|\s?=)\s{{0,8}}(?:\\*b?[\"']|(?!(?i:null|none|true|false)\b)))"
    # A value in escaped quotes lies in JSON text within JSON text, and ends at the next backslash.
    r"(?:(?<=\\[\"'])[^\"'\\]*|(?<=\")(?:[^\"\\]|\\.)*|(?<=')(?:[^'\\]|\\.)*|(?<![\"'])[^\s\"'\\,;&)\]}{\[]+)"
    r"|((?i:authorization:\s{0,8}(?:bearer|basic|token|digest|negotiate|apikey)\s{1,8}|cookie:\s{0,8}[\w.-]{1,64}=))[^\r\n\"',]+"
    r"|\A((?i:bearer|basic)\s{1,8})\S+\Z"
    r"|((?i:bearer)\s{1,8})[\w.~+/=-]{16,}"
    r"|((?<![\w-])(?:sk-|[rs]k_(?:live|test)_|gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|AKIA|ASIA|AIza|hf_|npm_|pypi-))[\w-]{8,}"
    r"|((?<![\w-])eyJ)[\w-]+\.[\w-]+\.[\w-]*"
    r"|(-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----)[^-]*"
    r"|(://[^\s:/@\"']{0,200}:)[^\s/@\"']+(?=@)"
)
_HINTS: Final = (
    *("key", "authorization", "passw", "passphrase", "pwd", "secret", "credential", "cookie", "token", "bearer", "basic"),
    *("sk-", "k_live_", "k_test_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xox"),
    *("akia", "asia", "aiza", "hf_", "npm_", "pypi-", "eyj", "://"),
)
"""One of these is in every secret that is found, in lower case: looking for them is a hundred times as fast."""
_SHORTEST_HINT: Final = min(map(len, _HINTS))

_CHUNK: Final = 4096
_LOOKAHEAD: Final = 1024
"""More than any secret needs to be known as one; one that begins in a chunk is followed to its end."""

_secrets_shown: ContextVar[bool] = ContextVar("agentassert_secrets_shown", default=False)


@contextlib.contextmanager
def show_secrets() -> Iterator[None]:
    """Show what looks like a secret in the messages that are made inside the block.

    This is the only switch. It holds for the running thread or task alone.

    Example:
        >>> from agentassert.render import value
        >>> value({"password": "hunter2"})
        "{'password': '***'}"
        >>> with show_secrets():
        ...     value({"password": "hunter2"})
        "{'password': 'hunter2'}"
    """
    token = _secrets_shown.set(True)
    try:
        yield
    finally:
        _secrets_shown.reset(token)


def secrets_shown() -> bool:
    """Whether :func:`show_secrets` holds here.

    Example:
        >>> secrets_shown()
        False
    """
    return _secrets_shown.get()


def is_secret_name(name: Any) -> bool:
    """Whether a value of this name is to be masked; what counts is how the name ends, without case, `-` and `_`.

    Of a JSONPath, which expected arguments may have instead of a name, every field counts.

    Example:
        >>> [is_secret_name(name) for name in ("stripe_api_key", "X-Api-Key", "accessToken", "Set-Cookie")]
        [True, True, True, True]
        >>> [is_secret_name(name) for name in ("max_tokens", "token_count", "tokenizer", "key", 7)]
        [False, False, False, False, False]
    """
    if type(name) is bytes:
        name = name[-_LONGEST_NAME:].decode("latin-1")
    if type(name) is not str:
        return False
    return is_secret_path(name) if name.startswith("$") else _compiled(_SECRET_NAME).search(name[-_LONGEST_NAME:]) is not None


def is_secret_path(path: str) -> bool:
    """Whether a JSONPath leads to, or through, a field whose name is that of a secret.

    Example:
        >>> is_secret_path("$.user.password"), is_secret_path("$.credentials[0].id"), is_secret_path("$.usage.input_tokens")
        (True, True, False)
    """
    return any(is_secret_name(name) for name in re.findall(r"[\w-]+", path))


def masked(text: str) -> Iterator[str]:
    """The text in chunks, each well-known form of a secret replaced; only as much is read as is asked for.

    Example:
        >>> "".join(masked('curl -H "Authorization: Bearer abc" -d \\'{"api_key": "k1", "n": 1}\\''))
        'curl -H "Authorization: Bearer ***" -d \\'{"api_key": "***", "n": 1}\\''
        >>> "".join(masked("sk-abcdefgh12345678 and AKIAIOSFODNN7EXAMPLE"))
        'sk-*** and AKIA***'
    """
    secret = _compiled(_SECRET)
    position = 0
    while position < len(text):
        edge = position + _CHUNK
        found = secret.search(text, position, edge + _LOOKAHEAD) if _hinted(text[position : edge + _LOOKAHEAD]) else None
        if found is None or found.start() >= edge:
            yield text[position:edge]
            position = edge
            continue
        if found.end() == edge + _LOOKAHEAD:
            found = secret.match(text, found.start()) or found
        yield text[position : found.start()] + found[found.lastindex or 0] + MASK
        position = found.end()


@functools.cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """A pattern, compiled when something is first shown: no import is to pay for it."""
    return re.compile(pattern)


def _hinted(text: str) -> bool:
    lowered = text.lower()
    return len(text) >= _SHORTEST_HINT and any(hint in lowered for hint in _HINTS)
