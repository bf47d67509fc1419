"""A model that answers by a script, offline: what CrewAI sees of it is what it sees of any of its own models.

Whoever uses CrewAI in tests imports this first: it keeps CrewAI from sending traces, and its files out of the user's home.
"""

from __future__ import annotations

import atexit
import inspect
import json
import os
import shutil
import tempfile
import threading
import warnings
from collections.abc import Callable
from typing import Any

import attrs
from pydantic import PrivateAttr

os.environ.setdefault("CREWAI_DISABLE_TELEMETRY", "true")
os.environ.setdefault("CREWAI_TESTING", "true")
os.environ.setdefault("CREWAI_TRACING_ENABLED", "false")
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
_home = tempfile.mkdtemp(prefix="crewai")
atexit.register(shutil.rmtree, _home, ignore_errors=True)
os.environ.setdefault("CREWAI_STORAGE_DIR", _home)

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # its own, while it is imported
    from crewai import BaseLLM
    from crewai.events.event_listener import event_listener
    from crewai.events.types.llm_events import LLMCallType
    from crewai.llms.base_llm import llm_call_context

event_listener.formatter.console.quiet = True  # it draws a panel for each agent


@attrs.frozen
class Response:
    """What a model answers with: a text, or calls of tools as providers' SDKs give them."""

    content: Any
    tokens: tuple[int, int] | None = (11, 3)
    finish_reason: str = "stop"


Step = str | Response | BaseException | Callable[[Any], Any]


class ScriptExhaustedError(RuntimeError):
    """The agent asked its model more often than the script foresees."""


def says(text: str, *, tokens: tuple[int, int] | None = (11, 3)) -> Response:
    """A response of the model: text alone. `tokens` are those read and written; `None` reports none."""
    return Response(text, tokens)


def asks_for(*requests: tuple[str, dict[str, Any] | str, str], tokens: tuple[int, int] | None = (11, 3)) -> Response:
    """A response that asks for tools: their names, arguments, and call ids."""
    calls = [
        {"id": call_id, "type": "function", "function": {"name": name, "arguments": _as_json(arguments)}}
        for name, arguments, call_id in requests
    ]
    return Response(calls, tokens, "tool_calls")


def acts(tool: str, arguments: dict[str, Any]) -> Response:
    """A response that asks for a tool in words, as models do that know no other way."""
    return Response(f"Thought: I need it.\nAction: {tool}\nAction Input: {_as_json(arguments)}")


def _as_json(arguments: dict[str, Any] | str) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


class ScriptedModel(BaseLLM):
    """Answers each request with the next step of its script.

    A step is a text, a response (`says`, `asks_for`, `acts`), an exception to raise, or a function of the messages that gives one of these.
    `requests` holds the messages that were sent. `native` says whether it takes tools; without, it is told of them in words. A silent one
    tells CrewAI nothing of its calls, as most models that programs write themselves.
    """

    _steps: Any = PrivateAttr()
    _lock: Any = PrivateAttr()
    _requests: Any = PrivateAttr()
    _native: Any = PrivateAttr()
    _silent: Any = PrivateAttr()

    def __init__(self, *steps: Step, native: bool = True, silent: bool = False, **options: Any) -> None:
        super().__init__(**{"model": "scripted-1", **options})
        self._steps = list(steps)
        self._lock = threading.Lock()
        self._requests = []
        self._native = native
        self._silent = silent

    @property
    def requests(self) -> list[Any]:
        """What was sent."""
        found: list[Any] = self._requests
        return found

    def supports_function_calling(self) -> bool:
        return bool(self._native)

    def supports_stop_words(self) -> bool:
        return True

    def get_input_tokens_count(self, messages: Any, *args: Any, **options: Any) -> int:
        return len(str(messages)) // 4

    def call(
        self, messages: Any, tools: Any = None, *args: Any, from_task: Any = None, from_agent: Any = None, **options: Any
    ) -> Any:
        with llm_call_context():
            part: dict[str, Any] = {"from_task": from_task, "from_agent": from_agent}
            if not self._silent:
                self._emit_call_started_event(messages=messages, tools=tools, **part)
            try:
                response = self._next(messages)
            except Exception as error:
                if not self._silent:
                    self._emit_call_failed_event(error=str(error), **part)
                raise
            if not self._silent:
                self._tell(response, part)
            return response.content

    async def acall(self, *args: Any, **options: Any) -> Any:
        return self.call(*args, **options)

    def _next(self, messages: Any) -> Response:
        with self._lock:
            self._requests.append([*messages] if isinstance(messages, list) else messages)
            if not self._steps:
                raise ScriptExhaustedError(f"request {len(self._requests)} was sent, but the script has no step for it")
            step = self._steps.pop(0)
        if callable(step):
            step = step(messages)
        if isinstance(step, BaseException):
            raise step
        return says(step) if isinstance(step, str) else step

    def _tell(self, response: Response, part: dict[str, Any]) -> None:
        told = {"finish_reason": response.finish_reason}
        if response.tokens is not None:
            read, written = response.tokens
            usage = {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
            self._track_token_usage_internal(usage)
            told["usage"] = usage
        if "usage" not in inspect.signature(self._emit_call_completed_event).parameters:
            told = {}  # earlier releases
        kind = LLMCallType.TOOL_CALL if isinstance(response.content, list) else LLMCallType.LLM_CALL
        self._emit_call_completed_event(response=response.content, call_type=kind, **part, **told)
