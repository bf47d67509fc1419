"""What recording and asserting cost, each beside what it is compared with, in one run.

    python tests/benchmarks/run.py [--quick] [--check] [BENCHMARK ...]

Contestants take turns, so that a machine which slows down slows all of them. A ratio is the median over the rounds of the ratio
within a round; an absolute time is that of the fastest round. Times are those of the processor, which others on the machine
lengthen less than those of a clock on the wall. The garbage collector runs as it does for a user, on both sides; what was there
before is kept out of its sight.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

BENCHMARKS: Final = ("recording", "asserting", "pairing", "importing", "frameworks", "suites", "spans", "conversations", "stored")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="What recording and asserting cost, beside what it is compared with.")
    parser.add_argument("benchmarks", nargs="*", metavar="BENCHMARK", help=f"any of {', '.join(BENCHMARKS)}; all without one")
    parser.add_argument("--quick", action="store_true", help="fewer and smaller rounds: under a minute in all, and less exact")
    parser.add_argument("--check", action="store_true", help="exit with 1 when a goal is missed by more than its tolerance")
    options = parser.parse_args(arguments)
    unknown = set(options.benchmarks) - set(BENCHMARKS)
    if unknown:
        parser.error(f"unknown benchmark: {', '.join(sorted(unknown))}")
    sys.path[0] = str(Path(__file__).resolve().parents[2])  # as with `python -m`: `tests` is found, its parts shadow nothing
    began = time.perf_counter()
    failed = []
    for name in options.benchmarks or BENCHMARKS:
        print(f"\n{name}")
        for measurement in importlib.import_module(f"tests.benchmarks.{name}").measure(quick=options.quick):
            print(f"  {measurement.line()}", flush=True)
            if not measurement.acceptable:
                failed.append(f"{name}: {measurement.what}")
    print(f"\n{time.perf_counter() - began:.0f} s")
    if options.check and failed:
        print("Missed by more than the tolerance:", *failed, sep="\n  ", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
