"""What the tests of LiteLLM's adapter share."""

from __future__ import annotations

from typing import Final

import pytest

OWN_WARNINGS: Final = (
    r"Items? .* using the `ReadOnly` qualifier",
    "Accessing the .model_.* attribute on the instance is deprecated",
    "Pydantic serializer warnings",
    r"coroutine 'Logging\..*' was never awaited",  # what it had still to log when the event loop ended
    "unclosed (event loop|<socket)",  # older versions leave a loop of theirs to the garbage collector
)
"""What LiteLLM itself warns of, as patterns."""

quietly: Final = [
    *(pytest.mark.filterwarnings(f"ignore:{pattern}") for pattern in OWN_WARNINGS),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),  # tasks that it leaves behind
]
