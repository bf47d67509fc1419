"""agentassert beside its peers: every contestant in an environment of its own, all in turns."""

from __future__ import annotations

import datetime
import os
import platform
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.benchmarks.measuring import Measurement
from tests.benchmarks.peers.contests import Contest
from tests.benchmarks.peers.environments import Environments, default_folder
from tests.benchmarks.peers.goals import goals


def contest(*, folder: Path | None, cap: float, quick: bool) -> Contest:
    """The contest in the environments of a folder; a quick one takes part only where they are there already."""
    place = (folder or default_folder()).absolute()
    place.mkdir(parents=True, exist_ok=True)
    return Contest(Environments(place, may_install=not quick), cap=cap, quick=quick)


def measure(contest: Contest, figures: dict[str, Any]) -> Iterator[Measurement]:
    """Run everything, fill in what it took, and say what that comes to."""
    began = time.perf_counter()
    environments = contest.environments
    missing = [name for name in environments.pinned["environments"] if not environments.have(name)]
    if missing:
        print(f"  without those that are not installed: {', '.join(missing)}")
    for name, seconds in contest.run():
        print(f"  measured: {name} ({time.perf_counter() - began:.0f} s)", flush=True)
        part, _, check = name.partition(", ")
        if check:
            figures.setdefault(part, {})[check] = seconds
        else:
            figures[part] = seconds
    figures["versions"] = {
        name: environments.versions(name) for name in environments.pinned["environments"] if name not in missing
    }
    figures["made"] = {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "python": platform.python_version(),
        "machine": _machine(),
        "processors": os.cpu_count(),
        "cap": contest.cap,
        "minutes": round((time.perf_counter() - began) / 60),
    }
    yield from goals(figures)


def _machine() -> str:
    """The processor's name where the system tells it."""
    try:
        with Path("/proc/cpuinfo").open(encoding="utf-8") as lines:
            return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()
