"""Soft assertions: collect failures, and report them together."""

from __future__ import annotations

import sys
from contextvars import ContextVar
from types import TracebackType
from typing import Final

from agentassert.checks.callbacks import hard_mode
from agentassert.errors import AgentAssertionError, note_soft_failures
from agentassert.failures import hidden
from agentassert.recording import events

__tracebackhide__ = hidden

_block: Final[ContextVar[SoftAssertions | None]] = ContextVar("agentassert_soft_assertions", default=None)


def soft_assertions() -> SoftAssertions:
    """Collect the failures of assertions in a `with` block, and raise them as one when it is left.

    Chains of this library's `assert_that` take part, over captures and over plain values. After a failed gate or navigation the
    rest of that chain is ignored. Other tasks and threads are not affected. When the block itself raises, that exception goes its
    way with the collected failures as a note; what is no failure of a test, as a skip, does not stand in their way.

    Returns:
        The context manager.

    Raises:
        AgentAssertionError: on leaving, when an assertion failed; its text holds every message, `failures` every error.

    Example:
        >>> from agentassert import assert_that
        >>> try:
        ...     with soft_assertions():
        ...         checked = assert_that("a").is_equal_to("b")
        ...         checked = assert_that(1).is_equal_to(2)
        ... except AssertionError as error:
        ...     print(len(error.failures))
        2
    """
    return SoftAssertions()


class SoftAssertions:
    """The block that :func:`soft_assertions` makes."""

    def __init__(self) -> None:
        self._failures: list[AgentAssertionError]

    def __enter__(self) -> None:
        self._failures = []
        self._mover = events.current_mover()
        self._token = _block.set(self)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        try:
            _block.reset(self._token)
        except ValueError:
            pass  # left in another context than entered (a fixture): there the block was never set
        self._mover = (0, None)
        if not self._failures:
            return
        count = len(self._failures)
        messages = "\n".join(f"{number}. {failure}" for number, failure in enumerate(self._failures, 1))
        text = f"{count} soft assertion{'s' if count > 1 else ''} failed:\n{messages}"
        if error is not None and not _is_no_failure(error):
            note_soft_failures(error, text)
            return
        raise AgentAssertionError(text, failures=tuple(self._failures))

    def takes(self, failure: AgentAssertionError) -> bool:
        """Keep a failure of the task that entered the block; a task that inherited the block fails at once."""
        if self._mover != events.current_mover():
            return False
        self._failures.append(failure)
        return True


def _is_no_failure(error: BaseException) -> bool:
    """Whether a note on it would be read by nobody: a skip, and what ends a generator that is never resumed."""
    skips = ((sys.modules.get("unittest.case"), "SkipTest"), (sys.modules.get("_pytest.outcomes"), "Skipped"))
    kinds = (getattr(module, name, None) for module, name in skips)
    return isinstance(error, (GeneratorExit, *(kind for kind in kinds if kind is not None)))


def collected(failure: AgentAssertionError) -> bool:
    """Whether a soft block keeps the failure; else the caller raises it."""
    block = _block.get()
    return block is not None and not hard_mode.get() and block.takes(failure)
