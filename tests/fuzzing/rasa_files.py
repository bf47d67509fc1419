"""Rasa's test files, and the files around them."""

from __future__ import annotations

from typing import Any, Final

from agentassert.conversations.rasa_files.loading import RasaFilesError, load
from agentassert.conversations.rasa_files.reading import read_file
from agentassert.conversations.rasa_files.writing import dump
from tests.fuzzing import samples
from tests.fuzzing.targets import Target
from tests.fuzzing.texts import WORDS, YAML
from tests.fuzzing.using import FOLDER

EVERYTHING: Final = rb"""
fixtures:
  - premium: [{membership: premium}, {seats: 2}]
  - other: [{mocked_datetime: "2026-11-30T09:00:00+01:00"}, {joined: 2026-11-30}]
metadata:
  - second_yes: {turn_idx: 2}
stub_custom_actions:
  action_check:
    events: [{event: slot, name: ok, value: true}]
    responses: [{text: Done}]
test_cases:
  - test_case: books a ferry
    fixtures: [premium, other]
    metadata: second_yes
    steps:
      - user: " yes "
        metadata: second_yes
        assertion_order_enabled: true
        assertions:
          - flow_started: book_ferry
          - flow_completed: {flow_id: book_ferry, flow_step_id: confirm}
          - slot_was_set: [{name: origin, value: Bergen}, {name: seats}]
          - slot_was_not_set: [{name: origin, value: 1_000}]
          - pattern_clarification_contains: [one, other]
          - bot_uttered: {utter_name: utter_done, text_matches: "^Done [a-z]+$", buttons: [{title: "Yes", payload: /affirm}]}
          - bot_did_not_utter: {text_matches: sorry}
          - generative_response_is_grounded: {threshold: 0.9, ground_truth: text}
  - test_case: in the older form
    steps:
      - user: I want to book
      - bot: Done
      - utter: utter_done
      - slot_was_set: [origin, {seats: 2}]
      - slot_was_not_set: [cabin]
"""
_WORDS: Final = (
    *WORDS,
    *(
        "test_cases",
        "test_case",
        "fixtures",
        "metadata",
        "steps",
        "user",
        "bot",
        "utter",
        "assertions",
        "slot_was_set",
        "text_matches",
    ),
    *(
        "2026-02-30",
        "2026-11-30 9:00:00 +1",
        "0b101",
        "1_000_",
        "${HOME}",
        "${NOT_SET}",
        "${",
        "(a+)+$",
        "a{99999}",
        "[",
        "(?P<a",
        "\\p{L}",
    ),
)


def _load(data: bytes) -> Any:
    file = FOLDER / "e2e.yml"
    file.write_bytes(data)
    try:
        cases = load([str(file)])
    except ValueError as error:
        if str(error).startswith("there are no test cases in "):
            return
        raise
    _write_again(cases[0].file)
    for ready in cases:
        assert len(list(ready.messages)) == sum(type(step).__name__ == "UserStep" for step in ready.case.steps)
        assert list(ready.slots) == list(ready.slots)


def _write_again(file: Any) -> None:
    found = read_file(file)
    assert found is not None
    again = FOLDER / "again.yml"
    again.write_text(dump(found.to_data()), "utf-8")
    read = read_file(again)
    if read is None or dump(read.to_data()) != dump(found.to_data()):
        raise AssertionError("it is not the same when it is written and read again")


TARGETS: Final = (
    Target(
        name="rasa-files",
        run=_load,
        allowed=(RasaFilesError,),
        corpus=lambda: [EVERYTHING, *samples.files("rasa_server", "e2e*.yml")],
        strategy=YAML,
        form="text",
        words=_WORDS,
        folder=FOLDER,
        seconds=0.5,
        seconds_per_mb=12.0,
        megabytes_per_mb=400.0,
        largest=1_200_000,
    ),
)
