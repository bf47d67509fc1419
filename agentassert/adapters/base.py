"""What every adapter is (where it hooks in, which versions it was run with, what it can see), and what its hooks are made of."""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, ClassVar, Final, ParamSpec, TypeVar

from agentassert import recorder
from agentassert.adapters.replacing import Replacement, keeping

if TYPE_CHECKING:
    from agentassert.adapters.driver import Driver
    from agentassert.recording.events import Event

TOOL_FAILURES: Final = "tool_failures"
CHAT: Final = "chat"
EMBEDDING: Final = "embedding"
SCORING: Final = "scoring"
MODERATION: Final = "moderation"
SOURCES: Final = "sources"
APPROVALS: Final = "approvals"
REQUESTS: Final = "requests"


class HookMissingError(Exception):
    """What an adapter hooks into is not there, so its framework must have changed.

    Example:
        >>> raise HookMissingError("langgraph.pregel.Pregel has no method 'stream'")
        Traceback (most recent call last):
        ...
        agentassert.adapters.base.HookMissingError: langgraph.pregel.Pregel has no method 'stream'
    """


@contextmanager
def needs() -> Iterator[None]:
    """Say of what is imported or looked up in the block, and is not there, that the adapter needs it.

    Raises:
        HookMissingError: in the place of the import's or the look-up's own error.

    Example:
        >>> with needs():
        ...     from json import no_such_hook
        Traceback (most recent call last):
        ...
        agentassert.adapters.base.HookMissingError: it lacks what the adapter needs (cannot import name 'no_such_hook' from 'json' ...
    """
    try:
        yield
    except (ImportError, AttributeError) as error:
        raise HookMissingError(f"it lacks what the adapter needs ({error})") from error


class Adapter(ABC):
    """One framework, turned into recorder calls.

    A subclass is found by the name of the module whose import calls for it: built-in ones in a table, those of others under the
    entry-point group `agentassert.adapters`, whose entries are named after that module.

    Args:
        name: what its records say recorded them, such as `"langchain"`.
        distribution: the installed package whose version matters, such as `"langchain-core"`.
        tested: the oldest and the newest version that its tests were run with.
        sees: what it is able to see, out of the constants of this module.
        detaches: whether what it replaced is put back while no capture is open. An adapter says `True` whose hooks have done their work
            when a call begins or returns: of a client (a model SDK, MCP), or of spans, which the span itself ends. One that sees a run
            from inside says `False`: a run that outlives its capture must be told that it is late, so what it hooked in stays, and is
            inert.
        resolver: tells what the running code is part of, where the framework keeps that in a context of its own; set by `install`.

    Example:
        >>> class Nothing(Adapter):
        ...     name, distribution, tested, sees = "nothing", "attrs", ("23.1", "26.1"), frozenset({TOOL_FAILURES})
        ...     def install(self):
        ...         pass
        >>> Nothing().install()
    """

    name: ClassVar[str]
    distribution: ClassVar[str]
    tested: ClassVar[tuple[str, str]]
    sees: ClassVar[frozenset[str]]
    detaches: ClassVar[bool] = False
    resolver: Callable[[], Event | None] | None = None
    _resolves: bool = False
    _replacements: list[Replacement] | None = None

    @classmethod
    def meets_framework(cls) -> bool:
        """Whether the module that was imported is the framework's, rather than a program's own of the same name."""
        return True

    @classmethod
    def driver(cls) -> Driver | None:
        """What runs agents of the framework; `None` where this adapter only records."""
        return None

    @abstractmethod
    def install(self) -> None:
        """Hook into the framework, once in a process; what is hooked in must be inert while no capture is open.

        Raises:
            HookMissingError: when the place to hook into is not there.
        """

    def attach(self) -> None:
        """Install the adapter, or put back in place what :meth:`uninstall` took out.

        Raises:
            HookMissingError: when the place to hook into is not there; then nothing is left in place.
        """
        if self._replacements is None:
            self._replacements = []
            try:
                with keeping(self._replacements):
                    self.install()
            except BaseException:
                self.uninstall()
                raise
        else:
            for replacement in self._replacements:
                replacement.put()
        if self.resolver is not None and not self._resolves:
            recorder.resolvers.append(self.resolver)
            self._resolves = True

    def uninstall(self) -> None:
        """Put back every attribute that `install` replaced by means of :mod:`agentassert.adapters.patching`: the very object.

        What somebody else has wrapped since stays where it is, and is inert while no capture is open.
        """
        for replacement in reversed(self._replacements or ()):
            replacement.take_out()
        if self.resolver is not None and self._resolves:
            recorder.resolvers.remove(self.resolver)
            self._resolves = False


_P = ParamSpec("_P")
_R = TypeVar("_R")
_V = TypeVar("_V")


def guarded(adapter: str) -> Callable[[Callable[_P, _R]], Callable[_P, _R | None]]:
    """Keep the errors of a hook away from the agent: they make the assertions of the captures that they concern fail instead.

    Args:
        adapter: the name of the adapter that the hook belongs to.

    Returns:
        A decorator; the decorated hook returns `None` where it broke.

    Example:
        >>> @guarded("nothing")
        ... def hook():
        ...     return 1 / 0
        >>> hook() is None
        True
    """

    def decorate(hook: Callable[_P, _R]) -> Callable[_P, _R | None]:
        @functools.wraps(hook)
        def kept(*args: _P.args, **kwargs: _P.kwargs) -> Any:
            try:
                return hook(*args, **kwargs)
            except Exception as error:
                recorder.report_fault(adapter, error)
                return None

        return kept

    return decorate


@contextmanager
def inside(event: Event) -> Iterator[None]:
    """What happens in the block is part of an event."""
    entered = recorder.enter(event)
    try:
        yield
    finally:
        recorder.leave(entered)


@contextmanager
def holding(variable: ContextVar[_V], value: _V) -> Iterator[None]:
    """Have a variable of an adapter's own hold a value in the block, also where it is left in another context than it was entered in.

    That happens to a coroutine that was abandoned: it is closed by whoever collects it.

    Example:
        >>> shown = ContextVar("shown", default="nothing")
        >>> with holding(shown, "a lamp"):
        ...     shown.get()
        'a lamp'
        >>> shown.get()
        'nothing'
    """
    token = variable.set(value)
    try:
        yield
    finally:
        recorder.restore(token)
