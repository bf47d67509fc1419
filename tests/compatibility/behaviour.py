"""What the package does, told line by line: run in two ways, such as with and without `-O`, it must tell the same.

Nothing here asserts, as `-O` takes that away. `python -m tests.compatibility.behaviour FOLDER [PART…]` works in a folder that is empty.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any, Final

BOOKING: Final = {"booking_number": "MS-777"}
SPANS: Final = Path(__file__).parents[1] / "telemetry" / "data" / "pydantic_ai.otlp.json"
TRACKER: Final = Path(__file__).parents[1] / "conversations" / "data" / "booking.json"
_VOLATILE: Final = re.compile(r"0x[0-9a-f]+|(?:< )?\d+(?:\.\d+)? (?:ms|s)\b|\d{4}-\d\d-\d\d[T ][\d:.+-]+")

Steps = Iterator[Callable[[], Any]]


def captured() -> Any:
    """A capture of an agent with a nested one, three tools of which one fails, a model call, a source and an approval."""
    from agentassert import capture, record

    with capture(name="tried") as cap, record.invocation("support_agent", input="Cancel MS-777") as invocation:
        record.sources(["A booking can be cancelled for a day."])
        with record.model_call("scripted", messages="Cancel MS-777") as call:
            call.respond("I look.", finish_reason="stop", input_tokens=3, output_tokens=5)
        record.tool_execution("get_booking", BOOKING, result={"customer": "Ánn", "price": 12.5})
        record.tool_execution("notify", {"to": "Ann"}, error=TimeoutError("no answer"))
        record.approval("cancel_booking", BOOKING, decision="approve")
        with record.invocation("refund_agent", input=12.5):
            record.tool_execution("pay_back", {"amount": 12.5}, result="paid")
        record.tool_execution("cancel_booking", {**BOOKING, "reason": "rain"}, result="cancelled")
        invocation.output = {"status": "cancelled", "booking_number": "MS-777"}
    return cap


def assertions() -> Steps:
    """Chains: passing, failing, misused."""
    from agentassert import assert_that, capture, execution_of, record, soft_assertions

    cap = captured()
    top, whole = (lambda: assert_that(cap).top_level_only()), (lambda: assert_that(cap).including_nested())
    yield lambda: assert_that(cap).has_tool_executed("get_booking")
    yield lambda: top().has_tool_executed_with("get_booking", BOOKING).has_tool_execution_failed("notify")
    yield lambda: top().has_tool_executed_with("get_booking", {"booking_number": "MS-778"})
    yield lambda: top().has_tool_executed_with("get_booking", {})
    yield lambda: top().has_tool_executed_with("get_booking", {"booking_number": int})
    yield lambda: top().has_tool_executed_with("get_booking", lambda arguments: None)
    yield lambda: top().has_tool_executed_with("get_booking", lambda arguments: arguments["booking_number"] == "MS-1")
    yield lambda: top().has_tools_executed_in_order("cancel_booking", "get_booking")
    yield lambda: top().has_tools_executed_exactly_in_order(execution_of("get_booking", {"$.booking_number": "MS-777"}))
    yield lambda: top().has_tools_executed_exactly_in_any_order("get_booking", "cancel_booking")
    yield lambda: top().has_tools_executed_in_order()
    yield lambda: whole().has_no_more_tool_executions()
    yield lambda: whole().has_no_tool_executions("pay_back", "never_heard_of")
    yield lambda: whole().has_no_failed_tool_executions()
    yield lambda: top().has_tool_executed_times("get_booking", -1)
    yield lambda: top().has_total_tokens_at_most(7)
    yield lambda: top().has_retrieved_source_containing("a week")
    yield lambda: top().has_no_pending_approvals().has_tool_rejected("cancel_booking")
    yield lambda: assert_that(cap).has_nested_invocation_satisfying("refund_agent", lambda one: one.has_tool_executed("never"))
    yield lambda: assert_that(cap).has_failed_with(ValueError)
    yield lambda: bool(assert_that(cap))
    yield lambda: assert_that(cap).hasToolExecuted("get_booking")
    yield lambda: assert_that(cap).output_at("$.status").is_equal_to("open")
    yield lambda: assert_that(3).is_greater_than(4)
    yield lambda: assert_that(3).has_tool_executed("get_booking")
    yield lambda: _softly(soft_assertions, lambda: (top().has_tool_executed("one"), top().has_tool_executed("two")))
    yield lambda: assert_that(_failing(capture, record)).has_succeeded()
    yield lambda: assert_that(_failing(capture, record)).has_failed_with(LookupError).has_failed_with_message_containing("gone")
    yield lambda: capture(name="")
    yield lambda: record.tool(3)  # type: ignore[call-overload]


def _softly(soft: Any, run: Callable[[], Any]) -> None:
    with soft():
        run()


def _failing(capture: Any, record: Any) -> Any:
    with capture(expecting_failure=True) as cap, record.invocation("agent"):
        raise LookupError("the booking is gone")
    return cap


def expressions() -> Steps:
    """What suites are made of, asked in Python."""
    from agentassert import assert_that

    cap = captured()
    for text in (
        'status == "completed" and output.status == "cancelled"',
        'output.status == "open"',
        "output.missing.deeper > 3",
        "status ==",
        "__import__('os')",
        "output.status + 1",
    ):
        yield lambda text=text: assert_that(cap).satisfies(text)  # type: ignore[misc]
    yield lambda: assert_that(cap).meets(expected_tool_calls=["get_booking", {"cancel_booking": 'params.reason == "sun"'}])
    yield lambda: assert_that(cap).meets(expected_no_tool_calls=["notify"])
    yield lambda: assert_that(cap).meets()


def snapshots() -> Steps:
    """A snapshot that is missing, written, matched, differs, and is broken."""
    from agentassert import assert_that

    cap, other = captured(), captured().invocation.nested_invocations[0]
    place = Path("kept")

    def asked(subject: Any, *, update: bool = False) -> Any:
        os.environ["AGENTASSERT_UPDATE"] = str(int(update))
        return assert_that(subject).including_nested().matches_snapshot("a booking", directory=place.absolute())

    yield lambda: asked(cap)
    yield lambda: asked(cap, update=True)
    yield lambda: asked(cap)
    yield lambda: asked(other)
    yield lambda: (place / "a booking.trajectory").read_bytes().decode()
    yield lambda: (place / "a booking.trajectory").write_bytes(b"nothing")
    yield lambda: asked(cap)
    yield lambda: assert_that(cap).matches_snapshot("../up")


def storing() -> Steps:
    """Files of captures, spans, messages and trackers."""
    from agentassert import Capture
    from agentassert.conversations import Conversation

    cap = captured()
    yield lambda: cap.save("one.json")
    yield lambda: [cap.append_to("many.jsonl") for _ in range(2)]
    yield lambda: Capture.load("one.json").tree()
    yield lambda: [one.tree() for one in Capture.load_all("many.jsonl")]
    yield lambda: Capture.load("many.jsonl")
    yield lambda: Capture.from_json('{"agentassert": 99}')
    yield lambda: Capture.from_json("[")
    yield lambda: Capture.from_otlp(SPANS).tree()
    yield lambda: Capture.from_otlp({"resourceSpans": [{"scopeSpans": 3}]})
    yield lambda: Capture.from_messages([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]).tree()
    yield lambda: Capture.from_messages([{"role": "bard", "content": "Hi"}])
    yield lambda: len(Conversation.from_rasa_tracker(TRACKER).turns)
    yield lambda: Conversation.from_rasa_tracker({"events": 3})
    yield lambda: re.sub(r"\d+(\.\d+)?", "0", cap._repr_html_())[:2000]


def judging() -> Steps:
    """A judge whose model answers as it should, and one whose does not."""
    from agentassert import Criterion, Judge, assert_that
    from agentassert.judges import RatingJudge

    answer = '{"assessments": [{"criterion": 1, "reasoning": "It blames.", "verdict": "not_satisfied"}]}'
    polite = Criterion("is polite", not_satisfied_when="it blames the customer")
    yield lambda: Judge(lambda prompt: answer).assert_that("You typed it wrong.").satisfies(polite)
    yield lambda: Judge(lambda prompt: "SATISFIED").assert_that("You typed it wrong.").satisfies(polite)
    yield lambda: assert_that(captured()).has_relevant_output(0.8, judge=RatingJudge(lambda prompt: "5 of 5"))


def driving() -> Steps:
    """An agent that is run, with a tool replaced."""
    from agentassert import ApprovalDecision, assert_that, fails, record, returns, run

    @record.tool
    def look(number: str) -> str:
        raise OSError(f"there is no database for {number}")

    @record.agent
    def agent(payload: str) -> str:
        return look(payload)

    yield lambda: assert_that(run(agent, "MS-777", mocks={"look": returns("found")})).output().is_equal_to("lost")
    yield lambda: run(agent, "MS-777", mocks={"look": fails(KeyError("none"))}).tree()
    yield lambda: run(agent, "MS-777", mocks={"lok": returns("found")})
    yield lambda: ApprovalDecision(tool="look", decision="maybe")  # type: ignore[arg-type]
    yield lambda: run(3, "MS-777").tree()


SUITE: Final = """
    agent: support
    tests:
      - name: adds — naïvely
        payload: '{"a": 2, "b": 3}'
        expected_result: output.sum == 5
        expected_tool_calls: [{add: params.a == 2}]
      - name: fails
        payload: '{"a": 2, "b": 3}'
        expected_result: output.sum == 6
