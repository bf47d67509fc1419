"""A language model that answers by a script, offline: what DSPy sees of it is what it sees of any model that a program brings along."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

from dspy import BaseLM

Fields = Mapping[str, Any]
Step = Fields | str | BaseException | Callable[[], Any]


class ScriptExhaustedError(RuntimeError):
    """The program asked its model more often than the script foresees."""


def calls(*tools: tuple[str, Any, str | None]) -> dict[str, Any]:
    """What `ReActV2` is answered: names of tools, their arguments, and call ids."""
    asked = [{"id": call_id, "name": name, "args": arguments} for name, arguments, call_id in tools]
    return {"next_thought": "", "tool_calls": {"tool_calls": asked}}


def chooses(tool: str, arguments: Any) -> dict[str, Any]:
    """What `ReAct` is answered: one tool, and its arguments."""
    return {"next_thought": "", "next_tool_name": tool, "next_tool_args": arguments}


class ScriptedLM(BaseLM):
    """Answers each request with the next step of its script.

    A step gives the values of the fields that a signature asks for, or is the answer itself; or it is an exception to raise, or a function that gives one of these.
    `tokens` are those read and written by each answer, `None` reports none; `messages` holds what was sent.
    """

    def __init__(self, *steps: Step, tokens: tuple[int, int] | None = (11, 3)) -> None:
        super().__init__("scripted-1", cache=False)
        self._steps = list(steps)
        self._tokens = tokens
        self._lock = threading.Lock()
        self.messages: list[Any] = []

    def forward(self, prompt: Any = None, messages: Any = None, **kwargs: Any) -> Any:
        step = self._take(messages)
        while callable(step):
            step = step()
        if isinstance(step, BaseException):
            raise step
        fields, tokens = step if isinstance(step, tuple) else (step, self._tokens)
        message = SimpleNamespace(content=_text(fields), tool_calls=None)
        choice = SimpleNamespace(message=message, finish_reason="stop")
        usage = {} if tokens is None else {"prompt_tokens": tokens[0], "completion_tokens": tokens[1]}
        return SimpleNamespace(choices=[choice], usage=usage, model="scripted-1")

    async def aforward(self, prompt: Any = None, messages: Any = None, **kwargs: Any) -> Any:
        return self.forward(prompt, messages, **kwargs)

    def _take(self, messages: Any) -> Any:
        with self._lock:
            self.messages.append(messages)
            if not self._steps:
                raise ScriptExhaustedError(f"request {len(self.messages)} was sent, but the script has no step for it")
            return self._steps.pop(0)


def _text(fields: Fields | str) -> str:
    """The fields, as DSPy's usual adapter writes them; a text as it is."""
    if isinstance(fields, str):
        return fields
    parts = [f"[[ ## {name} ## ]]\n{value if isinstance(value, str) else json.dumps(value)}" for name, value in fields.items()]
    return "\n\n".join([*parts, "[[ ## completed ## ]]"])
