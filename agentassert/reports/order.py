"""The order in which a tree shows what lies inside an invocation, and which of many things it shows."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from typing import Final, TypeAlias

from agentassert import render
from agentassert.conversation_events import ConversationEvent
from agentassert.failures import counted
from agentassert.records import Approval, Invocation, ModelCall, Outcome, Status, ToolExecution

Item: TypeAlias = ToolExecution | ModelCall | Invocation | ConversationEvent | Approval

_MOST_NAMED: Final = 4


def in_order(one: Invocation, nested: Sequence[Invocation]) -> list[Item]:
    """What lies inside an invocation, in the order in which it started; an approval behind what asked for it.

    Args:
        one: the invocation.
        nested: those of its nested invocations that lie in none of its tool executions.
    """
    placed: list[tuple[float, Item]] = [(event.order, event) for event in one.conversation_events]
    for kind in (one.tool_executions, one.model_calls, nested):
        placed += [(item.started_order, item) for item in kind]
    placed += _approvals(one)
    return [item for _, item in sorted(placed, key=lambda pair: pair[0])]


def notable(found: Sequence[Item], checked: Collection[str] | None, most: int) -> list[int]:
    """The places of what a long list must not leave out: first of all what did not go well, then what is unchecked."""
    troubled = [at for at, item in enumerate(found) if _is_troubled(item)]
    unchecked = [at for at, item in enumerate(found) if checked is not None and _is_unchecked(item, checked)]
    return [*troubled, *unchecked][:most]


def counted_by_kind(left: Sequence[Item]) -> str:
    """How many things these are, and of which kinds, in words."""
    tools = Counter(render.words(one.name, 40) for one in left if isinstance(one, ToolExecution))
    named = tools.most_common(_MOST_NAMED)
    calls = sum(isinstance(one, ModelCall) for one in left)
    nested = sum(isinstance(one, Invocation) for one in left)
    kinds = (
        (tools.total() - sum(count for _, count in named), "other tool execution"),
        (calls, "model call"),
        (nested, "invocation"),
        (len(left) - tools.total() - calls - nested, "other thing"),
    )
    parts = [f"{count:,} {name}" for name, count in named]
    parts += [counted(number, noun) for number, noun in kinds if number]
    return ", ".join(parts)


def _approvals(one: Invocation) -> list[tuple[float, Item]]:
    """The first approval of a tool belongs to the first request for it, and so on; without requests, to its executions."""
    if not one.approvals:
        return []
    asked: defaultdict[str, list[float]] = defaultdict(list)
    for call in one.own_chat_model_calls:
        for request in call.tool_execution_requests:
            asked[request.name].append(call.started_order)
    ran: defaultdict[str, list[float]] = defaultdict(list)
    for execution in one.tool_executions:
        ran[execution.name].append(execution.started_order - 0.5)
    places = {approval.tool: iter(asked[approval.tool] or ran[approval.tool]) for approval in one.approvals}
    return [(next(places[approval.tool], math.inf), approval) for approval in one.approvals]


def _is_troubled(item: Item) -> bool:
    if isinstance(item, ToolExecution):
        return item.outcome is not Outcome.SUCCEEDED
    if isinstance(item, ModelCall):
        return item.failed
    return isinstance(item, Approval) or (isinstance(item, Invocation) and item.status is not Status.COMPLETED)


def _is_unchecked(item: Item, checked: Collection[str]) -> bool:
    return isinstance(item, ToolExecution) and item.id not in checked
