"""What a small mistake makes of a piece of a program: for one node of its tree, the nodes that could stand in its place."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from typing import Any, Final

COMPARISONS: Final[dict[type, tuple[type, ...]]] = {
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
}
ARITHMETIC: Final[dict[type, type]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
OTHER_NAMES: Final = {
    "all": "any",
    "any": "all",
    "endswith": "startswith",
    "lower": "upper",
    "max": "min",
    "min": "max",
    "reversed": "list",
    "sorted": "list",
    "startswith": "endswith",
}
OTHER_ERRORS: Final = {"TypeError": "ValueError", "ValueError": "TypeError"}
WITHOUT_EFFECT: Final = {"casefold", "lower", "lstrip", "rstrip", "strip"}
KEYWORDS_FOR_READERS: Final = {"strict"}


def replacements(node: ast.AST, field: str) -> Iterator[ast.AST]:
    """What could stand in the place of a node that is the `field` of its parent."""
    yield from _BY_KIND.get(type(node), _none)(node)
    if field == "ifs":
        yield ast.Constant(True)
    if field in {"ifs", "test", "guard"} and not isinstance(node, ast.Compare | ast.BoolOp | ast.UnaryOp):
        yield ast.UnaryOp(ast.Not(), node)  # type: ignore[arg-type]
    if field == "type" and isinstance(node, ast.expr):
        yield ast.Tuple([], ast.Load())  # an `except` that catches nothing


def _changed(node: Any, **fields: Any) -> Any:
    other = copy.copy(node)
    for name, value in fields.items():
        setattr(other, name, value)
    return other


def _without_each(node: Any, field: str) -> Iterator[ast.AST]:
    items = getattr(node, field)
    for at in range(len(items)):
        yield _changed(node, **{field: [*items[:at], *items[at + 1 :]]})


def _none(node: ast.AST) -> Iterator[ast.AST]:
    return iter(())


def _removed(node: ast.AST) -> Iterator[ast.AST]:
    yield ast.Pass()


def _compare(node: ast.Compare) -> Iterator[ast.AST]:
    for at, operator in enumerate(node.ops):
        for other in COMPARISONS[type(operator)]:
            yield _changed(node, ops=[*node.ops[:at], other(), *node.ops[at + 1 :]])


def _bool_op(node: ast.BoolOp) -> Iterator[ast.AST]:
    yield _changed(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
    for one in _without_each(node, "values"):
        yield one.values[0] if len(one.values) == 1 else one  # type: ignore[attr-defined]


def _unary(node: ast.UnaryOp) -> Iterator[ast.AST]:
    yield node.operand


def _binary(node: ast.BinOp | ast.AugAssign) -> Iterator[ast.AST]:
    if (other := ARITHMETIC.get(type(node.op))) is not None:
        yield _changed(node, op=other())


def _aug_assign(node: ast.AugAssign) -> Iterator[ast.AST]:
    yield ast.Pass()
    yield from _binary(node)


def _constant(node: ast.Constant) -> Iterator[ast.AST]:
    value = node.value
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int | float):
        yield ast.Constant(value + 1)
    elif isinstance(value, str):
        yield ast.Constant("XX" + value)


def _conditional(node: ast.IfExp) -> Iterator[ast.AST]:
    yield node.body
    yield node.orelse


def _expression_statement(node: ast.Expr) -> Iterator[ast.AST]:
    if not isinstance(node.value, ast.Constant):
        yield ast.Pass()


def _with_value(node: ast.Assign | ast.AnnAssign | ast.Return | ast.Yield) -> Iterator[ast.AST]:
    if node.value is not None and not isinstance(node.value, ast.Constant):
        yield _changed(node, value=ast.Constant(None))


def _yield_from(node: ast.YieldFrom) -> Iterator[ast.AST]:
    yield _changed(node, value=ast.Tuple([], ast.Load()))


def _call(node: ast.Call) -> Iterator[ast.AST]:
    called = node.func
    if isinstance(called, ast.Name) and called.id in OTHER_NAMES:
        yield _changed(node, func=ast.Name(OTHER_NAMES[called.id], ast.Load()))
    if isinstance(called, ast.Attribute):
        if called.attr in OTHER_NAMES:
            yield _changed(node, func=_changed(called, attr=OTHER_NAMES[called.attr]))
        if called.attr in WITHOUT_EFFECT:
            yield called.value
    for at, keyword in enumerate(node.keywords):
        if keyword.arg not in KEYWORDS_FOR_READERS:
            yield _changed(node, keywords=[*node.keywords[:at], *node.keywords[at + 1 :]])


def _raise(node: ast.Raise) -> Iterator[ast.AST]:
    yield ast.Pass()
    if isinstance(node.exc, ast.Call) and isinstance(node.exc.func, ast.Name) and node.exc.func.id in OTHER_ERRORS:
        yield _changed(node, exc=_changed(node.exc, func=ast.Name(OTHER_ERRORS[node.exc.func.id], ast.Load())))


def _slice(node: ast.Slice) -> Iterator[ast.AST]:
    for bound in ("lower", "upper", "step"):
        if getattr(node, bound) is not None:
            yield _changed(node, **{bound: None})


def _items(node: ast.List | ast.Tuple | ast.Set) -> Iterator[ast.AST]:
    if isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
        yield from _without_each(node, "elts")


def _dict(node: ast.Dict) -> Iterator[ast.AST]:
    for at in range(len(node.keys)):
        yield _changed(node, keys=[*node.keys[:at], *node.keys[at + 1 :]], values=[*node.values[:at], *node.values[at + 1 :]])


def _formatted(node: ast.FormattedValue) -> Iterator[ast.AST]:
    if node.conversion != -1:
        yield _changed(node, conversion=-1)


def _lambda(node: ast.Lambda) -> Iterator[ast.AST]:
    yield _changed(node, body=ast.Constant(None))


def _case(node: ast.match_case) -> Iterator[ast.AST]:
    yield _changed(node, guard=ast.Constant(False))
    if node.guard is not None:
        yield _changed(node, guard=None)


def _either_pattern(node: ast.MatchOr) -> Iterator[ast.AST]:
    for one in _without_each(node, "patterns"):
        yield one.patterns[0] if len(one.patterns) == 1 else one  # type: ignore[attr-defined]


_BY_KIND: Final[dict[type, Callable[[Any], Iterator[ast.AST]]]] = {
    ast.AnnAssign: _with_value,
    ast.Assign: _with_value,
    ast.AugAssign: _aug_assign,
    ast.BinOp: _binary,
    ast.BoolOp: _bool_op,
    ast.Break: lambda _: iter([ast.Continue()]),
    ast.Call: _call,
    ast.Compare: _compare,
    ast.Constant: _constant,
    ast.Continue: lambda _: iter([ast.Break()]),
    ast.Delete: _removed,
    ast.Dict: _dict,
    ast.Expr: _expression_statement,
    ast.FormattedValue: _formatted,
    ast.IfExp: _conditional,
    ast.Lambda: _lambda,
    ast.List: _items,
    ast.MatchOr: _either_pattern,
    ast.Raise: _raise,
    ast.Return: _with_value,
    ast.Set: _items,
    ast.Slice: _slice,
    ast.Tuple: _items,
    ast.UnaryOp: _unary,
    ast.Yield: _with_value,
    ast.YieldFrom: _yield_from,
    ast.match_case: _case,
}
