"""The mutants of a module: the same program with one small mistake in it."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from types import CodeType
from typing import Any, Final

import attrs

from tests.mutation.operators import replacements

NAMES_FOR_READERS: Final = {"__all__", "__match_args__", "__slots__"}
CALLS_FOR_READERS: Final = {"TypeVar", "cast"}
FIELDS_FOR_READERS: Final = {"annotation", "bases", "decorator_list", "keywords", "returns"}
KEPT: Final = 30
LONGEST: Final = 100


@attrs.frozen(eq=False)
class Place:
    """Where in a module a mistake stands.

    Args:
        module: its dotted name.
        around: the function or class around it, dotted; empty at the top of the module.
        function: name and first line of the outermost function around it; none when the mistake is made while the module is loaded.
        lines: first and last line of the statement, or of the head of the block, that it stands in.
    """

    module: str
    around: str = ""
    function: tuple[str, int] | None = None
    lines: tuple[int, int] = (1, 1)

    def inside(self, definition: Any) -> Place:
        """The place inside a function or class that is defined here."""
        around = f"{self.around}.{definition.name}".lstrip(".")
        function = self.function
        if function is None and not isinstance(definition, ast.ClassDef):
            function = around, min([definition.lineno, *[one.lineno for one in definition.decorator_list]])
        return attrs.evolve(self, around=around, function=function)

    def at(self, node: Any) -> Place:
        """The place of a statement, or of one branch of it."""
        body = getattr(node, "body", None)
        last = max(node.lineno, body[0].lineno - 1) if body else node.end_lineno
        return attrs.evolve(self, lines=(node.lineno, last))


@attrs.frozen(eq=False)
class Mutant:
    """One mistake: in the tree of its module, `node` in the `field` of `owner`; at the `index`, where that is a list."""

    place: Place
    name: str
    tree: ast.Module
    owner: ast.AST
    field: str
    index: int | None
    node: ast.AST

    def code(self) -> CodeType:
        """The module with the mistake in it, compiled.

        Raises:
            SyntaxError: when it is no program any more.
        """
        before = self._put(self.node)
        try:
            return compile(self.tree, str(file_of(self.place.module)), "exec", dont_inherit=True)
        finally:
            self._put(before)

    def _put(self, node: ast.AST) -> ast.AST:
        if self.index is None:
            before = getattr(self.owner, self.field)
            setattr(self.owner, self.field, node)
        else:
            items = getattr(self.owner, self.field)
            before, items[self.index] = items[self.index], node
        return before


def file_of(module: str) -> Path:
    """The file of a module of the folder that we are in; it is not imported for that."""
    path = Path.cwd() / module.replace(".", "/")
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def modules_of(names: list[str]) -> list[str]:
    """The modules that dotted names mean; the name of a package means all that is in it.

    Raises:
        FileNotFoundError: when there is no such module.
    """
    found: dict[str, None] = {}
    for name in names:
        file = file_of(name)
        if not file.exists():
            raise FileNotFoundError(f"no module or package {name!r}: there is no {file}")
        for one in sorted(file.parent.rglob("*.py")) if file.name == "__init__.py" else [file]:
            found[".".join(one.relative_to(Path.cwd()).with_suffix("").parts).removesuffix(".__init__")] = None
    return list(found)


def mutants_of(module: str) -> list[Mutant]:
    """Every mutant of a module, in the order of its text; a few may be no program."""
    tree = ast.parse(file_of(module).read_text(encoding="utf-8"))
    seen: Counter[str] = Counter()
    found = []
    for place, owner, field, index, node in _nodes(tree, Place(module)):
        for other in replacements(node, field):
            ast.fix_missing_locations(ast.copy_location(other, node) if hasattr(node, "lineno") else other)
            name = f"{module}:{place.around}: {_difference(_text(node), _text(other))}"
            seen[name] += 1
            found.append(Mutant(place, name if seen[name] == 1 else f"{name} ({seen[name]})", tree, owner, field, index, other))
    return found


_Node = tuple[Place, ast.AST, str, int | None, Any]


def _nodes(owner: Any, place: Place) -> Iterator[_Node]:
    """Every node below `owner` that runs, with where it hangs."""
    definition = isinstance(owner, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    inside = place.inside(owner) if definition else place
    for field, value in ast.iter_fields(owner):
        if _is_for_readers(owner, field, place):
            continue
        here = inside if field == "body" else place
        for index, node in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(node, ast.AST) and not _says_nothing(node):
                there = here.at(node) if isinstance(node, ast.stmt | ast.excepthandler) else here
                yield there, owner, field, index, node
                yield from _nodes(node, there)


def _is_for_readers(owner: Any, field: str, place: Place) -> bool:
    match owner:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() | ast.arg() | ast.AnnAssign():
            return field in FIELDS_FOR_READERS
        case ast.Subscript(value=ast.Name()):  # a type, unless a function runs it
            return field == "slice" and place.function is None
        case ast.If(test=ast.Name("TYPE_CHECKING")):
            return True
    return False


def _says_nothing(node: ast.AST) -> bool:
    """Whether it is there for type checkers and documentation alone."""
    match node:
        case ast.Expr(value=ast.Constant()) | ast.Import() | ast.ImportFrom() | ast.AnnAssign(value=None):
            return True
        case ast.AnnAssign(annotation=ast.Name("TypeAlias")):
            return True
        case ast.Assign(targets=[ast.Name(name)]):
            return name in NAMES_FOR_READERS
        case ast.FunctionDef(decorator_list=[ast.Name("overload"), *_]):
            return True
        case ast.Call(func=ast.Name(name)):
            return name in CALLS_FOR_READERS
        case ast.keyword(arg="strict"):  # of `zip`, where both are as long by all that we know
            return True
    return False


def _text(node: Any) -> str:
    if isinstance(node, ast.match_case):
        return f"case {ast.unparse(node.pattern)}" + (f" if {ast.unparse(node.guard)}" if node.guard else "")
    return ast.unparse(node).replace("\n", "; ")


def _difference(before: str, after: str) -> str:
    """Both texts, cut where they are alike for long."""
    start = max(0, _alike(before, after) - KEPT)
    end = max(0, _alike(before[:start:-1], after[:start:-1]) - KEPT)
    return " -> ".join(_cut(text, start, end) for text in (before, after))


def _alike(one: str, other: str) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _cut(text: str, start: int, end: int) -> str:
    middle = text[start : len(text) - end]
    middle = middle if len(middle) <= LONGEST else f"{middle[:LONGEST]}…"
    return ("…" if start else "") + middle + ("…" if end else "")
