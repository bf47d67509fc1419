"""`tests.compatibility.behaviour` in a Python from which everything is gone that Windows does not have, as far as others let it go.

What is left in place is asked for by the standard library or by pytest without a look whether it is there.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from types import ModuleType
from typing import Final

MODULES: Final = ("fcntl", "grp", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty")
_OF_OS: Final = """
    chown fchown fork forkpty getpgid getpgrp getppgid killpg lchown mkfifo mknod nice openpty posix_spawn posix_spawnp register_at_fork
    sched_getaffinity sched_yield setsid statvfs uname wait wait3 wait4
"""
_OF_SIGNAL: Final = "SIGALRM SIGHUP SIGKILL SIGUSR1 SIGUSR2 alarm pthread_kill pthread_sigmask setitimer sigwait"
_OF_TIME: Final = "CLOCK_MONOTONIC CLOCK_REALTIME clock_getres clock_gettime clock_gettime_ns pthread_getcpuclockid tzset"
NAMES: Final[dict[ModuleType, list[str]]] = {
    os: _OF_OS.split(),
    signal: _OF_SIGNAL.split(),
    time: _OF_TIME.split(),
    select: ["epoll", "poll"],
}


def leave() -> None:
    """Take away all that is not there."""
    for module in set(MODULES) - {"fcntl"}:  # for which msvcrt stands in, as `test_systems` shows
        sys.modules[module] = None  # type: ignore[assignment]  # which is how Python keeps that there is none
    for module, names in NAMES.items():
        for name in names:
            vars(module).pop(name, None)


if __name__ == "__main__":
    leave()
    from tests.compatibility.behaviour import tell

    tell(*sys.argv[1:])
