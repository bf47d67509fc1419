"""The HTML report: texts in every place that shows one, of which none may be more than text."""

from __future__ import annotations

import json
import unicodedata
from datetime import UTC, datetime
from typing import Any, Final

from hypothesis import strategies as st

from agentassert import capture, record
from agentassert.reports.page import page
from agentassert.reports.page_content import Ending, Problem, Reported, ReportedCapture, ReportedTest
from agentassert.reports.tree_html import capture_html
from tests.fuzzing.targets import Target
from tests.fuzzing.using import tags_of

_PLACES: Final = 6
_DIRECTIONS: Final = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
_WORDS: Final = (
    *(
        "</script>",
        "<script>alert(1)</script>",
        "</template>",
        "</textarea></title><img src=x onerror=alert(1)>",
        '" onclick="alert(1)',
        "'><svg/onload=x>",
    ),
    *(
        "<!--",
        "-->",
        "<![CDATA[",
        "javascript:alert(1)",
        "&#60;b&#62;",
        "\x1b[31m",
        "\x1b]8;;http://x\x1b\\",
        "\u202e",
        "\u2066",
        "\U000e0041",
        "\x9b2J",
    ),
    *("E   assert 1 == 2", "+ 'a'", "- 'b'", "> line", "tests/test_shop.py:7: AssertionError", "_ _ _ _", "  …"),
)


def _page_of(texts: list[str]) -> str:
    file, name, message, traceback, shown, said = texts
    with capture(name or None) as cap, record.invocation(name or "a", input=shown):
        record.tool_execution(name or "t", {shown: message}, result={"a": [traceback]})
        record.tool_execution("fails", {"x": shown}, error=message)
    tree = ReportedCapture(tree=capture_html(cap), name=name, run=2, problem=message, executions=2, doubts=(said,))
    problem = Problem(title=shown, message=message, traceback=traceback, unfolded=True)
    test = ReportedTest(
        file=file,
        name=name,
        ending=Ending.FAILED,
        runs=said,
        problems=(problem,),
        warnings=(problem,),
        captures=(tree,),
        output=((shown, said),),
    )
    at = datetime(2026, 1, 2, 9, 30, tzinfo=UTC)
    return "".join(page(Reported(title=shown, tests=(test, test), started_at=at, duration=1.5, made_with=(said,))))


_KNOWN: Final = tags_of(
    _page_of(["tests/test_a.py", "test_it", "assert 1 == 2\n+ a\n- b", "def f():\n>   x\nE   y", "text", "words"])
)


def _show(data: bytes) -> Any:
    try:
        given = json.loads(data)
    except (ValueError, RecursionError):
        return
    texts = [one if isinstance(one, str) else json.dumps(one)[:1_000] for one in (given if isinstance(given, list) else [given])]
    shown = _page_of((texts + [""] * _PLACES)[:_PLACES])
    found = tags_of(shown)
    if not found.tags <= _KNOWN.tags | {"mark", "ins", "del", "i", "b", "span"}:
        raise AssertionError(f"the page has {found.tags - _KNOWN.tags}")
    if not found.attributes <= _KNOWN.attributes | {("span", "class")} or found.others != _KNOWN.others:
        raise AssertionError(f"the page has {found.attributes - _KNOWN.attributes or found.others}")
    spoilt = next(filter(_does_something, shown), None)
    if spoilt is not None:
        raise AssertionError(f"the page holds {spoilt!r}")


def _does_something(char: str) -> bool:
    """Whether it controls something, is half a character, or turns the direction of text."""
    is_control = unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") and char not in "\n\t"
    return is_control or unicodedata.bidirectional(char) in _DIRECTIONS or char in "\u200e\u200f\u061c"


TARGETS: Final = (
    Target(
        name="pages",
        run=_show,
        allowed=(),
        corpus=lambda: [
            json.dumps(["a.py", "test_it", "assert 1 == 2\n  + 'a'\n  - 'b'", "def f():\n>   x\nE   y", "text", "words"]).encode()
        ],
        strategy=st.lists(
            st.lists(st.sampled_from(_WORDS) | st.text(max_size=5), max_size=5).map("".join), min_size=6, max_size=6
        ).map(lambda texts: json.dumps(texts).encode()),
        words=_WORDS,
        seconds=0.5,
        largest=300_000,
    ),
)
