"""How the runs of a repeated test went, when they decide, and what is said of them."""

from __future__ import annotations

from typing import Final

import attrs

from agentassert.plugin.marks import Repetition
from agentassert.suites.confidence import reaches, wilson_bounds

_USUAL_CONFIDENCE: Final = 0.95


@attrs.define
class Runs:
    """The runs of one test so far.

    Args:
        asked: how many there may be, and how many must pass.
        problems: of each run why it did not pass, `None` if it did.

    Example:
        >>> runs = Runs(Repetition(runs=5, threshold=80), [None, None, None])
        >>> runs.decided, Runs(runs.asked, [None] * 4).decided, Runs(runs.asked, ["no", "no"]).decided
        (False, True, True)
    """

    asked: Repetition
    problems: list[str | None] = attrs.field(factory=list)

    @property
    def made(self) -> int:
        """How many there were."""
        return len(self.problems)

    @property
    def passed(self) -> int:
        """How many of them passed."""
        return self.problems.count(None)

    @property
    def decided(self) -> bool:
        """Whether further runs would change nothing: enough passed, or too few still could."""
        return self._enough(self.passed) or not self._enough(self.passed + self.asked.runs - self.made)

    @property
    def summary(self) -> str:
        """The numbers in a few words.

        Example:
            >>> Runs(Repetition(runs=5), ["no"]).summary
            '0 of 1 runs passed'
        """
        return f"{self.passed} of {self.made} runs passed"

    @property
    def sentence(self) -> str:
        """The numbers, what was asked for, and what they say of the rate.

        Example:
            >>> print(Runs(Repetition(runs=5, threshold=80), ["no", None, "no"]).sentence)
            1 of 3 runs passed, and 80 % of 5 are asked for, so that further runs were of no use.
            The rate of passing runs is between 7.8 % and 74.6 % (Wilson's bounds, each at a confidence of 0.95).
        """
        asked = self.asked
        sure = "" if asked.confidence is None else f" with a confidence of {asked.confidence:g}"
        rest = ", so that further runs were of no use" if self.made < asked.runs else ""
        confidence = asked.confidence or _USUAL_CONFIDENCE
        lower, upper = wilson_bounds(self.passed, self.made, confidence)
        return (
            f"{self.summary}, and {asked.threshold} % of {asked.runs} are asked for{sure}{rest}.\n"
            f"The rate of passing runs is between {100 * lower:.1f} % and {100 * upper:.1f} % "
            f"(Wilson's bounds, each at a confidence of {confidence:g})."
        )

    @property
    def told(self) -> str:
        """The sentence, and each problem once, with the runs that had it."""
        runs_with: dict[str, list[str]] = {}
        for number, problem in enumerate(self.problems, 1):
            if problem is not None:
                runs_with.setdefault(problem, []).append(str(number))
        lines = [
            f"run{'s' * (len(numbers) > 1)} {', '.join(numbers)}: " + problem.replace("\n", "\n  ")
            for problem, numbers in runs_with.items()
        ]
        return "\n".join((self.sentence, *lines))

    def _enough(self, passed: int) -> bool:
        return reaches(passed, self.asked.runs, self.asked.threshold, self.asked.confidence)
