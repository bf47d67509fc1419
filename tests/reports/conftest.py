from __future__ import annotations

import shutil

import pytest

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


# Not for longer than a module: as long as Playwright's synchronous interface is on, no event loop can be run beside it.
@pytest.fixture(scope="module")
def browser():
    """A real browser without a window; without one, what asks for it is skipped."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install playwright")
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        pytest.skip(f"needs a browser, one of {', '.join(PROGRAMS)}: apt-get install chromium")
    with playwright.sync_playwright() as running:
        opened = running.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def visit(browser):
    """Opens an address in a page of its own; whatever the page fetches, complains about or asks fails the test in the end."""
    contexts, heard = [], []

    def opened(address, **how):
        contexts.append(browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **how}))
        page = contexts[-1].new_page()
        page.on("console", lambda message: heard.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: heard.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (heard.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: heard.append(f"request: {request.url}"))
        page.goto(address)
        heard.remove(f"request: {address.partition('#')[0]}")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert heard == []
