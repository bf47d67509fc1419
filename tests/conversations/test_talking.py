"""Talking with agents turn by turn: each remembers what was said before."""

from __future__ import annotations

import asyncio

import pytest
from agents import Agent as OpenAIAgent
from langchain.agents import create_agent
from langchain_core.prompts import ChatPromptTemplate
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from pydantic_ai import Agent as PydanticAgent
from typing_extensions import TypedDict

from agentassert import AgentAssertionError, Status, assert_that, record, returns
from agentassert.conversations import conversation
from tests.driving.cashiers import DONE, KINDS
from tests.scripted import langchain, openai_agents, pydantic_ai


def with_langgraph(*steps):
    model = langchain.ScriptedChatModel(*steps)
    return create_agent(model, [], checkpointer=InMemorySaver()), lambda: [(one.type, one.text) for one in model.requests[-1]]


def with_langgraph_that_forgets(*steps):
    model = langchain.ScriptedChatModel(*steps)
    return create_agent(model, []), lambda: [(one.type, one.text) for one in model.requests[-1]]


def with_openai_agents(*steps):
    model = openai_agents.ScriptedModel(*steps)

    def sent():
        return [(one["role"], _text(one["content"])) for one in model.requests[-1].input]

    return OpenAIAgent("support", model=model), sent


def _text(content):
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


def with_pydantic_ai(*steps):
    model = pydantic_ai.ScriptedModel(*steps)
    return PydanticAgent(model), lambda: [(part.part_kind, part.content) for one in model.requests[-1] for part in one.parts]


FRAMEWORKS = [with_langgraph, with_langgraph_that_forgets, with_openai_agents, with_pydantic_ai]


@pytest.mark.parametrize("build", FRAMEWORKS)
def test_an_agent_is_told_what_was_said_before(build):
    agent, sent = build("Which crossing?", "Booked.")

    with conversation(agent) as talk:
        assert talk.say("Book a ferry").bot_messages[0].text == "Which crossing?"
        assert talk.say("Moss").bot_messages[0].text == "Booked."

    assert [text for _, text in sent()] == ["Book a ferry", "Which crossing?", "Moss"]
    assert [(turn.user.text, turn.bot_messages[0].text) for turn in talk.conversation.turns] == [
        ("Book a ferry", "Which crossing?"),
        ("Moss", "Booked."),
    ]


@pytest.mark.parametrize("build", FRAMEWORKS)
def test_two_conversations_know_nothing_of_each_other(build):
    agent, sent = build("one", "two")

    with conversation(agent) as talk:
        talk.say("first")
    with conversation(agent) as other:
        other.say("second")

    assert [text for _, text in sent()] == ["second"]
    assert len(other.conversation.turns) == 1


@pytest.mark.parametrize("build", FRAMEWORKS)
def test_asynchronous_code_talks_too(build):
    agent, sent = build("Which crossing?", "Booked.")

    async def talking():
        async with conversation(agent) as talk:
            await talk.say_async("Book a ferry")
            return await talk.say_async("Moss"), talk.conversation

    turn, talked = asyncio.run(talking())

    assert turn == talked.turn(1)
    assert [text for _, text in sent()] == ["Book a ferry", "Which crossing?", "Moss"]


@pytest.mark.parametrize("kind", ["langgraph", "openai_agents", "pydantic_ai", "function", "graph of its own"])
def test_approvals_are_decided_where_something_is_said(kind):
    agent = KINDS[kind]([50], True)

    with conversation(agent) as talk:
        turn = talk.say("Refund 50", approvals=[{"tool": "refund", "decision": "approve"}])

    assert_that(turn).in_order().has_action_executed("refund").has_bot_uttered(text_matching=DONE)


@pytest.mark.parametrize("kind", ["openai_agents", "pydantic_ai"])
def test_after_an_approval_the_history_goes_on(kind):
    agent = KINDS[kind]([50], True)

    with conversation(agent) as talk:
        talk.say("Refund 50", approvals=[{"tool": "refund", "decision": "approve"}])
        turn = talk.say("Thanks")

    assert turn.index == 1  # the script is over, so the second turn failed; what was said is there all the same
    assert turn.user.text == "Thanks"
    assert turn.invocation.status is Status.FAILED


