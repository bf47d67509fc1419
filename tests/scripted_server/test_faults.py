"""The ways in which a scripted model fails, and what clients that try again get."""

from __future__ import annotations

import threading
import time

import pytest

pytest.importorskip("anthropic")
pytest.importorskip("openai")

import anthropic
import openai

from agentassert.scripted import disconnect, fail, malformed, reply, scripted_model, time_out
from tests.scripted_server.asking import HELLO, ask, post

AGAIN = {"x-stainless-retry-count": "1"}


@pytest.fixture
def clients():
    """Makes clients of a scripted model, which are closed afterwards."""
    made = []

    def make(model, **options):
        made.append(openai.OpenAI(base_url=model.base_url, api_key="k", **options))
        made.append(anthropic.Anthropic(base_url=model.anthropic_base_url, api_key="k", **options))
        return made[-2:]

    yield make
    for client in made:
        client.close()


def chat(client, **options):
    return client.chat.completions.create(model="m", messages=HELLO, **options).choices[0].message.content


def message(client):
    return client.messages.create(model="m", max_tokens=9, messages=HELLO).content[0].text


def test_a_client_that_tries_again_gets_the_next_step_at_once(clients):
    begun = time.monotonic()
    with scripted_model([fail(429), reply("one"), fail(529, "busy"), fail(500), reply("two")]) as model:
        client, other = clients(model)
        assert (chat(client), message(other)) == ("one", "two")

    assert [request.attempt for request in model.requests] == [1, 2, 1, 2, 3]
    assert time.monotonic() - begun < 8


def test_a_failure_that_ends_the_script_reaches_the_agent_however_often_its_client_tries(clients):
    with scripted_model([fail(429, "slow down", code="rate_limit_exceeded")]) as model:
        client, _ = clients(model, max_retries=5)
        with pytest.raises(openai.RateLimitError, match="slow down") as raised:
            chat(client)

    assert raised.value.code == "rate_limit_exceeded"


def test_a_failure_without_retry_takes_one_step_whatever_the_client_does(clients):
    with scripted_model([fail(500, retry=False), reply("after all")]) as model:
        client, _ = clients(model)
        with pytest.raises(openai.InternalServerError):
            chat(client)
        body = {"model": "m", "messages": [*HELLO, *HELLO]}
        assert post(f"{model.base_url}/chat/completions", body)[0] == 200


def test_a_client_without_a_count_of_its_attempts_is_known_by_its_request():
    with scripted_model([fail(500, retry=False), reply("another")]) as model:
        assert [ask(model, "a"), ask(model, "a"), ask(model, "b")] == ["the script says so", "the script says so", "another"]


def test_the_same_request_of_another_client_is_no_second_attempt(clients):
    with scripted_model([fail(500, retry=False), reply("yours")]) as model:
        client, _ = clients(model)
        with pytest.raises(openai.InternalServerError):
            chat(client)
        assert chat(client) == "yours"

    assert [request.attempt for request in model.requests] == [1, 1]


def test_a_client_that_gave_up_waiting_gets_the_same_step_when_it_asks_again(clients):
    with scripted_model([reply("late", latency=0.6), reply("next")]) as model:
        client, _ = clients(model, timeout=0.2, max_retries=0)
        with pytest.raises(openai.APITimeoutError):
            chat(client)
        time.sleep(0.05)
        patient, _ = clients(model, timeout=20)
        assert (chat(patient, extra_headers=AGAIN), ask(model, "another")) == ("late", "next")


def test_a_client_that_asks_again_while_a_step_is_computed_gets_that_step(clients):
    may_end = threading.Event()

    def slow(request):
        assert may_end.wait(20)
        return reply("slow")

    with scripted_model([slow, reply("next")]) as model:
        client, _ = clients(model, timeout=0.3, max_retries=0)
        with pytest.raises(openai.APITimeoutError):
            chat(client)
        patient, _ = clients(model, timeout=20)
        threading.Timer(0.2, may_end.set).start()
        assert (chat(patient, extra_headers=AGAIN), ask(model, "another")) == ("slow", "next")

    assert [request.attempt for request in model.requests] == [1, 2, 1]


