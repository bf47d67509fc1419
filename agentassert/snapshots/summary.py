"""What pytest says at its end: the snapshots that were written, and those that no test uses any more."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from agentassert.snapshots.places import SUFFIX, folder_of, shown
from agentassert.snapshots.usage import attached_to

if TYPE_CHECKING:
    import pytest

_TITLE: Final = "snapshots"
_NARROWING: Final = ("lf", "stepwise", "setuponly", "setupplan")
"""Options with which tests do not run and nobody says so."""
_SELECTING: Final = ("keyword", "markexpr", "deselect", "agentassert_filter")
"""Options with which tests do not run and, in processes of pytest-xdist, nobody says so."""


def tell(terminal: Any, config: pytest.Config, *, succeeded: bool) -> None:
    """Write the section, where there is something to say.

    Args:
        terminal: pytest's terminal reporter.
        config: of the session.
        succeeded: whether every test passed that ran.
    """
    reports = [one for reports in terminal.stats.values() for one in reports if hasattr(one, "when")]
    lines = list(_written(reports))
    if succeeded and not any(config.getoption(option, default=None) for option in _NARROWING):
        lines += _unused(terminal, config, reports)
    if lines:
        terminal.section(_TITLE)
        for line in lines:
            terminal.line(line)


def _written(reports: Sequence[Any]) -> Iterator[str]:
    writers: defaultdict[str, set[str]] = defaultdict(set)
    for report in reports:
        for file, use in attached_to(report).items():
            if use != "used":
                writers[file].add(f"{use} {report.nodeid}")
    for file, writes in sorted(writers.items()):
        uses, tests = zip(*(write.split(" ", 1) for write in sorted(writes)), strict=True)
        yield f"{uses[0]} {shown(Path(file))}"
        if len(tests) > 1:  # in processes of pytest-xdist, which know nothing of each other
            yield f"  by {' and '.join(tests)}: give each a name of its own"


def _unused(terminal: Any, config: pytest.Config, reports: Sequence[Any]) -> Iterator[str]:
    """Those of test files of which every test ran and passed; what another test might use stays."""
    is_spread = bool(config.getoption("numprocesses", default=None))
    if is_spread and any(config.getoption(option, default=None) for option in _SELECTING):
        return
    used = {os.path.realpath(file) for report in reports for file in attached_to(report)}
    deletes = config.getoption("agentassert_update") and not is_spread
    for test_file in sorted(_whole_files(terminal, config, reports)):
        for file in sorted(folder_of(config.rootpath / test_file).glob(f"*{SUFFIX}")):
            if os.path.realpath(file) in used:
                continue
            if deletes:
                file.unlink()
                yield f"deleted {shown(file)}, which no test used"
            else:
                how = "--agentassert-update without -n deletes it" if is_spread else "--agentassert-update deletes it"
                yield f"no test used {shown(file)}: {how}"


def _whole_files(terminal: Any, config: pytest.Config, reports: Sequence[Any]) -> set[str]:
    """The Python files of which every test was called and passed."""
    called = {one.nodeid for one in reports if one.when == "call"}
    session = config.pluginmanager.get_plugin("session")
    partly = {one.nodeid for one in reports if one.outcome != "passed" or hasattr(one, "wasxfail")}
    partly |= {item.nodeid for item in terminal.stats.get("deselected", ())}
    # In the process that spreads tests over others there are no items.
    partly |= {item.nodeid for item in getattr(session, "items", ()) if item.nodeid not in called}
    partly |= {argument for argument in config.args if "::" in argument}
    left_out = {_file_of(test) for test in partly}
    return {file for file in map(_file_of, called) if file.endswith(".py") and file not in left_out}


def _file_of(nodeid: str) -> str:
    return nodeid.partition("::")[0]
