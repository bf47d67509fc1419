"""LlamaIndex."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from importlib.metadata import version
from typing import Any, NamedTuple

from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent
from llama_index.core.base.llms.types import ChatResponse
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, TextNode
from llama_index.core.tools import FunctionTool
from llama_index.core.workflow import Context, HumanResponseEvent, InputRequiredEvent
from llama_index_instrumentation.dispatcher import Dispatcher
from workflows.context.serializers import PickleSerializer
from workflows.events import WorkflowIdleEvent
from workflows.workflow import Workflow

from agentassert.adapters.llama_index import ADAPTER
from agentassert.adapters.llama_index.adapter import LlamaIndexAdapter
from tests.adapters.kits import QUESTION, Answer, Approve, Ask, Break, HandOff, Kit, Reject, Say, Step, Tool, refuse
from tests.adapters.llama_index_warnings import OWN_WARNINGS
from tests.scripted.llama_index import ScriptedModel, asks_for, says

WORKFLOWS = "llama-index-workflows"
REFUSED = "A tool asks from within itself: one that was refused goes on with the answer, and what it does then is its execution."


class Ending(FunctionAgent):
    """An agent that a tool's failure ends, unless the model is to be told; LlamaIndex's own tell the model always."""

    told: set[str]

    async def handle_tool_call_results(self, ctx: Any, results: Any, memory: Any) -> None:
        for one in results:
            if one.tool_output.exception is not None and one.tool_name not in self.told:
                raise one.tool_output.exception
        await super().handle_tool_call_results(ctx, results, memory)


class Listener(BaseEventHandler):
    """A handler of the user's own."""

    heard: list[str]

    @classmethod
    def class_name(cls) -> str:
        return "Listener"

    def handle(self, event: Any, **_: Any) -> None:
        response = getattr(event, "response", None)
        if type(event).__name__ == "LLMChatEndEvent":
            self.heard += [block.tool_name for block in response.message.blocks if block.block_type == "tool_call"]


class Finder(BaseRetriever):
    """A retriever that finds what it was made with."""

    def __init__(self, *texts: str) -> None:
        super().__init__()
        self._texts = texts

    def _retrieve(self, query_bundle: Any) -> list[NodeWithScore]:
        return [NodeWithScore(node=TextNode(text=text), score=0.5) for text in self._texts]


class Result(NamedTuple):
    """What a run leaves behind: its answer, or the context in which it waits, with what it asks."""

    answer: Any
    context: dict[str, Any] | None = None
    asked: Sequence[str] = ()


