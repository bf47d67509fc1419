"""LangGraph's interrupts as questions to a human, and what resumes them as decisions."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import attrs

from agentassert.events import Event
from agentassert.records import Decision

_WORDS: Final[Mapping[str, Decision]] = {
    **dict.fromkeys(
        ("approve", "approved", "accept", "accepted", "allow", "confirm", "ok", "true", "y", "yes"), Decision.APPROVE
    ),
    **dict.fromkeys(("edit", "edited", "modify"), Decision.EDIT),
    **dict.fromkeys(("cancel", "decline", "declined", "denied", "deny", "false", "ignore", "n", "no"), Decision.REJECT),
    # An answer in the tool's place: the tool does not run.
    **dict.fromkeys(("refuse", "reject", "rejected", "respond", "response"), Decision.REJECT),
    **dict.fromkeys(("expired", "timed_out", "timeout"), Decision.TIMEOUT),
}


@attrs.frozen
class Question:
    """One thing that a human is asked to decide: a tool execution, or what else a node waits for."""

    tool: str
    arguments: Any = None
    call_id: str | None = None


@attrs.frozen
class Interrupted:
    """An interrupt that nobody has answered: the questions in it, and what it stopped, as long as that is remembered."""

    id: str
    questions: tuple[Question, ...]
    stopped: weakref.ref[Event]


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


def decisions_in(answer: Any, questions: Sequence[Question]) -> list[tuple[Question, Decision, str | None]]:
    """What an answer decides about each question."""
    decisions = answer.get("decisions") if isinstance(answer, Mapping) else answer
    each = decisions if isinstance(decisions, (list, tuple)) else [answer] * len(questions)
    return [(question, *decision_in(one)) for question, one in zip(questions, each, strict=False)]


def decision_in(answer: Any) -> tuple[Decision, str | None]:
    """What an answer decides, with the words that came with it.

    What asked goes on with whatever it was answered, so an answer in words of its own lets it go on; those words are kept.
    """
    if isinstance(answer, bool):
        return (Decision.APPROVE if answer else Decision.REJECT), None
    if isinstance(answer, str):
        decision = _WORDS.get(answer.strip().lower())
        return (Decision.APPROVE, answer) if decision is None else (decision, None)
    if isinstance(answer, Mapping):
        said = next((answer[key] for key in ("type", "decision", "action", "approved", "approve") if key in answer), None)
        if isinstance(said, (bool, str)):
            decision, words = decision_in(said)
            return decision, _reason(answer) or words
    return Decision.APPROVE, str(answer)


def _reason(answer: Mapping[str, Any]) -> str | None:
    given = (answer.get(key) for key in ("message", "reason", "comment", "args"))
    return next((text for text in given if isinstance(text, str)), None)
