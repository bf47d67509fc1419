"""Trackers of Rasa assistants: in files, and as the answers of a server; what is asserted on them, and what is told of that."""

from __future__ import annotations

import io
import json
import warnings
from typing import Any, ClassVar, Final
from unittest import mock

from agentassert import AgentAssertionError, TrackerError, assert_that
from agentassert.conversations import Conversation, rasa
from agentassert.conversations.rasa.checking import PITFALLS, judge_step
from agentassert.conversations.rasa_files.dialogues import StoredDialogue
from agentassert.conversations.rasa_files.evaluating import evaluate
from agentassert.conversations.rasa_files.junit import write_junit
from agentassert.conversations.rasa_files.loading import ReadyCase, load
from agentassert.conversations.rasa_files.outcomes import CaseOutcome
from agentassert.conversations.rasa_files.printing import print_outcomes, print_remarks
from agentassert.conversations.rasa_files.results import json_text, to_json, write_results
from agentassert.conversations.rasa_files.server import RasaServer, ServerError
from agentassert.conversations.rasa_files.server_dialogue import ServerDialogue
from agentassert.errors import JudgeError
from tests.fuzzing import samples
from tests.fuzzing.rasa_files import EVERYTHING
from tests.fuzzing.targets import Target
from tests.fuzzing.using import FOLDER, printable

_WORDS: Final = (
    *(
        "user",
        "bot",
        "slot",
        "action",
        "flow_started",
        "flow_completed",
        "flow_cancelled",
        "session_started",
        "stack",
        "pattern_clarification",
    ),
    *(
        "name",
        "value",
        "text",
        "metadata",
        "data",
        "buttons",
        "title",
        "payload",
        "utter_action",
        "utter_source",
        "flow_id",
        "step_id",
        "reset",
    ),
    *(
        "memory_set",
        "memory_cleared",
        "key",
        "tool_executed",
        "skill_activated",
        "names",
        "clarification_ids",
        "parse_data",
        "commands",
        "events",
    ),
    *(
        "EnterpriseSearchPolicy",
        "book_ferry",
        "NEXT:END",
        "sender_id",
        "arguments",
        "is_error",
        "tool_name",
        "mcp_server",
        "timestamp",
    ),
)
_MANTLE: Final = [
    {"event": "user", "text": "Hi"},
    {"event": "skill_activated", "skill_id": "booking", "timestamp": 1.0},
    {"event": "tool_executed", "tool_name": "look", "source": "local", "arguments": {"id": 7}, "is_error": False},
    {"event": "memory_set", "key": "seats", "value": 2},
    {"event": "memory_cleared", "key": "seats"},
    {"event": "ordered_block_entered", "skill_id": "booking", "block_id": "ask"},
]
_LONGEST: Final = 300_000
"""Bytes of a tracker on which everything is asserted; more would time the assertions, and not the reading."""


class _Judge:
    """Finds everything good enough."""

    def relevance(self, **_: str) -> float:
        return 0.9

    groundedness = relevance


def _assertions() -> list[dict[str, Any]]:
    cases = json.loads(samples.files("conversations/data", "cases.json", 1_000_000)[0])
    found = [case["a"] for group in cases for case in group["cases"]]
    kinds = {next(iter(one)): one for one in found}
    tool = {"tool_name": "look", "source": "local"}
    mantle: list[dict[str, Any]] = [
        {"memory_was_set": [{"name": "seats", "value": 2}]},
        {"memory_was_not_set": [{"name": "seats", "value": 3}]},
        {"memory_was_cleared": [{"name": "seats"}]},
        {"tool_executed": {**tool, "arguments": {"id": 7}}},
        {"tools_within_one_turn": {"calls": [tool, tool], "allow_extra_calls": True}},
        {"skill_activated": {"skill_id": "booking"}},
    ]
    return [*kinds.values(), *found[:30], *mantle]


_ASSERTIONS: Final = _assertions()


def _corpus() -> list[bytes]:
    return [*samples.files("conversations/data", "[bcg][ole]*.json"), json.dumps(_MANTLE).encode()]


def _read(data: bytes) -> Any:
    file = FOLDER / "tracker.json"
    file.write_bytes(data)
    conversation = Conversation.from_rasa_tracker(file)
    if len(data) <= _LONGEST:
        _assert_on(conversation)


def _assert_on(conversation: Conversation) -> None:
    for stretch in conversation.stretches:
        for part in (
            "bot_messages",
            "slots_set",
            "flows_started",
            "flows_completed",
            "flows_cancelled",
            "clarifications",
            "actions",
        ):
            assert isinstance(getattr(stretch, part), tuple)
    users = [turn.user.text for turn in conversation.turns if isinstance(turn.user.text, str)][:2] or ["Hi"]
    for user in users:
        for pitfalls in PITFALLS:
            for ordered in (False, True):
                verdict = judge_step(
                    conversation,
                    _ASSERTIONS[ordered::2],
                    user=user,
                    step=0,
                    ordered=ordered,
                    judge=_Judge(),
                    metadata=None,
                    pitfalls=pitfalls,
                )
                printable("a verdict", "\n".join((str(verdict.failure), *(one.words for one in verdict.pitfalls))))
        for one in _ASSERTIONS:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                printable("a failure", str(rasa.check(conversation, one, user=user, judge=_Judge())))
    for subject in (conversation, *conversation.turns[:1]):
        printable("a chain", repr(assert_that(subject)))
        for check in _CHAINS:
            try:
                check(assert_that(subject))
            except AgentAssertionError as error:
                printable("a failure", str(error))


