"""What Windows and macOS do otherwise, as far as it can be had here: their calls are stood in for, their files are made."""

from __future__ import annotations

import ctypes
import errno
import io
import os
import sys
import unicodedata
from pathlib import Path, PureWindowsPath
from types import SimpleNamespace

import pytest

from agentassert import Capture, assert_that, capture, record
from agentassert.conversations.rasa_files import junit, results
from agentassert.plugin import html_gathering
from agentassert.snapshots import summary
from agentassert.stored import replaced_files
from agentassert.storing import files
from agentassert.suites import builders
from agentassert.suites.stored import workers
from agentassert.text.terminals import has_colours, shell_quoted


@pytest.fixture
def cap():
    with capture() as cap, record.invocation("clerk"):
        record.tool_execution("pay", {"amount": 7, "to": "Ánn"}, result="paid")
    return cap


@pytest.fixture
def in_windows(monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")


# Files that somebody else has open


@pytest.fixture
def busy(monkeypatch):
    """Windows gives a file no name that an open one has; here it is open for so many attempts."""
    left, pauses = [3], []

    def replace(self, target):
        if left[0]:
            left[0] -= 1
            raise PermissionError(errno.EACCES, "The process cannot access the file because it is being used", str(self))
        self.rename(target)

    monkeypatch.setattr(Path, "replace", replace)
    monkeypatch.setattr(replaced_files.time, "sleep", pauses.append)
    return SimpleNamespace(left=left, pauses=pauses)


def test_a_file_that_is_open_for_a_moment_is_waited_for(cap, tmp_path, busy, in_windows):
    cap.save(tmp_path / "one.json")
    assert Capture.load(tmp_path / "one.json").invocation.name == "clerk"
    assert len(busy.pauses) == 3


def test_a_file_that_stays_open_is_named_and_nothing_is_left_beside_it(cap, tmp_path, busy, in_windows):
    (tmp_path / "one.json").write_text("{}\n", encoding="utf-8")
    busy.left[0] = 1000
    with pytest.raises(PermissionError) as caught:
        cap.save(tmp_path / "one.json")
    assert caught.value.filename == str(tmp_path / "one.json")
    assert [one.name for one in tmp_path.iterdir()] == ["one.json"]
    assert (tmp_path / "one.json").read_text("utf-8") == "{}\n"
    assert 1 < sum(busy.pauses) < 3


def test_elsewhere_nobody_waits(cap, tmp_path, busy):
    with pytest.raises(PermissionError):
        cap.save(tmp_path / "one.json")
    assert busy.pauses == []


def test_what_could_not_take_the_place_of_a_read_only_file_is_gone(cap, tmp_path, busy, in_windows, monkeypatch):
    """It had the mode of the file that it was to replace, and Windows deletes nothing that is read-only."""
    (tmp_path / "one.json").write_text("{}\n", encoding="utf-8")
    (tmp_path / "one.json").chmod(0o444)
    busy.left[0] = 1000
    unlink = Path.unlink

    def as_windows_does(self):
        if not self.stat().st_mode & 0o200:
            raise PermissionError(errno.EACCES, "Access is denied", str(self))
        unlink(self)

    monkeypatch.setattr(Path, "unlink", as_windows_does)
    with pytest.raises(PermissionError):
        cap.save(tmp_path / "one.json")
    assert [one.name for one in tmp_path.iterdir()] == ["one.json"]


# Locks


class Msvcrt:
    """Python's module of that name, for one byte of one file."""

    LK_NBLCK, LK_UNLCK = 2, 0

    def __init__(self, taken_for=0):
        self.calls, self.taken_for = [], taken_for

    def locking(self, descriptor, mode, count):
        at = os.lseek(descriptor, 0, os.SEEK_CUR)
        if mode == self.LK_NBLCK and self.taken_for:
            self.taken_for -= 1
            raise PermissionError(errno.EACCES, "Permission denied")
        self.calls.append((mode, at, count))


def test_lines_are_appended_under_a_lock_in_windows_too(cap, tmp_path, in_windows, monkeypatch):
    monkeypatch.setattr(files.time, "sleep", lambda seconds: None)
    monkeypatch.setitem(sys.modules, "fcntl", None)
    msvcrt = Msvcrt(taken_for=4)
    monkeypatch.setitem(sys.modules, "msvcrt", msvcrt)
    for _ in range(2):
        cap.append_to(tmp_path / "many.jsonl")
    assert len(list(Capture.load_all(tmp_path / "many.jsonl"))) == 2
    (taken, given_back) = msvcrt.calls[:2]
    assert (taken[0], given_back[0]) == (Msvcrt.LK_NBLCK, Msvcrt.LK_UNLCK)
    assert taken[1:] == given_back[1:]  # or it would stay locked
    assert taken[1] > (tmp_path / "many.jsonl").stat().st_size  # or nobody could read meanwhile


def test_a_lock_that_cannot_be_given_back_is_told(cap, tmp_path, in_windows, monkeypatch):
    def locking(descriptor, mode, count):
        if mode == Msvcrt.LK_UNLCK:
            raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(LK_NBLCK=2, LK_UNLCK=0, locking=locking))
    with pytest.raises(PermissionError):
        cap.append_to(tmp_path / "many.jsonl")


