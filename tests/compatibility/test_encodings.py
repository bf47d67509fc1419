"""The program under the encodings that consoles and build logs have, and under none but ASCII."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from agentassert import capture, record

ROOT = Path(__file__).parents[2]
NAMED = "naïve — 予約 🚂"
PLACES: Final = {
    "cp1252": {"PYTHONIOENCODING": "cp1252"},
    "cp932": {"PYTHONIOENCODING": "cp932"},
    "ascii": {"PYTHONIOENCODING": "ascii"},
}
ALL: Final = {
    **PLACES,
    "C": {"LC_ALL": "C"},  # which Python takes for UTF-8, unless it is kept from that
    # Pytest runs no test here whose name is not in ASCII: it puts the name into the environment.
    "ASCII files": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    root = tmp_path_factory.mktemp("project")
    (root / "tests").mkdir()
    (root / "tests" / "support.yaml").write_bytes(
        f'agent: support\r\ntests:\r\n  - name: "{NAMED}"\r\n    payload: x\r\n    expected_result: output == "{NAMED}"\r\n'.encode(
            "utf-8-sig"
        )
    )
    (root / "pyproject.toml").write_bytes(b'[tool.agentassert.agents]\r\nsupport = "encoded_agents:support"\r\n')
    (root / "encoded_agents.py").write_text(f"def support(payload):\n    return '{NAMED}!'\n", encoding="utf-8")
    with capture() as cap, record.invocation("support"):
        record.tool_execution("say", {"words": NAMED}, result=NAMED)
    cap.save(root / "stored.json")
    return root


def run(project, place, *arguments):
    ended = subprocess.run(
        [sys.executable, "-m", "agentassert", *arguments],
        cwd=project,
        env={
            **{name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG"))},
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(project)]),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            **ALL[place],
        },
        capture_output=True,
        check=False,
        timeout=120,
    )
    return ended.returncode, ended.stdout, ended.stderr


def shown(place):
    coding = {"C": "utf-8", "ASCII files": "ascii"}.get(place, place)
    return NAMED.encode(coding, "backslashreplace")


@pytest.mark.parametrize("place", PLACES)
def test_a_suite_is_read_in_utf_8_and_told_in_what_there_is(project, place):
    code, out, err = run(project, place, "test")
    assert (code, b"Error" in err) == (1, False)
    assert b"failed  support::" + shown(place) in out
    assert b"but output was '" + shown(place) + b"!'" in out


@pytest.mark.parametrize("place", ALL)
def test_a_capture_is_shown_in_what_there_is(project, place):
    code, out, err = run(project, place, "show", "stored.json")
    assert (code, err) == (0, b"")
    assert shown(place) in out


def test_json_is_told_in_characters_that_every_encoding_has(project):
    told = {place: json.loads(run(project, place, "test", "--json")[1].decode("ascii")) for place in ("ascii", "cp932")}
    for one in told.values():
        one["cases"][0]["failed_runs"] = None  # which tells durations
    assert {one["cases"][0]["test_name"] for one in told.values()} == {NAMED}
    assert told["ascii"] == told["cp932"]
