"""A trajectory read from text, strictly: whatever is not understood is refused with its file and line."""

from __future__ import annotations

import json
import re
from typing import Any, Final, Never

import attrs

from agentassert.checks.paths import MISSING
from agentassert.jsonlike import DEEPEST, is_too_deep, repeated
from agentassert.records import Outcome, Status
from agentassert.render import value as rendered
from agentassert.snapshots import placeholders
from agentassert.snapshots.trajectory import SUCCEEDED, UNANSWERED, Groups, Node, Row, grown
from agentassert.snapshots.writing import HEADER, IN_ANY_ORDER, INDENT, PLAIN_NAME
from agentassert.text.nearest import did_you_mean

_CONFLICT: Final = ("<<<<<<<", "=======", ">>>>>>>", "|||||||")
_STATUSES: Final = frozenset(one.value for one in Status)
_OUTCOMES: Final = frozenset({*(one.value for one in Outcome), UNANSWERED})
_JSON_WORDS: Final = frozenset({"true", "false", "null"})
_ARROW: Final = re.compile(r"[ \t]*->[ \t]*")
_LONGEST_SHOWN: Final = 60
_FEWEST: Final = 2
_NOTHING: Final = re.compile(r"[ \t]*(?:#[^\n]*)?(?:\n|\Z)")
_END: Final = re.compile(r"[ \t]*(?:\n|\Z)")
_WORD: Final = re.compile(r"[a-z_]+")
_ERROR: Final = re.compile(r"[ \t]+(\w+)", re.ASCII)


def read(text: str, file: str) -> Groups:
    """The trajectory in the text of a file.

    Args:
        text: the text.
        file: how errors name it.

    Raises:
        ValueError: when it is none, naming file and line.

    Example:
        >>> text = "# agentassert trajectory 1\\n\\nshop: completed\\n  pay {}\\n    refund {}\\n"
        >>> read(text, "paid.trajectory")
        Traceback (most recent call last):
        ValueError: paid.trajectory:5: below a tool execution stand only invocations it started, as in `agent: completed`
    """
    return _Reader(text.removeprefix("\ufeff").replace("\r\n", "\n"), file).all()


@attrs.frozen
class _Entry:
    """A line, and the lines that its arguments go on in; `node` is `None` where it opens a group."""

    start: int
    depth: int
    node: Node | None


