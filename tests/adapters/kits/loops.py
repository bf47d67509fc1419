"""Hand-written loops over the SDK of a provider, whose functions and runs `record` marks."""

from __future__ import annotations

import asyncio
import inspect
import json
from abc import abstractmethod
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, contextmanager
from typing import Any, Final, NamedTuple

import attrs

from agentassert import record
from tests.adapters.kits import QUESTION, Ask, Break, HandOff, Kit, Say, Step, Tool, refuse
from tests.scripted.loopback import Provider, Reply, serving

APPROVALS: Final = (
    "approval_pending",
    "approval_given",
    "approval_with_other_arguments",
    "approval_refused",
    "approval_refused_with_a_reason",
    "approval_of_one_among_others",
    "several_approvals",
    "approval_given_in_another_capture",
    "approval_refused_in_another_capture",
    "approval_whose_request_nobody_recorded",
)
OWN_ERRORS: Final = "The SDK raises errors of its own, whatever went wrong on the way to the provider."


class Asked(NamedTuple):
    """A request in a response."""

    call_id: str
    name: str
    arguments: Any


class Result(NamedTuple):
    """What the program sends back."""

    call_id: str
    text: str
    failed: bool


@attrs.frozen
class Agent:
    """What a loop needs."""

    script: list[Step]
    tools: Mapping[str, Tool]
    name: str


