"""The OpenAI Agents SDK: its runs, and what the agents in them do."""

from __future__ import annotations

from typing import Final

ADAPTER: Final = "openai-agents"
