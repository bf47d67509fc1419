"""Capture what an AI agent did, and assert on it.

Importing this package loads none of its modules: each public name is resolved when it is first used.

Example:
    >>> from agentassert import assert_that, capture, record
    >>> @record.tool
    ... def cancel_booking(booking_number):
    ...     return "cancelled"
    >>> with capture() as cap, record.invocation("support_agent", input="Cancel MS-777"):
    ...     _ = cancel_booking("MS-777")
    >>> _ = assert_that(cap).has_tool_executed_with("cancel_booking", {"booking_number": "MS-777"})
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from agentassert.assertions.entry import assert_that
    from agentassert.assertions.invocation import InvocationAssertion
    from agentassert.assertions.soft import soft_assertions
    from agentassert.captures import Capture
    from agentassert.capturing import capture
    from agentassert.conversation_events import ConversationEvent, ConversationEventKind
    from agentassert.doubles.kinds import delays, fails, returns
    from agentassert.driving.approving import ApprovalDecision
    from agentassert.driving.mocking import mocked_tools
    from agentassert.driving.running import run, run_async
    from agentassert.errors import (
        AdapterError,
        AgentAssertionError,
        AmbiguousError,
        CaptureWarning,
        JudgeError,
        MessageError,
        NothingCheckedWarning,
        NotRecordedError,
        RasaPitfallWarning,
        SharedChecksWarning,
        SpanError,
        StoredCaptureError,
        TrackerError,
        UnknownToolWarning,
    )
    from agentassert.handwritten import record
    from agentassert.judges.criteria import Criterion
    from agentassert.judges.judge import Judge
    from agentassert.patterns import execution_of, result_of
    from agentassert.recording.asking import ApprovalAnswer
    from agentassert.recording.recordings import Health
    from agentassert.records import (
        NOT_RECORDED,
        Approval,
        ChatModelCall,
        Decision,
        EmbeddingModelCall,
        FinishReason,
        Invocation,
        ModelCall,
        ModerationModelCall,
        Outcome,
        ScoringModelCall,
        Source,
        Status,
        ToolExecution,
        ToolExecutionRequest,
    )
    from agentassert.text.masking import show_secrets
    from agentassert.token_usage import TokenUsage

__version__ = "0.1.0.dev0"

__all__ = [
    "NOT_RECORDED",
    "AdapterError",
    "AgentAssertionError",
    "AmbiguousError",
    "Approval",
    "ApprovalAnswer",
    "ApprovalDecision",
    "Capture",
    "CaptureWarning",
    "ChatModelCall",
    "ConversationEvent",
    "ConversationEventKind",
    "Criterion",
    "Decision",
    "EmbeddingModelCall",
    "FinishReason",
    "Health",
    "Invocation",
    "InvocationAssertion",
    "Judge",
    "JudgeError",
    "MessageError",
    "ModelCall",
    "ModerationModelCall",
    "NotRecordedError",
    "NothingCheckedWarning",
    "Outcome",
    "RasaPitfallWarning",
    "ScoringModelCall",
    "SharedChecksWarning",
    "Source",
    "SpanError",
    "Status",
    "StoredCaptureError",
    "TokenUsage",
    "ToolExecution",
    "ToolExecutionRequest",
    "TrackerError",
    "UnknownToolWarning",
    "assert_that",
    "capture",
    "delays",
    "execution_of",
    "fails",
    "mocked_tools",
    "record",
    "result_of",
    "returns",
    "run",
    "run_async",
    "show_secrets",
    "soft_assertions",
]

_MODULE_OF: Final = {
    "NOT_RECORDED": "agentassert.records",
    "AdapterError": "agentassert.errors",
    "AgentAssertionError": "agentassert.errors",
    "AmbiguousError": "agentassert.errors",
    "Approval": "agentassert.records",
    "ApprovalAnswer": "agentassert.recording.asking",
    "ApprovalDecision": "agentassert.driving.approving",
    "Capture": "agentassert.captures",
    "CaptureWarning": "agentassert.errors",
    "ChatModelCall": "agentassert.records",
    "ConversationEvent": "agentassert.conversation_events",
    "ConversationEventKind": "agentassert.conversation_events",
    "Criterion": "agentassert.judges.criteria",
    "Decision": "agentassert.records",
    "EmbeddingModelCall": "agentassert.records",
    "FinishReason": "agentassert.records",
    "Health": "agentassert.recording.recordings",
    "Invocation": "agentassert.records",
    "InvocationAssertion": "agentassert.assertions.invocation",
    "Judge": "agentassert.judges.judge",
    "JudgeError": "agentassert.errors",
    "MessageError": "agentassert.errors",
    "ModelCall": "agentassert.records",
    "ModerationModelCall": "agentassert.records",
    "NotRecordedError": "agentassert.errors",
    "NothingCheckedWarning": "agentassert.errors",
    "Outcome": "agentassert.records",
    "ScoringModelCall": "agentassert.records",
    "SharedChecksWarning": "agentassert.errors",
    "Source": "agentassert.records",
    "RasaPitfallWarning": "agentassert.errors",
    "SpanError": "agentassert.errors",
    "StoredCaptureError": "agentassert.errors",
    "TrackerError": "agentassert.errors",
    "Status": "agentassert.records",
    "TokenUsage": "agentassert.token_usage",
    "ToolExecution": "agentassert.records",
    "ToolExecutionRequest": "agentassert.records",
    "UnknownToolWarning": "agentassert.errors",
    "assert_that": "agentassert.assertions.entry",
    "capture": "agentassert.capturing",
    "delays": "agentassert.doubles.kinds",
    "execution_of": "agentassert.patterns",
    "fails": "agentassert.doubles.kinds",
    "mocked_tools": "agentassert.driving.mocking",
    "record": "agentassert.handwritten",
    "result_of": "agentassert.patterns",
    "returns": "agentassert.doubles.kinds",
    "run": "agentassert.driving.running",
    "run_async": "agentassert.driving.running",
    "show_secrets": "agentassert.text.masking",
    "soft_assertions": "agentassert.assertions.soft",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name, obj=None)
    value = getattr(importlib.import_module(_MODULE_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_MODULE_OF])
