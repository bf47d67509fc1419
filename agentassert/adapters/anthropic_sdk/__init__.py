"""The `anthropic` SDK: every call to a model that is made over one of its clients, and the tools that its own loop runs."""

from __future__ import annotations

from typing import Final

ADAPTER: Final = "anthropic"
