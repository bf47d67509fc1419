"""Agents made up at random, whose models and tools keep the books of what really happens."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Sequence
from typing import Any

import attrs

from agentassert import Invocation, Outcome, Status
from tests.adapters.kits import Ask, Break, Kit, Request, Say, Tool

DEPTH = 2


@attrs.frozen
class Work:
    """What one tool does: fail or not, or run an agent; and whether the model is told of a failure, or the agent ends by it."""

    name: str
    fails: bool = False
    told: bool = False
    agent: Plan | None = None


@attrs.frozen
class Plan:
    """What one agent does: the tools that its model asks for, response by response, and whether the model fails in the end."""

    name: str
    kit: Kit
    turns: tuple[tuple[Work, ...], ...]
    breaks: bool

    @property
    def fails(self) -> bool:
        """Whether an error ends it."""
        return self.breaks or any(work.fails and not work.told for turn in self.turns for work in turn)

    @property
    def family(self) -> list[Plan]:
        """It, and all agents that its tools run."""
        nested = [work.agent for turn in self.turns for work in turn if work.agent is not None]
        return [self, *(plan for agent in nested for plan in agent.family)]


class Planner:
    """Makes up agents, the same ones for the same seed."""

    def __init__(self, seed: int, kits: Sequence[Kit], agents: int) -> None:
        self._random = random.Random(seed)
        self._kits = kits
        self._left = agents
        self._names = 0

    def roots(self) -> list[Plan]:
        """Agents that nothing runs, until there are as many as there shall be, those in agents included."""
        roots: list[Plan] = []
        while self._left:
            roots.append(self._plan(DEPTH))
        return roots

    def _plan(self, depth: int) -> Plan:
        self._left -= 1
        name, kit = self._name("agent"), self._random.choice(self._kits)
        fatal = () if "failure_that_ends_the_agent" in kit.cannot else ("fatal",)
        failure = self._random.choice([None, None, None, "told", *fatal, "model"])
        turns = [self._tools(fails=failure == "told")]
        if depth and self._left and self._random.random() < 0.7:
            turns.append(self._agents(depth, may_end=failure == "fatal"))
        if failure == "fatal" and not any(work.fails and not work.told for work in turns[-1]):
            turns.append((Work(self._name("tool"), fails=True),))
        return Plan(name, kit, tuple(turns), breaks=failure == "model")

    def _tools(self, *, fails: bool) -> tuple[Work, ...]:
        works = [Work(self._name("tool")) for _ in range(self._random.randint(1, 2))]
        return (*works, Work(self._name("tool"), fails=True, told=True)) if fails else tuple(works)

    def _agents(self, depth: int, *, may_end: bool) -> tuple[Work, ...]:
        """Agents that the agent asks at once. One by which it ends comes alone: what runs beside it would be left half done."""
        plans = [self._plan(depth - 1) for _ in range(self._random.randint(1, 3)) if self._left]
        is_told = len(plans) > 1 or not may_end
        return tuple(Work(self._name("ask"), fails=plan.fails, told=plan.fails and is_told, agent=plan) for plan in plans)

    def _name(self, kind: str) -> str:
        self._names += 1
        return f"{kind}_{self._names}"


@attrs.frozen
class Facts:
    """What happened in one invocation.

    Attributes:
        calls: for each request to its model, what the response asked for; `None` where the request failed.
        tools: its tool executions, each with the arguments and whether it succeeded.
        nested: the names of the agents that its tools ran, by tool.
    """

    framework: str
    completed: bool
    calls: list[list[str] | None]
    tools: list[tuple[str, Any, bool]]
    nested: dict[str, str]


def facts_of(invocation: Invocation) -> Facts:
    """What was recorded."""
    assert invocation.status in (Status.COMPLETED, Status.FAILED), invocation
    names = {one.id: one.name for one in invocation.tool_executions}
    return Facts(
        framework=invocation.framework,
        completed=invocation.status is Status.COMPLETED,
        calls=[
            None if one.failed else [asked.name for asked in one.tool_execution_requests]
            for one in invocation.own_chat_model_calls
        ],
        tools=[(one.name, one.arguments, one.outcome is Outcome.SUCCEEDED) for one in invocation.tool_executions],
        nested={names.get(one.started_by, "no tool"): one.name for one in invocation.nested_invocations},
    )


class Truth:
    """What the models and the tools say that they did."""

    def __init__(self) -> None:
        self._calls: dict[str, list[list[str] | None]] = {}
        self._runs: list[tuple[str, str, bool]] = []
        self._lock = threading.Lock()

    def agent(self, plan: Plan) -> Any:
        """The agent of a plan."""
        script = [self._asking(plan, number, turn) for number, turn in enumerate(plan.turns)]
        tools = [self._tool(plan, work) for turn in plan.turns for work in turn]
        return plan.kit.agent(*script, self._ending(plan), tools=tools, name=plan.name)

    def _asking(self, plan: Plan, number: int, turn: Sequence[Work]) -> Callable[[], Ask]:
        def ask() -> Ask:
            self._calls.setdefault(plan.name, []).append([work.name for work in turn])
            # The same ids in every agent, as with providers that count.
            return Ask(*(Request(work.name, {"topic": work.name}, f"call_{number}_{index}") for index, work in enumerate(turn)))

        return ask

    def _ending(self, plan: Plan) -> Callable[[], Say | Break]:
        def end() -> Say | Break:
            self._calls.setdefault(plan.name, []).append(None if plan.breaks else [])
            return Break(ConnectionError(plan.name)) if plan.breaks else Say(plan.name)

        return end

    def _tool(self, plan: Plan, work: Work) -> Tool:
        if work.agent is not None:
            asking = plan.kit.delegating(self.agent(work.agent), work.name, of=work.agent.kit)
            return attrs.evolve(asking, tells_errors=work.told)

        def function(topic: str) -> str:
            """Work."""
            with self._lock:
                self._runs.append((plan.name, topic, not work.fails))
            if work.fails:
                raise ValueError(topic)
            return topic

        function.__name__ = work.name
        return Tool(function, tells_errors=work.told)

    def facts_of(self, plan: Plan) -> Facts:
        """What must have been recorded of an agent."""
        calls = self._calls[plan.name]
        works = {work.name: work for turn in plan.turns for work in turn}
        ran = [works[name] for call in calls for name in call or ()]
        return Facts(
            framework=plan.kit.framework,
            completed=calls[-1] == [],
            calls=calls,
            tools=[(work.name, {"topic": work.name}, self._succeeded(plan, work)) for work in ran],
            nested={work.name: work.agent.name for work in ran if work.agent is not None},
        )

    def _succeeded(self, plan: Plan, work: Work) -> bool:
        if work.agent is not None:
            return self._calls[work.agent.name][-1] == []
        (succeeded,) = [succeeded for agent, name, succeeded in self._runs if (agent, name) == (plan.name, work.name)]
        return succeeded
