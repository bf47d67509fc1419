"""The mark `@pytest.mark.agentassert(…)`: what it may say, and what it says of one test."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

import attrs
import pytest

from agentassert.suites.confidence import MOST_RUNS, out_of_reach
from agentassert.text.nearest import did_you_mean

NAME: Final = "agentassert"


@attrs.frozen(kw_only=True)
class Repetition:
    """How often a test is run, and how many of the runs must pass.

    Args:
        runs: how often at most.
        threshold: percent of them that must pass.
        confidence: how sure that must be; `None` for the percentage alone.
    """

    runs: int
    threshold: int = 100
    confidence: float | None = None


@attrs.frozen(kw_only=True)
class Wanted:
    """What the marks of one test ask for.

    Args:
        all_checked: whether every tool execution must be checked; `None` leaves it to the project.
        repetition: `None` for one run.
    """

    all_checked: bool | None = None
    repetition: Repetition | None = None


def wanted_by(item: pytest.Item) -> Wanted:
    """What the marks of a test ask for; of several marks the nearest to the test decides, for each argument on its own.

    Raises:
        pytest.UsageError: when a mark says something else, naming its place, the test and the fix.
    """
    given: dict[str, Any] = {}
    for mark in item.iter_markers(NAME):
        _check(item, mark)
        given = {**mark.kwargs, **given}
    all_checked = given.pop("all_checked", None)
    if not given:
        return Wanted(all_checked=all_checked)
    if "runs" not in given:
        _refuse(item, f"{next(iter(given))} says how many of several runs must pass: give runs, too, as in runs=5")
    repetition = Repetition(**{name.removeprefix("success_"): value for name, value in given.items()})
    if repetition.confidence is not None:
        refused = out_of_reach(repetition.runs, repetition.threshold, repetition.confidence)
        if refused is not None:
            _refuse(item, refused)
    return Wanted(all_checked=all_checked, repetition=repetition)


def _check(item: pytest.Item, mark: pytest.Mark) -> None:
    if mark.args:
        _refuse(item, f"{mark.args[0]!r} has no name; {_EXAMPLE}")
    if not mark.kwargs:
        _refuse(item, f"says nothing; {_EXAMPLE}")
    for name, value in mark.kwargs.items():
        if name not in _ARGUMENTS:
            _refuse(item, f"knows no {name!r}; {did_you_mean(name, _ARGUMENTS)}")
        must_be, is_fine = _ARGUMENTS[name]
        if not is_fine(value):
            _refuse(item, f"{name} must be {must_be}, but is {value!r}")


def _refuse(item: pytest.Item, words: str) -> None:
    file, line, name = item.location
    place = file if line is None else f"{file}:{line + 1}"
    raise pytest.UsageError(f"{place}: {name}: @pytest.mark.{NAME}(…): {words}")


def _whole(lowest: int, highest: int) -> tuple[str, Callable[[Any], bool]]:
    def is_fine(value: Any) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and lowest <= value <= highest

    return f"a whole number from {lowest} to {highest}", is_fine


def _is_confidence(value: Any) -> bool:
    return value is None or (isinstance(value, float) and 0.5 < value < 1)  # noqa: PLR2004  # a coin is right half of the time


_EXAMPLE: Final = "write what is wanted by name, as in all_checked=True or runs=5, success_threshold=80"
_ARGUMENTS: Final[Mapping[str, tuple[str, Callable[[Any], bool]]]] = MappingProxyType(
    {
        "all_checked": ("True or False", lambda value: isinstance(value, bool)),
        "runs": _whole(1, MOST_RUNS),
        "success_threshold": _whole(1, 100),
        "success_confidence": ("a number between 0.5 and 1, or None", _is_confidence),
    }
)