class _Reader:
    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        self.position = 0
        self.entries: list[_Entry] = []

    def all(self) -> Groups:
        if self.text.partition("\n")[0].rstrip() != HEADER:
            self.refuse(f"a snapshot begins with the line {HEADER!r}", 0)
        while self.position < len(self.text):
            nothing = _NOTHING.match(self.text, self.position)
            if nothing is None:
                self.entries.append(self.entry())
            else:
                self.position = nothing.end()
        if not self.entries:
            self.refuse("holds nothing: an invocation stands at the top, as in `agent: completed`", len(self.text))
        return grown(self.rows())

    def rows(self) -> list[Row]:
        rows: list[Row] = []
        above: list[_Entry] = []
        sizes: dict[int, int] = {}
        for number, entry in enumerate(self.entries):
            if entry.depth > len(above):
                self.refuse(f"is indented too far: each level has {len(INDENT)} spaces", entry.start)
            del above[entry.depth :]
            group = above[-1] if above and above[-1].node is None else None
            if entry.node is None:
                if group is not None:
                    self.refuse("a group cannot be part of another one", entry.start)
                sizes[entry.start] = 0
            else:
                holders = [one.node for one in above if one.node is not None]
                self.check_place(entry, entry.node, holders[-1] if holders else None)
                if group is not None:
                    sizes[group.start] += 1
                rows.append((len(holders), number if group is None else -group.start, entry.node))
            above.append(entry)
        for start, size in sizes.items():
            if size < _FEWEST:
                self.refuse("a group has two members or more, indented below it", start)
        return rows

    def check_place(self, entry: _Entry, node: Node, owner: Node | None) -> None:
        if node.is_invocation or (owner is not None and owner.is_invocation):
            return
        where = (
            "at the top stand only invocations" if owner is None else "below a tool execution stand only invocations it started"
        )
        self.refuse(f"{where}, as in `agent: completed`", entry.start)

    def entry(self) -> _Entry:
        start = self.position
        while self.text.startswith(" ", self.position):
            self.position += 1
        spaces = self.position - start
        if self.text.startswith("\t", self.position) or spaces % len(INDENT):
            self.refuse(f"each level is indented by {len(INDENT)} spaces, and not by tabs", start)
        if self.text.startswith(_CONFLICT, self.position):
            self.refuse("is of a merge conflict that was not settled", start)
        depth = spaces // len(INDENT)
        end = self.position + len(IN_ANY_ORDER)
        if self.text.startswith(IN_ANY_ORDER, self.position) and _END.match(self.text, end):
            self.position = end
            return _Entry(start, depth, None)
        node = self.node()
        if not _END.match(self.text, self.position):
            self.refuse(f"nothing was expected to follow, but {self.rest()!r} does")
        return _Entry(start, depth, node)

    def node(self) -> Node:
        name = self.name()
        if self.text.startswith(":", self.position):
            self.position += 1
            self.skip_blanks()
            return Node(name=name, ending=self.ending(_STATUSES, "a status"), is_invocation=True)
        arguments = MISSING if self.ended() or self.at_arrow() else self.value()
        ending, result = SUCCEEDED, MISSING
        is_over = not self.arrow()
        if not is_over and self.at_word():
            ending = self.ending(_OUTCOMES, "an outcome")
            is_over = not self.arrow()
        if not is_over:
            result = self.value()
        return Node(name=name, ending=ending, arguments=arguments, result=result)

    def name(self) -> str:
        if self.text.startswith('"', self.position):
            name = self.json()
            if not isinstance(name, str) or not name:
                self.refuse("a name is a text that is not empty")
            return name
        found = PLAIN_NAME.match(self.text, self.position)
        if found is None:
            self.refuse(f"begins with no name: {self.rest()!r} (unusual names stand in quotation marks)")
        self.position = found.end()
        return found.group()

    def ending(self, known: frozenset[str], what: str) -> str:
        self.skip_blanks()
        word = _WORD.match(self.text, self.position)
        if word is None or word.group() not in known:
            shown = self.rest() if word is None else word.group()
            meant = did_you_mean(shown, known)
            self.refuse(f"expected {what}, but found {rendered(shown)}{meant and f'; {meant}'}")
        self.position = word.end()
        error = None if self.at_arrow() else _ERROR.match(self.text, self.position)
        if error is None:
            return word.group()
        self.position = error.end()
        return f"{word.group()} {error.group(1)}"

    def value(self) -> Any:
        """JSON with placeholders, which may go on in the lines that follow."""
        self.skip_blanks()
        start = self.position
        value = self.json()
        if is_too_deep(value):
            self.refuse(f"is nested deeper than {DEEPEST} levels", start)
        return placeholders.convert(value, placeholders.read)

    def json(self) -> Any:
        try:
            value, self.position = json.JSONDecoder(object_pairs_hook=_object).raw_decode(self.text, self.position)
        except json.JSONDecodeError as error:
            self.refuse(f"is no JSON: {error.msg}", min(error.pos, len(self.text)))
        except ValueError as error:
            self.refuse(str(error))
        except RecursionError:
            self.refuse(f"is nested deeper than {DEEPEST} levels")
        return value

    def arrow(self) -> bool:
        found = _ARROW.match(self.text, self.position)
        if found is None:
            return False
        self.position = found.end()
        return True

    def at_arrow(self) -> bool:
        return _ARROW.match(self.text, self.position) is not None

    def at_word(self) -> bool:
        word = _WORD.match(self.text, self.position)
        return word is not None and word.group() not in _JSON_WORDS

    def ended(self) -> bool:
        return _END.match(self.text, self.position) is not None

    def skip_blanks(self) -> None:
        while self.text.startswith((" ", "\t"), self.position):
            self.position += 1

    def rest(self) -> str:
        return self.text[self.position :].partition("\n")[0].strip()[:_LONGEST_SHOWN]

    def refuse(self, problem: str, at: int | None = None) -> Never:
        line = self.text.count("\n", 0, self.position if at is None else at) + 1
        raise ValueError(f"{self.file}:{line}: {problem}")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse what JSON leaves open: of two values for one name, one would not be compared."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError(f"{rendered(repeated(name for name, _ in pairs))} stands twice in an object")
    return found
