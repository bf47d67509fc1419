"""Whether the tests notice a mistake.

They are collected once, and each mutant gets a fork of the process that holds them, where the faulty code is put into the functions that
are there already. Only a mistake that is made while a module is loaded costs loading it, and the tests, again.
"""

from __future__ import annotations

import gc
import importlib
import os
import signal
import sys
import time
from collections.abc import Callable
from importlib.abc import Loader, MetaPathFinder
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType, FunctionType
from typing import Final

import attrs
import coverage
import pytest
from hypothesis import Phase, settings

from tests.mutation.forks import Outcome, be_silent, each_in_fork, fork, outcome_of
from tests.mutation.mutants import Mutant, file_of
from tests.mutation.observed import Observed, files_of

ARGUMENTS: Final = [
    *("-q", "-x", "--tb=no", "-p", "no:cacheprovider", "-p", "no:faulthandler"),
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),  # of what is imported already
]
LOADING_S: Final = 120
EXAMPLES: Final = 20

_Key = tuple[str, int]
"""A function's qualified name, and its first line."""


class Collected:
    """A plugin of pytest: once the tests are collected, it does something else with them than run them.

    Args:
        then: what, with the plugin.
    """

    def __init__(self, then: Callable[[Collected], None]) -> None:
        self.then = then
        self.items: dict[str, pytest.Item] = {}
        self.failed = False

    def pytest_collection(self) -> None:
        be_quick()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.items = {item.nodeid: item for item in session.items}
        session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]  # one for all forks
        self.then(self)
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.failed = self.failed or report.failed

    def observe(self, modules: list[str], folder: Path, processes: int) -> Observed:
        """Run all the tests, and see what they run of some modules."""
        files = [folder / f"observed-{number}" for number in range(processes)]
        each_in_fork(
            range(processes),
            lambda number: self._observe(list(self.items)[number::processes], modules, files[number]),
            lambda number, outcome: None,
            processes=processes,
        )
        return Observed.read(files)

    def _observe(self, tests: list[str], modules: list[str], file: Path) -> Outcome:
        observed = Observed()
        names = {str(file_of(module)): module for module in modules}
        watching = coverage.Coverage(data_file=None, config_file=False, include=list(names), messages=False)
        watching.start()
        for test, following in zip(tests, [*tests[1:], None], strict=True):
            watching.switch_context(test)
            started = time.perf_counter()
            self._run_one(test, following)
            observed.seconds[test] = time.perf_counter() - started
            if self.failed:
                observed.failing.append(test)
                self.failed = False
        watching.stop()
        seen = watching.get_data()
        for path in seen.measured_files():
            by_line = {line: [test for test in some if test] for line, some in seen.contexts_by_lineno(path).items()}
            observed.running[names[path]] = by_line
        observed.write(file)
        return Outcome.SURVIVED

    def run(self, tests: list[str], observed: Observed) -> Outcome:
        """Whether one of the tests fails; those after it are not run."""
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        for test, following in zip(tests, [*tests[1:], None], strict=True):
            signal.alarm(observed.patience(test))
            self._run_one(test, following)
            if self.failed:
                return Outcome.KILLED
        return Outcome.SURVIVED

    def _run_one(self, test: str, following: str | None) -> None:
        item = self.items[test]
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None if following is None else self.items[following])


def be_quick() -> None:
    """Make property-based tests fail as soon as they can, or give up, and always in the same way."""
    settings.register_profile(
        "mutation",
        max_examples=EXAMPLES,
        phases=(Phase.explicit, Phase.generate),
        derandomize=True,
        database=None,
        report_multiple_bugs=False,
    )
    settings.load_profile("mutation")


class Live:
    """The functions of some modules that are there, to be given other code."""

    def __init__(self, modules: list[str]) -> None:
        for module in modules:
            importlib.import_module(module)
        self.functions: dict[str, dict[_Key, list[FunctionType]]] = {str(file_of(module)): {} for module in modules}
        for thing in gc.get_objects():
            if type(thing) is FunctionType and thing.__code__.co_filename in self.functions:
                code = thing.__code__
                self.functions[code.co_filename].setdefault(_key(code), []).append(thing)

    def take(self, mutant: Mutant) -> Outcome | None:
        """Put the mistake where it belongs; an outcome where that cannot be done."""
        try:
            codes = _codes(mutant.code())
        except SyntaxError:
            return Outcome.NO_PROGRAM
        assert mutant.place.function is not None
        below = f"{mutant.place.function[0]}.<locals>."
        functions = self.functions[str(file_of(mutant.place.module))]
        keys = [key for key in functions if key == mutant.place.function or key[0].startswith(below)]
        if mutant.place.function not in keys or any(len(codes.get(key, ())) != 1 for key in keys):
            return Outcome.TO_LOAD
        for key in keys:
            for function in functions[key]:
                try:
                    function.__code__ = codes[key][0]
                except ValueError:  # it refers to other variables around it
                    return Outcome.TO_LOAD
        return None


def _key(code: CodeType) -> _Key:
    return code.co_qualname, code.co_firstlineno


def _codes(code: CodeType) -> dict[_Key, list[CodeType]]:
    found: dict[_Key, list[CodeType]] = {}
    waiting = [code]
    while waiting:
        one = waiting.pop()
        found.setdefault(_key(one), []).append(one)
        waiting += [constant for constant in one.co_consts if isinstance(constant, CodeType)]
    return found


@attrs.frozen
class _Faulty(MetaPathFinder, Loader):
    """Loads one module with a mistake in it."""

    module: str
    code: CodeType

    def find_spec(self, fullname, path, target=None):
        if fullname != self.module:
            return None
        file = file_of(self.module)
        folders = [str(file.parent)] if file.name == "__init__.py" else None
        return spec_from_file_location(fullname, file, loader=self, submodule_search_locations=folders)

    def exec_module(self, module):
        exec(self.code, module.__dict__)


class _Chosen:
    """A plugin of pytest that runs some tests alone, in that order."""

    def __init__(self, tests: list[str]) -> None:
        self.place = {test: place for place, test in enumerate(tests)}

    def pytest_collection(self) -> None:
        be_quick()

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted((item for item in items if item.nodeid in self.place), key=lambda item: self.place[item.nodeid])


def load_and_run(mutant: Mutant, tests: list[str], observed: Observed) -> Outcome:
    """Load the module of a mutant, and the tests, in this process, which holds neither; the likeliest file of tests comes first."""
    try:
        code = mutant.code()
    except SyntaxError:
        return Outcome.NO_PROGRAM
    if not tests:
        return Outcome.SURVIVED
    be_silent()
    sys.meta_path.insert(0, _Faulty(mutant.place.module, code))
    importlib.import_module(
        mutant.place.module
    )  # before pytest, which loads the modules of its plugins itself, puts its loader first
    first, *others = files_of(tests)
    for files in ([first], others):
        some = [test for test in tests if test.partition("::")[0] in files]
        outcome = outcome_of(os.waitpid(fork(lambda files=files, some=some: _load_and_run(files, some, observed)), 0)[1])
        if outcome != Outcome.SURVIVED:
            return outcome
    return Outcome.SURVIVED


def _load_and_run(files: list[str], tests: list[str], observed: Observed) -> Outcome:
    if not files:
        return Outcome.SURVIVED
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(LOADING_S + sum(map(observed.patience, tests)))
    return Outcome.KILLED if pytest.main([*ARGUMENTS, *files], plugins=[_Chosen(tests)]) else Outcome.SURVIVED
