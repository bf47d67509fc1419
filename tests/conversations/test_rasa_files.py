"""Rasa's test files against stored trackers: which cases there are, how they come out, and what is told about it."""

from __future__ import annotations

import errno
import json
import os
import shutil
import warnings
from pathlib import Path
from xml.etree import ElementTree

import pytest

from agentassert import show_secrets
from agentassert.cli import main
from agentassert.conversations import Conversation
from agentassert.conversations.rasa_files.dialogues import StoredDialogue
from agentassert.conversations.rasa_files.evaluating import evaluate
from agentassert.conversations.rasa_files.judging import NoJudge
from agentassert.conversations.rasa_files.loading import load
from agentassert.suites.yaml import parse
from tests.conversations.rasa_server import DATA

BOOKED = """
test_cases:
  - test_case: books a ferry
    steps:
      - user: I'd like to book a ferry
        assertions:
          - flow_started: book_ferry
          - action_executed: utter_ask_ferry_route
      - user: two of us
        assertions:
          - slot_was_set: [{name: booking_reference}, {name: passenger_count, value: 2}]
          - flow_completed: {flow_id: book_ferry}
"""
WRONG = BOOKED.replace("{name: passenger_count, value: 2}", "{name: cabin}")


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
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    for file in DATA.glob("*.json"):
        shutil.copy(file, tmp_path)
    return tmp_path


def write(name, text):
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text, encoding="utf-8")


@pytest.fixture
def agentassert(here, capsys):
    def run(*arguments):
        code = main(["test", *arguments])
        return Ran(code, capsys.readouterr())

    return run


@pytest.fixture
def booked(agentassert):
    def run(text, *arguments, tracker="booking.json"):
        write("e2e.yml", text)
        return agentassert("e2e.yml", "--tracker", tracker, *arguments)

    return run


def test_a_case_that_holds_is_exit_code_0(booked):
    ran = booked(BOOKED)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[0] == "passed  e2e.yml::books a ferry  4/4 assertions"
    assert ran.out.splitlines()[-1] == "1 passed"


def test_a_case_that_fails_is_exit_code_1_and_says_where_down_to_the_slot(booked):
    ran = booked(WRONG)
    assert ran.code == 1
    assert "e2e.yml:11: books a ferry\n  Expected the turn 'two of us' to have set the slot 'cabin',\n" in ran.out
    assert '    slot {"name": "booking_reference", "value": "NF-4821"' in ran.out
    assert ran.out.splitlines()[-1] == "1 failed, 0 passed"


def test_assertions_that_were_not_looked_at_count_neither_way(booked):
    assert booked(WRONG, "--json").json["accuracy"] == {
        "action_executed": {"passed": 1, "evaluated": 1},
        "flow_started": {"passed": 1, "evaluated": 1},
        "slot_was_set": {"passed": 0, "evaluated": 1},
    }


@pytest.mark.parametrize("text", [BOOKED, WRONG])
def test_the_json_always_has_the_events_of_the_turns(booked, text):
    case = booked(text, "--json").case
    assert [step["user"] for step in case["steps"]] == ["I'd like to book a ferry", "two of us"]
    kinds = [event["event"] for event in case["steps"][0]["events"]]
    assert kinds[:2] == ["user", "flow_started"]
    assert "stack" not in kinds
    assert case["prior"][0]["name"] == "action_session_start"


def test_secrets_in_events_are_masked(booked):
    events = [
        {"event": "user", "text": "Hi"},
        {"event": "slot", "name": "password", "value": "hunter2"},
        {"event": "bot", "text": "?"},
    ]
    write("secret.json", json.dumps(events))
    text = "test_cases: [{test_case: a, steps: [{user: Hi, assertions: [{action_executed: x}]}]}]"
    for arguments in ((), ("--json",), ("--e2e-results", "r.yml")):
        ran = booked(text, *arguments, tracker="secret.json")
        assert ran.code == 1
        assert "hunter2" not in ran.out + ran.err
    assert "hunter2" not in Path("r_failed.yml").read_text()


