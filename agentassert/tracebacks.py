"""What a notebook shows of a failed assertion: the lines of its cells, not those of this library."""

from __future__ import annotations

import linecache
import sys
import traceback
from typing import Final

_NOT_SHOWN: Final = frozenset({"agentassert", "IPython", "ipykernel"})


def notebook_traceback(error: BaseException) -> list[str]:
    """The traceback as IPython asks for it: text, a part of which has a line or more.

    Example:
        >>> notebook_traceback(AssertionError("it did not"))
        ['AssertionError: it did not']
    """
    shown = []
    for frame, line in traceback.walk_tb(error.__traceback__):
        if frame.f_globals.get("__name__", "").partition(".")[0] in _NOT_SHOWN:
            continue
        code = frame.f_code
        function = "" if code.co_name == "<module>" else f", in {code.co_name}"
        shown.append(f"{_place(code.co_filename)}, line {line}{function}")
        source = linecache.getline(code.co_filename, line).strip()
        shown += [f"    {source}"] if source else []
    return [*shown, f"{type(error).__name__}: {error}", *getattr(error, "__notes__", ())]


def _place(filename: str) -> str:
    """The file, or the number of the cell that IPython compiled under this name."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    named = None if shell is None else shell.compile.format_code_name(filename)
    return f"File {filename}" if named is None else " ".join(named)
