"""Conversations of several turns: read from Rasa's trackers, or recorded from any agent."""

from agentassert.conversations.talking import Talk, conversation
from agentassert.errors import RasaPitfallWarning, TrackerError
from agentassert.raw_events import RawEvent
from agentassert.turns import (
    Action,
    BotMessage,
    Button,
    Clarification,
    Conversation,
    FlowEvent,
    SlotSet,
    Stretch,
    Turn,
    UserMessage,
)

__all__ = [
    "Action",
    "BotMessage",
    "Button",
    "Clarification",
    "Conversation",
    "FlowEvent",
    "RasaPitfallWarning",
    "RawEvent",
    "SlotSet",
    "Stretch",
    "Talk",
    "TrackerError",
    "Turn",
    "UserMessage",
    "conversation",
]
