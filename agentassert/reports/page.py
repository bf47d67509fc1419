"""The page: one HTML file that needs nothing beside itself, and in which nothing that was recorded is code."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from typing import Final

from agentassert.failures import counted
from agentassert.reports.page_content import Ending, Reported, ReportedTest
from agentassert.reports.page_tests import SAID, details, row
from agentassert.reports.page_text import html, seconds
from agentassert.reports.style import STYLE, palette

_FILTERS: Final[Mapping[str, str]] = {
    **{ending: str(ending) for ending in Ending},
    "unchecked": "unchecked",
    "doubtful": "in doubt",
    "warned": "with warnings",
}
_BROKEN: Final = (Ending.FAILED, Ending.ERROR)
_KEYS: Final = (
    (("/",), "search"),
    (("j", "k"), "next test, previous test"),
    (("n", "N"), "next failure, previous failure"),
    (("Enter",), "from the list into the details"),
    (("Esc",), "back: from the details to the list, from there to all tests"),
    (("?",), "this help"),
)


def page(reported: Reported) -> Iterator[str]:
    """The file, in pieces.

    Args:
        reported: what is shown.

    Example:
        >>> from datetime import UTC, datetime
        >>> text = "".join(page(Reported(title="shop", tests=(), started_at=datetime(2026, 1, 2, tzinfo=UTC), duration=0.0)))
        >>> text[:15], "No tests ran" in text
        ('<!doctype html>', True)
    """
    style = palette(":root") + STYLE + _file("page.css")
    script = _file("page.js")
    ordered = [test for _, tests in _by_file(reported.tests) for test in tests]
    yield f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n{_policy(style, script)}\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="color-scheme" content="light dark">\n'
    yield f"<title>{html(_headline(reported))} · {html(reported.title)}</title>\n<style>{style}</style>\n</head>\n"
    yield "<body>\n"
    yield from _top(reported)
    yield '<main>\n<nav class="list" aria-label="Tests">'
    yield from _list(reported.tests)
    yield '</nav>\n<section class="details" id="details" tabindex="0" aria-label="Details">'
    yield '<button type="button" class="back" id="back">← All tests</button>'
    yield "<noscript><p>The list, the search and the details of a test need JavaScript, of this file alone.</p></noscript>"
    yield "</section>\n</main>\n"
    yield _help()
    for number, test in enumerate(ordered):
        yield details(test, number)
    yield f"<script>{script}</script>\n</body>\n</html>\n"


def _file(name: str) -> str:
    return files("agentassert.reports").joinpath(name).read_text("utf-8")


def _policy(style: str, script: str) -> str:
    """Nothing is fetched, and no style or script runs but these two, which are known by what is in them."""
    allowed = [f"{kind}-src 'sha256-{_digest(text)}'" for kind, text in (("style", style), ("script", script))]
    trusted = ("require-trusted-types-for 'script'", "trusted-types agentassert")
    rules = ("default-src 'none'", *allowed, "base-uri 'none'", "form-action 'none'", *trusted)
    return f'<meta http-equiv="Content-Security-Policy" content="{"; ".join(rules)}">'


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _by_file(tests: Iterable[ReportedTest]) -> list[tuple[str, list[ReportedTest]]]:
    """The tests of each file in the order in which they stand there, whichever process ended first."""
    found: dict[str, list[ReportedTest]] = {}
    for test in tests:
        found.setdefault(test.file, []).append(test)
    return [(file, sorted(group, key=lambda test: test.line or 0)) for file, group in found.items()]


def _headline(reported: Reported) -> str:
    total, broken = len(reported.tests), _broken(reported.tests)
    if not total:
        return "No tests ran"
    if broken:
        return f"{broken:,} of {counted(total, 'test')} failed"
    passed = reported.count()[Ending.PASSED]
    return (
        f"All {counted(total, 'test')} passed"
        if passed == total
        else f"{passed:,} of {counted(total, 'test')} passed, none failed"
    )


def _broken(tests: Iterable[ReportedTest]) -> int:
    return sum(test.ending in _BROKEN for test in tests)


def _top(reported: Reported) -> Iterator[str]:
    counts = reported.count()
    broken = ' class="bad"' if _broken(reported.tests) else ""
    yield f'<header class="top">\n<h1><span{broken}>{_headline(reported)}</span></h1>\n<p class="about">'
    if reported.interrupted:
        yield '<span class="stopped">stopped before every test had ended</span>'
    started = f"{reported.started_at:%Y-%m-%d %H:%M %Z}"
    about = (reported.title, started, f"in {seconds(reported.duration)}", *_executed(reported.tests), *reported.made_with)
    yield "".join(f"<span>{html(one)}</span>" for one in about)
    yield f'</p>\n{_bar(counts, len(reported.tests))}\n<div class="tools" role="search">'
    yield '<label class="search"><span class="unseen">Search names, tools, arguments and messages</span>'
    yield '<input type="search" id="search" placeholder="Search names, tools, arguments, messages" autocomplete="off" spellcheck="false">'
    yield '<kbd aria-hidden="true">/</kbd></label>\n<div class="filters" role="group" aria-label="Show only">'
    for kind, words in _FILTERS.items():
        if counts[kind]:
            yield f'<button type="button" class="{kind}" data-kind="{kind}" aria-pressed="false"><i></i>{words} <b>{counts[kind]:,}</b></button>'
    yield '</div><span id="told" role="status"></span><button type="button" id="ask" aria-label="Help on keys">?</button></div>\n</header>\n'


def _executed(tests: Iterable[ReportedTest]) -> Iterator[str]:
    number = sum(test.executions for test in tests)
    if number:
        yield counted(number, "tool execution")


def _bar(counts: Counter[str], total: int) -> str:
    """How many tests ended how, as lengths."""
    parts, start, told = [], 0.0, []
    for ending in Ending:
        width = 100 * counts[ending] / max(total, 1)
        if width:
            parts.append(f'<rect class="{ending}" x="{start:.4g}" width="{width:.4g}" height="1"/>')
            told.append(f"{counts[ending]} {SAID[ending]}")
        start += width
    shapes = "".join(parts) or '<rect width="100" height="1"/>'
    return f'<svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" role="img" aria-label="{", ".join(told)}">{shapes}</svg>'


def _list(tests: Iterable[ReportedTest]) -> Iterator[str]:
    yield '<div id="tests" role="listbox" aria-label="Tests">'
    number = 0
    for place, (file, group) in enumerate(_by_file(tests)):
        broken = _broken(group)
        failed = f'<span class="bad">{broken:,} failed</span>' if broken else ""
        yield f'\n<div role="group" aria-labelledby="file-{place}"><h2 id="file-{place}" role="presentation">{html(file)}{failed}</h2>'
        for test in group:
            yield row(test, number)
            number += 1
        yield "</div>"
    yield '</div><p class="nothing" id="nothing" hidden>No test is like that. <button type="button" id="all">Show all</button></p>'


def _help() -> str:
    keys = "".join(f"<dt>{' '.join(f'<kbd>{key}</kbd>' for key in pressed)}</dt><dd>{does}</dd>" for pressed, does in _KEYS)
    return (
        f'<dialog id="help" aria-labelledby="help-title"><h2 id="help-title">Keys</h2><dl>{keys}</dl>'
        "<p>The search looks for every word in the names, messages, tools, arguments and results that the report shows, and for text in "
        'quotation marks as it stands.</p><button type="button" id="close">Close</button></dialog>\n'
    )
