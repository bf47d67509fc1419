"""Who scores generated responses: the judge that the settings name, or nobody."""

from __future__ import annotations

from typing import Final, Never

import attrs

from agentassert.driving.resolving import resolve
from agentassert.errors import JudgeError
from agentassert.judges.responses import ResponseJudge

_NO_JUDGE: Final = (
    'this response needs a judge, and none is named: judge = "module:object" in [tool.agentassert.rasa] names one '
    "(`llm_judge` in a conftest.yml is for Rasa's own clients, which are not called here)"
)


class NoJudge:
    """Stands for the judge that nobody named: whoever asks it is told how to name one."""

    def relevance(self, *, question: str, answer: str) -> Never:
        """Never a score."""
        raise JudgeError(_NO_JUDGE)

    def groundedness(self, *, answer: str, ground_truth: str) -> Never:
        """Never a score."""
        raise JudgeError(_NO_JUDGE)


@attrs.frozen
class NamedJudge:
    """A judge of somebody's own, whose errors say nothing about the assistant."""

    name: str
    judge: ResponseJudge

    def relevance(self, *, question: str, answer: str) -> float:
        """What it says.

        Raises:
            JudgeError: when it raises anything.
        """
        try:
            return self.judge.relevance(question=question, answer=answer)
        except Exception as error:
            raise self._broken(error) from error

    def groundedness(self, *, answer: str, ground_truth: str) -> float:
        """What it says.

        Raises:
            JudgeError: when it raises anything.
        """
        try:
            return self.judge.groundedness(answer=answer, ground_truth=ground_truth)
        except Exception as error:
            raise self._broken(error) from error

    def _broken(self, error: Exception) -> JudgeError:
        return (
            error
            if isinstance(error, JudgeError)
            else JudgeError(f"the judge {self.name!r} raised {type(error).__name__}: {error}")
        )


def judge_named(name: str | None) -> ResponseJudge:
    """The judge that the settings name.

    Args:
        name: as `"module:object"`; `None` when none is named.

    Raises:
        ValueError: when it cannot be had, or is no judge.

    Example:
        >>> judge_named("json:loads")
        Traceback (most recent call last):
        ValueError: [tool.agentassert.rasa] judge = 'json:loads' must be an object with `relevance` and `groundedness`
    """
    if name is None:
        return NoJudge()
    setting = f"[tool.agentassert.rasa] judge = {name!r}"
    try:
        judge = resolve(name)
    except Exception as error:
        told = str(error) if isinstance(error, ValueError) else f"importing it raised {type(error).__name__}: {error}"
        raise ValueError(f"{setting}: {told}") from error
    if isinstance(judge, type) or not isinstance(judge, ResponseJudge):
        raise ValueError(f"{setting} must be an object with `relevance` and `groundedness`")  # noqa: TRY004 -- of the settings
    return NamedJudge(name, judge)
