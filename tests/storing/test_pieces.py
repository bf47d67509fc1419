"""Files cut into pieces, and what each piece is."""

from __future__ import annotations

import gzip
import io
import json
import os
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentassert import StoredCaptureError
from agentassert.storing import arrays
from agentassert.storing.arrays import Elements
from agentassert.storing.documents import Kind, kind_of_document
from agentassert.storing.pieces import files_in, pieces_in

CAPTURE = {"agentassert": 1, "name": None}
LIST = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
CONVERSATION = {"id": "x", "messages": LIST}
SPANS = {"resourceSpans": []}
SPAN = {"name": "chat", "context": {"trace_id": "0x1", "span_id": "0x2"}}


def lines(*documents):
    return "".join(f"{json.dumps(one)}\n" for one in documents)


def read(tmp_path, name, content, kind=None):
    """Where each piece of a file is, what it holds, and what it has to be."""
    file = tmp_path / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    found = list(pieces_in(str(file), kind))
    return [(one.place.removeprefix(str(file)), None if one.text is None else json.loads(one.text), one.kind) for one in found]


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "a.json", "a"])
@pytest.mark.parametrize("documents", [(CAPTURE, CAPTURE), (CONVERSATION, CAPTURE), (CAPTURE,)])
def test_each_line_is_a_piece(tmp_path, name, documents):
    expected = [(f":{number}", document, None) for number, document in enumerate(documents, 1)]
    assert read(tmp_path, name, lines(*documents)) == expected


@pytest.mark.parametrize("name", ["a.jsonl", "a.json"])
def test_lists_of_messages_may_stand_in_lines(tmp_path, name):
    assert [(place, text) for place, text, _ in read(tmp_path, name, lines(LIST, LIST))] == [(":1", LIST), (":2", LIST)]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("documents", [[CAPTURE, CAPTURE], [LIST, LIST], [CONVERSATION], [CAPTURE, 7]])
def test_each_element_of_an_array_is_a_piece(tmp_path, documents, indent):
    found = read(tmp_path, "a.json", json.dumps(documents, indent=indent))
    assert [text for _, text, _ in found] == documents
    assert indent is None or [place for place, _, _ in found][:1] == [":2"]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("document", [CAPTURE, CONVERSATION])
def test_a_document_that_takes_several_lines_is_one_piece(tmp_path, document, indent):
    assert read(tmp_path, "a.json", json.dumps(document, indent=indent)) == [(":1" if indent is None else "", document, None)]


@pytest.mark.parametrize("indent", [None, 2])
def test_a_list_of_messages_is_one_piece(tmp_path, indent):
    ((_, text, _),) = read(tmp_path, "a.json", json.dumps(LIST, indent=indent))
    assert text == LIST


def test_a_list_with_a_message_in_each_line_is_one_piece(tmp_path):
    written = "[\n" + ",\n".join(map(json.dumps, LIST)) + "\n]"
    ((_, text, _),) = read(tmp_path, "a.json", written)
    assert text == LIST
    ((_, text, _),) = read(tmp_path, "a.json", f"[\n{json.dumps(LIST[0])}\n]")
    assert text == LIST[:1]


@pytest.mark.parametrize(
    "content",
    [lines(SPANS, SPANS), lines(SPANS), json.dumps(SPANS, indent=2), json.dumps([SPAN, SPAN]), json.dumps([SPANS]), lines(SPAN)],
)
@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_spans_are_one_piece_that_is_the_whole_file(tmp_path, name, content):
    ((place, _, kind),) = read(tmp_path, name, content)
    assert place in ("", ":1")
    assert kind in (Kind.OTLP, None)


def test_a_kind_that_is_named_is_what_every_piece_has_to_be(tmp_path):
    assert read(tmp_path, "a.jsonl", lines(CAPTURE), Kind.MESSAGES) == [(":1", CAPTURE, Kind.MESSAGES)]
    assert read(tmp_path, "a.jsonl", lines(CAPTURE), Kind.OTLP) == [("", None, Kind.OTLP)]


@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.json.gz", "a.json"])
def test_compressed_files_are_read(tmp_path, name):
    assert len(read(tmp_path, name, gzip.compress(lines(CAPTURE, CAPTURE).encode()))) == 2


