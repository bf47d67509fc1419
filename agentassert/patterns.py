"""What a tool execution is expected to be: its name, and what its arguments are to match."""

from __future__ import annotations

import math
from collections.abc import Mapping

import attrs

from agentassert import render
from agentassert.checks.arguments import AS_IT_IS, ArgumentMatcher, Expected, Options, compile_arguments
from agentassert.checks.paths import compile_path
from agentassert.checks.references import ResultReference


def _compiled(pattern: ExecutionPattern) -> ArgumentMatcher | None:
    name, arguments = pattern.name, pattern.arguments
    if not isinstance(name, str):
        raise TypeError(f"a tool's name must be a string, but was {render.value(name)} ({type(name).__name__})")
    if not name:
        raise ValueError("a tool's name must not be empty")
    if arguments is None:
        return None
    if isinstance(arguments, Mapping) and not arguments and not pattern.exact:
        raise ValueError(
            f"an empty mapping would match every execution: write execution_of({name!r}) for any arguments, "
            f"or execution_of({name!r}).exactly() for none"
        )
    return compile_arguments(arguments, exactly=pattern.exact, options=pattern.options)


@attrs.frozen(eq=False, repr=False)
class ExecutionPattern:
    """Stands for one tool execution in an assertion about several; made by :func:`execution_of`.

    Its methods return a changed copy.

    Args:
        name: the tool's name.
        arguments: what its arguments are to match; `None` for any.
        exact: whether there may be no other argument.
        options: what the comparison overlooks.
        matcher: compares the arguments; `None` when any will do.

    Example:
        >>> execution_of("pay", {"amounts": [2, 1], "fee": 0.3}).ignoring_order().with_tolerance(1e-6)
        execution_of('pay', {'amounts': [2, 1], 'fee': 0.3}).ignoring_order().with_tolerance(1e-06)
    """

    name: str
    arguments: Expected | None = None
    exact: bool = False
    options: Options = AS_IT_IS
    matcher: ArgumentMatcher | None = attrs.field(init=False, default=attrs.Factory(_compiled, takes_self=True))

    def exactly(self) -> ExecutionPattern:
        """Allow no arguments but those given, and none at all when none were given.

        Example:
            >>> execution_of("ping").exactly().matcher.matches({"count": 3})
            False
        """
        return attrs.evolve(self, arguments={} if self.arguments is None else self.arguments, exact=True)

    def ignoring_order(self) -> ExecutionPattern:
        """Let the items of every list stand in any order.

        Example:
            >>> execution_of("tag", {"tags": ["a", "b"]}).ignoring_order().matcher.matches({"tags": ["b", "a"]})
            True
        """
        return self._with(attrs.evolve(self.options, any_order=True))

    def ignoring(self, *paths: str) -> ExecutionPattern:
        """Leave out what the JSONPaths lead to, on both sides.

        Example:
            >>> pattern = execution_of("pay", {"order": {"id": 3}}).ignoring("$.order.request_id")
            >>> pattern.matcher.matches({"order": {"id": 3, "request_id": "r-1"}})
            True
        """
        if not paths:
            raise ValueError("ignoring() needs a path, such as '$.request_id'")
        compiled = tuple(map(compile_path, paths))
        if any(path.steps == () for path in compiled):
            raise ValueError("'$' stands for all arguments: leave them out to accept any")
        return self._with(attrs.evolve(self.options, ignored=(*self.options.ignored, *compiled)))

    def with_tolerance(self, epsilon: float) -> ExecutionPattern:
        """Let every number differ by `epsilon` at most.

        Example:
            >>> execution_of("pay", {"amount": 0.3}).with_tolerance(1e-6).matcher.matches({"amount": 0.1 + 0.2})
            True
        """
        if isinstance(epsilon, bool) or not isinstance(epsilon, (int, float)):
            raise TypeError(f"a tolerance is a number, but was {epsilon!r} ({type(epsilon).__name__})")
        if not 0 < epsilon < math.inf:
            raise ValueError(f"a tolerance is a number above 0, but was {epsilon!r}")
        return self._with(attrs.evolve(self.options, tolerance=epsilon))

    @property
    def remembers(self) -> bool:
        """Whether it keeps what callbacks answered, so that the next assertion has to take a `fresh()` one."""
        return self.matcher is not None and self.matcher.plain is None

    def fresh(self) -> ExecutionPattern:
        """The same pattern with no callback's answer remembered: each assertion asks anew, and once."""
        if self.matcher is None or not self.remembers:
            return self
        copy = attrs.evolve(self)
        object.__setattr__(copy, "matcher", self.matcher.fresh())
        return copy

    def _with(self, options: Options) -> ExecutionPattern:
        if self.arguments is None:
            raise ValueError(f"execution_of({self.name!r}) accepts any arguments: say which before you say how to compare them")
        return attrs.evolve(self, options=options)

    def __repr__(self) -> str:
        options = self.options
        is_bare = self.arguments is None or (self.exact and isinstance(self.arguments, Mapping) and not self.arguments)
        given = "" if is_bare else f", {render.value(self.arguments)}"
        ignored = ", ".join(render.value(path.text) for path in options.ignored)
        return "".join(
            (
                f"execution_of({render.value(self.name)}{given})",
                ".exactly()" if self.exact else "",
                ".ignoring_order()" if options.any_order else "",
                f".ignoring({ignored})" if ignored else "",
                "" if options.tolerance is None else f".with_tolerance({options.tolerance!r})",
            )
        )


def execution_of(name: str, arguments: Expected | None = None) -> ExecutionPattern:
    """Describe one tool execution, for assertions that name several.

    Args:
        name: the tool's name.
        arguments: the expected arguments, by name or JSONPath, others being ignored; or a callback that is given all arguments.
            `None` for any.

    Raises:
        TypeError: when the arguments are no mapping and no callback, or hold a class.
        ValueError: when the name or the mapping is empty, or a path cannot be read.

    Example:
        >>> execution_of("cancel_booking", {"booking_number": "MS-777"})
        execution_of('cancel_booking', {'booking_number': 'MS-777'})
    """
    return ExecutionPattern(name, arguments)


def result_of(name: str, path: str = "$") -> ResultReference:
    """Stand, in expected arguments, for what an earlier tool execution returned.

    It equals what a successful execution of `name` that had ended before returned at `path`; a number equals its text here. When
    several had ended, any of their results will do. A path that leads nowhere equals nothing.

    Args:
        name: the tool's name.
        path: a JSONPath into the result.

    Raises:
        TypeError: when the name or the path is no string.
        ValueError: when the name is empty, or the path cannot be read.

    Example:
        >>> execution_of("refund", {"charge": result_of("lookup", "$.charge.id")})
        execution_of('refund', {'charge': result_of('lookup', '$.charge.id')})
    """
    return ResultReference(execution_of(name).name, compile_path(path))
