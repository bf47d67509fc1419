"""Finding the object that a text names."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from agentassert import settings
from agentassert.text.nearest import did_you_mean

_FORM: Final = "module:object"


def resolve(target: str, root: Path | None = None) -> Any:
    """The object that a text such as `"shop.agents:support"` names; its module is imported, also from the project's folder.

    Args:
        target: a module and an object in it, which may be an attribute of another one (`"shop.agents:desk.support"`).
        root: the project's folder; without it, that of the settings which hold in the working directory, and this directory itself.

    Raises:
        ValueError: when the text has another form, or there is no such module or object, naming what is there.

    Example:
        >>> resolve("json:loads")("[1]")
        [1]
        >>> resolve("json:laods")
        Traceback (most recent call last):
        ...
        ValueError: 'json:laods': module 'json' has no 'laods'; did you mean 'loads'?
    """
    module_name, colon, path = target.partition(":")
    names = path.split(".")
    if not colon or not all(part.isidentifier() for part in (*module_name.split("."), *names)):
        raise ValueError(f"an agent is named as {_FORM!r}, such as 'shop.agents:support', but was {target!r}")
    found: Any = _imported(module_name, target, _places() if root is None else [str(root)])
    where = f"module {module_name!r}"
    for name in names:
        if not hasattr(found, name):
            meant = did_you_mean(name, [one for one in dir(found) if not one.startswith("_")])
            raise ValueError(f"{target!r}: {where} has no {name!r}{meant and f'; {meant}'}")
        found, where = getattr(found, name), f"{name!r}"
    return found


def _places() -> list[str]:
    root = settings.current().root
    here = os.getcwd()  # noqa: PTH109 -- import paths are texts
    return [here] if root is None or str(root) == here else [str(root), here]


def _imported(name: str, target: str, places: Sequence[str]) -> Any:
    added = [place for place in places if place not in sys.path]
    sys.path[:0] = added
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as missing:
        if missing.name is not None and (name == missing.name or name.startswith(f"{missing.name}.")):
            raise ValueError(
                f"{target!r}: there is no module {missing.name!r} in {' or '.join(places)} or on the import path"
            ) from missing
        raise
    finally:
        for place in added:
            if place in sys.path:
                sys.path.remove(place)