def test_secrets_are_shown_to_who_asks_for_them(booked):
    write("secret.json", json.dumps([{"event": "user", "text": "Hi"}, {"event": "slot", "name": "password", "value": "hunter2"}]))
    text = "test_cases: [{test_case: a, steps: [{user: Hi, assertions: [{action_executed: x}]}]}]"
    with show_secrets():
        assert "hunter2" in booked(text, "--json", tracker="secret.json").out
    assert "hunter2" not in booked(text, "--json", tracker="secret.json").out


@pytest.mark.parametrize("arguments", [(), ("--json",), ("--junit-xml", "r.xml")])
def test_secrets_in_slots_of_legacy_steps_are_masked(booked, arguments):
    write("secret.json", json.dumps([{"event": "user", "text": "Hi"}, {"event": "slot", "name": "password", "value": "hunter2"}]))
    text = "test_cases: [{test_case: a, steps: [{user: Hi}, {slot_was_set: [{password: swordfish}]}]}]"
    ran = booked(text, *arguments, tracker="secret.json")
    told = ran.out + ran.err + (Path("r.xml").read_text() if "r.xml" in arguments else "")
    assert ran.code == 1
    assert "hunter2" not in told
    assert "swordfish" not in told


def test_results_are_written_as_rasa_writes_them(booked):
    (other,) = [BOOKED.partition("test_cases:\n")[2].replace("books a ferry", "books it")]
    trackers = Path("trackers")
    trackers.mkdir()
    for name in ("books_a_ferry.json", "books_it.json"):
        shutil.copy("booking.json", trackers / name)
    booked(WRONG + other, "--e2e-results", "out/results.yml", tracker="trackers")
    (passed,) = parse(Path("out/results_passed.yml").read_bytes()).data["test_results"]
    (failed,) = parse(Path("out/results_failed.yml").read_bytes()).data["test_results"]
    assert (passed["name"], passed["pass_status"], failed["name"], failed["pass_status"]) == (
        "books it",
        True,
        "books a ferry",
        False,
    )
    assert passed["expected_steps"][0]["assertions"][0] == {"flow_started": "book_ferry"}
    assert any(line.startswith("flow_started ") for line in passed["actual_events_transcript"])
    assert failed["error_path"] == "e2e.yml:11"
    assert failed["assertion_failure"]["assertion"]["type"] == "slot_was_set"
    assert "'cabin'" in failed["assertion_failure"]["error_message"]
    assert any(line.startswith("slot ") for line in failed["assertion_failure"]["actual_events_transcript"])


def test_results_say_what_differs_from_a_legacy_step_and_that_no_assertion_failed(booked):
    booked(HOLDS.replace("{passenger_count: 2}", "{passenger_count: 3}"), "--e2e-results", "r.yml")
    (failed,) = parse(Path("r_failed.yml").read_bytes()).data["test_results"]
    assert "+ slot_was_set: passenger_count: 3 (int)" in failed["difference"]
    assert "assertion_failure" not in failed
    assert "passenger_count" in failed["error_message"]


def test_results_have_their_place_by_default(booked):
    booked(BOOKED, "--e2e-results")
    assert parse(Path("tests/e2e_results_passed.yml").read_bytes()).data["test_results"][0]["name"] == "books a ferry"
    assert parse(Path("tests/e2e_results_failed.yml").read_bytes()).data == {"test_results": []}


def test_results_in_a_folder_have_rasas_names(booked):
    Path("out").mkdir()
    booked(BOOKED, "--e2e-results", "out")
    assert sorted(file.name for file in Path("out").iterdir()) == ["e2e_results_failed.yml", "e2e_results_passed.yml"]


CLARIFIED = """
test_cases:
  - test_case: asks what is meant, and stops
    steps:
      - user: ferry
        assertions:
          - pattern_clarification_contains: [change a booking, book a ferry]
          - pattern_clarification_contains: {operator: all, flow_ids: [book_ferry, change_booking]}
      - user: book one please
        assertion_order_enabled: true
        assertions:
          - flow_started: {operator: any, flow_ids: [book_hotel, book_ferry]}
          - action_executed: utter_ask_ferry_route
          - bot_uttered: {utter_name: utter_ask_ferry_route, text_matches: "crossing"}
          - slot_was_not_set: [{name: ferry_route}]
          - bot_did_not_utter: {text_matches: hotel}
      - user: forget it
        assertions:
          - flow_cancelled: {flow_id: book_ferry, flow_step_id: ask_route}
"""


