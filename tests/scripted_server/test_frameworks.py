"""Real frameworks, over their real clients, are driven by a scripted model."""

from __future__ import annotations

import asyncio
import json

import pytest

pytest.importorskip("agents")
pytest.importorskip("langchain_anthropic")
pytest.importorskip("langchain_openai")
pytest.importorskip("pydantic_ai")

import anthropic
import openai
from agents import Agent as OpenAIAgent
from agents import OpenAIChatCompletionsModel, OpenAIResponsesModel, Runner, function_tool
from langchain.agents import create_agent
from langchain_anthropic import ChatAnthropic
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from pydantic_ai import Agent as PydanticAgent
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.models.openai import OpenAIResponsesModel as PydanticResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

from agentassert import assert_that, capture
from agentassert.scripted import call_tool, reply, scripted_model

SYSTEM = "You look bookings up."
QUESTION = "MS-777 and MS-778?"


def get_booking(number: str) -> str:
    """Look a booking up."""
    return json.dumps({"number": number, "customer": "Ann"})


def confirming(request):
    """The answer to what two tools gave."""
    return reply(f"Booked by {' and '.join(result.value['customer'] for result in request.tool_results)}.")


SCRIPT = [
    reply("Let me see.", call_tool("get_booking", {"number": "MS-777"}), call_tool("get_booking", {"number": "MS-778"})),
    confirming,
]


def langgraph(chat, *, streamed):
    agent = create_agent(chat, [tool(get_booking)], system_prompt=SYSTEM)
    given = {"messages": [("user", QUESTION)]}
    if streamed:
        for _ in agent.stream(given, stream_mode="messages"):
            pass
    else:
        agent.invoke(given)


async def alanggraph(chat, *, streamed):
    agent = create_agent(chat, [tool(get_booking)], system_prompt=SYSTEM)
    given = {"messages": [("user", QUESTION)]}
    if streamed:
        async for _ in agent.astream(given, stream_mode="messages"):
            pass
    else:
        await agent.ainvoke(given)


async def openai_agents(model, *, streamed):
    agent = OpenAIAgent("support", instructions=SYSTEM, model=model, tools=[function_tool(get_booking)])
    if not streamed:
        await Runner.run(agent, QUESTION)
        return
    async for _ in Runner.run_streamed(agent, QUESTION).stream_events():
        pass


async def pydantic_ai(model, *, streamed):
    agent = PydanticAgent(model, system_prompt=SYSTEM, tools=[get_booking])
    if not streamed:
        await agent.run(QUESTION)
        return

    async def read(context, events):
        async for _ in events:
            pass

    await agent.run(QUESTION, event_stream_handler=read)


async def over_openai(model, drive):
    async with openai.AsyncOpenAI(base_url=model.base_url, api_key="k") as client:
        await drive(client)


async def over_anthropic(model, drive):
    async with anthropic.AsyncAnthropic(base_url=model.anthropic_base_url, api_key="k") as client:
        await drive(client)


def chat_openai(model, **options):
    return ChatOpenAI(model="gpt-5.2", base_url=model.base_url, api_key="k", **options)


def chat_anthropic(model):
    return ChatAnthropic(model="claude-sonnet-5", base_url=model.anthropic_base_url, api_key="k", max_tokens=500)


