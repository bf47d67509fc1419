"""`run()`: an agent and a payload in, a capture out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from agentassert.driving.driven import Driven
from agentassert.driving.plans import Plan
from agentassert.recording.waiting import in_event_loop

if TYPE_CHECKING:
    from agentassert.captures import Capture
    from agentassert.doubles.kinds import Double
    from agentassert.doubles.sets import Resolver
    from agentassert.driving.approving import ApprovalDecision


def run(
    agent: Any,
    payload: str | Mapping[str, Any],
    *,
    approvals: Iterable[ApprovalDecision | Mapping[str, Any]] = (),
    strict_approvals: bool = False,
    context: Mapping[str, Any] | None = None,
    mocks: Mapping[str, Double] | Resolver | None = None,
    timeout_s: float | None = None,
    name: str | None = None,
) -> Capture:
    """Run an agent once on a payload, and record what it does.

    What the agent does wrong is in the capture, and raises nothing: its invocation has failed, was blocked, or waits for approval.
    An error that is no part of an invocation (the payload does not suit the agent, there is no checkpointer) is raised.

    Args:
        agent: a callable, which gets the payload as its only argument; a LangGraph graph or LangChain runnable; an agent of the
            OpenAI Agents SDK or of Pydantic AI; whatever an installed adapter drives; or a text that names one of these, such as
            `"shop.agents:support"`.
        payload: text, or a mapping. Text that holds a JSON object counts as a mapping. An agent that takes messages gets a mapping
            as its JSON text.
        approvals: what is decided when the agent waits for approval, each used once, in the order listed. A request that no
            decision fits ends the run, which is then `awaiting_approval`.
        strict_approvals: fail when a request has no decision, or a decision no request.
        context: what the decisions' expressions know as `context`.
        mocks: what stands in for tools, by the tool's name: `returns(...)`, `fails(...)`, `delays(...)`, or a callable with the
            tool's own parameters; or an object with a method `find(tool)`.
        timeout_s: seconds after which the agent has failed with `"timed out"`. Async agents are cancelled then; a function runs in
            a thread of its own, which is left behind.
        name: the name of an agent that has none of its own, and of the capture.

    Returns:
        The capture, closed.

    Raises:
        TypeError, ValueError: for arguments that are wrong, and an unknown tool in `mocks`.
        RuntimeError: inside a running event loop; use :func:`run_async` there.
        AgentAssertionError: when strict approvals do not come out even, or a mock was called in a way that the tool does not take.

    Example:
        >>> @record.tool
        ... def get_price(article):
        ...     return 5
        >>> def clerk(payload):
        ...     return f"It costs {get_price(payload['article'])}"
        >>> cap = run(clerk, '{"article": "lamp"}')
        >>> cap.output
        'It costs 5'
        >>> checked = assert_that(cap).has_tool_executed_with("get_price", {"article": "lamp"})
    """
    driven = drive(agent, payload, approvals=approvals, context=context, mocks=mocks, timeout_s=timeout_s, name=name)
    driven.conclude(strict_approvals=strict_approvals)
    return driven.capture


async def run_async(
    agent: Any,
    payload: str | Mapping[str, Any],
    *,
    approvals: Iterable[ApprovalDecision | Mapping[str, Any]] = (),
    strict_approvals: bool = False,
    context: Mapping[str, Any] | None = None,
    mocks: Mapping[str, Double] | Resolver | None = None,
    timeout_s: float | None = None,
    name: str | None = None,
) -> Capture:
    """Run an agent once on a payload, from asynchronous code; otherwise like :func:`run`.

    A function that is no coroutine function runs in a thread of its own.

    Args:
        agent: as for :func:`run`, and likewise all others.
        payload: text, or a mapping.
        approvals: what is decided when the agent waits for approval.
        strict_approvals: fail when a request has no decision, or a decision no request.
        context: what the decisions' expressions know as `context`.
        mocks: what stands in for tools.
        timeout_s: seconds after which the agent has failed with `"timed out"`.
        name: the name of an agent that has none of its own.

    Returns:
        The capture, closed.

    Raises:
        TypeError, ValueError, AgentAssertionError: as for :func:`run`.

    Example:
        >>> async def greeter(payload):
        ...     return f"Hello {payload}"
        >>> import asyncio
        >>> asyncio.run(run_async(greeter, "Ann")).output
        'Hello Ann'
    """
    driven = await drive_async(agent, payload, approvals=approvals, context=context, mocks=mocks, timeout_s=timeout_s, name=name)
    driven.conclude(strict_approvals=strict_approvals)
    return driven.capture


def drive(
    agent: Any,
    payload: str | Mapping[str, Any],
    *,
    approvals: Iterable[ApprovalDecision | Mapping[str, Any]] = (),
    context: Mapping[str, Any] | None = None,
    mocks: Mapping[str, Double] | Resolver | None = None,
    timeout_s: float | None = None,
    name: str | None = None,
) -> Driven:
    """Like :func:`run`, but what would fail it is part of the result, for callers that report more than one problem.

    Example:
        >>> drive(lambda payload: payload, "Hi", approvals=[{"tool": "pay", "decision": "approve"}]).problems(strict_approvals=True)
        ("nothing asked for the decision to approve 'pay'",)
    """
    if in_event_loop():
        raise RuntimeError("run() blocks the thread, and an event loop runs in it; write `await run_async(...)` instead")
    plan = Plan.of(agent, payload, approvals=approvals, context=context, mocks=mocks, timeout_s=timeout_s, name=name)
    return plan.carry_out()


async def drive_async(
    agent: Any,
    payload: str | Mapping[str, Any],
    *,
    approvals: Iterable[ApprovalDecision | Mapping[str, Any]] = (),
    context: Mapping[str, Any] | None = None,
    mocks: Mapping[str, Double] | Resolver | None = None,
    timeout_s: float | None = None,
    name: str | None = None,
) -> Driven:
    """Like :func:`run_async`, but what would fail it is part of the result; see :func:`drive`.

    Example:
        >>> import asyncio
        >>> asyncio.run(drive_async(lambda payload: payload, "Hi")).problems()
        ()
    """
    plan = Plan.of(agent, payload, approvals=approvals, context=context, mocks=mocks, timeout_s=timeout_s, name=name)
    return await plan.carry_out_async()
