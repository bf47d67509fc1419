"""The clients of OpenAI and Anthropic get from a scripted model what they get from the provider."""

from __future__ import annotations

import asyncio
import urllib.request

import pytest

pytest.importorskip("anthropic")
pytest.importorskip("openai")

import anthropic
import openai

from agentassert import assert_that, capture, record
from agentassert.scripted import Api, call_tool, refuse, reply, scripted_model
from tests.scripted_server.asking import HELLO

TOOLS = [{"type": "function", "function": {"name": "get", "description": "Get", "parameters": {"type": "object"}}}]
ITEM_TOOLS = [{"type": "function", "name": "get", "parameters": {"type": "object"}, "strict": False}]
BLOCK_TOOLS = [{"name": "get", "description": "Get", "input_schema": {"type": "object"}}]
BOTH = reply("Let me see.", call_tool("get", {"id": 7}), call_tool("get", {"id": 8}), tokens=(31, 12))


@pytest.fixture
def played():
    """A model that answers with a text and two requests for tools, and clients of it."""
    with (
        scripted_model([BOTH]) as model,
        openai.OpenAI(base_url=model.base_url, api_key="k") as client,
        anthropic.Anthropic(base_url=model.anthropic_base_url, api_key="k") as other,
    ):
        yield model, client, other


def test_a_chat_completion_holds_text_requests_and_usage(played):
    model, client, _ = played
    answer = client.chat.completions.create(model="gpt-5.2", messages=HELLO, tools=TOOLS)

    (choice,) = answer.choices
    assert choice.message.content == "Let me see."
    assert [(call.function.name, call.function.arguments) for call in choice.message.tool_calls] == [
        ("get", '{"id": 7}'),
        ("get", '{"id": 8}'),
    ]
    assert len({call.id for call in choice.message.tool_calls}) == 2
    assert (choice.finish_reason, answer.model) == ("tool_calls", "gpt-5.2")
    assert (answer.usage.prompt_tokens, answer.usage.completion_tokens, answer.usage.total_tokens) == (31, 12, 43)
    assert model.requests[0].tools == ("get",)


def test_a_streamed_chat_completion_adds_up_to_the_same(played):
    _, client, _ = played
    options = {"include_usage": True}
    with client.chat.completions.stream(model="m", messages=HELLO, tools=TOOLS, stream_options=options) as stream:
        pieces = [event.delta for event in stream if event.type == "content.delta" and event.delta]
        answer = stream.get_final_completion()

    assert pieces == ["Let ", "me ", "see."]
    assert answer.choices[0].message.content == "Let me see."
    assert [call.function.arguments for call in answer.choices[0].message.tool_calls] == ['{"id": 7}', '{"id": 8}']
    assert (answer.choices[0].finish_reason, answer.usage.total_tokens) == ("tool_calls", 43)


def test_a_streamed_chat_completion_reports_tokens_only_when_it_is_asked_to(played):
    _, client, _ = played
    chunks = list(client.chat.completions.create(model="m", messages=HELLO, stream=True))

    assert [chunk.usage for chunk in chunks if chunk.usage] == []
    assert chunks[-1].choices[0].finish_reason == "tool_calls"


def test_a_response_holds_items_in_the_order_of_the_parts(played):
    model, client, _ = played
    answer = client.responses.create(model="gpt-5.2", instructions="Be brief.", input="Hello", tools=ITEM_TOOLS)

    assert [item.type for item in answer.output] == ["message", "function_call", "function_call"]
    assert (answer.output_text, answer.output[1].arguments, answer.status) == ("Let me see.", '{"id": 7}', "completed")
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (31, 12)
    assert (model.requests[0].system_text, model.requests[0].last_user_text) == ("Be brief.", "Hello")


def test_a_streamed_response_adds_up_to_the_same(played):
    _, client, _ = played
    with client.responses.stream(model="m", input="Hello", tools=ITEM_TOOLS) as stream:
        pieces = [event.delta for event in stream if event.type == "response.output_text.delta"]
        answer = stream.get_final_response()

    assert pieces == ["Let ", "me ", "see."]
    assert [item.type for item in answer.output] == ["message", "function_call", "function_call"]
    assert (answer.output[2].arguments, answer.usage.total_tokens) == ('{"id": 8}', 43)


def test_a_message_holds_blocks_in_the_order_of_the_parts(played):
    model, _, client = played
    answer = client.messages.create(model="claude", max_tokens=99, system="Be brief.", messages=HELLO, tools=BLOCK_TOOLS)

    assert [block.type for block in answer.content] == ["text", "tool_use", "tool_use"]
    assert (answer.content[0].text, answer.content[1].input) == ("Let me see.", {"id": 7})
    assert (answer.stop_reason, answer.usage.input_tokens, answer.usage.output_tokens) == ("tool_use", 31, 12)
    assert (model.requests[0].api, model.requests[0].system_text) == (Api.MESSAGES, "Be brief.")


