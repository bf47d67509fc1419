"""Finding the object that a text names."""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any, Final

from agentassert.nearest import did_you_mean

_FORM: Final = "module:object"


def resolve(target: str) -> Any:
    """The object that a text such as `"shop.agents:support"` names; its module is imported, also from the working directory.

    Args:
        target: a module and an object in it, which may be an attribute of another one (`"shop.agents:desk.support"`).

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
    found: Any = _imported(module_name, target)
    where = f"module {module_name!r}"
    for name in names:
        if not hasattr(found, name):
            meant = did_you_mean(name, [one for one in dir(found) if not one.startswith("_")])
            raise ValueError(f"{target!r}: {where} has no {name!r}{meant and f'; {meant}'}")
        found, where = getattr(found, name), f"{name!r}"
    return found


def _imported(name: str, target: str) -> Any:
    here = os.getcwd()  # noqa: PTH109 -- import paths are texts
    added = here not in sys.path and "" not in sys.path
    if added:
        sys.path.insert(0, here)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as missing:
        if missing.name is not None and (name == missing.name or name.startswith(f"{missing.name}.")):
            raise ValueError(f"{target!r}: there is no module {missing.name!r} in {here} or on the import path") from missing
        raise
    finally:
        if added and here in sys.path:
            sys.path.remove(here)
