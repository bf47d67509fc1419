"""`matches_snapshot` on a chain."""

from __future__ import annotations

import uuid
from contextlib import ExitStack

import pytest

from agentassert import AgentAssertionError, NotRecordedError, assert_that, capture, record, soft_assertions
from agentassert.snapshots import matching
from agentassert.snapshots.writing import HEADER
from tests.factories import UNKNOWN, captured, chat, execution, failed, invocation, message

PAID = f'{HEADER}\n\nshop: completed\n  look {{"id": 1}}\n  pay {{"n": 2}}\n'


def shop(*executions, **fields):
    return captured(invocation("shop", *(executions or (execution("look", {"id": 1}), execution("pay", {"n": 2}))), **fields))


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "kept"


@pytest.fixture
def paid(folder):
    folder.mkdir()
    (folder / "paid.trajectory").write_text(PAID, encoding="utf-8")
    return folder


def matches(cap, folder, **options):
    return assert_that(cap).matches_snapshot("paid", directory=folder, **options)


def unchecked(cap):
    return [one.name for one in cap.invocation.tool_executions if one.id not in cap.books.marks]


def test_it_passes_and_marks_what_ran(paid):
    cap = shop()
    assert "passed: matches_snapshot('paid')" in repr(matches(cap, paid).has_no_more_tool_executions())


def test_a_superset_leaves_unmarked_what_the_snapshot_does_not_have(paid):
    cap = shop(execution("pay", {"n": 2}), execution("mail"), execution("look", {"id": 1}))
    matches(cap, paid, mode="superset")
    assert unchecked(cap) == ["mail"]


def test_a_subset_marks_all_that_ran(paid):
    cap = shop(execution("pay", {"n": 2}))
    matches(cap, paid, mode="subset")
    assert unchecked(cap) == []


def test_a_mismatch_shows_the_difference_and_marks_nothing(paid):
    cap = shop(execution("look", {"id": 1}), execution("pay", {"n": 3}), execution("mail"))
    with pytest.raises(AgentAssertionError) as caught:
        matches(cap, paid)
    file = (paid / "paid.trajectory").as_posix()
    assert str(caught.value) == (
        f"""Expected invocation 'shop' to match the snapshot 'paid' (strict),
but it differs (- snapshot, + what ran):
    shop: completed
      look {{"id": 1}}
  -   pay {{"n": 2}}
  +   pay {{"n": 3}}
        $.n: expected 2, was 3
  +   mail {{}}
If what ran is right, write {file} anew: set AGENTASSERT_UPDATE=1 in the environment, and run it again
Tool executions:
  [1] look(id=1) -> 'ok'
  [2] pay(n=3) -> 'ok'
  [3] mail() -> 'ok'"""
    )
    assert caught.value.differences == ("$.n: expected 2, was 3",)
    assert caught.value.expected == PAID
    assert unchecked(cap) == ["look", "pay", "mail"]


def test_a_missing_snapshot_fails_and_is_not_written(folder):
    text = message(matches, shop(), folder)
    assert text.startswith(
        f"Expected invocation 'shop' to match the snapshot 'paid' (strict),\n"
        f"but there is no file {(folder / 'paid.trajectory').as_posix()}.\n"
        "To create it, for review: set AGENTASSERT_UPDATE=1 in the environment, and run it again\n"
    )
    assert not folder.exists()


def test_a_mistyped_name_is_told(paid):
    text = message(lambda: assert_that(shop()).matches_snapshot("payd", directory=paid))
    assert "payd.trajectory; did you mean 'paid'?." in text


def test_an_update_creates_it_and_leaves_one_that_holds_alone(folder, updating, capsys):
    updating()
    matches(shop(), folder)
    file = folder / "paid.trajectory"
    assert file.read_text("utf-8") == PAID
    assert capsys.readouterr().err == f"agentassert: created {file.as_posix()}\n"
    edited = PAID.replace("\n\n", "\n# reviewed\n\n").replace('  pay {"n": 2}\n', "")
    file.write_text(edited, encoding="utf-8")
    matches(shop(), folder, mode="superset")
    assert file.read_text("utf-8") == edited
    assert capsys.readouterr().err == ""
    assert [one.name for one in folder.iterdir()] == ["paid.trajectory"]


