"""Confirmation strategies: what a person is asked while the run waits, and what was decided."""

from __future__ import annotations

import copy
import importlib
from collections.abc import Callable, Iterator
from typing import Any, Final
from weakref import WeakSet

from agentassert import recorder
from agentassert.adapters.base import guarded
from agentassert.adapters.haystack import ADAPTER
from agentassert.adapters.hooks import recorded
from agentassert.adapters.patching import wrap_method
from agentassert.doubles import active
from agentassert.recording.events import ApprovalEvent, Event, InvocationEvent
from agentassert.recording.guarding import Suspension, suspends
from agentassert.records import Decision


def _imported() -> Any:
    try:
        return importlib.import_module("haystack.hooks.human_in_the_loop")
    except ImportError:  # before Haystack 3
        return importlib.import_module("haystack.human_in_the_loop")


_humans: Final = _imported()
BlockingConfirmationStrategy: Final = _humans.BlockingConfirmationStrategy
strategies: Final = importlib.import_module(BlockingConfirmationStrategy.__module__)

_DECISIONS: Final = {"confirm": Decision.APPROVE, "modify": Decision.EDIT, "reject": Decision.REJECT}
_wrapped: Final[WeakSet[type]] = WeakSet()


def asking(original: Callable[..., Any]) -> Callable[..., Any]:
    """`BlockingConfirmationStrategy.run`, whose policy may find that nobody need be asked: what asks is told."""

    def run(self: Any, *args: Any, **inputs: Any) -> Any:
        is_of_interest = recorder.listening() or active.current().human is not None
        asked = _telling(self, inputs.get("tool_call_id")) if is_of_interest else None
        return original(self if asked is None else asked, *args, **inputs)

    return run


@guarded(ADAPTER)
def _telling(strategy: Any, call_id: str | None) -> Any:
    """A copy of the strategy that tells when it asks, so that nobody else sees it."""
    asked = copy.copy(strategy)
    asked.confirmation_ui = _Person(strategy.confirmation_ui, call_id)
    return asked


def finding(original: Callable[..., Any]) -> Callable[..., Any]:
    """`_get_confirmation_strategy`, after which a strategy is run, of whatever class."""

    def find(*args: Any, **kwargs: Any) -> Any:
        strategy = original(*args, **kwargs)
        if recorder.listening() and not isinstance(strategy, (BlockingConfirmationStrategy, type(None))):
            _wrap(type(strategy))
        return strategy

    return find


@guarded(ADAPTER)
def _wrap(kind: type) -> None:
    for owner in kind.__mro__:
        if owner not in _wrapped and owner is not object:
            _wrapped.add(owner)
            for name in ("run", "run_async"):
                if callable(vars(owner).get(name)):
                    wrap_method(owner, name, recorded(ADAPTER, _ask_by_strategy, _decide, stop=_leave))


def _ask(tool: str, arguments: Any, call_id: str | None) -> ApprovalEvent | None:
    event = recorder.add_approval(tool, arguments, adapter=ADAPTER, call_id=call_id)
    for run in _runs_around(event):
        run.suspend()
    return event


def _ask_by_strategy(_: Any, /, **inputs: Any) -> Any:
    if isinstance(recorder.current_event(), ApprovalEvent):
        return None  # its `run_async` calls its `run`
    return _ask(inputs["tool_name"], inputs["tool_params"], inputs.get("tool_call_id"))


def _ask_person(person: _Person, tool_name: str, _: str, tool_params: Any) -> Any:
    return _ask(tool_name, tool_params, person.call_id)


def _decide(event: ApprovalEvent, result: Any) -> None:
    for run in _runs_around(event):
        run.resume()
    recorder.add_approval(
        event.tool,
        event.arguments,
        adapter=ADAPTER,
        decision=_decision_of(event, result),
        reason=result.feedback,
        call_id=event.call_id,
        parent=event.parent,
    )


def _decision_of(event: ApprovalEvent, result: Any) -> Decision:
    """What the person said, or what a strategy of the program's own made of it."""
    if hasattr(result, "action"):
        return getattr(result, "decision", None) or _DECISIONS.get(result.action, Decision.APPROVE)
    if not result.execute:
        return Decision.REJECT
    return Decision.APPROVE if result.final_tool_params in (None, event.arguments) else Decision.EDIT


def _leave(event: ApprovalEvent, error: BaseException) -> None:
    if not suspends(error):
        for run in _runs_around(event):
            run.resume()


def _runs_around(event: Event | None) -> Iterator[InvocationEvent]:
    """The run that waits, and those whose tools it is part of the work of."""
    while event is not None:
        if isinstance(event, InvocationEvent) and event.adapter == ADAPTER:
            yield event
        event = event.parent


class _Person:
    """In the place of what asks a person."""

    def __init__(self, asked: Any, call_id: str | None) -> None:
        self._asked = asked
        self.call_id = call_id

    def __getattr__(self, name: str) -> Any:
        return getattr(self._asked, name)

    @recorded(ADAPTER, _ask_person, _decide, stop=_leave)
    def get_user_confirmation(self, tool_name: str, tool_description: str, tool_params: dict[str, Any]) -> Any:
        """Ask, or take the answer of whoever stands in for a person."""
        human = active.current().human
        if human is None:
            return self._asked.get_user_confirmation(tool_name, tool_description, tool_params)
        answer = human(tool_name, tool_params)
        if answer is None:
            raise Suspension(f"nothing was decided about {tool_name!r}")
        if answer.response is not None:
            raise ValueError(f"Haystack takes no response to the approval of {tool_name!r}; leave it out")
        result = _humans.ConfirmationUIResult(action="confirm" if answer else "reject", feedback=answer.reason)
        result.decision = answer.decision  # of two that are one to Haystack
        return result
