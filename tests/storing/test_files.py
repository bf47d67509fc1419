"""Captures in files: one, or many."""

from __future__ import annotations

import gzip
import json
import multiprocessing
import os
import stat
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentassert import Capture, StoredCaptureError, assert_that, capture, record
from tests.factories import captured, execution, invocation
from tests.test_stored import CALLS, EXECUTIONS, FEW, WORDS

WORK = captured(invocation("support", execution("refund", {"id": 7, "name": "Zoë \ud800"}), output="done"))


def test_a_saved_capture_is_loaded_as_it_was(tmp_path):
    with capture("week 7") as cap, record.invocation("support", input="Ünïcode"):
        record.tool_execution("refund", {"id": 7}, result={"fee": 12})
    cap.save(tmp_path / "one.json")

    loaded = Capture.load(tmp_path / "one.json")

    assert (loaded.name, loaded.invocation) == ("week 7", cap.invocation)
    assert_that(loaded).has_tool_executed_with("refund", {"id": 7}).has_no_more_tool_executions()


INVOCATIONS = st.builds(
    lambda name, tools, calls, output, nested: invocation(name, *tools, calls=calls, output=output, nested=nested),
    WORDS,
    st.lists(EXECUTIONS, max_size=3),
    st.lists(CALLS, max_size=2),
    FEW,
    st.lists(st.builds(invocation, WORDS), max_size=2),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=20)
@given(st.lists(INVOCATIONS, max_size=3), st.none() | WORDS)
def test_whatever_a_capture_holds_comes_back_out_of_files(tmp_path, invocations, name):
    cap = captured(*invocations, name=name)
    one, many = tmp_path / "one.json", tmp_path / "many.jsonl"
    many.unlink(missing_ok=True)
    cap.save(one)
    cap.append_to(many)
    cap.append_to(many)

    assert Capture.load(one).to_json() == cap.to_json()
    assert [each.to_json() for each in Capture.load_all(many)] == [cap.to_json()] * 2


def test_a_file_of_one_is_a_line_of_a_file_of_many(tmp_path):
    for number in range(3):
        WORK.save(tmp_path / f"{number}.json")
    lines = b"".join((tmp_path / f"{number}.json").read_bytes() for number in range(3))
    (tmp_path / "all.jsonl").write_bytes(lines)

    assert len(list(Capture.load_all(tmp_path / "all.jsonl"))) == 3


def test_saving_replaces_the_file_as_a_whole_and_leaves_nothing_beside_it(tmp_path):
    file = tmp_path / "one.json"
    file.write_text("x" * 100_000)
    file.chmod(0o640)

    WORK.save(file)

    assert [one.name for one in tmp_path.iterdir()] == ["one.json"]
    assert Capture.load(file).invocation == WORK.invocation
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_a_file_that_cannot_be_replaced_stays_as_it_was(tmp_path, monkeypatch):
    file = tmp_path / "one.json"
    WORK.save(file)
    before = file.read_bytes()

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        captured(invocation("other")).save(file)

    assert file.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["one.json"]


