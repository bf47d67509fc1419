"""Results as JUnit XML, which build servers read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

from agentassert.conversations.rasa_files.outcomes import CaseOutcome
from agentassert.conversations.rasa_files.results import transcript, without_secrets
from agentassert.suites.outcomes import CaseStatus
from agentassert.suites.problems import shown_path

_ELEMENT: Final = {CaseStatus.FAILED: "failure", CaseStatus.ERROR: "error"}
_NOT_IN_XML: Final = re.compile(r"[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_junit(outcomes: Sequence[CaseOutcome], file: Path) -> None:
    """Write the results as JUnit XML.

    Args:
        outcomes: of the cases that ran.
        file: where to; folders that are missing are made.

    Raises:
        OSError: when it cannot be written.
    """
    counts = {f"{name}s": str(sum(one.status is status for one in outcomes)) for status, name in _ELEMENT.items()}
    suites = ElementTree.Element("testsuites")
    suite = ElementTree.SubElement(suites, "testsuite", {"name": "rasa", "tests": str(len(outcomes)), **counts})
    for outcome in outcomes:
        place, _, line = outcome.place.rpartition(":")
        attributes = {"classname": shown_path(outcome.file), "name": _readable(outcome.case.name), "file": place, "line": line}
        case = ElementTree.SubElement(suite, "testcase", attributes)
        if outcome.status in _ELEMENT:
            reason = _readable(without_secrets(outcome.reason) or "")
            told = ElementTree.SubElement(case, _ELEMENT[outcome.status], {"message": reason.partition("\n")[0]})
            events = transcript(outcome.steps[-1].events) if outcome.steps else []
            told.text = "\n".join([reason, *map(_readable, events)])
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True))


def _readable(text: str) -> str:
    """A text without the characters that XML cannot hold."""
    return _NOT_IN_XML.sub(lambda found: ascii(found[0])[1:-1], text)
