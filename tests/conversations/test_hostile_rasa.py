"""Trackers, test files and servers of Rasa's that were found to break a promise once."""

from __future__ import annotations

import io
import json
import socket
import threading
import time
import urllib.error
import urllib.request

import pytest

from agentassert.conversations import Conversation, rasa
from agentassert.conversations.rasa_files.dialogues import StoredDialogue
from agentassert.conversations.rasa_files.evaluating import evaluate
from agentassert.conversations.rasa_files.judging import NoJudge
from agentassert.conversations.rasa_files.loading import RasaFilesError, load
from agentassert.conversations.rasa_files.printing import print_outcomes
from agentassert.conversations.rasa_files.server import RasaServer, ServerError
from agentassert.conversations.rasa_files.stubs import ActionServer
from agentassert.errors import TrackerError
from tests.conversations.trackers import bot, conversation, user
from tests.suites.test_hostile_files import refusal, spent


@pytest.fixture
def file(tmp_path):
    def written(text, name="e2e.yml"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return written


def test_a_number_that_python_does_not_read(file):
    with pytest.raises(TrackerError, match="a number has more than 4,300 digits"):
        Conversation.from_rasa_tracker(
            file('{"events": [{"event": "slot", "name": "a", "value": ' + "9" * 5_000 + "}]}", "t.json")
        )


def test_a_path_that_no_system_has():
    with pytest.raises(FileNotFoundError):
        Conversation.from_rasa_tracker("a\0b")


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("0x" + "f" * 6_000, "this number has more than 400 digits"),
        ("0b" + "1" * 6_000, "this number has more than 400 digits"),
        ("${" * 300_000, "test_cases must be a list, but is the text"),
        ("${" + "x" * 5_000 + "}", "the environment variable 'xxx"),
    ],
    ids=["hexadecimal", "binary", "variables", "a variable"],
)
def test_a_word(file, word, told):
    errors = []
    path = file(f"test_cases: {word}")
    assert spent(lambda: errors.append(refusal(RasaFilesError, load, [str(path)]))) < 3
    assert told in errors[0]
    assert len(errors[0]) < 500


def test_a_word_with_variables(file, monkeypatch):
    monkeypatch.setenv("PORT", "5005")
    path = file("test_cases:\n- test_case: a ${PORT} b ${PORT}${ c\n  steps: [{user: hi}, {bot: ok}]\n")
    assert load([str(path)])[0].case.name == "a 5005 b 5005${ c"


@pytest.mark.parametrize(
    "text",
    [
        "fixtures:\n- f:\n" + "".join(f"  - {{s{number}: 1}}\n" for number in range(8_000))
        + f"test_cases:\n- test_case: a\n  fixtures: [{'f, ' * 40_000}]\n  steps:\n  - {{user: hi}}\n  - {{bot: ok}}\n",
        f"metadata:\n- f: {{{', '.join(f's{number}: 1' for number in range(8_000))}}}\ntest_cases:\n"
        "- test_case: a\n  metadata: f\n  steps:\n" + "  - {user: hi}\n" * 8_000 + "  - {bot: ok}\n",
        "stub_custom_actions:\n" + "".join(f"  a{number}: {{}}\n  c1::a{number}: {{}}\n" for number in range(5_000))
        + "test_cases:\n" + "".join(f"- {{test_case: c{number}, steps: [{{user: hi}}, {{bot: ok}}]}}\n" for number in range(5_000)),
    ],
    ids=["fixtures", "metadata", "stubs"],
)  # fmt: skip
def test_what_many_cases_share_is_there_once(file, text):
    loaded = []
    path = file(text)
    assert spent(lambda: loaded.extend(load([str(path)]))) < 15
    assert len(loaded[0].slots) <= 8_000


def test_a_stub_of_a_case_holds_before_one_for_all(file):
    path = file(
        "stub_custom_actions:\n  look: {responses: [{text: all}]}\n  one_case::look: {responses: [{text: own}]}\n  other: {}\n"
        "test_cases:\n- {test_case: one case, steps: [{user: a}, {bot: b}]}\n- {test_case: one, steps: [{user: a}, {bot: b}]}\n"
    )
    own, other = load([str(path)])
    assert own.stubs == {"look": {"responses": [{"text": "own"}]}, "other": {}}
    assert other.stubs == {"look": {"responses": [{"text": "all"}]}, "other": {}}


def test_links_in_a_circle(tmp_path):
    (tmp_path / "a.yml").symlink_to("a.yml")
    with pytest.raises(ValueError, match="there is no such file or folder"):
        load([str(tmp_path / "a.yml")])


