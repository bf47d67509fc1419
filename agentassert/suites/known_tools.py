"""What is known of an agent's tools before it runs, beside the functions that are decorated."""

from __future__ import annotations

import attrs

from agentassert.doubles import functions
from agentassert.expressions.tool_names import may_be
from agentassert.text.nearest import nearest


@attrs.frozen(kw_only=True)
class KnownTools:
    """What is known of the tools of an agent.

    Args:
        listed: those that the settings name for it.
        own: those that its framework names, and those of agents that it hands over to; `None` where nobody can tell.
        of_others: those that the settings name for other agents, which a module of mocks may serve as well.
        is_function: whether it is a function, of whose tools nothing but the recording tells.

    Example:
        >>> KnownTools(listed=frozenset({"refund"})).nearest("refnud")
        'refund'
    """

    listed: frozenset[str] = frozenset()
    own: frozenset[str] | None = None
    of_others: frozenset[str] = frozenset()
    is_function: bool = False

    @property
    def names(self) -> frozenset[str] | None:
        """All tools that it may have; `None` where there may be others."""
        if self.own is None and not self.listed:
            return None
        return self.listed | (self.own or frozenset()) | functions.known

    def fits(self, name: str) -> bool:
        """Whether a name stands for one of them, or may do so because nobody knows them all."""
        return self.names is None or any(may_be(name, tool) for tool in self.names)

    def nearest(self, name: str) -> str | None:
        """The tool whose name is most like a name that fits none."""
        return next(iter(nearest(name, self.names or ())), None)
