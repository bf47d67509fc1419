"""From the tree of an expression to closures: what is not on the list of what is understood is refused."""

from __future__ import annotations

import ast
import functools
import math
import re
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

import attrs

from agentassert.expressions import operators
from agentassert.expressions.accessors import Accessor, Operand
from agentassert.expressions.operators import AnyOrder
from agentassert.expressions.source import Source, place_of
from agentassert.expressions.terms import (
    Seen,
    Term,
    all_of,
    any_of,
    collection_of,
    comparison_of,
    constant,
    negation_of,
    numbers_in,
    seen_as_equal,
    seen_in,
    truth_of,
)
from agentassert.records import Status
from agentassert.text.nearest import did_you_mean

DEEPEST: Final = 50
"""Levels that an expression may be nested."""

_CONSTANTS: Final = {"true": True, "false": False, "null": None}

Comparison: TypeAlias = Callable[[Any, Any], bool]
_COMPARISONS: Final[dict[type[ast.cmpop], Comparison]] = {
    ast.Eq: operators.same,
    ast.Is: operators.same,
    ast.Lt: operators.less,
    ast.LtE: operators.less_or_equal,
    ast.Gt: operators.greater,
    ast.GtE: operators.greater_or_equal,
    ast.In: operators.contains,
}
_NEGATIONS: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {ast.NotEq: ast.Eq, ast.IsNot: ast.Is, ast.NotIn: ast.In}
_EQUALITIES: Final = (ast.Eq, ast.Is)
_CONDITIONS: Final = (ast.BoolOp, ast.Compare, ast.UnaryOp)

_STATUSES: Final = tuple(status.value for status in Status)

