"""Arguments and results as a file keeps them: JSON, secrets masked, volatile parts told apart, ignored places left out."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final

import attrs

from agentassert import render
from agentassert.checks.paths import MISSING, Path, Steps, compile_path, without
from agentassert.jsonlike import SCALARS
from agentassert.snapshots.placeholders import found as told_apart
from agentassert.stored.recorded_errors import qualified_name
from agentassert.stored.values import NotJson
from agentassert.text.masking import MASK, is_secret_name, masked
from agentassert.text.pieces import MOST_BITS


@attrs.frozen
class Ignored:
    """A place in arguments that is not compared.

    Args:
        tool: the tool whose arguments are meant; `None` for every tool.
        path: where.

    Example:
        >>> ignored_place("pay:$.request_id").tool, ignored_place("$.request_id").tool
        ('pay', None)
    """

    tool: str | None
    path: Path

    def places(self, tool: str, arguments: Any) -> list[Steps]:
        """Where it leads in the arguments of a tool; to the top for all of them, and nowhere where there are none."""
        return self.path.places(arguments) if self.tool in (None, tool) and arguments is not MISSING else []

    def text(self) -> str:
        """As it was written."""
        return self.path.text if self.tool is None else f"{self.tool}:{self.path.text}"


_ANY_ARGUMENT: Final = {"an argument of any name": None}


def ignored_place(text: str) -> Ignored:
    """Read what `ignoring` takes: `$.request_id`, or `pay:$.request_id` for one tool.

    Raises:
        TypeError: when it is no string.
        ValueError: when it cannot be read, or would leave nothing to compare.
    """
    if not isinstance(text, str):
        raise TypeError(f"ignoring: each place must be a string such as '$.id', but was {render.value(text)}")
    tool, colon, path = text.partition(":$")
    if not colon or text.startswith("$"):
        compiled = compile_path(text)
        if compiled.steps == () or compiled.places(_ANY_ARGUMENT):
            raise ValueError(f"ignoring: {text!r} stands for all arguments of every tool: name the tool, as in 'pay:$'")
        return Ignored(None, compiled)
    if not tool:
        raise ValueError(f"ignoring: {text!r} names no tool before the colon: write '${path}' for every tool")
    return Ignored(tool, compile_path(f"${path}"))


def compared(tool: str, arguments: Any, ignored: Sequence[Ignored]) -> Any:
    """The arguments without what is ignored; `MISSING` when nothing of them is compared.

    Example:
        >>> compared("pay", {"id": 1, "n": 2}, [ignored_place("$.id")]), compared("pay", {"id": 1}, [ignored_place("pay:$")])
        ({'n': 2}, MISSING)
    """
    places = [place for one in ignored for place in one.places(tool, arguments)]
    if () in places:
        return MISSING
    return without(arguments, places) if places else arguments


def as_kept(value: Any, kept: Collection[str] = (), *, secret: bool = False) -> Any:
    """A recorded value in the form in which it is compared and written.

    Args:
        value: JSON-like, as records hold it. Of what is no JSON only the class is known in every run.
        kept: volatile values that are compared as they are.
        secret: whether its name is that of a secret.

    Example:
        >>> as_kept({"password": "hunter2", "by": {1}, 3: "x"})
        {'password': '***', 'by': '<builtins.set>', '3': 'x'}
    """
    if secret and _betrays_something(value):
        return MASK
    kind = type(value)
    if kind is dict:
        return _object(value, kept)
    if kind is list:
        return [as_kept(item, kept) for item in value]
    if kind is str:
        return told_apart("".join(masked(value)), kept)
    if kind is int and value.bit_length() > MOST_BITS:
        return hex(value)  # which has as many digits as JSON text is read with
    if kind in SCALARS:
        return value
    return f"<{value.type_name if kind is NotJson else qualified_name(kind)}>"


def _object(value: dict[Any, Any], kept: Collection[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, item in value.items():
        name = "".join(masked(key)) if type(key) is str else render.value(key)
        while name in found:  # two secrets, or 3 and "3": none of the two values may get lost
            name += " (another)"
        found[name] = as_kept(item, kept, secret=is_secret_name(key))
    return found


def _betrays_something(value: Any) -> bool:
    """Whether a value in a secret's place can be one: that it is absent, empty or a switch may be read by all."""
    return value is not None and type(value) is not bool and not (type(value) in {str, list, dict} and not value)
