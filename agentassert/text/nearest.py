"""What somebody meant who wrote a name that is none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final

from agentassert.errors import UnknownNameError

_FEW: Final = 20
_LONGEST: Final = 200
"""Characters of a name that are compared; nobody mistypes longer ones."""
_OTHER_WORDS: Final[Mapping[str, str]] = {
    "calls": "tool_executions",
    "exception": "error",
    "final_output": "output",
    "function_calls": "tool_executions",
    "llm_calls": "model_calls",
    "response": "output_text",
    "result": "output",
    "runs": "invocations",
    "text": "output_text",
    "tool_calls": "tool_executions",
    "tools": "tool_executions",
    "usage": "token_usage",
}
"""What frameworks call it, and what it is called here."""


def did_you_mean(name: str, known: Iterable[str], most: int = 1) -> str:
    """A question that names the nearest of the known names; all of them when none is near and they are few.

    Args:
        name: what was written.
        known: what could have been meant.
        most: how many near ones to name at most.

    Returns:
        A clause without the mark that separates it from what is before; empty when there is nothing to say.

    Example:
        >>> did_you_mean("suits", ["suites", "agents"])
        "did you mean 'suites'?"
        >>> did_you_mean("x", ["suites", "agents"])
        "known are 'agents', 'suites'"
    """
    names = sorted(known)
    near = nearest(name, names, most)
    if near:
        return f"did you mean {' or '.join(map(repr, near))}?"
    if names and len(names) <= _FEW:
        return f"known are {', '.join(map(repr, names))}"
    return ""


def nearest(name: str, known: Iterable[str], most: int = 1) -> list[str]:
    """Those of the known names that are near, the nearest first.

    Example:
        >>> nearest("orderid", ["amount", "order_id"]), nearest("x", ["amount"])
        (['order_id'], [])
    """
    import difflib

    return difflib.get_close_matches(name[:_LONGEST], sorted(known), n=most)


def no_attribute(owner: object, name: str, known: Mapping[str, str]) -> UnknownNameError:
    """The error for an attribute that there is not.

    Args:
        owner: what was asked for it.
        name: what was written, in camel case or not.
        known: what could have been meant, and how each is written.

    Example:
        >>> str(no_attribute("a text", "upperCase", {"upper_case": "upper_case"}))
        "'str' object has no attribute 'upperCase'; did you mean 'upper_case'?"
    """
    snake = re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower()
    near = [snake] if snake in known else nearest(snake, known)
    meant = f"; did you mean {known[near[0]]!r}?" if near else ""
    return UnknownNameError(f"{type(owner).__name__!r} object has no attribute {name!r}{meant}", name=name)


def public_names(owner: type) -> list[str]:
    """The names that a user may write after a dot.

    Example:
        >>> public_names(UnknownNameError)
        ['add_note', 'args', 'name', 'obj', 'with_traceback']
    """
    return [name for name in dir(owner) if not name.startswith("_")]


class NamesNearest:
    """A record that knows what a name was meant to be that it has not."""

    __slots__ = ()

    _elsewhere: ClassVar[Mapping[str, str]] = {}
    """Names of another object, and the way to them from this one."""

    if not TYPE_CHECKING:  # pragma: no branch  # for type checkers an unknown name is an error

        def __getattr__(self, name: str) -> Any:
            __tracebackhide__ = True
            owner = type(self)
            if name.startswith("_") or hasattr(owner, name):  # what `copy` and `hasattr` look for, and an error in a property
                return object.__getattribute__(self, name)
            known = {**self._elsewhere, **{one: one for one in public_names(owner)}}
            other = _OTHER_WORDS.get(name)
            raise no_attribute(self, name, known | ({name: known[other]} if other in known else {}))
