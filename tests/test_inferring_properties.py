"""Several loops over an SDK at once, in every form that their histories take: what is inferred is what ran.

The oracle is the loops themselves: they know for each request whether it ran, what came of it, and whether its result was sent back.
"""

from __future__ import annotations

import random

import attrs
from hypothesis import given, settings
from hypothesis import strategies as st

from agentassert import Outcome, capture, record, recorder
from agentassert.recording.exchanges import Exchange
from tests.loops import asked, text, told

NAMES = "get", "pay"
FORMS = "whole", "cut off", "summed up", "other beginning", "cleared"


@attrs.define
class Ran:
    """What became of one request."""

    name: str
    number: int
    result: str | None = None
    recorded: bool = False
    sent: bool = False

    @property
    def expected(self):
        if self.recorded:
            return self.name, self.number, self.result, Outcome.SUCCEEDED, False
        outcome = Outcome.SUCCEEDED if self.sent else Outcome.UNKNOWN
        return self.name, self.number, self.result if self.sent else None, outcome, True


class Simulated:
    """A loop whose turns are decided at random; `tells_apart` says whether its words are its own."""

    def __init__(self, chance, number, form, *, tells_apart, ids_of_its_own, seeded):
        self.chance, self.form = chance, form
        self.words = f"of loop {number}" if tells_apart else ""
        self.prefix = f"{number}-" if ids_of_its_own else ""
        self.ids = iter(range(10_000)) if ids_of_its_own else None
        self.turn = 0
        self.ran = []
        self.waiting = []
        self.history = [text(f"instructions {self.words}")]
        if seeded:
            self.history += [asked(("get", {"n": 0}, "call_0")), told("seeded", "call_0"), text(f"thanks {self.words}")]
        self.history.append(text(f"question {self.words}"))

    def step(self):
        """One request and its response, and the tools that it asks for."""
        self.turn += 1
        for one in self.waiting:
            one.sent = True
        call = recorder.start_model_call(adapter="sdk")
        call.exchange = Exchange(tuple(self.history))
        asks = [(self.chance.choice(NAMES), self.chance.randrange(2)) for _ in range(self.chance.choice((0, 1, 1, 2, 3)))]
        requests = [(name, {"n": number}, self._id(index)) for index, (name, number) in enumerate(asks)]
        call.respond(
            text=None if asks else "Done.",
            requests=[{"name": name, "arguments": arguments, "call_id": call_id} for name, arguments, call_id in requests],
        )
        self.waiting = [Ran(name, number) for name, number in asks]
        self.ran += self.waiting
        if not requests:
            self.history += [text(f"said {self.words}"), text(f"question {self.turn} {self.words}")]
        else:
            self.history.append(asked(*requests))
            self.history += [told(self._run(one), call_id) for one, (_, _, call_id) in zip(self.waiting, requests, strict=True)]
        self._change_form(len(requests))

    def _id(self, index):
        return f"call_{index}" if self.ids is None else f"call_{self.prefix}{next(self.ids)}"

    def _run(self, one):
        one.result = f"result {self.chance.randrange(3)} {self.words}"
        one.recorded = one.name == "pay"
        if one.recorded:
            given = one.number if self.chance.random() < 0.5 else str(one.number)
            record.tool_execution("pay", {"n": given}, result=one.result)
        return one.result

    def _change_form(self, results):
        newest = results + 1 if results else 2
        if self.form == "cut off" and len(self.history) > newest + 4:
            del self.history[: -newest - 2]
        elif self.form == "summed up" and self.chance.random() < 0.3:
            self.history[: -newest - 1] = [text(f"summary {self.turn} {self.words}")]
        elif self.form == "cleared":
            self.history[:-newest] = [
                told("cleared", one.results[0].call_id) if one.results else one for one in self.history[:-newest]
            ]
        elif self.form == "other beginning":
            self.history[0] = text(f"it is {self.turn} o'clock {self.words}")


def simulated(data, forms, *, tells_apart):
    chance = random.Random(data.draw(st.integers(0, 2**32)))
    loops = [
        Simulated(
            chance,
            number,
            data.draw(st.sampled_from(forms)),
            tells_apart=tells_apart,
            ids_of_its_own=tells_apart and data.draw(st.booleans()),
            seeded=data.draw(st.booleans()),
        )
        for number in range(data.draw(st.integers(1, 4)))
    ]
    with capture(unreported_tools="succeeded") as cap:
        for _ in range(data.draw(st.integers(1, 25))):
            chance.choice(loops).step()
    tools = cap.invocation.tool_executions if cap.invocations else ()
    found = [(one.name, int(one.arguments["n"]), one.result, one.outcome, one.inferred) for one in tools]
    return sorted(found, key=repr), sorted((one.expected for loop in loops for one in loop.ran), key=repr)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_loops_side_by_side_are_inferred_as_they_ran(data):
    found, expected = simulated(data, FORMS, tells_apart=True)

    assert found == expected


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_loops_that_nothing_tells_apart_are_counted_right(data):
    found, expected = simulated(data, ("whole", "cut off"), tells_apart=False)

    assert found == expected
