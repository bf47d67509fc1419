"""Follows captures and chains through the tests of one pytest process."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

import pytest

from agentassert import recorder
from agentassert.plugin import strictness, suspicions, telling
from agentassert.plugin.attempts import Attempt, Opened, Shared
from agentassert.plugin.places import calling_frame, is_test_itself, place_of

if TYPE_CHECKING:
    from agentassert.assertions.misuse import Guarded
    from agentassert.captures import Capture

RUN: Final = pytest.StashKey[int]()
"""The number of the run that a repeated test is in."""


class Watch:
    """What is known of captures, and of the test that runs.

    Between tests, and while tests are collected, nothing is watched. No capture is kept beyond the report of its test.

    Args:
        config: of the pytest session.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._all_told = config.getoption("agentassert_html") is not None
        self._attempt: Attempt | None = None
        self._first_asserted: WeakKeyDictionary[Capture, str] = WeakKeyDictionary()

    def begin(self, item: pytest.Item) -> None:
        """A test, or a run of it, begins."""
        self._attempt = Attempt(item, run=item.stash.get(RUN, None))

    def capture_opened(self, capture: Capture) -> None:
        """A block was entered."""
        if self._attempt is not None:
            frame = calling_frame()
            state = (recorder.current_scope() or recorder.NOWHERE).captures[-1]
            self._attempt.opened[capture] = Opened(place_of(frame), is_test_itself(frame, self._attempt.item), state)

    def chain_begun(self, chain: Guarded, capture: Capture | None) -> None:
        """`assert_that` made a chain."""
        attempt = self._attempt
        if attempt is None:
            return
        place = place_of(calling_frame())
        chain.__agentassert_begin__(functools.partial(attempt.dropped.append, place))
        if capture is None:
            return
        capture.was_read = True  # a chain that asserts nothing is told of itself
        attempt.opened.setdefault(capture, None)
        if attempt.is_setting_up(capture):
            return  # what the fixture that made it asserts holds for every test alike
        first = self._first_asserted.setdefault(capture, attempt.title)
        if not capture.books.passed:
            self._first_asserted[capture] = attempt.title
        elif first != attempt.title:
            attempt.shared.append(Shared(place, first))

    def called(self) -> None:
        """The test's function returned: ask what it left unchecked.

        Raises:
            pytest.fail.Exception: when that fails the test.
        """
        attempt = self._attempt
        # The failures of subtests, and all of unittest's, do not leave the function.
        if attempt is None or attempt.failed or getattr(attempt.item, "_excinfo", None):
            return
        strictness.check(attempt)
        suspicions.about_chains(attempt)
        suspicions.about_sharing(attempt)
        attempt.dropped = []  # a chain that a fixture made for whoever needs it may go unused

    def torn_down(self) -> None:
        """The test's fixtures are gone, so nobody will look at its captures any more.

        Raises:
            pytest.fail.Exception: when a warning about one of them is an error.
        """
        if self._attempt is not None and not self._attempt.failed:
            suspicions.about_chains(self._attempt)
            suspicions.about_captures(self._attempt)

    def reported(self, call: pytest.CallInfo[None], report: pytest.TestReport) -> None:
        """A report of a phase was made; it gets what there is to see."""
        attempt = self._attempt
        if attempt is None:
            return
        if call.excinfo is not None or not report.passed:
            attempt.failed = True
        crash = getattr(report.longrepr, "reprcrash", None)
        if attempt.blamed is not None and crash is not None:
            crash.path, crash.lineno, attempt.blamed = attempt.blamed.file, attempt.blamed.line, None
        if attempt.opened and (report.failed or report.when == "call"):
            if report.failed or attempt.run is not None:
                telling.add_trees(report, attempt)
            if self._all_told:
                telling.add_data(report, attempt)
        if report.when == "setup":
            attempt.set_up = len(attempt.opened)
        if report.when == "teardown":
            self._attempt = None