_CHAINS: Final = (
    lambda chain: chain.has_flow_started("book_ferry"),
    lambda chain: chain.has_flow_completed("book_ferry", step="confirm"),
    lambda chain: chain.has_flow_cancelled("x"),
    lambda chain: chain.has_clarification_offering("x", "y"),
    lambda chain: chain.has_slot_set("seats", 2),
    lambda chain: chain.does_not_have_slot_set("x"),
    lambda chain: chain.has_action_executed("x"),
    lambda chain: chain.has_bot_uttered(text_matching="never said"),
    lambda chain: chain.has_no_bot_utterance(text_matching="never said"),
)


def _cases() -> list[ReadyCase]:
    file = FOLDER / "cases.yml"
    file.write_bytes(EVERYTHING)
    return load([str(file)])


def _evaluate(data: bytes) -> Any:
    """A tracker, held against test cases, and what a run says of it."""
    file = FOLDER / "tracker.json"
    file.write_bytes(data)
    conversation = Conversation.from_rasa_tracker(file)
    texts = [turn.user.text for turn in conversation.turns if isinstance(turn.user.text, str)]
    if len(data) > _LONGEST:
        return
    outcomes = []
    for ready in _cases():
        with mock.patch.object(StoredDialogue, "say", _saying(texts)):
            outcomes.append(evaluate(ready, StoredDialogue(conversation), judge=_Judge(), pitfalls="warn"))
        outcomes.append(evaluate(ready, StoredDialogue(conversation), judge=_Judge(), pitfalls="fail"))
    _tell(outcomes)


def _saying(texts: list[str]) -> Any:
    """Has the cases, which say other things, look at what followed the first messages that there are."""
    say, left = StoredDialogue.say, iter(texts)

    def said(self: StoredDialogue, text: str, metadata: Any) -> bool:
        return say(self, next(left, text), metadata)

    return said


def _tell(outcomes: list[CaseOutcome]) -> None:
    stream = io.StringIO()
    print_outcomes(outcomes, stream)
    print_remarks(outcomes, stream)
    printable("a run", stream.getvalue())
    json.loads(json_text(to_json(outcomes)))
    write_junit(outcomes, FOLDER / "results.xml")
    write_results(outcomes, FOLDER / "results.yml")
    for file in (FOLDER / "results.xml", FOLDER / "results_passed.yml", FOLDER / "results_failed.yml"):
        file.read_text("utf-8")


class _Socket:
    """A connection whose other side says what it is told to, and hears nothing."""

    timeout: ClassVar = 0.05

    def __init__(self, answer: bytes) -> None:
        self._answer = answer

    def makefile(self, *_: Any, **__: Any) -> io.BufferedReader:
        return io.BufferedReader(io.BytesIO(self._answer))  # type: ignore[arg-type]  # as good as a raw one

    def sendall(self, data: bytes) -> None:
        assert data

    def settimeout(self, *_: Any) -> None:
        pass

    def setsockopt(self, *_: Any) -> None:
        pass

    def close(self) -> None:
        pass


_HEAD: Final = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"


def _answers() -> list[bytes]:
    bodies = [*_corpus(), b"[]", b'{"events": [], "slots": {}}', b'{"version": "3.6", "status": "failure", "message": "x"}']
    whole = [_HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body for body in bodies if len(body) < 20_000]
    chunked = [_HEAD + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % len(body) + body + b"\r\n0\r\n\r\n" for body in bodies[-3:]]
    refused = [
        b"HTTP/1.1 %s\r\nContent-Length: %d\r\nLocation: http://example.com/\r\n\r\n" % (status, len(bodies[-1])) + bodies[-1]
        for status in (b"401 Unauthorized", b"404 Not Found", b"302 Found", b"500 Internal Server Error", b"100 Continue")
    ]
    return [*whole, *chunked, *refused]


def _ask(data: bytes) -> Any:
    server = RasaServer("http://127.0.0.1:5005", timeout_s=0.5)
    failed = None
    with mock.patch("socket.create_connection", side_effect=lambda *_, **__: _Socket(data)):
        for ask in (
            lambda: server.send("ann", "Hi", {"a": 1}),
            lambda: server.add_events("ann", []),
            lambda: ServerDialogue(server, _cases()[0]).say("Hi", {}),
        ):
            try:
                ask()
            except ServerError as error:
                failed = error
                printable("an error", str(error))
    if failed is not None:
        raise failed


TARGETS: Final = (
    Target(name="trackers", run=_read, allowed=(TrackerError,), corpus=_corpus, words=_WORDS, folder=FOLDER, seconds=1.0),
    Target(
        name="rasa-runs",
        run=_evaluate,
        allowed=(TrackerError, JudgeError),
        corpus=_corpus,
        words=_WORDS,
        folder=FOLDER,
        seconds=1.0,
    ),
    Target(
        name="rasa-answers",
        run=_ask,
        allowed=(ServerError,),
        corpus=_answers,
        form="text",
        words=(
            *_WORDS,
            "HTTP/1.1 100 Continue\r\n\r\n",
            "Content-Length: 99999999999",
            "Content-Length: -1",
            "Transfer-Encoding: chunked",
        ),
        folder=FOLDER,
        events=("urllib.Request", "http.client.connect", "http.client.send"),
        largest=300_000,
    ),
)
