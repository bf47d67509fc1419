"""The assertions of Rasa's end-to-end tests, evaluated by Rasa's rules."""

from agentassert.conversations.rasa.checking import Pitfalls, StepPitfall, StepVerdict, TurnFailure, check, check_step
from agentassert.conversations.rasa.reading import read_assertion
from agentassert.conversations.rasa.scene import RasaAssertion

__all__ = ["Pitfalls", "RasaAssertion", "StepPitfall", "StepVerdict", "TurnFailure", "check", "check_step", "read_assertion"]
