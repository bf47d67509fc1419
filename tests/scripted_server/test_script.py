"""A script and the requests that come must fit, and leaving the block says where they do not."""

from __future__ import annotations

import asyncio
import json
import re
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor

import pytest

from agentassert.scripted import (
    Api,
    ScriptError,
    call_tool,
    connections,
    desk,
    fail,
    malformed,
    refuse,
    reply,
    script,
    scripted_model,
    time_out,
)
from tests.scripted_server.asking import HELLO, ask, post

CALLS = [{"id": "c1", "type": "function", "function": {"name": "get", "arguments": '{"id": 7, "api_key": "hunter2"}'}}]
HISTORY = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "7?"},
    {"role": "assistant", "content": None, "tool_calls": CALLS},
    {"role": "tool", "tool_call_id": "c1", "content": '{"state": "open"}'},
]
TOOLS = [{"type": "function", "function": {"name": "get"}}]


def leave(steps, use, **options):
    """What leaving the block says after that use."""
    with pytest.raises(ScriptError) as raised, scripted_model(steps, **options) as model:
        use(model)
    return str(raised.value)


def ask_in_vain(model):
    """Ask a model whose block is left meanwhile."""
    with pytest.raises(OSError, match=r"closed|reset"):
        ask(model)


def test_steps_answer_in_order():
    with scripted_model([reply("one"), reply("two")]) as model:
        assert [ask(model, "a"), ask(model, "b")] == ["one", "two"]

    assert [(one.number, one.api, one.last_user_text) for one in model.requests] == [
        (1, Api.CHAT_COMPLETIONS, "a"),
        (2, Api.CHAT_COMPLETIONS, "b"),
    ]


def test_a_request_after_the_last_step_is_answered_with_an_error_and_shown_when_the_block_is_left():
    def use(model):
        ask(model)
        status, answer = post(f"{model.base_url}/chat/completions", {"model": "gpt", "messages": HISTORY, "tools": TOOLS})
        assert (status, answer["error"]["type"]) == (400, "invalid_request_error")
        assert answer["error"]["message"] == "scripted model: request 2 came, but its script had 1 step, all used"

    assert leave([reply("one")], use).splitlines() == [
        "Expected the script to have an answer for every request, but:",
        "  request 2 came, but its script had 1 step, all used",
        "    request 2: POST /v1/chat/completions, model 'gpt'",
        "      system: 'Be brief.'",
        "      user: '7?'",
        "      assistant: asks for get(id=7, api_key='***')",
        '      tool: \'{"state": "open"}\'',
        "      tools offered: get",
        "Add a step, or say what answers all further requests: then_repeats=reply(...).",
    ]


def test_steps_that_are_left_are_shown_as_they_were_written():
    steps = [
        reply("one"),
        reply("Let me see.", call_tool("get", {"id": 7, "password": "hunter2"})),
        call_tool("ping"),
        refuse("no"),
        fail(429),
        time_out(),
        malformed(),
        leave,
    ]

    said = re.sub(r"py:\d+", "py:N", leave(steps, ask))

    assert said.splitlines() == [
        "Expected the script to be played to its end,",
        "but 7 steps of 8 were left:",
        "  step 2: reply('Let me see.', call_tool('get', {'id': 7, 'password': '***'}))",
        "  step 3: call_tool('ping')",
        "  step 4: refuse('no')",
        "  step 5: fail(429)",
        "  step 6: time_out()",
        "  step 7: malformed()",
        "  step 8: computed by leave (test_script.py:N)",
        "The last of 1 request was:",
        "  request 1: POST /v1/chat/completions, model 'm'",
        "    user: 'Hello'",
    ]


def test_a_tool_that_was_not_offered_is_a_hint_where_something_does_not_fit():
    def use(model):
        ask(model, tools=TOOLS)

    assert leave([call_tool("gte"), reply("x")], use).endswith(
        "The answer to request 1 asked for 'gte', which was not offered; did you mean 'get'?"
    )
    with scripted_model([call_tool("gte")]) as model:
        use(model)


def test_a_computed_step_that_does_not_end_is_named(monkeypatch):
    monkeypatch.setattr(connections, "LEAVING", 0.1)
    may_end = threading.Event()

    def use(model):
        threading.Thread(target=ask_in_vain, args=(model,)).start()
        while not model.requests:
            pass

    said = leave([lambda request: may_end.wait(20) and reply("x")], use)
    may_end.set()

    assert "a computed step had not ended when the block was left" in said


def test_an_error_of_our_own_leaves_the_block(monkeypatch):
    monkeypatch.setattr(desk, "api_of", lambda path: 1 / 0)
    with pytest.raises(ZeroDivisionError), scripted_model([]) as model:
        ask_in_vain(model)