_ONE_TEXT: Final = re.compile(
    r"""[rRuU]?(?:'{3}(?:[^'\\]|\\.|'{1,2}(?!'))*'{3}|"{3}(?:[^"\\]|\\.|"{1,2}(?!"))*"{3}|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
)
"""Python reads texts that follow each other as one, so that a forgotten comma would change what is compared, and tell nobody."""

_NO_CALLS: Final = "functions and methods are not part of expressions: compare what was recorded, or check it in Python"
_NO_CALCULATION: Final = "expressions compare and do not calculate: write the result"
_NO_OTHER: Final = "this is not part of the language of expressions"
_JOINED_BY_AND: Final = "conditions are joined with the word: write `and`"
_MEANT: Final[dict[type[ast.operator], str]] = {
    ast.BitAnd: _JOINED_BY_AND,
    ast.BitOr: "conditions are joined with the word: write `or`",
}
_REFUSED: Final[dict[type[ast.expr], str]] = {
    ast.Call: _NO_CALLS,
    ast.Lambda: _NO_CALLS,
    ast.BinOp: _NO_CALCULATION,
    ast.UnaryOp: _NO_CALCULATION,
    ast.IfExp: "there is no `if` in expressions: use `and` and `or`",
    ast.JoinedStr: "text stands for itself, without an f before it",
    ast.NamedExpr: "expressions assign nothing: compare with ==",
    ast.Starred: "a star has no meaning in an expression",
    ast.Slice: "a part of a list cannot be cut out: read one item, such as [0] or [-1]",
}


def compiled(source: Source, names: Sequence[str]) -> Term:
    """The condition that `source` states.

    Args:
        source: the expression.
        names: the names that it may use.

    Raises:
        ExpressionError: when it is none.
    """
    return _Compiler(source, names).condition(source.tree(), 0)


@attrs.frozen(eq=False)
class _Compiler:
    source: Source
    names: Sequence[str]

    def condition(self, node: ast.expr, depth: int) -> Term:
        """A part that is true or not."""
        self._check_depth(node, depth)
        if isinstance(node, ast.Tuple):
            self.source.refuse_at(node, _JOINED_BY_AND)
        if isinstance(node, ast.BoolOp):
            return self._joined(node, depth)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            term = self.condition(node.operand, depth + 1)
            return self._term(node, negation_of(term.of), [term], is_truth=True)
        term = self._operand(node, depth)
        if not term.seen:
            problem = f"{term.text} is the same whatever the agent does: a condition looks at {self._some_name}"
            self.source.refuse_at(node, problem)
        if term.is_truth:
            return term
        if term.accessor is None:
            self.source.refuse_at(node, f"{term.text} is no condition: compare it with something")
        return attrs.evolve(term, of=truth_of(term.of))

    def _operand(self, node: ast.expr, depth: int) -> Term:
        """A part that has a value."""
        self._check_depth(node, depth)
        if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
            return self._accessor_or_constant(node)
        if isinstance(node, ast.Compare):
            return self._comparison(node, depth)
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            return self._list(node, depth)
        if isinstance(node, ast.Dict):
            return self._object(node, depth)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return self.condition(node, depth)
        if isinstance(node, ast.BoolOp):
            if not all(isinstance(value, _CONDITIONS) for value in node.values):
                # `x == ("a" or "b")` would mean `x == "a"`, which nobody who writes it means.
                fix = "compare with `in [...]`, or each by itself"
                self.source.refuse_at(node, f"`and` and `or` join conditions, not values: {fix}")
            return self.condition(node, depth)
        value = self._literal(node)
        numbers = (value,) if type(value) is int or type(value) is float else ()
        return Term(constant(value), self.source, place_of(node), numbers=numbers)

    def _joined(self, node: ast.BoolOp, depth: int) -> Term:
        terms = [self.condition(value, depth + 1) for value in node.values]
        operands = [term.of for term in terms]
        if isinstance(node.op, ast.Or):
            return self._term(node, any_of(operands), terms, is_truth=True)
        parts = tuple(part for term in terms for part in (term.parts or (term,)))
        return self._term(node, all_of(operands), terms, is_truth=True, parts=parts)

    def _comparison(self, node: ast.Compare, depth: int) -> Term:
        operands = [(one, self._operand(one, depth + 1)) for one in (node.left, *node.comparators)]
        terms = [term for _, term in operands]
        place = place_of(node)
        pairs: list[Operand] = []
        for op, (left_node, left), (right_node, right) in zip(node.ops, operands, operands[1:], strict=False):
            self._check_statuses(op, left, left_node, right, right_node)
            self._check_is_of_two(left, left_node, right)
            pairs.append(comparison_of(_comparison(op, left, right), left.of, right.of, self.source, place))
        if len(pairs) > 1:
            return self._term(node, all_of(pairs), terms, is_truth=True)
        seen = seen_as_equal(*terms) if isinstance(node.ops[0], _EQUALITIES) else None
        return self._term(node, pairs[0], terms, seen=seen, is_truth=True)

    def _list(self, node: ast.List | ast.Tuple | ast.Set, depth: int) -> Term:
        return self._collection(node, node.elts, AnyOrder if isinstance(node, ast.Set) else list, depth)

    def _object(self, node: ast.Dict, depth: int) -> Term:
        keys: list[str] = []
        for key in node.keys:
            if not isinstance(key, ast.Constant) or type(key.value) is not str:
                self.source.refuse_at(node, "the keys of an object are text in quotes")
            if key.value in keys:
                self.source.refuse_at(key, f"the key {key.value!r} is there twice")
            keys.append(key.value)
        return self._collection(node, node.values, lambda items: dict(zip(keys, items, strict=True)), depth)

    def _collection(self, node: ast.expr, items: Sequence[ast.expr], whole: Callable[[list[Any]], Any], depth: int) -> Term:
        terms = [self._operand(item, depth + 1) for item in items]
        for item in items:
            if isinstance(item, ast.Set):
                self.source.refuse_at(item, "a set cannot stand inside something else: write a list")
        return self._term(node, collection_of([term.of for term in terms], whole), terms)

    def _accessor_or_constant(self, node: ast.expr) -> Term:
        if isinstance(node, ast.Name) and node.id in _CONSTANTS:
            return Term(constant(_CONSTANTS[node.id]), self.source, place_of(node))
        steps: list[str | int] = []
        root = node
        while isinstance(root, (ast.Attribute, ast.Subscript)):
            steps.append(self._step(root))
            root = root.value
        if type(root) in _REFUSED:
            self.source.refuse_at(root, _REFUSED[type(root)])
        if not isinstance(root, ast.Name) or root.id in _CONSTANTS:
            self.source.refuse_at(root, f"{self.source.part_of(root)} has no parts: a path begins with {self._some_name}")
        if root.id not in self.names:
            nearest = did_you_mean(root.id, self.names)
            if not nearest.endswith("?") and "params" in self.names:
                nearest = f"did you mean 'params.{root.id}'?"
            meant = f"{nearest} The" if nearest.endswith("?") else "the"
            self.source.refuse_at(root, f"{root.id!r} is unknown here; {meant} names are {', '.join(self.names)}")
        accessor = Accessor(self.source.part_of(node), root.id, tuple(reversed(steps)))
        return Term(accessor.value, self.source, place_of(node), accessor, (Seen(accessor),))

    def _step(self, node: ast.Attribute | ast.Subscript) -> str | int:
        if isinstance(node, ast.Attribute):
            if node.attr.startswith("_"):
                self.source.refuse_at(node, f'names that begin with _ are not read by a dot: write ["{node.attr}"]')
            if not self.source.line.isascii() and not self.source.part_of(node).endswith(node.attr):
                # Python reads a ligature as its letters, and the sign for micro as a Greek letter; keys of JSON are what they are.
                written = self.source.part_of(node).rpartition(".")[2].strip()
                self.source.refuse_at(node, f'{written!r} would be read as {node.attr!r}: write ["{written}"]')
            return node.attr
        step = node.slice
        if isinstance(step, ast.Slice):
            self.source.refuse_at(node, _REFUSED[ast.Slice])
        value = self._literal(step) if isinstance(step, (ast.Constant, ast.UnaryOp)) else None
        if type(value) is not str and type(value) is not int:
            self.source.refuse_at(step, "in [...] stands text in quotes or a whole number")
        return value

    def _literal(self, node: ast.expr) -> Any:
        """The value of text, a number or a word for a constant."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            number = node.operand.value if isinstance(node.operand, ast.Constant) else None
            if (type(number) is int or type(number) is float) and number < math.inf:
                return -number
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and not _ONE_TEXT.fullmatch(self.source.part_of(node)):
            self.source.refuse_at(node, "two texts follow each other: a comma is missing, or quotes are too many")
        if isinstance(node, ast.Constant) and (isinstance(node.value, (str, int, type(None))) or _is_finite(node.value)):
            return node.value
        if isinstance(node, ast.Constant) and isinstance(node.value, float):
            self.source.refuse_at(node, "this number is too large")
        if isinstance(node, ast.BinOp) and type(node.op) in _MEANT:
            self.source.refuse_at(node, _MEANT[type(node.op)])
        return self.source.refuse_at(node, _REFUSED.get(type(node), _NO_OTHER))

    def _term(
        self,
        node: ast.expr,
        of: Operand,
        inside: Sequence[Term],
        *,
        seen: tuple[Seen, ...] | None = None,
        is_truth: bool = False,
        parts: tuple[Term, ...] = (),
    ) -> Term:
        """A term that has others inside; of the tree it keeps nothing, which many expressions would fill the memory with."""
        return Term(
            of=of,
            source=self.source,
            place=place_of(node),
            seen=seen_in(inside) if seen is None else seen,
            numbers=numbers_in(inside),
            is_truth=is_truth,
            parts=parts,
        )

    def _check_statuses(self, op: ast.cmpop, left: Term, left_node: ast.expr, right: Term, right_node: ast.expr) -> None:
        """Refuse a status that no invocation has: a misspelt one would make `!=` hold for ever."""
        if left.is_status:
            compared = right_node.elts if isinstance(right_node, (ast.List, ast.Tuple, ast.Set)) else [right_node]
        elif right.is_status and not isinstance(op, (ast.In, ast.NotIn)):
            compared = [left_node]
        else:
            return
        for one in compared:
            if isinstance(one, ast.Constant) and isinstance(one.value, str) and one.value not in _STATUSES:
                self.source.refuse_at(one, f"no invocation has the status {one.value!r}; {did_you_mean(one.value, _STATUSES)}")

    def _check_is_of_two(self, left: Term, left_node: ast.expr, right: Term) -> None:
        """Refuse the same path on both sides, which is equal to itself whatever the agent does."""
        paths = [(one.accessor.root, one.accessor.steps) for one in (left, right) if one.accessor is not None]
        if len(paths) > 1 and paths[0] == paths[1]:
            self.source.refuse_at(left_node, f"{left.text} is compared with itself: write what it must be")

    def _check_depth(self, node: ast.expr, depth: int) -> None:
        if depth > DEEPEST:
            self.source.refuse_at(node, f"an expression is nested at most {DEEPEST} levels deep")

    @property
    def _some_name(self) -> str:
        return f"one of {', '.join(self.names)}"


def _is_finite(value: object) -> bool:
    return isinstance(value, float) and value < math.inf


def _comparison(op: ast.cmpop, left: Term, right: Term) -> Comparison:
    """What `op` means, which takes more for equal where one side is an argument that a model sent."""
    if type(op) in _NEGATIONS:
        return operators.negated(_comparison(_NEGATIONS[type(op)](), left, right))
    if isinstance(op, ast.In) and left.is_argument:
        return functools.partial(operators.contains, is_item=operators.same_argument)
    if isinstance(op, _EQUALITIES) and left.is_argument:
        return operators.same_argument
    if isinstance(op, _EQUALITIES) and right.is_argument:
        return lambda value, argument: operators.same_argument(argument, value)
    return _COMPARISONS[type(op)]
