"""LiteLLM: every call to a model that is made over its functions or its router, whatever provider it reaches."""

from __future__ import annotations

from typing import Final

ADAPTER: Final = "litellm"
