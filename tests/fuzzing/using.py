"""What a user does with a capture that was read: shows it, asserts on it, stores it again. None of that may be spoilt by what is in it."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final

from agentassert import AgentAssertionError, Capture, assert_that, execution_of
from agentassert.assertions.invocation import InvocationAssertion

FOLDER: Final = Path(tempfile.mkdtemp(prefix="agentassert-fuzzing-"))
"""Where targets that read files have theirs."""

_MOST_CHARACTERS: Final = 3_000_000
_MOST_MESSAGES: Final = 20_000
"""Of a capture that is used whole; more would time what shows it, and not what reads it. Each call has all messages before it."""

_CHECKS: Final[tuple[Callable[[InvocationAssertion], Any], ...]] = (
    lambda chain: chain.has_tool_executed("get_booking"),
    lambda chain: chain.including_nested().has_no_failed_tool_executions(),
    lambda chain: chain.has_tools_executed_in_order("a", "b"),
    lambda chain: chain.has_tool_executed_with("look", {"number": "MS-777", "$.order.to": 7}),
    lambda chain: chain.has_tools_executed_exactly_in_any_order(execution_of("a", {"x": 1}), execution_of("b")),
    lambda chain: chain.has_no_repeated_tool_executions(),
    lambda chain: chain.has_total_tokens_at_most(10),
    lambda chain: chain.has_duration_at_most(1),
    lambda chain: chain.has_failed_with(ValueError),
    lambda chain: chain.has_retrieved_source_containing("x"),
    lambda chain: chain.has_no_more_tool_executions(),
    lambda chain: chain.satisfies('status == "completed" and output.id != 3'),
    lambda chain: chain.has_own_chat_model_call_count_at_most(3),
)


def use(capture: Capture) -> None:
    """Do all of it.

    Raises:
        AssertionError: when something of it does not do what it promises.
    """
    if sum(len(call.messages) for one in capture.invocations for call in one.own_chat_model_calls) > _MOST_MESSAGES:
        return
    stored = capture.to_json()
    if len(stored) > _MOST_CHARACTERS:
        return
    again = Capture.from_json(stored)
    if again.to_json() != stored:
        raise AssertionError("it is not the same when it is stored and loaded again")
    printable("the tree", capture.tree(width=80))
    check_html(capture._repr_html_())
    for one in [capture, *again.invocations[:3]]:
        for check in _CHECKS:
            try:
                chain = assert_that(one)
                check(chain)
                printable("a chain", repr(chain))
            except AgentAssertionError as error:
                printable("a failure", str(error))


def printable(what: str, text: str) -> None:
    """Refuse text that does something to a terminal, or hides in it."""
    spoilt = next((char for char in text if not char.isprintable() and char != "\n"), None)
    if spoilt is not None:
        raise AssertionError(f"{what} shows {spoilt!r}")


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.attributes: set[tuple[str, str]] = set()
        self.others: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {(tag, name) for name, _ in attrs}

    def handle_comment(self, data: str) -> None:
        self.others.append(data)

    handle_decl = handle_pi = unknown_decl = handle_comment


_TREE_TAGS: Final = frozenset(
    {"style", "div", "ul", "li", "details", "summary", "span", "code", "b", "dl", "dt", "dd", "pre", "p"}
)


def tags_of(page: str) -> _Tags:
    """The elements of a page, and their attributes."""
    tags = _Tags()
    tags.feed(page)
    tags.close()
    return tags


def check_html(page: str) -> None:
    """Refuse a notebook's fragment in which something is more than text."""
    found = tags_of(page)
    foreign = found.tags - _TREE_TAGS or {
        name for _, name in found.attributes if name not in {"class", "open"} and "data-" not in name
    }
    if foreign or found.others:
        raise AssertionError(f"the page has {sorted(foreign) or found.others}")
