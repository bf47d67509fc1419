"""The records of a captured run: frozen, and equal when their contents are."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, Literal, TypeAlias

import attrs

from agentassert.conversation_events import ConversationEvent
from agentassert.text.nearest import NamesNearest
from agentassert.token_usage import TokenUsage


class Status(enum.StrEnum):
    """How an invocation stands.

    Example:
        >>> Status.COMPLETED == "completed"
        True
    """

    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    BLOCKED = "blocked"
    AWAITING_APPROVAL = "awaiting_approval"
    UNFINISHED = "unfinished"


class Outcome(enum.StrEnum):
    """How a tool execution ended.

    Example:
        >>> Outcome("failed") is Outcome.FAILED
        True
    """

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"
    UNFINISHED = "unfinished"
    UNKNOWN = "unknown"


class Decision(enum.StrEnum):
    """What a human decided about a tool execution.

    Example:
        >>> [decision.value for decision in Decision]
        ['approve', 'edit', 'reject', 'timeout', 'pending']
    """

    APPROVE = "approve"
    EDIT = "edit"
    REJECT = "reject"
    TIMEOUT = "timeout"
    PENDING = "pending"


class FinishReason(enum.StrEnum):
    """Why a model stopped writing.

    Example:
        >>> FinishReason.from_provider("end_turn"), FinishReason.from_provider("MAX_TOKENS")
        (<FinishReason.STOP: 'stop'>, <FinishReason.LENGTH: 'length'>)
    """

    STOP = "stop"
    LENGTH = "length"
    TOOL_EXECUTION = "tool_execution"
    CONTENT_FILTER = "content_filter"
    OTHER = "other"

    @classmethod
    def from_provider(cls, raw: str | None) -> FinishReason | None:
        """Translate a provider's own word; `None` stays `None`, a word that nobody knows is `OTHER`.

        Example:
            >>> FinishReason.from_provider("end_turn"), FinishReason.from_provider("tired")
            (<FinishReason.STOP: 'stop'>, <FinishReason.OTHER: 'other'>)
        """
        if raw is None:
            return None
        return _PROVIDER_REASONS.get(raw.lower(), cls.OTHER)


_PROVIDER_WORDS: Final = {
    FinishReason.STOP: "stop end_turn stop_sequence eos completed",
    FinishReason.LENGTH: "length max_tokens max_output_tokens model_context_window_exceeded",
    FinishReason.TOOL_EXECUTION: "tool_execution tool_calls tool_call tool_use function_call",
    FinishReason.CONTENT_FILTER: "content_filter content_filtered guardrail_intervened refusal safety",
}
_PROVIDER_REASONS: Final = {word: reason for reason, words in _PROVIDER_WORDS.items() for word in words.split()}


class NotRecorded(enum.Enum):
    """The type of :data:`NOT_RECORDED`; a `Literal` of it can be told from a tuple by type checkers.

    Example:
        >>> NotRecorded.NOT_RECORDED is NOT_RECORDED
        True
    """

    NOT_RECORDED = "not recorded"

    def __repr__(self) -> str:
        return "NOT_RECORDED"

    def __bool__(self) -> bool:
        return False


NOT_RECORDED: Final = NotRecorded.NOT_RECORDED
"""Stands where nobody could see; not the same as an empty tuple, which says that nothing happened."""


@attrs.frozen(kw_only=True)
class ToolExecutionRequest:
    """What a model's response asked for. It may never run: an unknown tool, a rejected approval, an abandoned stream.

    Args:
        name: the tool's name, as the model wrote it.
        arguments: the parsed arguments, or `None` when they do not parse to an object.
        raw_arguments: the arguments as they arrived: a mapping, or the provider's JSON text.
        call_id: unique in the capture; `None` when the provider sent none.
        answered: whether a tool execution answered it.

    Example:
        >>> ToolExecutionRequest(name="search", arguments={"q": "x"}).answered
        False
    """

    name: str
    arguments: Mapping[str, Any] | None = None
    raw_arguments: Any = None
    call_id: str | None = None
    answered: bool = False


@attrs.frozen(kw_only=True)
class ToolExecution:
    """A tool that really ran.

    Args:
        id: unique in the capture.
        name: the tool's name.
        arguments: as the model sent them, parsed; `None` when they do not parse to an object, or were not recorded.
        raw_arguments: the arguments as they arrived: a mapping, or the provider's JSON text; `None` when they were not recorded.
        result: the result as JSON-like data where it can be had: JSON text decoded, models, dataclasses, enums and dates converted.
            `NOT_RECORDED` when it succeeded and what it returned was not recorded, as by a span without content.
        raw_result: the object that the tool returned; a copy of a mapping that holds nothing but texts, numbers, booleans and `None`.
        error: the exception, or the text that reported the failure.
        outcome: how it ended.
        call_id: the request's id, unique in the capture; attempts at one request share it.
        attempt: 1 for the first try at a request, 2 for its first retry, and so on.
        cached: whether the result came from a cache.
        started_at: wall-clock time of the start; `duration`: seconds, or `None` while it runs.
        inferred: whether it was concluded from what the model was sent, rather than seen.
        started_order: place of the start in the recorder's own sequence; `ended_order`: place of the end in it, or `None`.

    Example:
        >>> execution = ToolExecution(id="1", name="get", arguments={"id": 7}, result="ok", outcome=Outcome.SUCCEEDED)
        >>> execution.failed, execution.succeeded
        (False, True)
    """

    id: str
    name: str
    arguments: Mapping[str, Any] | None = None
    raw_arguments: Any = None
    result: Any = None
    raw_result: Any = attrs.field(default=None, repr=False)
    error: BaseException | str | None = None
    outcome: Outcome = Outcome.SUCCEEDED
    call_id: str | None = None
    attempt: int = 1
    cached: bool = False
    started_at: datetime | None = None
    duration: float | None = None
    inferred: bool = False
    started_order: int = 0
    ended_order: int | None = None

    @property
    def failed(self) -> bool | None:
        """Whether it failed; `None` when nobody reported the outcome."""
        return None if self.outcome is Outcome.UNKNOWN else self.outcome is Outcome.FAILED

    @property
    def succeeded(self) -> bool | None:
        """Whether it succeeded; `None` when nobody reported the outcome."""
        return None if self.outcome is Outcome.UNKNOWN else self.outcome is Outcome.SUCCEEDED

    @property
    def may_not_have_run(self) -> bool:
        """Whether nothing but its request is known, because a loop over a raw SDK sent no result back."""
        return self.inferred and self.ended_order is None


@attrs.frozen(kw_only=True)
class ModelCall:
    """One request to one model. A call that failed is still a call.

    Args:
        id: unique in the capture.
        model: the model's name as requested.
        token_usage: as reported, or `None`.
        error: the exception or its text, when the call failed.
        completed: whether a response arrived before the recording ended.
        attempts: how often the request was sent, retries included.
        cached: whether the response came from a cache.
        started_at: wall-clock time of the start; `duration`: seconds, or `None` while it runs.

    Example:
        >>> EmbeddingModelCall(id="1", model="small", inputs=("a", "b")).kind
        'embedding'
    """

    id: str
    model: str | None = None
    token_usage: TokenUsage | None = None
    error: BaseException | str | None = None
    completed: bool = True
    attempts: int = 1
    cached: bool = False
    started_at: datetime | None = None
    duration: float | None = None
    started_order: int = 0

    @property
    def kind(self) -> str:
        """`chat`, `embedding`, `scoring` or `moderation`."""
        return KIND_OF_CALL[type(self)]

    @property
    def failed(self) -> bool:
        """Whether the call failed."""
        return self.error is not None


@attrs.frozen(kw_only=True)
class ChatModelCall(ModelCall):
    """One request to a chat model.

    Args:
        messages: what was sent, each a mapping with `role` and `content` at least.
        response_text: the text of the response; `None` when none arrived.
        tool_execution_requests: what the response asked for, in the order listed.
        finish_reason: why the model stopped; `raw_finish_reason`: the provider's own word.
        own: whether the agent's loop made the call, rather than one of its tools or retrievers.
        tools_offered: names of the tools that the request offered; `None` when not seen.

    Example:
        >>> call = ChatModelCall(id="1", messages=({"role": "user", "content": "hi"},), response_text="hello")
        >>> call.kind, call.own, call.tools_offered
        ('chat', True, None)
    """

    messages: tuple[Mapping[str, Any], ...] = ()
    response_text: str | None = None
    tool_execution_requests: tuple[ToolExecutionRequest, ...] = ()
    finish_reason: FinishReason | None = None
    raw_finish_reason: str | None = None
    own: bool = True
    tools_offered: tuple[str, ...] | None = None


@attrs.frozen(kw_only=True)
class EmbeddingModelCall(ModelCall):
    """One request to an embedding model; `inputs` are the texts that were embedded.

    Example:
        >>> EmbeddingModelCall(id="1", inputs=("a",)).inputs
        ('a',)
    """

    inputs: tuple[Any, ...] = ()


@attrs.frozen(kw_only=True)
class ScoringModelCall(ModelCall):
    """One request to a scoring (rerank) model; `inputs` are the query and the texts that were scored.

    Example:
        >>> ScoringModelCall(id="1", inputs=("query", "text")).kind
        'scoring'
    """

    inputs: tuple[Any, ...] = ()


@attrs.frozen(kw_only=True)
class ModerationModelCall(ModelCall):
    """One request to a moderation model; `inputs` are the texts that were judged.

    Example:
        >>> ModerationModelCall(id="1", inputs=("text",)).kind
        'moderation'
    """

    inputs: tuple[Any, ...] = ()


KIND_OF_CALL: Final[Mapping[type[ModelCall], str]] = {
    ChatModelCall: "chat",
    EmbeddingModelCall: "embedding",
    ScoringModelCall: "scoring",
    ModerationModelCall: "moderation",
}


@attrs.frozen(kw_only=True)
class Source:
    """One retrieved piece of content that the invocation was given.

    Args:
        text: the content.
        metadata: what the retriever says about it.
        score: its relevance, when the retriever reports one.

    Example:
        >>> Source(text="Paris is in France").metadata
        {}
    """

    text: str
    metadata: Mapping[str, Any] = attrs.field(factory=dict)
    score: float | None = None


@attrs.frozen(kw_only=True)
class Approval:
    """One human decision that gated a tool execution.

    Args:
        tool: the tool's name.
        arguments: what was asked to be run; after an edit, still what was asked.
        decision: what was decided, `pending` until then.
        reason: the words that came with the decision.
        call_id: of the request that waits, where the framework says so.

    Example:
        >>> Approval(tool="pay", arguments={"amount": 5}).decision
        <Decision.PENDING: 'pending'>
    """

    tool: str
    arguments: Mapping[str, Any] | None = None
    decision: Decision = Decision.PENDING
    reason: str | None = None
    call_id: str | None = None


Sources: TypeAlias = tuple[Source, ...] | Literal[NotRecorded.NOT_RECORDED]


@attrs.frozen(kw_only=True)
class Invocation(NamesNearest):
    """One run of one agent.

    Args:
        id: unique in the capture.
        name: the agent's name.
        framework: the adapter that recorded it: `langchain`, …, `record` for hand-written agents.
        input: what the agent was given; `output`: what it produced, as JSON-like data where it can be had, or `NOT_RECORDED`.
        output_text: the final text, however the framework wraps it; `None` when there is none, or it was not recorded.
        status: how it stands.
        error: the exception that ended it.
        finish_reason: of its final own response; `raw_finish_reason`: the provider's own word.
        awaited: whether the work that started it waited for its result; `None` for a top-level invocation.
        started_at: wall-clock time of the start; `duration`: seconds, or `None` while it runs.
        tool_executions: its own, in the order in which the model asked for them.
        tool_execution_requests: of its own chat model calls, in order.
        model_calls: of the agent and of the components it ran, in the order started.
        sources: what was retrieved, or `NOT_RECORDED` when no retriever was seen.
        approvals: human decisions, in the order asked.
        nested_invocations: the invocations that its work started, in the order started.
        conversation_events: slots set, and flows started, completed and cancelled by its own work.
        started_by: the id of the tool execution that started it, when one did.
        implicit: whether it stands for recorded work that no invocation was seen around.
        recorded_by: names of the adapters that recorded anything in it.
        started_order: place of the start in the recorder's own sequence; `ended_order`: place of the end in it, or `None`.

    Example:
        >>> invocation = Invocation(id="1", name="support", tool_executions=(ToolExecution(id="2", name="get"),))
        >>> [execution.name for execution in invocation.tool_executions], invocation.token_usage
        (['get'], None)
    """

    id: str
    name: str
    framework: str = "record"
    input: Any = None
    output: Any = None
    output_text: str | None = None
    status: Status = Status.COMPLETED
    error: BaseException | str | None = None
    awaited: bool | None = None
    started_at: datetime | None = None
    duration: float | None = None
    tool_executions: tuple[ToolExecution, ...] = ()
    model_calls: tuple[ModelCall, ...] = ()
    sources: Sources = NOT_RECORDED
    approvals: tuple[Approval, ...] = ()
    nested_invocations: tuple[Invocation, ...] = ()
    conversation_events: tuple[ConversationEvent, ...] = ()
    started_by: str | None = None
    implicit: bool = False
    recorded_by: tuple[str, ...] = ("record",)
    started_order: int = 0
    ended_order: int | None = None
    home: Any = attrs.field(default=None, eq=False, repr=False)
    """The capture that holds it, whose books its assertions keep."""

    def with_nested(self) -> tuple[Invocation, ...]:
        """This invocation and all below it: each before what it started, in the order started.

        Example:
            >>> [one.name for one in cap_of_team.invocation.with_nested()]
            ['writer', 'researcher']
        """
        found: list[Invocation] = []
        waiting: list[Invocation] = [self]
        while waiting:
            one = waiting.pop()
            found.append(one)
            waiting.extend(reversed(one.nested_invocations))
        return tuple(found)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from agentassert.reports.tree_html import invocation_page

        return invocation_page(self)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """What IPython shows where it shows text, and keeps beside the HTML: the `repr` masks no secret and leaves out nothing."""
        from agentassert.reports.tree_text import invocation_text

        printer.text(invocation_text(self))

    @property
    def own_chat_model_calls(self) -> tuple[ChatModelCall, ...]:
        """The chat calls of the agent's own loop, in the order started."""
        return tuple(call for call in self.model_calls if isinstance(call, ChatModelCall) and call.own)

    @property
    def tool_execution_requests(self) -> tuple[ToolExecutionRequest, ...]:
        """What the agent's own chat calls asked for, in order."""
        return tuple(request for call in self.own_chat_model_calls for request in call.tool_execution_requests)

    @property
    def finish_reason(self) -> FinishReason | None:
        """The finish reason of the final own response; `None` when there is none, or none was reported."""
        final = self._final_response()
        return None if final is None else final.finish_reason

    @property
    def raw_finish_reason(self) -> str | None:
        """The provider's own word for :attr:`finish_reason`."""
        final = self._final_response()
        return None if final is None else final.raw_finish_reason

    @property
    def token_usage(self) -> TokenUsage | None:
        """The sum over its own chat calls of what was reported; `None` when nothing was."""
        total: TokenUsage | None = None
        for call in self.own_chat_model_calls:
            if call.token_usage is not None:
                total = call.token_usage if total is None else total + call.token_usage
        return total

    def _final_response(self) -> ChatModelCall | None:
        """Of the last call that did not fail, unless its response was never seen."""
        answered = [call for call in self.own_chat_model_calls if not call.failed]
        return answered[-1] if answered and answered[-1].completed else None
