"""What each framework's agents are given, what they tell of their tools, and how their ends are told."""

from __future__ import annotations

import asyncio
import json

import pytest
from agents import Agent as OpenAIAgent
from agents import Handoff, function_tool, handoff
from langchain.agents import create_agent
from langchain.tools import ToolRuntime
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.tools import StructuredTool, tool
from langchain_core.tools import Tool as SimpleTool
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.func import entrypoint
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import interrupt
from pydantic_ai import Agent as PydanticAgent
from pydantic_ai import DeferredToolRequests
from pydantic_ai.toolsets import FunctionToolset, PrefixedToolset
from typing_extensions import TypedDict

from agentassert import Decision, Status, assert_that, mocked_tools, returns, run
from agentassert.adapters.driver import Answer, Pause, PendingApproval
from agentassert.adapters.langchain.answers import resume_value
from agentassert.adapters.langchain.driving import RunnableDriver
from agentassert.adapters.openai_agents.driving import OpenAIAgentsDriver
from agentassert.driving import drive, tools_of
from tests.adapters.kits import Ask, Request, Say, Tool
from tests.adapters.kits.langchain import LangChainKit
from tests.adapters.kits.openai_agents import OpenAIAgentsKit
from tests.adapters.kits.pydantic_ai import PydanticAIKit
from tests.driving.cashiers import KINDS, refund
from tests.scripted import langchain, openai_agents, pydantic_ai

OBJECT = '{"a": 4, "b": "ü"}'


def sent_by_langchain(payload):
    model = langchain.ScriptedChatModel("done")
    run(create_agent(model, []), payload)
    return [(message.type, message.text) for message in model.requests[0]]


def sent_by_openai_agents(payload):
    model = openai_agents.ScriptedModel("done")
    run(OpenAIAgent("support", model=model), payload)
    return [(item["role"], item["content"]) for item in model.requests[0].input]


def sent_by_pydantic_ai(payload):
    cap = run(PydanticAgent(pydantic_ai.ScriptedModel("done")), payload)
    return [(message["role"], message["content"]) for message in cap.invocation.model_calls[0].messages]


@pytest.mark.parametrize("sent_by", [sent_by_langchain, sent_by_openai_agents, sent_by_pydantic_ai])
def test_agents_that_take_messages_get_text_as_it_is_and_a_mapping_as_json(sent_by):
    assert [text for _, text in sent_by("Hello")] == ["Hello"]
    assert [json.loads(text) for _, text in sent_by(OBJECT)] == [{"a": 4, "b": "ü"}]
    assert [json.loads(text) for _, text in sent_by({"a": 4})] == [{"a": 4}]


def test_a_mapping_that_is_a_graphs_own_state_is_that():
    model = langchain.ScriptedChatModel("done")

    run(create_agent(model, []), {"messages": [("system", "Be short"), ("user", "Hi")]})

    assert [message.text for message in model.requests[0]] == ["Be short", "Hi"]


class State(TypedDict, total=False):
    a: int
    total: int


def adding_graph():
    graph = StateGraph(State)
    graph.add_node("add", lambda state: {"total": state["a"] + 1})
    graph.add_edge(START, "add")
    graph.add_edge("add", END)
    return graph.compile(name="adder")


def test_a_plain_graph_gets_the_mapping():
    cap = run(adding_graph(), '{"a": 4}')

    assert (cap.invocation.name, cap.output) == ("adder", {"a": 4, "total": 5})


def test_a_plain_graph_refuses_text():
    with pytest.raises(ValueError, match="the graph 'adder' takes a mapping with a, total, but the payload is 'Hi'"):
        run(adding_graph(), "Hi")


def test_a_functional_graph_gets_the_payload_as_it_is():
    @entrypoint()
    def greet(name):
        return f"Hello {name}"

    assert run(greet, "Ann").output == "Hello Ann"


def test_a_runnable_gets_the_payload_as_it_is():
    chain = ChatPromptTemplate.from_template("Hello {name}") | langchain.ScriptedChatModel("Hi")

    cap = run(chain, '{"name": "Ann"}', name="greeter")

    assert (cap.invocation.name, cap.invocation.output_text) == ("greeter", "Hi")
    assert tools_of(chain) is None


def test_a_graph_without_a_name_is_called_by_the_given_one():
    graph = StateGraph(State)
    graph.add_node("add", lambda state: {"total": 1})
    graph.add_edge(START, "add")

    assert run(graph.compile(), '{"a": 4}', name="adder").invocation.name == "adder"