# Names of files


@pytest.fixture
def kept(cap, tmp_path, monkeypatch):
    """Writes a snapshot, or compares with it."""

    def snapshot(name, *, update=False):
        monkeypatch.setenv("AGENTASSERT_UPDATE", str(int(update)))
        return assert_that(cap).matches_snapshot(name, directory=tmp_path)

    return snapshot


@pytest.mark.parametrize(
    "name",
    ["CON", "nul", "com1", "LPT9", "aux.late order", "ends with a dot.", "ends with a space ", " begins with one"]
    + [f"a{sign}b" for sign in '<>:"/\\|?*\t\0\n'],
)
def test_a_snapshot_has_no_name_that_windows_has_no_file_for(kept, name):
    with pytest.raises(ValueError, match="name becomes the name of a file"):
        kept(name, update=True)


@pytest.mark.filterwarnings("ignore:.*is_reserved:DeprecationWarning")  # what is to come instead answers in Windows alone
def test_what_is_refused_is_what_windows_reserves():
    """Python's own list, of paths of Windows on any system."""
    reserved = [name for name in ("con", "PRN", "Aux", "nul", "COM1", "lpt9", "con.late") if PureWindowsPath(name).is_reserved()]
    assert len(reserved) == 7
    from agentassert.snapshots.places import file_name

    for name in reserved:
        with pytest.raises(ValueError, match="no device of Windows"):
            file_name(name)


@pytest.mark.parametrize("update", [False, True])
def test_two_snapshots_do_not_differ_in_capital_letters_alone(kept, tmp_path, update, capsys):
    kept("Refund", update=True)
    told = "'refund' differs in capital letters alone from 'Refund', which is there, and both are one file in Windows and macOS"
    with pytest.raises(ValueError, match=told):
        kept("refund", update=update)
    assert [one.name for one in tmp_path.iterdir()] == ["Refund.trajectory"]


def test_snapshots_that_were_there_before_under_both_names_are_both_read(kept, tmp_path):
    kept("Refund", update=True)
    (tmp_path / "refund.trajectory").write_bytes((tmp_path / "Refund.trajectory").read_bytes())
    kept("refund")
    kept("Refund")


def test_one_name_in_two_spellings_of_unicode_is_one_file(kept, tmp_path):
    kept(unicodedata.normalize("NFD", "zurückgezahlt"), update=True)
    kept(unicodedata.normalize("NFC", "zurückgezahlt"))
    assert [one.name for one in tmp_path.iterdir()] == [unicodedata.normalize("NFC", "zurückgezahlt.trajectory")]


def test_a_file_that_macos_lists_in_another_spelling_is_used_all_the_same(tmp_path):
    """By what it is, and not by its name; a link stands for a file system that finds one file under both."""
    listed, asked_for = (tmp_path / unicodedata.normalize(form, "é") for form in ("NFD", "NFC"))
    listed.write_text("", encoding="utf-8")
    os.link(listed, asked_for)
    assert summary._identity(listed) == summary._identity(asked_for)
    assert summary._identity(tmp_path / "gone") is None


def test_that_a_path_is_too_long_for_windows_is_told(tmp_path, cap, in_windows):
    """Which only says that there is no such file."""
    place = tmp_path.joinpath("x" * 100, "y" * 100, "z" * 100, "one.json")
    with pytest.raises(FileNotFoundError) as caught:
        cap.save(place)
    assert caught.value.filename == str(place)
    assert caught.value.__notes__ == [
        "A path has up to 259 characters in Windows, unless long paths are enabled: choose a shorter one."
    ]
    with pytest.raises(FileNotFoundError) as caught:
        cap.save(tmp_path / "gone" / "one.json")
    assert not hasattr(caught.value, "__notes__")


# What git and editors do to text


@pytest.mark.parametrize(
    "change", [lambda text: text.replace(b"\n", b"\r\n"), lambda text: b"\xef\xbb\xbf" + text], ids=["CRLF", "BOM"]
)
def test_what_was_stored_is_read_after(change, cap, kept, tmp_path):
    """A checkout with `core.autocrlf`, an editor that marks UTF-8: snapshots, captures, lines of captures."""
    kept("paid", update=True)
    cap.save(tmp_path / "one.json")
    cap.append_to(tmp_path / "many.jsonl")
    cap.append_to(tmp_path / "many.jsonl")
    for name in ("paid.trajectory", "one.json", "many.jsonl"):
        changed = change((tmp_path / name).read_bytes())
        (tmp_path / name).write_bytes(changed)
    kept("paid")
    assert Capture.load(tmp_path / "one.json").to_json() == cap.to_json()
    assert [one.to_json() for one in Capture.load_all(tmp_path / "many.jsonl")] == [cap.to_json()] * 2