def test_an_update_writes_what_differs_once(paid, updating, capsys):
    updating()
    matches(shop(execution("pay", {"n": 3})), paid)
    assert "updated" in capsys.readouterr().err
    assert 'pay {"n": 3}' in (paid / "paid.trajectory").read_text("utf-8")
    matches(shop(execution("pay", {"n": 3})), paid)
    text = message(matches, shop(execution("pay", {"n": 4})), paid)
    assert "paid.trajectory was written in this run, by " in text
    assert "test_matches_snapshot.py: give each use that differs its own name." in text


def test_an_update_writes_nothing_about_a_run_that_a_gate_stops(folder, updating):
    updating()
    cap = captured(failed("shop", execution("pay", {"n": 2})))
    assert "but it failed with TimeoutError" in message(matches, cap, folder)
    assert not folder.exists()
    assert_that(cap).has_failed_with(TimeoutError).matches_snapshot("paid", directory=folder)
    assert "shop: failed TimeoutError\n" in (folder / "paid.trajectory").read_text("utf-8")


def test_the_switch_is_0_or_1(folder, updating):
    updating("yes")
    with pytest.raises(ValueError, match="AGENTASSERT_UPDATE is 1 to write snapshots and 0 to compare with them, but was 'yes'"):
        matches(shop(), folder)
    updating("0")
    assert "but there is no file" in message(matches, shop(), folder)


def test_a_corrupt_file_is_an_error_until_it_is_written_anew(paid, updating):
    file = paid / "paid.trajectory"
    file.write_text(PAID.replace("}", "", 1), encoding="utf-8")
    with pytest.raises(ValueError, match=r"paid.trajectory:5: is no JSON"):
        matches(shop(), paid)
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(ValueError, match=r"paid.trajectory: is no text in UTF-8"):
        matches(shop(), paid)
    updating()
    matches(shop(), paid)
    assert file.read_text("utf-8") == PAID


def test_ids_of_another_run_match_and_stay_the_same_within_one(folder, updating):
    def ran(one, other):
        return shop(execution("look", {"id": str(one)}), execution("pay", {"id": str(other), "on": "2026-01-02T10:00:07Z"}))

    updating()
    same = uuid.uuid4()
    matches(ran(same, same), folder)
    assert '  pay {"id": "<uuid 1>", "on": "<timestamp>"}\n' in (folder / "paid.trajectory").read_text("utf-8")
    updating("0")
    same = uuid.uuid4()
    matches(ran(same, same), folder)
    assert "$.id: expected '<uuid 1>', was '<uuid 2>'" in message(matches, ran(uuid.uuid4(), uuid.uuid4()), folder)


def test_ids_in_lists_are_told_apart_too(folder, updating):
    def ran(first, second, paid):
        return shop(execution("look", {"ids": [str(first), str(second)]}), execution("pay", {"ids": [str(paid)]}))

    one, other = uuid.uuid4(), uuid.uuid4()
    updating()
    matches(ran(one, other, one), folder)
    assert '  look {"ids": ["<uuid 1>", "<uuid 2>"]}\n' in (folder / "paid.trajectory").read_text("utf-8")
    updating("0")
    matches(ran(other, one, other), folder)
    assert "$.ids[0]: expected '<uuid 1>', was '<uuid 2>'" in message(matches, ran(one, other, other), folder)


def test_a_value_that_somebody_wrote_into_the_file_is_compared(paid):
    (paid / "paid.trajectory").write_text(PAID.replace('{"n": 2}', '{"on": "2026-01-02T10:00:00Z"}'), encoding="utf-8")
    matches(shop(execution("look", {"id": 1}), execution("pay", {"on": "2026-01-02T10:00:00Z"})), paid)
    text = message(matches, shop(execution("look", {"id": 1}), execution("pay", {"on": "2026-01-03T10:00:00Z"})), paid)
    assert "$.on: expected '2026-01-02T10:00:00Z', was '2026-01-03T10:00:00Z'" in text


