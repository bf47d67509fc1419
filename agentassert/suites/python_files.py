"""Python files beside suites: builders and mocks, read anew for every run, their functions called within a time limit."""

from __future__ import annotations

import asyncio
import importlib.util
import inspect
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any


class PreparationError(Exception):
    """A file that a case names and that cannot do its part; its text is one line that names the file.

    Example:
        >>> raise PreparationError("tests/builders/order.py: build() did not return within 5 s")
        Traceback (most recent call last):
        ...
        agentassert.suites.python_files.PreparationError: tests/builders/order.py: build() did not return within 5 s
    """


def load(file: Path, shown: str) -> ModuleType:
    """A module of its own from a file, so that nothing it holds outlives the run.

    Args:
        file: the Python file.
        shown: how messages call the file.

    Raises:
        PreparationError: when it is not there, or raises while it is loaded.

    Example:
        >>> load(Path("missing.py"), "tests/builders/missing.py")
        Traceback (most recent call last):
        ...
        agentassert.suites.python_files.PreparationError: tests/builders/missing.py: there is no such file
    """
    if not file.is_file():
        raise PreparationError(f"{shown}: there is no such file")
    spec = importlib.util.spec_from_file_location(f"agentassert_suite_{file.stem}", file)
    if spec is None or spec.loader is None:
        raise PreparationError(f"{shown}: this is no Python file")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except SyntaxError as error:
        raise PreparationError(f"{shown}:{error.lineno}: {error.msg}") from error
    except Exception as error:
        raise PreparationError(f"{place_in(error, file, shown)}: loading it raised {described(error)}") from error
    return module


def call(function: Callable[..., Any], *args: Any, limit: float, file: Path, shown: str) -> Any:
    """What a sync or async function returns, if it does so in time; one that does not is left behind in its thread.

    Args:
        function: a function of the file.
        limit: seconds.
        file: the file that it is from.
        shown: how messages call the file.

    Raises:
        PreparationError: when it raises, or does not return in time.

    Example:
        >>> call(lambda number: number + 1, 6, limit=5, file=Path("order.py"), shown="order.py")
        7
    """
    name = f"{function.__name__}()"
    ended: list[tuple[Any, BaseException | None]] = []

    def run() -> None:
        try:
            result = function(*args)
            if inspect.isawaitable(result):
                result = asyncio.run(_bounded(result, limit))
        except BaseException as error:  # told to the thread that waits
            ended.append((None, error))
        else:
            ended.append((result, None))

    thread = threading.Thread(target=run, name=f"{shown} {name}", daemon=True)
    thread.start()
    thread.join(limit)
    result, error = ended[0] if ended else (None, TimeoutError())
    if error is None:
        return result
    if isinstance(error, TimeoutError) and (not ended or not str(error)):
        raise PreparationError(f"{shown}: {name} did not return within {limit:g} s")
    if not isinstance(error, Exception):
        raise error
    raise PreparationError(f"{place_in(error, file, shown)}: {name} raised {described(error)}") from error


async def _bounded(result: Any, limit: float) -> Any:
    async with asyncio.timeout(limit):
        return await result


def place_in(error: BaseException, file: Path, shown: str) -> str:
    """The file and the line in it that an error came through last.

    Example:
        >>> place_in(ValueError("x"), Path("order.py"), "tests/builders/order.py")
        'tests/builders/order.py'
    """
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename) == file]
    return f"{shown}:{lines[-1]}" if lines else shown


def described(error: BaseException) -> str:
    """An error in one line.

    Example:
        >>> described(KeyError("id"))
        "KeyError: 'id'"
    """
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