def test_clarifications_cancelled_flows_and_order_are_evaluated(booked):
    ran = booked(CLARIFIED, tracker="clarify_cancel.json")
    assert (ran.code, ran.err) == (0, "")
    other_order = CLARIFIED.replace("action_executed: utter_ask_ferry_route", "action_executed: action_listen")
    ran = booked(other_order, tracker="clarify_cancel.json")
    assert (ran.code, "e2e.yml:14: asks what is meant" in ran.out) == (1, True)
    assert (
        booked(
            CLARIFIED.replace("ask_route}", "pay}"),
            tracker="clarify_cancel.json",
        ).code
        == 1
    )


LEGACY = """
test_cases:
  - test_case: in the older form
    steps:
      - utter: utter_hello
      - user: I'd like to book a ferry
      - utter: utter_ask_ferry_route
      - user: /SetSlots(ferry_route=bergen_stavanger)
      - slot_was_set: [ferry_route, {ferry_route: bergen_stavanger}]
      - slot_was_not_set: [{ferry_route: moss_horten}, cabin]
      - user: two of us
      - slot_was_set: [{passenger_count: 2}]
"""
HOLDS = LEGACY.replace("      - utter: utter_hello\n", "")


def test_legacy_steps_hold_in_the_turn_before_them(booked):
    assert booked(HOLDS).code == 0


FAILING_STEPS = {
    LEGACY: (5, "Expected the start of the session to have uttered the response 'utter_hello',\nbut it uttered nothing."),
    HOLDS.replace("[{passenger_count: 2}]", "[cabin]"): (11, "to have set the slot 'cabin',\nbut it did not set it."),
    HOLDS.replace("[{ferry_route: moss_horten}, cabin]", "[cabin, ferry_route]"): (
        9,
        "not to have set the slot 'ferry_route',\nbut",
    ),
    HOLDS.replace("{passenger_count: 2}", "{passenger_count: 3}"): (11, "to 3,\nbut it set it to 2"),
    HOLDS.replace("utter: utter_ask_ferry_route", "bot: Which"): (6, "to have uttered 'Which',\nbut it uttered 'Which crossing"),
    HOLDS.replace("user: two of us", "user: three of us"): (10, "the conversation has no further user message 'three of us'"),
    HOLDS.replace("user: two of us", "user: I'd like to book a ferry"): (10, "has no further user message \"I'd like"),
}


@pytest.mark.parametrize(("text", "said"), FAILING_STEPS.items())
def test_the_first_legacy_step_that_does_not_hold_is_told(booked, text, said):
    case = booked(text, "--json").case
    line, words = said
    assert (case["status"], case["file"]) == ("failed", f"e2e.yml:{line}")
    assert words in case["failure_reason"]


def test_a_legacy_step_shows_what_differs(booked):
    case = booked(HOLDS.replace("{passenger_count: 2}", "{passenger_count: 3}"), "--json").case
    assert "- slot_was_set: passenger_count: 2.0 (float)" in case["difference"]
    assert "+ slot_was_set: passenger_count: 3 (int)" in case["difference"]


def test_assertions_alone_decide_where_there_are_any_and_a_legacy_step_that_does_not_hold_is_doubtful(booked):
    mixed = BOOKED.replace("      - user: two of us", "      - bot: never said\n      - user: two of us")
    ran = booked(mixed)
    assert ran.code == 0
    assert ran.err == (
        "e2e.yml:9: warning: the step 'bot' does not hold, where Rasa sends no further message; but assertions alone decide\n"
    )
    failed = booked(mixed, "--pitfalls", "fail")
    assert failed.code == 1
    assert "Rasa's rules alone let it pass: the step 'bot' does not hold" in failed.out


PITFALL = """
test_cases:
  - test_case: a
    steps:
      - user: I'd like to book a ferry
      - user: two of us
        assertions:
          - slot_was_set: [{name: ferry_route}]
"""


def test_a_pitfall_warns_once_with_its_place_and_keeps_rasas_verdict(booked):
    ran = booked(PITFALL)
    assert ran.code == 0
    assert ran.err == "e2e.yml:8: warning: the slot 'ferry_route' was only emptied, which counts as set\n"


