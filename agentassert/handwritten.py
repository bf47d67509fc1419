"""`record`: for agents without a framework."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeAlias, TypeVar, overload

from agentassert import recorder
from agentassert.conversation_events import ConversationEventKind
from agentassert.recording import events
from agentassert.recording.decorating import decorate_agent, decorate_tool
from agentassert.recording.guarding import ADAPTER, Inside, attempt, finish, started
from agentassert.records import KIND_OF_CALL, ChatModelCall, Decision, ModelCall, Source
from agentassert.text.nearest import did_you_mean
from agentassert.token_usage import TokenUsage

if TYPE_CHECKING:
    from agentassert.recording.asking import ApprovalAnswer

_F = TypeVar("_F", bound=Callable[..., Any])
_P = ParamSpec("_P")
_Given: TypeAlias = "bool | str | ApprovalAnswer"
_REQUEST_KEYS: Final = ("name", "arguments", "call_id")
_SOURCE_KEYS: Final = ("text", "metadata", "score")
_FLOW_CHANGES: Final = {
    "started": ConversationEventKind.FLOW_STARTED,
    "completed": ConversationEventKind.FLOW_COMPLETED,
    "cancelled": ConversationEventKind.FLOW_CANCELLED,
}


class RecordedInvocation:
    """What `record.invocation` gives: set :attr:`output` to what the agent produced."""

    def __init__(self) -> None:
        self.output: Any = None


class RecordedModelCall:
    """What `record.model_call` gives: call :meth:`respond` with what the model answered."""

    def __init__(self, event: events.ModelCallEvent | None) -> None:
        self._event = event
        self._responded = False

    def respond(
        self,
        text: str | None = None,
        *,
        finish_reason: str | None = None,
        input_tokens: int | None = None,
        output_tokens: int | None = None,
        tool_execution_requests: Iterable[Mapping[str, Any]] = (),
    ) -> None:
        """Record the response, which ends the call.

        Args:
            text: the text of the response.
            finish_reason: the provider's own word for why the model stopped.
            input_tokens: tokens read; `None` when not reported.
            output_tokens: tokens written; `None` when not reported.
            tool_execution_requests: mappings with `name`, and where there are any `arguments` (a mapping or JSON text) and `call_id`.

        Raises:
            TypeError, ValueError: for a text or finish reason that is no string, requests of another form, and negative counts.
            RuntimeError: when the call has been answered before.

        Example:
            >>> with capture() as cap, record.invocation("clerk"), record.model_call("small") as call:
            ...     call.respond("Hello", finish_reason="end_turn")
        """
        if self._responded:
            raise RuntimeError("this model call was answered before; open a record.model_call(...) for each request")
        _text(text, "text")
        _text(finish_reason, "finish_reason")
        usage = None
        if input_tokens is not None or output_tokens is not None:
            usage = TokenUsage(input_tokens=input_tokens, output_tokens=output_tokens)
        requests = [_request(one, index) for index, one in enumerate(tool_execution_requests)]
        self._responded = True
        if self._event is not None:
            attempt(_answer, self._event, text, requests, finish_reason=finish_reason, usage=usage)


def _answer(event: events.ModelCallEvent, text: str | None, requests: Sequence[Mapping[str, Any]], **told: Any) -> None:
    """End a call, completed by what the adapter of an SDK saw of it: what it asks for, and from which tools it goes on."""
    wire = event.on_the_wire
    event.exchange = wire.exchange
    event.respond(text=wire.text if text is None else text, requests=wire.requests or requests, **told)


class Record:
    """Records what a hand-written agent does. With no capture open, everything here passes through.

    Example:
        >>> from agentassert import assert_that, capture
        >>> @record.tool
        ... def get_booking(number):
        ...     return {"number": number, "customer": "Ann"}
        >>> @record.agent("support")
        ... def support(question):
        ...     return f"Booked by {get_booking('MS-777')['customer']}"
        >>> with capture() as cap:
        ...     answer = support("Who booked MS-777?")
        >>> checked = assert_that(cap).has_tool_executed_with("get_booking", {"number": "MS-777"})
    """

    @overload
    def agent(self, function: _F, /) -> _F: ...

    @overload
    def agent(self, name: str, /) -> Callable[[_F], _F]: ...

    @overload
    def agent(self, /, *, name: str | None = None) -> Callable[[_F], _F]: ...

    def agent(self, function: Any = None, /, *, name: str | None = None) -> Any:
        """Decorate a function, coroutine function or (async) generator function: each call is an invocation.

        Args:
            name: the agent's name; the function's own without it.

        Returns:
            The function, or a decorator when called with a name or nothing.

        Raises:
            TypeError: when what is decorated cannot be called.

        Example:
            >>> @record.agent
            ... def greeter(name):
            ...     return f"Hello {name}"
            >>> greeter("Ann")
            'Hello Ann'
        """
        return _decorated(decorate_agent, function, name, "agent")

    @overload
    def tool(self, function: _F, /) -> _F: ...

    @overload
    def tool(self, name: str, /) -> Callable[[_F], _F]: ...

    @overload
    def tool(self, /, *, name: str | None = None) -> Callable[[_F], _F]: ...

    def tool(self, function: Any = None, /, *, name: str | None = None) -> Any:
        """Decorate a function, coroutine function or (async) generator function: each call is a tool execution.

        Arguments are recorded under their parameter names, defaults that were not passed left out. An exception is a failed
        execution, and reaches the caller unchanged.

        Args:
            name: the tool's name; the function's own without it.

        Returns:
            The function, or a decorator when called with a name or nothing.

        Raises:
            TypeError: when what is decorated cannot be called.

        Example:
            >>> @record.tool(name="add")
            ... def add_numbers(a, b=1):
            ...     return a + b
            >>> add_numbers(2)
            3
        """
        return _decorated(decorate_tool, function, name, "tool")

    @overload
    def approver(self, function: Callable[_P, Awaitable[_Given]], /) -> Callable[_P, Coroutine[Any, Any, ApprovalAnswer]]: ...

    @overload
    def approver(self, function: Callable[_P, _Given], /) -> Callable[_P, ApprovalAnswer]: ...

    def approver(self, function: Any, /) -> Any:
        """Decorate the function or coroutine function by which an agent asks a person whether a tool may run.

        Each call is recorded as an approval. While :func:`run` drives the agent, its decisions answer in the person's place, and
        the function is not called; a question that no decision fits ends the run, which is then `awaiting_approval`.

        Args:
            function: called with the tool's name and a mapping of its arguments. It gives `True`, `False`, `"approve"`, `"edit"`,
                `"reject"`, `"timeout"` or an `ApprovalAnswer`.

        Returns:
            The function; it gives an `ApprovalAnswer`, which is true when the tool may run.

        Raises:
            TypeError: when what is decorated cannot be called, and when it gives anything else.

        Example:
            >>> @record.approver
            ... def ask(tool, arguments):
            ...     return input(f"May {tool} run with {arguments}? ") == "yes"
            >>> def cashier(payload):
            ...     return "paid" if ask("refund", {"amount": 50}) else "not paid"
            >>> cap = run(cashier, "Refund 50", approvals=[{"tool": "refund", "decision": "approve"}])
            >>> cap.output
            'paid'
        """
        from agentassert.recording.asking import decorate_approver

        return decorate_approver(function)

    @contextmanager
    def invocation(self, name: str, input: Any = None) -> Iterator[RecordedInvocation]:
        """Record a block as an invocation.

        Args:
            name: the agent's name.
            input: what it was given.

        Yields:
            An object whose `output` takes what the agent produced.

        Raises:
            TypeError: when the name is no string.

        Example:
            >>> with record.invocation("support", input="Hi") as invocation:
            ...     invocation.output = "Hello"
        """
        _named(name, "an invocation")
        handle = RecordedInvocation()
        event = started(recorder.start_invocation, name, adapter=ADAPTER, input=input)
        if event is None:
            yield handle
            return
        with Inside(event, lambda: handle.output):
            yield handle
        attempt(finish, event, handle.output)

    def trigger(self, agent: str, payload: Any = None) -> None:
        """Record that another agent was triggered and is not waited for: it is scheduled for later, or runs in another process.

        It is a nested invocation that was never awaited, with the payload as its input. Nothing more of it is known, so it never
        finishes.

        Args:
            agent: the triggered agent's name.
            payload: what it is given.

        Raises:
            TypeError: when the name is no string.

        Example:
            >>> with capture() as cap, record.invocation("checkout"):
            ...     record.trigger("telemetry-writer", {"event": "checkout"})
            >>> cap.invocation.nested_invocations[0].input
            {'event': 'checkout'}
        """
        _named(agent, "a triggered agent")
        event = started(recorder.start_invocation, agent, adapter=ADAPTER, input=payload, awaited=False)
        if event is not None:
            attempt(event.leave_to_others)

    @contextmanager
    def model_call(
        self,
        model: str | None = None,
        *,
        messages: str | Sequence[Any] = (),
        kind: type[ModelCall] = ChatModelCall,
        tools_offered: Sequence[str] | None = None,
    ) -> Iterator[RecordedModelCall]:
        """Record a block as one request to a model. An exception in it is a failed call.

        Args:
            model: the model's name.
            messages: what is sent: mappings with `role` and `content`, or one text; for other kinds the texts to work on.
            kind: the record class of the call.
            tools_offered: names of the tools that the request offers.

        Yields:
            An object whose `respond(...)` takes the answer.

        Raises:
            TypeError: when `kind` is no model call record, the model's name no text, or the messages no list.

        Example:
            >>> with record.model_call("small", messages="Hi") as call:
            ...     call.respond("Hello", finish_reason="stop", input_tokens=1, output_tokens=1)
        """
        if not isinstance(kind, type) or kind not in KIND_OF_CALL:
            raise TypeError(f"kind must be one of {', '.join(one.__name__ for one in KIND_OF_CALL)}, but was {kind!r}")
        _text(model, "model")
        if isinstance(messages, str):
            messages = [{"role": "user", "content": messages}] if kind is ChatModelCall else [messages]
        _listed(messages, "messages")
        if tools_offered is not None:
            _listed(tools_offered, "tools_offered")
        event = started(
            recorder.start_model_call, adapter=ADAPTER, kind=kind, model=model, inputs=messages, tools_offered=tools_offered
        )
        handle = RecordedModelCall(event)
        try:
            yield handle
        except BaseException as error:
            if event is not None:
                attempt(event.fail, error)
            raise
        if event is not None:
            attempt(_answer, event, None, ())

    def sources(self, sources: Iterable[str | Source | Mapping[str, Any]]) -> None:
        """Record what was retrieved for the running invocation; an empty list says that nothing was found.

        Args:
            sources: texts, mappings with `text`, `metadata` and `score`, or `Source` records.

        Raises:
            TypeError, ValueError: when `sources` is one text, or a source has no text.

        Example:
            >>> record.sources(["Paris is in France", {"text": "Rome is in Italy", "score": 0.7}])
        """
        if isinstance(sources, (str, bytes, Mapping)):
            raise TypeError(f"sources must be a list of sources, but was {sources!r}; write [...] around it")
        found = [_source(one, index) for index, one in enumerate(sources)]
        event = started(recorder.start_retrieval, adapter=ADAPTER)
        if event is not None:
            attempt(event.retrieve, found)

    def tool_execution(
        self,
        name: str,
        arguments: Mapping[str, Any] | str | None = None,
        *,
        result: Any = None,
        error: BaseException | str | None = None,
        call_id: str | None = None,
    ) -> None:
        """Record a tool execution that is over.

        Args:
            name: the tool's name.
            arguments: a mapping, or JSON text as the model sent it.
            result: what it returned.
            error: the exception or its text, when it failed.
            call_id: the id of the request that it answers.

        Raises:
            TypeError: when the name is no string, or the arguments are neither a mapping nor text.

        Example:
            >>> record.tool_execution("get_booking", {"number": "MS-777"}, result="found")
        """
        _named(name, "a tool execution")
        arguments = _arguments(arguments)
        event = started(recorder.start_tool, name, arguments, adapter=ADAPTER, call_id=call_id)
        if event is not None and error is not None:
            attempt(event.fail, error, result)
        elif event is not None:
            attempt(event.succeed, result)

    def approval(
        self,
        tool: str,
        arguments: Mapping[str, Any] | str | None = None,
        *,
        decision: Decision | str = Decision.PENDING,
        reason: str | None = None,
        call_id: str | None = None,
    ) -> None:
        """Record that a human decision is waited for, or was made; a decision settles the pending one of the same tool.

        Args:
            tool: the tool's name.
            arguments: what is asked to be run.
            decision: `approve`, `edit`, `reject`, `timeout` or `pending`.
            reason: the words that came with it.
            call_id: the id of the request that waits.

        Raises:
            TypeError, ValueError: when the tool is no string, or the decision is none of these.

        Example:
            >>> record.approval("pay", {"amount": 5}, decision="reject", reason="too much")
        """
        _named(tool, "an approval", what="tool")
        try:
            decided = Decision(decision)
        except ValueError:
            allowed = ", ".join(repr(one.value) for one in Decision)
            raise ValueError(f"decision must be one of {allowed}, but was {decision!r}") from None
        arguments = _arguments(arguments)
        started(recorder.add_approval, tool, arguments, adapter=ADAPTER, decision=decided, reason=reason, call_id=call_id)

    def slot(self, name: str, value: Any) -> None:
        """Record that a slot of the conversation is set: something that the agent keeps from turn to turn.

        Args:
            name: the slot's name.
            value: what it is set to; `None` empties it.

        Raises:
            TypeError, ValueError: when the name is no string, or empty.

        Example:
            >>> record.slot("seats", 2)
        """
        _named(name, "a slot")
        started(recorder.change_conversation, ConversationEventKind.SLOT_SET, name, adapter=ADAPTER, value=value)

    def flow(self, name: str, change: str = "started", *, step: str | None = None) -> None:
        """Record that a flow of the conversation, which may take several turns, starts or ends.

        Args:
            name: the flow's name.
            change: `started`, `completed` or `cancelled`.
            step: where it stands.

        Raises:
            TypeError, ValueError: when a text is none, or the change none of these.

        Example:
            >>> record.flow("book_ferry")
            >>> record.flow("book_ferry", "completed", step="confirm")
        """
        _named(name, "a flow")
        _text(step, "step")
        if change not in _FLOW_CHANGES:
            raise ValueError(f"change must be one of {', '.join(map(repr, _FLOW_CHANGES))}, but was {change!r}")
        started(recorder.change_conversation, _FLOW_CHANGES[change], name, adapter=ADAPTER, step=step)


record: Final = Record()


def _decorated(decorate: Callable[[Any, str | None], Any], function: Any, name: Any, which: str) -> Any:
    if isinstance(function, str):
        if name is not None:
            raise TypeError(f"record.{which} takes one name, but was given {function!r} and {name!r}")
        function, name = None, function
    if name is not None:
        _named(name, f"record.{which}")
    if function is None:
        return lambda function: _decorated_with(decorate, function, name)
    return _decorated_with(decorate, function, name)


def _decorated_with(decorate: Callable[[Any, str | None], Any], function: Any, name: str | None) -> Any:
    if isinstance(function, (staticmethod, classmethod)):
        return type(function)(decorate(function.__func__, name))
    return decorate(function, name)


def _named(name: Any, of: str, what: str = "name") -> None:
    if not isinstance(name, str):
        raise TypeError(f"the {what} of {of} must be a string, but was {name!r}")
    if not name:
        raise ValueError(f"the {what} of {of} must not be empty")


def _text(value: Any, what: str) -> None:
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{what} must be a string or None, but was {value!r}")


def _listed(values: Any, what: str) -> None:
    if isinstance(values, (str, bytes)) or not isinstance(values, Sequence):
        raise TypeError(f"{what} must be a list, but was {values!r}")


def _arguments(arguments: Any) -> Mapping[str, Any] | str:
    if arguments is None:
        return {}
    if not isinstance(arguments, (Mapping, str)):
        raise TypeError(f"arguments must be a mapping or JSON text, but was {arguments!r}")
    return arguments


def _request(request: Any, index: int) -> Mapping[str, Any]:
    place = f"tool_execution_requests[{index}]"
    _check_keys(request, _REQUEST_KEYS, place)
    _named(request.get("name"), place)
    return {"name": request["name"], "arguments": _arguments(request.get("arguments")), "call_id": request.get("call_id")}


def _source(source: Any, index: int) -> Source:
    if isinstance(source, Source):
        return source
    if isinstance(source, str):
        return Source(text=source)
    _check_keys(source, _SOURCE_KEYS, f"sources[{index}]")
    if not isinstance(source.get("text"), str):
        raise TypeError(f"sources[{index}]['text'] must be a string, but was {source.get('text')!r}")
    return Source(text=source["text"], metadata=dict(source.get("metadata") or {}), score=source.get("score"))


def _check_keys(given: Any, known: tuple[str, ...], place: str) -> None:
    if not isinstance(given, Mapping):
        raise TypeError(f"{place} must be a mapping with {', '.join(map(repr, known))}, but was {given!r}")
    for key in given:
        if key not in known:
            raise ValueError(f"{place} has the unknown key {key!r}; {did_you_mean(str(key), known)}")
