"""What pytest says at its end: the snapshots that were written, and those that no test uses any more."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from agentassert.snapshots.places import FOLDER, SUFFIX, folder_of, shown
from agentassert.snapshots.usage import attached_to

if TYPE_CHECKING:
    import pytest

_TITLE: Final = "snapshots"
_NARROWING: Final = ("lf", "stepwise", "setuponly", "setupplan")
"""Options with which tests do not run and nobody says so."""
_SELECTING: Final = ("keyword", "markexpr", "deselect", "agentassert_filter")
"""Options with which tests do not run and, in processes of pytest-xdist, nobody says so."""


def tell(terminal: Any, config: pytest.Config, collected: Collection[str], *, succeeded: bool) -> None:
    """Write the section, where there is something to say.

    Args:
        terminal: pytest's terminal reporter.
        config: of the session.
        collected: every test that pytest found, also those that were left out then; none in the process that spreads tests over others.
        succeeded: whether every test passed that ran.
    """
    reports = [one for reports in terminal.stats.values() for one in reports if hasattr(one, "when")]
    lines = list(_written(reports))
    if succeeded and not any(config.getoption(option, default=None) for option in _NARROWING):
        lines += _unused(config, collected, reports)
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


def _unused(config: pytest.Config, collected: Collection[str], reports: Sequence[Any]) -> Iterator[str]:
    """Those of test files of which every test ran and passed; what another test might use stays."""
    is_spread = bool(config.getoption("numprocesses", default=None))
    if is_spread and any(config.getoption(option, default=None) for option in _SELECTING):
        return
    if any("::" in argument for argument in config.args):
        return
    used = {_identity(Path(file)) for report in reports for file in attached_to(report)}
    deletes = config.getoption("agentassert_update") and not is_spread
    whole = sorted(config.rootpath / file for file in _whole_files(config, collected, reports))
    for test_file in whole:
        for file in sorted(folder_of(test_file).glob(f"*{SUFFIX}")):
            if _identity(file) in used:
                continue
            if deletes:
                file.unlink()
                yield f"deleted {shown(file)}, which no test used"
            else:
                how = "--agentassert-update without -n deletes it" if is_spread else "--agentassert-update deletes it"
                yield f"no test used {shown(file)}: {how}"
    for folder in sorted({test_file.parent for test_file in whole}):
        yield from _abandoned(folder)


def _abandoned(folder: Path) -> Iterator[str]:
    """Folders of snapshots whose test file is gone; to delete them stays with people."""
    stems = {file.stem for file in folder.iterdir() if file.is_file()}
    for kept in sorted({file.parent for file in (folder / FOLDER).glob(f"*/*{SUFFIX}")}):
        if kept.name not in stems:
            yield f"no test file belongs to {shown(kept)}: delete it, or rename it with the file"


def _whole_files(config: pytest.Config, collected: Collection[str], reports: Sequence[Any]) -> set[str]:
    """The Python files of which every test was called and passed, and which share their folder of snapshots with no other file."""
    called = {one.nodeid for one in reports if one.when == "call"}
    partly = {one.nodeid for one in reports if one.outcome != "passed" or hasattr(one, "wasxfail")}
    partly |= set(collected) - called
    left_out = {_file_of(test) for test in partly}
    files = {file for file in map(_file_of, called) if file.endswith(".py") and file not in left_out}
    return {file for file in files if _is_alone(config.rootpath / file)}


def _is_alone(file: Path) -> bool:
    """Whether no other file of that name, such as a page with examples, has its snapshots in the same folder."""
    return all(one.name == file.name for one in file.parent.iterdir() if one.stem == file.stem and one.is_file())


def _identity(file: Path) -> tuple[int, int] | None:
    """The file itself, as systems differ in which spellings of a name lead to it; a use of one that is not there is none."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _file_of(nodeid: str) -> str:
    return nodeid.partition("::")[0]
