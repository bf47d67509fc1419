"""What a chain refuses, because it would look like a check and be none."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, Any, Final, NoReturn

from agentassert import watching


class Guarded:
    """A chain that is no condition, is not compared, and knows what a misspelt method was meant to be."""

    __slots__ = ()

    __agentassert_chain__: Final = True
    __agentassert_checked__: bool = True
    _begun_at: Any = None

    def __agentassert_begin__(self, place: Any) -> None:
        """Note where `assert_that` made the chain, to be told should it end without an assertion."""
        self._begun_at = place

    def __del__(self) -> None:
        if self._begun_at is not None and not self.__agentassert_checked__:
            watching.chain_dropped(self._begun_at)

    def __bool__(self) -> NoReturn:
        raise TypeError("a chain is no condition: its assertions fail by themselves, so leave out `assert`, `if`, `and`, `or`")

    def __eq__(self, other: object) -> NoReturn:
        raise TypeError("a chain is not compared: assert with its methods, or compare records such as cap.invocation.output")

    __hash__ = object.__hash__

    if not TYPE_CHECKING:  # pragma: no branch  # for type checkers an unknown method is an error

        def __getattr__(self, name: str) -> NoReturn:
            snake = re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower()
            methods = [one for one in dir(type(self)) if not one.startswith("_")]
            nearest = [snake] if snake in methods else difflib.get_close_matches(snake, methods, n=1)
            meant = f"; did you mean {nearest[0]!r}?" if nearest else ""
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}{meant}", name=name, obj=self)
