"""The `openai` SDK: every call to a model that is made over one of its clients."""

from __future__ import annotations

from typing import Final

ADAPTER: Final = "openai"