@pytest.mark.parametrize(
    "agent",
    [
        create_agent(langchain.ScriptedChatModel(ValueError("no")), []),
        OpenAIAgent("support", model=openai_agents.ScriptedModel(ValueError("no"))),
        PydanticAgent(pydantic_ai.ScriptedModel(ValueError("no"))),
    ],
    ids=["langgraph", "openai_agents", "pydantic_ai"],
)
def test_what_an_agent_of_a_framework_fails_with_is_in_the_capture(agent):
    assert_that(run(agent, "Hi")).has_failed_with(ValueError)


@pytest.mark.parametrize("kind", ["langgraph", "openai_agents", "pydantic_ai"])
def test_tools_are_listed_without_running_the_agent(kind):
    assert tools_of(KINDS[kind]([50], False)) == ["refund"]


def test_tools_of_a_callable_are_unknown():
    assert tools_of(KINDS["function"]([50], False)) is None


@tool
def look(key: str) -> str:
    """Look it up."""
    return key


def test_tools_of_a_graph_include_those_of_its_subgraphs():
    inner = create_agent(langchain.ScriptedChatModel(), [look], name="inner")
    outer = StateGraph(MessagesState)
    outer.add_node("inner", inner)
    outer.add_edge(START, "inner")

    assert tools_of(outer.compile()) == ["look"]


def test_tools_of_a_plain_graph_are_unknown_and_can_be_mocked_all_the_same():
    graph = StateGraph(State)
    graph.add_node("look", lambda state: {"total": look.invoke({"key": "a"})})
    graph.add_edge(START, "look")
    looking = graph.compile(name="looker")

    assert tools_of(looking) is None
    assert run(looking, '{"a": 1}', mocks={"look": returns("mocked")}).output["total"] == "mocked"


def test_an_agent_without_tools_has_none():
    agent = create_agent(langchain.ScriptedChatModel("done"), [])

    assert tools_of(agent) == []
    with pytest.raises(ValueError, match="the agent has no tool 'never_decorated' to mock; it has none"):
        run(agent, "Hi", mocks={"never_decorated": returns("mocked")})


def test_tools_of_handoffs_can_be_mocked_but_are_not_the_agents_own():
    clerk = OpenAIAgent("clerk", tools=[function_tool(refund)])
    desk = OpenAIAgent("desk", model=openai_agents.ScriptedModel("done"), handoffs=[clerk, handoff(clerk)])

    assert tools_of(desk) == []
    assert run(desk, "Hi", mocks={"refund": lambda amount: "mocked"}).output == "done"


def test_tools_that_only_a_run_can_list_are_unknown():
    toolset = PrefixedToolset(FunctionToolset([refund]), prefix="bank")

    assert tools_of(PydanticAgent(toolsets=[toolset])) is None
    assert tools_of(PydanticAgent(toolsets=[FunctionToolset([refund])])) == ["refund"]


def asking_graph(saver):
    def ask(state):
        return {"total": interrupt("How many?")}

    graph = StateGraph(State)
    graph.add_node("ask", ask)
    graph.add_edge(START, "ask")
    return graph.compile(name="asker", checkpointer=saver)


def test_a_response_answers_an_interrupt_that_asks_for_more_than_a_yes():
    cap = run(asking_graph(InMemorySaver()), '{"a": 1}', approvals=[{"tool": "ask", "decision": "approve", "response": "7"}])

    assert (cap.invocation.status, cap.output["total"]) == (Status.COMPLETED, 7)


def test_an_interrupt_of_ones_own_gets_a_yes_or_a_no():
    outputs = [
        run(asking_graph(InMemorySaver()), '{"a": 1}', approvals=[{"tool": "ask", "decision": one}]).output["total"]
        for one in ("approve", "reject", "timeout")
    ]

    assert outputs == [True, False, False]


def test_a_graph_without_a_checkpointer_cannot_be_answered_and_says_so():
    approvals = [{"tool": "asker", "decision": "approve"}]

    assert run(asking_graph(None), '{"a": 1}').invocation.status == Status.AWAITING_APPROVAL
    with pytest.raises(ValueError, match="the graph 'asker' has no checkpointer"):
        run(asking_graph(None), '{"a": 1}', approvals=approvals)


