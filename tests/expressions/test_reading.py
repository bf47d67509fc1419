"""What is refused when an expression is read, and what the refusal says."""

from __future__ import annotations

import threading
import warnings

import pytest

from agentassert.expressions import APPROVAL_NAMES, PAYLOAD_NAMES, RESULT_NAMES, TOOL_NAMES, Expression, ExpressionError

NAMES = "output, output_text, error, status, context"


def refusal(text, names=RESULT_NAMES):
    with pytest.raises(ExpressionError) as caught:
        Expression.parse(text, names)
    return caught.value.column, caught.value.problem


CALLS = "functions and methods are not part of expressions: compare what was recorded, or check it in Python"
CALCULATION = "expressions compare and do not calculate: write the result"
TWO_TEXTS = "two texts follow each other: a comma is missing, or quotes are too many"
REFUSED = [
    ("", 1, "it is empty, so it asks for nothing"),
    ("  \n", 1, "it is empty, so it asks for nothing"),
    ("len(output) > 3", 1, CALLS),
    ("output.text.lower() == 'a'", 1, CALLS),
    ("output == output.strip().x", 11, CALLS),
    ("lambda: output", 1, CALLS),
    ("output.n + 1 == 2", 1, CALCULATION),
    ("9**9**9", 1, CALCULATION),
    ("output == -output.n", 11, CALCULATION),
    ("-output.n", 1, CALCULATION),
    ("error and -output.n", 11, CALCULATION),
    ("output == +1", 11, CALCULATION),
    ("output == -true", 11, CALCULATION),
    ("output == -'a'", 11, CALCULATION),
    ("output == -1e999", 11, CALCULATION),
    ("output == 1e999", 11, "this number is too large"),
    ("output.a == 1 & output.b == 2", 13, "conditions are joined with the word: write `and`"),
    ("output.a | output.b", 1, "conditions are joined with the word: write `or`"),
    ("1 if output else 2", 1, "there is no `if` in expressions: use `and` and `or`"),
    ("f'{output}' == 'a'", 1, "text stands for itself, without an f before it"),
    ("(x := output)", 2, "expressions assign nothing: compare with =="),
    ("output in [*context]", 12, "a star has no meaning in an expression"),
    ("output[1:2] == []", 1, "a part of a list cannot be cut out: read one item, such as [0] or [-1]"),
    ("[x for x in output]", 1, "this is not part of the language of expressions"),
    ("output == 1j", 11, "this is not part of the language of expressions"),
    ("output == b'a'", 11, "this is not part of the language of expressions"),
    ("output == ...", 11, "this is not part of the language of expressions"),
    ("output[output.n] == 1", 8, "in [...] stands text in quotes or a whole number"),
    ("output[true] == 1", 8, "in [...] stands text in quotes or a whole number"),
    ("output[True] == 1", 8, "in [...] stands text in quotes or a whole number"),
    ("output[1.0] == 1", 8, "in [...] stands text in quotes or a whole number"),
    ("output._x == 1", 1, 'names that begin with _ are not read by a dot: write ["_x"]'),
    ("output.__class__", 1, 'names that begin with _ are not read by a dot: write ["__class__"]'),
    ("'abc'.x == 1", 1, f"'abc' has no parts: a path begins with one of {NAMES}"),
    ("null.x == 1", 1, f"null has no parts: a path begins with one of {NAMES}"),
    ("[output][0] == 1", 1, f"[output] has no parts: a path begins with one of {NAMES}"),
    ("outptu.id == 10", 1, f"'outptu' is unknown here; did you mean 'output'? The names are {NAMES}"),
    ("true", 1, f"true is the same whatever the agent does: a condition looks at one of {NAMES}"),
    ("1 == 1", 1, f"1 == 1 is the same whatever the agent does: a condition looks at one of {NAMES}"),
    ('output == "a" or "b"', 18, f'"b" is the same whatever the agent does: a condition looks at one of {NAMES}'),
    ("not 'a'", 5, f"'a' is the same whatever the agent does: a condition looks at one of {NAMES}"),
    ("[output]", 1, "[output] is no condition: compare it with something"),
    ('output == ("a" or "b")', 12, "`and` and `or` join conditions, not values: compare with `in [...]`, or each by itself"),
    ("(output or error) == 'a'", 2, "`and` and `or` join conditions, not values: compare with `in [...]`, or each by itself"),
    (
        "output == (error == 'a' or 'b')",
        12,
        "`and` and `or` join conditions, not values: compare with `in [...]`, or each by itself",
    ),
    ("output == [{1, 2}]", 12, "a set cannot stand inside something else: write a list"),
    ("output == {'a': {1, 2}}", 17, "a set cannot stand inside something else: write a list"),
    ("output == {1: 2}", 11, "the keys of an object are text in quotes"),
    ("output == {**context}", 11, "the keys of an object are text in quotes"),
    ("status != 'complete'", 11, "no invocation has the status 'complete'; did you mean 'completed'?"),
    (
        "'done' == status",
        1,
        "no invocation has the status 'done'; known are 'awaiting_approval', 'blocked', 'cancelled', 'completed', "
        "'failed', 'unfinished'",
    ),
    ("status in ['failed' 'blocked']", 12, TWO_TEXTS),
    ("output not in ['a' \"b\", 'c']", 16, TWO_TEXTS),
    ("output == {'a': 1, 'b': 2, 'a': 3}", 28, "the key 'a' is there twice"),
    ("output == 1 # and error", 13, "a comment has no place in an expression"),
    ("output.class == 1", 8, """'class' is a word of the language: write ["class"] instead of .class"""),
    ("output.a == class", 13, "it cannot be read here: invalid syntax"),
    ("output. 5", 9, "it cannot be read here: invalid syntax"),
    ("input.in", 7, """'in' is a word of the language: write ["in"] instead of .in"""),
    ("output. None", 9, """'None' is a word of the language: write ["None"] instead of .None"""),
    ("output.id = 10", 11, "it cannot be read here: compare with =="),
    ("output && error", 9, "it cannot be read here: write `and`"),
    ("output || error", 9, "it cannot be read here: write `or`"),
    ("!output", 1, "it cannot be read here: write `not`"),
    ("output <> 1", 8, "it cannot be read here: write !="),
    ("output == \u201chi\u201d", 11, "text stands in plain quotes, \"\u2026\" or '\u2026'"),
    ("output ==", 10, "it cannot be read here: invalid syntax"),
    ("(output == 1", 1, "it cannot be read here: '(' was never closed"),
    ("output == 'a", 11, "it cannot be read here: unterminated string literal"),
    (r"output == '\d'", 11, r"it cannot be read here: invalid escape sequence '\d'"),
    ("output == 1\x00", 1, "it cannot be read here: source code string cannot contain null bytes"),
    ("output == '\ud800'", 1, "it holds a character that is none"),
    ("  outptu", 3, f"'outptu' is unknown here; did you mean 'output'? The names are {NAMES}"),
    ("'\u00e9' in outptu", 8, f"'outptu' is unknown here; did you mean 'output'? The names are {NAMES}"),
]


