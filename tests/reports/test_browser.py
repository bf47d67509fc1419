"""The HTML report in a real browser."""

from __future__ import annotations

import re

import pytest

from agentassert.reports.page_content import Ending, Problem
from tests.factories import captured, execution, invocation
from tests.reports.reported import ended, failed, page_of, reported_capture

WRONG = (
    "Expected invocation 'support' to have executed 'cancel' with {'number': 'MS-777'},\n"
    "but no successful execution matched. Closest:\n  [2] cancel(number='MS-778')\n      $.number: expected 'MS-777', was 'MS-778'"
)
HOSTILE = (
    '</template></pre><script>alert("script")</script><img src="https://example.com/x.png" onerror="alert(1)">'
    '<style>body{display:none}</style>"\'><svg onload=alert(2)>\x00\x07\x1b[31m\ud800\u202e${alert(3)} password="hunter2"'
)


def refund(*more):
    inner = invocation("refunds", execution("look_up_charge", {"booking": "MS-777"}), execution("notify", error="no answer"))
    return captured(invocation("support", execution("cancel", {"number": "MS-778"}), *more, nested=(inner,)))


@pytest.fixture
def report(tmp_path, visit):
    """Opens a report of some tests."""

    def opened(*tests, fragment="", **how):
        file = tmp_path / "report.html"
        file.write_text(page_of(*tests), "utf-8")
        return visit(file.as_uri() + fragment, **how)

    return opened


@pytest.fixture
def shop(report):
    """The report of six tests, each of another kind."""
    return report(
        ended("test_opens", capture=refund()),
        failed("test_cancels", WRONG, capture=refund()),
        ended("test_pays[EUR]", output=(("Captured stdout call", "paid 12 EUR\n"),)),
        ended("test_asks", Ending.SKIPPED, file="tests/test_more.py"),
        ended(
            "test_breaks",
            Ending.ERROR,
            file="tests/test_more.py",
            problems=(Problem(title="Error in setup", message="no database"),),
        ),
        ended("test_gap", Ending.XFAILED, file="tests/test_more.py"),
    )


def names(page):
    return [name.strip() for name in page.locator(".test:visible .name").all_inner_texts()]


def selected(page):
    return page.locator('[role="option"][aria-selected="true"] .name').inner_text()


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def test_it_opens_at_the_first_failure_with_its_message_and_its_tree(shop):
    assert shop.get_by_role("heading", level=1).inner_text() == "2 of 6 tests failed"
    assert selected(shop) == "test_cancels"
    details = shop.locator("#details")
    assert "$.number: expected 'MS-777', was 'MS-778'" in details.inner_text()
    assert details.get_by_text("look_up_charge").first.is_visible()


def test_the_difference_is_marked_apart_from_the_rest(shop):
    wanted, found = shop.locator(".message ins"), shop.locator(".message del")
    assert (wanted.inner_text(), found.inner_text()) == ("'MS-777'", "'MS-778'")
    assert (wanted.locator("mark").inner_text(), found.locator("mark").inner_text()) == ("7", "8")
    colours = {
        part.evaluate("part => getComputedStyle(part).backgroundColor") for part in (wanted, found, shop.locator(".message"))
    }
    assert len(colours) == 3


def test_filters_leave_the_tests_of_their_kinds(shop):
    shop.get_by_role("button", name="failed", exact=False).first.click()
    assert names(shop) == ["test_cancels"]
    shop.get_by_role("button", name="skipped").click()
    assert names(shop) == ["test_cancels", "test_asks"]
    assert shop.get_by_role("status").inner_text() == "2 of 6 tests"
    shop.get_by_role("button", name="failed").first.click()
    assert names(shop) == ["test_asks"]
    assert shop.get_by_role("group", name="tests/test_shop.py").count() == 0


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("PAYS", ["test_pays[EUR]"]),
        ("test_more.py", ["test_breaks", "test_gap", "test_asks"]),
        ("look_up_charge", ["test_opens", "test_cancels"]),
        ("ms-778 closest", ["test_cancels"]),
        ('"no database"', ["test_breaks"]),
        ("12 eur", ["test_pays[EUR]"]),
        ("nowhere", []),
    ],
)
def test_a_search_finds_names_tools_arguments_messages_and_output(shop, query, found):
    shop.get_by_role("searchbox").fill(query)
    assert sorted(names(shop)) == sorted(found)
    assert shop.get_by_text("No test is like that.").is_visible() is not bool(found)


def test_a_search_and_a_filter_hold_together(shop):
    shop.get_by_role("searchbox").fill("look_up_charge")
    shop.get_by_role("button", name="passed").first.click()
    assert names(shop) == ["test_opens"]