class SyncOnlySaver(InMemorySaver):
    """As those for synchronous databases, which know nothing of event loops."""

    aget_tuple = BaseCheckpointSaver.aget_tuple
    aput = BaseCheckpointSaver.aput
    aput_writes = BaseCheckpointSaver.aput_writes


def test_a_checkpointer_that_is_synchronous_is_used_as_one():
    approvals = [{"tool": "ask", "decision": "approve", "response": "7"}]

    assert run(asking_graph(SyncOnlySaver()), '{"a": 1}', approvals=approvals).output["total"] == 7


APPROVED, REJECTED, TIMED_OUT, TOLD = (
    Answer(PendingApproval("pay", {}), *given)
    for given in (
        (Decision.APPROVE,),
        (Decision.REJECT, "too much"),
        (Decision.TIMEOUT,),
        (Decision.APPROVE, None, '{"name": "Ann"}'),
    )
)
INBOX = {"action_request": {"action": "pay", "args": {}}, "config": {}}


@pytest.mark.parametrize(
    ("payload", "answers", "expected"),
    [
        ("Really?", [APPROVED], True),
        ("Really?", [REJECTED], False),
        ("Who?", [TOLD], {"name": "Ann"}),
        ("Who?", [Answer(PendingApproval("pay", {}), Decision.APPROVE, None, "Ann")], "Ann"),
        ({"type": "tool_approval", "name": "pay"}, [APPROVED], {"type": "approve"}),
        ({"type": "tool_approval", "name": "pay"}, [REJECTED], {"type": "reject", "message": "too much"}),
        (
            {"action_requests": [{"name": "pay"}] * 3},
            [APPROVED, TIMED_OUT, TOLD],
            {
                "decisions": [
                    {"type": "approve"},
                    {"type": "reject", "message": "nobody decided in time"},
                    {"type": "respond", "message": '{"name": "Ann"}'},
                ]
            },
        ),
        (
            [INBOX, INBOX, INBOX],
            [APPROVED, REJECTED, TOLD],
            [
                {"type": "accept", "args": None},
                {"type": "ignore", "args": "too much"},
                {"type": "response", "args": '{"name": "Ann"}'},
            ],
        ),
    ],
)
def test_an_interrupt_is_answered_in_the_form_of_its_question(payload, answers, expected):
    assert resume_value(payload, answers) == expected


def test_a_runnable_that_is_no_graph_never_waits():
    with pytest.raises(NotImplementedError, match="never waits"):
        asyncio.run(RunnableDriver().resume(None, Pause((), None), []))


def test_tools_that_a_handoff_or_a_server_hides_are_unknown():
    hiding = OpenAIAgent(
        "desk",
        model=openai_agents.ScriptedModel("done"),
        handoffs=[
            Handoff(tool_name="transfer", tool_description="", input_json_schema={}, on_invoke_handoff=None, agent_name="clerk")
        ],
    )
    served = OpenAIAgent("desk", mcp_servers=["a server"])
    boss = OpenAIAgent("boss", tools=[OpenAIAgent("clerk", tools=[function_tool(refund)]).as_tool("ask_clerk", "Ask")])

    assert OpenAIAgentsDriver().tools_in_reach_of(hiding) is None
    assert tools_of(served) is None
    assert set(OpenAIAgentsDriver().tools_in_reach_of(boss)) >= {"ask_clerk"}


def test_frameworks_that_take_no_response_say_so():
    approvals = [{"tool": "refund", "decision": "approve", "response": "Ann"}]

    for kind, name in (("openai_agents", "the OpenAI Agents SDK"), ("pydantic_ai", "Pydantic AI")):
        with pytest.raises(ValueError, match=f"{name} takes no response to the approval of 'refund'"):
            run(KINDS[kind]([50], True), "Hi", approvals=approvals)


def external_agent():
    from pydantic_ai.tools import ToolDefinition
    from pydantic_ai.toolsets import ExternalToolset

    script = [pydantic_ai.asks_for(("ask_name", {}, "c1")), pydantic_ai.says("done")]
    toolset = ExternalToolset([ToolDefinition(name="ask_name", parameters_json_schema={"type": "object"})])
    return PydanticAgent(pydantic_ai.ScriptedModel(*script), toolsets=[toolset], output_type=[str, DeferredToolRequests])


