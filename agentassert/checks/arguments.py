"""Whether the arguments of a tool execution are what was expected, and if not, why not."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import attrs

from agentassert import render
from agentassert.checks.callbacks import Verdict
from agentassert.checks.expectations import is_json, prepare, shown
from agentassert.checks.leaves import Comparison, Results
from agentassert.checks.paths import MISSING, Path, Steps, compile_path, field, follow, without
from agentassert.checks.plain import Plain
from agentassert.checks.values import equal, equal_or_text
from agentassert.jsonlike import SCALARS
from agentassert.text.nearest import nearest

if TYPE_CHECKING:
    from agentassert.checks.differences import Difference

Arguments: TypeAlias = Mapping[str, Any]
Expected: TypeAlias = Mapping[str, Any] | Callable[[Any], Any]

_EVERYTHING: Final = Path("$", (), None)
_PATHS: Final = ("$.", "$[")
"""How a JSONPath begins, where a name may stand as well."""
_MOST_HINTS: Final = 20
"""Misspelt names whose meaning is looked for; each is compared with every name that is there."""
_COMPARED_CLOSELY: Final = 20
"""Candidates whose differences are counted one by one; deepdiff takes milliseconds for each."""


@attrs.frozen
class Options:
    """What a comparison of arguments overlooks.

    Args:
        any_order: whether the items of lists may stand in any order.
        ignored: the places that are not compared.
        tolerance: by how much numbers may differ; `None` for not at all.
    """

    any_order: bool = False
    ignored: tuple[Path, ...] = ()
    tolerance: float | None = None


AS_IT_IS: Final = Options()


@attrs.frozen(eq=False)
class Expectation:
    """A validated expectation of arguments.

    Args:
        expected: as the user wrote it.
        entries: the places to look at, and what is expected there.
        exactly: whether there may be no other argument.
        options: what is overlooked.
        names: the arguments that the entries are about.
    """

    expected: Expected
    entries: tuple[tuple[Path, Any], ...]
    exactly: bool
    options: Options
    names: frozenset[str | None]


def compile_arguments(expected: Expected, *, exactly: bool = False, options: Options = AS_IT_IS) -> ArgumentMatcher:
    """Validate an expectation of arguments.

    Args:
        expected: a mapping from argument names or JSONPaths to expected values, or a callback that decides about all arguments.
        exactly: whether there may be no other argument; a JSONPath stands for its first field.
        options: what the comparison overlooks.

    Raises:
        TypeError: when it is neither, or holds a class.
        ValueError: when it expects nothing, or holds a path that cannot be read.

    Example:
        >>> matcher = compile_arguments({"booking_number": "MS-777", "$.customer.id": 3})
        >>> matcher.matches({"booking_number": "MS-777", "customer": {"id": 3}, "reason": "rain"})
        True
    """
    if not isinstance(expected, Mapping):
        return ArgumentMatcher(_for_callback(expected, exactly, options), None)
    if not expected and not exactly:
        raise ValueError(
            "the expected arguments are empty, so every execution would match: leave them out, or ask for exactly none"
        )
    if options is AS_IT_IS and _needs_no_preparation(expected):
        return ArgumentMatcher(None, Plain(dict(expected), exactly=exactly))
    expectation = _expectation(expected, exactly, options)
    return ArgumentMatcher(expectation, _plain(expectation))


def _needs_no_preparation(expected: Mapping[Any, Any]) -> bool:
    """Whether it is scalars under names, as it is nearly always: a test may have thousands of these."""
    if type(expected) is not dict:
        return False
    for name, value in expected.items():
        if type(value) not in SCALARS or type(name) is not str or name.startswith(_PATHS):
            return False
    return True


def _expectation(expected: Mapping[Any, Any], exactly: bool, options: Options) -> Expectation:
    entries = tuple(_entry(name, value) for name, value in expected.items())
    if options.ignored:
        entries = tuple((path, kept) for path, value in entries if (kept := _kept(path, value, options.ignored)) is not MISSING)
        if expected and not entries:
            raise ValueError(f"nothing is left of the expected arguments {render.value(expected)} without what is ignored")
    names = frozenset([path.first for path, _ in entries])
    if exactly and None in names:
        unclear = next(path.text for path, _ in entries if path.first is None)
        raise ValueError(f"{unclear!r} does not say which argument it stands for: in an exact comparison, begin it with a field")
    return Expectation(expected, entries, exactly, options, names)


def _plain(expectation: Expectation) -> Plain | None:
    entries = expectation.entries
    if expectation.options != AS_IT_IS or len(expectation.names) != len(entries):
        return None
    if not all(path.steps == (path.first,) and is_json(value) for path, value in entries):
        return None
    return Plain({str(path.first): value for path, value in entries}, exactly=expectation.exactly)


class ArgumentMatcher:
    """One expectation, to be asked about many candidates; a callback in it runs once for each, however often it is asked.

    Answers are remembered for as long as the matcher lives: use a :meth:`fresh` one for each assertion.

    Args:
        expectation: what is expected; where `plain` says so, it may be left out until somebody asks for it.
        plain: the same, when JSON is all that is expected and nothing is overlooked.
    """

    __slots__ = ("_candidates", "_expectation", "plain")

    def __init__(self, expectation: Expectation | None, plain: Plain | None) -> None:
        self._expectation = expectation
        self.plain = plain
        self._candidates: dict[int, _Candidate] = {}

    @property
    def expectation(self) -> Expectation:
        """What is expected."""
        if self._expectation is None:
            plain: Any = self.plain
            self._expectation = _expectation(plain.values, plain.exactly, AS_IT_IS)
        return self._expectation

    @property
    def key(self) -> Hashable:
        """Equal for matchers that match the same arguments; when they expect more than JSON, only for the same one."""
        return id(self) if self.plain is None else self.plain.key

    def fresh(self) -> ArgumentMatcher:
        """The same expectation, with nothing remembered."""
        return ArgumentMatcher(self.expectation, self.plain)

    def matches(self, arguments: Arguments | None, results: Results | None = None) -> bool:
        """Whether the arguments are what is expected; what did not parse matches nothing.

        Args:
            arguments: a snapshot, as records hold it.
            results: what `result_of` looks up.
        """
        if arguments is None:
            return False
        return next(self.misses(arguments, results), None) is None if self.plain is None else self.plain.matches(arguments)

    def differences(self, arguments: Arguments | None, results: Results | None = None) -> tuple[Difference, ...]:
        """Why the arguments do not match, place by place; empty if and only if they do."""
        from agentassert.checks.differences import Difference, between  # what matches has none

        if arguments is None:
            return (Difference("$", self.expectation.expected, MISSING),)
        comparison = self._comparison(self._candidate(arguments), results)
        found: list[Difference] = []
        for path, expected, actual in self.misses(arguments, results):
            if expected is MISSING or actual is MISSING:
                meant = self._meant(path, arguments) if actual is MISSING and len(found) < _MOST_HINTS else None
                found.append(Difference(path.text, shown(expected), actual, meant))
            else:
                found += between(expected, actual, path.text, comparison)
        return tuple(found)

    def misses(self, arguments: Arguments, results: Results | None = None) -> Iterator[tuple[Path, Any, Any]]:
        """The entries that do not match, each with what is there; then the arguments that nothing was said about, if that matters."""
        candidate = self._candidate(arguments)
        comparison = self._comparison(candidate, results)
        for (path, expected), actual in zip(self.expectation.entries, candidate.values, strict=True):
            if actual is MISSING or not _accepts(path, expected, actual, comparison):
                yield path, expected, actual
        for name in candidate.surplus:
            yield field(name), MISSING, arguments[name]

    def _meant(self, path: Path, arguments: Arguments) -> str | None:
        """What a misspelt name was meant to be, where one like it is there of which nothing is expected."""
        if not path.steps or not isinstance(name := path.steps[-1], str):
            return None
        holder = follow(dict(arguments), path.steps[:-1])
        if type(holder) is not dict:
            return None
        mentioned = {one.steps for one, _ in self.expectation.entries}
        near = nearest(name, [key for key in holder if isinstance(key, str) and (*path.steps[:-1], key) not in mentioned])
        return f"did you mean {near[0]!r}?" if near else None

    def _comparison(self, candidate: _Candidate, results: Results | None) -> Comparison:
        options = self.expectation.options
        return Comparison(options.any_order, options.tolerance, results, candidate.verdicts)

    def _candidate(self, arguments: Arguments) -> _Candidate:
        known = self._candidates.get(id(arguments))
        if known is None:
            known = self._candidates[id(arguments)] = _located(self.expectation, arguments)
        return known


@attrs.frozen(eq=False)
class _Candidate:
    """What a matcher found in one set of arguments. It keeps them alive, so that what their ids stand for does not change."""

    arguments: Arguments
    values: tuple[Any, ...]
    surplus: tuple[str, ...]
    verdicts: dict[tuple[int, int], Verdict] = attrs.field(factory=dict)


def closest(
    matcher: ArgumentMatcher, candidates: Sequence[Arguments | None], results: Sequence[Results | None] | None = None
) -> int:
    """The index of the candidate that comes closest to a match: with the fewest differences, and the smallest among those.

    Args:
        matcher: what was asked for.
        candidates: the arguments of the executions, at least one.
        results: for each candidate, what `result_of` looks up.

    Example:
        >>> closest(compile_arguments({"id": 17, "on": "Monday"}), [{"id": 3}, {"id": 17, "on": "Tuesday"}, None])
        1
    """
    known = [None] * len(candidates) if results is None else results

    def size(index: int) -> float:
        arguments = candidates[index]
        return math.inf if arguments is None else sum(1 for _ in matcher.misses(arguments, known[index]))

    sizes = [size(index) for index in range(len(candidates))]
    nearest = [index for index, missed in enumerate(sizes) if missed == min(sizes)][:_COMPARED_CLOSELY]

    def distance(index: int) -> tuple[int, float]:
        differences = matcher.differences(candidates[index], known[index])
        return len(differences), sum(map(_distance, differences))

    return min(nearest, key=distance)


def _for_callback(expected: Expected, exactly: bool, options: Options) -> Expectation:
    if not callable(expected):
        kind = type(expected).__name__
        raise TypeError(
            f"expected arguments are a mapping such as {{'id': 7}}, or a predicate, but were {render.value(expected)} ({kind})"
        )
    if exactly or options != AS_IT_IS:
        raise ValueError("a predicate decides about all arguments by itself: options and an exact comparison are for a mapping")
    return Expectation(expected, ((_EVERYTHING, prepare(expected)),), exactly, options, frozenset({None}))


def _entry(name: Any, value: Any) -> tuple[Path, Any]:
    if isinstance(name, Enum):
        name = name.value
    if not isinstance(name, str):
        raise TypeError(f"an argument's name must be a string, but was {render.value(name)} ({type(name).__name__})")
    path = compile_path(name) if name.startswith(_PATHS) else field(str.__str__(name))
    return path, value if type(value) in SCALARS else prepare(value, path.text)


def _kept(path: Path, value: Any, ignored: Sequence[Path]) -> Any:
    """What is left of an expected value; `MISSING` when the whole of it is ignored."""
    if path.steps is None:
        return value
    whole = value
    for step in reversed(path.steps):
        whole = {step: whole} if isinstance(step, str) else [*[None] * step, whole]
    return _stripped(value, path.steps, [place for one in ignored for place in one.places(whole)])


def _stripped(value: Any, steps: Steps, ignored: Sequence[Steps]) -> Any:
    if any(place == steps[: len(place)] for place in ignored):
        return MISSING
    return without(value, [place[len(steps) :] for place in ignored if place[: len(steps)] == steps])


def _located(expectation: Expectation, arguments: Arguments) -> _Candidate:
    given = arguments if type(arguments) is dict else dict(arguments)
    ignored = [place for path in expectation.options.ignored for place in path.places(given)]
    values = tuple(_found(path, expected, given, ignored) for path, expected in expectation.entries)
    unmentioned = [name for name in given if name not in expectation.names and (name,) not in ignored]
    return _Candidate(arguments, values, tuple(unmentioned) if expectation.exactly else ())


def _found(path: Path, expected: Any, arguments: Any, ignored: Sequence[Steps]) -> Any:
    if path.steps is None:
        values = path.find(without(arguments, ignored) if ignored else arguments)
        # A path that leads nowhere has no value: an empty list would please every predicate about the items, mistyped path or not.
        is_none = path.first is None or path.first in arguments
        return values if values or (is_none and type(expected) is list and not expected) else MISSING
    value = path.find(arguments)
    return _stripped(value, path.steps, ignored) if ignored and value is not MISSING else value


def _accepts(path: Path, expected: Any, actual: Any, comparison: Comparison) -> bool:
    is_one_field = path.steps is not None and len(path.steps) == 1
    return equal_or_text(expected, actual, comparison) if is_one_field else equal(expected, actual, comparison)


def _distance(difference: Difference) -> float:
    if difference.actual is MISSING or difference.expected is MISSING:
        return 1.0
    import difflib

    expected, actual = render.value(difference.expected), render.value(difference.actual)
    return 1.0 - difflib.SequenceMatcher(None, expected, actual).ratio()
