"""What leaving the block of a scripted model says where script and requests do not fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import attrs

from agentassert.errors import AgentAssertionError
from agentassert.scripted.faults import Disconnection, Garbled, HttpFailure, Silence
from agentassert.scripted.requests import ScriptedRequest
from agentassert.scripted.steps import Reply, Step, ToolRequest

if TYPE_CHECKING:
    from agentassert.scripted.playing import Part, Player

_MOST_PROBLEMS: Final = 5
_MOST_MESSAGES: Final = 8


class ScriptError(AgentAssertionError):
    """A script and the requests that came do not fit: steps were left, or a request came that nothing answers.

    Leaving the block of a scripted model raises it. `differences` has one entry a problem.

    Example:
        >>> from agentassert.scripted import reply, scripted_model
        >>> with scripted_model([reply("done")]):
        ...     pass
        Traceback (most recent call last):
        agentassert.scripted.problems.ScriptError: Expected the script to be played to its end,
        but 1 step of 1 was left:
          step 1: reply('done')
        No request came.
    """


@attrs.frozen(eq=False)
class Problem:
    """Something that did not fit.

    Args:
        title: what, in one line.
        request: the one that it is about, where it could be read.
        advice: what to do about it, where there is one thing to do.
    """

    title: str
    request: ScriptedRequest | None = None
    advice: str | None = None


def script_error(player: Player, requests: Sequence[ScriptedRequest]) -> ScriptError | None:
    """What there is to say at the end of a block; `None` when all is well.

    Args:
        player: the scripts, how far they were played, and what did not fit meanwhile.
        requests: all that came.
    """
    parts, problems = player.parts, player.problems
    left = [line for number, part in enumerate(parts, 1) for line in _left(part, number if len(parts) > 1 else None)]
    titles = [problem.title for problem in problems]
    if not left and not titles:
        return None
    lines = [*_told(problems), *(_unfinished(parts, left, requests, alone=not problems) if left else ()), *player.hints]
    return ScriptError(
        "\n".join(lines),
        subject="the script",
        expected=[one for part in parts for one in map(shown, part.script.steps)],
        actual=list(requests),
        differences=(*titles, *(line.strip() for line in left)),
    )


def shown(step: Step) -> str:
    """A step as it was written.

    Example:
        >>> from agentassert.scripted import call_tool, fail, reply
        >>> shown(reply("Hi", call_tool("get", {"id": 7}))), shown(fail(429)), shown(lambda request: reply("x"))
        ("reply('Hi', call_tool('get', {'id': 7}))", 'fail(429)', 'computed by <lambda> ...')
    """
    from agentassert import render

    if isinstance(step, ToolRequest):
        arguments = "" if step.arguments == {} else f", {render.value(step.arguments)}"
        return f"call_tool({render.value(step.name)}{arguments})"
    if isinstance(step, Reply):
        if not step.refusal and len(step.parts) == 1 and isinstance(step.parts[0], ToolRequest):
            return shown(step.parts[0])
        said = ", ".join(render.value(part) if isinstance(part, str) else shown(part) for part in step.parts)
        return f"{'refuse' if step.refusal else 'reply'}({said})"
    if isinstance(step, HttpFailure):
        return f"fail({step.status})"
    names: dict[type, str] = {Disconnection: "disconnect()", Silence: "time_out()", Garbled: "malformed()"}
    return names.get(type(step)) or _computed(step)


def _computed(step: Any) -> str:
    code = getattr(step, "__code__", None)
    name = getattr(step, "__qualname__", type(step).__qualname__).rpartition("<locals>.")[2]
    return f"computed by {name}" + ("" if code is None else f" ({code.co_filename.rpartition('/')[2]}:{code.co_firstlineno})")


def _left(part: Part, number: int | None) -> Iterator[str]:
    """The steps that were not played, a line each."""
    of = "" if number is None else f" of script {number}"
    for index, step in enumerate(part.script.steps[part.played :], part.played + 1):
        yield f"  step {index}{of}: {shown(step)}"


def _told(problems: Sequence[Problem]) -> Iterator[str]:
    if not problems:
        return
    yield "Expected the script to have an answer for every request, but:"
    for problem in problems[:_MOST_PROBLEMS]:
        yield f"  {problem.title}"
        if problem.request is not None:
            yield from (f"    {line}" for line in described(problem.request))
    if len(problems) > _MOST_PROBLEMS:
        yield f"  … {len(problems) - _MOST_PROBLEMS} more …"
    yield from dict.fromkeys(problem.advice for problem in problems if problem.advice is not None)


def _unfinished(parts: Sequence[Part], left: list[str], requests: Sequence[ScriptedRequest], *, alone: bool) -> Iterator[str]:
    total = sum(len(part.script.steps) for part in parts)
    was = f"{len(left)} step{'s' if len(left) > 1 else ''} of {total} {'were' if len(left) > 1 else 'was'} left:"
    yield f"Expected the script to be played to its end,\nbut {was}" if alone else f"Beside that, {was}"
    yield from left
    if not requests:
        yield "No request came."
        return
    if alone:
        yield f"The last of {len(requests)} request{'s' if len(requests) > 1 else ''} was:"
        yield from (f"  {line}" for line in described(requests[-1]))


def described(request: ScriptedRequest) -> Iterator[str]:
    """A request in lines: where it went, what it said last, which tools it offered."""
    from agentassert import render

    yield f"request {request.number}: POST {render.words(request.path)}, model {render.value(request.model)}"
    hidden = max(0, len(request.messages) - _MOST_MESSAGES)
    if hidden:
        yield f"  … {hidden} earlier message{'s' if hidden > 1 else ''} …"
    yield from (f"  {_message(message)}" for message in request.messages[hidden:])
    if not request.messages:
        yield f"  {render.value(dict(request.body))}"
    if request.tools:
        yield f"  tools offered: {', '.join(map(render.words, request.tools))}"


def _message(message: Mapping[str, Any]) -> str:
    from agentassert import render
    from agentassert.recording.requests import parsed_arguments

    asked = [
        f"{render.words(str(call['name']))}({render.arguments(parsed_arguments(call['arguments']), call['arguments'])})"
        for call in message.get("tool_calls", ())
    ]
    content = message.get("content")
    said = [render.value(content)] if content or not asked else []
    if asked:
        said.append(f"asks for {', '.join(asked)}")
    return f"{render.words(str(message['role']))}: {', '.join(said)}"
