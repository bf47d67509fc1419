"""What a snapshot file says, and what is refused in one."""

from __future__ import annotations

import math

import pytest

from agentassert.checks.paths import MISSING
from agentassert.jsonlike import snapshot
from agentassert.snapshots.placeholders import Slot, Text, found, literal, read, slots_in, volatile_in, written_out
from agentassert.snapshots.values import as_kept, compared, ignored_place
from agentassert.snapshots.writing import HEADER, written
from tests.snapshots.trajectories import IDS, alone, execution, invocation, trajectory

UUID = IDS[0]


def kinds(text):
    parts = found(text)
    return [slot.kind for slot in parts.slots] if isinstance(parts, Text) else []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"order {UUID}, again {UUID.upper()}", ["uuid", "uuid"]),
        ("2026-01-02T10:00:00Z", ["timestamp"]),
        ("from 2026-01-02 10:00:00.123456+02:00 on", ["timestamp"]),
        ("<Client object at 0x7f3a5c2d1e90>", ["address"]),
        ("/tmp/tmpab1_x9yz/report.pdf and file:///private/var/folders/ab/c_d/T/x", ["temp path", "temp path"]),
        ("/tmp/pytest-of-ann/pytest-12/popen-gw0/test_pays0/a.txt and /tmp/tmp.Ab12xYz", ["temp path", "temp path"]),
        (r"C:\Users\ann\AppData\Local\Temp\x1", ["temp path"]),
        ("4bf92f3577b34da6a3ce929d0e0e4736", ["hex"]),
        ("4BF92F3577B34DA6", ["hex"]),
        ("on 2026-01-02 at 10:00", []),
        ("2026-01-02T10:00", []),
        ("card 411111111111111", []),
        ("the light in 0xff8800, error 0x80070005", []),
        ("/tmp/report.pdf, /etc/tmp/tmpab1_x9yz, C:\\Templates\\x1 and /tmp/tmpworkspace", []),
    ],
)
def test_what_changes_from_run_to_run_is_told_from_what_people_write(text, expected):
    assert kinds(text) == expected


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("/tmp/tmpab1_x9yz/report.pdf", "/tmp/tmpab1_x9yz"),
        ("/tmp/pytest-of-ann/pytest-12/test_pays0/a2.txt", "/tmp/pytest-of-ann/pytest-12/test_pays0"),
        ("/tmp/pytest-of-ann/pytest-12/notes.txt", "/tmp/pytest-of-ann/pytest-12"),
        ("/var/folders/ab/c_d/T/report.pdf", "/var/folders/ab/c_d/T"),
    ],
)
def test_what_an_agent_names_in_a_temporary_folder_is_compared(text, value):
    assert found(text) == Text((Slot("temp path", value), text.removeprefix(value)))


def test_a_text_is_the_same_after_it_was_written_and_read():
    text = f"<uuid> <literal hex 2> {UUID} <uuid 1>\\<timestamp>"
    assert found(text).slots == (Slot("uuid", UUID),)
    assert read(found(text).written(lambda slot: 3)) == Text(
        ("<uuid> <literal hex 2> ", Slot("uuid", 3), " <uuid 1>\\<timestamp>")
    )
    assert read(literal("<uuid>")) == "<uuid>"


def test_what_is_written_out_in_a_file_is_kept():
    assert list(volatile_in({"at": ["2026-01-02T10:00:00Z", read("<uuid>")], "n": 3})) == ["2026-01-02T10:00:00Z"]
    assert found("2026-01-02T10:00:00Z", {"2026-01-02T10:00:00Z"}) == "2026-01-02T10:00:00Z"
    assert list(volatile_in(read("<temp path>/tmp/tmpab1_x9yz"))) == list(volatile_in(3)) == []


def test_a_new_file_has_what_people_make_up_as_it_is():
    chosen = [
        "2026-03-01T09:00:00",
        "2026-03-01 09:00:00.000Z",
        "4111111111111111",
        "deadbeefdeadbeef",
        UUID[:-17] + "0" + UUID[-16:],
    ]
    chosen.append("00000000-0000-0000-0000-000000000001")
    drawn = ["2026-03-01T09:00:07Z", "2026-03-01T09:00:00.25Z", "4bf92f3577b34da6", UUID, "/tmp/tmpab1_x9yz"]
    assert written_out(slots_in([found(text) for text in (*chosen, *drawn)])) == set(chosen)


