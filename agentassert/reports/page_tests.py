"""One test on the page: its row in the list, and its details, which the page makes when they are asked for."""

from __future__ import annotations

import json
from collections.abc import Iterator

from agentassert.failures import counted
from agentassert.reports.page_content import Ending, Problem, ReportedCapture, ReportedTest
from agentassert.reports.page_failures import message_html, traceback_html
from agentassert.reports.page_text import html, seconds

SAID = {
    Ending.FAILED: "failed",
    Ending.ERROR: "error",
    Ending.XPASSED: "passed, though expected to fail",
    Ending.PASSED: "passed",
    Ending.XFAILED: "failed, as expected",
    Ending.SKIPPED: "skipped",
}


def row(test: ReportedTest, number: int) -> str:
    """The test in the list.

    Example:
        >>> 'aria-selected="false"' in row(ReportedTest(file="test_shop.py", name="test_pays", ending=Ending.PASSED), 0)
        True
    """
    return (
        f'<div role="option" id="test-{number}" class="test" data-ending="{test.ending}" data-kinds="{" ".join(test.kinds)}" '
        f'data-key="{html(test.file)}::{html(test.name)}" aria-selected="false" tabindex="-1">'
        f'<span class="sign"><span class="unseen">{SAID[test.ending]}: </span></span>'
        f'<span class="what"><span class="name">{_broken_up(test.name)}</span>{_marks(test)}</span>'
        f'<span class="time">{seconds(test.duration)}</span></div>'
    )


def details(test: ReportedTest, number: int) -> str:
    """The test in full, as HTML in JSON, which costs a browser next to nothing until it is looked at.

    Example:
        >>> details(ReportedTest(file="test_shop.py", name="test_pays", ending=Ending.PASSED), 0)[:60]
        '<script type="application/json" id="details-0">"\\\\u003cheader'
    """
    content = json.dumps("".join(_details(test)), ensure_ascii=False).replace("<", "\\u003c")
    return f'<script type="application/json" id="details-{number}">{content}</script>\n'


def _details(test: ReportedTest) -> Iterator[str]:
    place = html(test.file if test.line is None else f"{test.file}:{test.line}")
    yield f'<header><p class="place">{place}</p><h2>{_broken_up(test.name)}</h2>'
    yield f'<p class="facts"><span class="ending {test.ending}">{SAID[test.ending]}</span>{_facts(test)}</p></header>'
    for problem in test.problems:
        yield from _problem(problem, test.ending)
    for warning in test.warnings:
        yield from _problem(warning, "warned")
    for place_of, capture in enumerate(test.captures, 1):
        yield from _capture(capture, place_of if len(test.captures) > 1 else None)
    if not test.captures:
        yield '<p class="none">This test captured nothing.</p>'
    for title, text in test.output:
        yield f'<details class="output"><summary>{html(title)}</summary><pre>{html(text)}</pre></details>'


def _problem(problem: Problem, kind: str) -> Iterator[str]:
    yield f'<section class="problem {kind}"><h3>{html(problem.title)}</h3><pre class="message">{message_html(problem.message)}</pre>'
    if problem.traceback:
        is_open = " open" if problem.unfolded else ""
        yield f'<details{is_open}><summary>Traceback</summary><pre class="traceback">{traceback_html(problem.traceback)}</pre></details>'
    yield "</section>"


def _capture(capture: ReportedCapture, number: int | None) -> Iterator[str]:
    title = "Capture" if number is None else f"Capture {number}"
    if capture.run is not None:
        title += f" · run {capture.run}" + ("" if capture.problem is None else " (failed)")
    name = "" if capture.name is None else f" <q>{html(capture.name)}</q>"
    yield f'<section class="capture"><h3>{title}{name}</h3>'
    if capture.problem is not None:
        yield f'<pre class="message">{message_html(capture.problem)}</pre>'
    yield f"{capture.tree}</section>"


def _broken_up(name: str) -> str:
    """A name that a browser may break where a reader would: its parameters are set off."""
    called, bracket, parameters = name.partition("[")
    shown = html(called).replace("::", "::<wbr>").replace("_", "_<wbr>")
    return shown + (f'<span class="parameters">{html(bracket + parameters)}</span>' if bracket else "")


def _marks(test: ReportedTest) -> str:
    marks = (
        ("bad", test.failed_executions, "tool failed" if test.failed_executions == 1 else "tools failed"),
        ("", test.unchecked, "unchecked"),
        ("doubt", test.doubts, "doubt" if test.doubts == 1 else "doubts"),
        ("doubt", len(test.warnings), "warning" if len(test.warnings) == 1 else "warnings"),
    )
    shown = [f'<span class="{colour}">{number:,} {words}</span>' for colour, number, words in marks if number]
    return f'<span class="marks">{"".join(shown)}</span>' if shown else ""


def _facts(test: ReportedTest) -> str:
    facts = [seconds(test.duration)]
    if test.runs is not None:
        facts.append(html(test.runs))
    if test.captures:
        counts = ", ".join(_counts(test))
        facts.append(counted(test.executions, "tool execution") + (f" ({counts})" if counts else ""))
    if test.doubts:
        facts.append(counted(test.doubts, "doubt"))
    return "".join(f"<span>{fact}</span>" for fact in facts)


def _counts(test: ReportedTest) -> Iterator[str]:
    if test.failed_executions:
        yield f"{test.failed_executions:,} failed"
    if test.unchecked:
        yield f"{test.unchecked:,} unchecked"
