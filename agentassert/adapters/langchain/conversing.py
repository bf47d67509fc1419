"""Running a graph turn by turn."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any, Final

from agentassert.adapters.driver import Pause
from agentassert.adapters.langchain.driving import MESSAGES, GraphDriver, input_of, name_of, remembers


class GraphConversation(GraphDriver):
    """Keeps one thread; a graph without a checkpointer gets the messages of the turns before back."""

    def __init__(self) -> None:
        self._thread: Final = str(uuid.uuid4())
        self._messages: list[Any] = []

    async def start(self, agent: Any, payload: str | Mapping[str, Any], *, name: str | None) -> Pause | None:
        given = input_of(agent, payload)
        if not remembers(agent):
            given = self._with_history(agent, given)
        config: dict[str, Any] = {"configurable": {"thread_id": self._thread}}
        if name is not None:
            config["run_name"] = name
        return await self._run(agent, given, config)

    async def _output(self, agent: Any, given: Any, config: dict[str, Any]) -> Any:
        output = await super()._output(agent, given, config)
        messages = output.get(MESSAGES) if isinstance(output, Mapping) else None
        self._messages = list(messages) if isinstance(messages, Sequence) else []
        return output

    def _with_history(self, agent: Any, given: Any) -> Any:
        if not isinstance(given, Mapping) or MESSAGES not in given:
            raise ValueError(
                f"the graph {name_of(agent)!r} has no checkpointer and takes no messages, so it remembers nothing of a conversation: "
                "compile it with checkpointer=InMemorySaver()"
            )
        return {**given, MESSAGES: [*self._messages, *given[MESSAGES]]}
