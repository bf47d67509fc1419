"""The choice of what assertions look at."""

from __future__ import annotations

from typing import Self

from agentassert.assertions.base import Chain, Scope


class ScopeChoice(Chain):
    """What the assertions that follow look at: one invocation, everything below it too, or the whole capture."""

    def including_nested(self) -> Self:
        """Let the assertions that follow look at this invocation and everything below it.

        Example:
            >>> chain = assert_that(cap).including_nested().has_tool_executed("cancel_booking")
        """
        self._scope = Scope.NESTED
        return self

    def top_level_only(self) -> Self:
        """Let the assertions that follow look at what this invocation did itself.

        Example:
            >>> chain = assert_that(cap).top_level_only().has_tool_executed("cancel_booking")
        """
        self._scope = Scope.OWN
        return self

    def whole_capture(self) -> Self:
        """Let the assertions that follow look at every invocation of the capture, such as several turns in one block.

        Every top-level invocation must have completed, or its failure been checked on it before.

        Example:
            >>> chain = assert_that(cap).whole_capture().has_tool_executed("cancel_booking")
        """
        self._scope = Scope.WHOLE
        return self

    includingNested = including_nested  # noqa: N815  # the spelling that users of LangChain4j know
    topLevelOnly = top_level_only  # noqa: N815  # the same
