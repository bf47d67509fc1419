"""YAML 1.2 becomes plain data with positions; what is dangerous, ambiguous or no YAML is refused in one line."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys

import pytest
import yaml as library
from hypothesis import given, settings
from hypothesis import strategies as st

from agentassert.suites import yaml
from agentassert.suites.problems import YamlError


@pytest.fixture(params=["libyaml", "python"])
def parser(request, monkeypatch):
    """Both parsers of the library: the one in C, and the one for platforms where that is not built."""
    if request.param == "python":
        monkeypatch.delattr(library, "CSafeLoader")
    return request.param


def data(text):
    return yaml.parse(text.encode()).data


def refused(content):
    with pytest.raises(YamlError) as error:
        yaml.parse(content if isinstance(content, bytes) else content.encode())
    assert "\n" not in str(error.value)
    return str(error.value)


WORDS = {
    "yes": "yes",
    "on": "on",
    "No": "No",
    "y": "y",
    "true": True,
    "False": False,
    "TRUE": True,
    "~": None,
    "null": None,
    "Null": None,
    "": None,
    "nil": "nil",
    "0": 0,
    "-7": -7,
    "+7": 7,
    "017": 17,
    "0o17": 15,
    "0x1F": 31,
    "0b11": "0b11",
    "1_000": "1_000",
    "1.5": 1.5,
    "-.5": -0.5,
    "1.": 1.0,
    "1e3": 1000.0,
    "1.0.0": "1.0.0",
    "+": "+",
    ".": ".",
    "-.inf": -math.inf,
    ".INF": math.inf,
    "2026-01-01": "2026-01-01",
    "12:30": "12:30",
    "'5'": "5",
    '"true"': "true",
    '"\\u0041\\n"': "A\n",
    "😀 ok": "😀 ok",
}


@pytest.mark.parametrize(("word", "value"), WORDS.items(), ids=WORDS)
def test_words_mean_what_the_core_schema_of_yaml_1_2_says(parser, word, value):
    read = data(f"key: {word}")["key"]
    assert (read, type(read)) == (value, type(value))


def test_not_a_number_is_one():
    assert math.isnan(data(".nan"))


def test_blocks_flows_and_texts_of_several_lines(parser):
    assert data('a:\n  - b: [1, "x"]\n    c: {d: e}\n  - |\n    one\n    two\n  - >\n    one\n    two\n') == {
        "a": [{"b": [1, "x"], "c": {"d": "e"}}, "one\ntwo\n", "one two\n"]
    }


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n", "\n\n", "~"])
def test_a_text_that_says_nothing_is_none(parser, text):
    assert data(text) is None


def test_a_byte_order_mark_of_utf_8_and_windows_lines_are_no_trouble(parser):
    assert yaml.parse(b"\xef\xbb\xbfa: 1\r\nb: 2\r\n").data == {"a": 1, "b": 2}


def test_every_key_and_value_has_its_position(parser):
    marks = yaml.parse(b'name: x\ntests:\n  - name: "y"\n    calls: [a, {b: c}]\n').marks
    assert marks.of_value(()) == (1, 1)
    assert marks.of_key(("tests",)) == (2, 1)
    assert marks.of_value(("tests", 0)) == (3, 5)
    assert marks.of_value(("tests", 0, "name")) == (3, 11)
    assert marks.of_key(("tests", 0, "calls")) == (4, 5)
    assert marks.of_value(("tests", 0, "calls", 1, "b")) == (4, 20)
    assert marks.of_key(("tests", 0, "calls", 1)) == (4, 16)


def test_what_is_not_there_has_the_position_of_what_it_is_missing_from():
    marks = yaml.parse(b"tests:\n  - name: x\n").marks
    assert marks.of_value(("tests", 0, "payload")) == (2, 5)
    assert marks.of_key(("tests", 0, "payload")) == (2, 5)
    assert marks.of_value(("tests", 7, "payload", "deep")) == (2, 3)
    assert marks.of_value(("tests", 0, "name", 3)) == (2, 11)


def test_columns_count_characters(parser):
    assert yaml.parse("é😀: x".encode()).marks.of_value(("é😀",)) == (1, 5)


def test_aliases_stand_for_what_is_anchored_and_have_a_position_of_their_own(parser):
    document = yaml.parse(b"a: &one {b: [1]}\nc: *one\nd: &two text\ne: *two\n")
    assert document.data == {"a": {"b": [1]}, "c": {"b": [1]}, "d": "text", "e": "text"}
    assert document.marks.of_value(("c",)) == (2, 4)
    assert document.marks.of_value(("c", "b")) == (1, 13)


def test_merge_keys_add_what_is_not_there(parser):
    document = yaml.parse(b"a: &a {x: 1, y: 1}\nb: &b {y: 2, z: 2}\nc:\n  <<: [*a, *b]\n  x: 3\nd: {<<: *b}\ne: {'<<': 1}\n")
    assert document.data["c"] == {"x": 3, "y": 1, "z": 2}
    assert document.data["d"] == {"y": 2, "z": 2}
    assert document.data["e"] == {"<<": 1}
    assert document.data["a"] == {"x": 1, "y": 1}
    assert document.marks.of_value(("c", "z")) == (2, 17)


REFUSED = {
    "a: 1\nb: 2\na: 3": "3:1: the key 'a' is there twice, first in line 1",
    "a: {b: 1, 'b': 2}": "1:11: the key 'b' is there twice, first in line 1",
    "a: &x {<<: 1}": "1:12: the merge key << takes a mapping or a list of mappings, such as <<: *anchor",
    "a: {<<: []}": "1:9: the merge key << takes a mapping or a list of mappings, such as <<: *anchor",
    "a: {<<: [3]}": "1:9: the merge key << takes a mapping or a list of mappings, such as <<: *anchor",
    "404: a": "1:1: a key must be a text: put it in quotes, as '404'",
    "true: a": "1:1: a key must be a text: put it in quotes, as 'true'",
    "?\n: a": "1:2: a key is missing before this ':'",
    "[a]: b": "1:1: a key must be a text, not a mapping or a list; put a text that begins with '{' or '[' in quotes",
    "a: !!str 5": "1:4: tags are refused, and this is 'tag:yaml.org,2002:str': write the value without it",
    "a: !!python/object/apply:os.system ['true']": (
        "1:4: tags are refused, and this is 'tag:yaml.org,2002:python/object/apply:os.system': write the value without it"
    ),
    "a: ! 5": "1:4: tags are refused, and this is '!': write the value without it",
    "a: *b": "1:4: no anchor 'b' comes before this alias; put a text that begins with '*' in quotes",
    "a: &b [*b]": "1:8: the alias 'b' stands inside of what it stands for",
    "a: 1\n---\nb: 1": "2:1: a second document begins here: a file holds one; put the other into a file of its own",
    "%YAML 1.1\n---\na: yes": "1:1: suites are YAML 1.2: leave the %YAML directive out",
    f"a: {'9' * 401}": "1:4: this number has more than 400 digits; put it in quotes if it is a text",
    "a:\n\tb: 1": "2:1: a tab cannot indent or separate here: use spaces",
    "a: @b": "1:4: a text cannot begin with '@' without quotes",
    "a: `b`": "1:4: a text cannot begin with '`' without quotes",
    "a: %b": "1:4: a text cannot begin with '%' without quotes",
    "a: b: c": "1:5: a second ': ' in one line: put the value in quotes, as '…'",
    "a: 1\n  b: 2": (
        "2:4: no ':' is expected here: the line before is no mapping that this could go on, or is indented otherwise"
    ),
    'a: "hello" in output': "1:12: there is more after the closing quote: put the whole value in single quotes, as '…'",
    "a: 'it's'": "1:8: there is more after the closing quote: a single quote inside of single quotes is written twice",
    "a: b\x00c": '1:5: there is a character U+0000 here; if it is meant, write "\\u0000" in quotes',
    "a: b\n\x85c: d": '2:1: there is a character U+0085 here; if it is meant, write "\\u0085" in quotes',
    "a: \u2028": '1:4: there is a character U+2028 here; if it is meant, write "\\u2028" in quotes',
}


@pytest.mark.parametrize(("text", "words"), REFUSED.items(), ids=map(ascii, REFUSED))
def test_what_is_refused_is_refused_with_its_place_and_the_way_out(text, words):
    assert refused(text) == words


@pytest.mark.parametrize("text", REFUSED, ids=ascii)
def test_both_parsers_refuse_it_in_the_same_line(parser, text):
    assert refused(text).partition(":")[0] == REFUSED[text].partition(":")[0]


@pytest.mark.parametrize("text", ["a: [1, 2", "{a: 1", "a: 'x", "- a\nb: 1", 'a: "\\q"', "a: &"])
def test_what_is_no_yaml_is_said_in_the_words_of_the_parser(parser, text):
    assert refused(text).partition(": ")[2].startswith("this is no YAML: ")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"a: 1\nb: \xff", "2:4: the file is not in UTF-8: there is a byte 0xff; save it in UTF-8"),
        ("a: 1".encode("utf-16"), "1:1: the file is in UTF-16: save it in UTF-8"),
        (b"a" * (yaml.MOST_BYTES + 1), "1:1: the file has more than 1,048,576 bytes: split it into several"),
    ],
    ids=["latin", "utf-16", "large"],
)
def test_files_that_are_no_texts_of_a_decent_size_are_refused(content, words):
    assert refused(content) == words


def bomb():
    """Ten lists of ten aliases, one inside the other: 10,000,000,000 values in 700 bytes."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]" for level in range(1, 10)]
    return "\n".join(lines)


