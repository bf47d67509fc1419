"""LlamaIndex: agents, agent workflows, workflows, query and chat engines, their tools, models and retrievers."""

from __future__ import annotations

from typing import Final

ADAPTER: Final = "llama-index"