def test_a_request_that_nobody_decides_leaves_the_turn_waiting():
    with conversation(KINDS["function"]([50], True)) as talk:
        turn = talk.say("Refund 50")

    assert turn.invocation.status is Status.AWAITING_APPROVAL
    assert turn.bot_messages == ()


class Booking(TypedDict, total=False):
    text: str
    seats: int


def test_a_graph_of_its_own_state_keeps_it_from_turn_to_turn():
    graph = StateGraph(Booking)
    graph.add_node("count", lambda state: {"seats": state.get("seats", 0) + 1})
    graph.add_edge(START, "count")

    with conversation(graph.compile(checkpointer=InMemorySaver()), name="counter") as talk:
        talk.say('{"text": "one"}')
        turn = talk.say('{"text": "one more"}')

    assert_that(turn).has_slot_set("seats", 2)


def test_a_graph_that_could_remember_nothing_is_refused():
    graph = StateGraph(Booking)
    graph.add_node("count", lambda state: {"seats": 1})
    graph.add_edge(START, "count")

    with (
        pytest.raises(ValueError, match="remembers nothing of a conversation: compile it with checkpointer"),
        conversation(graph.compile(name="counter")) as talk,
    ):
        talk.say('{"text": "one"}')


def test_what_keeps_nothing_is_no_partner_in_a_conversation():
    chain = ChatPromptTemplate.from_template("Hello {name}") | langchain.ScriptedChatModel("Hi")

    with pytest.raises(TypeError, match="nothing of it remembers what was said; give a function"):
        conversation(chain)


def test_a_function_is_called_for_each_message():
    said = []

    def parrot(message):
        said.append(message)
        return f"{len(said)}: {message}"

    with conversation(parrot) as talk:
        talk.say("a")
        talk.say("b")

    assert [turn.bot_messages[0].text for turn in talk.conversation.turns] == ["1: a", "2: b"]


def test_mocks_stand_in_for_tools_in_every_turn():
    @record.tool
    def price(article):
        raise RuntimeError("no shop in tests")

    with conversation(lambda message: f"{price(message)} euros", mocks={"price": returns(5)}) as talk:
        talk.say("lamp")
        talk.say("chair")

    assert [turn.bot_messages[0].text for turn in talk.conversation.turns] == ["5 euros", "5 euros"]


def test_an_agent_that_fails_lets_no_assertion_pass_and_the_conversation_goes_on():
    def fragile(message):
        if message == "Hi":
            raise ValueError("no model")
        return "Yes?"

    with conversation(fragile) as talk:
        failed = talk.say("Hi")
        assert_that(talk.say("Hello")).has_bot_uttered(text_matching="Yes")

    with pytest.raises(AgentAssertionError, match="but it failed with ValueError: no model"):
        assert_that(failed).has_no_bot_utterance()


def test_what_is_said_is_a_text_and_said_in_the_block():
    block = conversation(lambda message: message)
    with pytest.raises(RuntimeError, match="before anything is said"):
        block._talk.say("Hi")
    with block as talk:
        with pytest.raises(TypeError, match="what is said must be a text, but was 7"):
            talk.say(7)
        talk.say("Hi")

    with pytest.raises(RuntimeError, match="the conversation is over"):
        talk.say("Bye")


def test_the_block_itself_is_no_partner():
    block = conversation(lambda message: message)

    with pytest.raises(
        AttributeError, match=r"has no attribute 'say'; write `with conversation.* as talk:` and use `talk` inside"
    ):
        block.say("Hi")
    with pytest.raises(AttributeError, match=r"has no attribute 'shout'$"):
        block.shout("Hi")


def test_an_error_in_the_block_is_raised_as_it_is():
    with pytest.raises(KeyError), conversation(lambda message: message) as talk:
        talk.say("Hi")
        raise KeyError("mine")