def test_pitfalls_fail_by_option_or_setting(booked):
    assert booked(PITFALL, "--pitfalls", "fail").code == 1
    write("pyproject.toml", '[tool.agentassert.rasa]\npitfalls = "fail"\n')
    assert booked(PITFALL).code == 1
    assert booked(PITFALL, "--pitfalls", "warn").code == 0


def test_a_case_that_asserts_nothing_fails_where_pitfalls_do(booked):
    nothing = "test_cases: [{test_case: a, steps: [{user: two of us}]}]"
    assert booked(nothing).code == 0
    ran = booked(nothing, "--pitfalls", "fail", "--json")
    assert ran.code == 1
    assert ran.case["failure_reason"].endswith("asserts nothing, so it passes whatever the assistant does")


GENERATIVE = """
test_cases:
  - test_case: dogs
    steps:
      - user: Are dogs allowed on the Moss ferry?
        assertions:
          - generative_response_is_grounded: {threshold: 0.9}
"""
JUDGE = """
    class Strict:
        def __init__(self, score):
            self.score = score
        def relevance(self, *, question, answer):
            return self.score
        def groundedness(self, *, answer, ground_truth):
            assert "lead" in answer and "Dogs travel free" in ground_truth
            return self.score
    class Stopped(Strict):
        def groundedness(self, *, answer, ground_truth):
            raise KeyboardInterrupt
    strict = Strict(0.2)
    stopped = Stopped(0.2)
    kind = Strict(0.9)
    broken = Strict.__new__(Strict)
"""


RELEVANT = GENERATIVE.replace("is_grounded", "is_relevant")


@pytest.mark.parametrize("text", [GENERATIVE, RELEVANT])
def test_a_generated_response_without_a_judge_neither_passes_nor_fails(booked, text):
    ran = booked(text, tracker="generative.json")
    assert ran.code == 2
    assert 'judge = "module:object" in [tool.agentassert.rasa] names one' in ran.out


def judge(name):
    module = f"judges_{os.getpid()}_{name}"
    write(f"{module}.py", JUDGE.replace("\n    ", "\n"))
    write("pyproject.toml", f'[tool.agentassert.rasa]\njudge = "{module}:{name}"\n')


@pytest.mark.parametrize("text", [GENERATIVE, RELEVANT])
def test_the_judge_of_the_settings_scores_generated_responses(booked, text):
    judge("kind")
    assert booked(text, tracker="generative.json").code == 0
    judge("strict")
    ran = booked(text, tracker="generative.json")
    assert ran.code == 1
    assert "scored 0.9 or more,\n  but it was scored 0.2" in ran.out


def test_a_judge_that_breaks_is_an_error_and_no_verdict(booked):
    judge("broken")
    ran = booked(GENERATIVE, tracker="generative.json")
    assert ran.code == 2
    assert ":broken' gave no answer: AttributeError: 'Strict' object has no attribute 'score'" in ran.out


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Strict", "must be an object with `relevance` and `groundedness`"),
        ("stric", "has no 'stric'; did you mean 'strict'?"),
    ],
)
def test_a_judge_that_is_none_is_refused_before_anything_runs(booked, name, said):
    judge(name)
    ran = booked(GENERATIVE, tracker="generative.json")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("agentassert: [tool.agentassert.rasa] judge = ")
    assert said in ran.err


def test_fixtures_come_from_the_conftests_above_and_the_nearest_holds(here):
    write("conftest.yml", "fixtures:\n  - a: [{x: 1}]\n  - b: [{x: 2}]\n")
    write("in/conftest.yaml", "fixtures:\n  - b: [{x: 3}]\nllm_judge: {llm: {provider: openai}}\n")
    write("in/e2e.yml", "test_cases: [{test_case: t, fixtures: [a, b], steps: [{user: Hi}, {bot: Hi}]}]")
    (ready,) = load(["in/e2e.yml"])
    assert ready.slots == (("x", 1), ("x", 3))


def test_conftests_of_simulations_are_left_out(here):
    write("config.yml", "")
    write("eval/conftest.yml", "scenarios: []\n")
    write("eval/e2e.yml", "test_cases: [{test_case: t, steps: [{user: Hi}, {bot: Hi}]}]")
    assert len(load(["eval/e2e.yml"])) == 1


