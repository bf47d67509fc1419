"""A tree as HTML: nested `<details>`, no script, nothing that is fetched, everything escaped."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Final

from agentassert.reports.nodes import Field, Limits, Node, Span, Tone
from agentassert.reports.outline import Checks, capture_node, chain_node, invocation_nodes
from agentassert.reports.style import STYLE

if TYPE_CHECKING:
    from agentassert.captures import Capture
    from agentassert.records import Invocation

_UNSHOWN: Final = "<p>&lt;cannot be shown&gt;</p>"


def capture_html(capture: Capture, *, checked: Collection[str] | None = None, limits: Limits | None = None) -> str:
    """A capture as an HTML fragment; :data:`agentassert.reports.style.STYLE` styles it.

    Secrets are masked, long values cut, and of many things the first, the last and the important ones are shown.

    Args:
        capture: what was recorded.
        checked: the ids of the tool executions that were checked; without it nothing is said about checks.
        limits: how much is shown.

    Example:
        >>> capture_html(cap)[:40]
        '<div class="agentassert"><ul class="aa-b'
    """
    return _fragment([capture_node(capture, checked, limits or Limits())])


def capture_page(capture: Capture) -> str:
    """A capture as a notebook shows it: styled, and never raising."""
    return _styled(lambda: capture_html(capture))


def invocation_page(invocation: Invocation) -> str:
    """The same for an invocation."""
    return _styled(lambda: _fragment(invocation_nodes((invocation,), None, None, Limits())))


def chain_page(checks: Checks) -> str:
    """The same for a chain, with what it checked."""
    return _styled(lambda: _fragment([chain_node(checks, Limits())]))


def text_page(text: str) -> str:
    """The same for a text."""
    return _styled(lambda: f'<div class="agentassert"><pre>{escape(text)}</pre></div>')


def _styled(fragment: Callable[[], str]) -> str:
    try:
        return f"<style>{STYLE}</style>\n{fragment()}"
    except Exception:  # a cell that shows something must not fail over showing it
        return _UNSHOWN


def _fragment(nodes: Sequence[Node]) -> str:
    return f'<div class="agentassert">{_list(nodes)}</div>'


def _list(nodes: Sequence[Node]) -> str:
    return f'<ul class="aa-below">{"".join(map(_item, nodes))}</ul>' if nodes else ""


def _item(node: Node) -> str:
    marks = "".join(f' data-{name}="{escape(value)}"' for name, value in node.marks.items())
    inside = _fields(node.fields)
    if node.below and node.fields:
        inside = f'<details class="aa-more"><summary>details</summary>{inside}</details>'
    inside += _list(node.below)
    is_open = " open" if node.expanded else ""
    line = (
        f"<details{is_open}><summary>{_line(node)}</summary>{inside}</details>"
        if inside
        else f'<div class="aa-leaf">{_line(node)}</div>'
    )
    return f'<li data-kind="{node.kind}"{marks}>{line}</li>'


def _line(node: Node) -> str:
    badges = "".join(f' <span class="aa-badge aa-{tone}">{escape(text)}</span>' for text, tone in node.badges)
    facts = f' <span class="aa-facts">{escape(" · ".join(node.facts))}</span>' if node.facts else ""
    return f'<span class="aa-head"><code>{"".join(map(_span, node.line))}</code>{badges}</span>{facts}'


def _span(span: Span) -> str:
    text = escape(span.text)
    if span.tone is Tone.PLAIN:
        return text
    return f"<b>{text}</b>" if span.tone is Tone.STRONG else f'<span class="aa-{span.tone}">{text}</span>'


def _fields(fields: Iterable[Field]) -> str:
    shown = "".join(
        f"<dt>{escape(one.label)}</dt><dd>{_fields(one.rows) or f'<pre>{escape(one.text)}</pre>'}</dd>" for one in fields
    )
    return f'<dl class="aa-fields">{shown}</dl>' if shown else ""
