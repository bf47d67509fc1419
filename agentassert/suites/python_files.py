"""Python files beside suites: builders and mocks, read anew for every run, their functions called within a time limit."""

from __future__ import annotations

import asyncio
import importlib.util
import inspect
import threading
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from agentassert.driving.resolving import resolve
from agentassert.errors import JudgeError
from agentassert.signatures import signature_of


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
    except (Exception, SystemExit) as error:
        raise PreparationError(f"{shown}{place_in(error, file)}: loading it raised {described(error)}") from error
    return module


def refuse_other_parameters(function: Callable[..., Any], parameters: Sequence[str], shown: str) -> None:
    """Refuse a function that cannot be called with as many arguments by position.

    Args:
        function: a function of the file.
        parameters: what it is given.
        shown: how messages call the file.

    Raises:
        PreparationError: when it takes others.

    Example:
        >>> refuse_other_parameters(lambda run, context, builder_args: None, ("run", "context", "builder_args"), "order.py")
    """
    signature = signature_of(function)
    try:
        if signature is not None:
            signature.bind(*parameters)
    except TypeError:
        name = getattr(function, "__name__", type(function).__name__)
        raise PreparationError(f"{shown}{place_of(function)}: {name}(...) must take ({', '.join(parameters)})") from None


def call(function: Callable[..., Any], *args: Any, limit: float, file: Path, shown: str) -> Any:
    """What a sync or async function returns, if it does so in time; one that does not is left behind in its thread.

    Args:
        function: a function of the file.
        limit: seconds.
        file: the file that it is from.
        shown: how messages call the file.

    Raises:
        PreparationError: when it raises, or does not return in time.
        JudgeError: when that is what it raises: nothing was decided.

    Example:
        >>> call(lambda number: number + 1, 6, limit=5, file=Path("order.py"), shown="order.py")
        7
    """
    name = f"{getattr(function, '__name__', type(function).__name__)}()"
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
    result, error = ended[0] if ended else (None, _NotInTimeError())
    if error is None:
        return result
    if isinstance(error, _NotInTimeError):
        raise PreparationError(
            f"{shown}{place_of(function)}: {name} did not return within {limit:g} s: have it take less, or raise timeout_s"
        )
    if not isinstance(error, (Exception, SystemExit)) or isinstance(error, JudgeError):
        raise error
    place = place_in(error, file) or place_of(function)
    raise PreparationError(f"{shown}{place}: {name} raised {described(error)}") from error


class _NotInTimeError(Exception):
    """Ours alone, so that no error of a user's function is taken for it."""


async def _bounded(result: Any, limit: float) -> Any:
    time = asyncio.timeout(limit)
    try:
        async with time:
            return await result
    except TimeoutError:
        if time.expired():
            raise _NotInTimeError from None
        raise


def place_of(function: Any) -> str:
    """The line in which a function begins, as it follows the name of a file; empty for what was not written in Python.

    Example:
        >>> place_of(print)
        ''
    """
    code = getattr(inspect.unwrap(function), "__code__", None)
    return "" if code is None else f":{code.co_firstlineno}"


def place_in(error: BaseException, file: Path) -> str:
    """The line of a file that an error came through last, as it follows the name of the file; empty if it came through none.

    Example:
        >>> place_in(ValueError("x"), Path("order.py"))
        ''
    """
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename) == file]
    return f":{lines[-1]}" if lines else ""


def imported(target: str, root: Path | None = None) -> Any:
    """The object that a text such as `"shop.agents:support"` names, as :func:`~agentassert.driving.resolving.resolve` finds it.

    Raises:
        ValueError: when there is none, or its module raises anything when it is imported.
    """
    try:
        return resolve(target, root)
    except ValueError:
        raise
    except (Exception, SystemExit) as error:
        raise ValueError(f"importing it raised {described(error)}") from error


def described(error: BaseException) -> str:
    """An error in one line.

    Example:
        >>> described(KeyError("id"))
        "KeyError: 'id'"
    """
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
