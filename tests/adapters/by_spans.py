"""The adapter contract for Pydantic AI by its spans, in a process in which the adapter of its own is kept away.

python -m tests.adapters.by_spans      writes, as JSON, what each scenario failed with
"""

from __future__ import annotations

import json
import sys
import traceback
import warnings

from agentassert import CaptureWarning
from tests.adapters.contract import SCENARIOS, Scenario, check
from tests.adapters.kits.pydantic_ai_spans import PydanticAISpansKit


def failure_of(scenario: Scenario) -> str | None:
    """Run a scenario, and give its traceback if it fails."""
    try:
        check(PydanticAISpansKit(), scenario)
    except BaseException:
        return traceback.format_exc()
    return None


if __name__ == "__main__":
    warnings.simplefilter("error", CaptureWarning)
    sys.stdout.write(json.dumps({scenario.__name__: failure_of(scenario) for scenario in SCENARIOS}))
