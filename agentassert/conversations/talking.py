"""`conversation()`: talk with an agent, and record it turn by turn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Never

import attrs

from agentassert.capturing import capture
from agentassert.driving.running import drive, drive_async
from agentassert.driving.targets import FrameworkAgent, Target, target_of
from agentassert.turns import Conversation, Turn

if TYPE_CHECKING:
    from agentassert.captures import Capture
    from agentassert.doubles.kinds import Double
    from agentassert.doubles.sets import Resolver
    from agentassert.driving.approving import ApprovalDecision
    from agentassert.driving.driven import Driven


def conversation(
    agent: Any,
    *,
    mocks: Mapping[str, Double] | Resolver | None = None,
    timeout_s: float | None = None,
    name: str | None = None,
) -> ConversationBlock:
    """Talk with an agent in a `with` or `async with` block.

    Each message goes to the agent with what was said before: a LangGraph graph keeps one thread, with its checkpointer or else with
    its messages; an agent of the OpenAI Agents SDK or of Pydantic AI is given the history. A function is called once for each
    message, and remembers what it likes.

    Args:
        agent: as for :func:`agentassert.run`.
        mocks: what stands in for tools, in every turn.
        timeout_s: seconds that one turn may take.
        name: the name of an agent that has none of its own.

    Returns:
        A context manager that gives the :class:`Talk`.

    Raises:
        TypeError: when the agent cannot be driven, or cannot go on with a conversation.

    Example:
        >>> def echo(message):
        ...     return f"You said {message}"
        >>> with conversation(echo) as talk:
        ...     turn = talk.say("Hi")
        >>> turn.bot_messages[0].text
        'You said Hi'
    """
    target = target_of(agent, name)
    if isinstance(target, FrameworkAgent):
        try:
            target = attrs.evolve(target, driver=target.driver.for_conversation())
        except NotImplementedError as error:
            raise TypeError(
                f"{error}: nothing of it remembers what was said; give a function that calls it with the history"
            ) from None
    return ConversationBlock(Talk(target, mocks, timeout_s, name))


class Talk:
    """A conversation that goes on. What :func:`conversation` gives.

    Example:
        >>> with conversation(lambda message: message.upper()) as talk:
        ...     turns = [talk.say("hi"), talk.say("bye")]
        >>> [turn.bot_messages[0].text for turn in talk.conversation.turns]
        ['HI', 'BYE']
    """

    def __init__(
        self, target: Target, mocks: Mapping[str, Double] | Resolver | None, timeout_s: float | None, name: str | None
    ) -> None:
        self._target = target
        self._options: dict[str, Any] = {"mocks": mocks, "timeout_s": timeout_s, "name": name}
        self._capture: Capture | None = None

    @property
    def capture(self) -> Capture:
        """What is recorded, of all turns.

        Raises:
            RuntimeError: before the block is entered.
        """
        if self._capture is None:
            raise RuntimeError("write `with conversation(agent) as talk:` before anything is said")
        return self._capture

    @property
    def conversation(self) -> Conversation:
        """The conversation as it is now.

        Raises:
            ValueError: when nothing was said yet.
        """
        return Conversation.from_capture(self.capture)

    def turn(self, index: int) -> Turn:
        """One turn of it, 0 for the first, -1 for the last.

        Example:
            >>> with conversation(lambda message: message.upper()) as talk:
            ...     turn = talk.say("hi")
            >>> talk.turn(-1).user.text
            'hi'
        """
        return self.conversation.turn(index)

    def say(
        self,
        text: str,
        *,
        approvals: Iterable[ApprovalDecision | Mapping[str, Any]] = (),
        context: Mapping[str, Any] | None = None,
    ) -> Turn:
        """Say something, and wait for what the agent does.

        What the agent does wrong raises nothing here: every assertion on the turn fails, until the failure itself was asserted.

        Args:
            text: the user's message.
            approvals: what is decided when the agent waits for approval, as for :func:`agentassert.run`.
            context: what the decisions' expressions know as `context`.

        Returns:
            The turn.

        Raises:
            TypeError: when it is no text.
            RuntimeError: outside the block, and inside a running event loop; use :meth:`say_async` there.
            AgentAssertionError: when a mock was called in a way that the tool does not take.

        Example:
            >>> with conversation(lambda message: message.upper()) as talk:
            ...     chain = assert_that(talk.say("hi")).has_bot_uttered(text_matching="HI")
        """
        self._check(text)
        return self._heard(drive(self._target, text, approvals=approvals, context=context, **self._options))

    async def say_async(
        self,
        text: str,
        *,
        approvals: Iterable[ApprovalDecision | Mapping[str, Any]] = (),
        context: Mapping[str, Any] | None = None,
    ) -> Turn:
        """Likewise, from asynchronous code; see :meth:`say`.

        Example:
            >>> import asyncio
            >>> async def greeting():
            ...     async with conversation(lambda message: message.upper()) as talk:
            ...         return await talk.say_async("hi")
            >>> asyncio.run(greeting()).bot_messages[0].text
            'HI'
        """
        self._check(text)
        return self._heard(await drive_async(self._target, text, approvals=approvals, context=context, **self._options))

    def _check(self, text: Any) -> None:
        if not isinstance(text, str):
            raise TypeError(f"what is said must be a text, but was {text!r}")
        if not self.capture.is_open:
            raise RuntimeError("the conversation is over: say everything inside the block")

    def _heard(self, driven: Driven) -> Turn:
        driven.capture.was_read = True  # nobody is given it: what it holds is in the talk's own capture, too
        driven.conclude()
        return self.turn(-1)


class ConversationBlock:
    """The block that :func:`conversation` makes."""

    def __init__(self, talk: Talk) -> None:
        self._talk = talk
        self._block = capture()

    if not TYPE_CHECKING:  # pragma: no branch  # for type checkers an unknown method is an error

        def __getattr__(self, name: str) -> Never:
            advice = "; write `with conversation(agent) as talk:` and use `talk` inside" if hasattr(Talk, name) else ""
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}{advice}", name=name, obj=self)

    def __enter__(self) -> Talk:
        self._talk._capture = self._block.__enter__()  # noqa: SLF001  # the two are one
        return self._talk

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self._block.__exit__(kind, error, traceback)

    async def __aenter__(self) -> Talk:
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self._block.__aexit__(kind, error, traceback)
