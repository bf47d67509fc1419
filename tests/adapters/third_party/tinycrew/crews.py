"""Its agents: a model that answers or asks for tools, and tools that are coroutine functions."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple


class Wish(NamedTuple):
    """A tool that the model wants."""

    id: str
    tool: str
    arguments: dict[str, Any]


class Answer(NamedTuple):
    """What the model says, and the tools that it wants."""

    text: str = ""
    wishes: tuple[Wish, ...] = ()


class Crew:
    """An agent."""

    def __init__(
        self, name: str, model: Callable[[list[Any]], Answer], tools: Mapping[str, Callable[..., Awaitable[Any]]]
    ) -> None:
        self.name = name
        self.model = model
        self.tools = tools

    async def work(self, task: str) -> str:
        """Ask the model until it wants nothing more."""
        messages: list[Any] = [{"role": "user", "content": task}]
        while True:
            answer = await self.ask(messages)
            if not answer.wishes:
                return answer.text
            results = await asyncio.gather(*(self.fulfil(wish) for wish in answer.wishes))
            messages += [{"role": "tool", "content": str(result)} for result in results]

    async def ask(self, messages: list[Any]) -> Answer:
        """One request to the model."""
        return self.model(messages)

    async def fulfil(self, wish: Wish) -> Any:
        """Run a tool; the model is told when it fails."""
        if wish.tool not in self.tools:
            return f"there is no {wish.tool}"
        try:
            return await self.execute(wish)
        except Exception as error:
            return f"it failed: {error}"

    async def execute(self, wish: Wish) -> Any:
        """Run a tool."""
        return await self.tools[wish.tool](**wish.arguments)