def test_a_script_without_steps_says_that_the_model_must_not_be_asked():
    with scripted_model([]):
        pass
    assert "but its script has no steps" in leave([], ask)


def test_the_error_has_its_problems_as_fields():
    with pytest.raises(ScriptError) as raised, scripted_model([reply("one")]):
        pass

    assert raised.value.differences == ("step 1: reply('one')",)
    assert isinstance(raised.value, AssertionError)


def test_then_repeats_answers_all_further_requests_but_the_steps_before_it_stay_due():
    with scripted_model([reply("one")], then_repeats=lambda request: reply(request.last_user_text)) as model:
        assert [ask(model, text) for text in "abc"] == ["one", "b", "c"]

    assert "1 step of 1 was left" in leave([reply("one")], lambda model: None, then_repeats=reply("more"))


def test_an_exception_that_leaves_the_block_stays_what_it_is_and_is_told_what_does_not_fit():
    error = KeyError("mine")
    with pytest.raises(KeyError) as raised, scripted_model([reply("one")]):
        raise error

    assert raised.value is error
    assert error.__notes__ == [
        "Expected the script to be played to its end,\nbut 1 step of 1 was left:\n  step 1: reply('one')\nNo request came."
    ]


def test_what_a_computed_step_raises_leaves_the_block_unchanged():
    error = ZeroDivisionError("mine")

    def broken(request):
        raise error

    with pytest.raises(ZeroDivisionError) as raised, scripted_model([broken]) as model:
        assert ask(model) == "scripted model: step 1 raised ZeroDivisionError, which leaving its block raises again"

    assert raised.value is error
    assert "broken" in [frame.name for frame in traceback.extract_tb(error.__traceback__)]


def test_an_assertion_in_a_computed_step_fails_the_test():
    def check(request):
        assert request.last_user_text == "Goodbye", "not Goodbye"

    with pytest.raises(AssertionError, match="not Goodbye"), scripted_model([check]) as model:
        ask(model)


def test_what_a_computed_step_raises_wins_over_what_the_client_made_of_it():
    def broken(request):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as raised, scripted_model([broken]) as model:
        raise ValueError(ask(model))

    assert isinstance(raised.value.__context__, ValueError)


def test_an_interrupt_is_never_replaced():
    def broken(request):
        raise ZeroDivisionError("mine")

    with pytest.raises(KeyboardInterrupt) as raised, scripted_model([broken]) as model:
        ask(model)
        raise KeyboardInterrupt

    assert raised.value.__notes__ == ["a function of the script raised ZeroDivisionError: mine"]


def test_what_further_steps_raised_and_what_does_not_fit_is_noted_on_what_is_raised():
    def broken(request):
        raise ValueError(request.last_user_text)

    with pytest.raises(ValueError, match="one") as raised, scripted_model([broken, broken, reply("never")]) as model:
        ask(model, "one")
        ask(model, "two")

    further, left = raised.value.__notes__
    assert further == "a function of the script raised ValueError: two"
    assert "step 3: reply('never')" in left


def test_an_error_of_a_step_that_leaves_the_block_itself_is_not_doubled():
    error = ZeroDivisionError("mine")

    def broken(request):
        raise error

    with pytest.raises(ZeroDivisionError) as raised, scripted_model([broken]) as model:
        ask(model)
        raise error

    assert raised.value is error
    assert not hasattr(error, "__notes__")


def test_what_skips_a_test_in_a_computed_step_skips_it():
    with pytest.raises(pytest.skip.Exception), scripted_model([lambda request: pytest.skip("not today")]) as model:
        ask(model)


@pytest.mark.parametrize(("given", "words"), [(None, "must be reply"), ("done", r"write reply\('done'\)"), ([], "is a list")])
def test_a_computed_step_that_gives_no_step_is_an_error(given, words):
    with pytest.raises(TypeError, match=f"what step 1 gave .*{words}"), scripted_model([lambda request: given]) as model:
        ask(model)