class LoopKit(Kit):
    """A loop that sends its whole history each time, until a response asks for no tool."""

    framework = "record"
    random_run = "loops"

    @property
    def cannot(self) -> Mapping[str, str]:
        return {
            "arguments_of_the_wrong_type": "A hand-written loop passes on what the model sent; nothing refuses it.",
            "unknown_tool": "What is sent back for a tool that the program does not have looks like any other result.",
            "retry_by_the_framework": "An SDK runs no tools.",
            "model_error": OWN_ERRORS,
            "model_error_after_a_tool": OWN_ERRORS,
            "handoff": "An SDK knows no agents.",
            "retrieval": "An SDK retrieves nothing that a tool of the program could use.",
            "hooks_of_the_user": "An SDK calls no hooks of its user when a tool runs.",
            **dict.fromkeys(APPROVALS, "An SDK knows no approvals: a loop asks its user before it runs a function."),
        }

    def agent(
        self, *script: Step, tools: Sequence[Tool] = (), name: str = "support", handoffs: Sequence[Any] = (), retries: int = 0
    ) -> Agent:
        if handoffs:
            refuse("handoffs")
        if retries:
            refuse("retries of its own")
        if any(tool.needs_approval for tool in tools):
            refuse("approvals")
        return Agent(list(script), {tool.function.__name__: tool for tool in tools}, name)

    def run(self, agent: Agent, question: str = QUESTION, heard: list[str] | None = None) -> str:
        if heard is not None:
            refuse("hooks of the user")

        @record.agent(agent.name)
        def run(question: str) -> str:
            with self._scripted(agent) as (provider, script), self.client(provider.url) as client:
                history = self.opening(question)
                while True:
                    provider.replies[:] = [next(script)]
                    response = self.create(client, history, [*agent.tools])
                    asked = self.requests(response)
                    if not asked:
                        return self.text(response)
                    self.extend(history, response, [_ran(agent, one) for one in asked])

        return run(question)

    async def arun(self, agent: Agent, question: str = QUESTION) -> str:
        @record.agent(agent.name)
        async def run(question: str) -> str:
            with self._scripted(agent) as (provider, script):
                async with self.async_client(provider.url) as client:
                    history = self.opening(question)
                    while True:
                        provider.replies[:] = [next(script)]
                        response = await self.create(client, history, [*agent.tools])
                        asked = self.requests(response)
                        if not asked:
                            return self.text(response)
                        self.extend(history, response, await asyncio.gather(*(_awaited(agent, one) for one in asked)))

        return await run(question)

    def stream(self, agent: Agent, question: str = QUESTION) -> Iterator[Any]:
        @record.agent(agent.name)
        def run(question: str) -> Iterator[str]:
            with self._scripted(agent) as (provider, script), self.client(provider.url) as client:
                history = self.opening(question)
                while True:
                    provider.replies[:] = [next(script)]
                    with self.streamed(client, history, [*agent.tools]) as stream:
                        for _ in stream:
                            pass
                        response = self.final(stream)
                    asked = self.requests(response)
                    if not asked:
                        yield self.text(response)
                        return
                    self.extend(history, response, [_ran(agent, one) for one in asked])

        return run(question)

    def astream(self, agent: Agent, question: str = QUESTION) -> AsyncIterator[Any]:
        @record.agent(agent.name)
        async def run(question: str) -> AsyncIterator[str]:
            with self._scripted(agent) as (provider, script):
                async with self.async_client(provider.url) as client:
                    history = self.opening(question)
                    while True:
                        provider.replies[:] = [next(script)]
                        async with self.streamed(client, history, [*agent.tools]) as stream:
                            async for _ in stream:
                                pass
                            response = await self.final(stream)
                        asked = self.requests(response)
                        yield self.text(response)
                        if not asked:
                            return
                        self.extend(history, response, await asyncio.gather(*(_awaited(agent, one) for one in asked)))

        return run(question)

    def text_of(self, result: str) -> str:
        return result

    @contextmanager
    def _scripted(self, agent: Agent) -> Iterator[tuple[Provider, Iterator[Reply]]]:
        with serving() as provider:
            yield provider, map(self._reply, agent.script)

    def _reply(self, step: Step) -> Reply:
        match step:
            case Ask(requests):
                return self.asking([Asked(one.call_id, one.name, one.arguments) for one in requests])
            case Say(text, tokens):
                return self.saying(text, tokens or refuse("responses without token usage"))
            case Break():
                return self.failing()
            case HandOff():
                return refuse("handoffs")
            case _:
                return self._reply(step())

    @abstractmethod
    def client(self, url: str) -> AbstractContextManager[Any]:
        """A client of a provider."""

    @abstractmethod
    def async_client(self, url: str) -> AbstractAsyncContextManager[Any]:
        """The same for async code."""

    @abstractmethod
    def asking(self, requests: Sequence[Asked]) -> Reply:
        """A response that asks for tools."""

    @abstractmethod
    def saying(self, text: str, tokens: tuple[int, int]) -> Reply:
        """A response that says something."""

    @abstractmethod
    def failing(self) -> Reply:
        """A response that is an error."""

    def opening(self, question: str) -> list[Any]:
        """The history with which a loop begins."""
        return [{"role": "user", "content": question}]

    @abstractmethod
    def create(self, client: Any, history: list[Any], tools: Sequence[str]) -> Any:
        """A request, and its response, or what is to be awaited for it."""

    @abstractmethod
    def streamed(self, client: Any, history: list[Any], tools: Sequence[str]) -> Any:
        """The same as a stream."""

    @abstractmethod
    def final(self, stream: Any) -> Any:
        """The response that was streamed, or what is to be awaited for it."""

    @abstractmethod
    def requests(self, response: Any) -> list[Asked]:
        """What a response asks for."""

    @abstractmethod
    def text(self, response: Any) -> str:
        """What a response says."""

    @abstractmethod
    def extend(self, history: list[Any], response: Any, results: Sequence[Result]) -> None:
        """Take a response, and the results of what it asked for, into the history."""


def _ran(agent: Agent, asked: Asked) -> Result:
    try:
        function, arguments = _prepared(agent, asked)
        result = function(**arguments)
        return Result(asked.call_id, _as_text(asyncio.run(result) if inspect.isawaitable(result) else result), failed=False)
    except Exception as error:
        return _told(agent, asked, error)


async def _awaited(agent: Agent, asked: Asked) -> Result:
    try:
        function, arguments = _prepared(agent, asked)
        result = function(**arguments)
        return Result(asked.call_id, _as_text(await result if inspect.isawaitable(result) else result), failed=False)
    except Exception as error:
        return _told(agent, asked, error)


def _prepared(agent: Agent, asked: Asked) -> tuple[Callable[..., Any], dict[str, Any]]:
    arguments = json.loads(asked.arguments) if isinstance(asked.arguments, str) else asked.arguments
    return record.tool(agent.tools[asked.name].function), arguments


def _told(agent: Agent, asked: Asked, error: Exception) -> Result:
    if asked.name in agent.tools and not agent.tools[asked.name].tells_errors:
        raise error
    return Result(asked.call_id, f"{type(error).__name__}: {error}", failed=True)


def _as_text(result: Any) -> str:
    return result if isinstance(result, str) else json.dumps(result)
