"""Every method of every chain over a run in which nothing happened, and over runs in which nobody saw what it asks about.

A method without a row fails a test, and so does a chain that is in none of the tables here. A cell says what the method does: it passes,
it fails, or nobody knows; what a run that was not seen lets pass is a promise broken.
"""

from __future__ import annotations

import asyncio
import importlib
import inspect
import pkgutil
import tempfile
from pathlib import Path

import attrs
import pytest

import agentassert.assertions
from agentassert import (
    NOT_RECORDED,
    AgentAssertionError,
    AmbiguousError,
    EmbeddingModelCall,
    FinishReason,
    InvocationAssertion,
    Judge,
    NotRecordedError,
    assert_that,
    execution_of,
)
from agentassert.assertions.conversation import ConversationAssertion
from agentassert.assertions.judged import JudgedTextAssertion
from agentassert.assertions.misuse import Guarded
from agentassert.assertions.model_call import ChatModelCallAssertion
from agentassert.assertions.values import ValueAssertion
from agentassert.judges import RatingJudge
from agentassert.snapshots.writing import HEADER
from tests.assertions.every_assertion import NO_ASSERTIONS, call, misfits
from tests.factories import KINDS, UNKNOWN, captured, chat, execution, invocation, unanswered

RATED = RatingJudge(lambda prompt: '{"reasoning": "", "rating": 5}')
SATISFIED = Judge(lambda prompt: '{"assessments": [{"criterion": 1, "reasoning": "", "verdict": "satisfied"}]}')
NOT_SURE = Judge(lambda prompt: '{"assessments": [{"criterion": 1, "reasoning": "", "verdict": "not_sure"}]}')


def empty():
    """A run that did nothing, of which everything was seen."""
    return captured(invocation("support", sources=(), duration=0.0))


def blind():
    """One of which an adapter saw that it ran, and nothing else."""
    one = invocation("support", framework="blind", recorded_by=("blind",), output=NOT_RECORDED)
    return captured(one, visibility={"blind": frozenset()})


def silent():
    """A loop over a model whose last answer nobody saw; a tool ran before."""
    calls = [
        chat(requests=["pay"], tokens=1, finish_reason=FinishReason.TOOL_EXECUTION),
        chat(None, completed=False, duration=0.1),
    ]
    ran = execution("look"), execution("pay")
    loop = invocation("support", *ran, calls=calls, implicit=True, recorded_by=("openai",), output=NOT_RECORDED)
    return captured(loop, visibility={"openai": KINDS | {"requests", "tool_failures"}})


def unreported():
    """One whose tools sent results back, and nobody said whether these mean success; another one was asked for, and got no answer."""
    ran = execution("look", outcome=UNKNOWN), execution("pay", outcome=UNKNOWN), unanswered("ship")
    return captured(invocation("support", *ran, output=NOT_RECORDED))


def hidden():
    """One of whose tools, model calls and end nobody wrote down with what they were called, and what came of it."""
    ran = [attrs.evolve(execution(name, {}, NOT_RECORDED), arguments=None, raw_arguments=None) for name in ("look", "pay", "pay")]
    return captured(invocation("support", *ran, calls=[chat(None)], output=NOT_RECORDED))


SUBJECTS = {"empty": empty, "blind": blind, "silent": silent, "unreported": unreported, "hidden": hidden}
PASSES = None


def fails(words):
    return AgentAssertionError, words


def unseen(words):
    return NotRecordedError, words


def about_output(on_empty):
    hides = unseen("but its output was not recorded")
    return on_empty, hides, unseen("but no agent was seen around it, and no answer of a model with a text"), hides, hides


def about_approvals(on_empty):
    hides = unseen("adapter cannot see approvals")
    return on_empty, hides, hides, on_empty, on_empty


def everywhere(cell):
    return (cell,) * len(SUBJECTS)


