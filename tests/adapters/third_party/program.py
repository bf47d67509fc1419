"""A test of somebody who uses the framework and has the adapter installed; it names neither."""

from __future__ import annotations

import asyncio
import sys

from agentassert import assert_that, capture

if "before" in sys.argv:
    import tinycrew.crews  # noqa: F401  # what the adapter waits for is there before the first capture


def crew(name, *answers, **tools):
    from tinycrew.crews import Crew

    script = iter(answers)
    return Crew(name, lambda messages: next(script), tools)


async def main():
    async with capture() as cap:
        from tinycrew.crews import Answer, Wish

        async def look_up(number):
            return {"number": number}

        async def cancel(number):
            raise LookupError(number)

        async def research(topic):
            return await crew("researcher", Answer(topic)).work(topic)

        wishes = (Wish("1", "look_up", {"number": 7}), Wish("2", "cancel", {"number": 8}), Wish("3", "nope", {}))
        support = crew(
            "support",
            Answer("", wishes),
            Answer("", (Wish("4", "research", {"topic": "kettles"}),)),
            Answer("done"),
            look_up=look_up,
            cancel=cancel,
            research=research,
        )
        await support.work("help")

    (
        assert_that(cap)
        .has_succeeded()
        .top_level_only()
        .has_tools_executed_in_order("look_up", "research")
        .has_tool_executed_with_exactly("look_up", {"number": 7})
        .has_tool_execution_failed("cancel")
        .has_tool_requested("nope")
        .has_own_chat_model_call_count(3)
        .has_no_more_tool_executions()
    )
    assert_that(cap).nested_invocation("researcher").output().is_equal_to("kettles")
    assert cap.invocation.nested_invocations[0].started_by == cap.invocation.tool_executions[-1].id
    framework = cap.invocation.framework
    sys.stdout.write(f"recorded by {framework}; it sees {', '.join(sorted(cap.visibility[framework]))}\n")


asyncio.run(main())