def test_a_request_can_be_read_in_the_same_way_over_every_protocol():
    read = []

    def computed(request):
        read.append(
            (request.system_text, request.last_user_text, request.tool_results, request.tools, request.model, request.streamed)
        )
        return reply("ok")

    blocks = [
        {"role": "user", "content": "7?"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "get", "input": {"id": 7}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": '{"state": "open"}'}]},
    ]
    items = [
        {"role": "user", "content": [{"type": "input_text", "text": "7?"}]},
        {"type": "function_call", "call_id": "c1", "name": "get", "arguments": '{"id": 7}'},
        {"type": "function_call_output", "call_id": "c1", "output": '{"state": "open"}'},
    ]
    with scripted_model([computed] * 3) as model:
        about = {"model": "gpt", "stream": False}
        post(f"{model.base_url}/chat/completions", about | {"messages": HISTORY, "tools": TOOLS})
        post(
            f"{model.base_url}/responses",
            about | {"instructions": "Be brief.", "input": items, "tools": [{"type": "function", "name": "get"}]},
        )
        post(
            f"{model.anthropic_base_url}/v1/messages",
            about | {"system": "Be brief.", "messages": blocks, "tools": [{"name": "get"}], "max_tokens": 5},
        )

    first, second, third = read
    assert first == second
    assert first[:2] == ("Be brief.", "7?")
    assert first[3:] == (("get",), "gpt", False)
    (result,) = first[2]
    assert (result.name, result.call_id, result.value, result.failed) == ("get", "c1", {"state": "open"}, None)
    assert third[:2] + third[3:] == first[:2] + first[3:]
    assert [(one.value, one.failed) for one in third[2]] == [({"state": "open"}, False)]


def test_results_of_earlier_turns_are_not_among_the_results():
    later = [*HISTORY, {"role": "assistant", "content": "It is open."}, {"role": "user", "content": "Thanks"}]
    with scripted_model([reply("ok")]) as model:
        post(f"{model.base_url}/chat/completions", {"model": "m", "messages": later})

    assert (model.requests[0].tool_results, model.requests[0].last_user_text) == ((), "Thanks")


def test_secrets_in_headers_are_masked():
    with scripted_model([reply("ok")]) as model:
        headers = {"Authorization": "Bearer hunter2", "x_api_key": "hunter2", "X_Team": "blue"}
        post(f"{model.base_url}/chat/completions", {"model": "m", "messages": HELLO}, **headers)

    (request,) = model.requests
    assert (request.headers["authorization"], request.headers["x-api-key"], request.headers["x-team"]) == ("***", "***", "blue")
    assert "hunter2" not in json.dumps(dict(request.headers))


def test_secrets_in_addresses_are_masked():
    with pytest.raises(ScriptError) as raised, scripted_model([]) as model:
        for path in ("chat/completions?api_key=hunter2", "nowhere?api_key=hunter2"):
            post(f"{model.base_url}/{path}", {"model": "m", "messages": HELLO})

    assert model.requests[0].path == "/v1/chat/completions?api_key=***"
    assert "hunter2" not in str(raised.value)


def test_scripts_are_told_apart_by_the_request():
    scripts = [
        script([reply("refund 1"), reply("refund 2")], when=lambda request: "refund" in request.last_user_text),
        script([reply("other 1")], then_repeats=reply("other again")),
    ]
    with scripted_model(scripts) as model:
        answers = [ask(model, text) for text in ("hello", "refund me", "bye", "refund now")]

    assert answers == ["other 1", "refund 1", "other again", "refund 2"]


def test_of_several_scripts_the_steps_left_are_named_with_theirs():
    scripts = [script([reply("a")], when=lambda request: False), script([reply("b")])]
    assert "  step 1 of script 1: reply('a')" in leave(scripts, ask)


def test_a_request_that_two_scripts_or_none_are_for_is_refused():
    every, none = (script([], when=lambda request, value=value: value) for value in (True, False))

    assert "request 1 is for script 1 and script 2" in leave([every, every], ask)
    assert "request 1 is for none of the scripts" in leave([none, none], ask)


def test_what_when_raises_leaves_the_block_unchanged_and_only_booleans_count():
    with pytest.raises(ZeroDivisionError), scripted_model([script([], when=lambda request: 1 / 0)]) as model:
        ask(model)
    with (
        pytest.raises(TypeError, match="'when' of script 1 must give True or False"),
        scripted_model([script([], when=lambda request: re.match("H", request.last_user_text))]) as model,
    ):
        ask(model)


def test_embeddings_that_raise_or_give_no_vector_leave_the_block():
    with pytest.raises(ZeroDivisionError), scripted_model([], embeddings=lambda text: [1 / 0]) as model:
        post(f"{model.base_url}/embeddings", {"model": "e", "input": "a"})
    with pytest.raises(TypeError, match="must give a list of numbers"), scripted_model([], embeddings=lambda text: "no") as model:
        post(f"{model.base_url}/embeddings", {"model": "e", "input": "a"})
    with pytest.raises(ValueError, match="none of harassment"), scripted_model([], moderations=lambda text: ["odd"]) as model:
        post(f"{model.base_url}/moderations", {"input": "a"})


def test_embeddings_can_fail():
    with scripted_model([], embeddings=fail(503, "down")) as model:
        status, answer = post(f"{model.base_url}/embeddings", {"model": "e", "input": "a"})

    assert (status, answer["error"]["message"]) == (503, "down")


@pytest.mark.parametrize("step", [call_tool("get", "[1]"), reply("x", tokens=None)])
def test_what_a_protocol_has_no_words_for_is_said(step):
    def use(model):
        status, _ = post(f"{model.base_url}/messages", {"model": "m", "max_tokens": 5, "messages": HELLO})
        assert status == 400

    assert "request 1 cannot be answered: " in leave([step], use)


def test_the_block_is_left_at_once_while_a_client_still_waits():
    with scripted_model([time_out()]) as model:
        waiting = threading.Thread(target=ask_in_vain, args=(model,))
        waiting.start()
        while not model.requests:
            pass
    waiting.join(10)

    assert not waiting.is_alive()


def test_an_answer_that_no_one_waited_for_is_an_error():
    def use(model):
        with pytest.raises(TimeoutError):
            ask(model, timeout=0.1)

    said = leave([reply("late", latency=20)], use)

    assert "request 1 went without its answer: its client had gone before step 1 began" in said
    assert said.endswith("The step for a client that is to give up waiting is time_out().")


def test_a_block_that_is_left_before_an_answer_began_says_so():
    def use(model):
        threading.Thread(target=ask_in_vain, args=(model,)).start()
        while not model.requests:
            pass

    assert "went without its answer" in leave([reply("late", latency=20)], use)


def test_of_what_repeats_no_answer_is_missed():
    with scripted_model([], then_repeats=reply("late", latency=20)) as model, pytest.raises(TimeoutError):
        ask(model, timeout=0.1)

    assert len(model.requests) == 1


def test_the_block_is_left_while_all_threads_of_the_event_loop_wait_for_the_model():
    async def main():
        loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(1))
        async with scripted_model([time_out()]) as model:
            waiting = loop.run_in_executor(None, ask_in_vain, model)
            while not model.requests:
                pass
        await waiting
        return model

    assert repr(asyncio.run(main())) == "<scripted model, closed: 1 requests>"


