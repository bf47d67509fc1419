"""Who scores generated responses: the judge that the settings name, or nobody."""

from __future__ import annotations

from typing import Final, Never

import attrs

from agentassert.errors import JudgeError
from agentassert.judges.models import asking
from agentassert.judges.responses import ResponseJudge
from agentassert.suites.python_files import imported

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
    """A judge of somebody's own; what it raises says nothing about the assistant, so it becomes a `JudgeError`."""

    name: str
    judge: ResponseJudge

    def relevance(self, *, question: str, answer: str) -> float:
        """What it says."""
        with asking(f"the judge {self.name!r}"):
            return self.judge.relevance(question=question, answer=answer)

    def groundedness(self, *, answer: str, ground_truth: str) -> float:
        """What it says."""
        with asking(f"the judge {self.name!r}"):
            return self.judge.groundedness(answer=answer, ground_truth=ground_truth)


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
        judge = imported(name)
    except ValueError as error:
        raise ValueError(f"{setting}: {error}") from error
    if isinstance(judge, type) or not isinstance(judge, ResponseJudge):
        raise ValueError(f"{setting} must be an object with `relevance` and `groundedness`")  # noqa: TRY004 -- of the settings
    return NamedJudge(name, judge)
