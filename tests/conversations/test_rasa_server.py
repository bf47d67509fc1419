"""Talking to a Rasa server: messages, fixtures, trackers, and every way in which that goes wrong.

The server here is a stand-in for Rasa's transport alone; `tests/rasa_server/run.sh` does the same against a real one.
"""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from agentassert.cli import main
from tests.conversations.rasa_server import PlayedBack, events_of, serving

BOOKING = """
fixtures:
  - premium: [{membership: premium}]
metadata:
  - from_a_phone: {device: phone}
test_cases:
  - test_case: books a ferry / now
    fixtures: [premium]
    metadata: from_a_phone
    steps:
      - user: I'd like to book a ferry
        assertions:
          - flow_started: book_ferry
          - slot_was_set: [{name: membership, value: premium}]
      - user: two of us
        assertions:
          - flow_completed: {flow_id: book_ferry}
"""
LEGACY = """
test_cases:
  - test_case: in the older form
    steps:
      - user: I'd like to book a ferry
      - utter: utter_ask_ferry_route
      - slot_was_set: [{ferry_route: moss_horten}]
      - user: two of us
"""


PAUSE = threading.Event()


class Ran:
    def __init__(self, code, said):
        self.code, self.out, self.err = code, said.out, said.err

    @property
    def json(self):
        return json.loads(self.out)

    @property
    def case(self):
        (case,) = self.json["cases"]
        return case