def test_what_is_found_is_highlighted_and_what_hides_it_is_opened(shop):
    press(shop, "j")
    assert shop.locator(".output[open]").count() == 0
    shop.get_by_role("searchbox").fill("paid")
    shop.locator(".output[open]").wait_for()
    assert shop.evaluate("CSS.highlights.get('found').size") == 1


def test_the_keyboard_leads_through_the_tests(shop):
    press(shop, "j")
    assert selected(shop) == "test_pays[EUR]"
    press(shop, "k", "ArrowUp")
    assert selected(shop) == "test_opens"
    press(shop, "k")
    assert selected(shop) == "test_opens"
    press(shop, "End")
    assert selected(shop) == "test_gap"
    press(shop, "Home")
    assert shop.evaluate("document.activeElement.textContent").startswith("passed: test_opens")


def test_n_leads_from_failure_to_failure_and_around(shop):
    press(shop, "n")
    assert selected(shop) == "test_breaks"
    press(shop, "n")
    assert selected(shop) == "test_cancels"
    press(shop, "Shift+N")
    assert selected(shop) == "test_breaks"


def test_n_says_so_when_nothing_failed(report):
    page = report(ended("test_opens"))
    press(page, "n")
    assert page.get_by_role("status").inner_text() == "None of the tests shown failed"


def test_enter_goes_into_the_details_and_escape_back(shop):
    press(shop, "j", "Enter")
    assert shop.evaluate("document.activeElement.id") == "details"
    press(shop, "Escape")
    assert shop.evaluate("document.activeElement.id") == "test-2"


def test_a_slash_leads_to_the_search_in_which_keys_are_letters(shop):
    press(shop, "/")
    shop.keyboard.type("njk?/")
    assert shop.get_by_role("searchbox").input_value() == "njk?/"
    assert not shop.get_by_role("dialog").is_visible()
    press(shop, "Escape")
    assert shop.get_by_role("searchbox").input_value() == ""
    assert len(names(shop)) == 6
    shop.keyboard.type("pays")
    press(shop, "Enter")
    assert selected(shop) == "test_pays[EUR]"


def test_escape_in_the_list_shows_all_tests_again(shop):
    shop.get_by_role("button", name="failed").first.click()
    press(shop, "j", "Escape")
    assert len(names(shop)) == 6


def test_a_question_mark_shows_the_keys(shop):
    press(shop, "?")
    assert "next failure" in shop.get_by_role("dialog", name="Keys").inner_text()
    press(shop, "j", "Escape")
    assert not shop.get_by_role("dialog").is_visible()
    assert selected(shop) == "test_cancels"


def test_keys_with_a_modifier_are_left_to_the_browser(shop):
    press(shop, "Control+j", "Alt+n")
    assert selected(shop) == "test_cancels"


def test_the_focus_can_be_seen_wherever_the_tabulator_leads(shop):
    seen = set()
    for _ in range(12):
        press(shop, "Tab")
        seen.add(shop.evaluate("document.activeElement.id || document.activeElement.className"))
        assert shop.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    assert {"search", "failed", "ask", "test-1", "details"} <= seen


def test_a_screen_reader_is_told_what_each_part_is(shop):
    tests = shop.get_by_role("listbox", name="Tests")
    assert tests.get_by_role("group", name="tests/test_more.py").get_by_role("option").count() == 3
    assert tests.get_by_role("option", name="failed: test_cancels").get_attribute("aria-selected") == "true"
    assert shop.get_by_role("button", name="skipped").get_attribute("aria-pressed") == "false"
    assert shop.get_by_role("region", name="Details of tests/test_shop.py::test_cancels").is_visible()
    assert shop.get_by_role("img").get_attribute("aria-label").startswith("1 failed, 1 error, 2 passed")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_all_text_has_enough_contrast_in_both_themes(report, theme):
    page = report(failed("test_cancels", WRONG, capture=refund()), ended("test_asks", Ending.SKIPPED), color_scheme=theme)
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, background[4:-1].split(","))) > 380) is (theme == "light")
    assert page.evaluate(POOR_CONTRAST) == []


POOR_CONTRAST = """() => {
  const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (colour) => {
    const [r, g, b] = parts(colour).map((one) => (one /= 255) <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const colour = getComputedStyle(one).backgroundColor;
      if (colour.startsWith("rgb(")) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const poor = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !element.checkVisibility() || element.tagName === "MARK") continue;
    const [one, other] = [light(getComputedStyle(element).color), light(behind(element))].sort();
    if ((other + 0.05) / (one + 0.05) < 4.5) poor.push(element.outerHTML.slice(0, 120));
  }
  return poor;
}"""


