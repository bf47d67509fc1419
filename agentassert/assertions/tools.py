"""Assertions on tool executions and on what the model requested."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Self

from agentassert import render
from agentassert.assertions.base import Chain, Scope, said
from agentassert.assertions.given import (
    arguments_in_a_mapping,
    count_argument,
    names_argument,
    patterns_argument,
    text_argument,
)
from agentassert.checks import executions, requests, sequences
from agentassert.checks.arguments import compile_arguments
from agentassert.checks.bounds import Bound
from agentassert.checks.callbacks import name_of
from agentassert.checks.view import Marks, View
from agentassert.failures import Failure, hidden
from agentassert.patterns import ExecutionPattern

__tracebackhide__ = hidden


class ToolAssertions(Chain):
    """What an invocation's tools did. Only successful executions count, unless a method says otherwise."""

    def has_no_tool_executions(self, *names: str) -> Self:
        """Pass when no tool ran at all, or none of these, not even with a failure.

        Args:
            names: tool names; without any, every tool counts.

        Raises:
            AgentAssertionError: when one ran.

        Example:
            >>> chain = assert_that(cap).has_no_tool_executions("delete_account")
        """
        given = names_argument("has_no_tool_executions", names)
        return self._passes(
            lambda view: executions.none_executed(view, given),
            said("has_no_tool_executions", *given),
            names=given,
            negative=True,
        )

    def has_tool_executed(self, name: str) -> Self:
        """Pass when the tool was executed successfully at least once; marks every successful execution of it as checked.

        Args:
            name: the tool's name.

        Raises:
            AgentAssertionError: when it was not.

        Example:
            >>> chain = assert_that(cap).has_tool_executed("cancel_booking")
        """
        text_argument("has_tool_executed", name)
        return self._passes(lambda view: executions.executed(view, name), said("has_tool_executed", name), names=(name,))

    def has_tool_executed_times(self, name: str, n: int) -> Self:
        """Pass when the tool was executed successfully `n` times; marks these executions as checked.

        Args:
            name: the tool's name.
            n: how often; 0 says nothing about failed executions, for which there is `has_no_tool_executions(name)`.

        Raises:
            AgentAssertionError: when it was executed more or less often.

        Example:
            >>> chain = assert_that(cap).has_tool_executed_times("cancel_booking", 1)
        """
        return self._times("has_tool_executed_times", name, n, "exactly")

    def has_tool_executed_times_at_least(self, name: str, n: int) -> Self:
        """Pass when the tool was executed successfully `n` times or more; marks these executions as checked.

        Args:
            name: the tool's name.
            n: how often, 1 or more.

        Raises:
            AgentAssertionError: when it was executed less often.

        Example:
            >>> chain = assert_that(cap).has_tool_executed_times_at_least("get_booking", 1)
        """
        return self._times("has_tool_executed_times_at_least", name, n, "at_least")

    def has_tool_executed_times_at_most(self, name: str, n: int) -> Self:
        """Pass when the tool was executed successfully `n` times or less; marks these executions as checked.

        Args:
            name: the tool's name.
            n: how often.

        Raises:
            AgentAssertionError: when it was executed more often.

        Example:
            >>> chain = assert_that(cap).has_tool_executed_times_at_most("get_booking", 2)
        """
        return self._times("has_tool_executed_times_at_most", name, n, "at_most")

    @arguments_in_a_mapping
    def has_tool_executed_with(self, name: str, arguments: Mapping[str, Any] | Callable[[dict[str, Any]], Any]) -> Self:
        """Pass when a successful execution of the tool had these arguments; marks the matching ones as checked.

        Args:
            name: the tool's name.
            arguments: a part of the arguments, other ones are ignored; keys that begin with `$.` are JSONPath. Or a function
                of the arguments that answers `True` or `False`, or asserts and returns nothing.

        Raises:
            AgentAssertionError: when none matched, showing the closest execution and its differences.
            TypeError, ValueError: for an expectation that could not fail or never hold, such as an empty mapping.

        Example:
            >>> chain = assert_that(cap).has_tool_executed_with("cancel_booking", {"booking_number": "MS-777"})
        """
        return self._executed_with("has_tool_executed_with", name, arguments, exactly=False)

    @arguments_in_a_mapping
    def has_tool_executed_with_exactly(self, name: str, arguments: Mapping[str, Any]) -> Self:
        """Pass when a successful execution of the tool had these arguments and no others; marks the matching ones.

        Args:
            name: the tool's name.
            arguments: all the arguments; `{}` means that it was called without any.

        Raises:
            AgentAssertionError: when none matched.

        Example:
            >>> chain = assert_that(cap).has_tool_executed_with_exactly("get_booking", {"booking_number": "MS-777"})
        """
        return self._executed_with("has_tool_executed_with_exactly", name, arguments, exactly=True)

    def has_tool_execution_failed(self, name: str) -> Self:
        """Pass when an execution of the tool failed; marks every failed execution of it as checked.

        Args:
            name: the tool's name.

        Raises:
            AgentAssertionError: when none failed.

        Example:
            >>> chain = assert_that(cap).has_tool_execution_failed("notify")
        """
        text_argument("has_tool_execution_failed", name)
        return self._passes(
            lambda view: executions.execution_failed(view, name), said("has_tool_execution_failed", name), names=(name,)
        )

    def has_tool_execution_cancelled(self, name: str) -> Self:
        """Pass when an execution of the tool was cancelled or did not finish; marks all of these as checked.

        Args:
            name: the tool's name.

        Raises:
            AgentAssertionError: when each one ended.

        Example:
            >>> chain = assert_that(cap_of_cancelled).was_cancelled().has_tool_execution_cancelled("wait")
        """
        text_argument("has_tool_execution_cancelled", name)
        return self._passes(
            lambda view: executions.execution_cancelled(view, name), said("has_tool_execution_cancelled", name), names=(name,)
        )

    def has_no_failed_tool_executions(self) -> Self:
        """Pass when no tool execution failed.

        Raises:
            AgentAssertionError: when one failed, showing its error.
            NotRecordedError: when an outcome was not reported, or an adapter that recorded here cannot see whether a tool failed.

        Example:
            >>> chain = assert_that(cap_of_greeter).has_no_failed_tool_executions()
        """
        return self._passes(executions.none_failed, said("has_no_failed_tool_executions"))

    def has_tools_executed_in_order(self, *tools: str | ExecutionPattern) -> Self:
        """Pass when the tools were executed successfully in this order, others before, between and after allowed.

        The order is the model's: request by request, and within one response as listed. Marks the leftmost match.

        Args:
            tools: names or `execution_of(...)`.

        Raises:
            AgentAssertionError: when they were not.
            ValueError: after `including_nested()`, since the order across invocations is unknown.

        Example:
            >>> chain = assert_that(cap).has_tools_executed_in_order("get_booking", "cancel_booking")
        """
        return self._in_order("has_tools_executed_in_order", tools, sequences.in_order)

    def has_tools_executed_exactly_in_order(self, *tools: str | ExecutionPattern) -> Self:
        """Pass when these are the whole sequence: nothing else ran, not even with a failure. Marks all.

        Args:
            tools: names or `execution_of(...)`.

        Raises:
            AgentAssertionError: when something is missing, different or left over.
            ValueError: after `including_nested()`, since the order across invocations is unknown.

        Example:
            >>> chain = assert_that(cap_of_greeter).has_tools_executed_exactly_in_order("look_up")
        """
        return self._in_order("has_tools_executed_exactly_in_order", tools, sequences.exactly_in_order)

    def has_tools_executed_exactly_in_any_order(self, *tools: str | ExecutionPattern) -> Self:
        """Pass when the successful executions are these, each as often as given. Marks them.

        A tool that is not named must not appear even with a failure; failures of the named ones are ignored.

        Args:
            tools: names or `execution_of(...)`; they are paired with the executions in the best way, not greedily.

        Raises:
            AgentAssertionError: when something is missing or left over.

        Example:
            >>> chain = assert_that(cap_of_greeter).has_tools_executed_exactly_in_any_order("look_up")
        """
        method = "has_tools_executed_exactly_in_any_order"
        patterns = patterns_argument(method, tools)
        return self._passes(
            lambda view: sequences.exactly_in_any_order(view, patterns), said(method, *tools), names=_named(patterns)
        )

    def has_no_more_tool_executions(self) -> Self:
        """Pass when every tool execution, failed ones too, was checked before, also by an earlier `assert_that` on the capture.

        Raises:
            AgentAssertionError: when one was not, listing these.

        Example:
            >>> chain = assert_that(cap_of_greeter).has_tool_executed("look_up").has_no_more_tool_executions()
        """
        books = self._capture.books
        return self._passes(lambda view: executions.none_left(view, books.marks), said("has_no_more_tool_executions"))

    def has_no_repeated_tool_executions(self) -> Self:
        """Pass when no tool ran twice with the same arguments; attempts at one request are no repeats.

        Raises:
            AgentAssertionError: when one did.

        Example:
            >>> chain = assert_that(cap).has_no_repeated_tool_executions()
        """
        return self._passes(executions.none_repeated, said("has_no_repeated_tool_executions"))

    def has_tool_finished_before(self, first: str, second: str) -> Self:
        """Pass when both ran and every successful `second` started after a successful `first` had ended. Marks both.

        Args:
            first: a tool's name.
            second: another tool's name.

        Raises:
            AgentAssertionError: when one did not run, or they overlapped.

        Example:
            >>> chain = assert_that(cap).has_tool_finished_before("get_booking", "cancel_booking")
        """
        names = names_argument("has_tool_finished_before", (first, second))
        if first == second:
            raise ValueError(f"has_tool_finished_before: first and second must differ, but both were {first!r}")
        return self._passes(
            lambda view: sequences.finished_before(view, first, second),
            said("has_tool_finished_before", first, second),
            names=names,
        )

    def has_tool_requested(self, name: str) -> Self:
        """Pass when the model asked for the tool, whether it ran or not; marks its unanswered requests as checked.

        Args:
            name: the tool's name, as the model wrote it.

        Raises:
            AgentAssertionError: when it did not.
            NotRecordedError: when no chat model call was recorded.

        Example:
            >>> chain = assert_that(cap).has_tool_requested("cancel_booking")
        """
        text_argument("has_tool_requested", name)

        def mark(view: View) -> None:
            asked = {requests.request_key(one, name) for one in view.invocations}
            self._capture.books.mark_requests(asked & requests.unanswered(view.invocations).keys())

        return self._passes(
            lambda view: requests.requested(view, name), said("has_tool_requested", name), on_pass=mark, names=(name,)
        )

    def has_no_tool_requested(self, *names: str) -> Self:
        """Pass when the model asked for none of these tools, or for no tool at all.

        Args:
            names: tool names; without any, every tool counts.

        Raises:
            AgentAssertionError: when it did.
            NotRecordedError: when no chat model call was recorded.

        Example:
            >>> chain = assert_that(cap).has_no_tool_requested("delete_account")
        """
        given = names_argument("has_no_tool_requested", names)
        return self._passes(
            lambda view: requests.none_requested(view, given), said("has_no_tool_requested", *given), names=given, negative=True
        )

    def _times(self, method: str, name: str, n: int, bound: Bound) -> Self:
        text_argument(method, name)
        instead = f"to say that it did not run at all use has_no_tool_executions({name!r})"
        count_argument(method, n, fewest=1 if bound == "at_least" else 0, instead=instead if bound == "at_least" else "")
        negative = n == 0 or bound == "at_most"
        return self._passes(
            lambda view: executions.executed_times(view, name, n, bound), said(method, name, n), names=(name,), negative=negative
        )

    def _executed_with(self, method: str, name: str, arguments: Any, *, exactly: bool) -> Self:
        text_argument(method, name)
        if isinstance(arguments, Mapping) and not arguments and not exactly:
            raise ValueError(
                f"{method}: no arguments are expected, which every execution would match; use has_tool_executed({name!r}), "
                f"or has_tool_executed_with_exactly({name!r}, {{}}) to say that there were none"
            )
        matcher = compile_arguments(arguments, exactly=exactly)
        if callable(arguments):
            described = f"with arguments that satisfy {name_of(arguments)}"
        else:
            described = f"with {'exactly ' if exactly else ''}{render.value(arguments)}" if arguments else "without arguments"
        return self._passes(
            lambda view: executions.executed_with(view, name, matcher, described), said(method, name, arguments), names=(name,)
        )

    def _in_order(self, method: str, tools: tuple[Any, ...], rule: Callable[[View, Any], Failure | Marks]) -> Self:
        patterns = patterns_argument(method, tools)
        if self._scope is Scope.NESTED:
            raise ValueError(
                f"{method}: the order across invocations is unknown after including_nested(); use top_level_only(), "
                "nested_invocation(name), or has_tools_executed_exactly_in_any_order(...)"
            )

        def check(view: View) -> Failure | Marks:
            if self._scope is Scope.WHOLE and not sequences.follow_one_another(self._capture.invocations, self._capture.strays):
                raise ValueError(f"{method}: the order is unknown, because invocations of this capture overlapped or are nested")
            return rule(view, patterns)

        return self._passes(check, said(method, *tools), ordered=True, names=_named(patterns))


def _named(patterns: Sequence[ExecutionPattern]) -> Iterator[str]:
    """The tools' names, each once, for whoever asks: where the assertion passes nobody does."""
    yield from dict.fromkeys([pattern.name for pattern in patterns])