@pytest.fixture
def agentassert(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in ("AGENTASSERT_RASA_TOKEN", "AGENTASSERT_RASA_JWT", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)
    Path("pyproject.toml").write_text("[tool.agentassert.rasa]\ntimeout_s = 0.5\n")

    def run(text, *arguments):
        Path("e2e.yml").write_text(text, encoding="utf-8")
        code = main(["test", "e2e.yml", *arguments])
        return Ran(code, capsys.readouterr())

    return run


@pytest.fixture
def booking():
    return PlayedBack(events_of("booking.json"), slots={"membership": None})


def test_messages_are_sent_and_the_tracker_is_evaluated(agentassert, booking):
    with serving(booking) as url:
        ran = agentassert(BOOKING, "--rasa", url)
    assert (ran.code, ran.err) == (0, "")
    assert "passed  e2e.yml::books a ferry / now  3/3 assertions" in ran.out
    sent = booking.sent("/webhooks/rest/webhook")
    assert [one["message"] for one in sent] == ["I'd like to book a ferry", "two of us"]
    assert [one["metadata"] for one in sent] == [{"device": "phone"}] * 2


def test_fixtures_are_set_once_the_session_has_started(agentassert, booking):
    with serving(booking) as url:
        agentassert(BOOKING, "--rasa", url)
    asked = [(method, path.rpartition("/")[2], query) for method, path, query, _, _ in booking.requests]
    assert asked == [
        ("GET", "tracker", {"include_events": ["ALL"], "start_session": ["true"]}),
        ("POST", "events", {"include_events": ["ALL"]}),
        ("POST", "webhook", {}),
        ("POST", "webhook", {}),
        ("GET", "tracker", {"include_events": ["ALL"], "start_session": ["false"]}),
    ]
    assert booking.sent("/tracker/events") == [[{"event": "slot", "name": "membership", "value": "premium"}]]


def test_every_case_is_a_conversation_of_its_own(agentassert, booking):
    with serving(booking) as url:
        agentassert(BOOKING + BOOKING.partition("test_cases:\n")[2].replace("/ now", "/ again"), "--rasa", url)
        agentassert(BOOKING, "--rasa", url)
    assert len(set(booking.senders)) == 3
    assert all(one.startswith("books_a_ferry_") for one in booking.senders)


def test_the_url_may_stand_in_the_settings(agentassert, booking):
    with serving(booking) as url:
        Path("pyproject.toml").write_text(f'[tool.agentassert.rasa]\nurl = "{url}"\n')
        assert agentassert(BOOKING, "--rasa").code == 0


def test_a_failure_says_where_and_shows_the_events(agentassert, booking):
    with serving(booking) as url:
        ran = agentassert(BOOKING.replace("flow_started: book_ferry", "flow_started: book_hotel"), "--rasa", url)
    assert ran.code == 1
    assert "e2e.yml:13: books a ferry / now" in ran.out
    assert "to have started the flow 'book_hotel'" in ran.out
    assert 'flow_started {"flow_id": "book_ferry"' in ran.out


def test_legacy_steps_stop_the_conversation_where_one_does_not_hold(agentassert, booking):
    with serving(booking) as url:
        ran = agentassert(LEGACY, "--rasa", url, "--json")
    assert ran.code == 1
    assert ran.case["file"] == "e2e.yml:7"
    assert "to have set the slot 'ferry_route' to 'moss_horten'" in ran.case["failure_reason"]
    assert [one["message"] for one in booking.sent("/webhooks/rest/webhook")] == ["I'd like to book a ferry"]


def test_a_fixture_for_a_slot_that_the_assistant_has_not_is_an_error(agentassert, booking):
    booking.slots = {"seats": None}
    with serving(booking) as url:
        ran = agentassert(BOOKING, "--rasa", url)
    assert ran.code == 2
    assert "the assistant has no slot 'membership'" in ran.out


@pytest.mark.parametrize(
    ("variable", "seen"),
    [
        ("AGENTASSERT_RASA_TOKEN", lambda query, headers: query["token"] == ["s3cret&x"]),
        ("AGENTASSERT_RASA_JWT", lambda query, headers: headers["Authorization"] == "Bearer s3cret&x"),
    ],
)
def test_what_proves_who_asks_comes_from_the_environment_and_is_never_shown(agentassert, booking, monkeypatch, variable, seen):
    monkeypatch.setenv(variable, "s3cret&x")
    with serving(booking) as url:
        ran = agentassert(BOOKING, "--rasa", url)
        assert ran.code == 0
        assert all(seen(query, headers) for _, _, query, headers, _ in booking.requests)
        booking.answer = status(401)
        refused = agentassert(BOOKING, "--rasa", url, "--json")
    assert refused.code == 2
    assert "a token was refused" in refused.case["failure_reason"]
    assert not any("s3cret" in said for said in (ran.out, ran.err, refused.out, refused.err))


def status(code, content=b"{}"):
    return lambda handler: handler.reply(code, content) or True


def webhook(answer):
    return lambda handler: "webhook" in handler.path and answer(handler)


def half(handler):
    handler.reply(200, b'[{"text": "Hel', length=500)
    return True


def cut(handler):
    handler.reply(200, b'[{"text": "Hel')
    return True


def huge(handler):
    handler.reply(200, b" " * 200_000)
    return True


def html(handler):
    handler.reply(200, b"<html><title>Log in</title></html>", kind="text/html")
    return True


def trickle(handler):
    handler.send_response(200)
    handler.send_header("Content-Length", "100000")
    handler.end_headers()
    with contextlib.suppress(OSError):  # the other side gives up
        for _ in range(100):
            handler.wfile.write(b" ")
            PAUSE.wait(0.05)
    return True


def silent(handler):
    handler.connection.settimeout(5)
    handler.connection.recv(1)  # until the other side gives up
    handler.close_connection = True
    return True


def elsewhere(handler):
    handler.send_response(302)
    handler.send_header("Location", "http://127.0.0.1:1/")
    handler.send_header("Content-Length", "0")
    handler.end_headers()
    return True


WRONG = {
    "401": (status(401), "answered 401 Unauthorized; a token is needed: set AGENTASSERT_RASA_TOKEN"),
    "404 of the API": (status(404), "answered 404 Not Found; the HTTP API is not enabled: start the server with --enable-api"),
    "404 of the channel": (webhook(status(404)), "the REST channel is not enabled: add 'rest:' to the server's credentials.yml"),
    "409": (
        status(409, b'{"message": "No agent loaded."}'),
        "answered 409 Conflict; 'No agent loaded.'",
    ),
    "500": (status(500), "answered 500 Internal Server Error (GET "),
    "half an answer": (webhook(half), "broke off its answer"),
    "an endless nest": (webhook(status(200, b"[" * 90_000)), "answered what is no JSON: '[[["),
    "an endless nest as the error": (webhook(status(500, b"[" * 90_000)), "answered 500 Internal Server Error (POST "),
    "more than anybody sends": (huge, "broke off its answer: HTTPException: it has more than 100,000 bytes"),
    "half a JSON": (webhook(cut), 'answered what is no JSON: \'[{"text": "Hel\''),
    "HTML": (html, "answered what is no JSON: '<html><title>Log in</title></html>'"),
    "an object for a list": (webhook(status(200)), "answered an object where Rasa gives a list of messages"),
    "no tracker": (status(200), "answered an object where Rasa gives a tracker with its events"),
    "silence": (webhook(silent), "gave no whole answer in 0.5 seconds (`timeout_s` in [tool.agentassert.rasa])"),
    "a trickle": (webhook(trickle), "gave no whole answer in 0.5 seconds"),
    "a redirect": (elsewhere, "answered 302 Found; redirects are not followed"),
}


@pytest.mark.parametrize(("answer", "said"), WRONG.values(), ids=WRONG.keys())
def test_what_a_server_does_wrong_is_one_line_and_exit_code_2(agentassert, booking, monkeypatch, answer, said):
    monkeypatch.setattr("agentassert.conversations.rasa_files.server._MOST_BYTES", 100_000)
    booking.answer = answer
    with serving(booking) as url:
        ran = agentassert(BOOKING, "--rasa", url, "--json")
    assert ran.code == 2
    assert (ran.case["status"], ran.case["passed"]) == ("error", False)
    assert said in ran.case["failure_reason"]
    assert "\n" not in ran.case["failure_reason"]


def test_a_server_that_is_down_ends_the_run(agentassert):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    ran = agentassert(BOOKING + "  - test_case: b\n    steps: [{user: Hi}]\n", "--rasa", f"http://127.0.0.1:{port}", "--json")
    assert ran.code == 2
    assert "cannot be reached" in ran.case["failure_reason"]
    assert ran.json["not_run"] == 1
    assert ran.err == "agentassert: 1 further test cases were not run\n"


def test_a_server_that_takes_no_connection_in_time_is_said(agentassert, monkeypatch):
    def late(*_, **__):
        raise TimeoutError("timed out")

    monkeypatch.setattr(socket, "create_connection", late)
    ran = agentassert(BOOKING, "--rasa", "http://127.0.0.1:5005", "--json")
    assert ran.code == 2
    assert "did not answer in 0.5 seconds (`timeout_s` in [tool.agentassert.rasa])" in ran.case["failure_reason"]


def test_an_event_that_is_none_is_an_error_of_the_server(agentassert, booking):
    with serving(booking) as url:
        booking.tracker = lambda sender: [{"event": "slot", "value": 1}]
        ran = agentassert(BOOKING.replace("fixtures: [premium]", "fixtures: []"), "--rasa", url)
    assert ran.code == 2
    assert "gave a tracker that cannot be read" in ran.out


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("localhost:5005", "a Rasa server is named by a URL such as 'http://localhost:5005', but was 'localhost:5005'"),
        ("http://ann:pw@localhost:5005", "holds no user and no query: put the token into AGENTASSERT_RASA_TOKEN"),
        ("http://ann:pw@localhost:port", "a Rasa server is named by a URL"),
        ("http://ann:pw@[localhost", "a Rasa server is named by a URL"),
        ("http://localhost:5005?token=x", "holds no user and no query: put the token into AGENTASSERT_RASA_TOKEN"),
        *(
            (url, "a Rasa server is named by a URL")
            for url in ("http://a:b", "http://a:99999", "http://a b", "http://[::1", "http://\u00e4")
        ),
    ],
)
def test_a_url_that_is_none_or_holds_a_secret_is_refused(agentassert, url, said):
    ran = agentassert(BOOKING, "--rasa", url)
    assert ran.code == 1
    assert said in ran.err
    assert "pw" not in ran.err


