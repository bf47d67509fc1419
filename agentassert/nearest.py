"""What somebody meant who wrote a name that is none."""

from __future__ import annotations

from collections.abc import Iterable


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
    import difflib

    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=most)
    if near:
        return f"did you mean {' or '.join(map(repr, near))}?"
    if names and len(names) <= _FEW:
        return f"known are {', '.join(map(repr, names))}"
    return ""


_FEW = 20
