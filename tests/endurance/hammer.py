"""Many threads that record, read, store and assert at the same time, hand-written agents alone: what the recorder itself shares between threads.

It needs no framework, so it runs on interpreters that no framework supports yet, such as those without a global lock.
"""

from __future__ import annotations

import random
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import attrs

from agentassert import Capture, Outcome, Status, assert_that, capture, mocked_tools, record, returns


class BrokenError(Exception):
    """What a tool raises now and then."""


@attrs.define
class Hammered:
    """What came of it.

    Args:
        seed: of everything that is drawn.
        tools: how many tool executions there were.
        wrong: what is wrong, in words.
    """

    seed: int
    tools: int = 0
    wrong: list[str] = attrs.Factory(list)

    def __str__(self) -> str:
        return f"seed {self.seed}: {self.tools:,} tool executions, {len(self.wrong)} wrong"


def hammer(seed: int, threads: int, rounds: int) -> Hammered:
    """Let so many threads do so many captures each, all in one capture, while another thread reads that one all the time."""
    hammered = Hammered(seed)
    truths: list[Counter[tuple[str, str]]] = [Counter() for _ in range(threads)]
    done = threading.Event()
    start = threading.Barrier(threads + 1)

    def work(number: int) -> None:
        start.wait()
        draw = random.Random(f"{seed} {number}")
        for round_ in range(rounds):
            try:
                _one(draw, f"{number}.{round_}", truths[number], hammered.wrong)
            except Exception as error:
                hammered.wrong.append(f"{number}.{round_}: {error!r}")

    def watch(cap: Capture) -> None:
        start.wait()
        seen = 0
        while not done.is_set():
            try:
                there = len([one for top in cap.invocations for one in top.with_nested()])
            except Exception as error:
                hammered.wrong.append(f"the reader: {error!r}")
                return
            if there < seen:
                hammered.wrong.append(f"the reader saw {seen} invocations, and then {there}")
            seen = there
            done.wait(0.01)

    with capture("everything") as everything:
        reader = threading.Thread(target=watch, args=(everything,))
        workers = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
        for thread in (reader, *workers):
            thread.start()
        for thread in workers:
            thread.join()
        done.set()
        reader.join()
    truth = sum(truths, Counter())
    hammered.tools = truth.total()
    compare("everything", everything, truth, hammered.wrong)
    return hammered


def _one(draw: random.Random, name: str, overall: Counter[tuple[str, str]], wrong: list[str]) -> None:
    """One capture: an agent whose tools run in a pool, among them agents, generators and mocked ones."""
    truth: Counter[tuple[str, str]] = Counter()
    lock = threading.Lock()

    def note(tool: str, outcome: Outcome) -> None:
        with lock:
            truth[tool, outcome] += 1

    @record.tool
    def look_up(topic: str) -> str:
        if topic == "broken":
            note("look_up", Outcome.FAILED)
            raise BrokenError(topic)
        note("look_up", Outcome.SUCCEEDED)
        return topic

    @record.tool
    def mocked(topic: str) -> str:
        raise AssertionError("the double runs in its place")

    @record.tool
    def pages(topic: str) -> Any:
        note("pages", Outcome.SUCCEEDED)
        yield from topic

    @record.agent(f"inner {name}")
    def inner(topic: str) -> str:
        with record.model_call("small", messages=topic) as call:
            call.respond(topic)
        return "".join(pages(topic))

    def step(index: int) -> None:
        kind = draws[index]
        if kind == "inner":
            inner(f"{name} {index}")
        elif kind == "mocked":
            mocked(f"{name} {index}")
            note("mocked", Outcome.SUCCEEDED)
        else:
            look_up(kind)

    draws = [draw.choice(["inner", "mocked", "broken", "fine"]) for _ in range(draw.randint(2, 6))]
    if "inner" in draws:
        draws = [one for one in draws if one != "inner"] + ["inner"]
    with mocked_tools(inner, {"mocked": returns("double")}), capture(name) as cap, record.invocation(f"outer {name}"):
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda index: _quiet(step, index), range(len(draws))))
    compare(name, cap, truth, wrong)
    overall.update(truth)
    top = cap.invocation
    if (top.name, top.status) != (f"outer {name}", Status.COMPLETED):
        wrong.append(f"{name}: {top.name} {top.status}")
    inside = [one.name for one in top.nested_invocations]
    if inside != [f"inner {name}"] * draws.count("inner"):
        wrong.append(f"{name}: {inside} inside")
    again = Capture.from_json(cap.to_json())
    if draws.count("fine"):
        assert_that(again).including_nested().has_tool_executed_times("look_up", draws.count("fine"))


def _quiet(step: Any, index: int) -> None:
    try:
        step(index)
    except BrokenError:  # what an agent that goes on does with it
        pass


def compare(where: str, cap: Capture, truth: Counter[tuple[str, str]], wrong: list[str]) -> None:
    """Note what is wrong with what a capture holds: how often each tool ran, and how each of them came out."""
    invocations = [one for top in cap.invocations for one in top.with_nested()]
    found = Counter((one.name, one.outcome) for each in invocations for one in each.tool_executions)
    if found != truth:
        wrong.append(f"{where}: {truth - found} is not there, and {found - truth} is too much")
    wrong += [f"{where}: {one.name} is {one.status}" for one in invocations if one.status is not Status.COMPLETED]
    wrong += [f"{where}: {doubt}" for doubt in cap.health.doubts]
    repeated = [name for name, count in Counter(one.id for one in invocations).items() if count > 1]
    wrong += [f"{where}: {len(repeated)} ids stand for several invocations"] if repeated else []
