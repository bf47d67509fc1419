"""What is said when a script and the requests that came do not fit."""

from __future__ import annotations

from agentassert.errors import AgentAssertionError


class ScriptError(AgentAssertionError):
    """A script and the requests that came do not fit: steps were left, or a request came that nothing answers.

    Leaving the block of a scripted model raises it. `differences` has one entry a problem.

    Example:
        >>> from agentassert.scripted import reply, scripted_model
        >>> with scripted_model([reply("done")]):
        ...     pass
        Traceback (most recent call last):
        agentassert.scripted.errors.ScriptError: Expected the script to be played to its end,
        but 1 step of 1 was left:
          step 1: reply('done')
        No request came.
    """
