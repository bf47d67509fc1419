"""Asynchronous tests: what pytest-asyncio and anyio run is captured, checked and repeated as other tests are."""

from __future__ import annotations

import pytest

RUNNERS = {
    "asyncio": ("pytest.mark.asyncio", ("-p", "pytest_asyncio.plugin", "-o", "asyncio_default_fixture_loop_scope=function")),
    "anyio": ("pytest.mark.anyio", ("-p", "anyio")),
}


@pytest.fixture(params=RUNNERS)
def run(request, project):
    """Runs asynchronous tests, of which there is one for each backend of anyio."""
    if request.param == "asyncio":
        pytest.importorskip("pytest_asyncio")
    mark, arguments = RUNNERS[request.param]

    def run(text, *more):
        project.tests(
            f"""
    import itertools
    pytestmark = {mark}
    numbers = itertools.count(1)

    @pytest.fixture
    def anyio_backend():
        return "asyncio"
"""
            + text
        )
        return project.run(
            *arguments, "-W", "error::agentassert.NothingCheckedWarning", "-W", "error::agentassert.CaptureWarning", *more
        )

    return run


def test_the_fixture_holds_what_the_test_awaits(run):
    run("""
    @record.agent
    async def asking(number):
        return cancel(number)

    async def test_cancels(captured):
        await asking("MS-777")
        assert_that(captured).has_tool_executed("cancel")
        assert captured.health.doubts == ()
    """).assert_outcomes(passed=1)


def test_the_fixture_holds_what_asynchronous_fixtures_do(run):
    run(
        """
    async def answer():
        return cancel("MS-777")

    @pytest.fixture
    async def answered(captured):
        return await answer()

    async def test_cancels(captured, answered):
        assert_that(captured).has_tool_executed("cancel")
        assert captured.health.doubts == ()
    """,
        "-o",
        "asyncio_mode=auto",
    ).assert_outcomes(passed=1)


def test_a_block_in_the_test_is_watched(run):
    ran = run("""
    async def test_forgets():
        async with capture() as cap:
            support("MS-777")
    """)
    ran.assert_outcomes(passed=1, errors=1)
    ran.stdout.fnmatch_lines(["NothingCheckedWarning: nobody looked at what was captured here*", "*test_it.py:*"])


def test_every_execution_must_be_checked(run):
    ran = run("""
    @pytest.mark.agentassert(all_checked=True)
    async def test_cancels():
        async with capture() as cap:
            support("MS-777")
        assert_that(cap).has_tool_executed("cancel")
    """)
    ran.assert_outcomes(failed=1)
    ran.stdout.fnmatch_lines(["*1 execution was not checked before:*", "*look_up*"])


def test_each_run_has_fixtures_and_an_event_loop_of_its_own(run):
    ran = run(
        """
    import asyncio
    loops = []

    @pytest.fixture
    async def number():
        return next(numbers)

    @pytest.mark.agentassert(runs=3)
    async def test_runs(number):
        loops.append(asyncio.get_running_loop())
        assert number == len(loops)

    async def test_all_ran():
        assert len(loops) == 3
    """,
        "-o",
        "asyncio_mode=auto",
        "-v",
    )
    ran.assert_outcomes(passed=2)
    ran.stdout.fnmatch_lines(["*PASSED (3 of 3 runs passed)*"])