class LlamaIndexKit(Kit):
    """Agents that call functions, and workflows of them."""

    framework = ADAPTER
    title = "LlamaIndex"
    adapters = (LlamaIndexAdapter,)
    own_warnings = OWN_WARNINGS

    @property
    def versions(self) -> dict[str, str]:
        return {**super().versions, WORKFLOWS: version(WORKFLOWS)}

    @property
    def cannot(self) -> Mapping[str, str]:
        always = {
            "arguments_of_the_wrong_type": "LlamaIndex calls a function with the types that the model sent.",
            "retry_by_the_framework": "LlamaIndex runs a tool again only when the model asks for it again.",
            "stream": "LlamaIndex has its events read in async code only.",
            "approval_with_other_arguments": "A tool asks by itself, and only the tool knows what an answer means beyond yes and no.",
            "approval_refused": REFUSED,
            "approval_refused_in_another_capture": REFUSED,
        }
        lost = "Of several questions that wait at once, a saved context of this release holds one."
        return always | ({"several_approvals": lost} if self.is_oldest else {})

    def agent(
        self, *script: Step, tools: Sequence[Tool] = (), name: str = "support", handoffs: Sequence[Any] = (), retries: int = 0
    ) -> Any:
        if retries:
            refuse("retries of its own")
        agent = Ending(
            name=name,
            description=name,
            llm=ScriptedModel(*map(_step, script)),
            tools=[FunctionTool.from_defaults(_gated(one.function) if one.needs_approval else one.function) for one in tools],
            told={one.function.__name__ for one in tools if one.tells_errors},
        )
        return AgentWorkflow([agent, *handoffs], root_agent=name) if handoffs else agent

    def run(self, agent: Any, question: str = QUESTION, heard: list[str] | None = None) -> Result:
        if heard is None:
            return asyncio.run(_begun(agent, question))
        listener = Listener(heard=[])
        get_dispatcher().add_event_handler(listener)
        try:
            return asyncio.run(_begun(agent, question))
        finally:
            get_dispatcher().event_handlers.remove(listener)
            heard += listener.heard

    async def arun(self, agent: Any, question: str = QUESTION) -> Result:
        return Result(await agent.run(user_msg=question))

    async def astream(self, agent: Any, question: str = QUESTION) -> AsyncIterator[Any]:
        handler = agent.run(user_msg=question)
        try:
            async for event in handler.stream_events():
                yield event
        finally:
            await handler.cancel_run()

    def text_of(self, result: Any) -> str:
        return str(result.answer)

    def resume(self, agent: Any, result: Any, answer: Answer) -> Result:
        return asyncio.run(_continued(agent, result, _decision(answer)))

    def retriever(self, *texts: str) -> Callable[[str], list[str]]:
        finder = Finder(*texts)
        return lambda query: [found.text for found in finder.retrieve(query)]

    @property
    def hooked(self) -> Sequence[tuple[type, str]]:
        return [(Workflow, "run"), (Dispatcher, "span_enter")]


async def _begun(agent: Any, question: str) -> Result:
    return await _ended(agent.run(user_msg=question))


async def _continued(agent: Any, result: Result, decision: Mapping[str, Any]) -> Result:
    handler = agent.run(ctx=Context.from_dict(agent, result.context, serializer=PickleSerializer()))
    return await _ended(handler, [HumanResponseEvent(asked=asked, **decision) for asked in result.asked])


async def _ended(handler: Any, answers: Sequence[Any] = ()) -> Result:
    """Until its end, or until it waits for a person and nothing else.

    Answers are given one by one: LlamaIndex may run a tool twice whose answer comes while it takes another one.
    """
    asked: list[str] = []
    left = [*answers]
    async for event in handler.stream_events(expose_internal=True):
        if isinstance(event, InputRequiredEvent):
            asked.append(event.asked)
        if isinstance(event, WorkflowIdleEvent):
            if left:
                handler.ctx.send_event(left.pop(0))
                continue
            context = handler.ctx.to_dict(serializer=PickleSerializer())
            await handler.cancel_run()
            return Result(None, context, asked)
    return Result(await handler)


def _gated(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as a tool that asks a person whether it may run."""

    async def asking(ctx: Context, number: str) -> str:
        answer = await ctx.wait_for_event(
            HumanResponseEvent,
            waiter_event=InputRequiredEvent(asked=number),
            waiter_id=number,
            requirements={"asked": number},
        )
        return str(function(number)) if answer.response == "yes" else "refused"

    asking.__name__ = function.__name__
    asking.__annotations__ = {"ctx": Context, "number": str, "return": str}  # LlamaIndex does not read them as text
    return asking


def _step(step: Step) -> ChatResponse | Exception | Callable[[Any], Any]:
    match step:
        case Ask(requests):
            return asks_for(*requests)
        case Say(text, tokens):
            return says(text, tokens=tokens)
        case HandOff(to, call_id):
            return asks_for(("handoff", {"to_agent": to, "reason": "it knows"}, call_id))
        case Break(error):
            return error
        case _:
            return lambda _: _step(step())


def _decision(answer: Answer) -> dict[str, Any]:
    match answer:
        case Approve():
            told = {"response": "yes"}
        case Reject(reason):
            told = {"response": "no"} if reason is None else {"response": "no", "reason": reason}
        case _:
            refuse("other arguments")
    return told