ANSWER = unseen("but a chat model call ended without an answer that was seen, and tools that it asked for may have run")
OUTCOME = unseen("whose outcome was not reported")
ARGUMENTS = unseen("but the arguments of 'pay' were not recorded")
COMPLETED = fails("but it completed")
NEVER = fails("but it was never executed")
NO_NESTED = fails("but it has none")
NO_APPROVAL = fails("but no approval was recorded")
NO_RETRIEVER = unseen("but no retriever was seen")
NO_CALL = unseen("but no chat model call was recorded, so nobody knows")
NO_CHAT = unseen("the 'blind' adapter cannot see chat model calls")
NO_TEXT = fails("to have an output text to judge,\nbut it has none")
NO_RESPONSE = unseen("but no response of a chat model was recorded")
NO_REASON = unseen("but no finish reason was reported for its final response")
NO_ANSWER = unseen("which may never have run: nothing answered")
NO_USAGE = unseen("but no model call that could say was recorded")
NO_MATCH = fails("but no successful execution matched 'look'")
NONE_THERE = fails("but after 0 executions there was no 'look', 'pay'")
NOT_EXECUTED = fails("but 'look' was not executed successfully")
NEVER_DID = fails("but it never did")
MISSING = fails("missing: 'pay'")
MADE_TWO = fails("but it made 2")
UNCHECKED = fails("not checked before")
CUT_OFF = unseen("but a chat model call ended without an answer that was seen, so nobody knows")
RAN = fails("but it executed 'look' once, 'pay'")


