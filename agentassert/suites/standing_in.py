"""What stands in for the tools of one run."""

from __future__ import annotations

from collections.abc import Iterator

from agentassert.captures import Capture
from agentassert.suites.known_tools import KnownTools
from agentassert.suites.mock_modules import Mock, MockModule
from agentassert.suites.verdicts import HOW_TO_BE_SEEN, tools_met, tools_run, unseen_tools


class SuiteMocks:
    """The doubles of a run.

    Args:
        module: the functions that stand in; `None` for none.
        strict: whether a tool without one must not run.
    """

    def __init__(self, module: MockModule | None, *, strict: bool) -> None:
        self._module = module
        self._asked: set[str] = set()
        self.strict = strict

    def find(self, tool: str, /) -> Mock | None:
        """The function for a tool that is about to run; `None` where there is none."""
        self._asked.add(tool)
        return None if self._module is None else self._module.find(tool)

    def problems(self, capture: Capture, tools: KnownTools) -> Iterator[str]:
        """What the mocks did not do, though somebody who reads the test takes it for done.

        Args:
            capture: what was recorded of the run.
            tools: what is known of the agent's tools.
        """
        missed = [tool for tool in sorted(tools_run(capture) - self._asked) if self.find(tool) is not None]
        yield from (f"{tool!r} is mocked, but the real tool ran: nothing could be put in its place there" for tool in missed)
        if self._module is not None:
            yield from self._module.idle(self._asked | tools_met(capture))
        bare = [tool for tool in unseen_tools(capture, tools) if self.strict or self.find(tool) is not None]
        if bare:
            yield f"no mock could be put in the place of {', '.join(map(repr, sorted(bare)))}. {HOW_TO_BE_SEEN}"
