"""What a target is, and which there are."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any, Final, Literal

import attrs
from hypothesis.strategies import SearchStrategy

REGRESSIONS: Final = Path(__file__).parent / "regressions"


@attrs.frozen(kw_only=True)
class Target:
    """Something that reads input, and what it promises.

    An input is bytes, whatever it means, so that every input can be kept in a file, mutated, and found by a guided fuzzer. A target that
    needs more (a folder, several values) makes it of the bytes in `run`.

    Args:
        name: by which it is asked for, and its regressions are kept.
        run: gives one input to the code under test, and goes on with what came of it as a user would. What it raises beside
            `allowed` is a finding; it may raise `AssertionError` for a promise that is broken.
        allowed: the errors that are a proper answer, by their very classes: a subclass (`UnicodeDecodeError` of `ValueError`) is none.
        corpus: valid inputs, which are mutated. Called once, in the process that fuzzes.
        strategy: makes inputs of its own; `None` leaves it at mutations.
        form: what mutations understand the corpus as: JSON, or JSON in each line, else text by lines, else bytes.
        words: texts that mean something to the target, and are put in the place of others.
        events: audit events (`socket.connect`, …) that this target may raise; reading files of Python's libraries always may.
        folder: below which files may be read and written by it; `None` for nowhere.
        seconds: that an input may take, however small it is.
        seconds_per_mb: that it may take more by its size.
        megabytes: that an input may take in memory, however small it is.
        megabytes_per_mb: that it may take more by its size.
        largest: bytes of an input at most.
    """

    name: str
    run: Callable[[bytes], Any]
    allowed: tuple[type[BaseException], ...]
    corpus: Callable[[], Sequence[bytes]]
    strategy: SearchStrategy[bytes] | None = None
    form: Literal["json", "lines", "text", "bytes"] = "json"
    words: Sequence[str] = ()
    events: Collection[str] = ()
    folder: Path | None = None
    seconds: float = 0.25
    seconds_per_mb: float = 8.0
    megabytes: float = 32.0
    megabytes_per_mb: float = 60.0
    largest: int = 2_000_000


def targets() -> dict[str, Target]:
    """Every target by its name: those of each module here that has a `TARGETS`."""
    folder = Path(__file__).parent
    names = sorted(file.stem for file in folder.glob("[a-z]*.py") if not file.stem.startswith("test_"))
    modules = [importlib.import_module(f"tests.fuzzing.{name}") for name in names]
    found = [one for module in modules for one in getattr(module, "TARGETS", ())]
    return {one.name: one for one in found}