def test_the_line_break_behind_a_web_token_is_no_part_of_it(agentassert, booking, monkeypatch):
    monkeypatch.setenv("AGENTASSERT_RASA_JWT", "s3cret\n")
    with serving(booking) as url:
        assert agentassert(BOOKING, "--rasa", url).code == 0
    assert {headers["Authorization"] for _, _, _, headers, _ in booking.requests} == {"Bearer s3cret"}


def test_a_web_token_that_cannot_be_sent_is_refused_without_being_shown(agentassert, monkeypatch):
    monkeypatch.setenv("AGENTASSERT_RASA_JWT", "s3cret\nX-Other: 1")
    ran = agentassert(BOOKING, "--rasa", "http://localhost:5005")
    assert (ran.code, ran.out) == (1, "")
    assert "AGENTASSERT_RASA_JWT holds characters that no JSON Web Token has" in ran.err
    assert "s3cret" not in ran.err


def test_a_token_that_a_server_repeats_is_not_shown(agentassert, booking, monkeypatch):
    monkeypatch.setenv("AGENTASSERT_RASA_TOKEN", "s3cret&x")
    booking.answer = lambda handler: (
        handler.reply(500, json.dumps({"message": f"no s3cret&x in {handler.path[-20:]}"}).encode()) or True
    )
    with serving(booking) as url:
        ran = agentassert(BOOKING, "--rasa", url)
    assert ran.code == 2
    assert "no *** in" in ran.out
    assert "s3cret" not in ran.out


