"""What broke a promise once, every valid input, and a few new ones: each target keeps its promises. And the harness sees when one does not."""

from __future__ import annotations

import itertools
import os
import random
import socket
from pathlib import Path

import pytest

from tests.fuzzing import harness
from tests.fuzzing.harness import FindingError, attempt
from tests.fuzzing.mutation import Mutator, parsed, written
from tests.fuzzing.runs import kind_of, reduced, regressions_of
from tests.fuzzing.targets import REGRESSIONS, Target, targets

TARGETS = targets()


@pytest.mark.parametrize("name", TARGETS)
def test_what_was_found_stays_mended(name):
    target = TARGETS[name]
    for data in (*target.corpus(), *regressions_of(target)):
        attempt(target, data)


def test_every_regression_belongs_to_a_target():
    assert {folder.name for folder in REGRESSIONS.iterdir()} <= TARGETS.keys()


@pytest.mark.parametrize("name", TARGETS)
def test_a_few_changes_of_valid_inputs(name):
    target = TARGETS[name]
    mutator = Mutator(target.corpus(), target.form, target.words, 20_000)
    chance = random.Random(name)
    for _ in range(5):
        attempt(target, mutator.make(chance))


def target_that(run, **options):
    return Target(**{"name": "made", "run": run, "allowed": (ValueError,), "corpus": lambda: [b"{}"], **options})


def refuse(words):
    def run(data):
        raise ValueError(words)

    return run


def spend(data):
    end = os.times().user + 0.4
    while os.times().user < end:
        pass


@pytest.mark.parametrize(
    ("run", "options", "told"),
    [
        (lambda data: 1 // 0, {}, "raises ZeroDivisionError"),
        (lambda data: b"\xff".decode(), {}, "raises UnicodeDecodeError"),
        (lambda data: "".join(data.decode().split(None, 1)[3]), {}, "raises IndexError"),
        (refuse("\x1b[31mred"), {}, r"its message holds '\\x1b'"),
        (refuse("x" * 30_000), {}, "its message has 30,000 characters"),
        (refuse(""), {}, "its message is empty"),
        (spend, {"seconds": 0.05}, "takes [0-9.]+ s for 2 bytes"),
        (lambda data: Path(__file__).read_bytes(), {}, "reaches for open"),
        (lambda data: Path("/nowhere/at/all").mkdir(), {"allowed": (FileNotFoundError,)}, "reaches for os.mkdir"),
        (lambda data: socket.socket().close(), {}, "reaches for socket.__new__"),
        (lambda data: os.system("true"), {}, "reaches for os.system"),
        (lambda data: exec("1"), {}, "reaches for exec"),
    ],
)
def test_a_broken_promise_is_found(run, options, told):
    with pytest.raises(FindingError, match=told):
        attempt(target_that(run, **options), b"{}")


def test_too_much_memory_is_found(monkeypatch):
    peaks = itertools.count(100.0, 20.0)
    monkeypatch.setattr(harness, "_peak", lambda: next(peaks))

    with pytest.raises(FindingError, match="takes 20 MB for 2 bytes"):
        attempt(target_that(lambda data: "x" * 20_000_000, megabytes=5), b"{}")
    assert attempt(target_that(lambda data: "x" * 1_000_000, megabytes=5), b"{}") == "accepted"  # the peak was somebody else's


def test_what_is_allowed_is_told():
    assert attempt(target_that(refuse("$.name: is missing")), b"{}") == "ValueError"
    assert attempt(target_that(lambda data: None), b"{}") == "accepted"


def test_a_finding_is_made_smaller():
    target = target_that(lambda data: 1 // (b"x" not in data))
    data = b"a" * 500 + b"x" + b"b" * 700
    with pytest.raises(FindingError) as found:
        attempt(target, data)

    assert reduced(target, data, kind_of(str(found.value))) == b"x"


def test_changes_are_the_same_for_one_seed_and_leave_the_valid_input_alone():
    data = b'{"a": [1, {"b": "text"}], "a": null}'
    mutator = Mutator([data], "json", ["word"], 10_000)
    made = [mutator.make(random.Random(seed)) for seed in range(200)]

    assert written(parsed(data)) == data
    assert made == [Mutator([data], "json", ["word"], 10_000).make(random.Random(seed)) for seed in range(200)]
    assert len(set(made)) > 100
    assert written(parsed(data)) == data
