"""By coverage: atheris changes what reached code that nothing else reached. It knows no structure, so our own mutations help it."""

from __future__ import annotations

import importlib
import os
import pkgutil
import random
import shutil
import sys
import time
from pathlib import Path
from typing import Final, NoReturn

from tests.fuzzing.mutation import Mutator
from tests.fuzzing.runs import Run
from tests.fuzzing.targets import Target

_NOT_LOADED: Final = ("agentassert.adapters.", "agentassert.__main__")
"""Adapters need their frameworks, and read nothing that comes out of a file."""

_LARGEST: Final = 20_000


def instrument() -> None:
    """Have atheris see which code of the package is reached; to be called before any of that is imported.

    Raises:
        SystemExit: when atheris is not installed.
    """
    try:
        import atheris
    except ImportError:
        raise SystemExit("--guided needs atheris: pip install atheris") from None
    with atheris.instrument_imports(include=["agentassert"]):
        import agentassert

        for module in pkgutil.walk_packages(agentassert.__path__, "agentassert.", onerror=lambda _: None):
            if not module.name.startswith(_NOT_LOADED):
                importlib.import_module(module.name)


def fuzz(target: Target, seconds: float, first_seed: int, folder: Path) -> NoReturn:
    """Fuzz for some seconds, tell what was found, and end the process."""
    import atheris

    run = Run(target, folder)
    corpus = folder / f"{target.name}.corpus"
    shutil.rmtree(corpus, ignore_errors=True)
    corpus.mkdir()
    inputs = target.corpus()
    for number, data in enumerate(inputs):
        (corpus / f"valid-{number}").write_bytes(data)
        run.warm(data)
    mutator = Mutator(inputs, target.form, target.words, min(target.largest, _LARGEST))

    def mutate(data: bytes, largest: int, number: int) -> bytes:
        chance = random.Random(number)
        if chance.random() < 0.3:
            return bytes(atheris.Mutate(data, largest))
        return mutator.change(data, chance)[:largest]

    end = time.monotonic() + seconds

    def one(data: bytes) -> None:
        run.attempt(data)
        if time.monotonic() > end:  # libFuzzer, when it ends by itself, ends the process before anything can be told
            sys.stdout.write(f"{run.told()}\n")
            sys.stdout.flush()
            os._exit(1 if run.findings else 0)

    options = [f"-seed={first_seed + 1}", f"-max_len={_LARGEST}", "-timeout=60", "-rss_limit_mb=4000", "-verbosity=0"]
    atheris.Setup([sys.argv[0], *options, str(corpus)], one, custom_mutator=mutate)
    atheris.Fuzz()
