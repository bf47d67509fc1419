"""Checking many pieces, here or in several processes."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from typing import Final

from agentassert.errors import StoredCaptureError
from agentassert.storing.documents import Kind
from agentassert.storing.pieces import Piece, pieces_in
from agentassert.suites.stored.choosing import Choice, Request, choose
from agentassert.suites.stored.judging import Examiner, Report

_MOST_PIECES: Final = 64
_MOST_BYTES: Final = 1 << 20
_MOST_IN_WINDOWS: Final = 61
"""Processes that a pool can wait for there."""

_AHEAD: Final = 4
"""Batches for each process that may wait: enough that none is idle, and little memory."""

_examiners: Final[list[Examiner]] = []
"""The one of this process, where it is a worker."""


def reports(request: Request, choice: Choice, files: Sequence[str], processes: int) -> Iterator[Report]:
    """What came of the pieces of some files, in order, a few at a time.

    Args:
        request: how.
        choice: the cases.
        files: their paths.
        processes: how many there are to be; 1 is this one.

    Raises:
        concurrent.futures.process.BrokenProcessPool: when one of them is gone.
    """
    batches = _batches(files, request.kind)
    if processes == 1:
        examiner = Examiner(request, choice)
        for batch in batches:
            yield batch if isinstance(batch, Report) else examiner.examine(batch)
        return
    yield from _in_processes(request, batches, processes)


def _in_processes(request: Request, batches: Iterator[list[Piece] | Report], processes: int) -> Iterator[Report]:
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    waiting: deque[Future[Report] | Report] = deque()
    spawned = multiprocessing.get_context("spawn")  # a process that is forked while threads run may stand still
    most = min(processes, _MOST_IN_WINDOWS) if sys.platform == "win32" else processes
    with ProcessPoolExecutor(most, spawned, initializer=_begin, initargs=(request,)) as pool:
        for batch in batches:
            waiting.append(batch if isinstance(batch, Report) else pool.submit(_examine, batch))
            if len(waiting) > _AHEAD * processes:
                yield _ended(waiting.popleft())
        while waiting:
            yield _ended(waiting.popleft())


def _ended(one: Future[Report] | Report) -> Report:
    return one if isinstance(one, Report) else one.result()


def _begin(request: Request) -> None:
    _examiners.append(Examiner(request, choose(request)))


def _examine(batch: list[Piece]) -> Report:
    return _examiners[0].examine(batch)


def _batches(files: Sequence[str], kind: Kind | None) -> Iterator[list[Piece] | Report]:
    """Pieces, a few at a time; a report in the place of what cannot be read."""
    for path in files:
        batch: list[Piece] = []
        size, problem = 0, None
        try:
            for piece in pieces_in(path, kind):
                batch.append(piece)
                size += len(piece.text or b"")
                if len(batch) == _MOST_PIECES or size >= _MOST_BYTES:
                    yield batch
                    batch, size = [], 0
        except StoredCaptureError as error:
            problem = Report(problems=[str(error)])
        if batch:
            yield batch
        if problem is not None:
            yield problem