"""
AGENT: Final = """
    from agentassert import record

    @record.tool
    def add(a, b):
        return a + b

    def support(payload):
        return {"sum": add(payload["a"], payload["b"])}
"""


def suites() -> Steps:
    """The program, in a project of its own."""
    from agentassert.cli import main

    captured().save("stored.json")
    _write("pyproject.toml", '[tool.agentassert.agents]\nsupport = {target = "tried_agents:support", tools = ["add"]}')
    _write("tried_agents.py", AGENT)
    _write("tests/support.yaml", SUITE)
    sys.path.insert(0, str(Path.cwd()))
    for arguments in (
        ["test"],
        ["test", "--filter", "adds", "--html", "report.html", "--junit-xml", "report.xml"],
        ["test", "--filter", "nowhere"],
        ["coverage"],
        ["coverage", "--json", "--fail-under", "100"],
        ["show", "stored.json"],
        ["show", "gone.json"],
        ["check", "stored.json", "--agent", "support"],
        ["schema"],
        ["test", "--no-such-option"],
        ["--version"],
    ):
        yield lambda arguments=arguments: _told_by(main, arguments)  # type: ignore[misc]
    yield lambda: _write("tests/support.yaml", "agent: support\ntests:\n  - nam: x\n") or _told_by(main, ["test"])


def _write(name: str, text: str) -> None:
    file = Path(name)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(dedent(text), encoding="utf-8")


def _told_by(main: Callable[[list[str]], int], arguments: list[str]) -> str:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code: Any = main(arguments)
        except SystemExit as left:
            code = left.code
    told = [line for line in err.getvalue().splitlines() if " tests ended" not in line]  # as a slow machine has it told
    return "\n".join((str(code), out.getvalue(), *told))


PARTS: Final = (assertions, expressions, snapshots, storing, judging, driving, suites)
"""The last one needs the extra `suites`."""


def told(step: Callable[[], Any], here: str) -> str:
    """What came of it: what was returned, or what was raised."""
    try:
        found = step()
        words = f"gave {found if isinstance(found, str) else repr(found)}"
    except Exception as error:
        notes = "".join(f"\nnote: {one}" for one in getattr(error, "__notes__", ()))
        words = f"raised {type(error).__name__}: {error}{notes}"
    return _VOLATILE.sub("·", words.replace(here, "HERE"))


def tell(folder: str, *parts: str) -> None:
    """Print what each step came to, as JSON that every encoding has."""
    os.chdir(folder)
    here = str(Path.cwd())
    chosen = [part for part in PARTS if not parts or part.__name__ in parts]
    steps = itertools.chain.from_iterable(
        ((f"{part.__name__} {number}", step) for number, step in enumerate(part(), 1)) for part in chosen
    )
    sys.stdout.write(json.dumps({name: told(step, here) for name, step in steps}, indent=1))


if __name__ == "__main__":
    tell(*sys.argv[1:])
