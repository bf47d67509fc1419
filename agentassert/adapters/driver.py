"""How agents of a framework are run, asked for their tools, answered, and given doubles in the place of tools."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from agentassert.records import Decision


@attrs.frozen
class PendingApproval:
    """What a run waits for a person to decide.

    Args:
        tool: the tool's name.
        arguments: a mapping, or text where they arrived as text that does not parse.
        call_id: the id of the request that waits, where there is one.
        key: the driver's own, by which it knows what an answer is about.
    """

    tool: str
    arguments: Any
    call_id: str | None = None
    key: Any = None


@attrs.frozen
class Answer:
    """What was decided about a pending approval.

    Args:
        pending: what it answers.
        decision: approve, reject, or timeout, which the framework is to take for a rejection.
        reason: the words that come with it.
        response: what a person was to tell, where more than a yes is waited for.
    """

    pending: PendingApproval
    decision: Decision
    reason: str | None = None
    response: str | None = None

    @property
    def approves(self) -> bool:
        """Whether the tool may run."""
        return self.decision is Decision.APPROVE

    @property
    def words(self) -> str:
        """What the agent is told of a rejection."""
        return self.reason or ("nobody decided in time" if self.decision is Decision.TIMEOUT else "rejected")


@attrs.frozen
class Pause:
    """A run that waits.

    Args:
        pending: what for; empty where the run can be resumed, but asks nothing (a breakpoint).
        state: the driver's own, from which it goes on.
    """

    pending: tuple[PendingApproval, ...]
    state: Any


def as_text(payload: str | Mapping[str, Any]) -> str:
    """What a user says to an agent that takes messages: text as it is, a mapping as its JSON text.

    Example:
        >>> as_text({"article": "lamp"})
        '{"article": "lamp"}'
    """
    return payload if isinstance(payload, str) else json.dumps(payload, ensure_ascii=False, default=str)


class Driver(ABC):
    """Runs agents of one framework. An adapter offers one with :meth:`Adapter.driver`.

    Example:
        >>> class EchoDriver(Driver):
        ...     def drives(self, agent):
        ...         return agent == "echo"
        ...     def tools_of(self, agent):
        ...         return []
        ...     async def start(self, agent, payload, *, name):
        ...         return None
        ...     async def resume(self, agent, pause, answers):
        ...         return None
        >>> EchoDriver().drives("echo")
        True
    """

    @abstractmethod
    def drives(self, agent: Any) -> bool:
        """Whether it can run this object."""

    @abstractmethod
    def tools_of(self, agent: Any) -> list[str] | None:
        """The names of the agent's own tools; `None` where that cannot be known."""

    @abstractmethod
    async def start(self, agent: Any, payload: str | Mapping[str, Any], *, name: str | None) -> Pause | None:
        """Run the agent until its end, or until it waits for a person.

        Args:
            agent: one that this driver drives.
            payload: a mapping, or text.
            name: what to call a run of an agent that has no name of its own.

        Returns:
            `None` when it ended.
        """

    @abstractmethod
    async def resume(self, agent: Any, pause: Pause, answers: Sequence[Answer]) -> Pause | None:
        """Go on with an answer to everything that the run waits for; likewise."""

    def tools_in_reach_of(self, agent: Any) -> list[str] | None:
        """The names of the tools that the agent can get to, those of agents that it hands over to included."""
        return self.tools_of(agent)

    def for_conversation(self) -> Driver:
        """A driver that goes on, with each start, where its last run ended: what the agent is told is one conversation.

        Raises:
            NotImplementedError: where runs keep nothing of each other.
        """
        raise NotImplementedError(f"{type(self).__name__} cannot go on with a conversation")

    def install_doubles(self) -> None:
        """Hook into the framework where it calls tools, once in a process, inert where no doubles are in use."""
        raise NotImplementedError(f"{type(self).__name__} cannot replace tools by mocks")
