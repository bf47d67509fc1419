"""What a chain refuses, because it would look like a check and be none."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NoReturn

from agentassert.failures import hidden
from agentassert.text.nearest import no_attribute, public_names

__tracebackhide__ = hidden


class Guarded:
    """A chain that is no condition, is not compared, and knows what a misspelt method was meant to be."""

    __slots__ = ()

    __agentassert_chain__: Final = True
    __agentassert_checked__: bool = True
    _when_dropped: Any = None

    def __agentassert_begin__(self, when_dropped: Callable[[], object]) -> None:
        """Note what to call should the chain end without an assertion."""
        self._when_dropped = when_dropped

    def __del__(self) -> None:
        if self._when_dropped is not None and not self.__agentassert_checked__:
            self._when_dropped()

    def __bool__(self) -> NoReturn:
        raise TypeError("a chain is no condition: its assertions fail by themselves, so leave out `assert`, `if`, `and`, `or`")

    def __eq__(self, other: object) -> NoReturn:
        raise TypeError("a chain is not compared: assert with its methods, or compare records such as cap.invocation.output")

    __hash__ = object.__hash__

    if not TYPE_CHECKING:  # pragma: no branch  # for type checkers an unknown method is an error

        def __getattr__(self, name: str) -> NoReturn:
            raise no_attribute(self, name, {one: one for one in public_names(type(self))})