def test_the_result_of_a_tool_that_runs_elsewhere_is_a_response():
    cap = run(external_agent(), "Hi", approvals=[{"tool": "ask_name", "decision": "approve", "response": "Ann"}])

    assert_that(cap).has_succeeded().results_of("ask_name").is_equal_to(["Ann"])
    with pytest.raises(ValueError, match="the result of 'ask_name' is waited for"):
        run(external_agent(), "Hi", approvals=[{"tool": "ask_name", "decision": "approve"}])
    assert run(external_agent(), "Hi", approvals=[{"tool": "ask_name", "decision": "reject"}]).output == "done"


@pytest.mark.parametrize("kit", [LangChainKit(), OpenAIAgentsKit(), PydanticAIKit()], ids=lambda kit: kit.framework)
def test_several_requests_of_one_response_are_decided_one_by_one(kit):
    requests = [Request("refund", {"amount": amount}, f"c{amount}") for amount in (1, 2, 3)]
    agent = kit.agent(Ask(*requests), Say("done"), tools=[Tool(refund, needs_approval=True)])
    approvals = [
        {"tool": "refund", "decision": "timeout", "params": "params.amount == 2"},
        {"tool": "refund", "decision": "reject", "params": "params.amount == 1"},
        {"tool": "refund", "decision": "approve"},
    ]

    cap = run(agent, "Hi", approvals=approvals, strict_approvals=True)

    decided = {one.arguments["amount"]: one.decision for one in cap.invocation.approvals}
    assert decided == {1: Decision.REJECT, 2: Decision.TIMEOUT, 3: Decision.APPROVE}
    assert [one.arguments["amount"] for one in cap.invocation.tool_executions] == [3]


@pytest.mark.parametrize("kit", [LangChainKit(), OpenAIAgentsKit(), PydanticAIKit()], ids=lambda kit: kit.framework)
def test_a_run_stops_where_one_of_several_requests_has_no_decision(kit):
    requests = [Request("refund", {"amount": amount}, f"c{amount}") for amount in (1, 2)]
    agent = kit.agent(Ask(*requests), Say("done"), tools=[Tool(refund, needs_approval=True)])

    driven = drive(agent, "Hi", approvals=[{"tool": "refund", "decision": "approve", "params": "params.amount == 1"}])

    assert driven.capture.invocation.status == Status.AWAITING_APPROVAL
    assert [one.arguments for one in driven.unmatched] == [{"amount": 2}]
    assert driven.unused == ()
    assert driven.capture.invocation.tool_executions == ()


@tool
def look_around(key: str, runtime: ToolRuntime) -> str:
    """Look it up, with what LangChain fills in."""
    return "real"


@tool(response_format="content_and_artifact")
def look_closely(key: str):
    """Look it up, and keep what was found."""
    return "real", {}


def only_text(key):
    return "real"


look_once = SimpleTool(name="look_once", func=only_text, description="Look it up.")
described = StructuredTool(
    name="described",
    description="Look it up.",
    func=lambda **given: "real",
    args_schema={"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"]},
)


@pytest.mark.parametrize(
    ("looking", "arguments", "mock", "result"),
    [
        (look_around, {"key": "a"}, lambda key: f"mocked {key}", "mocked a"),
        (look_around, {"key": "a"}, lambda key, runtime: f"mocked {type(runtime).__name__}", "mocked ToolRuntime"),
        (look_closely, {"key": "a"}, returns("mocked"), "mocked"),
        (look_closely, {"key": "a"}, returns(("mocked", [1])), "mocked"),
        (look_once, {"__arg1": "a"}, lambda key: f"mocked {key}", "mocked a"),
        (described, {"key": "a"}, lambda key: f"mocked {key}", "mocked a"),
    ],
)
def test_doubles_stand_in_for_every_kind_of_langchain_tool(looking, arguments, mock, result):
    script = [langchain.asks_for((looking.name, arguments, "c1")), langchain.says("done")]

    cap = run(create_agent(langchain.ScriptedChatModel(*script), [looking]), "Hi", mocks={looking.name: mock})

    assert_that(cap).results_of(looking.name).is_equal_to([result])


def test_a_langchain_tool_that_takes_text_is_called_with_it():
    with mocked_tools(create_agent(langchain.ScriptedChatModel(), [look_once]), {"look_once": returns("mocked")}) as doubles:
        assert look_once.invoke("a") == "mocked"

    assert doubles.arguments_of("look_once") == [{"input": "a"}]


def test_an_empty_mapping_is_no_state_of_a_graph_with_messages():
    assert sent_by_langchain("{}") == [("human", "{}")]
