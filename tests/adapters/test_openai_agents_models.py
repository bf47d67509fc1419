"""Model calls of the OpenAI Agents SDK, and the tools that the provider runs."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from unittest.mock import AsyncMock, MagicMock

import pydantic
import pytest

pytest.importorskip("agents")

import agents
from agents import (
    Agent,
    AgentsException,
    Model,
    ModelProvider,
    ModelSettings,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    RunConfig,
    Runner,
    function_tool,
)
from openai import AsyncOpenAI
from openai.types.responses import ResponseFileSearchToolCall, ResponseFunctionWebSearch
from openai.types.responses.response_output_item import McpCall

from agentassert import FinishReason, Outcome, capture
from tests.adapters.openai_agents_parts import Dice, agent, broken, executed, get_booking, run_sync
from tests.scripted.openai_agents import Answer, ScriptedModel, asks_for, refuses, says


async def streamed(support, given="hi", **options):
    async for _ in Runner.run_streamed(support, given, **options).stream_events():
        pass


def run_streamed(support):
    asyncio.run(streamed(support))


@pytest.mark.parametrize("run", [run_sync, run_streamed])
def test_what_is_sent_and_what_comes_back_is_recorded(run):
    helper = agent(says("x"), name="helper")
    support = agent(
        asks_for(("get_booking", {"number": "1"}, "c1"), text="Let me look."),
        says("done", tokens=(20, 5)),
        tools=[get_booking, broken],
        handoffs=[helper],
        instructions="Be kind.",
    )

    with capture() as cap:
        run(support)

    first, second = cap.invocation.own_chat_model_calls
    assert (first.model, first.tools_offered) == ("scripted-1", ("get_booking", "broken", "transfer_to_helper"))
    assert first.messages == ({"role": "system", "content": "Be kind."}, {"role": "user", "content": "hi"})
    assert (first.response_text, second.response_text) == ("Let me look.", "done")
    assert (first.token_usage.total_tokens, second.token_usage.total_tokens) == (14, 25)
    assert [message["role"] for message in second.messages] == ["system", "user", "assistant", "assistant", "tool"]
    assert second.messages[3]["tool_calls"] == [{"name": "get_booking", "arguments": '{"number": "1"}', "call_id": "c1"}]
    assert (second.messages[4]["tool_call_id"], "Ann" in second.messages[4]["content"]) == ("c1", True)


@pytest.mark.parametrize("run", [run_sync, run_streamed])
def test_usage_that_is_not_reported_is_none(run):
    with capture() as cap:
        run(agent(says("done", tokens=None)))

    assert cap.invocation.own_chat_model_calls[0].token_usage is None


def test_the_sdk_tells_a_refusal_and_no_other_reason_to_finish():
    with capture() as cap:
        with contextlib.suppress(AgentsException):  # newer releases fail the run
            run_sync(agent(refuses("I will not.")))
        run_sync(agent(says("done")))

    assert [(one.finish_reason, one.raw_finish_reason) for one in cap.invocations] == [
        (FinishReason.CONTENT_FILTER, "refusal"),
        (None, None),
    ]
    assert cap.invocations[0].model_calls[0].response_text == "I will not."


class Weather(pydantic.BaseModel):
    """A structured answer."""

    celsius: int


def test_a_structured_output_is_converted():
    with capture() as cap:
        run_sync(agent(says('{"celsius": 7}'), output_type=Weather))

    assert (cap.output, cap.output_text) == ({"celsius": 7}, '{"celsius": 7}')


def test_a_model_that_the_provider_makes_is_seen_too():
    class Provider(ModelProvider):
        def get_model(self, model_name):
            class Late(ScriptedModel):
                async def get_response(self, *args, **kwargs):
                    return await super().get_response(*args, **kwargs)

            return Late(says(f"I am {model_name}"), model=model_name)

    with capture() as cap:
        run_sync(Agent("support", model="late-1", tools=[get_booking]), run_config=RunConfig(model_provider=Provider()))

    (call,) = cap.invocation.model_calls
    assert (call.model, call.response_text, call.tools_offered, call.attempts) == ("late-1", "I am late-1", ("get_booking",), 1)


def test_a_model_that_asks_another_one_is_one_call():
    class Proxy(Model):
        def __init__(self, behind):
            self.behind = behind

        async def get_response(self, *args, **kwargs):
            return await self.behind.get_response(*args, **kwargs)

        def stream_response(self, *args, **kwargs):
            return self.behind.stream_response(*args, **kwargs)

    with capture() as cap:
        run_sync(Agent("support", model=Proxy(ScriptedModel(says("one")))))
        run_streamed(Agent("support", model=Proxy(ScriptedModel(says("two")))))

    assert [[(call.response_text, call.attempts) for call in one.model_calls] for one in cap.invocations] == [
        [("one", 1)],
        [("two", 1)],
    ]


def test_a_mock_in_the_place_of_a_model_is_recorded():
    answer = asyncio.run(
        ScriptedModel(asks_for(("nothing", {}, "c1"), text="mocked")).get_response(None, "", None, [], None, [], None)
    )
    answer.output = answer.output[:1]
    mock = MagicMock(spec=Model)
    mock.get_response = AsyncMock(return_value=answer)

    with capture() as cap:
        run_sync(Agent("support", model=mock))

    (call,) = cap.invocation.model_calls
    assert (call.response_text, call.token_usage.total_tokens, call.tools_offered) == ("mocked", 14, None)


def test_a_mock_that_raises_is_a_failed_call():
    mock = MagicMock(spec=Model)
    mock.get_response = AsyncMock(side_effect=RuntimeError("500"))

    with capture(expecting_failure=True) as cap:
        run_sync(Agent("support", model=mock))

    assert [call.error for call in cap.invocation.model_calls] == [cap.invocation.error]


def test_a_model_that_a_tool_asks_is_not_the_agents_own():
    oracle = ScriptedModel(says("42"), model="oracle")

    @function_tool
    async def ask() -> str:
        """Ask the oracle."""
        answer = await oracle.get_response("Answer.", "What?", ModelSettings(), [], None, [], None)
        return answer.output[0].content[0].text

    with capture() as cap:
        run_sync(agent(asks_for(("ask", {}, "c1")), says("done"), tools=[ask]))

    assert [(call.model, call.own) for call in cap.invocation.model_calls] == [
        ("scripted-1", True),
        ("oracle", False),
        ("scripted-1", True),
    ]
    assert cap.invocation.model_calls[1].messages[0] == {"role": "system", "content": "Answer."}


def test_a_model_that_is_asked_outside_every_run_is_a_stray():
    with capture() as cap:
        asyncio.run(ScriptedModel(says("hello")).get_response(None, "hi", ModelSettings(), [], None, [], None))

    assert (cap.invocation.implicit, cap.output_text) == (True, "hello")


def test_a_failed_call_outside_every_run_has_its_error():
    with capture() as cap, pytest.raises(RuntimeError):
        asyncio.run(ScriptedModel(RuntimeError("500")).get_response(None, "hi", ModelSettings(), [], None, [], None))

    assert repr(cap.invocation.model_calls[0].error) == "RuntimeError('500')"


@pytest.mark.skipif(not hasattr(agents, "ModelRetrySettings"), reason="this release does not retry")
@pytest.mark.parametrize("run", [run_sync, run_streamed])
@pytest.mark.parametrize("outcome", ["answers", "gives up"])
def test_a_request_that_is_retried_is_one_call_with_its_attempts(run, outcome):
    retrying = ModelSettings(
        retry=agents.ModelRetrySettings(
            max_retries=1, backoff={"initial_delay": 0, "max_delay": 0, "jitter": False}, policy=lambda context: True
        )
    )
    second = says("done") if outcome == "answers" else RuntimeError("again")

    with capture(expecting_failure=outcome == "gives up") as cap:
        run(agent(RuntimeError("first"), second, model_settings=retrying))

    (call,) = cap.invocation.own_chat_model_calls
    assert call.attempts == 2
    assert (call.response_text, call.error) == (("done", None) if outcome == "answers" else (None, second))


REPLIES = {
    "/v1/chat/completions": {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "gpt-x",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "over the wire"}}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9},
    },
    "/v1/responses": {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": "gpt-x",
        "status": "completed",
        "output": [
            {
                "id": "m1",
                "type": "message",
                "role": "assistant",
                "status": "completed",
                "content": [{"type": "output_text", "text": "over the wire", "annotations": []}],
            }
        ],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": 7,
            "output_tokens": 2,
            "total_tokens": 9,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0},
        },
    },
}


class Wire(BaseHTTPRequestHandler):
    """A provider that knows one answer."""

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        body = json.dumps(REPLIES[self.path]).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


@pytest.fixture(scope="module")
def wire():
    server = HTTPServer(("127.0.0.1", 0), Wire)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("kind", [OpenAIChatCompletionsModel, OpenAIResponsesModel])
def test_the_sdks_own_models_are_recorded(kind, wire):
    async def go():
        async with AsyncOpenAI(api_key="key", base_url=wire) as client, capture() as cap:
            await Runner.run(Agent("support", model=kind("gpt-x", client), tools=[get_booking]), "hi")
        return cap

    (call,) = asyncio.run(go()).invocation.model_calls
    assert (call.model, call.response_text, call.tools_offered) == ("gpt-x", "over the wire", ("get_booking",))
    assert (call.token_usage.input_tokens, call.token_usage.output_tokens) == (7, 2)


def file_search(**fields):
    return ResponseFileSearchToolCall(id="f1", type="file_search_call", queries=["kettles"], **fields)


FOUND = [{"file_id": "f", "filename": "manual.pdf", "text": "Use vinegar.", "score": 0.5, "attributes": {"page": 7}}]


def test_what_a_hosted_search_found_are_sources():
    with capture() as cap:
        run_sync(agent(Answer([file_search(status="completed", results=FOUND), *says("Vinegar.").output])))

    (execution,) = cap.invocation.tool_executions
    assert (execution.name, execution.arguments, execution.outcome) == (
        "file_search",
        {"queries": ["kettles"]},
        Outcome.SUCCEEDED,
    )
    (source,) = cap.invocation.sources
    assert (source.text, source.score) == ("Use vinegar.", 0.5)
    assert source.metadata == {"page": 7, "filename": "manual.pdf", "file_id": "f"}


def test_a_hosted_search_that_shows_no_results_retrieved_nothing_that_is_known():
    with capture() as cap:
        run_sync(agent(Answer([file_search(status="failed"), *says("No idea.").output])))

    assert executed(cap) == [("file_search", Outcome.FAILED)]
    assert not cap.invocation.sources


def test_other_hosted_tools_are_executions_of_the_provider():
    web = ResponseFunctionWebSearch(
        id="w1", type="web_search_call", status="completed", action={"type": "search", "query": "kettles", "queries": ["kettles"]}
    )
    call = {"type": "mcp_call", "name": "roll", "arguments": '{"sides": 6}', "server_label": "dice"}
    rolled = McpCall(id="m1", output="4", **call)
    jammed = McpCall.model_construct(id="m2", error={"type": "mcp_protocol_error", "code": 7, "message": "jammed"}, **call)

    with capture() as cap:
        run_streamed(agent(Answer([web, rolled, jammed, *says("done").output])))

    assert [(one.name, one.outcome, one.result) for one in cap.invocation.tool_executions] == [
        ("web_search", Outcome.SUCCEEDED, None),
        ("roll", Outcome.SUCCEEDED, 4),
        ("roll", Outcome.FAILED, None),
    ]
    assert cap.invocation.tool_executions[0].arguments["query"] == "kettles"
    assert (cap.invocation.tool_executions[1].arguments, cap.invocation.tool_executions[2].error) == ({"sides": 6}, "jammed")


@pytest.mark.parametrize("config", [None, RunConfig(tracing_disabled=True)])
@pytest.mark.parametrize(
    ("sides", "outcome", "error"),
    [(6, Outcome.SUCCEEDED, None), (-1, Outcome.FAILED, "too few sides"), (0, Outcome.FAILED, "no sides")],
)
def test_a_tool_of_an_mcp_server_is_recorded_with_what_the_server_says_about_it(sides, outcome, error, config):
    support = agent(asks_for(("roll", {"sides": sides}, "c1")), says("done"), mcp_servers=[Dice()])

    with capture() as cap:
        run_sync(support, run_config=config)

    (execution,) = cap.invocation.tool_executions
    assert (execution.name, execution.arguments, execution.outcome) == ("roll", {"sides": sides}, outcome)
    assert execution.error is None if error is None else error in str(execution.error)
    assert cap.invocation.model_calls[0].tools_offered == ("roll",)
