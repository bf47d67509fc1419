"""Many agents at once, of every framework that is installed here: nothing is lost, doubled, or given to the wrong invocation."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.adapters.kits import installed_kits, tolerate
from tests.adapters.random_plans import Planner, Truth, facts_of
from tests.adapters.scenarios.parts import arecording, recording

SEED = 1
DESKS = 8
AGENTS = {"frameworks": 200, "loops": 40, "clients": 40}
"""Those that open a connection for each agent are fewer at once, or they would run into limits of their own."""


def run_in_threads(agents):
    """Run the agents of one desk in a pool of its own, in a capture of its own."""
    with recording() as cap, ThreadPoolExecutor(4) as pool:
        for kit, agent in agents:
            pool.submit(kit.run, agent)
    return cap


async def run_in_tasks(agents):
    """Run the agents of one desk in tasks, in a capture of its own."""
    async with arecording() as cap:
        await asyncio.gather(*(kit.arun(agent) for kit, agent in agents), return_exceptions=True)
    return cap


def run_all(desks):
    """Run every other desk in threads and the others in tasks, all at once; gives the capture of each."""
    captures = {}

    def run(number):
        captures[number] = run_in_threads(desks[number])

    async def run_others():
        numbers = range(1, len(desks), 2)
        captures.update(zip(numbers, await asyncio.gather(*(run_in_tasks(desks[number]) for number in numbers)), strict=True))

    threads = [threading.Thread(target=run, args=(number,)) for number in range(0, len(desks), 2)]
    for thread in threads:
        thread.start()
    asyncio.run(run_others())
    for thread in threads:
        thread.join()
    return [captures[number] for number in range(len(desks))]


def recorded_in(cap):
    """What the capture holds of each agent; an agent that is there twice is no part of this test, and fails it."""
    invocations = [one for top in cap.invocations for one in top.with_nested()]
    facts = {one.name: facts_of(one) for one in invocations}
    assert len(facts) == len(invocations)
    return facts


@pytest.mark.parametrize("group", AGENTS)
def test_nothing_is_lost_doubled_or_given_to_the_wrong_invocation(group):
    agents, kits = AGENTS[group], [kit for kit in installed_kits() if kit.random_run == group]
    if not kits:
        pytest.skip("none of them is installed here")
    tolerate(*kits)
    plans, truth = Planner(SEED, kits, agents).roots(), Truth()
    by_desk = [plans[number::DESKS] for number in range(DESKS)]
    desks = [[(plan.kit, truth.agent(plan)) for plan in desk] for desk in by_desk]

    with recording() as everything:
        captures = run_all(desks)

    expected = [{one.name: truth.facts_of(one) for plan in desk for one in plan.family} for desk in by_desk]
    failing = [
        facts for desk in expected for facts in desk.values() if not (facts.completed and all(one[2] for one in facts.tools))
    ]
    assert sum(map(len, expected)) == agents
    assert agents * 0.4 < len(failing) < agents * 0.8
    assert [recorded_in(cap) for cap in captures] == expected
    assert recorded_in(everything) == {name: facts for desk in expected for name, facts in desk.items()}
