"""Suites and settings that were found to break a promise once: each is refused in one line, and in a time that goes with its size."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from agentassert.settings_reading import read
from agentassert.suites import yaml
from agentassert.suites.discovery import looks_like_rasas
from agentassert.suites.loading import load_suites
from agentassert.suites.problems import MOST_SHOWN, YamlError
from tests.suites.suite_files import Files, one_test

ANY_TEST = "tests:\n- name: a\n  payload: x\n"


@pytest.fixture
def files(tmp_path):
    return Files(tmp_path)


def refusal(error, function, *given):
    """What a call is refused with."""
    with pytest.raises(error) as caught:
        function(*given)
    return str(caught.value)


def spent(function):
    """Seconds of processor time that a function takes."""
    started = time.thread_time()
    function()
    return time.thread_time() - started


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"\xef\xbb\xbf\x1f\xac", "1:2: the file is not in UTF-8: there is a byte 0xac; save it in UTF-8"),
        (b"\xef\xbb\xbfa: \xff", "1:4: the file is not in UTF-8: there is a byte 0xff; save it in UTF-8"),
        (b"a: 0x" + b"f" * 6_000, "1:4: this number has more than 400 digits; put it in quotes if it is a text"),
        (b"a: 0o" + b"7" * 6_000, "1:4: this number has more than 400 digits; put it in quotes if it is a text"),
        (b"%TAG ! tag:x\n--- a", "1:1: tags are refused: leave the %TAG directive out"),
        (b"# why\n\n%YAML 1.2\n%TAG ! tag:x\n--- a", "4:1: tags are refused: leave the %TAG directive out"),
    ],
)
def test_a_file_that_cannot_be_read(content, told):
    with pytest.raises(YamlError) as error:
        yaml.parse(content)
    assert str(error.value) == told


def test_a_percent_sign_that_is_no_directive():
    assert yaml.parse(b"a: |\n  %TAG\nb: '%TAG'").data == {"a": "%TAG\n", "b": "%TAG"}


def test_a_thousand_tag_directives_are_not_compared_with_each_other():
    content = b"".join(b"%%TAG !a%d! tag:x\n" % number for number in range(40_000)) + b"--- a\n"
    assert spent(lambda: refusal(YamlError, yaml.parse, content)) < 1


@pytest.mark.parametrize(
    "text",
    [
        ANY_TEST + "".join(f"  k{number}: 1\n" for number in range(60_000)),
        ANY_TEST + "  expected_tool_calls:\n" + "".join(f"  - t: prms.a == {number}\n" for number in range(20_000)),
        ANY_TEST + f"  files: [{','.join(f'fil_{number}' for number in range(20_000))}]\n",
        "tests:\n" + "- {nme: a, paylod: x}\n" * 30_000,
    ],
    ids=["keys", "expressions", "files", "tests"],
)
def test_much_that_is_wrong_ends_the_search(files, text):
    for number in range(300):
        files.write(f"files/file_{number}")
    lines = []
    assert spent(lambda: lines.extend(files.refused(text))) < 12
    assert (len(lines), lines[-1]) == (MOST_SHOWN + 1, " and more")


def test_every_wrong_expression_of_a_test_is_told(files):
    told = files.refused_test(
        "expected_result: output ==\n"
        "expected_tool_calls: [a, {b: parms.x == 1}, c, {d: invocations >= 0}]\n"
        "expected_child_agents: {expert: {expected_payload: paylod == 1, expected_tool_calls: [{e: 1 == 1}]}}"
    )
    assert [line.partition(": ")[2].partition(":")[0] for line in told] == ["expected_result", "b", "d", "expected_payload", "e"]


def test_an_expression_that_an_alias_repeats_is_read_once(files):
    long = "output.a == 1" + " or output.a == 1" * 110
    text = f'agent: &e "{long}"\ntests:\n' + "".join(
        f"- {{name: n{number}, payload: x, expected_result: *e}}\n" for number in range(3_000)
    )
    loaded = []
    assert spent(lambda: loaded.append(files.load(text))) < 10
    assert len(loaded[0].cases) == 3_000


def test_links_in_a_circle(files):
    files.directory.joinpath("a.yaml").symlink_to("a.yaml")
    (error,) = load_suites([files.directory]).errors
    assert "1:1: the file cannot be read: Too many levels of symbolic links" in str(error)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere file systems know no names that are no text")
@pytest.mark.parametrize("ending", [".yaml", "/a.yaml"], ids=["file", "folder"])
@pytest.mark.parametrize("command", ["agentassert test", "agentassert coverage", "pytest -q -p agentassert"])
def test_a_name_that_is_no_text_is_refused_before_a_report_breaks_on_it(project, ending, command):
    project.suite(one_test(""))
    project.write("tests/" + os.fsdecode(b"d\xff") + ending, one_test("").replace("tests:", "agent: support\ntests:"))

    ran = project.in_a_process("-m", *command.split())

    assert ran.code == (2 if "pytest" in command else 1)
    assert f"tests/d\\udcff{ending}:1:1: the name of a suite, and of its folders, must be UTF-8" in ran.out + ran.err
    assert "Traceback" not in ran.out + ran.err


def test_a_pipe_is_not_waited_for(files):
    for name in ("a.yaml", "b.yml"):
        os.mkfifo(files.directory / name)
    (error,) = load_suites([files.directory]).errors
    assert "1:1: the file cannot be read: it is a pipe or a device" in str(error)
    assert not looks_like_rasas(files.directory / "b.yml")


def test_a_name_that_is_longer_than_any_file_can_be_called(files):
    (told,) = files.refused(one_test(f"builder: {'b' * 5_000}"))
    assert "builder: there is no builders/" in told
    assert len(told) < 300


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("a = " + "[" * 5_000, "this is nested too deeply for TOML"),
        ("a = " + "9" * 5_000, "this is no TOML: Exceeds the limit (4300 digits)"),
        (
            "[tool.agentassert]\nsuites = 0x" + "f" * 5_000,
            "tool.agentassert.suites must be a list of texts, none of them empty, but was 0xfff",
        ),
        (
            "[tool.agentassert]\nsuites = '" + "x" * 100_000 + "'",
            "tool.agentassert.suites must be a list of texts, none of them empty, but was 'xxx",
        ),
        ("[tool.agentassert]\n" + "x" * 100_000 + " = 1", "tool.agentassert.'xxx"),
        (
            "[tool.agentassert]\nsuites = [" + "'a', " * 2 + ",".join(f"'s{number}'" for number in range(30_000)) + "]",
            "names 'a' twice",
        ),
    ],
)
def test_settings_that_are_refused(content, told):
    errors = []
    assert spent(lambda: errors.append(refusal(ValueError, read, Path("pyproject.toml"), content.encode()))) < 3
    (message,) = errors
    assert message.startswith("pyproject.toml: ")
    assert told in message
    assert len(message) < 1_000
