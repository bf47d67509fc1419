"""What a terminal shows."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

from agentassert import Capture, assert_that, capture, record
from agentassert.cli import main
from agentassert.reports.tree_text import heading_text
from tests.factories import captured, execution, invocation
from tests.reports.hostile import hostile_capture

COLOUR = re.compile(r"\x1b\[\d+m")


def support():
    inner = invocation("refund_agent", execution("refund", {"amount": 12.5}, {"ok": True}))
    get = execution("get_booking", {"number": "MS-7"}, {"customer": "Ann"}, duration=0.012)
    notify = execution("notify", {"channel": "mail"}, error="no answer")
    fields = {"input": "Cancel MS-7", "output": "Done.", "output_text": "Done.", "duration": 1.5}
    return captured(invocation("support_agent", get, notify, nested=[inner], **fields))


TREE = """\
capture · 3 tool executions · 2 invocations
└─ agent support_agent [completed] · 2 tool executions · 1.50 s
   ├─ input 'Cancel MS-7'
   ├─ [1] get_booking(number='MS-7') -> {'customer': 'Ann'} · 12 ms
   ├─ [2] notify(channel='mail') FAILED no answer
   ├─ agent refund_agent [completed] · 1 tool execution
   │  ├─ [3] refund(amount=12.5) -> {'ok': True}
   │  └─ output None
   └─ output 'Done.'"""


def test_a_tree_shows_what_ran_in_what():
    assert support().tree() == TREE


def test_a_long_line_goes_on_below_where_it_may_be_broken():
    assert support().tree(width=44).splitlines()[4:7] == [
        "   ├─ [1] get_booking(number='MS-7')",
        "   │      -> {'customer': 'Ann'} · 12 ms",
        "   ├─ [2] notify(channel='mail')",
    ]


@pytest.mark.parametrize("width", [40, 50, 79, 100, 200])
def test_no_line_is_wider_than_asked_for(width):
    lines = [line for cap in (support(), hostile_capture()) for line in cap.tree(width=width).splitlines()]
    assert max(map(len, lines)) <= width


@pytest.mark.parametrize("width", [39, 0, -1, True, "80", 80.0])
def test_a_width_that_is_none_is_refused(width):
    with pytest.raises(ValueError, match="width must be a number of characters, 40 or more"):
        support().tree(width=width)


def test_colours_change_nothing_but_the_colour():
    coloured = support().tree(color=True)
    assert "\x1b[31m FAILED no answer\x1b[0m" in coloured
    assert COLOUR.sub("", coloured) == TREE


def test_nothing_in_it_moves_a_cursor_or_betrays_a_secret():
    for cap in (hostile_capture(), hostile_capture(fails=True)):
        text = cap.tree()
        assert all(char.isprintable() or char == "\n" for char in text)
        assert "hunter2" not in text
        assert "abcdefgh12345678" not in text
        assert len(text) < 10_000


def test_a_notebook_keeps_the_tree_of_an_invocation_beside_its_html():
    pretty = pytest.importorskip("IPython.lib.pretty").pretty

    assert pretty(support().invocation) == "\n".join(line[3:] for line in TREE.splitlines()[1:])


@pytest.fixture
def stored(tmp_path):
    path = tmp_path / "capture.json"
    support().save(path)
    return path


def shown(capsys, *arguments):
    code = main(["show", *map(str, arguments)])
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture
def many(tmp_path):
    path = tmp_path / "many.jsonl"
    for name in ("one", "two", "three"):
        with capture(name) as cap, record.invocation("a"):
            pass
        cap.append_to(path)
    return path


def test_show_says_of_each_of_several_captures_where_it_stands(stored, many, capsys):
    code, out, err = shown(capsys, stored, many)
    assert (code, err) == (0, "")
    assert out.startswith(f"{stored}:1\n{TREE}\n\n{many}:1\ncapture one")
    assert f"\n\n{many}:2\ncapture two" in out


def test_show_says_nothing_above_the_only_capture(stored, capsys):
    assert shown(capsys, stored) == (0, f"{TREE}\n", "")


def test_show_prints_what_begins_in_the_line_that_is_named(many, capsys):
    code, out, err = shown(capsys, f"{many}:2")
    assert (code, err) == (0, "")
    assert out.startswith("capture two")
    assert "three" not in out


def test_show_prints_every_element_of_an_array_that_begins_in_the_line(tmp_path, capsys):
    lists = [[{"role": "assistant", "content": text}] for text in ("first", "second", "third")]
    first, second, third = map(json.dumps, lists)
    (tmp_path / "all.json").write_text(f"[{first},\n{second}, {third}]", "utf-8")
    out = shown(capsys, f"{tmp_path / 'all.json'}:2")[1]
    assert [text in out for text in ("first", "second", "third")] == [False, True, True]


def test_show_takes_a_file_whose_name_ends_like_a_place_before_the_line(many, stored, capsys):
    stored.rename(f"{many}:2")
    assert shown(capsys, f"{many}:2") == (0, f"{TREE}\n", "")


@pytest.mark.parametrize("line", ["4", "0"])
def test_show_tells_of_a_line_in_which_no_capture_begins(many, capsys, line):
    code, out, err = shown(capsys, f"{many}:{line}", f"{many}:1")
    assert (code, err.startswith(f"agentassert: {many}:{line}: ")) == (1, True)
    assert out.startswith("capture one")


def test_a_heading_is_in_colour_as_the_tree_is_and_moves_no_cursor():
    assert heading_text("\x1b[31m.json:1") == "\\x1b[31m.json:1"
    assert COLOUR.sub("", heading_text("a.json:1", color=True)) == "a.json:1"
    assert COLOUR.search(heading_text("a.json:1", color=True))


def test_show_prints_spans_and_messages_too_and_all_files_of_a_folder(tmp_path, capsys):
    (tmp_path / "a.json").write_text(
        '{"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]}', "utf-8"
    )
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.call.arguments": '{"number": "MS-7"}'}
    times = {"start_time": "2026-01-02T09:00:00Z", "end_time": "2026-01-02T09:00:01Z"}
    span = {"name": "execute_tool look", "context": {"trace_id": "0x1", "span_id": "0x2"}, "attributes": attributes, **times}
    (tmp_path / "b.json").write_text(json.dumps([span]), "utf-8")
    code, out, err = shown(capsys, tmp_path)
    assert (code, err) == (0, "")
    assert out.index("'Hello'") < out.index("look(number='MS-7')")


def test_show_tells_what_cannot_be_read_and_shows_the_rest(stored, tmp_path, capsys):
    broken = tmp_path / "broken.json"
    broken.write_text("{}", "utf-8")
    code, out, err = shown(capsys, tmp_path / "none.json", broken, stored)
    assert code == 1
    assert "none.json: there is no such file\n" in err
    assert f"{broken}:1: " in err
    assert out == f"{TREE}\n"


def test_show_is_as_wide_as_the_terminal(stored, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "44")
    assert shown(capsys, stored)[1] == support().tree(width=44) + "\n"
    monkeypatch.setenv("COLUMNS", "10")
    assert shown(capsys, stored)[1] == support().tree(width=40) + "\n"


@pytest.mark.parametrize(
    ("variables", "is_terminal", "has_colours"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"NO_COLOR": ""}, True, True),
        ({"TERM": "dumb"}, True, False),
    ],
)
def test_show_colours_on_a_terminal_alone(stored, capsys, monkeypatch, variables, is_terminal, has_colours):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: is_terminal)
    assert bool(COLOUR.search(shown(capsys, stored)[1])) == has_colours


def test_show_stops_quietly_when_nobody_reads_on(stored):
    command = [sys.executable, "-m", "agentassert", "show", *[str(stored)] * 500]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        running.stdout.read(10)
        running.stdout.close()
        assert running.stderr.read() == b""


def test_a_loaded_capture_shows_the_same_tree(stored):
    assert Capture.load(stored).tree() == support().tree()
    assert_that(Capture.load(stored)).including_nested().has_tool_executed("refund")