def test_a_date_that_somebody_chose_is_compared_from_the_first_file_on(folder, updating):
    def ran(day, at):
        return shop(
            execution("book", {"from": f"2026-03-{day}T09:00:00", "at": f"2026-03-01T10:11:{at}.5Z, 2026-03-01T10:11:07Z"})
        )

    updating()
    matches(ran("01", "07"), folder)
    assert 'book {"from": "2026-03-01T09:00:00", "at": "<timestamp>, <timestamp>"}' in (folder / "paid.trajectory").read_text(
        "utf-8"
    )
    updating("0")
    matches(ran("01", "08"), folder)
    text = message(matches, ran("02", "08"), folder)
    assert "$.from: expected '2026-03-01T09:00:00', was '2026-03-02T09:00:00'" in text
    assert "$.at" not in text


def test_an_id_that_is_not_the_same_as_another_one_stays_another(folder, updating):
    def ran(one, other):
        return shop(execution("transfer", {"from": str(one), "to": str(other)}))

    updating()
    matches(ran(uuid.uuid4(), uuid.uuid4()), folder)
    updating("0")
    matches(ran(uuid.uuid4(), uuid.uuid4()), folder)
    same = uuid.uuid4()
    assert "$.to: expected '<uuid 2>', was '<uuid 1>'" in message(matches, ran(same, same), folder)


def test_whether_two_times_or_addresses_are_the_same_is_chance(folder, updating):
    def ran(first, second):
        return shop(
            execution("log", {"at": [f"2026-01-02T10:00:{at}Z" for at in (first, second)], "by": f"<A at 0x7f{first}aabbcc>"})
        )

    updating()
    matches(ran("07", "07"), folder)
    updating("0")
    matches(ran("07", "08"), folder)


def test_a_file_may_say_that_two_times_are_the_same(paid):
    file = paid / "paid.trajectory"
    file.write_text(f'{HEADER}\n\nshop: completed\n  log {{"at": ["<timestamp 1>", "<timestamp 1>"]}}\n', encoding="utf-8")
    at = "2026-01-02T10:00:{}Z".format
    matches(shop(execution("log", {"at": [at("07"), at("07")]})), paid)
    assert '-   log {"at": ["<timestamp 1>", "<timestamp 1>"]}' in message(
        matches, shop(execution("log", {"at": [at("07"), at("08")]})), paid
    )


def test_the_value_is_shown_where_the_snapshot_has_another_text(paid):
    ids = [str(uuid.uuid4()) for _ in range(2)]
    cap = shop(execution("look", {"id": ids[0], "more": [ids[1]]}), execution("pay", {"n": ids[0]}))
    (paid / "paid.trajectory").write_text(
        f'{HEADER}\n\nshop: completed\n  look {{"id": "A-1", "more": ["no <uuid>"]}}\n  pay {{"n": "<uuid>"}}\n', encoding="utf-8"
    )
    text = message(matches, cap, paid)
    assert f"$.id: expected 'A-1', was '{ids[0]}'" in text
    assert f"$.more[0]: expected 'no <uuid>', was '{ids[1]}'" in text


def test_the_same_in_another_order_is_told(paid):
    text = message(matches, shop(execution("pay", {"n": 2}), execution("look", {"id": 1})), paid)
    assert 'The same ran in another order, which mode="unordered" does not compare.\nIf what ran is right' in text
    assert "another order" not in message(matches, shop(execution("pay", {"n": 3}), execution("look", {"id": 1})), paid)


def test_an_ignored_place_that_is_nowhere_is_told_where_it_may_be_missed(paid):
    differs = shop(execution("look", {"id": 1}), execution("pay", {"n": 3}))
    places = ["$.request_id", "pai:$", "pay:$.id", "$..id", "look:$", "mail:$.to"]
    text = message(matches, differs, paid, ignoring=places)
    assert [line for line in text.splitlines() if line.startswith("ignoring")] == [
        f"ignoring {place!r} led to nothing, in the snapshot as in what ran."
        for place in ("$.request_id", "pai:$", "pay:$.id", "mail:$.to")
    ]
    matches(shop(), paid, ignoring=places)