def test_aliases_that_multiply_are_refused():
    assert refused(bomb()).endswith("aliases multiply the file to more than 100,000 values: write out what is meant")


def test_merge_keys_that_multiply_are_refused():
    lines = ["a0: &a0 {k0: 1, k1: 1}"]
    lines += [f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 10)}]}}" for n in range(1, 9)]
    assert "aliases multiply" in refused("\n".join(lines))


def test_aliases_that_do_not_multiply_are_free():
    assert len(data("a: &a [1, 2, 3]\nb: [" + ", ".join(["*a"] * 10_000) + "]")["b"]) == 10_000


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ("{a: ", "}"), ("- ", "")])
def test_depth_is_limited(opening, closing):
    assert data(opening * yaml.DEEPEST + "x" + closing * yaml.DEEPEST) is not None
    assert refused(opening * (yaml.DEEPEST + 1) + "x").endswith("this is nested more than 50 levels deep")


@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? ", "a: ", "&a "])
def test_however_deep_a_file_is_it_is_refused_and_breaks_nothing(parser, opening):
    assert refused(opening * 30_000)


def test_messages_stay_short_whatever_the_file_holds():
    for text in (f"{'k' * 900}: 1\n" * 2, f"a: !{'t' * 90_000} x", f"a: *{'n' * 90_000}", f"? [{'x' * 90_000}]"):
        assert len(refused(text)) < 300


