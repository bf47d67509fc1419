"""Assertions on one chat model call."""

from __future__ import annotations

from typing import Self

from agentassert.assertions.given import text_argument
from agentassert.assertions.misuse import Guarded
from agentassert.assertions.soft import collected
from agentassert.checks import messages
from agentassert.failures import Failure, hidden
from agentassert.records import ChatModelCall

__tracebackhide__ = hidden


class ChatModelCallAssertion(Guarded):
    """What was sent to a chat model, and what came back. Made by `chat_model_call(index)` of a chain."""

    def __init__(self, call: ChatModelCall | None, subject: str, *, description: str | None = None) -> None:
        self._call = call
        self._subject = subject
        self._description = description

    def has_system_message_containing(self, text: str) -> Self:
        """Pass when a system message contains `text`, case-sensitively.

        Args:
            text: the part to look for.

        Raises:
            AgentAssertionError: when none does.

        Example:
            >>> chain = assert_that(cap).chat_model_call(0).has_system_message_containing("polite")
        """
        return self._message("has_system_message_containing", "system", text, last=False)

    def has_user_message_containing(self, text: str) -> Self:
        """Pass when a user message contains `text`, case-sensitively.

        Args:
            text: the part to look for.

        Raises:
            AgentAssertionError: when none does.

        Example:
            >>> chain = assert_that(cap).chat_model_call(0).has_user_message_containing("MS-777")
        """
        return self._message("has_user_message_containing", "user", text, last=False)

    def has_last_user_message_containing(self, text: str) -> Self:
        """Pass when the last user message contains `text`, case-sensitively.

        Args:
            text: the part to look for.

        Raises:
            AgentAssertionError: when it does not.

        Example:
            >>> chain = assert_that(cap).chat_model_call(-1).has_last_user_message_containing("MS-777")
        """
        return self._message("has_last_user_message_containing", "user", text, last=True)

    def has_tool_offered(self, name: str) -> Self:
        """Pass when the request offered the tool to the model.

        Args:
            name: the tool's name.

        Raises:
            AgentAssertionError: when it did not.
            NotRecordedError: when the tools offered were not recorded.

        Example:
            >>> chain = assert_that(cap).chat_model_call(0).has_tool_offered("cancel_booking")
        """
        text_argument("has_tool_offered", name)
        return self._told(None if self._call is None else messages.tool_offered(self._call, name))

    def has_response_containing(self, text: str) -> Self:
        """Pass when the text of the response contains `text`, case-sensitively.

        Args:
            text: the part to look for.

        Raises:
            AgentAssertionError: when it does not, or there was no response.

        Example:
            >>> chain = assert_that(cap).chat_model_call(-1).has_response_containing("Cancelled")
        """
        text_argument("has_response_containing", text, "text")
        return self._told(None if self._call is None else messages.response_containing(self._call, text))

    def _message(self, method: str, role: str, text: str, *, last: bool) -> Self:
        text_argument(method, text, "text")
        return self._told(None if self._call is None else messages.message_containing(self._call, role, text, last=last))

    def _told(self, failure: Failure | None) -> Self:
        if failure is not None:
            error = failure.error(self._subject, description=self._description)
            if not collected(error):
                raise error
        return self
