"""A run: inputs for one target, as long as there is time, and what was found."""

from __future__ import annotations

import random
import resource
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import attrs
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy

from tests.fuzzing.harness import FindingError, attempt
from tests.fuzzing.mutation import Mutator
from tests.fuzzing.targets import REGRESSIONS, Target

_BATCH: Final = 400
_MOST_MEMORY: Final = 6_000_000_000
"""Bytes of addresses; what asks for more gets a `MemoryError`, which is a finding, and not the whole machine."""

_REDUCING: Final = 15.0
_KEPT_OF_ONE_KIND: Final = 3


@attrs.define
class Run:
    """What became of the inputs of one target.

    Args:
        target: the target.
        folder: where inputs that broke a promise are kept, and the one that is tried now: what crashes the process leaves it there.
    """

    target: Target
    folder: Path
    outcomes: Counter[str] = attrs.Factory(Counter)
    findings: dict[str, Path] = attrs.Factory(dict)
    slowest: tuple[float, int] = (0.0, 0)
    _kinds: Counter[str] = attrs.Factory(Counter)

    def fuzz(self, seconds: float, first_seed: int) -> None:
        """Try the corpus and the regressions, then inputs made of them, and by the strategy, until the time is over."""
        end = time.monotonic() + seconds
        resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
        corpus = [*self.target.corpus(), *regressions_of(self.target)]
        for data in corpus:
            self.warm(data)
        for data in corpus:
            self.attempt(data)
        mutator = Mutator(corpus, self.target.form, self.target.words, self.target.largest)
        number = first_seed
        while time.monotonic() < end:
            chance = random.Random(number)
            for _ in range(_BATCH):
                if time.monotonic() >= end:
                    return
                self.attempt(mutator.make(chance))
            if self.target.strategy is not None:
                _generate(self.target.strategy, number, end, self.attempt)
            number += 1

    def warm(self, data: bytes) -> None:
        """Let the target load what it loads on first use, which is neither timed nor watched."""
        try:
            self.target.run(data)
        except BaseException as error:  # told when it is tried in earnest
            if isinstance(error, KeyboardInterrupt):
                raise

    def attempt(self, data: bytes) -> None:
        """Try one input."""
        last = self.folder / f"{self.target.name}.last"
        last.write_bytes(data)
        started = time.thread_time()
        try:
            self.outcomes[attempt(self.target, data)] += 1
        except FindingError as finding:
            self.keep(data, str(finding))
        self.slowest = max(self.slowest, (time.thread_time() - started, len(data)))

    def keep(self, data: bytes, finding: str) -> None:
        """Keep the first few inputs of each kind of finding, made smaller."""
        self.outcomes["FINDING"] += 1
        kind = kind_of(finding)
        self._kinds[kind] += 1
        if self._kinds[kind] > _KEPT_OF_ONE_KIND:
            return
        data = reduced(self.target, data, kind)
        file = self.folder / f"{self.target.name}-{len(self.findings) + 1}"
        file.write_bytes(data)
        self.findings[f"{finding}\n    {file}: {data[:100]!r}"] = file

    def told(self) -> str:
        """A line about the run, and a few for each finding."""
        outcomes = ", ".join(f"{count:,} {what}" for what, count in self.outcomes.most_common())
        head = f"{self.target.name}: {self.outcomes.total():,} inputs ({outcomes}), slowest {self.slowest[0] * 1000:.0f} ms"
        return "\n".join((f"{head} for {self.slowest[1]:,} bytes", *(f"  {finding}" for finding in self.findings)))


def regressions_of(target: Target) -> list[bytes]:
    """The inputs that broke a promise of the target once."""
    folder = REGRESSIONS / target.name
    return [file.read_bytes() for file in sorted(folder.iterdir())] if folder.is_dir() else []


def reduced(target: Target, data: bytes, kind: str) -> bytes:
    """The same finding with less input, as far as that is found in some seconds."""
    end = time.monotonic() + _REDUCING
    size = len(data) // 2
    while size and time.monotonic() < end:
        for shorter in _shorter(data, size):
            if time.monotonic() > end:
                break
            if _found(target, shorter) == kind:
                data = shorter
                break
        else:
            size //= 2
    return data


def _shorter(data: bytes, size: int) -> Iterator[bytes]:
    for start in range(0, len(data), size):
        yield data[:start] + data[start + size :]


def _found(target: Target, data: bytes) -> str:
    try:
        attempt(target, data)
    except FindingError as finding:
        return kind_of(str(finding))
    return ""


def kind_of(finding: str) -> str:
    """Findings of one kind have one place, or one promise in common."""
    if finding.startswith("raises"):
        return f"{finding.split(':', 1)[0]} {finding.rpartition(' at ')[2]}"
    return finding[:12]


def _generate(strategy: SearchStrategy[bytes], number: int, end: float, check: Callable[[bytes], None]) -> None:
    profile = settings(
        max_examples=_BATCH // 4,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )

    def one(data: bytes) -> None:
        if time.monotonic() < end:
            check(data)

    seed(number)(profile(given(strategy)(one)))()
