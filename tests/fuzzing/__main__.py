"""`python -m tests.fuzzing --seconds 60 [target …]`: hostile input for every target, or for those named.

Each target has its share of the time and a process of its own, so that what kills it is told like any other finding. Exits with 1 when a
promise was broken; the inputs that broke it are kept. With `--guided`, atheris looks for inputs that reach code which no other reached.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from tests.fuzzing.targets import Target, targets

_GRACE: Final = 120.0
"""Seconds that a target may have beyond its share, to end its last input and to make smaller what it found."""


def main() -> int:
    options = _options()
    if options.guided and options.here:
        from tests.fuzzing import guided

        guided.instrument()
    known = targets()
    unknown = [name for name in options.targets if name not in known]
    if unknown:
        sys.stderr.write(f"unknown target {unknown[0]!r}: there are {', '.join(known)}\n")
        return 2
    chosen = [known[name] for name in options.targets] or list(known.values())
    options.findings.mkdir(parents=True, exist_ok=True)
    if options.here:
        return _fuzz_here(chosen[0], options)
    statuses = [_in_process(target, options, options.seconds / len(chosen)) for target in chosen]
    return max(statuses)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzzing", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="target", help="by name; all without one")
    parser.add_argument("--seconds", type=float, default=60.0, help="for all of them together")
    parser.add_argument("--seed", type=int, default=0, help="of the first inputs; another one makes others")
    parser.add_argument("--guided", action="store_true", help="by coverage, where atheris is installed")
    default = Path(tempfile.gettempdir(), "agentassert-fuzzing")
    parser.add_argument("--findings", type=Path, default=default, help="the folder for inputs that broke a promise")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def _fuzz_here(target: Target, options: argparse.Namespace) -> int:
    if options.guided:
        from tests.fuzzing import guided

        guided.fuzz(target, options.seconds, options.seed, options.findings)
    from tests.fuzzing.runs import Run

    run = Run(target, options.findings)
    run.fuzz(options.seconds, options.seed)
    sys.stdout.write(f"{run.told()}\n")
    return 1 if run.findings else 0


def _in_process(target: Target, options: argparse.Namespace, seconds: float) -> int:
    command = [sys.executable, "-m", "tests.fuzzing", target.name, "--here", "--seconds", str(seconds)]
    command += ["--seed", str(options.seed), "--findings", str(options.findings), *(["--guided"] if options.guided else [])]
    started = time.monotonic()
    try:
        status = subprocess.run(command, check=False, timeout=seconds + _GRACE).returncode
    except subprocess.TimeoutExpired:
        status = -1
    if status not in (0, 1, 2):
        last = options.findings / f"{target.name}.last"
        sys.stdout.write(
            f"{target.name}: ended with {status} after {time.monotonic() - started:.0f} s; its last input is {last}\n"
        )
    sys.stdout.flush()
    return 0 if status == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