def as_reviewed(chain):
    """Match a snapshot that has every tool that ran, and may have more."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "reviewed.trajectory").write_text(f"{HEADER}\n\nsupport: completed\n  look {{}}\n  pay {{}}\n", "utf-8")
        return chain.matches_snapshot("reviewed", mode="subset", directory=folder)


ASKED = {
    "arguments_of": lambda chain: chain.arguments_of("pay"),
    "has_finish_reason": lambda chain: chain.has_finish_reason("tool_execution"),
    "has_grounded_output": lambda chain: chain.has_grounded_output(0.5, judge=RATED),
    "has_grounded_output with a truth": lambda chain: chain.has_grounded_output(0.5, judge=RATED, ground_truth="x"),
    "has_model_call_count": lambda chain: chain.has_model_call_count(0),
    "has_model_call_count of a kind": lambda chain: chain.has_model_call_count(EmbeddingModelCall, 0),
    "has_nested_invocation_times": lambda chain: chain.has_nested_invocation_times("reader", 0),
    "has_no_tool_executions of one": lambda chain: chain.has_no_tool_executions("ship"),
    "has_no_tool_requested of one": lambda chain: chain.has_no_tool_requested("ship"),
    "has_own_chat_model_call_count": lambda chain: chain.has_own_chat_model_call_count(0),
    "has_relevant_output": lambda chain: chain.has_relevant_output(0.5, judge=RATED),
    "has_tool_executed_times": lambda chain: chain.has_tool_executed_times("pay", 1),
    "has_tool_executed_times at none": lambda chain: chain.has_tool_executed_times("ship", 0),
    "has_tool_executed_times_at_least": lambda chain: chain.has_tool_executed_times_at_least("pay", 1),
    "has_tool_executed_times_at_most": lambda chain: chain.has_tool_executed_times_at_most("pay", 1),
    "has_tool_finished_before": lambda chain: chain.has_tool_finished_before("look", "pay"),
    "has_tools_executed_exactly_in_any_order": lambda chain: chain.has_tools_executed_exactly_in_any_order("pay", "look"),
    "has_tools_executed_exactly_in_order": lambda chain: chain.has_tools_executed_exactly_in_order("look", "pay"),
    "has_tools_executed_in_order": lambda chain: chain.has_tools_executed_in_order("look", "pay"),
    "has_tools_executed_in_order with": lambda chain: chain.has_tools_executed_in_order(execution_of("pay", {"n": 1})),
    "has_no_more_tool_executions of those checked": lambda chain: (
        chain.has_tool_executed("look").has_tool_executed("pay").has_no_more_tool_executions()
    ),
    "matches_snapshot": as_reviewed,
    "meets with a tool": lambda chain: chain.meets(expected_tool_calls=[{"pay": "params.n == 1"}]),
    "meets without a tool": lambda chain: chain.meets(expected_no_tool_calls=["ship"]),
    "output_satisfies": lambda chain: chain.output_satisfies("is polite", judge=SATISFIED),
    "results_of": lambda chain: chain.results_of("pay"),
    "satisfies an absence": lambda chain: chain.satisfies("output_text == None"),
}
"""How a method is called where what `every_assertion` has would fail in any case, or where one way to call it is not enough."""

TABLE = {
    # what it is called, and then: empty, blind, silent, unreported, hidden
    "arguments_of": (PASSES, PASSES, ANSWER, OUTCOME, ARGUMENTS),
    "chat_model_call": (fails("but it made none"), NO_CHAT, PASSES, fails("but it made none"), PASSES),
    "executed_tool_names": (PASSES, PASSES, ANSWER, NO_ANSWER, PASSES),
    "has_approval_requested": about_approvals(NO_APPROVAL),
    "has_duration_at_most": (PASSES, *[unseen("but its duration was not recorded")] * 4),
    "has_failed_with": everywhere(COMPLETED),
    "has_failed_with_message_containing": everywhere(COMPLETED),
    "has_finish_reason": (NO_RESPONSE, NO_RESPONSE, NO_REASON, NO_RESPONSE, NO_REASON),
    "has_grounded_output": about_output(NO_TEXT),
    "has_grounded_output with a truth": about_output(NO_TEXT),
    "has_model_call_count": (PASSES, unseen("cannot see every kind of model call"), MADE_TWO, PASSES, fails("but it made 1")),
    "has_model_call_count of a kind": (PASSES, unseen("cannot see embedding model calls"), PASSES, PASSES, PASSES),
    "has_nested_invocation": everywhere(NO_NESTED),
    "has_nested_invocation_satisfying": everywhere(NO_NESTED),
    "has_nested_invocation_times": everywhere(PASSES),
    "has_no_failed_tool_executions": (PASSES, PASSES, ANSWER, OUTCOME, PASSES),
    "has_no_more_tool_executions": (PASSES, PASSES, UNCHECKED, UNCHECKED, UNCHECKED),
    "has_no_more_tool_executions of those checked": (NEVER, NEVER, ANSWER, OUTCOME, PASSES),
    "has_no_pending_approvals": about_approvals(PASSES),
    "has_no_repeated_tool_executions": (PASSES, PASSES, ANSWER, PASSES, ARGUMENTS),
    "has_no_retrieved_sources": (PASSES, *[NO_RETRIEVER] * 4),
    "has_no_tool_executions": (PASSES, PASSES, RAN, RAN, RAN),
    "has_no_tool_executions of one": (PASSES, PASSES, ANSWER, NO_ANSWER, PASSES),
    "has_no_tool_requested": (NO_CALL, NO_CALL, fails("but the model requested 'pay'"), NO_CALL, PASSES),
    "has_no_tool_requested of one": (NO_CALL, NO_CALL, CUT_OFF, NO_CALL, PASSES),
    "has_own_chat_model_call_count": (PASSES, NO_CHAT, MADE_TWO, PASSES, fails("but it made 1")),
    "has_own_chat_model_call_count_at_most": (PASSES, NO_CHAT, PASSES, PASSES, PASSES),
    "has_relevant_output": about_output(NO_TEXT),
    "has_retrieved_source_containing": (fails("but it retrieved nothing"), *[NO_RETRIEVER] * 4),
    "has_succeeded": everywhere(PASSES),
    "has_tool_approved": about_approvals(NO_APPROVAL),
    "has_tool_executed": (NEVER, NEVER, PASSES, OUTCOME, PASSES),
    "has_tool_executed_times": (NEVER_DID, NEVER_DID, ANSWER, OUTCOME, fails("but it did twice")),
    "has_tool_executed_times at none": (PASSES, PASSES, ANSWER, NO_ANSWER, PASSES),
    "has_tool_executed_times_at_least": (NEVER_DID, NEVER_DID, PASSES, OUTCOME, PASSES),
    "has_tool_executed_times_at_most": (PASSES, PASSES, ANSWER, PASSES, fails("but it did twice")),
    "has_tool_executed_with": (NEVER, NEVER, fails("Closest"), fails("Closest"), ARGUMENTS),
    "has_tool_executed_with_exactly": (NEVER, NEVER, fails("Closest"), fails("Closest"), ARGUMENTS),
    "has_tool_execution_cancelled": (NEVER, NEVER, *[fails("but its only execution ended")] * 2, fails("but none of its 2")),
    "has_tool_execution_failed": (
        NEVER,
        NEVER,
        fails("but its only execution did not fail"),
        OUTCOME,
        fails("but none of its 2"),
    ),
    "has_tool_finished_before": (NOT_EXECUTED, NOT_EXECUTED, ANSWER, OUTCOME, PASSES),
    "has_tool_rejected": about_approvals(NO_APPROVAL),
    "has_tool_requested": (NO_CALL, NO_CALL, PASSES, NO_CALL, fails("but the model requested no tool")),
    "has_tools_executed_exactly_in_any_order": (MISSING, MISSING, ANSWER, OUTCOME, fails("unexpected: [3] pay(...)")),
    "has_tools_executed_exactly_in_order": (NONE_THERE, NONE_THERE, ANSWER, OUTCOME, fails("but 1 more followed")),
    "has_tools_executed_in_order": (NO_MATCH, NO_MATCH, PASSES, OUTCOME, PASSES),
    "has_tools_executed_in_order with": (*[fails("no successful execution matched execution_of('pay'")] * 4, ARGUMENTS),
    "has_total_tokens_at_most": (NO_USAGE, NO_USAGE, unseen("but 1 of 2 model calls reported no"), NO_USAGE, unseen("1 of 1")),
    "matches_snapshot": (PASSES, PASSES, ANSWER, fails("+   ship"), unseen("but the arguments of 'look', 'pay'")),
    "meets": (NEVER, NEVER, PASSES, PASSES, PASSES),
    "meets with a tool": (NEVER, NEVER, fails("params.n"), fails("params.n"), unseen("params")),
    "meets without a tool": (PASSES, PASSES, ANSWER, NO_ANSWER, PASSES),
    "nested_invocation": everywhere(NO_NESTED),
    "output": about_output(PASSES),
    "output_at": about_output(fails("but it was None")),
    "output_satisfies": about_output(NO_TEXT),
    "output_text": about_output(fails("but it produced None")),
    "results_of": (PASSES, PASSES, ANSWER, OUTCOME, unseen("but the results of 'pay' were not recorded")),
    "satisfies": (fails("output_text"), *[unseen("output_text was not recorded")] * 4),
    "satisfies an absence": (PASSES, *[unseen("output_text was not recorded")] * 4),
    "tool_executions": (PASSES, PASSES, ANSWER, NO_ANSWER, PASSES),
    "was_blocked": everywhere(COMPLETED),
    "was_cancelled": everywhere(COMPLETED),
}


CALLS = {
    "empty": lambda: chat("", messages=[{"role": "user", "content": ""}], tools_offered=()),
    "unseen": lambda: chat(None),
    "cut off": lambda: chat(None, messages=[{"role": "user", "content": "Hello"}], completed=False, duration=0.1),
}
NOT_IN_IT = fails("but it is not in it")
NO_MESSAGES = unseen("but the messages were not recorded")
NO_SYSTEM_MESSAGE = fails("but there is no system message")
NO_TOOLS_OFFERED = unseen("but the tools offered were not recorded")
NO_RESPONSE_SEEN = unseen("but what it answered was not recorded")
OF_CALLS = {
    # what it is called with, and then: empty, unseen, cut off
    "has_last_user_message_containing": ("x", NOT_IN_IT, NO_MESSAGES, NOT_IN_IT),
    "has_response_containing": ("x", fails("but it was ''"), NO_RESPONSE_SEEN, NO_RESPONSE_SEEN),
    "has_system_message_containing": ("x", NO_SYSTEM_MESSAGE, NO_MESSAGES, NO_SYSTEM_MESSAGE),
    "has_tool_offered": ("pay", fails("but it offered no tool"), NO_TOOLS_OFFERED, NO_TOOLS_OFFERED),
    "has_user_message_containing": ("x", NOT_IN_IT, NO_MESSAGES, NOT_IN_IT),
}

JUDGED = {
    # what is judged, by whom, and what comes of it
    "satisfies": [("", SATISFIED, PASSES), ("Hello", NOT_SURE, fails("is polite: not sure"))],
    "satisfies_async": [("", SATISFIED, PASSES), ("Hello", NOT_SURE, fails("is polite: not sure"))],
}
SAYING_WHAT_TO_LOOK_AT = {
    InvocationAssertion: NO_ASSERTIONS,
    ChatModelCallAssertion: set(),
    JudgedTextAssertion: {"based_on", "described_as", "given"},
}
TABLES = {InvocationAssertion: TABLE, ChatModelCallAssertion: OF_CALLS, JudgedTextAssertion: JUDGED}
ELSEWHERE = {ConversationAssertion: "tests/conversations/test_empty_and_unseen.py"}
OVER_VALUES = {ValueAssertion}
"""Of a plain value everything is seen, and what is asserted on it is assertpy's."""