def test_metadata_of_a_step_holds_before_that_of_its_case(here):
    write(
        "e2e.yml",
        """
metadata: [{of_case: {a: 1, b: 1}}, {of_step: {b: 2, c: 2}}]
test_cases:
- test_case: t
  metadata: of_case
  steps: [{user: Hi, metadata: of_step}, {user: Ho}, {bot: Hi}]
""",
    )
    (ready,) = load(["e2e.yml"])
    assert tuple(ready.messages) == ({"a": 1, "b": 2, "c": 2}, {"a": 1, "b": 1})
    assert [(one.words, one.decides) for one in ready.remarks] == [
        ("the step's metadata 'of_step' says otherwise than the case's about 'b', and holds", False)
    ]


def test_metadata_that_an_earlier_file_defines_otherwise_is_doubtful(here):
    text = "metadata: [{{m: {{a: {n}}}}}]\ntest_cases:\n- test_case: t{n}\n  steps: [{{user: Hi, metadata: m}}, {{bot: Hi}}]\n"
    write("in/a.yml", text.format(n=1))
    write("in/b.yml", text.format(n=2))
    first, second = load(["in"])
    assert (tuple(first.messages), tuple(second.messages)) == (({"a": 1},), ({"a": 1},))
    assert first.remarks == ()
    assert [one.words for one in second.remarks] == [
        "the metadata 'm' is what a.yml, which is read earlier, says, not what this file says"
    ]


ONE = "test_cases: [{test_case: NAME, steps: [{user: Hi}, {bot: Hi}]}]"


def test_a_folder_is_searched_for_files_with_test_cases(here):
    write("in/b.yml", ONE.replace("NAME", "b"))
    write("in/deep/a.yaml", ONE.replace("NAME", "a"))
    write("in/domain.yml", "intents: []")
    write("in/suite.yaml", "tests: []")
    write("in/conftest.yml", "fixtures: []")
    write("in/notes.txt", "test_cases: []")
    assert [ready.case.name for ready in load(["in"])] == ["b", "a"]


def test_one_case_of_a_file_can_be_chosen(here):
    write("e2e.yml", BOOKED + BOOKED.partition("test_cases:\n")[2].replace("books a ferry", "books it"))
    assert [ready.case.name for ready in load(["e2e.yml::books it"])] == ["books it"]
    with pytest.raises(ValueError, match="there is no test case 'books them'; did you mean 'books it'"):
        load(["e2e.yml::books them"])


@pytest.mark.parametrize(
    ("path", "said"), [("none.yml", "none.yml: there is no such file or folder"), ("in", "no test cases in in")]
)
def test_what_is_not_there_is_said(agentassert, path, said):
    Path("in").mkdir()
    ran = agentassert(path, "--tracker", "booking.json")
    assert (ran.code, ran.out) == (1, "")
    assert said in ran.err


def test_all_that_is_wrong_with_the_files_is_told_before_anything_runs(agentassert):
    write("in/a.yml", "test_cases: [{test_case: a}]")
    write("in/b.yml", "test_cases: [{test_cas: a, steps: []}]")
    ran = agentassert("in", "--tracker", "booking.json")
    assert ran.code == 1
    assert [line.split(":")[0] for line in ran.err.splitlines()] == ["in/a.yml", "in/b.yml", "in/b.yml"]


def test_rasas_own_place_for_tests_is_the_default(agentassert):
    write("tests/e2e_test_cases.yml", BOOKED)
    assert agentassert("--tracker", "booking.json").code == 0


def test_the_filter_chooses_by_name(agentassert):
    write(
        "e2e.yml", BOOKED + BOOKED.partition("test_cases:\n")[2].replace("books a ferry", "is wrong").replace("book_ferry", "x")
    )
    assert agentassert("e2e.yml", "--tracker", "booking.json", "--filter", "ferry").code == 0
    ran = agentassert("e2e.yml", "--tracker", "booking.json", "--filter", "hotel")
    assert (ran.code, ran.err) == (1, "agentassert: no test case has a name that contains 'hotel'\n")


def test_one_stored_tracker_is_for_one_case(agentassert):
    write("e2e.yml", BOOKED + BOOKED.partition("test_cases:\n")[2].replace("books a ferry", "books it"))
    ran = agentassert("e2e.yml", "--tracker", "booking.json")
    assert ran.code == 1
    assert "choose one, as file.yml::books a ferry, or name a folder with a file for each, such as books_a_ferry.json" in ran.err


