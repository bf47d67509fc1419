"""Where in a file each key and each value stands."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

Position = tuple[int, int]
"""Line and column, both from 1; columns count characters."""

DataPath = tuple[str | int, ...]
"""Keys and indexes that lead from the top of a document to a value in it."""


@attrs.define
class Marks:
    """Where a value begins, and where what is in it does.

    Args:
        position: where the value begins.
        keys: for a mapping, where each of its keys begins.
        items: the marks of what is in a mapping or a list, by key or by index.
    """

    position: Position
    keys: dict[str, Position] | None = None
    items: dict[str, Marks] | list[Marks] | None = None

    def of_value(self, path: Sequence[str | int]) -> Position:
        """Where the value at a path begins; for one that is not there, what it is missing from.

        Example:
            >>> Marks((1, 1), {"a": (1, 1)}, {"a": Marks((1, 4))}).of_value(("a",))
            (1, 4)
        """
        return self._deepest(path)[0].position

    def of_key(self, path: Sequence[str | int]) -> Position:
        """Where the key that a path ends with begins; for an index, where the entry does.

        Example:
            >>> Marks((1, 1), {"a": (1, 1)}, {"a": Marks((1, 4))}).of_key(("a",))
            (1, 1)
        """
        holder, rest = self._deepest(path[:-1])
        last = path[-1]
        if not rest and holder.keys is not None and last in holder.keys:
            return holder.keys[str(last)]
        return self.of_value(path)

    def _deepest(self, path: Sequence[str | int]) -> tuple[Marks, Sequence[str | int]]:
        """The marks of the deepest part of a path that is there, and the part that is not."""
        marks = self
        for depth, step in enumerate(path):
            inside = marks.items
            if inside is None or (step not in inside if isinstance(inside, dict) else step not in range(len(inside))):
                return marks, path[depth:]
            marks = inside[step]  # type: ignore[index]
        return marks, ()
