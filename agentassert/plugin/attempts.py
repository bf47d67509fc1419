"""What one test, or one run of a test that is repeated, did with captures."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

import attrs
import pytest

from agentassert.plugin.places import Place

if TYPE_CHECKING:
    from agentassert.captures import Capture
    from agentassert.recording.events import CaptureState


@attrs.frozen
class Opened:
    """How a test opened a capture.

    Args:
        at: where its block was entered.
        by_test_itself: whether the test's own function did, and not a fixture or a helper.
        state: its events, which know the captures around it.
    """

    at: Place
    by_test_itself: bool
    state: CaptureState


@attrs.frozen
class Shared:
    """A capture that an earlier test had asserted on.

    Args:
        asserted_at: where the later test did.
        first: which test was the first.
    """

    asserted_at: Place
    first: str


@attrs.define(eq=False)
class Attempt:
    """The state of one test while it runs.

    Args:
        item: the test.
        run: which of several runs it is, from 1; `None` for a test that is run once.
        opened: the captures that it opened or asserted on, in that order, which are kept until it is reported; `None`: it did not open it.
        dropped: where chains were made that are gone without an assertion.
        shared: captures whose checks it shares with other tests.
        failed: whether it did not pass, so that nobody asks what it left unchecked.
        set_up: how many of `captures` its fixtures opened or asserted on; `None` while they are set up.
        blamed: the line that is to blame when the plugin fails the test.
    """

    item: pytest.Item
    run: int | None = None
    opened: dict[Capture, Opened | None] = attrs.field(factory=dict)
    dropped: list[Place] = attrs.field(factory=list)
    shared: list[Shared] = attrs.field(factory=list)
    failed: bool = False
    set_up: int | None = None
    blamed: Place | None = None

    @property
    def title(self) -> str:
        """What the attempt is called in messages."""
        return self.item.nodeid if self.run is None else f"{self.item.nodeid} (run {self.run})"

    @property
    def captures(self) -> list[Capture]:
        """The captures alone; a copy, because a thread may open another one meanwhile."""
        return list(self.opened)

    @property
    def of_test(self) -> list[Capture]:
        """The captures that are the test's business: all but those of fixtures that it did not ask for, and that nobody looked at."""
        by_fixtures = self.set_up or 0
        return [one for number, one in enumerate(self.captures) if number >= by_fixtures or one.was_read or self.asked_for(one)]

    def is_setting_up(self, capture: Capture) -> bool:
        """Whether the test's fixtures are being set up, and one of them opened the capture just now."""
        return self.set_up is None and self.opened.get(capture) is not None

    def asked_for(self, capture: Capture) -> bool:
        """Whether a capture is the value of a fixture in the test's signature that is made for this test alone."""
        if not isinstance(self.item, pytest.Function):
            return False
        info = self.item._fixtureinfo  # noqa: SLF001  # nothing public tells a fixture's scope once it is set up
        fixtures = {name: info.name2fixturedefs[name][-1] for name in info.argnames if info.name2fixturedefs.get(name)}
        return any(one.scope == "function" and self.item.funcargs.get(name) is capture for name, one in fixtures.items())

    def fail(self, text: str, place: Place | None = None) -> NoReturn:
        """Fail the test for what it left unchecked.

        Args:
            text: what there is to say; a traceback would lead through the plugin.
            place: the line that is to blame; without it, the test's first.
        """
        self.blamed = place or self.first_line
        pytest.fail(text, pytrace=False)

    @property
    def first_line(self) -> Place:
        """Where the test begins."""
        file, line, _ = self.item.reportinfo()
        return Place(str(file), (line or 0) + 1)


@contextmanager
def unnoticed(capture: Capture) -> Iterator[None]:
    """A block in which what is read from a capture does not count as the test's looking at it."""
    was_read = capture.was_read
    try:
        yield
    finally:
        capture.was_read = was_read
