"""A trajectory as text: an invocation or an execution on a line, what it started indented below it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from agentassert.checks.paths import MISSING, mapped
from agentassert.snapshots.placeholders import Slot, Text, literal, numbering
from agentassert.snapshots.trajectory import SUCCEEDED, Groups, Node, all_slots
from agentassert.text.pieces import escaped

HEADER: Final = "# agentassert trajectory 1"
IN_ANY_ORDER: Final = "in any order:"
INDENT: Final = "  "
PLAIN_NAME: Final = re.compile(r"[\w./+-]+")
_WIDEST: Final = 120


def written(groups: Groups) -> str:
    """The whole file.

    Example:
        >>> pay = Node(name="pay", ending="failed TimeoutError", arguments={"amount": 3})
        >>> print(written(((Node(name="shop", ending="completed", is_invocation=True, groups=((pay,),)),),)), end="")
        # agentassert trajectory 1
        <BLANKLINE>
        shop: completed
          pay {"amount": 3} -> failed TimeoutError
    """
    return "\n".join((HEADER, "", *_lines(groups, numbering(all_slots(groups))), ""))


def line_of(node: Node, number: Callable[[Slot], int | None]) -> str:
    """A node on one line, without indentation; `number` numbers the values that stand at several places.

    Example:
        >>> line_of(Node(name="look up", ending="succeeded", arguments={"id": 3}, result=None), lambda slot: None)
        '"look up" {"id": 3} -> null'
    """
    if node.is_invocation:
        return f"{_name(node)}: {node.ending}"
    given = "" if node.arguments is MISSING else f" {json_line(plain(node.arguments, number))}"
    return f"{_name(node)}{given}{_ending(node, number)}"


def plain(value: Any, number: Callable[[Slot], int | None]) -> Any:
    """A JSON-like value with placeholders for its volatile parts."""

    def leaf(one: Any) -> Any:
        if isinstance(one, Text):
            return one.written(number)
        return literal(one) if type(one) is str else one

    return mapped(value, leaf)


def _lines(groups: Groups, number: Callable[[Slot], int | None]) -> Iterator[str]:
    waiting = _entries(groups, "")
    while waiting:
        node, indent = waiting.pop()
        if node is None:
            yield indent + IN_ANY_ORDER
        else:
            yield from _broken(node, indent, number)
            waiting += _entries(node.groups, indent + INDENT)


def _entries(groups: Groups, indent: str) -> list[tuple[Node | None, str]]:
    """What stands in these groups with its indentation, the first one last; `None` opens a group."""
    entries: list[tuple[Node | None, str]] = []
    for group in groups:
        if len(group) > 1:
            entries.append((None, indent))
        entries += [(node, indent if len(group) == 1 else indent + INDENT) for node in group]
    return entries[::-1]


def _broken(node: Node, indent: str, number: Callable[[Slot], int | None]) -> Iterator[str]:
    """A node on one line, or with a line for each argument where that would be too wide."""
    line = indent + line_of(node, number)
    if len(line) <= _WIDEST or type(node.arguments) is not dict or not node.arguments:
        yield line
        return
    yield f"{indent}{_name(node)} {{"
    last = len(node.arguments) - 1
    for index, (key, value) in enumerate(node.arguments.items()):
        yield f"{indent}{INDENT}{json_line(key)}: {json_line(plain(value, number))}{'' if index == last else ','}"
    yield f"{indent}}}{_ending(node, number)}"


def _name(node: Node) -> str:
    return node.name if PLAIN_NAME.fullmatch(node.name) else json_line(node.name)


def _ending(node: Node, number: Callable[[Slot], int | None]) -> str:
    ending = "" if node.ending == SUCCEEDED else f" -> {node.ending}"
    return ending if node.result is MISSING else f"{ending} -> {json_line(plain(node.result, number))}"


def json_line(value: Any) -> str:
    """JSON on one line, with what no editor shows spelt out.

    Example:
        >>> json_line({"text": "two\\nlines\\u202e"})
        '{"text": "two\\\\nlines\\\\u202e"}'
    """
    return escaped(json.dumps(value, ensure_ascii=False), json.dumps)