def public(chain):
    return {name for name in dir(chain) if not name.startswith("_")}


def chains():
    """The classes of which chains are made, in every module that has any."""
    for module in pkgutil.iter_modules(agentassert.assertions.__path__, "agentassert.assertions."):
        importlib.import_module(module.name)
    found, waiting = set(), [Guarded]
    while waiting:
        chain = waiting.pop()
        below = [one for one in chain.__subclasses__() if not one.__name__.startswith("_")]
        waiting += below
        if not below:
            found.add(chain)
    return found


def test_every_chain_has_a_table():
    assert chains() == {*TABLES, *ELSEWHERE, *OVER_VALUES}


@pytest.mark.parametrize("chain", TABLES)
def test_every_method_has_a_row(chain):
    rows = {row.split()[0] for row in TABLES[chain]} | SAYING_WHAT_TO_LOOK_AT[chain]

    assert misfits(public(chain), rows, f"this file's table of {chain.__name__}: what is said of each of the runs") == []


def verdict(asked):
    """The class of the error and its words; `None` where it passes."""
    try:
        asked()
    except Exception as error:  # whatever it is, a cell says which
        return type(error), str(error)
    return PASSES


def means(found, cell):
    return found is cell if None in (found, cell) else found[0] is cell[0] and cell[1] in found[1]


