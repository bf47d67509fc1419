"""Make one small mistake after another in the library, and see whether the tests notice: `python -m tests.mutation [MODULE ...]`.

Fails on any mutant that survives without being explained in `survivors.toml`.

Why none of the libraries for that: mutmut changes what stands in functions alone, and many of our rules stand in tables; cosmic-ray starts a
process, which loads everything anew, for each of some ten thousand mutants.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import os
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Final

import pytest

from tests.mutation.book import Book
from tests.mutation.explained import explained
from tests.mutation.forks import Outcome, be_silent, each_in_fork, fork, outcome_of
from tests.mutation.judging import ARGUMENTS, Collected, Live, load_and_run
from tests.mutation.mutants import Mutant, modules_of, mutants_of
from tests.mutation.observed import Observed

PACKAGES: Final = ["agentassert.checks", "agentassert.expressions", "agentassert.assertions", "agentassert.conversations"]
TESTS: Final = ["tests/checks", "tests/expressions", "tests/assertions", "tests/conversations"]
# Loaded once for all the mutants that need a fresh process.
LIBRARIES: Final = ["assertpy", "deepdiff", "dirty_equals", "hypothesis.strategies", "jsonpath_ng.ext", "unittest.mock"]


def judge(mutants: list[Mutant], options: argparse.Namespace, book: Book, folder: Path) -> None:
    """Write into the book what becomes of each mutant, as far as time allows."""
    live = [mutant for mutant in mutants if mutant.place.function is not None]
    seconds_live = options.seconds * len(live) / len(mutants)
    status = os.waitpid(fork(lambda: judge_live(live, mutants, options, book, folder, seconds_live)), 0)[1]
    if outcome_of(status) != Outcome.SURVIVED:
        raise SystemExit(f"the tests cannot be collected: see what `pytest {' '.join(options.tests)}` says")
    observed = Observed.read([folder / "observed"])
    if observed.failing:
        book.say(f"left out, because they fail without any mistake: {', '.join(observed.failing)}")
    outcomes = book.outcomes()

    def load(mutant: Mutant) -> Outcome:
        return load_and_run(mutant, observed.tests_of_module(mutant.place), observed)

    each_in_fork(
        [mutant for mutant in mutants if mutant.place.function is None or outcomes.get(mutant.name) == Outcome.TO_LOAD],
        load,
        book.add,
        processes=options.processes,
        end=time.monotonic() + options.seconds - seconds_live,
    )


def judge_live(
    live: list[Mutant], mutants: list[Mutant], options: argparse.Namespace, book: Book, folder: Path, seconds: float
) -> Outcome:
    """The same for those that can be put into functions that are there, in a process that holds the tests."""
    modules = sorted({mutant.place.module for mutant in mutants})

    def with_tests(collected: Collected) -> None:
        functions = Live(modules)
        gc.collect()
        gc.freeze()
        observed = collected.observe(modules, folder, options.processes)
        observed.write(folder / "observed")

        def take_and_run(mutant: Mutant) -> Outcome:
            tests = observed.tests_of(mutant.place)
            if not tests:  # it runs when the module is loaded, if ever
                return Outcome.TO_LOAD
            outcome = functions.take(mutant)
            return collected.run(tests, observed) if outcome is None else outcome

        each_in_fork(live, take_and_run, book.add, processes=options.processes, end=time.monotonic() + seconds)

    be_silent()
    code = pytest.main([*ARGUMENTS, f"--basetemp={folder / 'tests'}", *options.tests], plugins=[Collected(with_tests)])
    return Outcome.SURVIVED if code == pytest.ExitCode.OK else Outcome.KILLED


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("modules", nargs="*", default=PACKAGES, metavar="MODULE", help="or package")
    parser.add_argument("--tests", nargs="+", default=TESTS, metavar="PATH", help="which tests are to notice")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="judge mutants at random, for so long")
    parser.add_argument("--seed", type=int, default=time.time_ns() // 10**9, help="of the choice at random")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--results", type=Path, help="JSON lines; what was killed according to them is not judged again")
    options = parser.parse_args()
    reasons = explained()
    mutants = [mutant for module in modules_of(options.modules) for mutant in mutants_of(module)]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(folder / "hypothesis")
        book = Book(options.results or folder / "results", reasons)
        before = book.outcomes()
        again = {Outcome.SURVIVED, Outcome.TO_LOAD, None}
        left = [one for one in mutants if before.get(one.name) in again and (one.name not in reasons)]
        if options.seconds < float("inf"):
            random.Random(options.seed).shuffle(left)
            book.say(f"--seed {options.seed}")
        for library in LIBRARIES:
            importlib.import_module(library)
        if left:
            judge(left, options, book, folder)
        outcomes = book.outcomes()
        names = [one.name for one in mutants]
    counts = Counter(outcomes[name].name for name in names if name in outcomes)
    book.say(f"{len(names)} mutants, {sum(name in reasons for name in names)} of them explained: {dict(counts)}")
    if any(outcomes.get(name) == Outcome.SURVIVED and name not in reasons for name in names):
        sys.exit(1)


if __name__ == "__main__":
    main()
