"""What the scenarios share: tools, and the ways to look at a capture."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any, TypeVar

from agentassert import Capture, Invocation, Outcome, ToolExecution, capture
from tests.adapters.kits import Ask, Kit, Request, Say, Tool

BOOKING = {"number": "MS-777", "customer": "Ann"}
LOOKED_UP = ("get_booking", Outcome.SUCCEEDED)

_T = TypeVar("_T")


def get_booking(number: str) -> dict[str, str]:
    """Look a booking up."""
    return {"number": number, "customer": "Ann"}


def cancel_booking(number: str, reason: str = "user") -> str:
    """Cancel a booking."""
    return f"cancelled {number}"


def explode(*args: Any, **kwargs: Any) -> Any:
    """Fail."""
    raise ValueError("kaput")


def fragile(x: int) -> str:
    """Fail."""
    raise ValueError("kaput")


def booker(kit: Kit, number: str = "MS-777", name: str = "support") -> Any:
    """An agent that looks a booking up and answers with its number."""
    return kit.agent(
        Ask(Request("get_booking", {"number": number})), Say(f"found {number}"), tools=[Tool(get_booking)], name=name
    )


@contextlib.contextmanager
def recording(**options: Any) -> Iterator[Capture]:
    """A capture of which nothing is in doubt."""
    with capture(on_doubt="fail", **options) as cap:
        yield cap
    assert cap.health.doubts == (), cap.health.doubts


@contextlib.asynccontextmanager
async def arecording(**options: Any) -> AsyncIterator[Capture]:
    """The same in async code."""
    async with capture(on_doubt="fail", **options) as cap:
        yield cap
    assert cap.health.doubts == (), cap.health.doubts


def only(found: Sequence[_T]) -> _T:
    """The only one of what was found."""
    assert len(found) == 1, found
    return found[0]


def only_execution(invocation: Invocation) -> ToolExecution:
    """The only tool execution."""
    return only(invocation.tool_executions)


def executed(invocation: Invocation) -> list[tuple[str, Outcome]]:
    """Names and outcomes of the tool executions."""
    return [(one.name, one.outcome) for one in invocation.tool_executions]


def everywhere(cap: Capture, name: str) -> Invocation:
    """The only invocation of that name, at any depth."""
    found = [one for top in cap.invocations for one in top.with_nested() if one.name == name]
    assert len(found) == 1, [one.name for one in found]
    return found[0]