def test_a_folder_of_trackers_has_one_for_each_case(agentassert):
    write("e2e.yml", BOOKED)
    Path("trackers").mkdir()
    assert "there is no trackers/books_a_ferry.json" in agentassert("e2e.yml", "--tracker", "trackers").err
    write("e2e.yml", BOOKED + BOOKED.partition("test_cases:\n")[2])
    shutil.copy("booking.json", "trackers/books_a_ferry.json")
    assert "would be the tracker of two test cases" in agentassert("e2e.yml", "--tracker", "trackers").err


def test_a_tracker_that_is_not_there_is_said(booked):
    ran = booked(BOOKED, tracker="nowhere.json")
    assert (ran.code, ran.err) == (1, "agentassert: --tracker nowhere.json: there is no such file or folder\n")


def test_a_stored_tracker_that_cannot_be_read_is_said(booked, monkeypatch):
    read = Path.read_bytes

    def denied(path):
        if path.suffix == ".json":
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", denied)
    ran = booked(BOOKED)
    assert (ran.code, ran.err) == (1, "agentassert: booking.json cannot be read: Permission denied\n")


@pytest.mark.parametrize("content", ["[{", '{"slots": {}}', "[1]"])
def test_a_stored_tracker_that_is_none_is_refused(booked, content):
    write("broken.json", content)
    ran = booked(BOOKED, tracker="broken.json")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("agentassert: broken.json:")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-n", "2"), "-n is for suites, and does not go with --rasa or --tracker"),
        (
            ("--rasa", "http://localhost:5005"),
            "--rasa talks to an assistant and --tracker reads what was stored: give one of them",
        ),
        (("--", "-x"), "Rasa's test files do not run through pytest, so nothing may follow `--`"),
    ],
)
def test_options_that_do_not_go_together_are_refused(booked, arguments, said):
    ran = booked(BOOKED, *arguments)
    assert (ran.code, ran.err) == (1, f"agentassert: {said}\n")


def two_cases(first, second):
    return first + second.partition("test_cases:\n")[2].replace("books a ferry", "books it")


@pytest.fixture
def both(agentassert):
    def run(text, *arguments):
        write("e2e.yml", text)
        Path("trackers").mkdir(exist_ok=True)
        for name in ("books_a_ferry.json", "books_it.json"):
            shutil.copy("booking.json", Path("trackers", name))
        return agentassert("e2e.yml", "--tracker", "trackers", *arguments)

    return run


def test_the_first_case_that_does_not_pass_may_be_the_last_that_runs(both):
    ran = both(two_cases(WRONG, BOOKED), "--fail-fast")
    assert (ran.code, ran.out.splitlines()[-1]) == (1, "1 failed, 0 passed")
    assert ran.err == "agentassert: 1 further test cases were not run\n"
    assert both(two_cases(BOOKED, BOOKED), "--fail-fast").code == 0


def test_a_run_that_is_stopped_tells_what_it_has_and_does_not_pass(booked):
    judge("stopped")
    ran = booked(GENERATIVE, tracker="generative.json")
    assert (ran.code, ran.out) == (1, "0 passed\n")
    assert ran.err == "agentassert: 1 further test cases were not run\n"


def test_results_as_junit_xml_name_the_file_the_line_and_the_reason(both):
    ran = both(two_cases(BOOKED, WRONG), "--junit-xml", "out/results.xml")
    assert ran.code == 1
    suite = ElementTree.parse("out/results.xml").getroot().find("testsuite")
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("2", "1", "0")
    passed, failed = suite
    assert (passed.get("classname"), passed.get("name"), list(passed)) == ("e2e.yml", "books a ferry", [])
    assert (failed.get("file"), failed.get("line")) == ("e2e.yml", "21")
    assert failed.find("failure").get("message") == "Expected the turn 'two of us' to have set the slot 'cabin',"
    assert 'user {"text": "two of us"}' in failed.find("failure").text


def test_junit_xml_is_xml_whatever_an_assistant_says(booked):
    events = [{"event": "user", "text": "Hi"}, {"event": "bot", "text": "\x00\ud800 <&>\u2028"}]
    write("odd.json", json.dumps(events))
    booked(
        "test_cases: [{test_case: a, steps: [{user: Hi, assertions: [{action_executed: x}]}]}]",
        "--junit-xml",
        "r.xml",
        tracker="odd.json",
    )
    assert "<&>" in ElementTree.parse("r.xml").getroot().find("testsuite/testcase/failure").text


