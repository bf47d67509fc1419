"""What CrewAI warns of itself."""

from __future__ import annotations

from typing import Final

import pytest

OWN_WARNINGS: Final = ("function_calling_llm is deprecated", "deprecated$")
"""Fields of its own that it still reads, as patterns."""

quietly: Final = [pytest.mark.filterwarnings(f"ignore:{pattern}:DeprecationWarning") for pattern in OWN_WARNINGS]