def test_without_the_library_it_is_said_what_to_install():
    code = "import sys; sys.modules['yaml'] = None; import agentassert.suites.yaml"
    path = os.pathsep.join(entry for entry in sys.path if entry)
    said = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False
    ).stderr
    assert "pip install 'agentassert-fluent[suites]'" in said.splitlines()[-1]


INVISIBLE = ("Cc", "Zl", "Zp", "Cn", "Cf")
"""Characters that JSON may hold as they are, and YAML or its older versions not."""


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(st.characters(codec="utf-8", exclude_categories=INVISIBLE), max_size=20),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc<:#-&*!%@`'\" ", max_size=5), inner, max_size=3),
        max_leaves=8,
    )
)
@settings(max_examples=150, deadline=None)
def test_json_is_yaml(value):
    assert data(json.dumps(value, ensure_ascii=False)) == value


@given(st.text(st.characters(codec="utf-8") | st.sampled_from("\n\n  -:?[]{},&*#|>!%@'\"\\ab10~<"), max_size=60))
@settings(max_examples=400, deadline=None)
def test_any_text_is_read_or_refused_with_a_place_in_it(text):
    try:
        yaml.parse(text.encode())
    except YamlError as error:
        problem = error.problem
    else:
        return
    assert 1 <= problem.line <= text.count("\n") + text.count("\r") + 2
    assert problem.column >= 1
    assert "\n" not in problem.message
