"""A tree for a terminal: guides that show what lies inside what, and colours where somebody asks for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from agentassert.reports.nodes import Limits, Node, Span, Tone
from agentassert.reports.outline import capture_node, invocation_nodes
from agentassert.text.pieces import escaped

if TYPE_CHECKING:
    from agentassert.captures import Capture
    from agentassert.records import Invocation

NARROWEST: Final = 40
"""The least width, in characters."""
_CODE_OF_TONE: Final = {Tone.STRONG: "1", Tone.QUIET: "2", Tone.GOOD: "32", Tone.BAD: "31", Tone.DOUBT: "33"}


def capture_text(capture: Capture, *, width: int = 100, color: bool = False) -> str:
    """A capture as a tree of lines.

    Args:
        capture: what was recorded.
        width: characters of a line at most, 40 or more.
        color: whether to colour it for a terminal.

    Raises:
        ValueError: when it is to be narrower than that.
    """
    return _text([capture_node(capture, None, _limits(width))], width, color)


def invocation_text(invocation: Invocation, *, width: int = 100, color: bool = False) -> str:
    """The same for one invocation."""
    return _text(invocation_nodes((invocation,), None, None, _limits(width)), width, color)


def heading_text(text: str, *, color: bool = False) -> str:
    """What is written above a tree, such as the place it was read from; it is never cut, so that it can be copied."""
    return _painted([Span(escaped(text), Tone.STRONG)], color)


def _limits(width: int) -> Limits:
    if isinstance(width, bool) or not isinstance(width, int) or width < NARROWEST:
        raise ValueError(f"width must be a number of characters, {NARROWEST} or more, but was {width!r}")
    return Limits(line=max(NARROWEST, width - 30), text=0)


def _text(nodes: list[Node], width: int, color: bool) -> str:
    return "\n".join(_painted(line, color) for node in nodes for line in _lines(node, "", "", width))


def _lines(node: Node, guide: str, rest: str, width: int) -> Iterator[list[Span]]:
    """The lines of a node: `guide` leads to the first, `rest` goes on beside the others."""
    beside = rest + ("│   " if node.below else "    ")
    yield from _wrapped(guide, beside, _parts(node), width)
    for place, below in enumerate(node.below, 1):
        is_last = place == len(node.below)
        yield from _lines(below, rest + ("└─ " if is_last else "├─ "), rest + ("   " if is_last else "│  "), width)


def _parts(node: Node) -> Iterator[list[Span]]:
    """What stays together where a line is too long."""
    part: list[Span] = []
    for span in node.line:
        if part and span.text.startswith(" "):
            yield part
            part = []
        part.append(span)
    yield part
    for badge in node.badges:
        yield [Span(" "), Span(f"[{badge.text}]", badge.tone)]
    for fact in node.facts:
        yield [Span(f" · {fact}", Tone.QUIET)]


def _wrapped(guide: str, beside: str, parts: Iterable[list[Span]], width: int) -> Iterator[list[Span]]:
    line, left, is_empty = [Span(guide, Tone.QUIET)], width - len(guide), True
    for part in parts:
        size = sum(len(span.text) for span in part)
        if size > left and not is_empty:
            yield line
            line, left = [Span(beside, Tone.QUIET)], width - len(beside)
            part[0] = part[0]._replace(text=part[0].text.lstrip(" ·"))
        line += _cut(part, left)
        left -= size
        is_empty = False
    yield line


def _cut(part: Iterable[Span], room: int) -> Iterator[Span]:
    for span in part:
        if len(span.text) > room:
            yield span._replace(text=span.text[: max(room - 1, 0)] + "…")
            return
        room -= len(span.text)
        yield span


def _painted(line: Iterable[Span], color: bool) -> str:
    return "".join(
        f"\x1b[{_CODE_OF_TONE[tone]}m{text}\x1b[0m" if color and text and tone in _CODE_OF_TONE else text for text, tone in line
    )
