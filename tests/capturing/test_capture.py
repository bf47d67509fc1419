"""The capture handle: what it gives, and how it asks when two readings are plausible."""

from __future__ import annotations

import pytest

from agentassert import AmbiguousError, Capture, capture, record, recorder


def run(*names):
    for name in names:
        with record.invocation(name) as invocation:
            invocation.output = f"by {name}"


def test_the_only_invocation_gives_its_output_to_the_capture():
    with capture("nightly") as cap:
        run("support")

    assert cap.invocation is cap.invocation_named("support") is cap.invocations[0]
    assert (cap.name, cap.output, cap.output_text, cap.error) == ("nightly", "by support", "by support", None)
    assert repr(cap) == "<Capture 'nightly': 'support'>"


def test_several_invocations_are_named_and_none_is_guessed():
    with capture() as cap:
        run("triage", "support", "support")

    assert cap.invocation_named("triage").output == "by triage"
    for ask, words in (
        (lambda: cap.invocation, "one top-level invocation in the capture, but there are 3"),
        (lambda: cap.output, "there are 3"),
        (lambda: cap.invocation_named("support"), "named 'support' in the capture, but there are 2"),
        (lambda: cap.invocation_named("nobody"), "named 'nobody' in the capture, but there is none"),
    ):
        with pytest.raises(AmbiguousError, match=words) as raised:
            ask()
        assert "Recorded: 'triage' (completed), 'support' (completed), 'support' (completed)." in str(raised.value)
        assert "`cap.invocations" in str(raised.value)
    assert cap.error is None


def test_a_capture_of_nothing_says_what_to_look_at():
    with capture() as cap:
        pass

    with pytest.raises(AmbiguousError, match="Was the agent run inside the block"):
        _ = cap.invocation
    assert repr(cap) == "<Capture: no invocation>"


def test_every_doubt_is_told_once_and_in_words():
    with pytest.warns(match="version 9 is untested"), capture() as cap:
        run("support")
        recorder.note("version 9 is untested")
        recorder.note("version 9 is untested")
    cap.doubt("nobody offered that tool")
    cap.doubt("nobody offered that tool")

    assert cap.health.notes == cap.health.doubts == ("version 9 is untested", "nobody offered that tool")


def test_a_healthy_capture_has_no_doubts():
    with capture() as cap:
        run("support")

    assert cap.health.doubts == ()


def test_what_was_computed_from_the_records_is_computed_anew_when_they_changed():
    with capture() as cap:
        run("one")
        counts = [cap.memo("count", lambda: len(cap.invocations)), cap.memo("count", lambda: "not computed again")]
        run("two")
        counts.append(cap.memo("count", lambda: len(cap.invocations)))

    assert counts == [1, 1, 2]


def test_forgetting_the_checks_empties_the_books_of_this_capture_alone():
    with capture() as outer, capture() as inner:
        run("support")
    for cap in (outer, inner):
        cap.books.unlock("1")
    inner.forget_checks()

    assert (inner.books.unlocked, outer.books.unlocked) == (set(), {"1"})


def test_a_hand_written_agent_can_record_everything():
    with capture() as cap:
        run("support")

    assert {"chat", "embedding", "scoring", "moderation", "sources"} <= cap.visibility["record"]


def test_what_runs_is_known_to_the_adapters_that_ask():
    with capture() as cap:
        nowhere = recorder.current_scope()
        with record.invocation("support"):
            inside = recorder.current_scope()
    after = recorder.current_scope()

    assert (nowhere.event, inside.event.name, after) == (None, "support", None)
    assert inside.captures == (cap._source.state,)


def test_an_adapter_may_know_more_precisely_what_the_running_code_is_part_of(monkeypatch):
    with capture() as cap:
        graph = recorder.start_invocation("graph", adapter="fake")
        monkeypatch.setattr(recorder, "resolvers", [lambda: graph])
        scope = recorder.current_scope()
        record.tool_execution("get")
        with record.invocation("inner"):
            record.tool_execution("look")
        monkeypatch.undo()
        graph.complete()

    assert scope.event is graph
    assert [one.name for one in cap.invocation.tool_executions] == ["get"]
    assert [one.name for one in cap.invocation.nested_invocations[0].tool_executions] == ["look"]


def test_what_an_adapter_knows_is_enough_in_a_thread_that_nothing_was_carried_into(monkeypatch):
    with capture():
        graph = recorder.start_invocation("graph", adapter="fake")
        monkeypatch.setattr(recorder, "resolvers", [lambda: graph])
        token = recorder.set_scope(None)
        scope = recorder.current_scope()
        recorder.restore(token)
        monkeypatch.undo()
        graph.complete()

    assert scope.event is graph
    assert scope.captures == graph.captures


def test_a_retriever_that_fails_was_seen_and_found_nothing():
    with capture() as cap, record.invocation("support"):
        retrieval = recorder.start_retrieval(adapter="fake")
        retrieval.fail()
        retrieval.fail()
        retrieval.retrieve(["too late"])

    assert cap.invocation.sources == ()


def test_a_result_of_which_nobody_says_what_it_means_is_unknown():
    with capture() as cap, record.invocation("support"):
        recorder.start_tool("get", {}, adapter="fake", inferred=True).end_unknown("sent back")

    (execution,) = cap.invocation.tool_executions
    assert (execution.outcome, execution.failed, execution.result, execution.inferred) == ("unknown", None, "sent back", True)


def test_a_stored_capture_whose_ids_are_not_unique_is_refused():
    with capture() as cap:
        run("triage", "support")
    first, second = (one.id for one in cap.invocations)

    with pytest.raises(ValueError, match="stands for several invocations"):
        Capture.from_json(cap.to_json().replace(f'"id":"{second}"', f'"id":"{first}"'))
