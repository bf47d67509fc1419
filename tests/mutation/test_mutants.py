"""The mistakes that are made in the library, and that the tests are asked to notice, are the ones that are meant."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys

import pytest

from tests.mutation.explained import explained
from tests.mutation.mutants import modules_of, mutants_of
from tests.mutation.operators import replacements


def mutations(text, field="value"):
    (statement,) = ast.parse(text).body
    node = statement.value if isinstance(statement, ast.Expr) else statement
    return [ast.unparse(ast.fix_missing_locations(one)) for one in replacements(node, field)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a < b", ["a <= b", "a >= b"]),
        ("a == b in c", ["a != b in c", "a == b not in c"]),
        ("a and b", ["a or b", "b", "a"]),
        ("a or b or c", ["a and b and c", "b or c", "a or c", "a or b"]),
        ("not a", ["a"]),
        ("-a", ["a"]),
        ("a + b", ["a - b"]),
        ("a @ b", []),
        ("True", ["False"]),
        ("2", ["3"]),
        ("'a'", ["'XXa'"]),
        ("None", []),
        ("a if b else c", ["a", "c"]),
        ("sorted(a, key=b, strict=True)", ["list(a, key=b, strict=True)", "sorted(a, strict=True)"]),
        ("a.strip()", ["a"]),
        ("a.startswith(b)", ["a.endswith(b)"]),
        ("[a, b]", ["[b]", "[a]"]),
        ("{a: b, c: d}", ["{c: d}", "{a: b}"]),
        ("lambda a: b", ["lambda a: None"]),
        ("(yield a)", ["(yield None)"]),
        ("(yield from a)", ["(yield from ())"]),
        ("f(a)", []),
        ("return a", ["return None"]),
        ("return True", []),
        ("a = b", ["a = None"]),
        ("a = None", []),
        ("a += b", ["pass", "a -= b"]),
        ("del a", ["pass"]),
        ("raise TypeError(a)", ["pass", "raise ValueError(a)"]),
        ("raise a", ["pass"]),
    ],
)
def test_a_piece_of_a_program_has_these_mistakes_made_in_it(text, expected):
    assert expected == mutations(text)


def test_a_condition_is_turned_round_and_what_is_caught_is_let_through():
    assert ["not a"] == mutations("a", "test")
    assert ["True", "not a"] == mutations("a", "ifs")
    assert ["()"] == mutations("KeyError", "type")
    assert ["a >= b", "a <= b"] == mutations("a > b", "test")


SHOP = '''"""A shop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from decimal import Decimal

Price: TypeAlias = "int | Decimal"
RATES: Final[dict[str, int]] = {"book": 7}


def total(price: Price, kind: str = "book") -> int:
    """What it costs."""
    return price + price * RATES[kind] // 100


class Basket:
    __slots__ = ("prices",)

    def __init__(self) -> None:
        self.prices: list[int] = []

    def add(self, price: int) -> None:
        if price < 0:
            raise ValueError("a price is not negative")
        self.prices.append(price)
'''
CHECKS = """
import pytest
from hypothesis import given, strategies
from shop import Basket, total

def test_total():
    assert total(100) == 107
    assert total(100, "book") == 107

@given(strategies.integers(1, 9))
def test_basket(price):
    basket = Basket()
    basket.add(price)
    assert basket.prices == [price]
    with pytest.raises(ValueError, match="a price is not negative"):
        basket.add(-price)
"""
SURVIVING = [
    "shop:Basket.add: price < 0 -> price <= 0",
    "shop:Basket.add: 0 -> 1",
    "shop:Basket.add: 'a price is not negative' -> 'XXa price is not negative'",
]


@pytest.fixture
def shop(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop.py").write_text(SHOP, encoding="utf-8")
    (tmp_path / "test_shop.py").write_text(CHECKS, encoding="utf-8")
    return tmp_path


def test_what_is_there_for_readers_alone_is_left_as_it_is(shop):
    names = [mutant.name for mutant in mutants_of("shop")]

    assert "shop:: 'book' -> 'XXbook'" in names
    assert "shop:total: price * RATES[kind] // 100 -> price * RATES[kind] * 100" in names
    assert not [name for name in names if any(word in name for word in ("Price", "'prices'", "costs", "XXint"))]
    assert len(names) == len(set(names))


def test_a_package_stands_for_its_modules(shop):
    (shop / "store" / "floor").mkdir(parents=True)
    for name in ("__init__.py", "till.py", "floor/__init__.py", "floor/shelf.py"):
        (shop / "store" / name).touch()

    assert ["store", "store.floor", "store.floor.shelf", "store.till"] == sorted(modules_of(["store", "store.till"]))
    with pytest.raises(FileNotFoundError, match=r"no module or package 'stroe': there is no .*stroe\.py"):
        modules_of(["stroe"])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="each mutant is judged in a fork, which this system does not have")
def test_what_the_tests_do_not_notice_is_told_and_judged_again_next_time(shop, project):
    command = [
        sys.executable,
        "-m",
        "tests.mutation",
        "shop",
        "--tests",
        "test_shop.py",
        "--results",
        "results",
        "--processes",
        "2",
    ]
    environment = {**os.environ, "PYTHONPATH": f"{shop}{os.pathsep}{project}"}
    first = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    lines = [json.loads(line) for line in (shop / "results").read_text(encoding="utf-8").splitlines()]

    assert first.returncode == 1, first.stderr
    assert sorted(SURVIVING) == sorted(line["mutant"] for line in lines if line["outcome"] == "SURVIVED")
    assert all(f"    {name}\n" in first.stdout for name in SURVIVING)
    assert "'KILLED'" in first.stdout
    assert len(mutants_of("shop")) == len({line["mutant"] for line in lines})

    with (shop / "test_shop.py").open("a", encoding="utf-8") as file:
        file.write("""
def test_nothing_is_given_away():
    Basket().add(0)
    with pytest.raises(ValueError, match="^a price is not negative$"):
        Basket().add(-1)
""")
    second = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    later = (shop / "results").read_text(encoding="utf-8").splitlines()[len(lines) :]

    assert second.returncode == 0, second.stdout
    assert sorted(SURVIVING) == sorted(json.loads(line)["mutant"] for line in later)


def test_every_explanation_is_about_a_mutant_that_there_is(project, monkeypatch):
    monkeypatch.chdir(project)
    reasons = explained()
    there = {mutant.name for module in {name.partition(":")[0] for name in reasons} for mutant in mutants_of(module)}

    assert not reasons.keys() - there
    assert all(reason.strip() for reason in reasons.values())