def test_a_streamed_message_adds_up_to_the_same(played):
    _, _, client = played
    with client.messages.stream(model="claude", max_tokens=99, messages=HELLO, tools=BLOCK_TOOLS) as stream:
        pieces = list(stream.text_stream)
        answer = stream.get_final_message()

    assert pieces == ["Let ", "me ", "see."]
    assert [block.input for block in answer.content[1:]] == [{"id": 7}, {"id": 8}]
    assert (answer.stop_reason, answer.usage.input_tokens, answer.usage.output_tokens) == ("tool_use", 31, 12)


EVERY_KIND = (BOTH, refuse("No."), reply("cut", finish_reason="length"), reply(""))


@pytest.mark.parametrize("step", EVERY_KIND, ids=["tools", "refusal", "length", "empty"])
def test_all_answers_pass_the_strict_validation_of_the_clients(step):
    options = {"api_key": "k", "_strict_response_validation": True}
    with (
        scripted_model([step] * 6) as model,
        openai.OpenAI(base_url=model.base_url, **options) as client,
        anthropic.Anthropic(base_url=model.anthropic_base_url, **options) as other,
    ):
        for streamed in (False, True):
            chat = client.chat.completions.create(model="m", messages=HELLO, stream=streamed)
            response = client.responses.create(model="m", input="Hello", stream=streamed)
            message = other.messages.create(model="m", max_tokens=9, messages=HELLO, stream=streamed)
        assert list(chat)[-1].choices[0].finish_reason
        assert list(response)[-1].response.status in {"completed", "incomplete"}
        assert list(message)[-1].type == "message_stop"


def test_asynchronous_clients_are_answered_as_well():
    async def main():
        async with (
            scripted_model([reply(f"answer {number}") for number in range(6)]) as model,
            openai.AsyncOpenAI(base_url=model.base_url, api_key="k") as client,
            anthropic.AsyncAnthropic(base_url=model.anthropic_base_url, api_key="k") as other,
        ):
            said = [(await client.chat.completions.create(model="m", messages=HELLO)).choices[0].message.content]
            async with client.chat.completions.stream(model="m", messages=HELLO) as stream:
                said.append((await stream.get_final_completion()).choices[0].message.content)
            said.append((await client.responses.create(model="m", input="Hello")).output_text)
            async with client.responses.stream(model="m", input="Hello") as stream:
                said.append((await stream.get_final_response()).output_text)
            said.append((await other.messages.create(model="m", max_tokens=9, messages=HELLO)).content[0].text)
            async with other.messages.stream(model="m", max_tokens=9, messages=HELLO) as stream:
                said.append(await stream.get_final_text())
            return said

    assert asyncio.run(main()) == [f"answer {number}" for number in range(6)]


def test_clients_side_by_side_get_a_step_each():
    async def main():
        async with (
            scripted_model([reply(str(number), latency=0.01) for number in range(40)]) as model,
            openai.AsyncOpenAI(base_url=model.base_url, api_key="k") as client,
        ):
            answers = await asyncio.gather(*(client.responses.create(model="m", input=str(number)) for number in range(40)))
            assert [request.number for request in model.requests] == list(range(1, 41))
            return {int(answer.output_text) for answer in answers}

    assert asyncio.run(main()) == set(range(40))


@pytest.mark.parametrize(
    ("reason", "chat", "response", "message"),
    [
        ("stop", "stop", None, "end_turn"),
        ("length", "length", "max_output_tokens", "max_tokens"),
        ("content_filter", "content_filter", "content_filter", "refusal"),
        ("pause_turn", "pause_turn", "pause_turn", "pause_turn"),
    ],
)
def test_finish_reasons_are_said_in_the_words_of_each_protocol(reason, chat, response, message):
    with (
        scripted_model([reply("so far", finish_reason=reason)] * 3) as model,
        openai.OpenAI(base_url=model.base_url, api_key="k") as client,
        anthropic.Anthropic(base_url=model.anthropic_base_url, api_key="k") as other,
    ):
        assert client.chat.completions.create(model="m", messages=HELLO).choices[0].finish_reason == chat
        details = client.responses.create(model="m", input="Hello").incomplete_details
        assert (details and details.reason) == response
        assert other.messages.create(model="m", max_tokens=9, messages=HELLO).stop_reason == message


def test_a_refusal_is_said_in_the_way_of_each_protocol():
    with (
        scripted_model([refuse("I will not.")] * 4) as model,
        openai.OpenAI(base_url=model.base_url, api_key="k") as client,
        anthropic.Anthropic(base_url=model.anthropic_base_url, api_key="k") as other,
    ):
        said = client.chat.completions.create(model="m", messages=HELLO).choices[0].message
        assert (said.refusal, said.content) == ("I will not.", None)
        with client.chat.completions.stream(model="m", messages=HELLO) as stream:
            assert stream.get_final_completion().choices[0].message.refusal == "I will not."
        with client.responses.stream(model="m", input="Hello") as stream:
            (part,) = stream.get_final_response().output[0].content
        assert (part.type, part.refusal) == ("refusal", "I will not.")
        answer = other.messages.create(model="m", max_tokens=9, messages=HELLO)
        assert (answer.stop_reason, answer.content[0].text) == ("refusal", "I will not.")