@pytest.mark.parametrize(
    "pattern", ["a{99999999999999}", "(" * 9_000 + ")" * 900, "()" * 300_000], ids=["repetitions", "brackets", "length"]
)
def test_a_pattern_that_python_does_not_read(pattern):
    with pytest.raises(ValueError, match=r"bot_uttered: 'text_matches'") as error:
        rasa.check(conversation(user("Hi")), {"bot_uttered": {"text_matches": pattern}}, user="Hi")
    assert len(str(error.value)) < 500


def test_long_messages_are_not_compared_character_by_character(file):
    path = file("test_cases:\n- test_case: a\n  steps:\n  - {user: Hi}\n  - {bot: " + "abcdefgh " * 300 + "}\n")
    said = conversation(user("Hi"), *(bot("abcdefgi " * 300 + str(number)) for number in range(2_000)))
    outcomes = []
    (ready,) = load([str(path)])
    assert spent(lambda: outcomes.append(evaluate(ready, StoredDialogue(said), judge=NoJudge(), pitfalls="warn"))) < 5
    assert outcomes[0].difference[-1].startswith("+ bot: abcdefgh ")
    assert len(outcomes[0].difference) == 51


def test_nothing_that_a_bot_says_reaches_the_terminal_raw(file):
    path = file('test_cases:\n- test_case: "a\\x9b31m"\n  steps:\n  - {user: Hi}\n  - {bot: ok}\n')
    (ready,) = load([str(path)])
    said = conversation(user("Hi"), bot("\x1b[2J\u202e\ud800"), {"event": "\x1b]0;x\x07", "\ufeff": 1})
    stream = io.StringIO()
    print_outcomes([evaluate(ready, StoredDialogue(said), judge=NoJudge(), pitfalls="warn")], stream)
    assert all(line.isprintable() for line in stream.getvalue().splitlines())
    assert "a\\x9b31m" in stream.getvalue()


def answering(send):
    """A server that accepts one connection and sends what it is told to, until nobody listens."""
    listening = socket.create_server(("127.0.0.1", 0))

    def serve():
        with listening, listening.accept()[0] as connection:
            connection.recv(65_536)
            try:
                send(connection)
            except OSError:
                pass

    threading.Thread(target=serve, daemon=True).start()
    return RasaServer(f"http://127.0.0.1:{listening.getsockname()[1]}", timeout_s=0.5)


def endless(piece):
    def send(connection):
        while True:
            connection.sendall(piece)
            time.sleep(0.01)

    return send


@pytest.mark.parametrize(
    "send",
    [
        endless(b"HTTP/1.1 100 Continue\r\n\r\n"),
        lambda connection: (connection.sendall(b"HTTP/1.1 200 OK\r\nX: "), endless(b"x")(connection)),
        lambda connection: (connection.sendall(b"HTTP/1.1 500 No\r\nContent-Length: 60000\r\n\r\n"), endless(b" ")(connection)),
    ],
    ids=["interim answers", "a header", "an error"],
)
def test_an_answer_that_never_ends(send):
    server = answering(send)
    started = time.monotonic()
    with pytest.raises(ServerError, match=r"gave no whole answer in 0\.5 seconds|answered 500 No"):
        server.tracker("ann")
    assert time.monotonic() - started < 10


@pytest.mark.parametrize(
    "head", [b"HTTP/1.1 500 \x1b[31mno\x9b\r\nContent-Length: 0\r\n\r\n", b"\x1b[2J" + b"x" * 30_000 + b"\r\n\r\n"]
)
def test_what_a_server_says_is_shown_spelt_out(head):
    with pytest.raises(ServerError) as error:
        answering(lambda connection: connection.sendall(head)).tracker("ann")
    assert str(error.value).isprintable()
    assert len(str(error.value)) < 600


@pytest.mark.parametrize("body", [b"", b"{", b"[1]", b'{"next_action": ["a"]}', b"[" * 100_000])
def test_a_request_that_calls_no_action_is_answered(body, capfd):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with ActionServer(port), pytest.raises(urllib.error.HTTPError) as error:
        urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{port}/webhook", body, method="POST"))
    with error.value:
        assert (error.value.code, "next_action" in json.loads(error.value.read())["error"]) == (400, True)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("length", ["-1", "many", "1" + "0" * 30, "268435457", "²"])
def test_a_request_of_no_length_that_can_be_is_answered_without_reading_it(length):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with ActionServer(port), socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        connection.sendall(f"POST /webhook HTTP/1.1\r\nContent-Length: {length}\r\n\r\n".encode("latin-1"))
        assert connection.recv(64).startswith(b"HTTP/1.0 400 ")
