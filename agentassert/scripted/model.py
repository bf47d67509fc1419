"""The block in which a scripted model can be asked."""

from __future__ import annotations

import os
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

from agentassert.scripted.desk import Desk
from agentassert.scripted.faults import Fault
from agentassert.scripted.problems import Problem, script_error
from agentassert.scripted.requests import ScriptedRequest
from agentassert.scripted.scripts import Script, scripts_of
from agentassert.scripted.steps import Step

if TYPE_CHECKING:
    from agentassert.scripted.connections import Server
    from agentassert.scripted.wire.auxiliary import Embed, Moderate

_KEY: Final = "scripted"


class ScriptedModel:
    """A model that answers by a script while its block is open; made by :func:`scripted_model`.

    Example:
        >>> from agentassert.scripted import scripted_model
        >>> with scripted_model([]) as model:
        ...     model.base_url
        'http://127.0.0.1:.../v1'
    """

    def __init__(self, scripts: Sequence[Script], embeddings: Embed | Fault | None, moderations: Moderate | Fault | None) -> None:
        self._desk = Desk(scripts, embeddings, moderations)
        self._server: Server | None = None
        self._entered = False

    def __enter__(self) -> Self:
        from agentassert.scripted.connections import Server

        if self._entered:
            raise RuntimeError("a script is played once: make another scripted_model() for another block")
        self._entered = True
        self._server = Server(self._desk)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self._settle(self._close(), error)

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        import asyncio
        from concurrent.futures import ThreadPoolExecutor

        # Not in the loop's own threads: those may all be waiting for this model.
        with ThreadPoolExecutor(1) as threads:
            still_busy = await asyncio.get_running_loop().run_in_executor(threads, self._close)
        self._settle(still_busy, error)

    @property
    def base_url(self) -> str:
        """The address for OpenAI's clients, and all that take the one that ends in `/v1`.

        Raises:
            RuntimeError: outside of the block.

        Example:
            >>> scripted_model([]).base_url
            Traceback (most recent call last):
            RuntimeError: a scripted model has an address inside its block: with scripted_model([...]) as model:
        """
        return f"{self.anthropic_base_url}/v1"

    @property
    def anthropic_base_url(self) -> str:
        """The address for Anthropic's clients, which add `/v1/messages` themselves.

        Raises:
            RuntimeError: outside of the block.

        Example:
            >>> with scripted_model([]) as model:
            ...     model.anthropic_base_url
            'http://127.0.0.1:...'
        """
        if self._server is None:
            raise RuntimeError("a scripted model has an address inside its block: with scripted_model([...]) as model:")
        return f"http://127.0.0.1:{self._server.port}"

    @property
    def requests(self) -> tuple[ScriptedRequest, ...]:
        """Every request so far that could be read, in the order in which they came.

        Example:
            >>> scripted_model([]).requests
            ()
        """
        return tuple(self._desk.requests)

    def environment(self) -> dict[str, str]:
        """Environment variables by which clients in any language find the model: addresses, a key, and no proxy on the way.

        Returns:
            What belongs over `os.environ`, such as for `subprocess.run(..., env=os.environ | model.environment())`.

        Raises:
            RuntimeError: outside of the block.

        Example:
            >>> with scripted_model([]) as model:
            ...     model.environment()["OPENAI_API_KEY"]
            'scripted'
        """
        unproxied = ",".join(filter(None, (os.environ.get("NO_PROXY") or os.environ.get("no_proxy"), "127.0.0.1")))
        return {
            "OPENAI_BASE_URL": self.base_url,
            "OPENAI_API_BASE": self.base_url,
            "OPENAI_API_KEY": _KEY,
            "ANTHROPIC_BASE_URL": self.anthropic_base_url,
            "ANTHROPIC_API_KEY": _KEY,
            "NO_PROXY": unproxied,
            "no_proxy": unproxied,
        }

    def __repr__(self) -> str:
        state = self.base_url if self._server is not None else "closed" if self._entered else "not entered"
        return f"<scripted model, {state}: {len(self.requests)} requests>"

    def _close(self) -> list[str]:
        server, self._server = self._server, None
        return [] if server is None else server.close()

    def _settle(self, still_busy: list[str], leaving: BaseException | None) -> None:
        """Raise what a function of the user's raised first, or else what does not fit; the rest is noted on what leaves the block."""
        player = self._desk.player
        player.problems += [Problem("a computed step had not ended when the block was left") for _ in still_busy]
        problem = script_error(player, self._desk.requests)
        unsaid = [*player.errors, *([] if problem is None else [problem])]
        if not unsaid:
            return
        stays = leaving is not None and not (player.errors and isinstance(leaving, Exception))
        raised = leaving if leaving is not None and stays else unsaid[0]
        for one in unsaid:
            if one is not raised:
                _note(raised, one)
        if raised is not leaving:
            raise raised


def scripted_model(
    steps: Sequence[Step] | Sequence[Script],
    *,
    then_repeats: Step | None = None,
    embeddings: Embed | Fault | None = None,
    moderations: Moderate | Fault | None = None,
) -> ScriptedModel:
    """A model that answers by a script, over the protocols of OpenAI (chat completions, responses) and Anthropic (messages).

    Use it as `with` or `async with`. Each request to a chat model takes one step, in the order in which they come. A request that
    finds no step is answered with an error that clients do not try again after, and leaving the block raises what it was;
    so do steps that were left. What a function of yours raised is raised as it is.

    Args:
        steps: what the model says or how it fails, request by request, or several :func:`script` for as many agents. No steps say
            that the model must not be asked.
        then_repeats: the step that answers every request after them.
        embeddings: a function from a text to its vector, or `fail(...)`; without it, texts that share words are near each other.
        moderations: a function from a text to the categories that it is flagged for, or `fail(...)`; without it, none is.

    Raises:
        TypeError, ValueError: when a step is none, naming it, or an argument is not of its kind.

    Example:
        >>> import json, urllib.request
        >>> from agentassert.scripted import reply, scripted_model
        >>> body = json.dumps({"model": "any", "messages": [{"role": "user", "content": "Hi"}]}).encode()
        >>> with scripted_model([reply("Hello.")]) as model:
        ...     with urllib.request.urlopen(f"{model.base_url}/chat/completions", body) as response:
        ...         said = json.load(response)
        >>> said["choices"][0]["message"]["content"], model.requests[0].last_user_text
        ('Hello.', 'Hi')
    """
    for given, name in ((embeddings, "embeddings"), (moderations, "moderations")):
        if given is not None and not callable(given) and not isinstance(given, Fault):
            raise TypeError(f"{name} must be a function of a text or fail(...), but was {given!r}")
    return ScriptedModel(scripts_of(steps, then_repeats), embeddings, moderations)


def _note(leaving: BaseException, unsaid: BaseException) -> None:
    from agentassert import render

    text: Any = str(unsaid) if isinstance(unsaid, AssertionError) else f"a function of the script raised {render.error(unsaid)}"
    # Past a `__setattr__` of its own: a frozen exception must not be replaced by one that says so.
    BaseException.__setattr__(leaving, "__notes__", [*getattr(leaving, "__notes__", ()), text])
