"""What LlamaIndex itself warns of: pydantic's words whenever an agent is made, and its own in ReAct agents."""

from __future__ import annotations

from typing import Final

import pytest

OWN_WARNINGS: Final = (
    r"The `\w+` attribute is deprecated",
    r"Accessing the 'model_\w+' attribute",
    "is_running called from within a step",
)

quietly: Final = [pytest.mark.filterwarnings(f"ignore:{pattern}") for pattern in OWN_WARNINGS]
