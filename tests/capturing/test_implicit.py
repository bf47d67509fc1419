"""Hand-written loops without an invocation of their own, and strays beside a real one."""

from __future__ import annotations

import threading

import pytest

from agentassert import NOT_RECORDED, NotRecordedError, Status, assert_that, capture, record


@record.tool
def get(number):
    if number < 0:
        raise LookupError("no such booking")
    return number


def ask(text):
    with record.model_call("small", messages="Hi") as call:
        call.respond(text, finish_reason="stop", input_tokens=1, output_tokens=2)
    return text


def test_work_without_an_invocation_gets_an_implicit_one():
    with capture() as cap:
        ask("let me look")
        get(1)
        ask("it is booked")

    invocation = cap.invocation
    assert invocation.implicit
    assert (invocation.name, invocation.framework, invocation.status) == ("capture", "record", Status.COMPLETED)
    assert (invocation.output, invocation.output_text) == ("it is booked", "it is booked")
    assert [execution.name for execution in invocation.tool_executions] == ["get"]
    assert len(invocation.own_chat_model_calls) == 2
    assert (cap.strays, invocation.awaited, invocation.error) == (None, None, None)


def test_it_is_named_after_the_capture():
    with capture("booking loop") as cap:
        get(1)

    assert (cap.name, cap.invocation.name) == ("booking loop", "booking loop")


def test_its_output_is_not_known_when_no_model_answered():
    with capture() as cap:
        get(1)

    assert (cap.output, cap.output_text) == (NOT_RECORDED, None)
    with pytest.raises(
        NotRecordedError, match=r"no agent was seen around it, and no answer of a model with a text\.\n.*@record\.agent"
    ):
        assert_that(cap).output_text()


def test_its_output_is_the_last_answer_that_has_a_text():
    with capture() as cap:
        ask("the answer")
        with record.model_call() as call:
            call.respond(tool_execution_requests=[{"name": "get"}])

    assert cap.output == "the answer"


def test_it_failed_when_an_error_of_recorded_work_left_the_block():
    with pytest.raises(LookupError) as raised, capture() as cap:
        get(-1)

    assert cap.invocation.status is Status.FAILED
    assert cap.error is cap.invocation.error is raised.value


def test_it_failed_when_an_error_raised_from_that_of_recorded_work_left_the_block():
    with pytest.raises(RuntimeError), capture() as cap:
        try:
            get(-1)
        except LookupError as error:
            raise RuntimeError("gave up") from error

    assert cap.invocation.status is Status.FAILED


def test_it_failed_when_a_model_calls_error_left_the_block():
    with pytest.raises(ConnectionError), capture() as cap, record.model_call():
        raise ConnectionError("no answer")

    assert cap.invocation.status is Status.FAILED


def test_it_completed_when_the_loop_coped_with_the_error():
    with capture() as cap, pytest.raises(LookupError):
        get(-1)

    assert (cap.invocation.status, cap.error) == (Status.COMPLETED, None)


def test_it_completed_when_something_else_left_the_block():
    error = AssertionError("of the test")

    with pytest.raises(AssertionError), capture() as cap:
        get(1)
        raise error

    assert (cap.invocation.status, cap.invocation.error) == (Status.COMPLETED, None)
    assert cap.error is error


def test_what_happens_beside_a_real_invocation_is_a_stray():
    with capture() as cap:
        ask("the simulated user's words")
        with record.invocation("support"):
            get(1)

    assert [one.name for one in cap.invocations] == ["support"]
    assert cap.strays.implicit
    assert [call.response_text for call in cap.strays.model_calls] == ["the simulated user's words"]


def test_sources_and_approvals_alone_make_no_invocation():
    with capture() as cap:
        record.sources(["Paris"])
        record.approval("pay")

    assert cap.invocations == ()
    assert len(cap.strays.sources) == len(cap.strays.approvals) == 1


def test_a_capture_of_nothing_has_no_invocation():
    with capture() as cap:
        pass

    assert (cap.invocations, cap.strays, cap.error) == ((), None, None)


def test_work_of_threads_counts_towards_it():
    with capture() as cap:
        thread = threading.Thread(target=get, args=(1,))
        thread.start()
        thread.join()

    assert cap.invocation.implicit