def test_a_connection_that_breaks_off_is_an_error_of_the_connection(clients):
    with scripted_model([disconnect(retry=False), disconnect(), reply("again")]) as model:
        client, other = clients(model, max_retries=0)
        with pytest.raises(openai.APIConnectionError):
            chat(client)
        with pytest.raises(anthropic.APIConnectionError):
            message(other)
        assert message(other) == "again"


def test_nothing_comes_until_the_client_gives_up(clients):
    with scripted_model([time_out(), time_out()]) as model:
        client, other = clients(model, timeout=0.3, max_retries=0)
        with pytest.raises(openai.APITimeoutError):
            chat(client)
        with pytest.raises(anthropic.APITimeoutError):
            message(other)


def test_a_malformed_answer_is_sent_as_it_is(clients):
    with scripted_model([malformed("<html>gateway</html>")]) as model:
        client, _ = clients(model)
        with pytest.raises(ValueError, match="Expecting value"):
            chat(client)


def test_headers_of_a_failure_are_sent():
    import urllib.error
    import urllib.request

    with scripted_model([fail(429, headers={"Retry-After": "7"})]) as model:
        body = b'{"model": "m", "messages": [{"role": "user", "content": "Hi"}]}'
        with pytest.raises(urllib.error.HTTPError) as raised:
            urllib.request.urlopen(f"{model.base_url}/chat/completions", body)
        raised.value.close()

    assert (raised.value.headers["retry-after"], raised.value.headers["retry-after-ms"]) == ("7", None)


STREAMS = {
    "chat completions": lambda client, _: (
        chunk.choices[0].delta.content for chunk in client.chat.completions.create(model="m", messages=HELLO, stream=True)
    ),
    "responses": lambda client, _: (
        event.delta for event in client.responses.create(model="m", input="Hi", stream=True) if event.type.endswith("text.delta")
    ),
    "messages": lambda _, client: (
        event.delta.text
        for event in client.messages.create(model="m", max_tokens=9, messages=HELLO, stream=True)
        if event.type == "content_block_delta"
    ),
}


def read(stream):
    """The text of a stream up to its error, and the error."""
    said = ""
    try:
        for piece in stream:
            said += piece or ""
    except Exception as error:
        return said, error
    return said, None


@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_can_break_off_after_some_text(name, clients):
    with scripted_model([disconnect(after="Your booking is")]) as model:
        said, error = read(STREAMS[name](*clients(model, max_retries=0)))

    assert said == "Your booking is"
    assert type(error).__name__ in {"APIConnectionError", "RemoteProtocolError"}


@pytest.mark.parametrize("name", ["chat completions", "messages"])
def test_a_stream_can_fail_after_some_text(name, clients):
    with scripted_model([fail(529, "overloaded", after="Your booking is")]) as model:
        said, error = read(STREAMS[name](*clients(model, max_retries=0)))

    assert said == "Your booking is"
    assert isinstance(error, openai.APIError | anthropic.APIError)
    assert "overloaded" in str(error)


def test_a_streamed_response_says_that_it_failed(clients):
    with scripted_model([fail(529, "overloaded", after="Your booking is")]) as model:
        client, _ = clients(model, max_retries=0)
        events = []
        said, error = read(events.append(event) for event in client.responses.create(model="m", input="Hi", stream=True))

    assert events[-1].type == "error" if error is None else "overloaded" in str(error)
    assert said == ""


@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_can_come_to_a_halt_after_some_text(name, clients):
    with scripted_model([time_out(after="Your booking is")]) as model:
        said, error = read(STREAMS[name](*clients(model, max_retries=0, timeout=0.5)))

    assert said == "Your booking is"
    assert "timed out" in str(error).lower()


def test_a_stream_can_take_its_time(clients):
    with scripted_model([reply("one two three", pace=0.02, latency=0.02)]) as model:
        client, _ = clients(model)
        said, error = read(STREAMS["chat completions"](client, None))

    assert (said, error) == ("one two three", None)


def test_a_stream_that_is_left_takes_its_step_and_no_other(clients):
    with scripted_model([reply("one two three four", pace=0.05), reply("next")]) as model:
        client, _ = clients(model)
        stream = client.chat.completions.create(model="m", messages=HELLO, stream=True)
        next(iter(stream))
        stream.close()
        assert chat(client) == "next"
