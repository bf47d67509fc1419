"""A hook of ours that breaks: the agent does not notice, and no assertion passes on half a record."""

from __future__ import annotations

import asyncio
import gc
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from agentassert import AdapterError, Capture, CaptureWarning, adapters, assert_that, capture, record, recorder
from agentassert.recording import events, threads


class Fault(Exception):
    pass


def broken(*args, **kwargs):
    raise Fault("ours")


@record.tool
def get(number):
    if number < 0:
        raise LookupError("the agent's own")
    return number


@record.tool
async def aget(number):
    return get(number)


@record.tool
def parts(number):
    answer = yield number
    yield answer


@record.tool
async def aparts(number):
    yield number
    yield number + 1


@record.agent
def support(number):
    with record.model_call("small", messages="Hi") as call:
        call.respond("Hello")
    record.sources(["Paris"])
    record.tool_execution("look", {}, result=1)
    record.tool_execution("look", {}, error="no")
    record.approval("pay", {}, decision="approve")
    with record.invocation("nested") as nested:
        nested.output = get(number)
    stream = parts(number)
    return [get(number), next(stream), stream.send("sent"), [*parts(number)]]


def run():
    with pytest.raises(LookupError) as raised:
        get(-1)
    stream = parts(3)
    next(stream)
    stream.close()
    with pytest.raises(KeyError), record.invocation("failing"), record.model_call():
        raise KeyError("the agent's own")

    async def asynchronous():
        return [await aget(1), [number async for number in aparts(1)]]

    return [support(1), str(raised.value), asyncio.run(asynchronous())]


UNDISTURBED = [[1, 1, "sent", [1, None]], "the agent's own", [1, [1, 2]]]

HOOKS = [
    (recorder, "start_invocation"),
    (recorder, "start_tool"),
    (recorder, "start_model_call"),
    (recorder, "start_retrieval"),
    (recorder, "add_approval"),
    (recorder, "enter"),
    (recorder, "leave"),
    (events.InvocationEvent, "complete"),
    (events.InvocationEvent, "fail"),
    (events.ToolEvent, "succeed"),
    (events.ToolEvent, "fail"),
    (events.ToolEvent, "cancel"),
    (events.ModelCallEvent, "respond"),
    (events.ModelCallEvent, "fail"),
    (events.RetrievalEvent, "retrieve"),
    (events.Event, "_begin"),
    (events.Event, "_end"),
    (events.Event, "advanced"),
    (events.Event, "not_advanced"),
    (events, "snapshot"),
    (recorder, "_place"),
]


def test_the_agent_does_what_it_does_without_a_capture():
    assert run() == UNDISTURBED


@pytest.mark.parametrize(("owner", "name"), HOOKS, ids=lambda hook: getattr(hook, "__name__", hook))
def test_a_fault_in_a_hook_changes_nothing_for_the_agent_and_fails_the_assertions(monkeypatch, owner, name):
    gc.collect()  # generators that the tracebacks of the faults before keep: closed below, they would enter their own captures again
    with pytest.warns(CaptureWarning, match="the record adapter broke: Fault: ours"), capture(wait=600) as cap:
        with monkeypatch.context() as patched:
            patched.setattr(owner, name, broken)
            result = run()

    assert result == UNDISTURBED
    assert any("Fault: ours" in fault for fault in cap.health.faults)
    with pytest.raises(AdapterError, match="Fault: ours"):
        assert_that(cap).has_no_tool_executions()


def test_a_fault_is_still_there_in_a_stored_capture(monkeypatch):
    with pytest.warns(CaptureWarning), capture() as cap, record.invocation("support"), monkeypatch.context() as patched:
        patched.setattr(recorder, "start_tool", broken)
        get(1)

    loaded = Capture.from_json(cap.to_json())
    assert loaded.health.faults == cap.health.faults
    with pytest.raises(AdapterError):
        assert_that(loaded).has_no_tool_executions()


def test_a_fault_concerns_every_capture_that_encloses_it_and_none_beside_it(monkeypatch):
    both_are_open, done = threading.Barrier(2), threading.Event()
    beside = []

    def other():
        with capture() as cap:
            both_are_open.wait()
            done.wait()
        beside.append(cap)

    thread = threading.Thread(target=other)
    thread.start()
    both_are_open.wait()
    with pytest.warns(CaptureWarning), capture() as outer, capture() as inner, monkeypatch.context() as patched:
        patched.setattr(recorder, "start_tool", broken)
        get(1)
    done.set()
    thread.join()

    assert len(outer.health.faults) == len(inner.health.faults) == 1
    assert beside[0].health.faults == ()


def test_a_fault_in_what_outlived_its_capture_concerns_no_later_one(monkeypatch):
    go_on = threading.Event()

    def left_behind():
        go_on.wait()
        get(1)

    with capture():
        thread = threading.Thread(target=left_behind)
        thread.start()
    with capture() as later, monkeypatch.context() as patched:
        patched.setattr(recorder, "start_tool", broken)
        go_on.set()
        thread.join()

    assert later.health.faults == ()


