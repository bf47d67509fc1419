"""The tree of a notebook in a real browser."""

from __future__ import annotations

import pytest

from agentassert import assert_that
from tests.factories import captured, execution, invocation
from tests.reports.hostile import hostile_capture

LIGHT, DARK = "rgb(255, 255, 255)", "rgb(22, 25, 29)"


@pytest.fixture
def show(visit, tmp_path):
    """Opens what a subject shows, in a page that is otherwise empty."""

    def shown(subject, body="<body>", **how):
        page = tmp_path / "page.html"
        page.write_text(f"<!doctype html><meta charset=utf-8>{body}{subject._repr_html_()}", "utf-8")
        return visit(page.as_uri(), **how)

    return shown


def small():
    return captured(invocation("agent", execution("look", {"id": 7}), execution("send", error="no answer"), input="Hi"))


def paper(page):
    return page.locator(".agentassert").evaluate("tree => getComputedStyle(tree).backgroundColor")


@pytest.mark.parametrize(
    ("body", "of_the_system", "expected"),
    [
        ("<body>", "light", LIGHT),
        ("<body>", "dark", DARK),
        ('<body data-jp-theme-light="true">', "dark", LIGHT),
        ('<body data-jp-theme-light="false">', "light", DARK),
        ('<body class="vscode-dark">', "light", DARK),
        ('<body class="vscode-light">', "dark", LIGHT),
    ],
)
def test_the_theme_is_the_notebooks_and_else_the_systems(show, body, of_the_system, expected):
    assert paper(show(small(), body, color_scheme=of_the_system)) == expected


def test_a_row_opens_with_the_mouse_and_the_keyboard(show):
    page = show(small())
    look, send = page.locator('[data-kind="tool"] summary').all()
    assert not page.get_by_text("arguments").first.is_visible()
    look.click()
    assert page.get_by_text("arguments").first.is_visible()
    send.focus()
    page.keyboard.press("Enter")
    assert page.locator("dt", has_text="error").is_visible()


def test_what_is_checked_is_seen_at_first(show):
    page = show(assert_that(small()).has_tool_executed("look"))
    assert page.get_by_text("✓ checked").is_visible()
    assert page.get_by_text("unchecked", exact=True).is_visible()
    assert page.get_by_text("1 of 2 tool executions checked").is_visible()


@pytest.mark.parametrize("width", [360, 1280])
def test_a_hostile_capture_runs_nothing_fetches_nothing_and_stays_in_its_column(show, width):
    page = show(hostile_capture(fails=True), viewport={"width": width, "height": 800})
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert page.locator("script, img").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    tree = page.locator(".agentassert")
    assert tree.evaluate("tree => tree.scrollWidth <= tree.clientWidth")