def test_agents_may_start_each_other_a_thousand_deep(folder, updating):
    with capture() as cap, ExitStack() as agents:
        for _ in range(1_000):
            agents.enter_context(record.invocation("agent"))
        record.tool_execution("pay", {"id": 1}, result="ok")

    def matches_deep(**options):
        return assert_that(cap).including_nested().matches_snapshot("deep", directory=folder, **options)

    updating()
    matches_deep()
    updating("0")
    matches_deep(ignoring=["$.id"])
    file = folder / "deep.trajectory"
    file.write_text(file.read_text("utf-8").replace('"id": 1', '"id": 2'), encoding="utf-8")
    assert "$.id: expected 2, was 1" in message(matches_deep)


def test_a_file_that_cannot_be_written_is_an_error_and_leaves_nothing_behind(folder, updating):
    (folder / "paid.trajectory").mkdir(parents=True)
    updating()
    with pytest.raises(OSError, match=r"paid\.trajectory"):
        matches(shop(), folder)
    assert [one.name for one in folder.iterdir()] == ["paid.trajectory"]


def test_two_ways_to_name_a_folder_are_one_file(folder, updating):
    updating()
    matches(shop(execution("pay", {"n": 3})), folder)
    text = message(matches, shop(execution("pay", {"n": 4})), folder / ".." / folder.name)
    assert "was written in this run" in text


def test_ignored_places_are_in_no_file_and_are_not_compared(folder, updating):
    updating()
    matches(shop(execution("pay", {"n": 2, "request": 7})), folder, ignoring=["$.request"])
    assert '  pay {"n": 2}\n' in (folder / "paid.trajectory").read_text("utf-8")
    updating("0")
    matches(shop(execution("pay", {"n": 2, "request": 8})), folder, ignoring=["pay:$.request"])
    assert "$.request: not expected, was 8" in message(matches, shop(execution("pay", {"n": 2, "request": 8})), folder)
    matches(shop(execution("pay", {"n": 3})), folder, ignoring=["pay:$"])


def test_results_are_compared_when_asked_for(folder, updating):
    updating()
    matches(shop(execution("pay", {}, {"id": 1})), folder, results=True)
    assert '  pay {} -> {"id": 1}\n' in (folder / "paid.trajectory").read_text("utf-8")
    updating("0")
    assert "result.id: expected 1, was 2" in message(matches, shop(execution("pay", {}, {"id": 2})), folder, results=True)
    assert "the result stands only in the snapshot" in message(matches, shop(execution("pay", {}, {"id": 1})), folder)


def test_secrets_are_in_no_file(folder, updating):
    updating()
    matches(shop(execution("pay", {"api_key": "sk-123456789", "text": "Bearer abcdefghijklmnop"})), folder)
    assert '  pay {"api_key": "***", "text": "Bearer ***"}\n' in (folder / "paid.trajectory").read_text("utf-8")


def test_an_outcome_that_was_not_reported_is_no_success(paid, updating):
    unknown = shop(execution("look", {"id": 1}), execution("pay", {"n": 2}, outcome=UNKNOWN))
    with pytest.raises(NotRecordedError, match="1 execution of 'pay' whose outcome was not reported"):
        matches(unknown, paid)
    differs = shop(execution("look", {"id": 1}), execution("pay", {"n": 3}, outcome=UNKNOWN))
    assert "$.n: expected 2, was 3" in message(matches, differs, paid)
    (paid / "paid.trajectory").write_text(PAID[:-1] + " -> unknown\n", encoding="utf-8")
    matches(unknown, paid).has_no_more_tool_executions()


def test_nothing_else_ran_is_not_claimed_where_nobody_saw_the_answer(paid):
    stopped = chat(None, completed=False, duration=1.0)
    cap = shop(calls=[stopped], implicit=True)
    with pytest.raises(NotRecordedError, match="tools that it asked for may have run"):
        matches(cap, paid)
    matches(cap, paid, mode="superset")


def test_nothing_is_written_where_nobody_saw_the_answer(folder, updating):
    updating()
    with pytest.raises(NotRecordedError):
        matches(shop(calls=[chat(None, completed=False, duration=1.0)], implicit=True), folder)
    assert not folder.exists()


