"""Names of tools that no tool of the agent has: what must not happen would never happen, and what is decided would never be asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentassert.suites.kinds import Reader, label
from agentassert.suites.known_tools import KnownTools
from agentassert.suites.marks import DataPath
from agentassert.suites.problems import quoted
from agentassert.suites.schema import Case


def refuse_unknown_tools(cases: Sequence[Case], reader: Reader, tools: KnownTools) -> None:
    """Note every name that would have a test pass for ever, as far as the tools are known.

    Args:
        cases: all cases of the suite, of which none is wrong.
        reader: what they were read with.
        tools: what is known of the tools of their agent.
    """
    for index, case in enumerate(cases):
        for path, name in _negative(case):
            if not tools.fits(name):
                at = ("tests", index, *path)
                reader.refuse(at, f"{label(at)}: {_unknown(name, tools.nearest(name))}")
        for number, decision in enumerate(case.approval_decisions):
            meant = None if tools.fits(decision.tool) else tools.nearest(decision.tool)
            if meant is not None:  # another name may be that of a tool of an agent that is run below
                at = ("tests", index, "approval_decisions", number, "tool")
                reader.refuse(at, f"tool: {_unknown(decision.tool, meant)}")


def _negative(case: Case) -> Iterator[tuple[DataPath, str]]:
    for number, name in enumerate(case.expectations.no_tool_calls):
        yield ("expected_no_tool_calls", number), name
    for number, call in enumerate(case.expectations.tool_calls):
        if call.condition is not None and call.condition.counts_hold(0, {}):
            yield ("expected_tool_calls", number, call.name), call.name


def _unknown(name: str, meant: str | None) -> str:
    hint = f"did you mean {meant!r}?" if meant else "name it in `tools` of the agent's settings if there is one"
    return f"the agent has no tool {quoted(name)}, so this could never fail; {hint}"
