"""Strategies for expressions: right ones, nearly right ones, and what people have tried in order to get out of other languages."""

from __future__ import annotations

import ast
import itertools

from hypothesis import strategies as st

from agentassert.expressions import RESULT_NAMES

ESCAPES = [
    "().__class__.__bases__[0].__subclasses__()",
    "''.__class__.__mro__[1].__subclasses__()[104].__init__.__globals__['sys']",
    "output.__class__.__base__.__subclasses__()",
    "output.__init__.__globals__['__builtins__']['eval']('1')",
    "output['__class__'].__mro__",
    "__import__('os').system('true')",
    "getattr(output, '__cla' + 'ss__')",
    "eval('1+1')",
    "exec('import os')",
    "open('/etc/passwd').read()",
    "globals()['__builtins__']",
    "breakpoint()",
    "vars()",
    "'{0.__class__.__mro__}'.format(output)",
    "'%s' % output",
    "f'{output.__class__}'",
    "f'{output!r:{context}}'",
    "(lambda: output)()",
    "(lambda f: f(f))(lambda f: f(f))",
    "[x for x in output]",
    "[c for c in ().__class__.__base__.__subclasses__() if c.__name__ == 'Popen']",
    "{x: y for x, y in output}",
    "{x for x in output}",
    "(x for x in output).gi_frame.f_back.f_globals",
    "(g := (x for x in [1])).gi_frame",
    "(x := output) == x",
    "[*output]",
    "{**output}",
    "output if output else context",
    "output[0:10 ** 9]",
    "output[::-1]",
    "output[...]",
    "output[output]",
    "await output",
    "(yield output)",
    "(yield from output)",
    "9 ** 9 ** 9",
    "1 << 10 ** 9",
    "'a' * 10 ** 9",
    "[0] * 10 ** 9 == output",
    "-output == 1",
    "~output == 1",
    "+1 == output",
    "1j == output",
    "b'a' in output",
    "... == output",
    "output @ context",
    "output. __\uff43lass__",
    "output.__\uff43\uff4c\uff41\uff53\uff53__",
    "output.\uff3f\uff3fclass\uff3f\uff3f",
    "\uff45\uff56\uff41\uff4c('1')",
    "\U0001d4ee\U0001d4ff\U0001d4ea\U0001d4f5('1')",
    "output.\N{MATHEMATICAL BOLD SMALL I}d.__dict__",
    "outp\N{CYRILLIC SMALL LETTER U}t == 1",
    "output\N{ZERO WIDTH SPACE} == 1",
    "\N{RIGHT-TO-LEFT OVERRIDE}output == 1",
    "output == 1\x00",
    "output == '\ud800'",
    "output == 1; import os",
    "output == 1\nimport os",
    "output == 1) or (True",
    "output == 1 # and output == 2",
    "import os",
    "del output",
    "print(output)",
    "print output",
    "assert output",
    "output: int",
    "output = 1",
    "output == 1 \\\n or True",
    "raise SystemExit",
    "exit()",
    "type(output)",
    "type('X', (), {})",
    "object.__reduce__",
    "int.from_bytes",
    "str.join",
    "output.mro",
    "_",
    "__builtins__",
    "__name__",
    "self",
    "__",
    "True.real",
    "(1).bit_length()",
    "'a'.join(output)",
    "''[0]",
    "[][0]",
    "{}['a']",
    "not " * 499 + "output",
    "-" * 1999 + "1",
    "(" * 999 + "output" + ")" * 999,
    "[" * 999 + "]" * 999,
    "{'a':" * 300 + "1" + "}" * 300 + " == output",
    "output" + ".a" * 990,
    "output" + "[0]" * 660,
    "output" + " is output" * 190,
    "output" + " in output" * 190,
    "output == 1" + " or output == 1" * 125,
    "output == " + "9" * 1980,
    "output == 0x" + "f" * 1980,
    "output == 1e" + "9" * 1980,
    "output == '" + "a" * 1980 + "'",
    "output == 1" + " " * 10_000,
    "a" * 100_000,
]
"""What has been published against evaluators of Python's expressions, and what only wants to take long."""

NAMES = st.sampled_from([*RESULT_NAMES, "output", "context", "outptu", "params", "eval", "__class__", "true", "None"])
STEPS = st.sampled_from(
    [
        ".id",
        ".items",
        ".n",
        ".text",
        ".deep.er",
        ".__class__",
        ".class",
        "._x",
        "[0]",
        "[-1]",
        "[9]",
        '["id"]',
        "['a b']",
        "[:]",
        "()",
    ]
)
PATHS = st.builds(lambda name, steps: name + "".join(steps), NAMES, st.lists(STEPS, max_size=4))
LITERALS = st.one_of(
    st.integers(-100, 100).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.text(max_size=6).map(repr),
    st.sampled_from(["true", "False", "null", "None", "1j", "b''", "...", "f''", "10 ** 9", "[]", "{}", "()"]),
)
OPERATORS = st.sampled_from(
    [" == ", " != ", " < ", " <= ", " > ", " >= ", " in ", " not in ", " is ", " is not ", " = ", " + ", "."]
)


