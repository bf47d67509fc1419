"""What a human's answer decides, as far as it says so, where a framework passes on whatever it is.

Only the code that asked knows what it means (LangGraph's interrupts, the events of LlamaIndex). So an answer counts as a decision
only where it is one in plain words; all else (a name, a date, a corrected draft) answers a question that was no approval.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from agentassert.jsonlike import snapshot
from agentassert.records import Decision

_WORDS: Final[Mapping[str, Decision]] = {
    **dict.fromkeys(
        ("accept", "accepted", "allow", "allowed", "approve", "approved", "confirm", "confirmed", "continue", "go", "go ahead"),
        Decision.APPROVE,
    ),
    **dict.fromkeys(("do it", "ok", "okay", "proceed", "sure", "true", "y", "yes"), Decision.APPROVE),
    **dict.fromkeys(("edit", "edited", "modify"), Decision.EDIT),
    **dict.fromkeys(("false", "ignore", "n"), Decision.REJECT),
    # An answer in the tool's place: the tool does not run.
    **dict.fromkeys(("respond", "response"), Decision.REJECT),
    **dict.fromkeys(("expired", "timed out", "timed_out", "timeout"), Decision.TIMEOUT),
}
_REFUSED: Final = re.compile(
    r"(no(?! (problem|worries|objections?)\b)|nope|nah|never|not|don't|do not|abort(ed)?|cancel(l?ed)?|declined?|den(y|ied)"
    r"|disallow(ed)?|disapproved?|refused?|reject(ed)?|stop(ped)?)\b"
)
_GRANTED: Final = re.compile(r"(accept(ed)?|approved?|confirm(ed)?|go ahead|okay|ok|sure|yes)\b")
_DOUBTED: Final = re.compile(r"\b(but|no|not|never|cancel|stop|reject)\b|n't\b")

_SAYING: Final = ("decision", "verdict")
_OPTIONALLY_SAYING: Final = ("type", "action", "answer", "choice", "response")
_ALLOWING: Final = (
    *("accept", "accepted", "allow", "allowed", "approval", "approve", "approved", "authorized", "confirm", "confirmed"),
    *("consent", "continue", "granted", "ok", "permitted", "proceed", "yes"),
)
_REFUSING: Final = ("cancel", "cancelled", "declined", "denied", "deny", "refused", "reject", "rejected")

Decided = tuple[Decision, str | None]
"""A decision, with the words that came with it."""


def decisions_in(answer: Any, number: int) -> Sequence[Decided | None]:
    """What an answer to a number of questions decides about each; `None` where it says neither yes nor no.

    An answer that lists fewer decisions says nothing about the other questions.
    """
    answer = snapshot(answer)
    listed = answer.get("decisions") if isinstance(answer, Mapping) else answer or None
    each = listed if isinstance(listed, list) else [answer] * number
    return [_decision_in(one) for one in each[:number]]


def _decision_in(answer: Any) -> Decided | None:
    if isinstance(answer, str):
        return _said_in(answer)
    if isinstance(answer, Mapping) and answer:
        return _told_by(answer)
    if isinstance(answer, (bool, int, float)):
        return (Decision.APPROVE if answer else Decision.REJECT, None) if answer in (0, 1) else None
    return (Decision.REJECT, None) if answer is None or (isinstance(answer, (list, dict)) and not answer) else None


def _said_in(answer: str) -> Decided | None:
    words = " ".join(answer.lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").split()).rstrip(".!")
    decision = _WORDS.get(words)
    if decision is not None:
        return decision, None
    if not words or _REFUSED.match(words):
        return Decision.REJECT, answer if " " in words else None
    return (Decision.APPROVE, answer) if _GRANTED.match(words) and not _DOUBTED.search(words) else None


def _told_by(answer: Mapping[str, Any]) -> Decided | None:
    told = [_decision_in(answer[key]) for key in (*_SAYING, *_ALLOWING) if key in answer]
    plain = {key: value for key, value in answer.items() if isinstance(value, (bool, str)) and value != ""}
    told += [_decision_in(plain[key]) for key in _OPTIONALLY_SAYING if key in plain]
    told += [(Decision.REJECT, None) for key in _REFUSING if plain.get(key)]
    decided = [one for one in told if one is not None]
    if not decided:
        return None
    decision, words = next((one for one in decided if one[0] is Decision.REJECT), decided[0])
    return decision, _reason(answer) or words


def _reason(answer: Mapping[str, Any]) -> str | None:
    given = (answer.get(key) for key in ("message", "reason", "comment", "args"))
    return next((text for text in given if isinstance(text, str)), None)