def test_utf_16_as_a_shell_of_windows_writes_it_is_told(kept, tmp_path):
    kept("paid", update=True)
    (tmp_path / "paid.trajectory").write_text((tmp_path / "paid.trajectory").read_text("utf-8"), encoding="utf-16")
    with pytest.raises(ValueError, match=r"paid\.trajectory: is no text in UTF-8"):
        kept("paid")


# What is written is the same everywhere


@pytest.fixture
def written_as_windows_does(monkeypatch):
    """Text of which nobody said how its lines end gets a return, too."""
    plain = io.open

    def opened(file, mode="r", buffering=-1, encoding=None, errors=None, newline=None, **rest):
        if "b" not in mode and newline is None and set(mode) & set("wax"):
            newline = "\r\n"
        return plain(file, mode, buffering, encoding, errors, newline, **rest)

    for place in ("builtins.open", "io.open"):
        monkeypatch.setattr(place, opened)


def test_no_file_has_other_ends_of_lines_in_windows(cap, kept, tmp_path, written_as_windows_does):
    (tmp_path / "proof").write_text("one\n", encoding="utf-8")
    assert (tmp_path / "proof").read_bytes() == b"one\r\n"  # which shows that the stand-in works
    (tmp_path / "proof").unlink()
    kept("paid", update=True)
    cap.save(tmp_path / "one.json")
    cap.append_to(tmp_path / "many.jsonl")
    junit.write_junit([], tmp_path / "junit.xml")
    results.write_results([], tmp_path / "rasa.yml")
    written = sorted(tmp_path.iterdir())
    assert len(written) == 6
    assert [one.name for one in written if b"\r" in one.read_bytes()] == []


def test_paths_in_reports_have_slashes():
    root = PureWindowsPath("C:/shop")
    warning = SimpleNamespace(filename=r"C:\shop\tests\test_it.py", category=UserWarning, message="late", lineno=3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(html_gathering, "Path", PureWindowsPath)
        assert html_gathering.warned(warning, root).message == "late\ntests/test_it.py:3"


def test_the_type_of_an_attachment_does_not_depend_on_the_machine(tmp_path, monkeypatch):
    import mimetypes

    (tmp_path / "prices.csv").write_text("1,2\n", encoding="utf-8")
    (tmp_path / "note.shop").write_text("", encoding="utf-8")
    mimetypes.init()
    monkeypatch.setitem(mimetypes.types_map, ".csv", "application/vnd.ms-excel")  # as Excel has it in the registry of Windows
    monkeypatch.setitem(mimetypes.types_map, ".shop", "application/x-shop")
    assert builders.attachment(tmp_path / "prices.csv")["mime_type"] == "text/csv"
    assert builders.attachment(tmp_path / "note.shop")["mime_type"] == "application/octet-stream"


# Terminals and processes


def test_a_command_to_be_copied_is_quoted_as_the_shell_wants_it(in_windows):
    assert shell_quoted("tests/test_it.py::test[a b]") == '"tests/test_it.py::test[a b]"'
    assert shell_quoted("tests/test_it.py::test") == "tests/test_it.py::test"


class Terminal(io.StringIO):
    def isatty(self):
        return True

    def fileno(self):
        return 1


@pytest.mark.parametrize(("answers", "expected"), [((1, 1), True), ((1, 0), False), ((0, 1), False)])
def test_a_console_of_windows_is_asked_for_colours(monkeypatch, in_windows, answers, expected):
    asked = []
    kernel = SimpleNamespace(
        GetConsoleMode=lambda console, mode: answers[0], SetConsoleMode=lambda console, mode: asked.append(mode) or answers[1]
    )
    monkeypatch.setattr(ctypes, "windll", SimpleNamespace(kernel32=kernel), raising=False)
    monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(get_osfhandle=lambda descriptor: 7))
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert has_colours(Terminal()) is expected
    assert asked == [4] * answers[0]


def test_windows_waits_for_61_processes_at_most(monkeypatch):
    made = []

    class Pool:
        def __init__(self, count, *rest, **options):
            made.append(count)

        def __enter__(self):
            return self

        def __exit__(self, *given):
            return None

    monkeypatch.setattr("concurrent.futures.ProcessPoolExecutor", Pool)  # before it looks what system it is on
    monkeypatch.setattr(sys, "platform", "win32")
    assert list(workers._in_processes(None, iter(()), 500)) == []
    assert made == [61]


def test_time_is_told_by_a_fine_clock_and_order_by_none():
    """The wall clock of Windows moves every 15 ms; what runs faster than that still has an order, and a duration that is not 0."""
    with capture() as cap, record.invocation("clerk"):
        for number in range(2000):
            record.tool_execution("count", {"number": number}, result=number)
    numbers = [one.arguments["number"] for one in cap.invocation.tool_executions]
    assert numbers == list(range(2000))
    assert cap.invocation.duration > 0
