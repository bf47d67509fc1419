"""Expressions: every known way out of such a language, right ones and nearly right ones. None runs code or asks an object anything."""

from __future__ import annotations

import json
from typing import Any, Final

from hypothesis import strategies as st

from agentassert.checks.arguments import compile_arguments
from agentassert.checks.paths import compile_path
from agentassert.expressions import RESULT_NAMES, Expression, ExpressionError
from agentassert.expressions.conditions import Condition
from tests.expressions.generated import ESCAPES, EXPRESSIONS, Hostile, values
from tests.fuzzing.targets import Target
from tests.fuzzing.texts import text_of
from tests.fuzzing.using import printable

_WORDS: Final = (
    *(
        "output",
        "params",
        "invocations",
        "result",
        "context",
        " and ",
        " or ",
        "not ",
        " in ",
        " is ",
        " == ",
        " != ",
        " < ",
        "true",
        "null",
        "[0]",
    ),
    *(
        ".id",
        '["id"]',
        ".items",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "'",
        '"',
        "\\",
        "#",
        "lambda: ",
        ":=",
        "*",
        "1_0",
        "0x1f",
        "1e400",
        "-1",
        "\u00b5m",
    ),
)


class _Satisfied(Exception):  # no error: an outcome, so that those are counted
    """An expression that holds."""


class _Unsatisfied(Exception):  # likewise
    """An expression that does not."""


def _evaluate(data: bytes) -> Any:
    text = text_of(data)
    hostile = Hostile()
    given = values(hostile)
    try:
        verdict = Expression.parse(text, RESULT_NAMES).evaluate(given)
    except ExpressionError as error:
        if not 1 <= error.column <= len(text) + 1:
            raise AssertionError(f"{error!r} names no place") from error
        raise
    finally:
        if hostile.asked:
            raise AssertionError(f"an object was asked for {hostile.asked}")
    if verdict.satisfied:
        raise _Satisfied(text.encode("ascii", "backslashreplace").decode()[:100] or "nothing")
    if not verdict.reasons:
        raise AssertionError("there is no reason why it is not satisfied")
    printable("an explanation", verdict.explanation)
    raise _Unsatisfied("told")


def _count(data: bytes) -> Any:
    condition = Condition.parse(text_of(data))
    if condition.counts and all(condition.counts_hold(number, {}) for number in range(50)):
        raise AssertionError("every number of executions satisfies it")


def _match(data: bytes) -> Any:
    """Expected and actual arguments: what matches has no differences, and the other way round."""
    try:
        expected, actual = json.loads(data)
    except (ValueError, RecursionError, TypeError):
        return
    if not isinstance(actual, dict):
        return
    matcher = compile_arguments(expected)
    differences = matcher.differences(actual)
    if matcher.matches(actual) is bool(differences):
        raise AssertionError(f"it matches, and differs by {differences}")
    printable("the differences", "\n".join(map(str, differences)))
    if expected and actual and "$" not in "".join((*expected, *actual)) and not compile_arguments(actual).matches(actual):
        raise AssertionError("the arguments do not match themselves")


def _follow(data: bytes) -> Any:
    path = compile_path(text_of(data))
    for value in ({"a": [{"b": 1}, {"b": 2}], "c d": {"e": None}}, [], "text", {"a": Hostile()}):
        path.find(value)
        path.places(value)


_TABLES: Final = ("exec", "compile", "import")
"""What the parser of jsonpath-ng looks for its tables by, under names of its own."""

_ARGUMENTS: Final = (
    [{"id": 7}, {"id": "7", "to": "x"}],
    [{"$.order.id": 7, "a": [1, {"b": None}]}, {"order": {"id": 7}, "a": [1.0, {"b": None}]}],
    [{"$.items[*].id": [1, 2], "ok": True}, {"items": [{"id": 1}, {"id": 2}], "ok": "true"}],
)

TARGETS: Final = (
    Target(
        name="expressions",
        run=_evaluate,
        allowed=(ExpressionError, _Satisfied, _Unsatisfied),
        corpus=lambda: [one.encode("utf-8", "surrogatepass") for one in ESCAPES],
        strategy=EXPRESSIONS.map(lambda text: text.encode("utf-8", "surrogatepass")),
        form="text",
        words=_WORDS,
        seconds=0.05,
        largest=100_000,
    ),
    Target(
        name="conditions",
        run=_count,
        allowed=(ExpressionError,),
        corpus=lambda: [
            b"params.a == 4",
            b"invocations >= 2 and params.to in ['x', 'y'] and not context.ready",
            b"invocations != 3 or invocations > 5",
        ],
        strategy=st.lists(st.sampled_from(_WORDS) | st.integers(-2, 9).map(str), max_size=9).map(
            lambda parts: "".join(parts).encode()
        ),
        form="text",
        words=_WORDS,
        seconds=0.05,
        largest=100_000,
    ),
    Target(
        name="arguments",
        run=_match,
        allowed=(TypeError, ValueError),
        corpus=lambda: [json.dumps(one).encode() for one in _ARGUMENTS],
        words=("$.", "$[0]", "$..*", "$.items[?(@.id > 1)]", "id", "order"),
        events=_TABLES,
        seconds=0.5,
        largest=300_000,
    ),
    Target(
        name="paths",
        run=_follow,
        allowed=(ValueError,),
        corpus=lambda: [
            b"$.a[*].b",
            b"$['c d'].e",
            b"$..b",
            b"$.a[?(@.b > 1)].b",
            b"$.a[0:1]",
            b"$.a.`len`",
            b"$.a[\\b]",
            b"$.a.`sub(/a/, b)`",
        ],
        form="text",
        words=(
            "$",
            "..",
            "[*]",
            "[?(@.b)]",
            "`this`",
            "`parent`",
            "['",
            "']",
            "|",
            "&",
            "where",
            "~",
            "(",
            ")",
            "*",
            ".a",
            "[-1]",
            "'x'",
        ),
        events=_TABLES,
        seconds=0.5,
        largest=100_000,
    ),
)
