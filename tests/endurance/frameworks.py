"""What a test session does again and again with the agents of a framework: a piece of each kind, to be done any number of times."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any, Final

from agentassert import AgentAssertionError, Capture, Status, assert_that, capture
from tests.adapters.kits import Ask, Break, Kit, Request, Say, Tool, UnsupportedError

LASTS = 5
ASKED = {"number": "MS-777"}


def get_booking(number: str) -> dict[str, str]:
    """Look a booking up."""
    return {"number": number}


def explode(number: str) -> str:
    """Fail."""
    raise ValueError(number)


def made(kit: Kit) -> Any:
    """An agent that looks something up, asks another one, and answers."""
    clerk = kit.agent(Ask(Request("get_booking", ASKED)), Say("found"), tools=[Tool(get_booking)], name="clerk")
    script = Ask(Request("get_booking", ASKED)), Ask(Request("ask_clerk", {"topic": "MS-777"}, "c2")), Say("done")
    return kit.agent(*script, tools=[Tool(get_booking), kit.delegating(clerk, "ask_clerk")])


def made_to_fail(kit: Kit, how: str) -> Any:
    """An agent that a tool ends, or its model, or which is told of its tool's failure."""
    if how == "model":
        return kit.agent(Ask(Request("get_booking", ASKED)), Break(ConnectionError("no network")), tools=[Tool(get_booking)])
    return kit.agent(Ask(Request("explode", ASKED)), Say("done"), tools=[Tool(explode, tells_errors=how == "told")])


def anew(kit: Kit, number: int) -> None:
    """An agent of its own for each run, asserted on."""
    with capture(f"capture {number}") as cap:
        kit.run(made(kit))
    assert_that(cap).including_nested().has_tool_executed_with("get_booking", ASKED)
    with contextlib.suppress(AgentAssertionError):
        assert_that(cap).has_failed_with(OSError)
    assert Capture.from_json(cap.to_json()).invocation.status is Status.COMPLETED


def anew_in_tasks(kit: Kit, number: int) -> None:
    """Agents in tasks, one of them cancelled in a tool, one read as a stream to its end and one not."""
    asyncio.run(_tasks(kit))


def _stalling(kit: Kit) -> tuple[Any, asyncio.Event]:
    """An agent whose tool never returns, and what tells that it is reached."""
    reached = asyncio.Event()

    async def stall(number: str) -> str:
        """Wait."""
        reached.set()
        await asyncio.sleep(60)
        return number

    return kit.agent(Ask(Request("stall", ASKED)), Say("done"), tools=[Tool(stall)]), reached


async def _tasks(kit: Kit) -> None:
    stalling, reached = _stalling(kit)
    async with capture():
        waiting = asyncio.ensure_future(kit.arun(stalling))
        await kit.arun(made(kit))
        await reached.wait()
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
    with contextlib.suppress(UnsupportedError):
        async with capture():
            async for _ in kit.astream(made(kit)):
                pass
        async with capture():
            async with contextlib.aclosing(kit.astream(made(kit))) as stream:
                await anext(stream)


def failing(kit: Kit, number: int) -> None:
    """Agents that their model ends, or a tool, and those that are told of a failure."""
    for how in ("model", "told", "tool"):
        with contextlib.suppress(Exception), capture():
            kit.run(made_to_fail(kit, how))


def waiting_for_ever(kit: Kit, number: int) -> None:
    """An agent that waits for an approval that nobody gives."""
    with contextlib.suppress(UnsupportedError), capture():
        kit.run(kit.agent(Ask(Request("get_booking", ASKED)), Say("done"), tools=[Tool(get_booking, needs_approval=True)]))


def again(kit: Kit, number: int) -> None:
    """One agent for several runs, in a capture each, asserted on."""
    agent = _lasting(kit)
    for _ in range(LASTS):
        with capture() as cap:
            kit.run(agent)
        assert_that(cap).has_tool_executed("get_booking")


def _lasting(kit: Kit) -> Any:
    script = [Ask(Request("get_booking", ASKED)), Say("done")] * LASTS
    return kit.agent(*script, tools=[Tool(get_booking)])


def _uncaptured(kit: Kit, number: int) -> None:
    """What a framework and a model that follows a script keep without this library."""
    kit.run(made(kit))
    for how in ("model", "told", "tool"):
        with contextlib.suppress(Exception):
            kit.run(made_to_fail(kit, how))


async def _uncaptured_tasks(kit: Kit) -> None:
    stalling, reached = _stalling(kit)
    waiting = asyncio.ensure_future(kit.arun(stalling))
    await kit.arun(made(kit))
    await reached.wait()
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)


def pieces(kit: Kit) -> dict[str, Callable[[Kit, int], None]]:
    """Each kind of work that is possible with a framework, by its name."""
    kinds = {one.__name__: one for one in (anew, anew_in_tasks, failing, again)}
    return kinds if "approval_pending" in kit.cannot else {**kinds, waiting_for_ever.__name__: waiting_for_ever}


CONTROLS: Final[dict[str, Callable[[Kit, int], None]]] = {
    anew.__name__: _uncaptured,
    failing.__name__: _uncaptured,
    anew_in_tasks.__name__: lambda kit, number: asyncio.run(_uncaptured_tasks(kit)),
}
"""The like of some, without this library: a framework may keep something by itself."""
