"""Warns of tests that look as if they checked something, and of tests whose result depends on other tests."""

from __future__ import annotations

import warnings

from agentassert.errors import NothingCheckedWarning, SharedChecksWarning
from agentassert.plugin.attempts import Attempt
from agentassert.plugin.places import Place

_CHAIN = "assert_that() was called here, but no assertion on what it gave, so nothing was checked. Add one, as in assert_that(cap).has_succeeded()."
_CAPTURE = (
    "nobody looked at what was captured here: no assertion was made on it, and nothing was read from it. "
    "Add one, as in assert_that(cap).has_succeeded(), or leave the capture out."
)
_SHARED = (
    "this capture was asserted on by {first} before, and what that test checked or unlocked counts here, too, so that the result depends on "
    "which tests run, and in which order. Capture in each test, or begin each with cap.forget_checks()."
)


def about_chains(attempt: Attempt) -> None:
    """Warn of chains that asserted nothing.

    Raises:
        pytest.fail.Exception: when the warning is an error.
    """
    for place in attempt.dropped:
        _warn(attempt, NothingCheckedWarning(_CHAIN), place)


def about_sharing(attempt: Attempt) -> None:
    """Warn of captures that were asserted on before.

    Raises:
        pytest.fail.Exception: when the warning is an error.
    """
    for one in attempt.shared:
        _warn(attempt, SharedChecksWarning(_SHARED.format(first=one.first)), one.asserted_at)


def about_captures(attempt: Attempt) -> None:
    """Warn of captures that the test asked for and nobody looked at.

    Those that helpers and fixtures open for purposes of their own are nobody's business.

    Raises:
        pytest.fail.Exception: when the warning is an error.
    """
    for capture in attempt.captures:
        opened = attempt.opened[capture]
        if opened is None or capture.was_read:
            continue
        by_name = attempt.asked_for(capture)
        if by_name or opened.by_test_itself:
            _warn(attempt, NothingCheckedWarning(_CAPTURE), attempt.first_line if by_name else opened.at)


def _warn(attempt: Attempt, warning: Warning, place: Place) -> None:
    refused = None
    try:
        warnings.warn_explicit(warning, None, place.file, place.line)
    except Warning as error:  # a filter says so
        refused = error
    if refused is not None:  # here, where nothing is being handled: Python would show what is as the error's context
        attempt.fail(f"{type(refused).__name__}: {refused}\n{place.file}:{place.line}", place)