@pytest.mark.parametrize("subject", SUBJECTS)
@pytest.mark.parametrize("row", TABLE)
def test_what_is_said_of_a_run(row, subject):
    asked = ASKED.get(row, lambda chain: call(chain, row))
    found = verdict(lambda: asked(assert_that(SUBJECTS[subject]())))

    assert means(found, TABLE[row][list(SUBJECTS).index(subject)]), found


@pytest.mark.parametrize("row", TABLE)
def test_of_no_run_nothing_is_said(row):
    asked = ASKED.get(row, lambda chain: call(chain, row))
    found = verdict(lambda: asked(assert_that(captured())))

    assert means(found, (AmbiguousError, "Expected one top-level invocation in the capture, but there is none")), found


@pytest.mark.parametrize("subject", CALLS)
@pytest.mark.parametrize("method", OF_CALLS)
def test_what_is_said_of_a_model_call(method, subject):
    argument, *cells = OF_CALLS[method]
    chain = assert_that(captured(invocation("support", calls=[CALLS[subject]()]))).chat_model_call(0)
    found = verdict(lambda: getattr(chain, method)(argument))

    assert means(found, cells[list(CALLS).index(subject)]), found


@pytest.mark.parametrize(
    ("method", "text", "judge", "cell"), [(method, *case) for method, cases in JUDGED.items() for case in cases]
)
def test_what_is_said_of_a_text_that_a_judge_decides_on(method, text, judge, cell):
    async def ended(asked):
        return await asked if inspect.isawaitable(asked) else asked

    found = verdict(lambda: asyncio.run(ended(getattr(judge.assert_that(text), method)("is polite"))))

    assert means(found, cell), found


@pytest.mark.parametrize("text", [None, 3])
def test_what_is_no_text_is_not_judged(text):
    with pytest.raises(TypeError, match="only a text can be judged"):
        SATISFIED.assert_that(text)