def test_leaving_waits_for_a_computed_step_that_still_runs():
    begun, may_end = threading.Event(), threading.Event()

    def slow(request):
        begun.set()
        may_end.wait(10)
        raise ZeroDivisionError

    async def main():
        async with scripted_model([slow]) as model:
            asyncio.get_running_loop().run_in_executor(None, ask_in_vain, model)
            await asyncio.to_thread(begun.wait, 10)
            asyncio.get_running_loop().call_later(0.05, may_end.set)

    with pytest.raises(ZeroDivisionError):
        asyncio.run(main())


def test_a_model_lives_in_one_block():
    model = scripted_model([])
    assert repr(model) == "<scripted model, not entered: 0 requests>"
    with pytest.raises(RuntimeError, match="inside its block"):
        _ = model.base_url
    with model:
        assert model.base_url in repr(model)
    assert repr(model) == "<scripted model, closed: 0 requests>"
    with pytest.raises(RuntimeError, match="played once"), model:
        pass


def test_the_environment_names_the_model_and_keeps_it_from_proxies(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "example.org")
    with scripted_model([]) as model:
        environment = model.environment()
        assert environment["OPENAI_BASE_URL"] == model.base_url
        assert environment["ANTHROPIC_BASE_URL"] == model.anthropic_base_url

    assert environment["NO_PROXY"] == "example.org,127.0.0.1"
    assert environment["ANTHROPIC_API_KEY"]


def test_of_a_long_conversation_the_last_messages_are_shown():
    history = [{"role": "user", "content": f"question {number}"} for number in range(20)]

    said = leave([], lambda model: post(f"{model.base_url}/chat/completions", {"model": "m", "messages": history}))

    assert "… 12 earlier messages …" in said
    assert "question 11" not in said
    assert "user: 'question 19'" in said


def test_a_request_without_messages_is_shown_as_it_is():
    said = leave([reply("x")], lambda model: post(f"{model.base_url}/embeddings", {"model": "e", "input": "a"}))

    assert "{'model': 'e', 'input': 'a'}" in said


def test_a_result_that_is_no_text_is_shown_as_json():
    image = [{"type": "image_url", "image_url": {"url": "data:"}}]
    with scripted_model([reply("ok")]) as model:
        messages = [{"role": "tool", "tool_call_id": "c9", "content": image}]
        post(f"{model.base_url}/chat/completions", {"model": "m", "messages": messages})

    (result,) = model.requests[0].tool_results
    assert (result.name, result.call_id, result.value, model.requests[0].last_user_text) == (None, "c9", image, "")