def _larger(smaller):
    return st.one_of(
        st.builds(lambda left, op, right: f"{left}{op}{right}", smaller, OPERATORS, smaller),
        st.builds(
            lambda left, word, right: f"{left} {word} {right}", smaller, st.sampled_from(["and", "or", "if", "&", ","]), smaller
        ),
        smaller.map(lambda inner: f"not {inner}"),
        smaller.map(lambda inner: f"({inner})"),
        smaller.map(lambda inner: f"-{inner}"),
        st.lists(smaller, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
        st.lists(smaller, max_size=3).map(lambda items: f"{{{', '.join(items)}}}"),
        st.builds(lambda key, value: f"{{{key}: {value}}}", LITERALS, smaller),
        st.builds(lambda function, inner: f"{function}({inner})", NAMES, smaller),
        smaller.map(lambda inner: f"[x for x in {inner}]"),
        smaller.map(lambda inner: f"lambda: {inner}"),
    )


WRITTEN = st.recursive(st.one_of(PATHS, LITERALS), _larger, max_leaves=12)
TOKENS = st.lists(
    st.sampled_from(
        [*" .,:;()[]{}'\"\\#\n\t=!<>+-*/%&|^~@_$?`", "output", "error", "and", "or", "not", "in", "is", "1", "'a'", "é", "\uff45"]
    ),
    max_size=40,
).map("".join)


@st.composite
def _damaged(draw):
    text = draw(st.one_of(WRITTEN, st.sampled_from([one for one in ESCAPES if len(one) < 3_000])))
    at = draw(st.integers(0, len(text)))
    return text[:at] + draw(st.text(max_size=3)) + text[at + draw(st.integers(0, 3)) :]


RIGHT_PATHS = st.builds(
    lambda name, steps: name + "".join(steps),
    st.sampled_from([name for name in RESULT_NAMES if name != "status"]),
    st.lists(
        st.sampled_from([".id", ".items", ".n", ".text", ".deep.er", ".object", "[0]", "[-1]", "[4]", '["a b"]']), max_size=3
    ),
)
RIGHT_LITERALS = st.one_of(
    st.integers(-10, 10).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.text(st.characters(codec="utf-8", exclude_categories=["C"]), max_size=6).map(repr),
    st.sampled_from(["true", "false", "null", "True", "None", "[]", '[1, "a", {"id": 1}]', '{"id": output.id}', '{"a", 1}']),
)
OPERANDS = st.one_of(RIGHT_PATHS, RIGHT_LITERALS)


def compares_nothing_with_itself(text: str) -> bool:
    """Whether no comparison has the same on both sides, which is refused; tells right expressions from those."""
    chains = [[node.left, *node.comparators] for node in ast.walk(ast.parse(text, mode="eval")) if isinstance(node, ast.Compare)]
    return not any(ast.dump(left) == ast.dump(right) for chain in chains for left, right in itertools.pairwise(chain))


COMPARISONS = st.sampled_from([" == ", " != ", " < ", " <= ", " > ", " >= ", " in ", " not in ", " is ", " is not "])
RIGHT = st.recursive(
    st.one_of(RIGHT_PATHS, st.builds(lambda left, op, right: f"{left}{op}{right}", RIGHT_PATHS, COMPARISONS, OPERANDS)),
    lambda smaller: st.one_of(
        st.builds(lambda left, word, right: f"({left}) {word} {right}", smaller, st.sampled_from(["and", "or"]), smaller),
        smaller.map(lambda inner: f"not ({inner})"),
        st.builds(lambda left, right: f"(not {left}) == {right}", RIGHT_PATHS, OPERANDS),
    ),
    max_leaves=6,
).filter(compares_nothing_with_itself)
"""Expressions that are none but right ones."""

EXPRESSIONS = st.one_of(RIGHT, RIGHT, WRITTEN, TOKENS, _damaged(), st.text(max_size=60), st.sampled_from(ESCAPES))


class Hostile:
    """An object that notices when anybody asks it anything."""

    def __init__(self) -> None:
        object.__setattr__(self, "asked", [])

    def __getattribute__(self, name):
        if name in ("asked", "__class__"):
            return object.__getattribute__(self, name)
        object.__getattribute__(self, "asked").append(name)
        raise RuntimeError(name)

    def _noticed(self, *_):
        object.__getattribute__(self, "asked").append("special method")
        raise RuntimeError("a special method ran")

    __bool__ = __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __contains__ = __getitem__ = __iter__ = __len__ = _noticed
    __call__ = __index__ = __int__ = __float__ = __setattr__ = _noticed
    __hash__ = object.__hash__


def values(hostile):
    """What the names stand for: a little of everything, hostile objects included."""
    return {
        "output": {
            "id": 9,
            "items": [1, "a", None, {"id": 1}, hostile],
            "n": float("nan"),
            "text": "hello",
            "deep": {"er": [[[]]], "object": hostile},
            "a b": True,
            "__class__": "a key",
            "object": hostile,
        },
        "output_text": "hello",
        "error": None,
        "status": "completed",
        "context": hostile,
    }
