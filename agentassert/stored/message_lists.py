"""What records say recorded them where they were made of a list of messages."""

from __future__ import annotations

from typing import Final

OPENAI_CHAT: Final = "OpenAI chat messages"
ANTHROPIC: Final = "Anthropic messages"
OPENAI_RESPONSES: Final = "OpenAI response items"
LANGCHAIN: Final = "LangChain messages"

MESSAGE_LISTS: Final = frozenset({OPENAI_CHAT, ANTHROPIC, OPENAI_RESPONSES, LANGCHAIN})
