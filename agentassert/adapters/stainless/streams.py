"""Reading along while a program reads a streamed response."""

from __future__ import annotations

from typing import Any

from agentassert.adapters.stainless.calls import Call


class _Watched:
    """Stands in the place of a stream's iterator, and passes on whatever else is asked of that.

    It is no generator of ours: with one around it, the SDK's own would be closed later than it is without us when it is dropped.
    """

    __slots__ = ("_call", "_items")

    def __init__(self, items: Any, call: Call) -> None:
        self._items = items
        self._call = call

    def __getattr__(self, name: str) -> Any:
        return getattr(self._items, name)

    def __del__(self) -> None:
        self._call.end(exhausted=False)


class Watched(_Watched):
    """The iterator of a stream."""

    __slots__ = ()

    def __iter__(self) -> Watched:
        return self

    def __next__(self) -> Any:
        try:
            item = next(self._items)
        except StopIteration:
            self._call.end(exhausted=True)
            raise
        except BaseException as error:
            self._call.break_off(error)
            raise
        self._call.add(item)
        return item


class AsyncWatched(_Watched):
    """The asynchronous iterator of a stream."""

    __slots__ = ()

    def __aiter__(self) -> AsyncWatched:
        return self

    async def __anext__(self) -> Any:
        try:
            item = await anext(self._items)
        except StopAsyncIteration:
            self._call.end(exhausted=True)
            raise
        except BaseException as error:
            self._call.break_off(error)
            raise
        self._call.add(item)
        return item
