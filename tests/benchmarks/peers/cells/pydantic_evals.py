"""pydantic-evals: its query of spans, and its match of trajectories."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic_evals.evaluators import EvaluatorContext, HasMatchingSpan, TrajectoryMatch
from pydantic_evals.otel import SpanNode, SpanTree
from trajectories import Call, executed, shuffled
from worker import Runs, timed

_START = datetime(2026, 1, 1, tzinfo=UTC)


def _nodes(calls: list[Call]) -> list[SpanNode]:
    """The spans that an agent leaves under instrumentation by the conventions."""
    nodes = [_node("invoke_agent clerk", 1, None, len(calls), {"gen_ai.operation.name": "invoke_agent"})]
    for number, (name, arguments) in enumerate(calls):
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": name,
            "gen_ai.tool.call.id": f"call_{number}",
            "gen_ai.tool.call.arguments": json.dumps(arguments),
        }
        nodes.append(_node(f"execute_tool {name}", number + 2, 1, number, attributes))
    return nodes


def _context(nodes: list[SpanNode]) -> EvaluatorContext[Any, Any, Any]:
    """As `Dataset.evaluate` makes it of spans."""
    tree = SpanTree()
    tree.add_spans(nodes)
    return EvaluatorContext(
        name="clerk",
        inputs="Do it",
        metadata=None,
        expected_output=None,
        output="Done",
        duration=1.0,
        _span_tree=tree,
        attributes={},
        metrics={},
    )


def _node(name: str, span: int, parent: int | None, millisecond: int, attributes: dict[str, Any]) -> SpanNode:
    started = _START + timedelta(milliseconds=millisecond)
    return SpanNode(
        name=name,
        trace_id=1,
        span_id=span,
        parent_span_id=parent,
        start_timestamp=started,
        end_timestamp=started + timedelta(milliseconds=1),
        attributes=attributes,
    )


def _evaluated(evaluator: Callable[[int], Any]) -> Callable[[int], Runs]:
    def prepare(size: int) -> Runs:
        context, asked = _context(_nodes(executed(size))), evaluator(size)
        return timed(lambda: context, lambda context: _holds(asked.evaluate(context)))

    return prepare


def _holds(verdict: Any) -> bool:
    return verdict is True or verdict.value == 1


def _from_spans(size: int) -> Runs:
    """With the tree that every case needs, as our first assertion needs its index."""
    calls = executed(size)
    return timed(lambda: _nodes(calls), lambda nodes: _HAS_LAST.evaluate(_context(nodes)))


def _match(order: str, calls: Callable[[int], list[Call]]) -> Callable[[int], Runs]:
    return _evaluated(lambda size: TrajectoryMatch([name for name, _ in calls(size)], order=order))


_HAS_LAST = HasMatchingSpan({"name_equals": "execute_tool last"})

CELLS = {
    "executed": _evaluated(lambda _: _HAS_LAST),
    "executed, from spans": _from_spans,
    "exactly in order": _match("exact", executed),
    "in order": _match("in_order", executed),
    "in any order": _match("any_order", shuffled),
}
