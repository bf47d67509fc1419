"""Reports made for a test."""

from __future__ import annotations

from datetime import UTC, datetime

from agentassert.reports.nodes import Limits
from agentassert.reports.page import page
from agentassert.reports.page_content import Ending, Problem, Reported, ReportedCapture, ReportedTest
from agentassert.reports.tree_html import capture_html


def failed(name, message="assert 1 == 2", **fields):
    return ended(name, Ending.FAILED, problems=(Problem(title="Failed", message=message),), **fields)


def ended(name, ending=Ending.PASSED, *, capture=None, **fields):
    captures = () if capture is None else (reported_capture(capture),)
    return ReportedTest(**{"file": "tests/test_shop.py", "name": name, "ending": ending, "captures": captures, **fields})


def reported_capture(capture, checked=()):
    tree = capture_html(capture, checked=checked, limits=Limits(items=20_000, nodes=20_000))
    return ReportedCapture(tree=tree, executions=1, doubts=capture.health.doubts)


def page_of(*tests, **fields):
    at = datetime(2026, 1, 2, 9, 30, tzinfo=UTC)
    return "".join(page(Reported(**{"title": "shop", "tests": tests, "started_at": at, "duration": 1.5, **fields})))
