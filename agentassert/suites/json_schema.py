"""The JSON Schema of suite files, for editors that check while one types."""

from __future__ import annotations

from typing import Any

from agentassert.suites.format import APPROVAL, CHILD, DEFAULTS, SUITE, TEST


def json_schema() -> dict[str, Any]:
    """The schema (draft 2020-12) of suite files.

    What no schema can say is said by reading alone: whether an expression can be read, whether names are unique, whether an agent
    or a file is there, whether the threshold can be reached.

    Example:
        >>> sorted(json_schema()["properties"])
        ['agent', 'defaults', 'tests', 'version']
    """
    records = (DEFAULTS, TEST, CHILD, APPROVAL)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Test suite of an agent",
        **SUITE.definition(),
        "$defs": {record.definition_name: record.definition() for record in records},
    }