def test_no_secret_and_no_value_gets_lost_in_a_name():
    assert as_kept({"sk-abcdefgh12": 1, "sk-abcdefgh13": 2, 3: "a", "3": "b"}) == {
        "sk-***": 1,
        "sk-*** (another)": 2,
        "3": "a",
        "3 (another)": "b",
    }


def test_values_are_kept_as_json_without_secrets():
    class Client:
        pass

    given = {
        "api_key": "k1",
        "token": None,
        "header": "Authorization: Bearer abcdefgh",
        "client": Client(),
        3: [True],
        "n": 1 << 20_000,
    }
    kept = as_kept(given)
    assert {**kept, "client": "", "n": ""} == {
        "api_key": "***",
        "token": None,
        "header": "Authorization: Bearer ***",
        "client": "",
        "3": [True],
        "n": "",
    }
    assert kept["client"].endswith("Client>")
    assert kept["n"].startswith("0x1000")


def test_places_are_ignored_for_all_tools_or_for_one():
    given = {"id": 1, "order": {"id": 2, "to": "Oslo"}}
    assert compared("pay", given, [ignored_place("$.id"), ignored_place("look:$.order")]) == {"order": {"id": 2, "to": "Oslo"}}
    assert compared("pay", given, [ignored_place("$..id")]) == {"order": {"to": "Oslo"}}
    assert compared("pay", given, [ignored_place("pay:$")]) is MISSING
    assert compared("look", given, [ignored_place("pay:$")]) == given


@pytest.mark.parametrize(
    ("place", "kind", "message"),
    [
        (3, TypeError, "ignoring: each place must be a string such as '$.id', but was 3"),
        (
            "request_id",
            ValueError,
            "a JSONPath begins with $, but was 'request_id': write '$.request_id' for a field of the top level",
        ),
        *(
            (text, ValueError, f"ignoring: {text!r} stands for all arguments of every tool: name the tool, as in 'pay:$'")
            for text in ("$", "$.*", "$..*", "$[*]")
        ),
        (":$.id", ValueError, "ignoring: ':$.id' names no tool before the colon: write '$.id' for every tool"),
    ],
)
def test_a_place_that_says_nothing_is_refused(place, kind, message):
    with pytest.raises(kind) as caught:
        ignored_place(place)
    assert str(caught.value) == message


def test_arguments_may_be_as_deep_as_they_are_recorded():
    deep = []
    for _ in range(200):
        deep = [deep]
    kept = as_kept(snapshot({"tree": deep}))
    text = written(((invocation("shop", (execution("pay", kept),)),),))
    assert trajectory(text.partition("\n")[2])[0][0].groups[0][0].arguments == kept


def test_a_name_is_what_it_says():
    text = written(((invocation("<uuid>", (execution("2 <literal hex>"),)),),))
    assert text.endswith('\n"<uuid>": completed\n  "2 <literal hex>" {}\n')
    assert written(trajectory(text.partition("\n")[2])) == text


def test_a_file_is_short_and_has_one_execution_a_line():
    nested = invocation("reader", *alone(execution("search", {"q": "x"})), ending="failed KeyError")
    shop = invocation(
        "Shop agent",
        *alone(execution("look up", {"id": found(UUID)}), execution("pay", {"id": found(UUID), "n": 1.5})),
        (execution("a"), execution("b", {}, "failed TimeoutError")),
        *alone(
            execution("ask", {"q": "x"}, "succeeded", (nested,), result=None),
            execution("raw", '{"a":'),
            execution("ping", MISSING),
        ),
        *alone(execution("mail", {"text": "word " * 30, "to": "ann"}, "unknown", result={"id": "<uuid>"})),
    )
    text = written(((shop,),))
    assert text == (
        """# agentassert trajectory 1

"Shop agent": completed
  "look up" {"id": "<uuid 1>"}
  pay {"id": "<uuid 1>", "n": 1.5}
  in any order:
    a {}
    b {} -> failed TimeoutError
  ask {"q": "x"} -> null
    reader: failed KeyError
      search {"q": "x"}
  raw "{\\"a\\":"
  ping
  mail {
    "text": "MANY",
    "to": "ann"
  } -> unknown -> {"id": "<literal uuid>"}
""".replace("MANY", "word " * 30)
    )
    assert written(trajectory(text.partition("\n")[2])) == text


