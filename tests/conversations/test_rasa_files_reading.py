"""Rasa's test files are read unchanged, and every mistake in one is a line with its place."""

from __future__ import annotations

import datetime
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from agentassert.conversations.rasa_files.format import NOTHING, LegacyStep, RasaCase, RasaFile, UserStep
from agentassert.conversations.rasa_files.loading import load
from agentassert.conversations.rasa_files.reading import read_file
from agentassert.conversations.rasa_files.words import meaning
from agentassert.conversations.rasa_files.writing import dump

EVERYTHING = """
    fixtures:
      - premium: [{membership: premium}, {seats: 2}]
    metadata:
      - second_yes: {turn_idx: 2}
    stub_custom_actions:
      action_check:
        events: [{event: slot, name: ok, value: true}]
        responses: [{text: Done}]
    test_cases:
      - test_case: books a ferry
        fixtures: [premium]
        metadata: second_yes
        steps:
          - user: " yes "
            metadata: second_yes
            assertion_order_enabled: true
            assertions:
              - flow_started: book_ferry
              - slot_was_set: [{name: origin, value: Bergen}, {name: seats}]
          - bot: Done
          - utter: utter_done
          - slot_was_set: [origin, {seats: 2}]
          - slot_was_not_set: [cabin]
"""


@pytest.fixture
def file(tmp_path):
    def written(text, name="e2e.yml"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")
        return path

    return written


def problems(path):
    with pytest.raises(ValueError, match=path.name) as error:
        load([str(path)])
    return [line.partition(path.name)[2].lstrip(":") for line in str(error.value).splitlines()]


def test_everything_that_a_file_can_hold_is_read(file):
    read = read_file(file(EVERYTHING))
    assert read == RasaFile(
        fixtures={"premium": (("membership", "premium"), ("seats", 2))},
        metadata={"second_yes": {"turn_idx": 2}},
        stubs={"action_check": {"events": [{"event": "slot", "name": "ok", "value": True}], "responses": [{"text": "Done"}]}},
        cases=(
            RasaCase(
                name="books a ferry",
                fixtures=("premium",),
                metadata="second_yes",
                steps=(
                    UserStep(
                        text="yes",
                        metadata="second_yes",
                        ordered=True,
                        assertions=(
                            {"flow_started": "book_ferry"},
                            {"slot_was_set": [{"name": "origin", "value": "Bergen"}, {"name": "seats"}]},
                        ),
                    ),
                    LegacyStep(kind="bot", name="Done"),
                    LegacyStep(kind="utter", name="utter_done"),
                    LegacyStep(kind="slot_was_set", name="origin"),
                    LegacyStep(kind="slot_was_set", name="seats", value=2),
                    LegacyStep(kind="slot_was_not_set", name="cabin"),
                ),
            ),
        ),
    )


def test_a_step_knows_the_lines_of_its_assertions_and_of_their_slots(file):
    step = read_file(file(EVERYTHING)).cases[0].steps[0]
    assert [step.line_of(None), step.line_of(0), step.line_of(1), step.line_of(1, 1)] == [15, 19, 20, 20]


MOMENT = datetime.datetime(2026, 1, 3, 1, 0, 0, 500_000, datetime.timezone(datetime.timedelta(hours=2)))


@pytest.mark.parametrize(
    ("word", "value"),
    {
        "yes": "yes",
        "on": "on",
        "2026-11-30": datetime.date(2026, 11, 30),
        "1_000": 1000,
        "0b11": 3,
        "~": None,
        "2026-1-3 1:00:00.5 +2": MOMENT,
    }.items(),
)
def test_an_unquoted_word_means_what_it_means_to_rasa(file, word, value):
    path = file(f"test_cases: [{{test_case: a, steps: [{{slot_was_set: [{{x: {word}}}]}}]}}]")
    assert read_file(path).cases[0].steps[0].value == value


WORDS = st.from_regex(r"[-+]?[0-9_.:ebxo~TtZ -]{1,12}", fullmatch=True) | st.dates().map(str) | st.datetimes().map(str)


@given(WORDS)
def test_numbers_and_dates_are_those_of_rasas_yaml_library(word):
    """But for `.5e3`, which the core schema of YAML 1.2 takes for a number, and words that the library itself stumbles over."""
    library = YAML(typ="safe", pure=True)
    library.version = (1, 2)
    try:
        theirs = library.load(f"[{word}]")
    except Exception:
        return
    if len(theirs) != 1 or not isinstance(theirs[0], (int, float, datetime.date)) or word != word.strip():
        return
    ours = meaning(word)
    if type(ours) is type(theirs[0]):
        assert ours == theirs[0]
    else:
        assert isinstance(ours, str | float), (word, ours, theirs[0])


def test_variables_of_the_environment_are_put_in_unless_quoted(file, monkeypatch):
    monkeypatch.setenv("CITY", "Bergen: north")
    path = file(case('user: to ${CITY}\n  - bot: "${CITY}"'))
    first, second = read_file(path).cases[0].steps
    assert (first.text, second.name) == ("to Bergen: north", "${CITY}")


def test_a_variable_that_is_not_set_is_refused(file, monkeypatch):
    monkeypatch.delenv("CITY", raising=False)
    assert problems(file(case("user: to ${CITY}"))) == [
        "4:11: the environment variable 'CITY' is not set; put the text in quotes if it is meant as it stands"
    ]


def case(steps, more=""):
    return f"{more}test_cases:\n- test_case: a\n  steps:\n  - {steps}\n"


WRONG = {
    case(
        "metadata: m"
    ): "4:5: a step has one of 'user', 'bot', 'utter', 'slot_was_set', 'slot_was_not_set', but this one has none",
    case("{slot_was_set: [a], slot_was_not_set: [b]}"): (
        "4:5: a step has one of 'user', 'bot', 'utter', 'slot_was_set', 'slot_was_not_set', "
        "but this one has 'slot_was_set' and 'slot_was_not_set'"
    ),
    case("{bot: Hi, assertions: []}"): "4:15: 'assertions' belongs to a step with 'user', and this one has 'bot'",
    case("{bot: Hi, assertion_order_enabled: true}"): (
        "4:15: 'assertion_order_enabled' belongs to a step with 'user', and this one has 'bot'"
    ),
    case("{user: Hi, assertion_order_enabled: true}"): "4:16: 'assertion_order_enabled' needs 'assertions' beside it",
    case("{user: Hi, assertion_order_enabled: yes, assertions: []}"): (
        "4:41: assertion_order_enabled must be true or false, but is the text 'yes'"
    ),
    case("{user: 5}"): "4:12: 'user' must be a text, but is 5",
    case("{user: 2026-11-30}"): "4:12: 'user' must be a text, but is a date: put it in quotes",
    case("{user: Hi, asertions: []}"): "4:16: a step has no key 'asertions'; did you mean 'assertions'?",
    case("{user: Hi, assertions: {}}"): "4:28: assertions must be a list, but is a mapping",
    case(
        "{user: Hi, assertions: [{flow_strated: x}]}"
    ): "4:29: there is no assertion 'flow_strated'; did you mean 'flow_started'?",
    case("{user: Hi, metadata: m}", "metadata: [{n: {}}]\n"): (
        "5:1: there is no metadata 'm' in this file or a conftest.yml above it; known are 'n'"
    ),
    case("{slot_was_set: [{a: 1, b: 2}]}"): "4:21: slot_was_set[0] must be the name of a slot, or one name with its value",
    case("{slot_was_set: a}"): "4:20: slot_was_set must be a list of slots, but is the text 'a'",
    case("{user: Hi}", "fixture: []\n"): "1:1: the file has no key 'fixture'; did you mean 'fixtures'?",
    case("{user: Hi}", "fixtures: [{1st: []}]\n"): "1:13: the name '1st' in 'fixtures' must match [A-Za-z_]+[A-Za-z0-9_-]*",
    case("{user: Hi}", "fixtures: [{a: []}, {a: []}]\n"): "1:22: 'a' is there twice in 'fixtures' of this file",
    case("{user: Hi}", "fixtures: [{a: {b: 1}}]\n"): (
        "1:16: a must be a list of mappings, each from a slot to its value, but is a mapping"
    ),
    case("{user: Hi}", "fixtures: [{a: [{mocked_datetime: 2026-11-30}]}]\n"): (
        "1:35: 'mocked_datetime' must be a date or time in quotes, such as '2026-11-30T09:00:00+01:00', but is a date without quotes"
    ),
    case("{user: Hi}", "metadata: [{a-b: {}}]\n"): "1:13: the name 'a-b' in 'metadata' must match [A-Za-z_]+[A-Za-z0-9_]*",
    case("{user: Hi}", "metadata: [{a: {b-c: 1}}]\n"): "1:17: the metadata key 'b-c' must match [A-Za-z_]+[A-Za-z0-9_]*",
    case("{user: Hi}", "stub_custom_actions: {a: {event: []}}\n"): "1:27: a stub has no key 'event'; did you mean 'events'?",
    case(
        "{user: Hi}", "stub_custom_actions: {a: []}\n"
    ): "1:26: a must be a mapping with 'events' and 'responses', but is a list",
    case("{user: Hi}", "test_cases: []\n"): "2:1: the key 'test_cases' is there twice, first in line 1",
    case("{user: Hi}", "fixtures: {a: []}\n"): (
        "1:11: fixtures must be a list of mappings, each from a name to what it stands for, but is a mapping"
    ),
    case(
        "{user: Hi}", "fixtures: [a]\n"
    ): "1:12: fixtures[0] must be a mapping from a name to what it stands for, but is the text 'a'",
    case("{user: Hi}", "metadata: [{a: 1}]\n"): "1:16: a must be a mapping, but is 1",
    case("{user: Hi}", "stub_custom_actions: []\n"): (
        "1:22: stub_custom_actions must be a mapping from the name of an action to its stub, but is a list"
    ),
    case("{user: Hi}", "stub_custom_actions: {a: {events: {}}}\n"): "1:35: events must be a list of mappings, but is a mapping",
    case("user"): "4:5: steps[0] must be a mapping, but is the text 'user'",
    case("{bot: 2026-13-45}"): "4:11: 2026-13-45 reads as a date, and there is no such; put it in quotes if it is a text",
    "test_cases: [a]": "1:14: test_cases[0] must be a mapping with 'test_case' and 'steps', but is the text 'a'",
    "test_cases: {}": "1:13: test_cases must be a list, but is a mapping",
    "test_cases: [{steps: []}]": "1:14: 'test_case' is missing",
    "test_cases: [{test_case: a}]": "1:14: a test case needs a list 'steps', but it is empty",
    "test_cases: [{test_case: a, fixtures: x, steps: []}]": "1:39: fixtures must be a list of names, but is the text 'x'",
    "test_cases: [{test_case: a, fixtures: [x], steps: []}]": (
        "1:1: there is no fixture 'x' in this file or a conftest.yml above it"
    ),
    case("{user: Hi, assertions: [{flow_started: x}, {tool_executed: {tool_name: t, source: local}}]}"): (
        "4:48: 'tool_executed' is for the Mantle engine, and 'flow_started' in this file for the other: no model has both"
    ),
}


@pytest.mark.parametrize(("text", "said"), WRONG.items())
def test_a_mistake_is_a_line_with_its_place(file, text, said):
    assert problems(file(text)) == [said]


def test_what_is_no_assertion_hides_no_other_mistake(file):
    said = problems(
        file(case("{user: Hi, assertions: [x, {}, {flow_started: x}, {tool_executed: {tool_name: t, source: local}}]}"))
    )
    assert [line.split(":")[1] for line in said] == ["29", "32", "55"]


def test_all_mistakes_are_told_together(file):
    said = problems(file(case("{usr: Hi}\n  - {user: 1}\n  - {user: Hi, metadata: m}\n")))
    assert [line.split(":")[0] for line in said] == ["4", "4", "5"]


def test_a_conftest_is_read_as_strictly(file):
    path = file(case("{user: Hi}"))
    file("- a\n", "conftest.yml")
    with pytest.raises(ValueError, match=r"conftest\.yml:1:1: the file must be a mapping with 'fixtures' or .* but is a list"):
        load([str(path)])
    file("llm_judg: {}\n", "conftest.yml")
    with pytest.raises(ValueError, match=r"conftest\.yml:1:1: the file has no key 'llm_judg'; did you mean 'llm_judge'"):
        load([str(path)])


def test_a_file_that_cannot_be_read_is_said(tmp_path):
    with pytest.raises(ValueError, match=f"{tmp_path.name}:1:1: the file cannot be read: Is a directory"):
        read_file(tmp_path)


@pytest.mark.parametrize("now", ["2026-11-30", "2026-11-30 09:00:00", "2026-11-30T09:00:00", "2026-11-30T09:00:00+01:00"])
def test_the_mocked_time_may_have_every_form_that_rasa_takes(file, now):
    path = file(case("{user: Hi}", f"fixtures: [{{a: [{{mocked_datetime: '{now}'}}]}}]\n"))
    assert read_file(path).fixtures == {"a": (("mocked_datetime", now),)}


def test_a_clarification_list_with_a_list_in_it_is_refused(file):
    (said,) = problems(file(case("{user: Hi, assertions: [{pattern_clarification_contains: [[hotel booking]]}]}")))
    assert said.startswith("4:29: pattern_clarification_contains: ")


def test_an_empty_message_is_left_out_with_a_warning(file):
    path = file(case("{user: ' ', assertions: [{flow_started: x}]}\n  - {user: Hi, assertions: [{flow_started: x}]}"))
    (ready,) = load([str(path)])
    assert [step.text for step in ready.case.steps] == ["Hi"]
    assert [(one.line, one.words) for one in ready.remarks] == [
        (4, "the user's message is empty, so the step is left out, with all that it asserts")
    ]


@pytest.mark.parametrize("steps", ["{user: Hi}", "{user: Hi, assertions: []}"])
def test_a_case_that_asserts_nothing_is_doubtful(file, steps):
    (ready,) = load([str(file(case(steps)))])
    assert [one.words for one in ready.remarks] == ["the test case 'a' asserts nothing, so it passes whatever the assistant does"]


def test_a_date_as_the_value_of_a_slot_is_doubtful(file):
    (ready,) = load([str(file(case("{user: Hi, assertions: [{slot_was_not_set: [{name: x, value: 2026-11-30}]}]}")))])
    assert [one.words for one in ready.remarks] == [
        "slot_was_not_set: the value 2026-11-30 is a date, which equals no value of a tracker: put it in quotes"
    ]


TEXTS = st.text(min_size=1).map(str.strip).filter(bool) | st.sampled_from(
    ["yes", "1e3", "2026-11-30", "2026-13-45", "1_0", "${HOME}", "a: b", "# a"]
)
NAMES = st.from_regex(r"[a-z_]{1,8}", fullmatch=True)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.floats(allow_nan=False) | TEXTS | st.dates(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)
SLOTS = st.lists(st.fixed_dictionaries({"name": NAMES}, optional={"value": VALUES}), min_size=1, max_size=3)
ASSERTIONS = st.one_of(
    st.builds(lambda one: {"flow_started": one}, NAMES),
    st.builds(lambda one: {"slot_was_set": one}, SLOTS),
    st.builds(lambda one: {"bot_uttered": {"utter_name": one}}, TEXTS),
)
LEGACY = st.one_of(
    st.builds(LegacyStep, kind=st.sampled_from(["bot", "utter"]), name=TEXTS),
    st.builds(
        LegacyStep, kind=st.sampled_from(["slot_was_set", "slot_was_not_set"]), name=NAMES, value=st.just(NOTHING) | VALUES
    ),
)


@st.composite
def files(draw):
    fixtures = draw(st.dictionaries(NAMES, st.lists(st.tuples(NAMES, VALUES), max_size=3).map(tuple), max_size=2))
    metadata = draw(st.dictionaries(NAMES, st.dictionaries(NAMES, VALUES, max_size=2), max_size=2))
    user = st.builds(
        UserStep,
        text=TEXTS,
        metadata=st.sampled_from([None, *metadata]),
        assertions=st.none() | st.lists(ASSERTIONS, max_size=3).map(tuple),
    ).flatmap(
        lambda step: st.just(step) if step.assertions is None else st.sampled_from([None, True, False]).map(step_with(step))
    )
    cases = st.builds(
        RasaCase,
        name=TEXTS,
        fixtures=st.lists(st.sampled_from(list(fixtures)), max_size=2).map(tuple) if fixtures else st.just(()),
        metadata=st.sampled_from([None, *metadata]),
        steps=st.lists(user | LEGACY, max_size=4).map(tuple),
    )
    stubs = draw(st.dictionaries(NAMES, st.just({"events": [], "responses": [{"text": "Done"}]}), max_size=2))
    return RasaFile(fixtures=fixtures, metadata=metadata, stubs=stubs, cases=tuple(draw(st.lists(cases, max_size=3))))


def step_with(step):
    return lambda ordered: UserStep(text=step.text, metadata=step.metadata, assertions=step.assertions, ordered=ordered)


@pytest.mark.parametrize("text", ["2026-13-45", "2026-11-30", "1_0", "0b1", "yes", "${HOME}"])
def test_a_text_that_reads_as_something_else_is_written_in_quotes(file, text):
    made = RasaFile(cases=(RasaCase(name="a", steps=(UserStep(text=text, assertions=()),)),))
    assert read_file(file(dump(made.to_data()))) == made


@given(files())
def test_a_file_is_the_same_after_it_was_written_and_read_again(tmp_path_factory, made):
    path = tmp_path_factory.mktemp("rasa") / "e2e.yml"
    path.write_text(dump(made.to_data()), encoding="utf-8", newline="")
    assert read_file(path) == made