def test_tokens_that_are_not_reported_are_not_0():
    with (
        scripted_model([reply("x", tokens=None)] * 2) as model,
        openai.OpenAI(base_url=model.base_url, api_key="k") as client,
    ):
        assert client.chat.completions.create(model="m", messages=HELLO).usage is None
        assert client.responses.create(model="m", input="Hello").usage is None


def test_arguments_that_do_not_parse_are_sent_as_they_are():
    with (
        scripted_model([call_tool("get", '{"id": ', call_id="c1"), call_tool("get", "")]) as model,
        openai.OpenAI(base_url=model.base_url, api_key="k") as client,
    ):
        (call,) = client.chat.completions.create(model="m", messages=HELLO).choices[0].message.tool_calls
        with client.responses.stream(model="m", input="Hello") as stream:
            assert stream.get_final_response().output[0].arguments == ""

    assert (call.id, call.function.arguments) == ("c1", '{"id": ')


def test_texts_that_share_words_have_embeddings_near_each_other():
    def similarity(one, other):
        return sum(left * right for left, right in zip(one, other, strict=True))

    texts = ["How do I cancel my booking?", "cancel a booking", "opening hours of the office"]
    with scripted_model([]) as model, openai.OpenAI(base_url=model.base_url, api_key="k") as client:
        wanted, near, far = (one.embedding for one in client.embeddings.create(model="e", input=texts).data)
        (again,) = client.embeddings.create(model="e", input=texts[0], encoding_format="float").data
        (short,) = client.embeddings.create(model="e", input=[[1, 2], [3]][:1], dimensions=8).data

    assert similarity(wanted, near) > similarity(wanted, far)
    assert again.embedding == pytest.approx(wanted, abs=1e-6)
    assert len(short.embedding) == 8
    assert [request.api for request in model.requests] == [Api.EMBEDDINGS] * 3


def test_embeddings_and_moderations_can_be_given():
    with (
        scripted_model(
            [], embeddings=lambda text: [float(len(text)), 1], moderations=lambda text: ["violence"] * ("hit" in text)
        ) as model,
        openai.OpenAI(base_url=model.base_url, api_key="k") as client,
    ):
        assert client.embeddings.create(model="e", input="four").data[0].embedding == [4.0, 1.0]
        assert client.embeddings.create(model="e", input=[7, 77]).data[0].embedding == [4.0, 1.0]
        flagged, clean = client.moderations.create(input=["I hit you", "I greet you"]).results
        (typed,) = client.moderations.create(input=[{"type": "text", "text": "I hit you"}]).results

    assert (flagged.flagged, flagged.categories.violence, clean.flagged, typed.flagged) == (True, True, False, True)


def test_models_and_token_counts_need_no_step():
    with (
        scripted_model([]) as model,
        openai.OpenAI(base_url=model.base_url, api_key="k") as client,
        anthropic.Anthropic(base_url=model.anthropic_base_url, api_key="k") as other,
    ):
        assert [one.id for one in client.models.list()] == ["scripted-1"]
        assert [one.id for one in other.models.list()] == ["scripted-1"]
        counted = other.messages.count_tokens(model="m", messages=[{"role": "user", "content": "three short words"}])

    assert counted.input_tokens == 3


def test_a_loop_over_a_client_is_captured_as_over_the_provider():
    @record.tool
    def get(id: int) -> str:
        return f"booking {id}"

    history = [{"role": "user", "content": "7?"}]
    with (
        scripted_model([call_tool("get", {"id": 7}), reply("It is booking 7.", tokens=(40, 2))]) as model,
        openai.OpenAI(base_url=model.base_url, api_key="k") as client,
        capture("loop") as cap,
    ):
        said = client.chat.completions.create(model="m", messages=history, tools=TOOLS).choices[0].message
        history += [said, {"role": "tool", "tool_call_id": said.tool_calls[0].id, "content": get(id=7)}]
        client.chat.completions.create(model="m", messages=history, tools=TOOLS)

    assert_that(cap).has_tool_executed_with("get", {"id": 7}).has_no_more_tool_executions().has_total_tokens_at_most(57)
    assert_that(cap).output_text().is_equal_to("It is booking 7.")
    (result,) = model.requests[1].tool_results
    assert (result.name, result.text) == ("get", "booking 7")


def test_a_client_that_asks_only_whether_somebody_is_there_is_told_so():
    with scripted_model([reply("hi")]) as model:
        asking = urllib.request.Request(model.anthropic_base_url, method="HEAD")
        with urllib.request.urlopen(asking) as answer:
            assert (answer.status, answer.read()) == (200, b"")
        with anthropic.Anthropic(base_url=model.anthropic_base_url, api_key="k") as client:
            client.messages.create(model="m", max_tokens=5, messages=HELLO)
    assert len(model.requests) == 1
