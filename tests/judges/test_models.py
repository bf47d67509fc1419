"""Judges over the chat models of others, each through its own library."""

from __future__ import annotations

import asyncio

import pytest

from agentassert import Judge, JudgeError, TokenUsage, assert_that, capture, record
from agentassert.driving import looping
from tests.judges.answers import Asked, verdicts
from tests.scripted import loopback, openai_sdk


@pytest.fixture
def openai():
    return pytest.importorskip("openai", reason="needs the OpenAI SDK")


def _client(kind, provider):
    return kind(api_key="none", base_url=f"{provider.url}/v1", max_retries=0)


def test_an_openai_compatible_client(openai):
    with loopback.serving(openai_sdk.chat(verdicts("satisfied"), usage=(9, 4))) as provider:
        judgement = Judge(_client(openai.OpenAI, provider), model_name="judge-1").evaluate("Hello", "greets")
    assert judgement.satisfied
    assert judgement.token_usage == TokenUsage(input_tokens=9, output_tokens=4)
    ((path, body),) = provider.requests
    assert path.endswith("/chat/completions")
    assert (body["model"], [message["role"] for message in body["messages"]]) == ("judge-1", ["system", "user"])


def test_the_tokens_of_several_requests_are_added_up(openai):
    with loopback.serving(openai_sdk.chat(verdicts("satisfied"), usage=(9, 4))) as provider:
        judge = Judge(_client(openai.OpenAI, provider), model_name="judge-1", one_request_per_criterion=True)
        assert judge.evaluate("Hello", "greets", "is short").token_usage.total_tokens == 26


def test_an_openai_client_that_fails(openai):
    with loopback.serving(openai_sdk.failure(500)) as provider, pytest.raises(JudgeError, match="InternalServerError"):
        Judge(_client(openai.OpenAI, provider), model_name="judge-1").evaluate("Hello", "greets")


def test_an_asynchronous_openai_client_awaited_and_not(openai):
    with loopback.serving(openai_sdk.chat(verdicts("satisfied"))) as provider:
        assert asyncio.run(_awaited(_client(openai.AsyncOpenAI, provider))).satisfied
        assert Judge(_client(openai.AsyncOpenAI, provider), model_name="judge-1").evaluate("Hello", "greets").satisfied


def test_an_asynchronous_client_keeps_its_connections_from_one_judgement_to_the_next(openai):
    with loopback.serving(openai_sdk.chat(verdicts("satisfied")), keeps_connections=True) as provider, capture() as cap:
        client = _client(openai.AsyncOpenAI, provider)
        judge = Judge(client, model_name="judge-1")
        assert [judge.evaluate("Hello", "greets").satisfied for _ in range(3)] == [True] * 3
        looping.run_here(client.close())
    assert len(provider.requests) == 3
    assert cap.invocations == ()


async def _awaited(client):
    return await Judge(client, model_name="judge-1").evaluate_async("Hello", "greets")


def test_a_client_needs_the_name_of_a_model(openai):
    with pytest.raises(TypeError, match=r"Judge\(OpenAI\(\), model_name=…\)"):
        Judge(openai.OpenAI(api_key="none"))


def test_a_langchain_model():
    pytest.importorskip("langchain_core", reason="needs LangChain")
    from tests.scripted.langchain import ScriptedChatModel, says

    model = ScriptedChatModel(says(verdicts("not_satisfied"), tokens=(11, 3)), says(verdicts("satisfied")))
    judge = Judge(model)
    judgement = judge.evaluate("Hello", "greets")
    assert (judgement.satisfied, judgement.token_usage) == (False, TokenUsage(input_tokens=11, output_tokens=3))
    assert asyncio.run(judge.evaluate_async("Hello", "greets")).satisfied


def test_a_pydantic_ai_agent_and_a_model():
    pytest.importorskip("pydantic_ai", reason="needs Pydantic AI")
    from pydantic_ai import Agent

    from tests.scripted.pydantic_ai import ScriptedModel, says

    agent = Agent(ScriptedModel(says(verdicts("satisfied"), tokens=(11, 3))))
    judgement = Judge(agent).evaluate("Hello", "greets")
    assert (judgement.satisfied, judgement.token_usage) == (True, TokenUsage(input_tokens=11, output_tokens=3))
    assert Judge(ScriptedModel(says(verdicts("satisfied")))).evaluate("Hello", "greets").satisfied


def test_an_async_function_awaited_and_not():
    async def model(prompt):
        return verdicts("satisfied")

    assert Judge(model).evaluate("Hello", "greets").satisfied
    asyncio.run(_chained(Judge(model)))


async def _chained(judge):
    await judge.assert_that("Hello").satisfies_async("greets")
    with pytest.raises(TypeError, match="the method whose name ends in `_async`") as caught:
        judge.assert_that("Hello").satisfies("greets")
    assert type(caught.value) is TypeError
    await asyncio.to_thread(judge.assert_that("Hello").satisfies, "greets")


def test_a_judge_is_part_of_no_capture():
    from agentassert.judges import StatementJudge

    @record.agent
    def support(message):
        return "Hello"

    with capture() as cap:
        support("Hi")
        with record.model_call("recorded") as call:
            call.respond("x")

        def model(prompt):
            with record.model_call("judge") as inner:
                inner.respond("y")
            record.tool_execution("never", {})
            return verdicts("satisfied")

        Judge(model).assert_that("Hello").satisfies("greets")

        def embed(texts):
            record.tool_execution("never", {})
            return [[1.0] for _ in texts]

        StatementJudge(lambda prompt: '{"questions": ["Who?"]}', embed=embed).relevance(question="Who?", answer="Ann")
    assert cap.strays is not None
    assert [call.model for call in cap.strays.model_calls] == ["recorded"]
    assert not cap.strays.tool_executions
    assert cap.health.doubts == ()


def test_a_judges_sdk_calls_are_part_of_no_capture(openai):
    with loopback.serving(openai_sdk.chat(verdicts("satisfied"))) as provider, capture() as cap:
        Judge(_client(openai.OpenAI, provider), model_name="judge-1").evaluate("Hello", "greets")
    assert cap.invocations == ()
    assert len(provider.requests) == 1


def test_the_output_of_an_invocation_is_judged_with_its_input_and_sources():
    model = Asked(verdicts("satisfied"))
    with capture() as cap, record.invocation("support", input="Where is it?") as running:
        record.sources(["It is in Rome."])
        running.output = "In Rome."
    assert_that(cap).output_satisfies("says where", judge=Judge(model))
    assert model.document["user_message"] == "Where is it?"
    assert model.document["sources"] == ["It is in Rome."]
    assert model.document["text"] == "In Rome."
