"""What the package does is the same under every switch of Python, without POSIX, and with nobody to talk to."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.compatibility import without_posix

ROOT = Path(__file__).parents[2]
STRICT = ("-X", "dev", "-bb", "-X", "warn_default_encoding", "-W", "error")


def process(*command, **environment):
    """A Python of its own, which finds the tests and, as this one does, the package."""
    ended = subprocess.run(
        [sys.executable, "-B", *command],
        cwd=ROOT,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "AGENTASSERT_UPDATE": "0", **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=300,
    )
    return ended.returncode, ended.stdout, ended.stderr


def told(folder, *command, module="tests.compatibility.behaviour", **environment):
    code, out, err = process(*command, "-m", module, str(folder), **environment)
    assert (code, err) == (0, "agentassert: created kept/a booking.trajectory\n")
    return json.loads(out)


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return told(tmp_path_factory.mktemp("plain"))


def test_the_comparison_has_something_to_compare(plain):
    failed = [name for name, words in plain.items() if words.startswith("raised AgentAssertionError: Expected")]
    slips = ("raised AttributeError", "raised ModuleNotFoundError", "raised NameError")
    assert (len(plain) > 75, len(failed) > 20) == (True, True)
    assert [words for words in plain.values() if words.startswith(slips)] == []


@pytest.mark.parametrize("switches", [("-O",), ("-OO",), STRICT], ids=" ".join)
def test_is_the_same_under(switches, plain, tmp_path):
    """Without `assert` and docstrings; and with all that Python can warn of as an error: resources, encodings, bytes as text."""
    if "-OO" in switches and process("-OO", "-c", "from jsonpath_ng.ext import parse; parse('$.a')")[0]:
        pytest.skip("this version of jsonpath-ng reads its grammar from docstrings")
    assert told(tmp_path, *switches) == plain


def test_is_the_same_where_there_is_no_posix(plain, tmp_path):
    assert told(tmp_path, module="tests.compatibility.without_posix") == plain


def test_is_the_same_where_nobody_can_be_asked(plain, tmp_path):
    """No socket is opened, no name looked up, no process started; see `tests.compatibility.guarded`."""
    assert told(tmp_path, module="tests.compatibility.guarded") == plain


@pytest.mark.parametrize(
    ("deed", "refused"),
    [
        ("socket.socket()", "socket.__new__"),
        ("socket.getaddrinfo('localhost', 80)", "socket.getaddrinfo"),
        ("urllib.request.urlopen('http://localhost:1')", "urllib.Request"),
        ("subprocess.run(['true'])", "subprocess.Popen"),
        ("os.system('true')", "os.system"),
    ],
)
def test_the_watch_refuses_also_what_is_swallowed(deed, refused):
    code, _, err = process(
        "-c",
        "import os, socket, subprocess, urllib.request; from tests.compatibility import guarded; guarded.watch(guarded._asks_outside)\n"
        f"try:\n    {deed}\nexcept Exception:\n    pass\nguarded.ended()",
    )
    assert (code, err.startswith(f"refused:\n{refused}")) == (3, True)


def frameworks():
    import tomllib

    linter = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    return next(one["forbidden_modules"] for one in linter if one["id"] == "frameworks")


def test_an_import_opens_modules_and_does_nothing_else():
    """No file but modules and what lies beside them, no thread, no socket: of any module of ours, whatever it imports."""
    code, out, err = process("-m", "tests.compatibility.guarded", "--imports", *frameworks())
    assert (code, err) == (0, "")
    imported = [line for line in out.splitlines() if ":" not in line]
    need = {line.partition(":")[0].split(".")[1] for line in out.splitlines() if ":" in line}
    assert len(imported) > 350
    assert need <= {"adapters", "judges"}


@pytest.mark.parametrize(
    ("deed", "refused"),
    [
        ("threading.Thread(target=print).start()", "thread "),
        ("open('pyproject.toml', 'rb')", "open "),
        ("open(agentassert.__file__, 'ab')", "open "),
    ],
)
def test_the_watch_over_imports_refuses(deed, refused):
    code, _, err = process(
        "-c",
        "import threading, agentassert; from tests.compatibility import guarded\n"
        "guarded.watch(guarded._is_more_than_an_import); guarded.watch_threads()\n"
        f"try:\n    {deed}\nexcept Exception:\n    pass\nguarded.ended()",
    )
    assert (code, err.startswith(f"refused:\n{refused}")) == (3, True)


def trees():
    import agentassert

    (package,) = agentassert.__path__
    return {file: ast.parse(file.read_bytes()) for file in Path(package).rglob("*.py")}


def test_nothing_depends_on_what_a_switch_takes_away():
    """`assert` and `__debug__` go with `-O`, docstrings with `-OO`; only the help of the program shows some of them."""
    found = {
        (file.name, type(node).__name__)
        for file, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Assert)
        or (isinstance(node, ast.Name) and node.id == "__debug__")
        or (isinstance(node, ast.Attribute) and node.attr == "__doc__")
    }
    assert found == {("cli.py", "Attribute")}


def test_each_text_file_is_opened_with_its_encoding():
    """Also in modules that no other test here runs."""
    missing = []
    for file, tree in trees().items():
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            name = getattr(call.func, "attr", None) or getattr(call.func, "id", None)
            texts = [one.value for one in call.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
            named = any(keyword.arg == "encoding" for keyword in call.keywords) or "utf-8" in texts
            binary = any("b" in text and len(text) <= 3 for text in texts)
            receiver = ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""
            opens = name in {"open", "read_text", "write_text", "NamedTemporaryFile"}
            if opens and receiver not in {"gzip", "self._opener"} and not named and not binary:
                missing.append(f"{file.name}:{call.lineno}")
    assert missing == []


def test_nothing_needs_what_windows_does_not_have():
    """The one use of such a module, to lock a file, has another way beside it."""
    modules = {name for tree in trees().values() for name in _imported(tree)}
    assert modules & set(without_posix.MODULES) == {"fcntl"}
    gone = {(module.__name__, name) for module, names in without_posix.NAMES.items() for name in names}
    used = {
        (node.value.id, node.attr)
        for tree in trees().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    }
    assert used & gone == {("time", "clock_gettime"), ("time", "CLOCK_MONOTONIC")}  # where they are there


def _imported(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module
