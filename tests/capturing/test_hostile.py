"""Values that break whatever touches them: neither the agent's behaviour nor the record does."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import json
import math
from unittest import mock

import pydantic
import pytest

from agentassert import Capture, Outcome, Status, assert_that, capture, record
from agentassert.jsonlike import flat_copy


class Hostile:
    """Raises whatever it is asked."""

    def _refuse(self, *_):
        raise ZeroDivisionError("hostile")

    __repr__ = __str__ = __eq__ = __hash__ = __iter__ = __len__ = __bool__ = _refuse
    __deepcopy__ = __copy__ = __reduce_ex__ = __getattr__ = __getitem__ = __contains__ = __fspath__ = _refuse
    __class__ = property(_refuse)


class HostileDict(dict):
    def items(self):
        raise ZeroDivisionError("hostile")

    copy = __iter__ = keys = __repr__ = items


class HostileList(list):
    def __iter__(self):
        raise ZeroDivisionError("hostile")

    __repr__ = __iter__


class HostileModel(pydantic.BaseModel):
    number: int = 1

    def model_dump(self, **_):
        raise ZeroDivisionError("hostile")


class HostileText(str):
    def __repr__(self):
        raise ZeroDivisionError("hostile")

    __str__ = __eq__ = __len__ = lower = __repr__
    __hash__ = str.__hash__


class HostileError(Exception):
    def __str__(self):
        raise ZeroDivisionError("hostile")

    __repr__ = __str__


class HostileEnum(enum.Enum):
    ONE = Hostile


@dataclasses.dataclass
class HostileField:
    number: object = dataclasses.field(default_factory=Hostile)


def cyclic():
    value = {"list": []}
    value["list"].append(value)
    return value


def deep():
    value = []
    for _ in range(10_000):
        value = [value]
    return value


VALUES = {
    "object": Hostile,
    "dict": lambda: HostileDict(a=1),
    "list": lambda: HostileList([1]),
    "model": HostileModel,
    "dataclass": HostileField,
    "enum": lambda: HostileEnum.ONE,
    "text": lambda: HostileText("a"),
    "error": HostileError,
    "cyclic": cyclic,
    "deep": deep,
    "nan": lambda: [math.nan, math.inf, -math.inf],
    "huge number": lambda: 10**5_000,
    "huge text": lambda: "x" * 1_000_000,
    "surrogate": lambda: {"\ud800": "\udfff"},
    "keys": lambda: {1: "a", None: "b", (1, 2): "c", datetime.date(2026, 1, 2): "d"},
    "generator": lambda: (number for number in (1, 2)),
    "mock": mock.Mock,
    "magic mock": mock.MagicMock,
    "class": lambda: Hostile,
    "bytes": lambda: b"\xff\xfe",
    "lambda": lambda: lambda: None,
    "invalid JSON": lambda: '{"id": ',
}
hostile = pytest.mark.parametrize("make", VALUES.values(), ids=VALUES)


def check(cap):
    """Everything that reads a record works, live and stored."""
    text = cap.to_json()
    json.loads(text)
    loaded = Capture.from_json(text)
    for each in (cap, loaded):
        assert each.invocation.output_text is None or isinstance(each.invocation.output_text, str)
        assert isinstance(repr(each), str)
        chain = assert_that(each).has_tool_executed("echo")
        assert isinstance(repr(chain), str)
        with pytest.raises(AssertionError, match="echo"):
            assert_that(each).has_no_tool_executions("echo")
        with pytest.raises(AssertionError, match="echo"):
            assert_that(each).has_tool_executed_with("echo", {"value": "something else"})
    assert loaded.to_json() == text


@hostile
def test_as_an_argument_a_result_an_input_and_an_output(make):
    value = make()

    @record.tool
    def echo(value, *rest, **more):
        assert all(one is value for one in (*rest, *more.values()))
        return value

    @record.agent
    def support(value):
        return echo(value, value, again=value)

    with capture() as cap:
        result = support(value)

    assert result is value
    (execution,) = cap.invocation.tool_executions
    assert (cap.invocation.status, execution.outcome) == (Status.COMPLETED, Outcome.SUCCEEDED)
    assert execution.raw_result is (execution.result if type(value) is dict and flat_copy(value) else value)
    assert set(execution.arguments) == {"value", "rest", "again"}
    check(cap)


@hostile
def test_in_requests_and_approvals_that_are_compared(make):
    def given():
        return {"value": make()}

    with capture() as cap, record.invocation("support", input=make()) as invocation:
        with record.model_call("small", messages=[{"role": "user", "content": make()}]) as call:
            call.respond(tool_execution_requests=[{"name": "echo", "arguments": given(), "call_id": "c"} for _ in range(3)])
        with record.model_call("small") as call:
            call.respond(tool_execution_requests=[{"name": "echo", "arguments": given()} for _ in range(3)])
        for call_id in ("c", "c", None, None):
            record.tool_execution("echo", given(), call_id=call_id)
        record.approval("echo", given())
        record.approval("echo", given(), decision="approve")
        record.sources([{"text": "Oslo", "metadata": given()}])
        invocation.output = make()

    assert len(cap.invocation.tool_executions) == 4
    assert sum(request.answered for request in cap.invocation.tool_execution_requests) == 4
    assert len(cap.invocation.approvals) in (1, 2)
    check(cap)


@hostile
def test_in_a_stream(make):
    @record.agent
    def support():
        record.tool_execution("echo")
        yield value
        yield value

    value = make()
    with capture() as cap:
        items = [*support()]

    assert all(item is value for item in items)
    assert len(items) == len(cap.output) == 2 or isinstance(cap.output, str)
    check(cap)


@pytest.mark.parametrize(
    "error",
    [HostileError(), ValueError("\ud800"), ValueError("x" * 1_000_000), KeyError()],
    ids=["raises", "surrogate", "huge", "empty"],
)
def test_an_error_that_cannot_be_shown_is_the_agents_own_to_the_end(error):
    @record.tool
    def echo():
        record.tool_execution("echo")
        raise error

    with capture(expecting_failure=True) as cap, record.invocation("support"):
        echo()

    assert cap.error is error
    loaded = Capture.from_json(cap.to_json())
    for each in (cap, loaded):
        with pytest.raises(AssertionError):
            assert_that(each).has_tool_executed("echo")
        assert_that(each).has_failed_with(type(error)).has_tool_execution_failed("echo")


def test_a_name_of_a_function_that_is_hostile_does_not_matter():
    function = mock.Mock(return_value=1, __name__="looked_up")

    with capture() as cap:
        assert record.tool(function)(a=1) == 1

    assert [(one.name, one.arguments) for one in cap.invocation.tool_executions] == [("looked_up", {"a": 1})]
    function.assert_called_once_with(a=1)


def test_a_dictionary_that_another_thread_changes_meanwhile_is_recorded_as_it_was():
    class Growing(dict):
        def items(self):
            for item in super().items():
                self[len(self)] = 1
                yield item

    with capture() as cap:
        record.tool(lambda value: None)(Growing(a=1))

    assert cap.invocation.tool_executions[0].outcome is Outcome.SUCCEEDED
