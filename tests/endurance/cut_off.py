"""Agents in tasks that are cancelled at any moment, and what must have been recorded of them nevertheless.

Where an agent is cut off is drawn with the plan: when its tools and models, and those of the agents that it asks, have done so much.
What exactly goes on beside that is left to the framework, so of an agent that was cut off less is known than of one that was not:
nothing is lost, doubled or misplaced all the same, and everything has ended.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import attrs

from agentassert import Invocation, Outcome, Status
from tests.adapters.kits import Ask, Break, Say, Tool
from tests.adapters.random_plans import Plan, Truth, Work, facts_of

PAUSES = 3
ENDED = (Status.COMPLETED, Status.FAILED, Status.CANCELLED)


@attrs.define
class Cut:
    """Where the agents of one root are cut off.

    Args:
        after: how much they do before that; `None` where they are not.
        done: how much they have done.
        task: in which they run.
        made: whether they were cut off.
    """

    after: int | None
    done: int = 0
    task: asyncio.Task[Any] | None = None
    made: bool = False

    def count(self) -> None:
        """Something was done."""
        self.done += 1
        if self.done == self.after and self.task is not None and not self.task.done():
            self.made = True
            self.task.cancel()


class CutOffTruth(Truth):
    """What models and tools say that they did, who wait now and then, and count.

    Args:
        seed: of how long they wait, and of where they are cut off.
        cuts: how many of the roots are cut off, as a share.
    """

    def __init__(self, seed: int, cuts: float) -> None:
        super().__init__()
        self._random = random.Random(seed)
        self._share = cuts
        self._cuts: dict[str, Cut] = {}
        self.ran: dict[tuple[str, str], str] = {}
        """How each tool that was called came out, by agent and tool."""
        self._under_way: set[tuple[str, str]] = set()

    def root(self, plan: Plan) -> tuple[Any, Cut]:
        """The agent of a plan that nothing runs, and where it is cut off."""
        steps = sum(1 + len(one.turns) + 2 * sum(map(len, one.turns)) for one in plan.family)
        cut = Cut(self._random.randint(1, steps) if self._random.random() < self._share else None)
        self._cuts.update({one.name: cut for one in plan.family})
        return self.agent(plan), cut

    def calls_of(self, plan: Plan) -> list[list[str] | None]:
        """What its model was asked, as far as it came."""
        return self._calls.get(plan.name, [])

    def _asking(self, plan: Plan, number: int, turn: Sequence[Work]) -> Callable[[], Ask]:
        return self._counting(plan, super()._asking(plan, number, turn))

    def _ending(self, plan: Plan) -> Callable[[], Say | Break]:
        return self._counting(plan, super()._ending(plan))

    def _counting(self, plan: Plan, step: Callable[[], Any]) -> Callable[[], Any]:
        def counted() -> Any:
            taken = step()
            self._cuts[plan.name].count()
            return taken

        return counted

    def _tool(self, plan: Plan, work: Work) -> Tool:
        pauses = [self._random.randint(0, PAUSES) for _ in range(2)]
        inner = None if work.agent is None else (self.agent(work.agent), work.agent.kit)

        async def function(topic: str) -> str:
            """Work."""
            with self._noted(plan.name, work.name):
                await _pause(pauses[0])
                self._cuts[plan.name].count()
                if inner is not None:
                    agent, kit = inner
                    return kit.text_of(await kit.arun(agent, topic))
                await _pause(pauses[1])
                if work.fails:
                    raise ValueError(topic)
                self._cuts[plan.name].count()
                return topic

        function.__name__ = work.name
        return Tool(function, tells_errors=work.told)

    @contextmanager
    def _noted(self, agent: str, tool: str) -> Iterator[None]:
        assert (agent, tool) not in self.ran, "a tool is asked for once"
        self.ran[agent, tool] = "unfinished"
        self._under_way.add((agent, tool))
        try:
            yield
        except BaseException as error:
            self.ran[agent, tool] = "failed" if isinstance(error, Exception) else "cancelled"
            raise
        else:
            self.ran[agent, tool] = "succeeded"
        finally:
            self._under_way.remove((agent, tool))

    def running(self, plan: Plan) -> frozenset[str]:
        """The tools of a root, and of the agents that it asked, that have not come out yet."""
        family = {one.name for one in plan.family}
        return frozenset(tool for agent, tool in self._under_way if agent in family)

    def _succeeded(self, plan: Plan, work: Work) -> bool:
        return self.ran[plan.name, work.name] == "succeeded"


async def _pause(times: int) -> None:
    for _ in range(times):
        await asyncio.sleep(0)


def complaints(
    plan: Plan,
    truth: CutOffTruth,
    cut: Cut,
    outcome: Any,
    recorded: dict[str, Invocation],
    running: frozenset[str] = frozenset(),
) -> list[str]:
    """What is wrong with the record of a root and of the agents that it asked, in words.

    Args:
        plan: of the root.
        truth: what really happened.
        cut: where it was cut off.
        outcome: what its task gave or raised.
        recorded: the invocations of one capture, by name.
        running: the tools that had not come out when the capture was closed: some frameworks do not wait for what they cancel.
    """
    if not cut.made:
        wrong = [one.name for one in plan.family if facts_of(recorded[one.name]) != truth.facts_of(one)]
        return [f"{name}: not as it was" for name in wrong]
    if plan.name not in recorded:
        began = [one.name for one in plan.family if truth.calls_of(one)]
        return [f"{plan.name}: nothing of it, though {began} began"] if began else []
    expected = (
        Status.CANCELLED
        if isinstance(outcome, asyncio.CancelledError)
        else Status.FAILED
        if isinstance(outcome, BaseException)
        else Status.COMPLETED
    )
    found = (
        [] if recorded[plan.name].status is expected else [f"{plan.name}: {recorded[plan.name].status}, but it was {expected}"]
    )
    asked_by = {
        work.agent.name: work.name for one in plan.family for turn in one.turns for work in turn if work.agent is not None
    }
    for one in plan.family:
        found += _complaints(one, truth, recorded.get(one.name), running, goes_on=asked_by.get(one.name) in running)
        found += _misplaced(one, recorded)
    return found


def _complaints(
    plan: Plan, truth: CutOffTruth, invocation: Invocation | None, running: frozenset[str], *, goes_on: bool
) -> Iterator[str]:
    """What is wrong with one agent, which may have been cut off."""
    calls = truth.calls_of(plan)
    if invocation is None:
        if calls:
            yield f"{plan.name}: not recorded, though its model was asked"
        return
    if invocation.status not in ENDED and not (goes_on and invocation.status is Status.UNFINISHED):
        yield f"{plan.name}: {invocation.status}"
    seen = [[one.name for one in call.tool_execution_requests] for call in invocation.own_chat_model_calls]
    if len(seen) not in (len(calls), len(calls) + 1) or any(
        one != (asked or []) for one, asked in zip(seen[:-1], calls, strict=False)
    ):
        yield f"{plan.name}: its model was asked {calls}, and recorded is {seen}"
    was_cut = invocation.status is not Status.COMPLETED
    names = [one.name for one in invocation.tool_executions]
    if len(set(names)) != len(names):
        yield f"{plan.name}: twice the same of {names}"
    for agent, tool in truth.ran:
        if agent == plan.name and tool not in names:
            yield f"{plan.name}: {tool} ran, and is not recorded"
    for one in invocation.tool_executions:
        really = truth.ran.get((plan.name, one.name), "cancelled")
        cut_short = Outcome.UNFINISHED if one.name in running else Outcome.CANCELLED
        if one.outcome is not Outcome(really) and not (was_cut and one.outcome is cut_short):
            yield f"{plan.name}: {one.name} has {really}, and recorded is {one.outcome}"
        if one.arguments != {"topic": one.name}:
            yield f"{plan.name}: {one.name} was called with {one.arguments}"


def _misplaced(plan: Plan, recorded: dict[str, Invocation]) -> Iterator[str]:
    """What is wrong with the places of the agents that an agent asked."""
    invocation = recorded.get(plan.name)
    asked = {work.agent.name: work.name for turn in plan.turns for work in turn if work.agent is not None}
    if invocation is None:
        yield from (f"{name}: recorded without {plan.name}, which asked it" for name in asked if name in recorded)
        return
    tools = {one.id: one.name for one in invocation.tool_executions}
    inside = {one.name: tools.get(one.started_by, "no tool") for one in invocation.nested_invocations}
    expected = {name: tool for name, tool in asked.items() if name in recorded}
    if inside != expected:
        yield f"{plan.name}: it asked {expected}, and recorded is {inside}"
