"""Judges: models that decide what no exact check can."""

from agentassert.errors import JudgeError
from agentassert.judges.criteria import Assessment, Criterion, Judgement, JudgeVerdict
from agentassert.judges.judge import Judge
from agentassert.judges.responses import RatingJudge, ResponseJudge, Score, StatementJudge

__all__ = [
    "Assessment",
    "Criterion",
    "Judge",
    "JudgeError",
    "JudgeVerdict",
    "Judgement",
    "RatingJudge",
    "ResponseJudge",
    "Score",
    "StatementJudge",
]
