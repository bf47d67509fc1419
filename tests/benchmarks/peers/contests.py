"""Who takes part in what."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import attrs

from tests.benchmarks.peers.environments import Environments
from tests.benchmarks.peers.running import FOLDER, Turn, Workers, fresh_process, take_turns, whole_process

OURS: Final = "agentassert"
BY_HAND: Final = "a loop by hand"
FIRST: Final = "python alone", OURS, "assertpy2", "agentevals", "pydantic-evals", "deepeval"
PLUGINS: Final = "pytest alone", OURS, "assertpy2", "agentevals", "pydantic-evals", "deepeval"
SUITES: Final = "pytest", OURS, "pydantic-evals", "deepeval"
SIZES: Final = (10, 100, 1_000, 10_000, 100_000)
EVENTS: Final = {
    "tool": ("bare", OURS, "opentelemetry"),
    "agent": ("bare", OURS, "langchain", "openinference"),
}
TRIVIAL: Final = "def test_nothing():\n    assert True\n"

Seconds = dict[str, list[float] | None]


@attrs.frozen
class Check:
    """A question that several ask of the same executions.

    Args:
        title: what is asked.
        contestants: by name the environment, the module of cells, and the cell.
        also: what is measured beside them to show where the time goes, and takes no part.
    """

    title: str
    contestants: dict[str, tuple[str, str, str]]
    also: dict[str, tuple[str, str, str]] = attrs.field(factory=dict)


def _check(title: str, cell: str, **modules: str) -> Check:
    """A check for ourselves, the loop, and peers, by module and name."""
    ours = {OURS: (OURS, "ours", cell), BY_HAND: (OURS, "ours", f"{cell}, by hand")}
    return Check(title, ours | {name: (module.replace("_", "-"), module, cell) for module, name in modules.items()})


CHECKS: Final = {
    "executed": attrs.evolve(
        _check(
            "a tool was executed",
            "executed",
            agentevals="agentevals `superset`",
            deepeval="deepeval `ToolCorrectnessMetric`",
            pydantic_evals="pydantic-evals `HasMatchingSpan`",
        ),
        also={
            f"{OURS}, every later time": (OURS, "ours", "executed, again"),
            "pydantic-evals, with its tree made": ("pydantic-evals", "pydantic_evals", "executed, from spans"),
        },
    ),
    "exactly in order": _check(
        "exactly these tools, in this order",
        "exactly in order",
        agentevals="agentevals `strict`",
        deepeval="deepeval `should_exact_match`",
        pydantic_evals="pydantic-evals `TrajectoryMatch` exact",
    ),
    "in order": _check(
        "these tools in this order, others between them",
        "in order",
        deepeval="deepeval `should_consider_ordering`",
        pydantic_evals="pydantic-evals `TrajectoryMatch` in_order",
    ),
    "in any order": _check(
        "exactly these tools, in any order",
        "in any order",
        agentevals="agentevals `unordered`, arguments ignored",
        deepeval="deepeval, names",
        pydantic_evals="pydantic-evals `TrajectoryMatch` any_order",
    ),
    "in any order, with arguments": _check(
        "exactly these tools and arguments, in any order",
        "in any order, with arguments",
        agentevals="agentevals `unordered`",
        deepeval="deepeval `INPUT_PARAMETERS`",
    ),
}


@attrs.frozen
class Contest:
    """Everything that is measured beside peers.

    Args:
        environments: where the contestants live.
        cap: the seconds after which a check is ended.
        quick: whether to take few and small rounds.
    """

    environments: Environments
    cap: float
    quick: bool

    def run(self) -> Iterator[tuple[str, Any]]:
        """The seconds by contest, each as soon as it is there."""
        yield "first", self.first()
        yield "plugins", self.plugins()
        yield "suites", self.suites()
        with Workers(self.environments, self.cap) as workers:
            yield "events", self.events(workers)
        with Workers(self.environments, self.cap) as workers:
            for name, check in CHECKS.items():
                yield f"checks, {name}", self.check(workers, check)

    def first(self) -> Seconds:
        """A process that imports a library and asserts once."""
        turns = self._turns(FIRST, lambda name: [FOLDER / "first" / f"{name}.py"], alone=["-c", "pass"])
        return self._warm(turns, rounds=2 if self.quick else 7)

    def plugins(self) -> Seconds:
        """A run of pytest with one test, where a library is installed and not used."""
        given = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "test_nothing.py"]
        turns = self._turns(PLUGINS, lambda _: given, alone=given, files={"test_nothing.py": TRIVIAL})
        return self._warm(turns, rounds=2 if self.quick else 7)

    def suites(self) -> dict[str, Any]:
        """A suite of many cases, after the imports."""
        cases = 100 if self.quick else 500

        def turn(name: str) -> Turn:
            return lambda: float(fresh_process(self.environments, name, [FOLDER / "suites" / f"{name}.py", cases]).split()[-1])

        turns = {name: turn(name) for name in SUITES if self.environments.have(name)}
        return {"cases": cases, "seconds": take_turns(turns, rounds=2 if self.quick else 7)}

    def events(self, workers: Workers) -> dict[str, Seconds]:
        """A tool, and an agent of LangChain, that nobody or somebody watches: seconds for each tool execution."""
        if not self.environments.have("tracing"):
            return {}
        sizes = {"tool": 1_000 if self.quick else 5_000, "agent": 8}
        measured = {}
        for what, names in EVENTS.items():
            turns = {name: workers.turn("tracing", "tracing", f"{what}, {name}", sizes[what]) for name in names}
            seconds = self._warm(turns, rounds=3 if self.quick else 21)
            measured[what] = {name: [one / sizes[what] for one in each] for name, each in seconds.items()}
        return measured

    def check(self, workers: Workers, check: Check) -> dict[str, dict[str, list[float] | None]]:
        """A check on few and on many executions; whoever took longer than the cap, or is bound to, is not asked about more."""
        there = {name: given for name, given in (check.contestants | check.also).items() if self.environments.have(given[0])}
        by_name: dict[str, dict[str, list[float] | None]] = {name: {} for name in there}
        for size in SIZES[:2] if self.quick else SIZES:
            turns = {}
            for name, given in there.items():
                slowest = self._at_least(by_name[name])
                if slowest > self.cap and given[1] != "ours":
                    by_name[name] |= {} if slowest == math.inf else {str(size): None}
                else:
                    turns[name] = workers.turn(*given, size)
            for name, seconds in take_turns(turns, rounds=3 if self.quick else 5).items():
                by_name[name][str(size)] = seconds
        return by_name

    def _at_least(self, by_size: Mapping[str, list[float] | None]) -> float:
        """How long the next size is going to take at the very least: ten times as many are ten times the work, for all look at all."""
        last = list(by_size.values())[-1:]
        return max((math.inf if seconds is None else 10 * min(seconds) for seconds in last), default=0.0)

    def _turns(
        self,
        names: Sequence[str],
        arguments: Callable[[str], Sequence[Any]],
        alone: Sequence[Any],
        files: Mapping[str, str] | None = None,
    ) -> dict[str, Turn]:
        """A fresh process for each that has an environment; the first of the names is there to compare with."""
        turns = (
            {names[0]: whole_process(self.environments, "pytest", alone, files or {})} if self.environments.have("pytest") else {}
        )
        for name in names[1:]:
            if self.environments.have(name):
                turns[name] = whole_process(self.environments, name, arguments(name), files or {})
        return turns

    def _warm(self, turns: Mapping[str, Turn], rounds: int) -> Seconds:
        """Rounds after one that does not count, for byte code is written in it."""
        take_turns(turns, rounds=1)
        return take_turns(turns, rounds=rounds)
