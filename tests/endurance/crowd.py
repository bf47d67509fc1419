"""Many threads and many tasks at once, with agents of every framework that is installed here, at random and by a seed.

Each thread and each task has a capture of its own. Those of tasks lie in the captures of desks, and all of them in one. Tasks are cut
off at random, and agents fail at random.
"""

from __future__ import annotations

import asyncio
import random
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import attrs

from agentassert import Capture, Invocation, capture
from tests.adapters.kits import Kit
from tests.adapters.random_plans import Plan, Planner, Truth, facts_of
from tests.endurance.cut_off import Cut, CutOffTruth, complaints

TASKS_PER_DESK = 20
CUTS = 0.5


@attrs.frozen
class Sizes:
    """How many there are: threads, tasks, and agents in each thread."""

    threads: int = 64
    tasks: int = 1_000
    agents_per_thread: int = 4


@attrs.define
class Outcome:
    """What came of it: how much there was of what, and what is wrong, in words."""

    seed: int
    agents: int = 0
    failed: int = 0
    cut_off: int = 0
    wrong: list[str] = attrs.Factory(list)

    def __str__(self) -> str:
        return (
            f"seed {self.seed}: {self.agents:,} agents, {self.failed:,} failed, {self.cut_off:,} cut off, {len(self.wrong)} wrong"
        )


@attrs.define
class _Job:
    """One root in one task."""

    plan: Plan
    agent: Any
    cut: Cut
    outcome: Any = None
    own: Capture | None = None
    running: frozenset[str] = frozenset()


def run_crowd(seed: int, kits: Sequence[Kit], sizes: Sizes) -> Outcome:
    """Run them all at once, and compare what was recorded with what happened."""
    alone, together = Truth(), CutOffTruth(seed, CUTS)
    by_thread = [Planner(seed * 1_000 + number, kits, sizes.agents_per_thread).roots() for number in range(sizes.threads)]
    by_thread = [[_renamed(plan, f"t{number}") for plan in plans] for number, plans in enumerate(by_thread)]
    draw = random.Random(seed)
    roots = [
        _renamed(Planner(draw.randrange(2**32), kits, draw.randint(1, 4)).roots()[0], f"a{number}")
        for number in range(sizes.tasks)
    ]
    jobs = [_Job(plan, *together.root(plan)) for plan in roots]
    desks = [jobs[start : start + TASKS_PER_DESK] for start in range(0, len(jobs), TASKS_PER_DESK)]
    in_threads: dict[int, Capture] = {}
    at_desks: list[Capture] = []

    def run_thread(number: int) -> None:
        with capture(f"thread {number}") as cap:
            for plan in by_thread[number]:
                _ignoring(plan.kit, alone.agent(plan))
        in_threads[number] = cap

    async def run_desks() -> None:
        at_desks.extend(await asyncio.gather(*(_run_desk(jobs, together) for jobs in desks)))

    with capture("everything") as everything:
        threads = [threading.Thread(target=run_thread, args=(number,)) for number in range(sizes.threads)]
        for thread in threads:
            thread.start()
        asyncio.run(run_desks())
        for thread in threads:
            thread.join()

    outcome = Outcome(seed)
    _check_threads(outcome, by_thread, alone, in_threads, everything)
    _check_tasks(outcome, desks, together, at_desks, everything)
    known = {one.name for plans in [*by_thread, roots] for plan in plans for one in plan.family}
    outcome.agents += len(by_name(everything, outcome))
    outcome.wrong += [f"nobody knows {name}" for name in by_name(everything, outcome) if name not in known]
    return outcome


async def _run_desk(jobs: Sequence[_Job], truth: CutOffTruth) -> Capture:
    async with capture("desk") as cap:
        for job in jobs:
            job.cut.task = asyncio.ensure_future(_run_job(job, truth))
        results = await asyncio.gather(*(job.cut.task for job in jobs if job.cut.task is not None), return_exceptions=True)
    for job, result in zip(jobs, results, strict=True):
        job.outcome = result
    return cap


