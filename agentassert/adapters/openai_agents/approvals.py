"""Approvals: what a run waits for, what was decided, and which run goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from agentassert import recorder
from agentassert.adapters.base import guarded
from agentassert.adapters.openai_agents import ADAPTER
from agentassert.adapters.openai_agents.runs import Run
from agentassert.records import Decision

_MARK: Final = "_agentassert_run"


@guarded(ADAPTER)
def mark(holder: Any, run: Run) -> None:
    """Have a result, or the state made of it, know its run."""
    vars(holder)[_MARK] = run


def run_of(holder: Any) -> Run | None:
    """The run that a result or a state knows."""
    run: Run | None = vars(holder).get(_MARK)
    return run


def ask(run: Run, interruptions: Iterable[Any]) -> None:
    """Record what a run waits for; what its tools wait for, which are agents, was recorded with their runs."""
    for item in interruptions:
        name, call_id = key = _key(item)
        run.waits_for.add(key)
        if _is_own(run, item) and key not in run.undecided:
            run.undecided.add(key)
            recorder.add_approval(name, item.arguments, adapter=ADAPTER, call_id=call_id, parent=run.event)


def decide(run: Run, state: Any) -> None:
    """Record what was decided about what a run waits for."""
    for item in state.get_interruptions():
        name, call_id = _key(item)
        approved = state._context.is_tool_approved(name, call_id) if (name, call_id) in run.undecided else None  # noqa: SLF001
        if approved is None:
            continue
        run.undecided.discard((name, call_id))
        recorder.add_approval(
            name,
            item.arguments,
            adapter=ADAPTER,
            decision=Decision.APPROVE if approved else Decision.REJECT,
            reason=None if approved else _reason(state._context, name, call_id),  # noqa: SLF001
            call_id=call_id,
            parent=run.event,
        )


def take_over(run: Run, state: Any) -> None:
    """A run goes on as an invocation of its own: it waits for what a run waited for that another capture recorded, or none."""
    run.undecided = {_key(item) for item in state.get_interruptions() if _is_own(run, item)}


def _reason(context: Any, name: str, call_id: str | None) -> str | None:
    # Older releases keep no reason.
    tell = getattr(context, "get_rejection_message", None)
    reason: str | None = None if tell is None else tell(name, call_id)
    return reason


def _key(item: Any) -> tuple[str, str | None]:
    return str(item.name), item.call_id


def _is_own(run: Run, item: Any) -> bool:
    return bool(item.agent.name == run.event.name)


def goes_on_in(state: Any) -> Callable[[Run], bool]:
    """Whether a run is that of a state; of a state that was stored as text, whether it waits for the same."""
    known = run_of(state)
    if known is not None:
        return lambda run: run is known
    waits_for = {_key(item) for item in state.get_interruptions()}
    name = state._current_agent.name  # noqa: SLF001
    return lambda run: bool(run.waits_for == waits_for and run.event.name == name)
