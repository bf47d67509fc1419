"""What of a recording becomes a line."""

from __future__ import annotations

import threading

import attrs
import pytest

from agentassert import AmbiguousError, ChatModelCall, NotRecordedError, ToolExecutionRequest, assert_that, capture, record
from agentassert.checks.view import View
from agentassert.snapshots.building import Wanted, built, not_comparable
from agentassert.snapshots.writing import HEADER, written
from tests.factories import CANCELLED, UNFINISHED, UNKNOWN, captured, execution, failed, invocation, message, strays, unanswered


def lines(cap, *, nested=True, results=False):
    invocations = cap.invocation.with_nested() if nested else (cap.invocation,)
    return written(built(invocations, Wanted(results=results))).removeprefix(f"{HEADER}\n\n")


def test_every_way_to_end_has_its_words():
    cap = captured(
        failed(
            "shop",
            execution("a"),
            execution("b", error=TimeoutError("no answer")),
            execution("c", error="the words of an error"),
            execution("d", outcome=CANCELLED),
            execution("e", outcome=UNFINISHED),
            execution("f", outcome=UNKNOWN),
            unanswered("g"),
            execution("h", "{"),
        )
    )
    assert lines(cap, results=True) == (
        """shop: failed TimeoutError
  a {} -> "ok"
  b {} -> failed TimeoutError
  c {} -> failed
  d {} -> cancelled
  e {} -> unfinished
  f {} -> unknown -> "ok"
  g {} -> unanswered -> null
  h "{" -> "ok"
"""
    )


def test_nested_invocations_stand_below_what_started_them():
    reader = invocation("reader", execution("search"), started_by="t")
    other = invocation("other", started_by=None)
    cap = captured(invocation("shop", execution("ask", id="t"), execution("pay"), nested=[reader, other]))
    assert lines(cap) == "shop: completed\n  ask {}\n    reader: completed\n      search {}\n  pay {}\n  other: completed\n"
    assert lines(cap, nested=False) == "shop: completed\n  ask {}\n  pay {}\n"


def test_what_ran_at_once_has_no_order_unless_the_model_gave_one():
    def ran(*requests):
        call = ChatModelCall(id="", tool_execution_requests=requests)
        overlapping = (
            execution("a", call_id="1", started_order=10, ended_order=13),
            execution("b", call_id="2", started_order=11, ended_order=12),
            execution("c", call_id="3", started_order=14, ended_order=15),
        )
        return captured(invocation("shop", *overlapping, calls=[call]))

    asked = [ToolExecutionRequest(name=name, call_id=number) for name, number in (("a", "1"), ("b", "2"))]
    assert lines(ran()) == "shop: completed\n  in any order:\n    a {}\n    b {}\n  c {}\n"
    assert lines(ran(*asked)) == "shop: completed\n  a {}\n  b {}\n  c {}\n"


def test_agents_that_ran_at_once_have_no_order():
    both = threading.Barrier(2)

    @record.agent
    def worker():
        both.wait(5)

    with capture() as cap, record.invocation("lead"):
        threads = [threading.Thread(target=worker) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert lines(cap) == "lead: completed\n  in any order:\n    worker: completed\n    worker: completed\n"


def test_what_was_recorded_outside_makes_it_ambiguous(tmp_path):
    cap = captured(invocation("shop", execution("pay")), strays=strays(execution("look")))
    with pytest.raises(AmbiguousError, match="1 execution recorded outside every invocation"):
        assert_that(cap).matches_snapshot("paid", directory=tmp_path)


def test_hidden_arguments_and_results_are_no_empty_ones(tmp_path):
    hidden = captured(invocation("shop", attrs.evolve(execution("pay"), arguments=None, raw_arguments=None)))
    with pytest.raises(NotRecordedError, match="the arguments of 'pay' were not recorded"):
        assert_that(hidden).matches_snapshot("paid", directory=tmp_path)
    assert "but there is no file" in message(
        lambda: assert_that(hidden).matches_snapshot("paid", directory=tmp_path, ignoring=["pay:$"])
    )


def test_a_running_execution_is_waited_for():
    cap = captured(invocation("shop", execution("pay", outcome=UNFINISHED)))
    view = View(subject="invocation 'shop'", invocations=cap.invocations, is_open=True)
    failure = not_comparable(view, "to match", Wanted())
    assert failure is not None
    assert failure.kind is NotRecordedError
    assert failure.found == "but that depends on 1 execution of 'pay' that has not ended"
