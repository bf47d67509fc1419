"""Work that may break anything, done in forks of this process."""

from __future__ import annotations

import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterable
from enum import IntEnum
from typing import Final, TypeVar

MEMORY: Final = 3 << 30

T = TypeVar("T")


class Outcome(IntEnum):
    """What became of a mutant."""

    SURVIVED = 0
    KILLED = 1
    TIMED_OUT = 2
    NO_PROGRAM = 3
    TO_LOAD = 4


def fork(work: Callable[[], Outcome]) -> int:
    """Begin some work in a fork of this process; its process id."""
    sys.stdout.flush()
    sys.stderr.flush()
    process = os.fork()
    if process == 0:
        outcome = Outcome.KILLED
        try:
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            outcome = work()
        finally:
            os._exit(outcome)
    return process


def be_silent() -> None:
    """Show nothing more of what this process says."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


def outcome_of(status: int) -> Outcome:
    """What a fork came to, by what waiting for it gave."""
    if os.WIFSIGNALED(status):
        return Outcome.TIMED_OUT if os.WTERMSIG(status) == signal.SIGALRM else Outcome.KILLED
    return Outcome(os.WEXITSTATUS(status))


def each_in_fork(
    items: Iterable[T],
    work: Callable[[T], Outcome],
    report: Callable[[T, Outcome], None],
    *,
    processes: int,
    end: float = float("inf"),
) -> None:
    """Do some work on each item, in so many forks at a time, until the clock says `end`; what is under way then is finished."""
    running: dict[int, T] = {}

    def await_one() -> None:
        process, status = os.wait()
        report(running.pop(process), outcome_of(status))

    for item in items:
        if time.monotonic() >= end:
            break
        if len(running) >= processes:
            await_one()
        running[fork(lambda item=item: work(item))] = item  # type: ignore[misc]
    while running:
        await_one()
