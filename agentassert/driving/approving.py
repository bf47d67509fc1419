"""The decisions that a driven run is given where it waits for a person."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, Self

import attrs

from agentassert.adapters.driver import Answer, PendingApproval
from agentassert.jsonlike import decode, snapshot
from agentassert.records import Decision
from agentassert.text.nearest import did_you_mean

if TYPE_CHECKING:
    from agentassert.expressions import Expression

_DECISIONS: Final = (Decision.APPROVE, Decision.REJECT, Decision.TIMEOUT)
_LONGEST_RESPONSE: Final = 16_384


def _decision(value: Decision | str) -> Decision:
    if value not in tuple(one.value for one in _DECISIONS):
        raise ValueError(f"decision must be 'approve', 'reject' or 'timeout', but was {value!r}")
    return Decision(value)


def _checked_text(_: Any, attribute: attrs.Attribute[Any], value: Any) -> None:
    if value is None and attribute.name != "tool":
        return
    if not isinstance(value, str):
        raise TypeError(f"{attribute.name} of an approval decision must be text, but was {value!r}")
    if not value.strip() and attribute.name != "reason":
        raise ValueError(f"{attribute.name} of an approval decision must not be empty")


@attrs.frozen
class ApprovalDecision:
    """What is decided when an agent that :func:`run` runs waits for approval of a tool; used for one request at most.

    Args:
        tool: the tool's name, or its last part where the name has dots.
        decision: `"approve"`, `"reject"`, or `"timeout"`, which the agent experiences as a rejection.
        params: an expression on `params` (the tool's arguments) and `context` that tells which requests it is for; any without it.
        reason: the words that come with it; an agent is told those of a rejection.
        response: what a person would have told, for agents that wait for more than a yes; only with `"approve"`.

    Raises:
        TypeError, ValueError: for another decision, an empty text, an expression that is none, or a response to a rejection.

    Example:
        >>> ApprovalDecision("refund", "reject", params="params.amount > 100", reason="too much").decision
        <Decision.REJECT: 'reject'>
    """

    tool: str = attrs.field(validator=_checked_text)
    decision: Decision = attrs.field(converter=_decision)
    params: str | None = attrs.field(default=None, kw_only=True, validator=_checked_text)
    reason: str | None = attrs.field(default=None, kw_only=True, validator=_checked_text)
    response: str | None = attrs.field(default=None, kw_only=True, validator=_checked_text)
    _condition: Expression | None = attrs.field(init=False, repr=False, eq=False, default=None)

    def __attrs_post_init__(self) -> None:
        if self.response is not None and self.decision is not Decision.APPROVE:
            raise ValueError("response of an approval decision goes with 'approve' alone")
        if self.response is not None and len(self.response) > _LONGEST_RESPONSE:
            raise ValueError(f"response of an approval decision must have at most {_LONGEST_RESPONSE} characters")
        if self.params is not None:
            from agentassert.expressions import APPROVAL_NAMES, Expression

            object.__setattr__(self, "_condition", Expression.parse(self.params, APPROVAL_NAMES))

    @classmethod
    def of(cls, entry: Any, place: str = "approvals") -> Self:
        """The decision that a mapping with the names of the fields stands for.

        Args:
            entry: the mapping, or a decision.
            place: what messages call it.

        Raises:
            TypeError, ValueError: as for the class, and for keys that are missing or unknown.

        Example:
            >>> ApprovalDecision.of({"tool": "refund", "decision": "approve"}).tool
            'refund'
        """
        if isinstance(entry, cls):
            return entry
        if not isinstance(entry, Mapping):
            raise TypeError(f"{place} must be an ApprovalDecision or a mapping with its fields, but was {entry!r}")
        known = [field.name for field in attrs.fields(cls) if field.init]
        for key in entry:
            if key not in known:
                meant = did_you_mean(str(key), known)
                raise ValueError(f"{place} has the unknown key {key!r}{meant and f'; {meant}'}")
        for key in ("tool", "decision"):
            if key not in entry:
                raise ValueError(f"{place} needs the key {key!r}")
        try:
            return cls(**entry)
        except (TypeError, ValueError) as error:
            kind = TypeError if isinstance(error, TypeError) else ValueError
            raise kind(f"{place}: {error}") from error

    def fits(self, pending: PendingApproval, context: Any) -> bool:
        """Whether it decides about this.

        Example:
            >>> large = ApprovalDecision("refund", "reject", params="params.amount > 100")
            >>> large.fits(PendingApproval("billing.refund", {"amount": 250}), None)
            True
        """
        if not same_tool(self.tool, pending.tool):
            return False
        values = {"params": _parsed(pending.arguments), "context": context}
        return self._condition is None or self._condition.holds(values)


class Decisions:
    """The decisions of one run: each is used once, in the order listed.

    Args:
        entries: decisions, or mappings with their fields.
        context: what their expressions may look at.
    """

    def __init__(self, entries: Iterable[Any], context: Any = None) -> None:
        if isinstance(entries, (str, Mapping)) or not isinstance(entries, Iterable):
            raise TypeError(f"approvals must be a list of decisions, but was {entries!r}")
        self._left = [ApprovalDecision.of(entry, f"approvals[{index}]") for index, entry in enumerate(entries)]
        self._context = snapshot({} if context is None else context)
        self._unmatched: list[PendingApproval] = []
        self._lock = threading.Lock()

    def answer(self, pending: PendingApproval) -> Answer | None:
        """The first decision left that fits; without one, the run is to stop where it waits."""
        with self._lock:
            chosen = next((one for one in self._left if one.fits(pending, self._context)), None)
            if chosen is None:
                self._unmatched.append(pending)
                return None
            # By identity: equal decisions may be listed twice, for two requests.
            self._left = [one for one in self._left if one is not chosen]
        return Answer(pending, chosen.decision, chosen.reason, chosen.response)

    @property
    def unmatched(self) -> tuple[PendingApproval, ...]:
        """What nothing was decided about."""
        return tuple(self._unmatched)

    @property
    def unused(self) -> tuple[ApprovalDecision, ...]:
        """The decisions that nothing asked for."""
        return tuple(self._left)


def same_tool(named: str, asked: str) -> bool:
    """Whether a decision names the tool that is asked about: by its whole name, or by the last part where one of the two has dots.

    Example:
        >>> same_tool("refund", "billing.refund"), same_tool("refund", "refunds")
        (True, False)
    """
    return named == asked or named == asked.rpartition(".")[2] or named.rpartition(".")[2] == asked


def _parsed(arguments: Any) -> Any:
    return decode(arguments) if isinstance(arguments, str) else snapshot(arguments)