async def _run_job(job: _Job, truth: CutOffTruth) -> Any:
    try:
        async with capture(job.plan.name) as job.own:
            return await job.plan.kit.arun(job.agent)
    finally:
        job.running = truth.running(job.plan)


def _ignoring(kit: Kit, agent: Any) -> None:
    try:
        kit.run(agent)
    except Exception:  # what it raises is compared with the plan, by the status that was recorded
        pass


def _check_threads(
    outcome: Outcome, by_thread: list[list[Plan]], truth: Truth, captures: dict[int, Capture], everything: Capture
) -> None:
    overall = by_name(everything, outcome)
    for number, plans in enumerate(by_thread):
        expected = {one.name: truth.facts_of(one) for plan in plans for one in plan.family}
        outcome.failed += sum(not one.completed for one in expected.values())
        found = by_name(captures[number], outcome)
        outcome.wrong += [f"thread {number}: {doubt}" for doubt in captures[number].health.doubts]
        for where, recorded in (("its own", found), ("everything", {name: overall.get(name) for name in expected})):
            facts = {name: one and facts_of(one) for name, one in recorded.items()}
            outcome.wrong += [
                f"thread {number}, in {where}: {name} was {expected.get(name)}, and recorded is {facts.get(name)}"
                for name in {*expected, *facts}
                if expected.get(name) != facts.get(name)
            ]


def _check_tasks(
    outcome: Outcome, desks: list[list[_Job]], truth: CutOffTruth, captures: list[Capture], everything: Capture
) -> None:
    overall = by_name(everything, outcome)
    outcome.wrong += [f"everything: {doubt}" for doubt in everything.health.doubts]
    for jobs, cap in zip(desks, captures, strict=True):
        at_desk = by_name(cap, outcome)
        outcome.wrong += [f"desk: {doubt}" for doubt in cap.health.doubts]
        names = {one.name for job in jobs for one in job.plan.family}
        outcome.wrong += [f"{name} is at the wrong desk" for name in at_desk if name not in names]
        for job in jobs:
            own = {} if job.own is None else by_name(job.own, outcome)
            family = {one.name for one in job.plan.family}
            outcome.wrong += [f"{name} is in the capture of {job.plan.name}" for name in own if name not in family]
            outcome.wrong += [] if job.own is None else [f"{job.plan.name}: {doubt}" for doubt in job.own.health.doubts]
            outcome.cut_off += job.cut.made
            outcome.failed += isinstance(job.outcome, Exception)
            for where, recorded, running in (
                ("its own", own, job.running),
                ("the desk's", at_desk, frozenset()),
                ("everything", overall, frozenset()),
            ):
                found = complaints(job.plan, truth, job.cut, job.outcome, recorded, running)
                outcome.wrong += [f"in {where}: {one}" for one in found]


def by_name(cap: Capture, outcome: Outcome) -> dict[str, Invocation]:
    """All invocations of a capture by their names; that one is there twice is wrong."""
    found = [one for top in cap.invocations for one in top.with_nested()]
    named = {one.name: one for one in found}
    if len(named) != len(found):
        outcome.wrong.append(f"{cap.name}: {len(found) - len(named)} are there twice")
    return named


def _renamed(plan: Plan, prefix: str) -> Plan:
    """The plan, its agents and tools with names that no other one has."""

    def renamed_work(work: Any) -> Any:
        inner = None if work.agent is None else _renamed(work.agent, prefix)
        return attrs.evolve(work, name=f"{prefix}_{work.name}", agent=inner)

    turns = tuple(tuple(renamed_work(work) for work in turn) for turn in plan.turns)
    return attrs.evolve(plan, name=f"{prefix}_{plan.name}", turns=turns)


@contextmanager
def switching_often(seconds: float = 1e-6) -> Iterator[None]:
    """Let threads take turns as often as the interpreter can, so that what is not safe shows."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(seconds)
    try:
        yield
    finally:
        sys.setswitchinterval(before)