def test_a_fault_in_carrying_the_scope_lets_threads_and_pools_work(monkeypatch):
    results = []
    with ThreadPoolExecutor(1) as pool, pytest.warns(CaptureWarning, match="the threads adapter broke"), capture() as cap:
        monkeypatch.setattr(threads, "_carried", broken)
        thread = threading.Thread(target=results.append, args=(1,))
        thread.start()
        thread.join()
        results.append(pool.submit(len, "ab").result())

    assert results == [1, 2]
    assert len(cap.health.faults) == 2


def test_a_fault_in_switching_on_the_adapters_does_not_keep_the_block_from_being_entered(monkeypatch):
    monkeypatch.setattr(adapters, "switch_on", broken)
    monkeypatch.setattr(adapters, "switch_off", lambda: None)

    with pytest.warns(CaptureWarning, match="Fault: ours"), capture() as cap:
        support(1)

    assert cap.invocation.name == "support"
    with pytest.raises(AdapterError):
        assert_that(cap).has_succeeded()


def test_a_fault_that_comes_while_the_block_is_left_ends_the_waiting():
    started, may_end = threading.Event(), threading.Event()

    @record.agent
    def hangs():
        started.set()
        may_end.wait()

    with pytest.warns(CaptureWarning), capture(wait=600) as cap:
        threading.Thread(target=hangs).start()
        started.wait()
        timer = threading.Timer(0.01, recorder.report_fault, args=("fake", Fault("ours")))
        timer.start()
    may_end.set()

    assert len(cap.health.faults) == 1


@pytest.mark.parametrize("captured", [True, False], ids=["captured", "passed through"])
@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        (lambda: record.tool_execution(""), ValueError, "the name of a tool execution must not be empty"),
        (lambda: record.tool_execution("get", [1]), TypeError, "arguments must be a mapping or JSON text"),
        (lambda: record.invocation(None).__enter__(), TypeError, "the name of an invocation must be a string"),
        (lambda: record.sources("Paris"), TypeError, "sources must be a list"),
        (lambda: record.sources([{"score": 1}]), TypeError, r"sources\[0\]\['text'\] must be a string"),
        (lambda: record.sources([{"text": "a", "socre": 1}]), ValueError, "did you mean 'score'"),
        (lambda: record.sources([3]), TypeError, r"sources\[0\] must be a mapping"),
        (lambda: record.approval(""), ValueError, "the tool of an approval must not be empty"),
        (lambda: record.approval("pay", decision="yes"), ValueError, "decision must be one of 'approve', "),
        (lambda: record.model_call(kind=int).__enter__(), TypeError, "kind must be one of ChatModelCall"),
        (lambda: record.model_call(3).__enter__(), TypeError, "model must be a string or None"),
        (lambda: record.model_call(messages=iter(["a"])).__enter__(), TypeError, "messages must be a list"),
        (lambda: record.model_call(tools_offered="get").__enter__(), TypeError, "tools_offered must be a list"),
    ],
)
def test_wrong_use_is_told_to_the_user_with_and_without_a_capture(captured, wrong, error, message):
    if not captured:
        with pytest.raises(error, match=message):
            wrong()
        return
    with capture() as cap, pytest.raises(error, match=message):
        wrong()
    assert cap.health.faults == ()


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({"input_tokens": -1}, ValueError, "input_tokens must be a number of tokens"),
        ({"output_tokens": True}, ValueError, "output_tokens must be a number of tokens"),
        ({"text": 3}, TypeError, "text must be a string or None"),
        ({"finish_reason": 3}, TypeError, "finish_reason must be a string or None"),
        ({"tool_execution_requests": [{"arguments": {}}]}, TypeError, r"the name of tool_execution_requests\[0\]"),
        ({"tool_execution_requests": [{"name": "get", "arguments": [1]}]}, TypeError, "arguments must be a mapping or JSON text"),
        ({"tool_execution_requests": ["get"]}, TypeError, r"tool_execution_requests\[0\] must be a mapping"),
        ({"tool_execution_requests": [{"name": "get", "args": {}}]}, ValueError, "did you mean 'arguments'"),
        ({"tool_execution_requests": [{"name": "get", "zzz": {}}]}, ValueError, "known are 'arguments', 'call_id', 'name'"),
    ],
)
def test_a_wrong_response_is_told_to_the_user_and_may_be_put_right(wrong, error, message):
    with capture() as cap, record.model_call() as call:
        with pytest.raises(error, match=message):
            call.respond(**wrong)
        call.respond("right")
        with pytest.raises(RuntimeError, match="answered before"):
            call.respond("again")

    assert cap.invocation.model_calls[0].response_text == "right"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: record.tool(3), "only a function can be recorded"),
        (lambda: record.tool("a")(3), "only a function can be recorded"),
        (lambda: record.agent(3), "only a function can be recorded"),
        (lambda: record.tool(name=3), "the name of record.tool must be a string"),
        (lambda: record.tool("a", name="b"), "record.tool takes one name"),
    ],
)
def test_a_wrong_decoration_is_refused(wrong, message):
    with pytest.raises(TypeError, match=message):
        wrong()