@pytest.mark.parametrize(("text", "column", "problem"), REFUSED, ids=[repr(one[0]) for one in REFUSED])
def test_what_is_no_expression_is_refused_with_its_place_and_the_fix(text, column, problem):
    if "\x00" in text:  # newer versions of Python say it at no place
        column = refusal(text)[0]
    assert refusal(text) == (column, problem)


def test_the_error_names_the_expression_and_the_place():
    with pytest.raises(
        ExpressionError, match=r"^'output.id == lne\(1\)', column 14: functions and methods are not part of"
    ) as caught:
        Expression.parse("output.id == lne(1)", RESULT_NAMES)
    assert (caught.value.expression, caught.value.column) == ("output.id == lne(1)", 14)


def test_an_expression_of_three_thousand_characters_is_refused_before_it_is_parsed():
    assert (
        refusal("output == 1" + " or output == 1" * 200)[1]
        == "an expression has at most 2,000 characters, but this one has 3,011"
    )
    Expression.parse("output == '" + "a" * 1988 + "'", RESULT_NAMES)


@pytest.mark.parametrize(
    "text",
    ["not " * 60 + "output", "(" * 60 + "output" + ")" * 60 + " == " + "[" * 60 + "]" * 60, "output == " + "[" * 60 + "]" * 60],
)
def test_an_expression_is_nested_so_deeply_at_most(text):
    assert refusal(text)[1] == "an expression is nested at most 50 levels deep"


def test_the_first_level_that_is_too_deep_is_the_place_of_the_refusal():
    assert refusal("not " * 60 + "output")[0] == len("not " * 51) + 1
    assert refusal("output == " + "[" * 60 + "]" * 60)[0] == len("output == " + "[" * 50) + 1


def test_what_is_nested_no_deeper_than_allowed_is_read():
    Expression.parse("not " * 50 + "output", RESULT_NAMES)
    Expression.parse("output == " + "[" * 50 + "]" * 50, RESULT_NAMES)


@pytest.mark.parametrize("error", [RecursionError, MemoryError])
def test_what_is_too_much_for_the_parser_is_refused_like_any_other(error, monkeypatch):
    def parse(*_, **__):
        raise error

    monkeypatch.setattr("agentassert.expressions.source.ast.parse", parse)

    assert refusal("output == 'what no other test has read'") == (1, "it is nested too deeply")


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (RESULT_NAMES, "params.a == 1"),
        (RESULT_NAMES, "invocations == 1"),
        (TOOL_NAMES, "output == 1"),
        (TOOL_NAMES, "payload == 1"),
        (PAYLOAD_NAMES, "params == 1"),
        (APPROVAL_NAMES, "invocations == 1"),
        (APPROVAL_NAMES, "result == 1"),
    ],
)
def test_each_context_has_its_own_names(names, text):
    assert f"names are {', '.join(names)}" in refusal(text, names)[1]


def test_an_escape_that_is_none_is_refused_where_warnings_are_not_shown():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert "invalid escape sequence" in refusal(r"output == '\q and nobody else reads this'")[1]


def test_a_hash_in_a_text_is_no_comment():
    assert Expression.parse("output == '# 1'", RESULT_NAMES).evaluate({"output": "# 1"}).satisfied


def test_line_breaks_are_blanks():
    assert Expression.parse('output == "a"\n  or output == "b"\r\n', RESULT_NAMES).evaluate({"output": "b"}).satisfied


def test_what_is_no_text_is_a_type_error():
    with pytest.raises(TypeError, match=r"an expression is text, but was True \(bool\)"):
        Expression.parse(True, RESULT_NAMES)


def test_reading_in_many_threads_leaves_the_filters_for_warnings_alone():
    before = list(warnings.filters)
    threads = [
        threading.Thread(target=lambda: [Expression.parse("output == 1", RESULT_NAMES) for _ in range(50)]) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert warnings.filters == before


def test_an_expression_shows_what_was_written():
    assert repr(Expression.parse("output.id == 1", RESULT_NAMES)) == "Expression('output.id == 1')"


def test_conditions_that_a_comma_joins_are_refused():
    with pytest.raises(ExpressionError, match="and"):
        Expression.parse("params.a == 1, invocations == 1", TOOL_NAMES)
