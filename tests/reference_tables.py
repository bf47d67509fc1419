"""The tables of names on the pages of the reference, made from signatures and docstrings.

python -m tests.reference_tables            writes them anew

A page says where a table stands and what it is of, so that it reads as a plain file, too:

    <!-- names: agentassert.run agentassert.run_async -->      what these are
    <!-- members: agentassert.Capture -->                      its fields, properties and methods
    <!-- members: agentassert.Judge assert_that -->            of these, those that are named
    <!-- own: agentassert.assertions.tools.ToolAssertions -->  those alone that no base of it has
    <!-- end -->
"""

from __future__ import annotations

import ast
import enum
import functools
import importlib
import inspect
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import attrs

PAGES: Final = sorted((Path(__file__).parents[1] / "docs" / "reference").glob("*.md"))
_TABLE: Final = re.compile(r"<!-- (names|members|own): ([^>]+) -->\n.*?<!-- end -->", re.DOTALL)
_ROLE: Final = re.compile(r":(\w+):`([^`]+)`")
_LONGEST_DEFAULT: Final = 30


@attrs.frozen
class Table:
    """A table on a page: of some names, or of the members of one."""

    kind: str
    names: tuple[str, ...]

    def rows(self) -> list[tuple[str, str]]:
        """Each name, as one writes it, with what it is."""
        if self.kind == "names":
            return [_row(name) for name in self.names]
        path, *chosen = self.names
        owner = resolved(path)
        members = vars(owner) if self.kind == "own" else public_members(owner)
        rows = [*_fields(owner), *_members(owner, members)]
        return [row for row in rows if not chosen or row[0].split("(")[0] in chosen]

    def markdown(self) -> str:
        """The table with its markers."""
        rows = [f"| `{name}` | {text.replace('|', chr(92) + '|')} |" for name, text in self.rows()]
        return "\n".join(
            [f"<!-- {self.kind}: {' '.join(self.names)} -->", "", "| name | |", "|---|---|", *rows, "", "<!-- end -->"]
        )


def tables(text: str) -> list[Table]:
    """The tables of a page."""
    return [_table(found) for found in _TABLE.finditer(text)]


def rewritten(text: str) -> str:
    """The page with its tables as they should be."""
    return _TABLE.sub(lambda found: _table(found).markdown(), text)


def _table(found: re.Match[str]) -> Table:
    return Table(found[1], tuple(found[2].split()))


def resolved(path: str) -> Any:
    """What stands under a dotted name."""
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


def public_members(owner: type) -> dict[str, Any]:
    """Its methods and properties by name, with those of its bases in this package."""
    found: dict[str, Any] = {}
    for ancestor in reversed(inspect.getmro(owner)):
        if ancestor.__module__.startswith("agentassert."):
            found.update(vars(ancestor))
    return {name: one for name, one in found.items() if not name.startswith("_") and _is_member(one)}


def _is_member(value: Any) -> bool:
    return inspect.isroutine(value) or isinstance(value, property | classmethod | staticmethod)


def described_fields(owner: type) -> dict[str, str]:
    """What stands in the section `Args` of a class, by name; an entry may be about two: "the start; `duration`: seconds"."""
    section = re.search(r"^Args:\n((?:[ ]{4}.*\n?)+)", inspect.cleandoc(owner.__doc__ or ""), re.MULTILINE)
    if section is None:
        return {}
    entries = re.split(r"^ {4}(?=\w)", section[1], flags=re.MULTILINE)[1:]
    told: dict[str, str] = {}
    for entry in entries:
        name, *further = re.split(r"; `(\w+)`: ", _one_line(entry))
        first, _, text = name.partition(": ")
        told |= {first: text, **dict(zip(further[::2], further[1::2], strict=True))}
    return told


def _fields(owner: type) -> Iterator[tuple[str, str]]:
    if not attrs.has(owner):
        return
    for name, text in described_fields(owner).items():
        yield name, text[:1].upper() + text[1:]


def _members(owner: type, members: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    told = described_fields(owner) if attrs.has(owner) else {}
    for name, member in members.items():
        if name not in told and not name.startswith("_") and _is_member(member):
            yield _written(name, member, bound=True), _first(getattr(owner, name) if isinstance(member, classmethod) else member)


def _row(path: str) -> tuple[str, str]:
    value, name = resolved(path), path.rpartition(".")[2]
    if inspect.isclass(value):
        return name, _first(value) + _contents(value)
    if inspect.isroutine(value):
        return _written(name, value, bound=False), _first(value)
    return name, _one_line(_docstring_below(path)) + (_listed(value) if isinstance(value, tuple) else "")


def _contents(owner: type) -> str:
    if issubclass(owner, enum.Enum):
        return _listed(str(one.value) for one in owner)
    return ""


def _listed(texts: Iterable[str]) -> str:
    return f" They are `{'`, `'.join(texts)}`."


def _written(name: str, member: Any, *, bound: bool) -> str:
    if isinstance(member, property | functools.cached_property):
        return name
    function = member.__func__ if isinstance(member, classmethod | staticmethod) else member
    signature = inspect.signature(function)
    parameters = list(signature.parameters.values())[1 if bound and not isinstance(member, staticmethod) else 0 :]
    plain = [one.replace(annotation=inspect.Parameter.empty, default=_default(one)) for one in parameters]
    plain = [one.replace(kind=one.POSITIONAL_OR_KEYWORD) if one.kind is one.POSITIONAL_ONLY else one for one in plain]
    return f"{name}{signature.replace(parameters=plain, return_annotation=inspect.Signature.empty)}"


def _default(parameter: inspect.Parameter) -> Any:
    default = str(parameter.default) if isinstance(parameter.default, enum.StrEnum) else parameter.default
    return _Dots() if default is ... or len(repr(default)) > _LONGEST_DEFAULT else default


class _Dots:
    def __repr__(self) -> str:
        return "..."


def _first(value: Any) -> str:
    """The first paragraph of a docstring."""
    return _one_line((inspect.getdoc(value) or "").partition("\n\n")[0])


def _docstring_below(path: str) -> str:
    """The text that stands below an assignment; without one, what the class of the value says of itself."""
    module, _, name = path.rpartition(".")
    body = ast.parse(inspect.getsource(importlib.import_module(module))).body
    for assignment, text in itertools.pairwise(body):
        if (
            isinstance(assignment, ast.AnnAssign)
            and isinstance(assignment.target, ast.Name)
            and assignment.target.id == name
            and isinstance(text, ast.Expr)
            and isinstance(text.value, ast.Constant)
        ):
            return str(text.value.value).partition("\n\n")[0]
    return _first(type(resolved(path)))


def _one_line(text: str) -> str:
    """Without line breaks and the roles of reStructuredText."""
    plain = _ROLE.sub(lambda role: f"`{role[2].lstrip('~')}{'()' if role[1] in {'func', 'meth'} else ''}`", text)
    return " ".join(plain.split())


def main(pages: Sequence[Path] = PAGES) -> None:
    """Write the tables of all pages."""
    for page in pages:
        text = page.read_text("utf-8")
        if rewritten(text) != text:
            page.write_text(rewritten(text), "utf-8")


if __name__ == "__main__":
    main()
