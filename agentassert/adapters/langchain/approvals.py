"""LangGraph's interrupts as questions to a human, and what resumes them as decisions."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import attrs

from agentassert.recording.events import ApprovalEvent, Event

Asked: TypeAlias = tuple[weakref.ref[ApprovalEvent] | None, ...]
"""The pending approvals that were recorded, as long as they are remembered."""


@attrs.frozen
class Question:
    """One thing that a human is asked to decide: a tool execution, or what else a node waits for."""

    tool: str
    arguments: Any = None
    call_id: str | None = None


@attrs.frozen
class Interrupted:
    """An interrupt that nobody has answered: the questions in it, and what it stopped, as long as that is remembered.

    Args:
        id: LangGraph's.
        questions: what is asked, in the order of the payload.
        stopped: the event that the interrupt left.
        asked: the approvals that are pending for it, one for each question.
    """

    id: str
    questions: tuple[Question, ...]
    stopped: weakref.ref[Event]
    asked: Asked = ()


def interrupts_in(error: BaseException) -> list[tuple[str, Any]]:
    """The id and the payload of each interrupt that a `GraphInterrupt` carries; a static breakpoint carries none."""
    raised = error.args[0] if error.args else ()
    return [(str(one.id), one.value) for one in raised if hasattr(one, "value") and hasattr(one, "id")]


def questions_in(payload: Any, asking: Question) -> tuple[Question, ...]:
    """What a payload asks: about the tools that it names, as LangChain's middlewares do, else about what raised it."""
    requests = payload if isinstance(payload, list) else [payload]
    found = tuple(question for request in requests if isinstance(request, Mapping) for question in _questions(request))
    return found or (asking,)


def _questions(request: Mapping[str, Any]) -> Iterable[Question]:
    if request.get("type") == "tool_approval":
        yield Question(request["name"], request.get("args"), request.get("tool_call_id"))
    for action in request.get("action_requests") or ():
        yield Question(action["name"], action.get("args"))
    single = request.get("action_request")
    if isinstance(single, Mapping):
        yield Question(single["action"], single.get("args"))


def answered_by(resume: Any, waiting: Sequence[Interrupted]) -> list[tuple[Interrupted, Any]]:
    """What `Command(resume=…)` answers: by interrupt id, else the interrupt that has waited longest."""
    by_id = isinstance(resume, Mapping) and bool(resume) and {one.id for one in waiting}.issuperset(resume)
    answers = resume if by_id else {one.id: resume for one in waiting[:1]}
    return [(one, answers[one.id]) for one in waiting if one.id in answers]
