"""Anthropic's Claude Agent SDK: what Claude Code tells of its runs, and the tools that it calls in this process."""

from __future__ import annotations

from typing import Final

ADAPTER: Final = "claude-agent-sdk"
