"""Asking any chat model one thing: a callable, an OpenAI-compatible client, a LangChain model, a Pydantic AI agent or model.

None of their packages is imported here; a model is known by the package that its class comes from, or by its shape.
"""

from __future__ import annotations

import contextlib
import inspect
import re
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, Final

import attrs

from agentassert import recorder, render
from agentassert.checks.messages import text_of
from agentassert.errors import JudgeError
from agentassert.recording.waiting import in_event_loop
from agentassert.token_usage import TokenUsage

_MODEL: Final = "the judge's model"


@attrs.frozen
class ChatReply:
    """What a model answered.

    Args:
        text: its text.
        token_usage: what it cost, where that is reported.
    """

    text: str
    token_usage: TokenUsage | None = None


class ChatModel(ABC):
    """A model that is asked by instructions and a message, and answers with a text. None of it is recorded in any capture."""

    @abstractmethod
    def _send(self, instructions: str, message: str) -> Any:
        """The model's own response to a request, or an awaitable of it."""

    def _send_async(self, instructions: str, message: str) -> Any:
        return self._send(instructions, message)

    @abstractmethod
    def _read(self, response: Any) -> ChatReply:
        """What the response says."""

    def ask(self, instructions: str, message: str) -> ChatReply:
        """What the model answers.

        Raises:
            JudgeError: when the request fails, or the answer has no text.
            TypeError: when the model can only be awaited and an event loop is running.
        """
        with asking(_MODEL):
            response = self._send(instructions, message)
            return self._read(_run(response) if inspect.isawaitable(response) else response)

    async def ask_async(self, instructions: str, message: str) -> ChatReply:
        """What the model answers, awaited.

        Raises:
            JudgeError: when the request fails, or the answer has no text.
        """
        with asking(_MODEL):
            response = self._send_async(instructions, message)
            return self._read(await response if inspect.isawaitable(response) else response)


def chat_model(model: Any, name: str | None = None) -> ChatModel:
    """A model of any kind as one that can be asked.

    Args:
        model: a callable from a prompt to a text, an OpenAI-compatible client, a LangChain chat model, a Pydantic AI agent or model.
        name: the name of the model, which an OpenAI-compatible client needs.

    Raises:
        TypeError: for anything else, and for a client without a name or a name without a client.

    Example:
        >>> chat_model(lambda prompt: prompt.upper()).ask("Shout.", "hello").text
        'SHOUT.\\n\\nHELLO'
    """
    if isinstance(model, ChatModel):
        return model
    if isinstance(model, type):
        raise TypeError(f"a judge's model must be an object, but was the class {model.__name__}: write {model.__name__}(…)")
    if hasattr(getattr(getattr(model, "chat", None), "completions", None), "create"):
        if name is None:
            raise TypeError(
                f"a judge over a client must be told which model to ask: Judge({type(model).__name__}(), model_name=…)"
            )
        return _Client(model, name)
    if name is not None:
        raise TypeError(f"model_name is for an OpenAI-compatible client, but the model was {render.value(model)}")
    if _is_from(model, "langchain_core"):
        return _LangChain(model)
    if _is_from(model, "pydantic_ai"):
        return _PydanticAI(model)
    if callable(model):
        return _Callable(model)
    raise TypeError(
        "a judge's model must be a callable from a prompt to a text, an OpenAI-compatible client, a LangChain chat model, or a Pydantic AI "
        f"agent or model, but was {render.value(model)}"
    )


class _Callable(ChatModel):
    def __init__(self, function: Callable[[str], Any]) -> None:
        self._function = function

    def _send(self, instructions: str, message: str) -> Any:
        return self._function(f"{instructions}\n\n{message}")

    def _read(self, response: Any) -> ChatReply:
        return ChatReply(_text(response))


class _Client(ChatModel):
    def __init__(self, client: Any, name: str) -> None:
        self._client = client
        self._name = name

    def _send(self, instructions: str, message: str) -> Any:
        return self._client.chat.completions.create(
            model=self._name,
            messages=[{"role": "system", "content": instructions}, {"role": "user", "content": message}],
            response_format={"type": "json_object"},
        )

    def _read(self, response: Any) -> ChatReply:
        usage = getattr(response, "usage", None)
        return ChatReply(
            _text(response.choices[0].message.content),
            _usage(getattr(usage, "prompt_tokens", None), getattr(usage, "completion_tokens", None)),
        )


class _LangChain(ChatModel):
    def __init__(self, model: Any) -> None:
        self._model = model

    def _send(self, instructions: str, message: str) -> Any:
        return self._model.invoke([("system", instructions), ("human", message)])

    def _send_async(self, instructions: str, message: str) -> Any:
        return self._model.ainvoke([("system", instructions), ("human", message)])

    def _read(self, response: Any) -> ChatReply:
        usage = getattr(response, "usage_metadata", None) or {}
        # An older text completion model answers with the text itself; `text` was a method once, and is a string now.
        text = response if isinstance(response, str) else text_of({"content": response.content})
        return ChatReply(_text(text), _usage(usage.get("input_tokens"), usage.get("output_tokens")))


class _PydanticAI(ChatModel):
    def __init__(self, model: Any) -> None:
        self._agent = model if hasattr(model, "run_sync") else _agent_of(model)

    def _send(self, instructions: str, message: str) -> Any:
        return self._agent.run(f"{instructions}\n\n{message}")

    def _read(self, response: Any) -> ChatReply:
        usage = response.usage
        if not hasattr(usage, "input_tokens"):  # a method, before it became a property
            usage = usage()
        return ChatReply(_text(response.output), _usage(usage.input_tokens or None, usage.output_tokens or None))


def _agent_of(model: Any) -> Any:
    from pydantic_ai import Agent

    return Agent(model)


def _is_from(model: Any, package: str) -> bool:
    return any(one.__module__.partition(".")[0] == package for one in type(model).__mro__)


def _text(answer: Any) -> str:
    if not isinstance(answer, str) or not re.search(r"\S", answer):
        raise JudgeError(f"the judge's model answered with no text, but with {render.value(answer)}")
    return answer


def _usage(read: int | None, written: int | None) -> TokenUsage | None:
    return None if read is None and written is None else TokenUsage(input_tokens=read, output_tokens=written)


class _LoopRunningError(Exception):
    """Tells wrong use from what goes wrong in a model."""


def _run(response: Awaitable[Any]) -> Any:
    async def waiting() -> Any:
        return await response

    if not in_event_loop():
        from agentassert.driving import looping

        return looping.run_here(waiting())
    if inspect.iscoroutine(response):
        response.close()
    raise _LoopRunningError(
        "this judge's model can only be awaited, and an event loop is running: use the method whose name ends in `_async`, or where there "
        "is none, a thread: await asyncio.to_thread(…)"
    )


@contextlib.contextmanager
def asking(whom: str) -> Iterator[None]:
    """Keep what a judge asks out of every capture, and make what goes wrong an error of the judge's.

    Args:
        whom: who is asked, for the message.

    Raises:
        JudgeError: when whoever is asked raises an error.
        TypeError: when the answer can only be awaited, and nobody awaits it.
    """
    token = recorder.set_scope(recorder.SILENCE)
    try:
        yield
    except JudgeError:
        raise
    except _LoopRunningError as error:
        raise TypeError(*error.args) from None
    except Exception as error:
        raise JudgeError(f"{whom} gave no answer: {type(error).__name__}: {error}") from error
    finally:
        recorder.restore(token)
