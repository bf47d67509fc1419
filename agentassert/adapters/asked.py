"""Whether an agent's loop was seen to ask its model."""

from __future__ import annotations

from itertools import takewhile

from agentassert.recording.events import InvocationEvent, ModelCallEvent


def asked_a_model(event: InvocationEvent, since: int) -> bool:
    """Whether anybody saw the agent ask a model after `since`, in the recorder's order; while no capture of it is open, nobody looks.

    An agent answers by what its model says. Where nobody saw it ask, the model's method was replaced (by a mock, or by a class that goes
    about it in its own way), and that there are no calls says nothing.

    Example:
        >>> from agentassert import recorder
        >>> with capture():
        ...     event = recorder.start_invocation("robot", adapter="robots")
        ...     print(asked_a_model(event, event.order))
        False
    """
    capture = next((one for one in event.captures if one.closed_order is None), None)
    if capture is None:
        return True
    later = takewhile(lambda one: one.order > since, reversed(capture.events))
    return any(isinstance(one, ModelCallEvent) and one.owner is event for one in later)