def test_a_name_that_no_host_has_is_a_server_that_cannot_be_reached(agentassert):
    ran = agentassert(BOOKING, "--rasa", f"http://{'a' * 70}.example")
    assert ran.code == 2
    assert "cannot be reached" in ran.out


STUBBED = """
stub_custom_actions:
  action_check: {events: [{event: slot, name: ok, value: true}], responses: [{text: Done}]}
  "books_a_ferry::action_check": {events: [], responses: [{text: Mine}]}
test_cases:
  - test_case: books a ferry
    steps:
      - user: Hi
        assertions: [{action_executed: action_check}]
"""


def calling(played, port, action="action_check"):
    """Have the assistant call an action when it hears a message, as a Rasa server does at its `action_endpoint`."""
    answers = []

    def answer(handler):
        if "webhook" in handler.path:
            asked = urllib.request.Request(f"http://127.0.0.1:{port}/webhook", json.dumps({"next_action": action}).encode())
            try:
                with urllib.request.urlopen(asked, timeout=5) as response:
                    answers.append(json.load(response))
            except urllib.error.HTTPError as error:
                with error:
                    answers.append(error.code)
        return False

    played.answer = answer
    return answers


@pytest.fixture
def port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


GREETING = [{"event": "user", "text": "Hi"}, {"event": "action", "name": "action_check"}]


def test_stubs_are_answered_for_on_a_port(agentassert, port):
    played = PlayedBack(GREETING)
    answers = calling(played, port)
    with serving(played) as url:
        ran = agentassert(STUBBED, "--rasa", url, "--rasa-actions", str(port))
    assert (ran.code, ran.err) == (0, "")
    assert answers == [{"events": [], "responses": [{"text": "Mine"}]}]


def test_an_action_without_a_stub_is_an_error_where_others_have_one(agentassert, port):
    played = PlayedBack(GREETING)
    answers = calling(played, port, "action_pay")
    with serving(played) as url:
        ran = agentassert(STUBBED, "--rasa", url, "--rasa-actions", str(port))
    assert (ran.code, answers) == (2, [404])
    assert "the assistant called 'action_pay', which the file does not stub" in ran.out


def test_nobody_runs_real_actions_in_place_of_stubs_without_saying_so(agentassert):
    played = PlayedBack(GREETING)
    with serving(played) as url:
        ran = agentassert(STUBBED, "--rasa", url)
        assert (ran.code, played.requests) == (1, [])
        assert ran.err.startswith(
            "agentassert: e2e.yml stubs custom actions, and in a running assistant no action can be replaced"
        )
        assert agentassert(STUBBED, "--rasa", url, "--rasa-actions", "server").code == 0


def test_a_port_that_is_taken_is_said(agentassert):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ran = agentassert(STUBBED, "--rasa", "http://localhost:1", "--rasa-actions", str(port))
    assert ran.code == 1
    assert ran.err.startswith(f"agentassert: --rasa-actions {port}: the port cannot be had")
