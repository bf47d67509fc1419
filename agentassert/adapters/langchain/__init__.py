"""LangChain and LangGraph: the callbacks of the one, and the runs of the other's graphs."""

from __future__ import annotations

from typing import Final

ADAPTER: Final = "langchain"
