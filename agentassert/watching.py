"""Tells the pytest plugin, in a process in which it runs, of captures and of chains; anywhere else it does nothing."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from agentassert.assertions.misuse import Guarded
    from agentassert.captures import Capture

_PLUGIN: Final = "agentassert.pytest_plugin"


def capture_opened(capture: Capture) -> None:
    """A block was entered."""
    plugin = _plugin()
    if plugin is not None:
        plugin.capture_opened(capture)


def chain_begun(chain: Guarded, capture: Capture | None = None) -> None:
    """`assert_that` made a chain.

    Args:
        chain: which has asserted nothing so far.
        capture: what it is on, unless that is something else.
    """
    plugin = _plugin()
    if plugin is not None:
        plugin.chain_begun(chain, capture)


def _plugin() -> Any:
    return sys.modules.get(_PLUGIN)  # it imports pytest, so it is there or it has no part in this process
