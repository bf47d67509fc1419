"""The way from a chain to values, and to the chain of a model call."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from agentassert import render
from agentassert.assertions.base import Chain
from agentassert.assertions.given import text_argument
from agentassert.checks import navigation
from agentassert.checks.hidden import hidden_arguments, hidden_results
from agentassert.checks.paths import compile_path, detached
from agentassert.checks.unseen import unseen_executions
from agentassert.checks.view import View
from agentassert.failures import Failure, hidden
from agentassert.records import ChatModelCall, ToolExecution

if TYPE_CHECKING:
    from agentassert.assertions.model_call import ChatModelCallAssertion
    from agentassert.assertions.values import ValueAssertion

__tracebackhide__ = hidden


class NavigationAssertions(Chain):
    """The way to an assertpy chain over what was recorded, and to a chain over one chat model call."""

    def chat_model_call(self, index: int) -> ChatModelCallAssertion:
        """Assertions on one of the agent's own chat model calls.

        Args:
            index: which one, from 0; negative ones count from the end.

        Raises:
            AgentAssertionError: when there are not so many.

        Example:
            >>> chain = assert_that(cap).chat_model_call(0).has_user_message_containing("Cancel")
        """
        from agentassert.assertions.model_call import ChatModelCallAssertion

        if isinstance(index, bool) or not isinstance(index, int):
            raise TypeError(f"chat_model_call: index must be a whole number, but was {render.value(index)}")
        subject = f"chat model call {index}"

        def find(view: View) -> Failure | ChatModelCall:
            nonlocal subject
            subject = f"{subject} of {view.subject}"
            return navigation.own_chat_model_call(view, index)

        call = self._navigates(find, scoped=True)
        return ChatModelCallAssertion(call, subject, description=self._description)

    def output(self) -> ValueAssertion:
        """Assertions on what the invocation produced, which may be `None`.

        Raises:
            NotRecordedError: when nobody saw it: a loop without `@record.agent` whose model gave no answer, or a span without content.

        Example:
            >>> chain = assert_that(cap).output().is_equal_to("Cancelled.")
        """
        return self._value(navigation.output, "output", scoped=False)

    def output_text(self) -> ValueAssertion:
        """Assertions on the text that the invocation produced; JSON text when it produced something else.

        Raises:
            AgentAssertionError: when it produced `None`.
            NotRecordedError: as for :meth:`output`.

        Example:
            >>> chain = assert_that(cap).output_text().contains("Cancelled")
        """
        return self._value(navigation.output_text, "output_text", scoped=False)

    def output_at(self, json_path: str) -> ValueAssertion:
        """Assertions on a part of the output; JSON text is decoded.

        Args:
            json_path: such as `$.booking.id`; a path that can match several places, such as `$.items[*]`, gives a list.

        Raises:
            AgentAssertionError: when a definite path leads nowhere.
            NotRecordedError: as for :meth:`output`.
            ValueError: when it is no JSONPath.

        Example:
            >>> chain = assert_that(cap_of_team).output_at("$.answer").is_equal_to("42")
        """
        path = compile_path(text_argument("output_at", json_path, "json_path"))
        return self._value(lambda view: navigation.output_at(view, path), f"output_at({json_path!r})", scoped=False)

    def executed_tool_names(self) -> ValueAssertion:
        """Assertions on the list of the names of all tool executions, failed ones included; nested ones after own ones.

        Example:
            >>> chain = assert_that(cap).executed_tool_names().contains("get_booking")
        """
        return self._of_all("executed_tool_names", lambda one: one.name)

    def tool_executions(self) -> ValueAssertion:
        """Assertions on the list of all tool executions, failed ones included; nested ones after own ones.

        Example:
            >>> chain = assert_that(cap).tool_executions().extracting("name").contains("get_booking")
        """
        return self._of_all("tool_executions", lambda one: one)

    def arguments_of(self, name: str) -> ValueAssertion:
        """Assertions on the list of the arguments of the tool's successful executions.

        Args:
            name: the tool's name.

        Example:
            >>> chain = assert_that(cap).arguments_of("cancel_booking").is_equal_to([{"booking_number": "MS-777"}])
        """
        return self._of_successful("arguments_of", name, "arguments")

    def results_of(self, name: str) -> ValueAssertion:
        """Assertions on the list of the results of the tool's successful executions, as JSON-like data.

        Args:
            name: the tool's name.

        Example:
            >>> chain = assert_that(cap).results_of("cancel_booking").is_equal_to(["ok"])
        """
        return self._of_successful("results_of", name, "result")

    def _of_all(self, method: str, of: Callable[[ToolExecution], Any]) -> ValueAssertion:
        def find(view: View) -> Failure | tuple[Any]:
            expected = "to have known tool executions"
            uncertain = [one for one in view.executions if one.id in view.may_be_absent]
            if uncertain:
                return view.undecided(expected, uncertain)
            return unseen_executions(view, expected) or ([of(one) for one in view.executions],)

        return self._value(find, method, scoped=True)

    def _of_successful(self, method: str, name: str, field: Literal["arguments", "result"]) -> ValueAssertion:
        text_argument(method, name)

        def find(view: View) -> Failure | tuple[Any]:
            expected = f"to have known successful executions of {name!r}"
            certain, possible = view.succeeded(view.named(name))
            if possible:
                return view.undecided(expected, possible)
            hidden, what = (hidden_arguments, field) if field == "arguments" else (hidden_results, "results")
            unknown = hidden(f"to have known {what} of {name!r}", certain)
            if unknown is None:
                unknown = unseen_executions(view, expected)
            if unknown is not None:
                return unknown
            return ([detached(getattr(one, field)) for one in certain],)

        return self._value(find, f"{method}({name!r})", scoped=True)

    def _value(self, find: Callable[[View], Failure | tuple[Any]], called: str, *, scoped: bool) -> ValueAssertion:
        from agentassert.assertions.values import ignored_value, value_assertion

        description = called

        def noted(view: View) -> Failure | tuple[Any]:
            nonlocal description
            description = f"{called} of {view.subject}"
            return find(view)

        found = self._navigates(noted, scoped=scoped)
        if found is None:
            return ignored_value()
        return value_assertion(found[0], description if self._description is None else f"{self._description}: {description}")