def test_executions_that_nothing_tells_apart_are_said(paid, monkeypatch):
    monkeypatch.setattr(matching, "_ATTEMPTS", 1_000)
    link = '  link {{"a": "<uuid {}>", "b": "<uuid {}>"}}\n'
    rings = [[(first + step, first + (step + 1) % 7) for step in range(7)] for first in range(1, 64, 7)]
    last = [(64 + step, 64 + (step + 1) % 6) for step in range(6)]
    text = "".join(link.format(*pair) for ring in [*rings, last] for pair in ring)
    (paid / "paid.trajectory").write_text(f"{HEADER}\n\nshop: completed\n{text}", encoding="utf-8")
    ids = [str(uuid.uuid4()) for _ in range(71)]
    pairs = [(ids[first + step], ids[first + (step + 1) % 7]) for first in range(0, 70, 7) for step in range(7)]
    cap = shop(*(execution("link", {"a": one, "b": other}) for one, other in pairs))
    text = message(matches, cap, paid, mode="superset")
    assert "but too many of its executions are alike to find out which of them belong together.\n" in text


def test_the_scope_is_chosen_as_for_other_assertions(folder, updating):
    nested = invocation("reader", execution("search"))
    cap = captured(invocation("shop", execution("ask"), nested=[nested]))
    assert "including_nested() or top_level_only()" in message(matches, cap, folder)
    updating()
    assert_that(cap).including_nested().matches_snapshot("all", directory=folder)
    assert_that(cap).top_level_only().matches_snapshot("own", directory=folder)
    assert_that(cap).nested_invocation("reader").matches_snapshot("reader", directory=folder)
    two = captured(invocation("one", execution("a")), invocation("two", execution("b")))
    assert_that(two).whole_capture().matches_snapshot("turns", directory=folder)
    texts = {file.stem: file.read_text("utf-8").removeprefix(f"{HEADER}\n\n") for file in folder.iterdir()}
    assert texts == {
        "all": "shop: completed\n  ask {}\n  reader: completed\n    search {}\n",
        "own": "shop: completed\n  ask {}\n",
        "reader": "reader: completed\n  search {}\n",
        "turns": "one: completed\n  a {}\ntwo: completed\n  b {}\n",
    }


def test_soft_blocks_collect_its_failures(paid):
    with pytest.raises(AgentAssertionError, match="2 soft assertions failed"), soft_assertions():
        matches(shop(execution("pay", {"n": 3})), paid)
        matches(shop(), paid)
        matches(shop(execution("look")), paid)


def test_no_candidate_of_a_callback_has_a_snapshot(folder):
    cap = captured(invocation("shop", nested=[invocation("reader")]))
    with pytest.raises(ValueError, match=r"use nested_invocation\(name\).matches_snapshot\(...\)"):
        assert_that(cap).has_nested_invocation_satisfying("reader", lambda nested: nested.matches_snapshot("x", directory=folder))


@pytest.mark.parametrize(
    "name", ["", "a/b", "..", ".hidden", "a\\b", "a:b", "x" * 101, "ж" * 101, "\U0001d4b3" * 60, "trailing. ", "con", "LPT1.x"]
)
def test_a_name_that_no_file_can_have_is_refused(name):
    with pytest.raises(ValueError, match="name becomes the name of a file"):
        assert_that(shop()).matches_snapshot(name)


def test_a_name_is_one_however_it_is_spelt(folder, updating):
    updating()
    for name in ("caf\u00e9", "cafe\u0301"):
        assert_that(shop()).matches_snapshot(name, directory=folder)
    assert [one.name for one in folder.iterdir()] == ["caf\u00e9.trajectory"]


def test_other_misuse_is_refused(folder):
    with pytest.raises(TypeError, match="name must be a string, but was 3"):
        assert_that(shop()).matches_snapshot(3)
    with pytest.raises(ValueError, match=r"mode is one of 'strict', .*; did you mean 'unordered'"):
        matches(shop(), folder, mode="unorderd")
    with pytest.raises(TypeError, match=r"ignoring is a list of places, such as \['\$.id'\]"):
        matches(shop(), folder, ignoring="$.id")
