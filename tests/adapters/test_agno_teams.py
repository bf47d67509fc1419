"""Teams, workflows and knowledge of Agno."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest

pytest.importorskip("agno")

from agno.db.in_memory import InMemoryDb
from agno.knowledge.knowledge import Knowledge
from agno.team import Team

from agentassert import Decision, Status, assert_that
from tests.adapters.agno_parts import agent, gated, refund
from tests.adapters.kits.agno import Shelf
from tests.adapters.scenarios.parts import arecording, recording
from tests.scripted.agno import asks_for, scripted


def member(name):
    """An agent that refunds, and says so."""
    return agent(asks_for(("refund", {"amount": 5}, "c1")), f"{name} done", tools=[refund], name=name)


def delegating(*names):
    asked = (("delegate_task_to_member", {"member_id": name, "task": "Refund"}, f"d{name}") for name in names)
    return asks_for(*asked)


def team(*script, members, name="desk", **options):
    return Team(name=name, id=name, model=scripted(*script), members=members, telemetry=False, **options)


async def exhaust(stream):
    return [one async for one in stream]


RUNS = {
    "run": lambda desk: desk.run("hi"),
    "run, streaming": lambda desk: list(desk.run("hi", stream=True, stream_events=True)),
    "arun": lambda desk: asyncio.run(desk.arun("hi")),
    "arun, streaming": lambda desk: asyncio.run(exhaust(desk.arun("hi", stream=True))),
}


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_members_are_nested_in_the_delegation_that_ran_them(run):
    with recording() as cap:
        run(team(delegating("a", "b"), "all done", members=[member("a"), member("b")]))

    by_id = {one.id: one for one in cap.invocation.tool_executions}
    nested = cap.invocation.nested_invocations
    assert [(one.name, one.awaited, one.output_text) for one in nested] == [("a", True, "a done"), ("b", True, "b done")]
    assert [by_id[one.started_by].result for one in nested] == ["a done", "b done"]
    assert [len(one.own_chat_model_calls) for one in (cap.invocation, *nested)] == [2, 2, 2]
    assert (cap.invocation.status, cap.output_text) == (Status.COMPLETED, "all done")


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_a_task_for_all_members_is_one_delegation(run):
    asked = asks_for(("delegate_task_to_members", {"task": "Refund"}, "d1"))
    with recording() as cap:
        run(team(asked, "all done", members=[member("a"), member("b")], delegate_to_all_members=True))

    assert sorted(one.name for one in cap.invocation.nested_invocations) == ["a", "b"]
    assert {one.started_by for one in cap.invocation.nested_invocations} == {cap.invocation.tool_executions[0].id}


def test_teams_in_teams():
    inner = team(delegating("a"), "inner done", members=[member("a")], name="inner")
    with recording() as cap:
        team(delegating("inner"), "all done", members=[inner]).run("hi")

    assert [one.name for one in cap.invocation.with_nested()] == ["desk", "inner", "a"]


def test_a_member_that_fails_fails_alone():
    with recording() as cap:
        team(delegating("a"), "sorry", members=[agent(ConnectionError("down"), name="a")]).run("hi")

    assert_that(cap).has_succeeded().nested_invocation("a").has_failed_with(ConnectionError)


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("streams", [False, True])
def test_what_a_team_itself_waits_for(is_async, streams):
    async def run():
        desk = team(asks_for(("refund", {"amount": 5}, "c1")), "done", members=[member("a")], tools=[gated(refund)])
        options = {"stream": True, "yield_run_output": True} if streams else {}
        paused = await last(desk.arun if is_async else desk.run, "hi", **options)
        paused.active_requirements[0].confirm()
        await last(desk.acontinue_run if is_async else desk.continue_run, paused, **options)

    with recording() as cap:
        asyncio.run(run())

    assert [one.decision for one in cap.invocation.approvals] == [Decision.APPROVE]
    assert_that(cap).has_succeeded().has_tool_approved("refund").has_tool_executed_with("refund", {"amount": 5})
    assert cap.output_text == "done"


async def last(method, *args, **options):
    """What a method gives, or the last part of its stream."""
    result = method(*args, **options)
    if hasattr(result, "__aiter__"):
        return [one async for one in result][-1]
    if hasattr(result, "__next__"):
        return list(result)[-1]
    return await result if asyncio.iscoroutine(result) else result


def test_a_team_whose_model_fails_has_failed_with_the_error():
    with recording() as cap:
        list(team(ConnectionError("down"), members=[member("a")]).run("hi", stream=True))

    assert_that(cap).has_failed_with(ConnectionError)


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_a_workflow_is_an_invocation_in_which_its_steps_are_nested(run):
    pytest.importorskip("fastapi")
    from agno.workflow import Parallel, Step, Workflow

    steps = [
        Parallel(Step(name="one", agent=member("a")), Step(name="two", agent=member("b")), name="both"),
        Step(name="three", agent=agent("all done", name="c")),
    ]
    with recording() as cap:
        run(Workflow(name="flow", steps=steps, telemetry=False))

    nested = cap.invocation.nested_invocations
    assert sorted((one.name, one.status, one.awaited, one.output_text) for one in nested) == [
        (name, Status.COMPLETED, True, text) for name, text in (("a", "a done"), ("b", "b done"), ("c", "all done"))
    ]
    assert (cap.invocation.name, cap.invocation.status, cap.output_text) == ("flow", Status.COMPLETED, "all done")
    assert_that(cap).including_nested().has_tool_executed_times("refund", 2)


@pytest.mark.parametrize("step", ["done", RuntimeError("kaput")])
def test_a_workflow_in_the_background_is_waited_for(step):
    pytest.importorskip("fastapi")
    from agno.workflow import Step, Workflow

    async def work():
        flow = Workflow(name="desk", steps=[Step(name="s", agent=agent(step))], telemetry=False, db=InMemoryDb())
        async with arecording() as cap:
            await flow.arun("hi", background=True)
        return cap

    cap = asyncio.run(work())
    assert cap.invocation.status is Status.COMPLETED
    assert cap.output_text == ("done" if step == "done" else "kaput")
    assert cap.invocation.nested_invocations[0].status is (Status.COMPLETED if step == "done" else Status.FAILED)


def test_an_agent_that_searches_its_knowledge_retrieves():
    manual = Knowledge(vector_db=Shelf(["Refunds take a week."]))
    asked = asks_for(("search_knowledge_base", {"query": "refunds"}, "c1"))
    for run in (RUNS["run"], RUNS["run, streaming"]):
        with recording() as cap:
            run(agent(asked, "A week.", knowledge=manual, search_knowledge=True))

        assert_that(cap).has_retrieved_source_containing("a week").has_tool_executed("search_knowledge_base")


def test_what_is_imported_while_a_capture_is_open_is_recorded(project):
    code = (
        "from agentassert import capture\n"
        "with capture(on_doubt='fail') as cap:\n"
        "    from agno.team import Team\n"
        "    from tests.adapters.test_agno_teams import delegating, member, team\n"
        "    team(delegating('a'), 'all done', members=[member('a')]).run('hi')\n"
        "print([one.name for one in cap.invocation.with_nested()], cap.health.doubts)\n"
    )
    shown = subprocess.run(
        [sys.executable, "-W", "error::agentassert.CaptureWarning", "-c", code],
        cwd=project,
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout.splitlines()[-1] == "['desk', 'a'] ()"