AGENTS = {
    "langgraph, chat completions": lambda model, s: langgraph(chat_openai(model), streamed=s),
    "langgraph, responses": lambda model, s: langgraph(chat_openai(model, use_responses_api=True), streamed=s),
    "langgraph, messages": lambda model, s: langgraph(chat_anthropic(model), streamed=s),
    "async langgraph, chat completions": lambda model, s: asyncio.run(alanggraph(chat_openai(model), streamed=s)),
    "async langgraph, messages": lambda model, s: asyncio.run(alanggraph(chat_anthropic(model), streamed=s)),
    "openai agents, chat completions": lambda model, s: asyncio.run(
        over_openai(model, lambda client: openai_agents(OpenAIChatCompletionsModel("gpt-5.2", client), streamed=s))
    ),
    "openai agents, responses": lambda model, s: asyncio.run(
        over_openai(model, lambda client: openai_agents(OpenAIResponsesModel("gpt-5.2", client), streamed=s))
    ),
    "pydantic ai, chat completions": lambda model, s: asyncio.run(
        over_openai(
            model,
            lambda client: pydantic_ai(OpenAIChatModel("gpt-5.2", provider=OpenAIProvider(openai_client=client)), streamed=s),
        )
    ),
    "pydantic ai, responses": lambda model, s: asyncio.run(
        over_openai(
            model,
            lambda client: pydantic_ai(
                PydanticResponsesModel("gpt-5.2", provider=OpenAIProvider(openai_client=client)), streamed=s
            ),
        )
    ),
    "pydantic ai, messages": lambda model, s: asyncio.run(
        over_anthropic(
            model,
            lambda client: pydantic_ai(
                AnthropicModel("claude-sonnet-5", provider=AnthropicProvider(anthropic_client=client)), streamed=s
            ),
        )
    ),
}


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("name", AGENTS)
def test_an_agent_follows_the_script(name, streamed):
    with capture() as cap, scripted_model(SCRIPT) as model:
        AGENTS[name](model, streamed)

    (
        assert_that(cap)
        .has_succeeded()
        .has_tool_executed_with("get_booking", {"number": "MS-777"})
        .has_tool_executed_with("get_booking", {"number": "MS-778"})
        .has_no_more_tool_executions()
        .has_own_chat_model_call_count(2)
        .has_finish_reason("stop")
    )
    assert cap.output_text.endswith("Booked by Ann and Ann.")
    first, second = model.requests
    assert (first.system_text, first.last_user_text, first.tools, first.tool_results) == (SYSTEM, QUESTION, ("get_booking",), ())
    assert [result.name for result in second.tool_results] == ["get_booking", "get_booking"]
    assert first.streamed >= streamed  # Pydantic AI streams Anthropic's answers in any case
    assert all("k" != value for request in model.requests for value in request.headers.values())


def test_a_retriever_finds_by_the_embeddings_of_a_scripted_model():
    pytest.importorskip("numpy")
    from langchain_core.vectorstores import InMemoryVectorStore

    with scripted_model([]) as model:
        embeddings = OpenAIEmbeddings(model="e", base_url=model.base_url, api_key="k", check_embedding_ctx_length=False)
        store = InMemoryVectorStore.from_texts(["Opening hours: 9 to 5", "Cancel a booking within a day"], embeddings)
        (found,) = store.similarity_search("How do I cancel my booking?", k=1)

    assert found.page_content == "Cancel a booking within a day"


def test_agents_side_by_side_follow_scripts_of_their_own():
    from agentassert.scripted import script

    scripts = [
        script(
            [call_tool("get_booking", {"number": name}), reply(f"{name} is done.")],
            when=lambda r, name=name: name in r.last_user_text,
        )
        for name in ("MS-1", "MS-2", "MS-3")
    ]

    async def main(model):
        agent = create_agent(chat_openai(model), [tool(get_booking)])
        asked = (agent.ainvoke({"messages": [("user", f"{name}?")]}) for name in ("MS-3", "MS-1", "MS-2"))
        return [answer["messages"][-1].content for answer in await asyncio.gather(*asked)]

    with scripted_model(scripts) as model:
        assert asyncio.run(main(model)) == ["MS-3 is done.", "MS-1 is done.", "MS-2 is done."]


def test_a_framework_meets_the_error_that_a_script_ends_with():
    from agentassert.scripted import fail

    with capture(expecting_failure=True) as cap, scripted_model([fail(500, "overloaded")]) as model:
        create_agent(chat_openai(model), []).invoke({"messages": [("user", "Hi")]})

    assert_that(cap).has_failed_with(openai.InternalServerError).has_failed_with_message_containing("overloaded")
    assert [request.attempt for request in model.requests] == [1, 2]