def test_a_file_that_cannot_be_made_is_named_and_not_the_one_beside_it(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nowhere.one\.json'$"):
        WORK.save(tmp_path / "nowhere" / "one.json")


def test_what_a_link_leads_to_is_replaced_and_not_the_link(tmp_path):
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    real.write_text("old")
    link.symlink_to(real)

    WORK.save(link)

    assert link.is_symlink()
    assert Capture.load(real).invocation == WORK.invocation


def test_a_new_file_has_the_permissions_that_any_new_file_has(tmp_path):
    (tmp_path / "any").write_text("")
    WORK.save(tmp_path / "one.json")
    assert stat.S_IMODE((tmp_path / "one.json").stat().st_mode) == stat.S_IMODE((tmp_path / "any").stat().st_mode)


@pytest.mark.parametrize(
    ("name", "method"), [("many.jsonl", Capture.save), ("one.json", Capture.append_to), ("one", Capture.append_to)]
)
def test_one_capture_and_many_are_not_written_into_the_same_kind_of_file(tmp_path, name, method):
    with pytest.raises(ValueError, match="jsonl"):
        method(WORK, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_half_a_line_that_a_stopped_writer_left_spoils_no_other_one(tmp_path):
    file = tmp_path / "many.jsonl"
    WORK.append_to(file)
    with file.open("a") as opened:
        opened.write('{"agentassert":1,"na')
    WORK.append_to(file)

    captures = Capture.load_all(file)

    assert next(captures).invocation == WORK.invocation
    with pytest.raises(StoredCaptureError, match=r"many\.jsonl:2: a stored capture is JSON text"):
        next(captures)
    assert Capture.from_json(file.read_text().splitlines()[2]).invocation == WORK.invocation


def _append(path, count):
    long = captured(invocation("support", execution("refund", {"text": "x" * 200_000})))
    for _ in range(count):
        long.append_to(path)


@pytest.mark.skipif(sys.platform == "win32", reason="the lock is one of POSIX systems")
def test_processes_append_to_one_file_at_the_same_time(tmp_path):
    file = tmp_path / "many.jsonl"
    spawned = multiprocessing.get_context("spawn")
    writers = [spawned.Process(target=_append, args=(file, 8)) for _ in range(2)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()

    assert [one.invocation.name for one in Capture.load_all(file)] == ["support"] * 16


def test_only_one_capture_is_read_before_the_next_is_asked_for(tmp_path):
    file = tmp_path / "many.jsonl"
    WORK.append_to(file)
    with file.open("a") as opened:
        opened.write("no capture\n")

    assert next(Capture.load_all(file)).invocation == WORK.invocation


def test_compressed_files_and_byte_order_marks_are_read(tmp_path):
    packed, marked = tmp_path / "one.json.gz", tmp_path / "one.json"
    packed.write_bytes(gzip.compress(WORK.to_json().encode()))
    marked.write_bytes(b"\xef\xbb\xbf" + WORK.to_json().encode())

    assert Capture.load(packed).invocation == Capture.load(marked).invocation == WORK.invocation
    assert len(list(Capture.load_all(packed))) == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"one\.json: is empty, so it holds no capture"),
        (b"\n \n", r"one\.json: is empty, so it holds no capture"),
        (b"{}\n", r"one\.json:1: \$\.agentassert: is missing"),
        (b"\n\n{}\n", r"one\.json:3: \$\.agentassert: is missing"),
        (b"\xff", r"one\.json:1: .* byte 0"),
        (b'{"agentassert": 1, "name": "a", "name": "b"}', r"one\.json:1: .* an object has the key 'name' twice"),
        (b"{}\n{}\n", r"one\.json: holds several captures, a line each: use Capture\.load_all\(\)"),
        (b'{\n"agentassert": 2\n}', r"one\.json: \$\.agentassert: the capture was stored in format 2"),
        (b"[" * 100_000, r"one\.json:1: \$: nested too deeply"),
        (b"\x1f\x8bnot packed", r"one\.json: cannot be decompressed"),
        (gzip.compress(b"x" * 1000, mtime=0)[:-9], r"one\.json: cannot be decompressed"),
    ],
)
def test_a_file_without_a_capture_is_refused_naming_it(tmp_path, content, message):
    (tmp_path / "one.json").write_bytes(content)
    with pytest.raises(StoredCaptureError, match=message):
        Capture.load(tmp_path / "one.json")


def test_a_capture_that_was_laid_out_in_several_lines_is_loaded(tmp_path):
    (tmp_path / "one.json").write_text(json.dumps(json.loads(WORK.to_json()), indent=2))
    assert Capture.load(tmp_path / "one.json").invocation == WORK.invocation


def test_a_file_that_is_not_there_is_an_error_of_the_system():
    with pytest.raises(FileNotFoundError):
        Capture.load(Path("nowhere.json"))
    with pytest.raises(FileNotFoundError):
        next(Capture.load_all("nowhere.jsonl"))


def test_a_loaded_capture_can_turn_its_doubts_into_failures(tmp_path):
    captured(invocation("support"), notes=("the clock was set",)).save(tmp_path / "one.json")
    with pytest.raises(AssertionError, match="the clock was set"):
        assert_that(Capture.load(tmp_path / "one.json", on_doubt="fail")).has_succeeded()


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such pipes")
def test_no_file_takes_the_place_of_a_pipe_or_a_device(tmp_path):
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        WORK.save(pipe)
        assert Capture.from_json(os.read(reading, 1 << 16)).invocation == WORK.invocation
    finally:
        os.close(reading)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert [one.name for one in tmp_path.iterdir()] == ["pipe.json"]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such pipes")
def test_what_can_be_read_only_once_is_refused_instead_of_read_in_part(tmp_path):
    os.mkfifo(tmp_path / "one.json")
    with pytest.raises(StoredCaptureError, match="can be read only once"):
        Capture.load(tmp_path / "one.json")


def test_the_longest_name_that_a_file_can_have_is_saved_under(tmp_path):
    file = tmp_path / f"{'x' * 250}.json"
    WORK.save(file)
    assert Capture.load(file).invocation == WORK.invocation


def test_a_loop_over_the_captures_of_an_empty_file_asserts_nothing_and_is_refused(tmp_path):
    (tmp_path / "many.jsonl").write_text("\n\n")
    with pytest.raises(StoredCaptureError, match=r"many\.jsonl: is empty, so it holds no capture"):
        list(Capture.load_all(tmp_path / "many.jsonl"))


def test_what_a_file_holds_moves_no_cursor_and_betrays_no_secret_in_the_error_that_refuses_it():
    text = WORK.to_json()
    broken = [
        text.replace('"status"', '"\\u001b[31mpassword=hunter2 \\u202e":1,"status"', 1),
        text.replace('"done"', '{"$agentassert":"\\u001b[31m sk-abcdefgh12345678"}'),
        text.replace('"done"', '{"$agentassert":"text","sk-abcdefgh12345678":1}'),
        text.replace('"done"', '{"$agentassert":"number","value":"sk-abcdefgh12345678"}'),
    ]
    for one in broken:
        with pytest.raises(ValueError, match=r"\*\*\*") as refused:
            Capture.from_json(one)
        assert str(refused.value).isprintable()
