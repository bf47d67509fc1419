"""What a case's builder makes before a run, and what it cleans up after it."""

from __future__ import annotations

import base64
import functools
import mimetypes
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from agentassert.driving.payloads import decoded
from agentassert.suites import python_files
from agentassert.suites.python_files import PreparationError

_OF_BUILD: Final = ("context", "builder_args", "test_name", "payload", "files")
_OF_CLEANUP: Final = ("run", "context", "builder_args")
_FALLBACK_TYPE: Final = "application/octet-stream"


class Builder:
    """A Python file with `build(context, builder_args, test_name, payload, files)`, and perhaps `cleanup(run, context, builder_args)`.

    Args:
        file: the Python file.
        shown: how messages call the file.
        limit: seconds that each of the two may take.

    Raises:
        PreparationError: when the file is not there, does not load, has no `build`, or one that takes other arguments.
    """

    def __init__(self, file: Path, shown: str, limit: float) -> None:
        self._file = file
        self._shown = shown
        self._limit = limit
        self._module: ModuleType = python_files.load(file, shown)
        if not callable(getattr(self._module, "build", None)):
            raise PreparationError(f"{shown}: there is no function build({', '.join(_OF_BUILD)}); define it")
        python_files.refuse_other_parameters(self._module.build, _OF_BUILD, shown)
        if callable(getattr(self._module, "cleanup", None)):
            python_files.refuse_other_parameters(self._module.cleanup, _OF_CLEANUP, shown)

    def build(
        self,
        context: dict[str, Any],
        arguments: Mapping[str, Any],
        test_name: str,
        payload: str | None,
        files: Sequence[Mapping[str, Any]],
    ) -> str | dict[str, Any]:
        """The payload for one run.

        Raises:
            PreparationError: when `build` raises, takes too long, or returns neither text nor a mapping.
        """
        built = self._call(self._module.build, context, dict(arguments), test_name, payload, list(files))
        if not isinstance(built, (str, dict)):
            raise PreparationError(f"{self._place('build')}: build() must return a text or a dict, but returned {_kind(built)}")
        return built

    def cleanup(self, run: Mapping[str, Any], context: dict[str, Any], arguments: Mapping[str, Any]) -> str | None:
        """What is wrong after cleaning up, in a sentence; `None` when nothing is, or there is nothing to clean up.

        Args:
            run: `input`, `output` and `context` of the run.
            context: what `build` was given.
            arguments: the case's `builder_args`.
        """
        function = getattr(self._module, "cleanup", None)
        if function is None:
            return None
        try:
            said = self._call(function, dict(run), context, dict(arguments))
        except PreparationError as error:
            return str(error)
        if said is None or said is True:
            return None
        place = self._place("cleanup")
        if said is False:
            return f"{place}: cleanup() returned False: see what it leaves behind, or return None where that is as it should be"
        return f"{place}: cleanup() must return a bool or None, but returned {_kind(said)}"

    def _place(self, function: str) -> str:
        return f"{self._shown}{python_files.place_of(getattr(self._module, function))}"

    def _call(self, function: Any, *args: Any) -> Any:
        return python_files.call(function, *args, limit=self._limit, file=self._file, shown=self._shown)


def attachment(file: Path) -> dict[str, Any]:
    """A fixture file as agents are given it: its name, its media type and its content in base64.

    Raises:
        OSError: when it cannot be read.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as directory:
        ...     file = Path(directory, "note.txt")
        ...     _ = file.write_text("hi")
        ...     attachment(file)
        {'name': 'note.txt', 'mime_type': 'text/plain', 'data': 'aGk='}
    """
    kind = _types().guess_type(file.name)[0] or _FALLBACK_TYPE
    return {"name": file.name, "mime_type": kind, "data": base64.b64encode(file.read_bytes()).decode("ascii")}


@functools.cache
def _types() -> mimetypes.MimeTypes:
    """Python's own table: what a system adds, such as Windows from its registry, would give agents another type on each machine."""
    return mimetypes.MimeTypes()


def with_files(payload: str | Mapping[str, Any] | None, files: Sequence[Mapping[str, Any]]) -> str | dict[str, Any]:
    """A payload with its fixture files: beside the keys of an object, after files that it has; a text becomes a `message`.

    Example:
        >>> with_files("look at this", [{"name": "note.txt"}])
        {'message': 'look at this', 'files': [{'name': 'note.txt'}]}
        >>> with_files("hello", [])
        'hello'
    """
    if not files:
        return payload if isinstance(payload, str) else dict(payload or {})
    content = decoded(payload or {})
    if not isinstance(content, Mapping):
        content = {"message": payload}
    has = content.get("files")
    return {**content, "files": [*(has if isinstance(has, list) else []), *files]}


def _kind(value: Any) -> str:
    name = type(value).__name__
    return "None" if value is None else f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"
