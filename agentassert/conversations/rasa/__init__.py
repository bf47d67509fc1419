"""The assertions of Rasa's end-to-end tests, evaluated by Rasa's rules."""

from agentassert.conversations.rasa.checking import StepPitfall, StepVerdict, TurnFailure, check, check_step
from agentassert.conversations.rasa.reading import read_assertion

__all__ = ["StepPitfall", "StepVerdict", "TurnFailure", "check", "check_step", "read_assertion"]
