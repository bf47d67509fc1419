"""Text as a page shows it."""

from __future__ import annotations

import pytest

from agentassert.reports.page_text import html, readable, seconds


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x00b\x07c\x7f\x9b", r"a\x00b\x07c\x7f\x9b"),
        ("\ud800 half", r"\ud800 half"),
        ("user\u202etxt.exe", r"user\u202etxt.exe"),
        ("zero\u200bwidth", r"zero\u200bwidth"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("one\r\ntwo\tthree", "one\ntwo\tthree"),
        ("grüße 東京 🚢", "grüße 東京 🚢"),
    ],
)
def test_characters_that_cannot_be_seen_are_spelled_out(text, shown):
    assert shown == readable(text)


def test_a_long_text_keeps_its_ends_and_says_what_is_left_out():
    shown = readable("start" + "x" * 1_000_000 + "\n" + "y\n" * 1_000_000 + "end", limit=1000)
    assert shown.startswith("start")
    assert shown.endswith("end")
    assert "characters left out" in shown
    assert len(shown) < 1100


def test_a_long_line_is_cut_on_its_own():
    assert len(readable("x" * 1_000_000 + "\nshort").split("\n")[0]) < 4100
    assert readable("x" * 1_000_000 + "\nshort").endswith("\nshort")


def test_a_secret_is_masked_even_where_the_text_is_cut():
    secret = "sk-" + "s" * 3000
    shown = readable("x" * 39_000 + f" {secret} " + "y" * 39_000)
    assert "ssss" not in shown


def test_what_has_a_meaning_in_html_loses_it():
    assert html("""</pre><script>alert("1")</script> it's""") == (
        "&lt;/pre&gt;&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; it&#x27;s"
    )


@pytest.mark.parametrize(("duration", "shown"), [(0, "< 1 ms"), (0.9994, "999 ms"), (59.94, "59.9 s"), (3600, "1 h 0 min")])
def test_a_duration_is_told_in_its_unit(duration, shown):
    assert shown == seconds(duration)
