"""What a judge decides on, and what it decided."""

from __future__ import annotations

import enum
from typing import Any

import attrs

from agentassert import render
from agentassert.token_usage import TokenUsage


def _text(_: object, attribute: attrs.Attribute[Any], value: object) -> None:
    if value is None and attribute.default is None:
        return
    if not isinstance(value, str):
        raise TypeError(f"{attribute.name} of a criterion must be a text, but was {render.value(value)}")
    if not value.strip():
        raise ValueError(f"{attribute.name} of a criterion must not be blank")


@attrs.frozen
class Criterion:
    """One thing that a text must satisfy, in words that two people would read alike.

    A specific criterion for each thing that can go wrong is judged more consistently than one for all of them. For grounding,
    "contains only claims that are stated in the sources" is stricter than "is supported by the sources".

    Args:
        text: what the text must satisfy.
        satisfied_when: when it is satisfied, where people could disagree.
        not_satisfied_when: when it is not.

    Raises:
        TypeError, ValueError: when one is no text, or blank.

    Example:
        >>> criterion = Criterion("is polite", not_satisfied_when="it blames the customer")
        >>> criterion.satisfied_when is None
        True
    """

    text: str = attrs.field(validator=_text)
    satisfied_when: str | None = attrs.field(default=None, kw_only=True, validator=_text)
    not_satisfied_when: str | None = attrs.field(default=None, kw_only=True, validator=_text)


class JudgeVerdict(enum.StrEnum):
    """What a judge says of a criterion; `NOT_SURE` is not satisfied.

    Example:
        >>> JudgeVerdict("not_sure") is JudgeVerdict.NOT_SURE
        True
    """

    SATISFIED = "satisfied"
    NOT_SATISFIED = "not_satisfied"
    NOT_SURE = "not_sure"


@attrs.frozen
class Assessment:
    """A judge's verdict on one criterion.

    Args:
        criterion: the criterion.
        verdict: satisfied, not satisfied, or not sure.
        reasoning: why, in the judge's words.

    Example:
        >>> Assessment(Criterion("is polite"), JudgeVerdict.NOT_SURE, "it is too short").satisfied
        False
    """

    criterion: Criterion
    verdict: JudgeVerdict
    reasoning: str

    @property
    def satisfied(self) -> bool:
        """Whether the verdict is `SATISFIED`."""
        return self.verdict is JudgeVerdict.SATISFIED


@attrs.frozen
class Judgement:
    """A judge's verdicts on a text, one a criterion, in the order asked.

    Args:
        assessments: the verdicts.
        token_usage: the tokens of all requests together; `None` when no model reported any.

    Example:
        >>> Judgement((Assessment(Criterion("is polite"), JudgeVerdict.SATISFIED, "it says please"),)).satisfied
        True
    """

    assessments: tuple[Assessment, ...]
    token_usage: TokenUsage | None = None

    @property
    def satisfied(self) -> bool:
        """Whether every criterion is satisfied."""
        return all(one.satisfied for one in self.assessments)
