"""What `docs/explanation/threat-model.md` promises, as far as no other test holds it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import socket
import sys

import pytest

from agentassert import AgentAssertionError, Capture, assert_that, capture, record
from agentassert.conversations.trackers import read_tracker
from agentassert.judges import Judge
from agentassert.scripted import reply, scripted_model
from agentassert.turns import Conversation
from tests.fuzzing.harness import watched
from tests.fuzzing.samples import captures, files, messages
from tests.fuzzing.targets import Target
from tests.reports.reported import ended, page_of

SECRET = "hunter2-and-more"


@pytest.fixture
def named(tmp_path, monkeypatch):
    """A module that says so when it is imported, on the import path."""
    (tmp_path / "shop_of_a_stranger.py").write_text("raise RuntimeError('imported')\n")
    monkeypatch.syspath_prepend(tmp_path)
    return "shop_of_a_stranger"


def naming(module):
    """A stored capture whose values, errors and tools bear the names of things in a module."""
    document = json.loads(captures()[1].to_json())
    invocation = document["invocations"][0]
    invocation["output"] = {"$agentassert": "not JSON", "type": f"{module}.Client", "text": "<Client>"}
    invocation["framework"] = module
    failed = invocation["tool_executions"][1]
    failed["error"]["types"].insert(0, f"{module}.Broken")
    failed["name"] = f"{module}:run"
    return json.dumps(document)


def read_everything(folder, module):
    """Read what each format has, as files where there are files."""
    stored = folder / "stored.json"
    loaded = Capture.load(stored)
    assert_that(loaded).has_tool_executed("get_booking").has_tool_execution_failed(f"{module}:run")
    loaded.tree()
    loaded._repr_html_()
    Capture.from_json(loaded.to_json())
    Capture.from_otlp(folder / "spans.json").tree()
    for one in messages():
        Capture.from_messages(one).tree()
    read_tracker(Conversation, folder / "tracker.json")
    with pytest.raises(AgentAssertionError, match="to match the snapshot"):
        assert_that(loaded).matches_snapshot("kept", directory=folder)
    assert_that(loaded).satisfies('output_text != "__import__(\'os\')" and status == "completed"')


def test_what_is_read_runs_nothing_imports_nothing_and_asks_nobody(tmp_path, named):
    (tmp_path / "stored.json").write_text(naming(named))
    (tmp_path / "spans.json").write_bytes(files("telemetry/data", "*.otlp.json")[0])
    (tmp_path / "tracker.json").write_bytes(files("conversations/data", "booking.json")[0])
    (tmp_path / "kept.trajectory").write_text(f"# agentassert trajectory 1\n\n{named}: completed\n")
    read_everything(tmp_path, named)  # loads what is loaded on first use
    reader = Target(name="reader", run=bytes, allowed=(), corpus=list, folder=tmp_path)

    with watched(reader) as reached:
        read_everything(tmp_path, named)

    assert reached == []
    assert named not in sys.modules
    assert {file.name for file in tmp_path.iterdir()} == {
        *("stored.json", "spans.json", "tracker.json", "kept.trajectory", "shop_of_a_stranger.py")
    }


def test_the_scripted_model_listens_to_this_machine_alone():
    with scripted_model([], then_repeats=reply("Hi")) as model:
        port = int(model.anthropic_base_url.rpartition(":")[2])
        assert model._server.server_address == ("127.0.0.1", port)
        assert model._server.socket.getsockname()[0] == "127.0.0.1"
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=5)


def test_the_report_lets_nothing_run_but_its_own_script_and_fetches_nothing():
    page = page_of(ended("test_it"))
    policy = dict(rule.split(" ", 1) for rule in re.search(r'Content-Security-Policy" content="([^"]+)"', page)[1].split("; "))
    bodies = {kind: re.search(rf"<{kind}>(.*?)</{kind}>", page, re.DOTALL)[1] for kind in ("style", "script")}

    for kind, body in bodies.items():
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert policy[f"{kind}-src"] == f"'sha256-{digest}'"
    assert {name: policy[name] for name in ("default-src", "base-uri", "form-action")} == dict.fromkeys(
        ("default-src", "base-uri", "form-action"), "'none'"
    )
    assert not re.search(r"(?:src|href)=|url\(|@import|fetch\(|XMLHttpRequest|sendBeacon|WebSocket", page)


def test_a_judge_is_sent_the_question_the_output_and_the_sources_and_no_tool_executions():
    asked = []

    def model(prompt):
        asked.append(prompt)
        return '{"assessments": [{"criterion": 1, "reasoning": "It does.", "verdict": "satisfied"}]}'

    with capture() as cap, record.invocation("guide", input=f"When? password={SECRET}") as invocation:
        record.tool_execution("look_up", {"argument": "of a tool"}, result="of a tool, too")
        record.sources(["It opens at nine."])
        invocation.output = "At nine."
    assert_that(cap).output_satisfies("says when", judge=Judge(model))

    sent = json.loads(asked[0][asked[0].index('{"criteria"') :])
    assert sent == {
        "criteria": [{"number": 1, "criterion": "says when"}],
        "user_message": f"When? password={SECRET}",
        "sources": ["It opens at nine."],
        "text": "At nine.",
    }
    assert "of a tool" not in asked[0]


def test_a_stored_capture_keeps_what_everything_that_is_shown_masks(tmp_path, monkeypatch):
    with capture() as cap, record.invocation("clerk", input={"password": SECRET}):
        record.tool_execution("log_in", {"token": SECRET, "note": f"password='{SECRET}'"}, result={"api_key": SECRET})
    monkeypatch.setenv("AGENTASSERT_UPDATE", "1")
    assert_that(cap).matches_snapshot("logs in", directory=tmp_path, results=True)
    with pytest.raises(AgentAssertionError) as raised:
        assert_that(cap).has_tool_executed_with("log_in", {"token": "another"})

    assert SECRET in cap.to_json()
    assert SECRET in repr(cap.invocation)
    assert Capture.from_json(cap.to_json()).invocation.tool_executions[0].arguments["token"] == SECRET
    for shown in (str(raised.value), cap.tree(), cap._repr_html_(), (tmp_path / "logs in.trajectory").read_text()):
        assert "***" in shown
        assert SECRET not in shown