@pytest.mark.parametrize("option", ["--junit-xml", "--e2e-results"])
def test_results_that_cannot_be_written_are_an_error_after_everything_is_told(booked, option):
    write("taken", "")
    ran = booked(BOOKED, option, "taken/results.xml")
    assert (ran.code, ran.out.splitlines()[-1]) == (1, "1 passed")
    assert ran.err.startswith("agentassert: the results cannot be written: ")


def test_a_message_that_a_stored_conversation_has_not_is_doubtful_even_if_nothing_is_asserted_about_it(booked):
    unsaid = BOOKED.replace("      - user: two of us", "      - user: never said\n      - user: two of us")
    ran = booked(unsaid)
    assert ran.code == 0
    assert (
        ran.err
        == "e2e.yml:9: warning: the user never says 'never said' in the conversation, or not after the messages before it\n"
    )
    assert booked(unsaid, "--pitfalls", "fail").code == 1


def test_a_stored_conversation_in_another_order_is_doubtful(booked):
    write("turned.json", json.dumps([{"event": "user", "text": text} for text in ("b", "a")]))
    text = "test_cases: [{test_case: t, steps: [{user: a, assertions: [{bot_did_not_utter: {text_matches: x}}]}, {user: b}]}]"
    assert "the user never says 'b'" in booked(text, tracker="turned.json").err


def test_a_stored_conversation_that_does_not_begin_with_the_fixtures_is_doubtful(booked):
    text = "fixtures: [{f: [{seats: 2}, {on: 2026-11-30}]}]\n" + BOOKED.replace("    steps:", "    fixtures: [f]\n    steps:")
    begins = [{"event": "slot", "name": "on", "value": "2026-11-30"}, {"event": "slot", "name": "seats", "value": 2.0}]
    write("fixed.json", json.dumps([*begins, *json.loads(Path("booking.json").read_text("utf-8"))["events"]]))
    assert (booked(text, tracker="fixed.json").code, booked(text, tracker="fixed.json").err) == (0, "")
    ran = booked(text)
    assert ran.code == 0
    assert "warning: a fixture sets the slot 'seats' to 2, but the conversation does not begin with it\n" in ran.err
    assert booked(text, "--pitfalls", "fail").code == 1


def test_what_a_file_of_rasas_is_run_against_is_asked_for(agentassert):
    write("e2e.yml", BOOKED)
    ran = agentassert("e2e.yml::books a ferry")
    assert (ran.code, ran.out) == (1, "")
    assert "is a test of a Rasa assistant: add --rasa URL to run it against one, or --tracker PATH" in ran.err


@pytest.mark.parametrize(
    "arguments", [("--pitfalls", "fail"), ("--fail-fast",), ("--e2e-results",), ("--rasa-actions", "server")]
)
def test_options_of_rasas_files_are_refused_where_no_such_file_runs(agentassert, arguments):
    ran = agentassert(*arguments)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == f"agentassert: {arguments[0]} is for tests of a Rasa assistant: add --rasa URL or --tracker PATH\n"


def test_rasa_without_any_url_is_refused(agentassert):
    write("e2e.yml", BOOKED)
    assert "--rasa needs a URL such as http://localhost:5005" in agentassert("e2e.yml", "--rasa").err


def test_annotations_mark_the_line_in_a_pull_request(booked, monkeypatch):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert "::error file=e2e.yml,line=11,title=rasa%3A%3Abooks a ferry::Expected the turn" in booked(WRONG).out


def test_warnings_of_others_are_passed_on(here):
    class Deprecated(NoJudge):
        def groundedness(self, *, answer, ground_truth):
            warnings.warn("use another model", DeprecationWarning, stacklevel=2)
            return 1.0

    write("e2e.yml", GENERATIVE)
    (ready,) = load(["e2e.yml"])
    dialogue = StoredDialogue(Conversation.from_rasa_tracker("generative.json"))
    with pytest.warns(DeprecationWarning, match="use another model"):
        assert evaluate(ready, dialogue, judge=Deprecated(), pitfalls="warn").reason is None
