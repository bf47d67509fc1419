"""The YAML library: its events, and its errors in words for people who write suites."""

from __future__ import annotations

import re
from typing import Any, Final, NoReturn

from agentassert.suites.problems import Problem, YamlError

try:
    import yaml
    from yaml import events
except ModuleNotFoundError:
    raise ModuleNotFoundError(
        "suites are YAML files, and PyYAML is not installed: pip install 'agentassert-fluent[suites]'", name="yaml"
    ) from None

__all__ = ["events", "parser_of", "problem_of", "readable", "yaml"]

# Characters that YAML has no place for, and line ends that only older versions of YAML took for line ends.
_UNREADABLE: Final = re.compile(
    "[^\\t\\n\\r\\x20-\\x7e\\xa0-\\u2027\\u202a-\\ud7ff\\ue000-\\ufefe\\uff00-\\ufffd\\U00010000-\\U0010ffff]"
)


# At the top of a file. The parser compares each of these with all before it, and every tag is refused anyway.
_TAG_DIRECTIVE: Final = re.compile(r"(?:(?:[ \t]*(?:#[^\r\n]*)?|%(?!TAG)[^\r\n]*)[\r\n])*+%TAG")


def parser_of(text: str) -> Any:
    """What gives the events of a text: libyaml, or the same in Python where that is not built in (20 times slower).

    Example:
        >>> type(parser_of("a: 1").get_event()).__name__
        'StreamStartEvent'
    """
    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)


def readable(content: bytes) -> str:
    """The text of a file, every character of which YAML 1.2 can hold.

    Raises:
        YamlError: at the first byte or character that cannot be read.

    Example:
        >>> readable(b"a: 1")
        'a: 1'
    """
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise YamlError(Problem(1, 1, "the file is in UTF-16: save it in UTF-8"))
    content = content.removeprefix(b"\xef\xbb\xbf")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8")
        _refuse_at(
            before, len(before), f"the file is not in UTF-8: there is a byte 0x{content[error.start]:02x}; save it in UTF-8"
        )
    found = _UNREADABLE.search(text)
    if found:
        character = ord(found[0])
        _refuse_at(
            text,
            found.start(),
            f'there is a character U+{character:04X} here; if it is meant, write "\\u{character:04x}" in quotes',
        )
    directive = _TAG_DIRECTIVE.match(text)
    if directive:
        _refuse_at(text, directive.end() - len("%TAG"), "tags are refused: leave the %TAG directive out")
    return text


def problem_of(error: Any, text: str) -> Problem:
    """What a parser's error says, in one line.

    Args:
        error: the `yaml.YAMLError`.
        text: what was parsed.

    Example:
        >>> try:
        ...     list(yaml.parse('a: "b" in c'))
        ... except yaml.YAMLError as error:
        ...     problem_of(error, 'a: "b" in c').message
        "there is more after the closing quote: put the whole value in single quotes, as '…'"
    """
    mark = error.problem_mark or error.context_mark
    lines = text.splitlines()
    line = lines[mark.line] if mark.line < len(lines) else ""
    return Problem(mark.line + 1, mark.column + 1, _advice(line, mark.column) or _words_of(error))


_SPECIAL: Final = {
    "\t": "a tab cannot indent or separate here: use spaces",
    "@": "a text cannot begin with '@' without quotes",
    "`": "a text cannot begin with '`' without quotes",
    "%": "a text cannot begin with '%' without quotes",
}
_QUOTED_THEN_MORE: Final = re.compile(r"""(^|[:\-,\[{]\s+)("([^"\\]|\\.)*"|'([^']|'')*')[ ]*$""")


def _advice(line: str, column: int) -> str:
    before, here = line[:column], line[column : column + 1]
    if here in _SPECIAL:
        return _SPECIAL[here]
    closed = here not in {"", "#", ":"} and _QUOTED_THEN_MORE.search(before)
    if closed and closed[2].startswith('"'):
        return "there is more after the closing quote: put the whole value in single quotes, as '…'"
    if closed:
        return "there is more after the closing quote: a single quote inside of single quotes is written twice"
    if here == ":" and ": " in before:
        return "a second ': ' in one line: put the value in quotes, as '…'"
    return ""


def _words_of(error: Any) -> str:
    """The parser's own words, with the place where what it was reading begins."""
    if error.problem.startswith("mapping values are not allowed"):
        return "no ':' is expected here: the line before is no mapping that this could go on, or is indented otherwise"
    words = f"this is no YAML: {error.problem}"
    if error.context and error.context_mark:
        words += f" {error.context}, which begins in line {error.context_mark.line + 1}"
    return words


def _refuse_at(text: str, offset: int, message: str) -> NoReturn:
    before = text[:offset]
    line = before.count("\n")
    raise YamlError(Problem(line + 1, offset - (before.rfind("\n") + 1) + 1, message))
