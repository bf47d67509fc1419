"""Knowing when a module has been imported, without importing it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Container, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec


class ImportWatcher:
    """Calls back when one of some modules has been imported; it finds nothing itself, so every import goes as it would without it.

    Args:
        names: the modules to watch for.
        imported: called with the module's name once its code has run, by the thread that imports it.

    Example:
        >>> seen = []
        >>> watcher = ImportWatcher({"this_is_no_module"}, seen.append)
        >>> watcher.start()
        >>> watcher.stop()
        >>> seen
        []
    """

    def __init__(self, names: Container[str], imported: Callable[[str], None]) -> None:
        self._names = names
        self._imported = imported

    def start(self) -> None:
        """Begin to watch."""
        if self not in sys.meta_path:
            sys.meta_path.insert(0, self)

    def stop(self) -> None:
        """Stop watching."""
        if self in (sys.meta_path or ()):  # which is `None` when the interpreter ends, as are generators that hold a capture
            sys.meta_path.remove(self)

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """What the finders after this one find, made to tell when it has been executed."""
        if fullname not in self._names:
            return None
        finders = list(sys.meta_path)
        # Those before it were asked already; one of them may be another watcher, which asks this one in its turn.
        for finder in finders[finders.index(self) + 1 :] if self in finders else finders:
            find = getattr(finder, "find_spec", None)
            spec: ModuleSpec | None = None if find is None else find(fullname, path, target)
            if spec is not None:
                self._announce(spec)
                return spec
        return None

    def _announce(self, spec: ModuleSpec) -> None:
        """Have the loader itself tell: a loader in its place would be seen by whoever asks the module for its loader."""
        loader: Any = spec.loader
        execute = getattr(loader, "exec_module", None)
        if execute is None or isinstance(loader, type):
            return

        def exec_module(module: ModuleType) -> None:
            vars(loader).pop("exec_module", None)
            execute(module)
            self._imported(spec.name)

        try:
            loader.exec_module = exec_module
        except AttributeError:
            pass  # a loader with slots: the adapter is installed when the next capture opens
