"""A method that gives a result, a coroutine or a stream, as its arguments ask for, recorded whichever it is."""

from __future__ import annotations

import asyncio

import pytest

from agentassert import Status, capture, recorder
from agentassert.adapters.hooks import recorded
from tests.adapters.scenarios.parts import recording


def stream():
    yield "done"


async def astream():
    yield "done"


async def coroutine():
    return "done"


FORMS = {"plain": lambda: "done", "stream": stream, "coroutine": coroutine, "async stream": astream}


def begin(form):
    return recorder.start_invocation(form, adapter="robots")


def end(event, last):
    event.complete(last)


@recorded("robots", begin, end, kind="varying")
def work(form):
    return FORMS[form]()


async def finish(result):
    """What came of it."""
    if hasattr(result, "__aiter__"):
        return [one async for one in result]
    if hasattr(result, "__next__"):
        return list(result)
    return await result if asyncio.iscoroutine(result) else result


@pytest.mark.parametrize("form", FORMS)
def test_it_begins_when_it_is_called_and_ends_with_what_it_gives(form):
    async def run():
        result = work(form)
        assert [one.name for one in cap.invocations] == [form]
        assert (cap.invocation.status is Status.COMPLETED) is (form == "plain")
        return await finish(result)

    with recording() as cap:
        given = asyncio.run(run())

    assert given == (["done"] if "stream" in form else "done")
    assert (cap.invocation.status, cap.invocation.output) == (Status.COMPLETED, "done")


@pytest.mark.parametrize("form", FORMS)
def test_without_a_capture_it_gives_what_it_gives(form):
    with capture():
        pass

    assert asyncio.run(finish(work(form))) == (["done"] if "stream" in form else "done")


def test_a_stream_that_is_closed_is_cancelled():
    with recording() as cap:
        work("stream").close()

    assert cap.invocation.status is Status.CANCELLED


def test_an_error_before_there_is_a_result_fails_it():
    with recording() as cap, pytest.raises(KeyError):
        work("nothing")

    assert (cap.invocation.status, type(cap.invocation.error)) == (Status.FAILED, KeyError)
