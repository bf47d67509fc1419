"""Scripts: steps in order, and which requests they are for."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import attrs

from agentassert.scripted.faults import Fault
from agentassert.scripted.requests import ScriptedRequest
from agentassert.scripted.steps import Answer, Reply, Step, ToolRequest

When: TypeAlias = Callable[[ScriptedRequest], bool]
_WANTED = "reply(...), call_tool(...), refuse(...), fail(...), disconnect(), time_out(), malformed() or a function of the request"


@attrs.frozen
class Script:
    """The steps for one agent of several; made by :func:`script`.

    Args:
        steps: one for each request, in order.
        when: whether a request is for this script; `None`: those that are for no other one.
        then_repeats: the step that answers every request after them; `None`: there must be none.

    Example:
        >>> from agentassert.scripted import reply
        >>> len(Script((reply("done"),)).steps)
        1
    """

    steps: tuple[Step, ...]
    when: When | None = None
    then_repeats: Step | None = None


def script(steps: Sequence[Step], *, when: When | None = None, then_repeats: Step | None = None) -> Script:
    """The steps for one agent where several share a model: `scripted_model([script(...), script(...)])`.

    Args:
        steps: one for each request, in order.
        when: a function that says of a request whether it is for this script, such as
            `lambda request: "refund" in request.tools`. At most one of the scripts may do without: it gets what is for no other one.
        then_repeats: the step that answers every request after them.

    Raises:
        TypeError: when a step is none, or `when` cannot be called.

    Example:
        >>> from agentassert.scripted import call_tool, reply
        >>> refunds = script([call_tool("refund", {"amount": 5}), reply("Paid.")], when=lambda request: "refund" in request.tools)
        >>> len(refunds.steps)
        2
    """
    if isinstance(steps, str) or not isinstance(steps, Sequence):
        raise TypeError(f"steps must be a list of steps, but was {steps!r}")
    if when is not None and not callable(when):
        raise TypeError(f"when must be a function of the request, but was {when!r}")
    return Script(
        tuple(_checked(step, f"step {number}") for number, step in enumerate(steps, 1)),
        when,
        None if then_repeats is None else _checked(then_repeats, "then_repeats"),
    )


def scripts_of(steps: Sequence[Step] | Sequence[Script], then_repeats: Step | None) -> tuple[Script, ...]:
    """The scripts of one model: those given, or the one that the steps are.

    Raises:
        TypeError, ValueError: when they are neither, or cannot be told apart.

    Example:
        >>> from agentassert.scripted import reply
        >>> len(scripts_of([reply("Hello."), reply("Goodbye.")], None))
        1
    """
    given: list[Any] = list(steps) if isinstance(steps, Sequence) and not isinstance(steps, str) else []
    if not any(isinstance(one, Script) for one in given):
        return (script(steps, then_repeats=then_repeats),)  # type: ignore[arg-type]  # what is no step is refused there
    if not all(isinstance(one, Script) for one in given):
        raise TypeError("scripted_model() takes steps or scripts, not both: put the steps into a script([...]) of their own")
    if then_repeats is not None:
        raise TypeError("of several scripts, each says what it repeats: script([...], then_repeats=...)")
    if sum(one.when is None for one in given) > 1:
        raise ValueError("at most one script may be without when=...: it gets the requests that are for no other one")
    return tuple(given)


def answer_of(given: Any, place: str) -> Answer:
    """What a step says, where it is no function.

    Raises:
        TypeError: when it is no step.

    Example:
        >>> answer_of("done", "step 1")
        Traceback (most recent call last):
        TypeError: step 1 is a text: write reply('done')
    """
    if isinstance(given, ToolRequest):
        return Reply(parts=(given,))
    if isinstance(given, (Reply, Fault)):
        return given
    if isinstance(given, str):
        raise TypeError(f"{place} is a text: write reply({given!r})")
    if isinstance(given, (list, tuple)):
        raise TypeError(f"{place} is a list: several tools in one response are reply(call_tool(...), call_tool(...))")
    raise TypeError(f"{place} must be {_WANTED}, but was {given!r}")


def _checked(step: Any, place: str) -> Step:
    if inspect.iscoroutinefunction(step):
        raise TypeError(
            f"{place} is a coroutine function, but a step is computed by a plain function: it runs in the server's thread"
        )
    if not callable(step):
        return answer_of(step, place)
    computed: Any = step
    return computed  # type: ignore[no-any-return]  # what it gives is checked when it has given it
