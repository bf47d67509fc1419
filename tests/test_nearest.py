"""A capture and an invocation say what an attribute was meant to be that they have not."""

from __future__ import annotations

import copy
import pickle

import pytest

from agentassert import AmbiguousError, Capture, Invocation
from agentassert.text.nearest import NamesNearest
from tests.factories import captured, execution, invocation


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("result", "output"),
        ("outputText", "output_text"),
        ("invocation_name", "invocation_named"),
        ("runs", "invocations"),
        ("tool_calls", "invocation.tool_executions"),
        ("tool_execution", "invocation.tool_executions"),
        ("usage", "invocation.token_usage"),
    ],
)
def test_a_capture_names_what_it_has_or_its_invocation(name, meant):
    cap = captured(invocation("support"))

    with pytest.raises(AttributeError) as caught:
        getattr(cap, name)
    assert str(caught.value) == f"'Capture' object has no attribute {name!r}; did you mean {meant!r}?"
    assert {entry.path.name for entry in caught.traceback.filter(caught)} == {"test_nearest.py"}
    assert getattr(caught.value, "name", None) == name


@pytest.mark.parametrize(
    ("name", "meant"),
    [("result", "; did you mean 'output'?"), ("tool_calls", "; did you mean 'tool_executions'?"), ("runs", ""), ("zzz", "")],
)
def test_an_invocation_names_what_it_has(name, meant):
    with pytest.raises(AttributeError) as caught:
        getattr(Invocation(id="1", name="support"), name)
    assert str(caught.value) == f"'Invocation' object has no attribute {name!r}{meant}"


def test_what_looks_for_attributes_finds_none_and_copies_are_copies():
    one = Invocation(
        id="1", name="support", tool_executions=captured(invocation("a", execution("pay"))).invocation.tool_executions
    )

    assert not hasattr(one, "tool_calls")
    assert not hasattr(one, "__missing__")
    assert getattr(captured(invocation()), "tool_calls", 3) == 3
    assert one == copy.copy(one) == copy.deepcopy(one) == pickle.loads(pickle.dumps(one))
    assert not hasattr(Capture.__new__(Capture), "tool_calls")


def test_an_error_in_a_property_stays_what_it_is():
    class Broken(NamesNearest):
        @property
        def output(self):
            return [].length

    with pytest.raises(AttributeError, match="'list' object has no attribute 'length'"):
        _ = Broken().output


def test_of_two_invocations_with_one_name_none_is_to_be_picked_by_it():
    twice = captured(invocation("refund_agent"), invocation("refund_agent"))
    thrice = captured(invocation("refund_agent"), invocation("refund_agent"), invocation("triage"))
    by_place = "\nPick one from `cap.invocations`, such as `cap.invocations[0]`, or assert on all with `whole_capture()`."
    by_name = by_place.replace("from", "with `cap.invocation_named(name)` or from")

    with pytest.raises(AmbiguousError) as caught:
        _ = twice.invocation
    assert str(caught.value).endswith(by_place)
    with pytest.raises(AmbiguousError) as caught:
        thrice.invocation_named("refund_agent")
    assert str(caught.value).endswith(by_place)
    with pytest.raises(AmbiguousError) as caught:
        _ = thrice.invocation
    assert str(caught.value).endswith(by_name)
