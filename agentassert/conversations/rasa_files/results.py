"""Results as JSON, and as Rasa's own two YAML files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from agentassert import render
from agentassert.conversations.rasa_files.outcomes import CaseOutcome, accuracy
from agentassert.conversations.rasa_files.writing import dump
from agentassert.raw_events import RawEvent
from agentassert.suites.outcomes import CaseStatus, overall
from agentassert.suites.problems import shown_path
from agentassert.text.masking import MASK, is_secret_name, masked, secrets_shown

_STEM_IN_FOLDER: Final = "e2e_results"

_IN_EVERY_EVENT: Final = frozenset({"model_id", "model_name", "default_language", "assistant_id", "session_id"})
_UNREADABLE: Final = frozenset({"event", "timestamp", "parse_data", "message_id", "input_channel", "hide_rule_turn"})


def to_json(outcomes: Sequence[CaseOutcome], not_run: int = 0) -> dict[str, Any]:
    """All that came of a run, as plain data; what looks like a secret is masked.

    Args:
        outcomes: of the cases that ran.
        not_run: how many did not, after one that could not.

    Example:
        >>> to_json([])
        {'status': 'passed', 'not_run': 0, 'cases': [], 'accuracy': {}}
    """
    cases = [_case(outcome) for outcome in outcomes]
    counts = {kind: {"passed": passed, "evaluated": all_of_them} for kind, (passed, all_of_them) in accuracy(outcomes).items()}
    return {"status": str(overall(cases)), "not_run": not_run, "cases": cases, "accuracy": counts}


def _case(outcome: CaseOutcome) -> dict[str, Any]:
    file = shown_path(outcome.file)
    return {
        "test_case": outcome.case.name,
        "file": outcome.place,
        "status": str(outcome.status),
        "passed": outcome.status is CaseStatus.PASSED,
        "failure_reason": without_secrets(outcome.reason),
        "failed_assertion": without_secrets(outcome.assertion),
        "difference": without_secrets(outcome.difference),
        "pitfalls": [{"file": f"{file}:{one.line}", "words": without_secrets(one.words)} for one in outcome.remarks],
        "prior": without_secrets(outcome.prior),
        "steps": [
            {
                "user": without_secrets(step.user),
                "file": f"{file}:{step.line}",
                "passed": list(step.passed),
                "failed": step.failed,
                "events": without_secrets(step.events),
            }
            for step in outcome.steps
        ],
    }


def without_secrets(value: Any) -> Any:
    """Plain data in which what looks like a secret is masked.

    Example:
        >>> without_secrets({"token": "abc", "event": "slot", "name": "password", "value": "hunter2"})
        {'token': '***', 'event': 'slot', 'name': 'password', 'value': '***'}
    """
    if secrets_shown():
        return value
    if isinstance(value, Mapping):
        named = is_secret_name(value.get("name"))
        return {
            key: MASK if one is not None and (is_secret_name(key) or (named and key == "value")) else without_secrets(one)
            for key, one in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [without_secrets(one) for one in value]
    return "".join(masked(value)) if isinstance(value, str) else value


def write_results(outcomes: Iterable[CaseOutcome], place: Path) -> tuple[Path, Path]:
    """Write the passed and the failed cases, each into a file of their own, in the form of Rasa's own results.

    Args:
        outcomes: of the cases that ran; those that broke count as failed.
        place: a file, whose name without its ending begins those of both files, or a folder.

    Returns:
        The two files.
    """
    stem, folder = (_STEM_IN_FOLDER, place) if place.is_dir() or not place.suffix else (place.stem, place.parent)
    folder.mkdir(parents=True, exist_ok=True)
    files = folder / f"{stem}_passed.yml", folder / f"{stem}_failed.yml"
    results: tuple[list[Any], list[Any]] = [], []
    for outcome in outcomes:
        results[outcome.status is not CaseStatus.PASSED].append(_result(outcome))
    for file, listed in zip(files, results, strict=True):
        file.write_text(dump({"test_results": listed}), encoding="utf-8", newline="\n")
    return files


def _result(outcome: CaseOutcome) -> dict[str, Any]:
    """Rasa tells the events of a failed assertion alone; here they always are there."""
    result: dict[str, Any] = {
        "name": outcome.case.name,
        "pass_status": outcome.status is CaseStatus.PASSED,
        "expected_steps": without_secrets([step.to_data() for step in outcome.case.steps]),
    }
    if outcome.status is CaseStatus.PASSED:
        events = [event for step in outcome.steps for event in step.events]
        return result | {"actual_events_transcript": transcript((*outcome.prior, *events))}
    result["error_path"] = outcome.place
    if outcome.difference:
        result["difference"] = without_secrets(outcome.difference)
    looked_at = (*outcome.prior, *(outcome.steps[-1].events if outcome.steps else ()))
    failure = {"error_message": without_secrets(outcome.reason), "actual_events_transcript": transcript(looked_at)}
    if outcome.assertion is None:
        return result | failure
    assertion = {**without_secrets(outcome.assertion), "type": next(iter(outcome.assertion))}
    return result | {"assertion_failure": {"assertion": assertion, **failure}}


def transcript(events: Iterable[RawEvent]) -> list[str]:
    """A line for each event, without what is the same in all of them.

    Example:
        >>> transcript([{"event": "user", "text": "Hi", "timestamp": 1.0, "metadata": {"model_id": "a"}}])
        ['user {"text": "Hi"}']
    """
    return [f"{event['event']} {_fields(event)}" for event in events]


def _fields(event: RawEvent) -> str:
    told = {key: one for key, one in event.items() if key not in _UNREADABLE}
    metadata = told.pop("metadata", None)
    if isinstance(metadata, Mapping):
        told["metadata"] = {key: one for key, one in metadata.items() if key not in _IN_EVERY_EVENT}
    if isinstance(told.get("data"), Mapping):
        told["data"] = {key: one for key, one in told["data"].items() if one is not None}
    return render.json_text(without_secrets({key: one for key, one in told.items() if one not in (None, {}, [])}))


def json_text(data: Any) -> str:
    """JSON for people; dates as texts."""
    return json.dumps(data, ensure_ascii=False, indent=2, default=str)
