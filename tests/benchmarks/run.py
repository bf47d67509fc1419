"""What recording and asserting cost, each beside what it is compared with, in one run.

    python tests/benchmarks/run.py [--quick] [--check] [--write] [BENCHMARK ...]

Contestants take turns, so that a machine which slows down slows all of them. A ratio is the median over the rounds of the ratio
within a round; an absolute time is that of the fastest round. Times are those of the processor, which others on the machine
lengthen less than those of a clock on the wall. The garbage collector runs as it does for a user, on both sides; what was there
before is kept out of its sight.

The benchmark `peers` sets other libraries beside this one, each in an environment that it makes when it is not there. `--write` records
the figures, and makes the tables and pictures of docs/explanation/performance.md from them.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

BENCHMARKS: Final = (
    "recording",
    "asserting",
    "pairing",
    "large",
    "memory",
    "importing",
    "frameworks",
    "suites",
    "spans",
    "otlp",
    "conversations",
    "stored",
    "peers",
)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="What recording and asserting cost, beside what it is compared with.")
    parser.add_argument("benchmarks", nargs="*", metavar="BENCHMARK", help=f"any of {', '.join(BENCHMARKS)}; all without one")
    parser.add_argument("--quick", action="store_true", help="fewer and smaller rounds: under a minute in all, and less exact")
    parser.add_argument("--check", action="store_true", help="exit with 1 when a goal is missed by more than its tolerance")
    parser.add_argument(
        "--write", action="store_true", help="record the figures, and make the documentation's tables and pictures"
    )
    parser.add_argument(
        "--environments", type=Path, metavar="DIR", help="where the peers' environments are kept; a cache without it"
    )
    parser.add_argument(
        "--cap", type=float, default=60, metavar="SECONDS", help="after which a peer's check is ended: %(default)s"
    )
    options = parser.parse_args(arguments)
    unknown = set(options.benchmarks) - set(BENCHMARKS)
    if unknown:
        parser.error(f"unknown benchmark: {', '.join(sorted(unknown))}")
    if options.write and options.quick:
        parser.error("what --quick measures is not worth recording: leave it out, or --write")
    sys.path[0] = str(Path(__file__).resolve().parents[2])  # as with `python -m`: `tests` is found, its parts shadow nothing
    began = time.perf_counter()
    failed, measured, figures = [], {}, {}
    for name in options.benchmarks or BENCHMARKS:
        print(f"\n{name}")
        measured[name] = []
        for measurement in _measurements(name, options, figures):
            print(f"  {measurement.line()}", flush=True)
            measured[name].append(measurement)
            if not measurement.acceptable:
                failed.append(f"{name}: {measurement.what}")
    print(f"\n{time.perf_counter() - began:.0f} s")
    if options.write:
        importlib.import_module("tests.benchmarks.peers.page").record(figures, measured)
    if options.check and failed:
        print("Missed by more than the tolerance:", *failed, sep="\n  ", file=sys.stderr)
        return 1
    return 0


def _measurements(name: str, options: argparse.Namespace, figures: dict[str, Any]) -> Iterator[Any]:
    benchmark = importlib.import_module(f"tests.benchmarks.{name}")
    if name != "peers":
        return benchmark.measure(quick=options.quick)
    return benchmark.measure(benchmark.contest(folder=options.environments, cap=options.cap, quick=options.quick), figures)


if __name__ == "__main__":
    sys.exit(main())
