"""The runs of agents."""

from __future__ import annotations

from typing import Any, Final

from smolagents.agents import RunResult
from smolagents.memory import FinalAnswerStep
from smolagents.models import Model
from smolagents.remote_executors import RemotePythonExecutor
from smolagents.utils import AgentError

from agentassert import recorder
from agentassert.adapters.base import CHAT, REQUESTS
from agentassert.adapters.hooks import recorded
from agentassert.adapters.smolagents import ADAPTER
from agentassert.recording.events import InvocationEvent

_ELSEWHERE: Final = "smolagents sends the code of agents with a remote executor elsewhere: what tools do there is not recorded"
_FOREIGN: Final = "an agent of smolagents asks a model that is no `smolagents.Model`: its calls are not recorded"
_INTERRUPTED: Final = "Agent interrupted."


def _begin(agent: Any, task: str, *_: Any, **__: Any) -> InvocationEvent | None:
    if isinstance(getattr(agent, "python_executor", None), RemotePythonExecutor):
        recorder.note(_ELSEWHERE)
    if not isinstance(agent.model, Model):
        recorder.note(_FOREIGN)
        recorder.lose_sight(ADAPTER, CHAT, REQUESTS)
    return recorder.start_invocation(agent.name or type(agent).__name__, adapter=ADAPTER, input=task)


def _end(event: InvocationEvent, result: Any) -> None:
    output = result.output if isinstance(result, (RunResult, FinalAnswerStep)) else result
    event.complete(output, output if isinstance(output, str) else None)


def _stop(event: InvocationEvent, error: BaseException) -> None:
    """An error left it, which stands for less where the run was interrupted, or where its stream was left in the middle of a step."""
    was_interrupted = type(error) is AgentError and str(error) == _INTERRUPTED
    # A step that is left yields once more, which a generator that is being closed must not.
    was_left = isinstance(error, RuntimeError) and isinstance(error.__context__, GeneratorExit)
    if was_interrupted or was_left:
        event.cancel(error)
    else:
        recorder.end_by(event, error)


running: Final = recorded(ADAPTER, _begin, _end, stop=_stop, kind="varying")
"""`MultiStepAgent.run`, recorded: as a stream too."""