def test_hostile_text_everywhere_is_shown_and_does_nothing(report):
    capture = captured(
        invocation(
            HOSTILE,
            execution(HOSTILE, {HOSTILE: HOSTILE, "api_key": "sk-abcdefgh12345678"}, HOSTILE + "x" * 1_000_000),
            input=HOSTILE,
        )
    )
    problem = Problem(
        title=HOSTILE, message=f"Expected {HOSTILE}\n  $.{HOSTILE}: expected '{HOSTILE}', was 'x'", traceback=f"E   {HOSTILE}"
    )
    page = report(
        ended(
            HOSTILE,
            Ending.FAILED,
            file=HOSTILE,
            capture=capture,
            problems=(problem,),
            output=((HOSTILE, HOSTILE + "x" * 1_000_000),),
        )
    )
    page.locator("#details details").evaluate_all("all => all.forEach((one) => { one.open = true; })")
    shown = page.locator("#details").inner_text()
    assert '<script>alert("script")</script>' in shown
    assert "\\x00\\x07\\ud800\\u202e" in shown
    content = page.content()
    assert "hunter2" not in content
    assert "sk-abcdefgh" not in content
    assert page.locator("script:not([type])").count() == 1
    assert page.locator("img:not([role])").count() == 0
    assert len(content) < 500_000


def test_a_script_that_got_in_would_not_run(tmp_path, browser):
    file = tmp_path / "report.html"
    smuggled = "<script>document.title = 'run'</script><img src=x onerror=\"document.title = 'run'\">"
    file.write_text(page_of(ended("test_opens")).replace("<main>", f"<main>{smuggled}"), "utf-8")
    page = browser.new_page()
    page.goto(file.as_uri())
    assert page.title() == "All 1 test passed · shop"
    page.close()


def test_a_link_to_a_test_opens_it(report):
    page = report(failed("test_cancels"), ended("test_pays[EUR]"), fragment="#tests%2Ftest_shop.py%3A%3Atest_pays%5BEUR%5D")
    assert selected(page) == "test_pays[EUR]"


def test_the_address_leads_to_the_test_that_is_shown(shop):
    press(shop, "j")
    shop.wait_for_url("**#tests%2Ftest_shop.py%3A%3Atest_pays%5BEUR%5D")


def test_on_a_narrow_screen_there_is_the_list_or_the_test(report):
    page = report(ended("test_opens"), failed("test_cancels", WRONG), viewport={"width": 400, "height": 700})
    assert not page.locator("#details").is_visible()
    page.get_by_role("option", name="test_cancels").click()
    assert page.locator(".message").is_visible()
    assert not page.get_by_role("listbox").is_visible()
    page.get_by_role("button", name="All tests").click()
    assert page.get_by_role("listbox").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 400


@pytest.fixture(scope="module")
def large_page():
    """The text of a report of a thousand tests, the last of which executed ten thousand tools."""
    many = captured(invocation("support", *(execution("get", {"number": f"MS-{number}"}) for number in range(10_000))))
    few = (reported_capture(refund()),)
    return page_of(*(ended(f"test_{number}", captures=few) for number in range(999)), ended("test_large", capture=many))


@pytest.fixture
def large(large_page, tmp_path, visit):
    file = tmp_path / "report.html"
    file.write_text(large_page, "utf-8")
    return visit(file.as_uri())


def made(page):
    return page.evaluate("document.querySelectorAll('*').length")


MORE = re.compile("^9,8\\d\\d more$")


def test_a_large_report_makes_only_what_is_looked_at(large):
    assert large.locator(".test").count() == 1000
    assert made(large) < 20_000
    press(large, "End", "Enter")
    large.locator("#details summary").get_by_text("MS-150").wait_for()
    assert made(large) < 30_000
    large.get_by_role("button", name=MORE).click()
    large.locator("#details summary").get_by_text("MS-350").wait_for()
    assert made(large) < 40_000


def test_what_is_searched_for_is_all_that_is_shown_of_a_long_list(large):
    large.get_by_role("searchbox").fill("MS-9876")
    assert names(large) == ["test_large"]
    press(large, "Enter", "Enter")
    details = large.locator("#details")
    details.locator("summary").get_by_text("MS-9876").wait_for()
    assert details.get_by_text("others without what is searched for").is_visible()
    assert details.locator("summary").get_by_text("MS-150").count() == 0
    large.get_by_role("searchbox").fill("")
    assert details.get_by_role("button", name=MORE).is_visible()


def test_a_report_of_no_tests_says_so(report):
    page = report()
    assert page.get_by_role("heading", level=1).inner_text() == "No tests ran"
    press(page, "j", "n", "Enter", "Escape")
    assert page.get_by_text("No test is like that.").is_visible()
