"""Which cell of a notebook is being executed, so that executing it again starts its checks afresh.

Nothing is imported for it: IPython is asked where it is there already and runs the code. Where it does not say which cell it executes
(in a terminal, or in nbclient), a cell is known by its text.
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple


class Execution(NamedTuple):
    """One execution of one cell; `number` counts those of the cell."""

    cell: str
    number: int


_executed: dict[str, int] = {}
_current: tuple[Any, Execution] | None = None
"""What IPython calls the execution, and what we call it."""
_watched: Any = None


def watch() -> None:
    """Hear from IPython, where it runs this code, which cell is executed from now on."""
    global _watched
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is None or shell is _watched:
        return
    _watched = shell
    shell.events.register("pre_run_cell", _begin)
    shell.events.register("post_run_cell", _end)


def current() -> Execution | None:
    """The execution of a cell that this code is part of; `None` outside a notebook.

    Example:
        >>> current() is None
        True
    """
    return None if _current is None else _current[1]


def is_latest(execution: Execution | None) -> bool:
    """Whether the cell was not executed again since; what is done outside a notebook stays.

    Example:
        >>> is_latest(None)
        True
    """
    return execution is None or _executed[execution.cell] == execution.number


def _begin(info: Any) -> None:
    global _current
    if _current is not None and not info.store_history:
        return  # a magic like `%%capture` executes what it stands above: that is part of its cell
    cell = getattr(info, "cell_id", None) or info.raw_cell
    _executed[cell] = _executed.get(cell, 0) + 1
    _current = info, Execution(cell, _executed[cell])


def _end(result: Any) -> None:
    global _current
    if _current is not None and result.info is _current[0]:
        _current = None