def test_a_broken_line_hides_no_other_one(tmp_path):
    for content in (b'{"agen\n{"agentassert": 1}\n', b'{"agentassert": 1}\n{"agen\n'):
        (tmp_path / "a.json").write_bytes(content)
        assert len(list(pieces_in(str(tmp_path / "a.json")))) == 2


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "is empty"),
        (" \n\n", "is empty"),
        ("[]", "holds an empty array"),
        ('[{"agentassert": 1}', ":1: expected ',' of the array, but found the end of the file"),
        ('[{"agentassert": 1},\n {"a" 1}]', ":2: is no JSON: Expecting ':' delimiter in line 2"),
        (
            '[{"agentassert": 1},\n {"a": "x',
            ":2: is no JSON: Unterminated string starting at in line 2: the file ends in the middle of it",
        ),
        ('[{"agentassert": 1}] {}', ":1: something follows the array"),
        ("[" * 100_000, ":1: is nested too deeply"),
        ("[" + "1" * 5000 + "]", ":1: Exceeds the limit"),
        (b'[{"a": "\xff"}]', ":1: must be text in UTF-8"),
    ],
)
def test_what_cannot_be_cut_is_refused_naming_the_line(tmp_path, content, problem):
    with pytest.raises(StoredCaptureError) as refused:
        read(tmp_path, "a.json", content)
    assert problem in str(refused.value)
    assert str(refused.value).startswith(str(tmp_path / "a.json"))


def test_what_comes_before_a_mistake_in_an_array_is_read(tmp_path):
    (tmp_path / "a.json").write_text('[{"agentassert": 1}, {"agentassert": 1}, }')
    pieces = pieces_in(str(tmp_path / "a.json"))
    assert [next(pieces).place for _ in range(2)] == [f"{tmp_path / 'a.json'}:1"] * 2
    with pytest.raises(StoredCaptureError, match="Expecting value"):
        next(pieces)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
)
SPACE = st.text(" \n\r\t", max_size=3)


@given(st.lists(st.dictionaries(st.text(), JSON) | st.lists(JSON)), SPACE, st.integers(1, 40), st.booleans())
def test_the_elements_of_an_array_are_those_that_a_parser_finds_however_little_is_read_at_once(documents, space, chunk, is_ascii):
    text = space + "[" + (space + "," + space).join(json.dumps(one, ensure_ascii=is_ascii) for one in documents) + space + "]"
    before = arrays._CHUNK
    arrays._CHUNK = chunk
    try:
        found = list(Elements(io.BytesIO(text.encode("utf-8", "surrogatepass")), "f"))
    finally:
        arrays._CHUNK = before
    assert [json.loads(one) for _, one in found] == documents
    for place, one in found[:1]:
        assert place == f"f:{text[: text.index(one, text.index('[') + 1)].count(chr(10)) + 1}"


@pytest.mark.parametrize("document", [{}, {"a": 1}, [], [7], "text", 7, None, [{"a": 1}], [[]]])
def test_what_is_of_no_kind_is_told_what_is_expected(document):
    with pytest.raises(ValueError, match="expected a stored capture"):
        kind_of_document(document)


def test_a_folder_stands_for_the_files_in_it_that_are_named_as_captures_are(tmp_path):
    for name in ("a.json", "deep/b.jsonl", "deep/c.ndjson.gz", "d.yaml", "e.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    found = [file.removeprefix(f"{tmp_path}/") for file in files_in(str(tmp_path))]
    assert found == ["a.json", "deep/b.jsonl", "deep/c.ndjson.gz"]
    assert files_in("nowhere.json") == ["nowhere.json"]
    (tmp_path / "deep" / "gone.json").symlink_to("nowhere.json")
    assert f"{tmp_path}/deep/gone.json" in files_in(str(tmp_path))
    (tmp_path / "empty").mkdir()
    with pytest.raises(StoredCaptureError, match=r"there is no \.json, \.jsonl or \.ndjson file in this folder"):
        files_in(str(tmp_path / "empty"))


def test_a_folder_that_cannot_be_read_is_not_skipped(tmp_path, monkeypatch):
    (tmp_path / "a.json").write_text("")
    (tmp_path / "closed").mkdir()
    scan = os.scandir

    def refusing(path):
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", refusing)
    with pytest.raises(StoredCaptureError, match="closed: Permission denied"):
        files_in(str(tmp_path))


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such pipes")
def test_a_pipe_is_refused_because_it_could_be_read_in_part_only(tmp_path):
    os.mkfifo(tmp_path / "a.jsonl")
    with pytest.raises(StoredCaptureError, match="a pipe or a device, which can be read only once"):
        next(pieces_in(str(tmp_path / "a.jsonl")))


def test_keys_of_what_is_of_no_kind_are_masked_and_cut():
    with pytest.raises(ValueError, match=r"found an object with") as refused:
        kind_of_document({"sk-abcdefgh12345678": 1, "k" * 1_000_000: 1})
    assert "abcdefgh12345678" not in str(refused.value)
    assert len(str(refused.value)) < 1000
