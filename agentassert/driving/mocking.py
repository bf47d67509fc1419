"""Doubles in the place of an agent's tools."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from agentassert import adapters
from agentassert.doubles import active, functions
from agentassert.doubles.sets import Doubles
from agentassert.driving.targets import FrameworkAgent, Target, target_of
from agentassert.errors import AgentAssertionError
from agentassert.recording import threads
from agentassert.records import ChatModelCall, Invocation
from agentassert.text.nearest import did_you_mean, nearest

if TYPE_CHECKING:
    from agentassert.captures import Capture
    from agentassert.doubles.kinds import Double
    from agentassert.doubles.sets import Resolver

_HANDS_OVER: Final = re.compile("transfer|hand_?off|delegate", re.IGNORECASE)
"""How what hands over to another agent is called in most frameworks."""
_NOT_A_HANDOFF: Final = "handing over to another agent cannot be mocked: let it, and mock the tools of that agent"


@contextmanager
def mocked_tools(agent: Any, mocks: Mapping[str, Double] | Resolver) -> Iterator[Doubles]:
    """Have doubles stand in for an agent's tools inside a block, wherever in it the agent is run.

    The agent itself is not changed, and tasks and threads that run beside the block use the real tools. A replaced tool is
    recorded as ever. Calls that the real tool would refuse are refused, and fail the block.

    Args:
        agent: what :func:`run` takes.
        mocks: by the tool's name: `returns(...)`, `fails(...)`, `delays(...)`, or a callable with the tool's own parameters; or
            an object with a method `find(tool)`.

    Yields:
        The doubles, whose `arguments_of(name)` tells what they were called with.

    Raises:
        ValueError: when the agent has no tool of a name, naming those it has.
        TypeError: when a double cannot be called.
        AgentAssertionError: on leaving, when a double was called in a way that the real tool does not take.

    Example:
        >>> @record.tool
        ... def get_price(article: str) -> int:
        ...     raise ConnectionError("no network in tests")
        >>> def clerk(article):
        ...     return f"It costs {get_price(article)}"
        >>> with capture() as cap, mocked_tools(clerk, {"get_price": returns(7)}) as doubles:
        ...     clerk("lamp")
        'It costs 7'
        >>> doubles.arguments_of("get_price")
        [{'article': 'lamp'}]
    """
    doubles, target = Doubles(mocks), target_of(agent, None)
    refuse_unknown(doubles, target.tools_in_reach)
    install(target)
    threads.carry_into_threads()
    try:
        with active.using(doubles):
            yield doubles
    except BaseException as error:
        if doubles.problems:
            BaseException.add_note(error, "\n".join(doubles.problems))
        raise
    finally:
        threads.stop_carrying()
    raise_problems(doubles)


def install(target: Target) -> None:
    """Hook into every framework that is imported where it calls tools; a function may run agents of any of them.

    Raises:
        NotImplementedError: when that of the agent itself has no such place.
    """
    for driver in adapters.drivers():
        try:
            driver.install_doubles()
        except NotImplementedError:
            if isinstance(target, FrameworkAgent) and isinstance(target.driver, type(driver)):
                raise


def refuse_unknown(doubles: Doubles, tools: list[str] | None) -> None:
    """Refuse mocks of tools that there are not, where it is known which ones there are.

    Raises:
        ValueError: naming the tools.
    """
    if tools is None:
        return
    for name in doubles.names:
        if name not in tools and name not in functions.known:
            meant = did_you_mean(name, tools) if tools else "it has none"
            advice = "" if nearest(name, tools) else f". {_elsewhere(name)}"
            raise ValueError(f"the agent has no tool {name!r} to mock{meant and f'; {meant}'}{advice}")


def _elsewhere(name: str) -> str:
    """Where a mock may belong that the agent has no tool for."""
    if _HANDS_OVER.match(name):
        return _NOT_A_HANDOFF.capitalize()
    return "If an agent that it runs has it, put `with mocked_tools(that_agent, {...}):` around the run"


def problems_in(cap: Capture, doubles: Doubles, tools: list[str] | None) -> tuple[str, ...]:
    """What went wrong with mocks in a run that is over, a sentence each."""
    tops = cap.invocations if cap.strays is None else (*cap.invocations, cap.strays)
    invocations = [one for top in tops for one in top.with_nested()]
    executed = {execution.name for one in invocations for execution in one.tool_executions}
    offered = {
        name
        for one in invocations
        for call in one.model_calls
        if isinstance(call, ChatModelCall)
        for name in call.tools_offered or ()
    }
    there = {*executed, *offered, *functions.known, *(tools or ())}
    problems = list(doubles.problems)
    for name in doubles.names:
        if name not in there:
            meant = did_you_mean(name, executed | offered)
            problems.append(f"{name!r} is mocked, but no tool of this name was offered or executed{meant and f'; {meant}'}")
        elif name in executed and name not in doubles.reached:
            problems.append(f"{name!r} is mocked, but the real tool ran: nothing could be put in its place there")
        elif name not in doubles.reached and any(_handed_over(one, name) for one in invocations):
            problems.append(f"{name!r} is mocked, but no tool: {_NOT_A_HANDOFF}")
    return tuple(problems)


def _handed_over(invocation: Invocation, name: str) -> bool:
    """Whether a request for `name` is what started another agent, rather than a tool that a person or the framework refused."""
    asked = any(request.name == name and not request.answered for request in invocation.tool_execution_requests)
    decided = any(approval.tool == name for approval in invocation.approvals)
    return asked and not decided and any(one.started_by is None for one in invocation.nested_invocations)


def raise_problems(doubles: Doubles) -> None:
    """Fail when something went wrong with mocks.

    Raises:
        AgentAssertionError: with all that went wrong.
    """
    if doubles.problems:
        lines = "\n".join(f"  {problem}" for problem in doubles.problems)
        raise AgentAssertionError(
            f"Expected tools to be called as the real ones are, but:\n{lines}",
            subject="the mocked tools",
            expected="calls that the real tools take",
            actual=tuple(doubles.problems),
        )