def test_a_file_may_be_edited_by_hand():
    edited = trajectory(
        """
# who pays
shop: completed

  pay   { "n" :
    1, "id": "<uuid>" }   ->   failed   TimeoutError
  # the end
""".replace("\n", "\r\n")
    )
    assert edited == ((invocation("shop", (execution("pay", {"n": 1, "id": read("<uuid>")}, "failed TimeoutError"),)),),)


def test_numbers_that_json_does_not_know_stay_what_they_are():
    kept = trajectory(written(((invocation("shop", (execution("pay", {"n": math.nan, "m": math.inf}),)),),)).partition("\n")[2])
    assert math.isnan(kept[0][0].groups[0][0].arguments["n"])
    assert kept[0][0].groups[0][0].arguments["m"] == math.inf


def test_what_no_editor_shows_is_spelt_out():
    text = written(((invocation("shop\u202e", (execution("pay", {"t": "a\x1b[31m\u2028\ud800b"}),)),),))
    assert text.isascii()
    assert trajectory(text.partition("\n")[2])[0][0].groups[0][0].arguments == {"t": "a\x1b[31m\u2028\ud800b"}


def test_another_file_is_no_snapshot():
    from agentassert.snapshots.reading import read as read_file

    for text in ("", "shop: completed\n", "# agentassert trajectory 2\nshop: completed\n"):
        with pytest.raises(ValueError, match=rf"^a.trajectory:1: a snapshot begins with the line '{HEADER}'$"):
            read_file(text, "a.trajectory")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\n", "3: holds nothing: an invocation stands at the top, as in `agent: completed`"),
        ("pay {}\n", "2: at the top stand only invocations, as in `agent: completed`"),
        ("shop: completd\n", "2: expected a status, but found 'completd'; did you mean 'completed'?"),
        ("shop:\n", "2: expected a status, but found ''; known are"),
        ("shop: completed\n\tpay {}\n", "3: each level is indented by 2 spaces, and not by tabs"),
        ("shop: completed\n   pay {}\n", "3: each level is indented by 2 spaces, and not by tabs"),
        ("shop: completed\n    pay {}\n", "3: is indented too far: each level has 2 spaces"),
        ("shop: completed\n  pay {}\n    look {}\n", "4: below a tool execution stand only invocations it started"),
        ('shop: completed\n  pay {"n": 1,\n    "m": }\n', "4: is no JSON: Expecting value"),
        ('shop: completed\n  pay {"n": 1, "n": 2}\n', "3: 'n' stands twice in an object"),
        (f"shop: completed\n  pay {'[' * 100_000}\n", "3: is nested deeper than 100 levels"),
        (f"shop: completed\n  pay {'[' * 101}{']' * 101}\n", "3: is nested deeper than 100 levels"),
        (f"shop: completed\n  pay {'9' * 5_000}\n", "3: Exceeds the limit"),
        ("shop: completed\n  pay {} extra\n", "3: nothing was expected to follow, but 'extra' does"),
        ("shop: completed\n  pay {} -> faild\n", "3: expected an outcome, but found 'faild'; did you mean 'failed'?"),
        ("shop: completed\n  pay {} ->\n", "3: is no JSON: Expecting value"),
        ('shop: completed\n  "" {}\n', "3: a name is a text that is not empty"),
        ("shop: completed\n  ? {}\n", "3: begins with no name: '? {}' (unusual names stand in quotation marks)"),
        ("shop: completed\n  in any order:\n    pay {}\n", "3: a group has two members or more, indented below it"),
        ("shop: completed\n  in any order:\n    in any order:\n", "4: a group cannot be part of another one"),
        ("shop: completed\n<<<<<<< ours\n", "3: is of a merge conflict that was not settled"),
    ],
)
def test_what_is_wrong_in_a_file_is_told_with_its_line(text, message):
    with pytest.raises(ValueError, match=r"^a\.trajectory:") as caught:
        trajectory(text)
    assert str(caught.value).startswith(f"a.trajectory:{message}")
