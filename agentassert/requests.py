"""Which request of the model a tool execution answers.

Providers repeat ids (every response may begin with `call_0`) and hand-written loops pass none on, so an id alone decides nothing:
an execution answers the latest request of its id before it started, and without an id the first unanswered request of its name,
with its arguments if there is such a one.
"""

from __future__ import annotations

import bisect
import json
from collections import defaultdict, deque
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

import attrs

from agentassert.events import ModelCallEvent, ToolEvent
from agentassert.jsonlike import decode
from agentassert.records import ToolExecutionRequest

Place: TypeAlias = tuple[int, int, int]
_UNSEEN: Final = -1
"""The index of a request that is known only by the executions that name its id."""


def parsed_arguments(arguments: Any) -> Mapping[str, Any] | None:
    """Arguments as a mapping: JSON text is parsed, blank text means none; `None` for what is no JSON object.

    Example:
        >>> parsed_arguments('{"id": 7}'), parsed_arguments(""), parsed_arguments("[1]")
        ({'id': 7}, {}, None)
    """
    if isinstance(arguments, str):
        arguments = decode(arguments) if arguments.strip() else {}
    return arguments if isinstance(arguments, Mapping) else None


class CallIds:
    """Ids that are unique in the capture, made from the providers' own."""

    def __init__(self) -> None:
        self._used: dict[str, int] = {}

    def unique(self, call_id: str | None) -> str | None:
        """`call_id` the first time, `call_id#2` the second time, and so on."""
        if call_id is None:
            return None
        self._used[call_id] = count = self._used.get(call_id, 0) + 1
        return call_id if count == 1 else self.unique(f"{call_id}#{count}")


@attrs.define(eq=False)
class _Request:
    name: str
    arguments: Any
    call_id: str | None
    order: int
    index: int
    executions: int = 0


class Requested:
    """The requests of one invocation's own chat calls, and the executions that answer them."""

    def __init__(self, call_ids: CallIds) -> None:
        self._call_ids = call_ids
        self._of_call: dict[ModelCallEvent, list[_Request]] = {}
        self._by_id: dict[tuple[str, str], list[_Request]] = defaultdict(list)
        self._unanswered: dict[str, dict[_Request, None]] = defaultdict(dict)
        self._by_key: dict[tuple[str, str], deque[_Request]] = defaultdict(deque)
        self._joined: dict[ToolEvent, tuple[_Request, int]] = {}

    def add(self, call: ModelCallEvent) -> None:
        """Take the requests of a response, in the order listed."""
        requests = []
        for index, asked in enumerate(call.requests):
            name, provider_id = str(asked.get("name")), asked.get("call_id")
            request = _Request(name, asked.get("arguments"), self._call_ids.unique(provider_id), call.ended_order or 0, index)
            requests.append(request)
            if provider_id is not None:
                self._by_id[provider_id, name].append(request)
            self._unanswered[name][request] = None
        self._of_call[call] = requests

    def join(self, tool: ToolEvent) -> None:
        """Find the request that `tool` answers, once all requests are known."""
        request = self._alike(tool) if tool.call_id is None else self._latest(tool.call_id, tool.name, tool.order, tool)
        if tool.call_id is not None and (request is None or not _is_attempt(request, tool)):
            request = _Request(tool.name, tool.arguments, self._call_ids.unique(tool.call_id), tool.order, _UNSEEN)
            self._by_id[tool.call_id, tool.name].append(request)
        if request is not None:
            request.executions += 1
            self._unanswered[request.name].pop(request, None)
            self._joined[tool] = request, request.executions

    def of(self, tool: ToolEvent) -> tuple[str | None, int]:
        """The call id of an execution, and which attempt it is."""
        joined = self._joined.get(tool)
        return (None, 1) if joined is None else (joined[0].call_id, joined[1])

    def in_order(self, tools: list[ToolEvent]) -> list[ToolEvent]:
        """Executions in the model's order: by the place of the request, without one by their own start."""
        return sorted(tools, key=self._place) if self._joined else tools

    def _place(self, tool: ToolEvent) -> Place:
        joined = self._joined.get(tool)
        return (tool.order, -1, tool.order) if joined is None else (joined[0].order, joined[0].index, tool.order)

    def call_id_of(self, provider_id: str | None, name: str, order: int) -> str | None:
        """The capture's own id for a provider's id of a request for the tool `name`, as it is meant at that moment."""
        if provider_id is None:
            return None
        request = self._latest(provider_id, name, order)
        return provider_id if request is None else request.call_id

    def records(self, call: ModelCallEvent) -> tuple[ToolExecutionRequest, ...]:
        """The requests of a response as records."""
        requests = self._of_call.get(call)
        if requests is None:
            requests = [
                _Request(str(asked.get("name")), asked.get("arguments"), self._call_ids.unique(asked.get("call_id")), 0, 0)
                for asked in call.requests
            ]
        return tuple(
            ToolExecutionRequest(
                name=request.name,
                arguments=parsed_arguments(request.arguments),
                raw_arguments=request.arguments,
                call_id=request.call_id,
                answered=request.executions > 0,
            )
            for request in requests
        )

    def _latest(self, provider_id: str, name: str, order: int, tool: ToolEvent | None = None) -> _Request | None:
        requests = self._by_id.get((provider_id, name))
        if not requests:
            return None
        # A framework may run tools while the response still streams: then the first request of that id is complete only later.
        index = max(bisect.bisect_left(requests, order, key=_order) - 1, 0)
        latest = requests[index]
        first = bisect.bisect_left(requests, latest.order, key=_order)
        if tool is None or first == index:
            return latest
        arguments = key_of(tool.arguments)
        same_response = requests[first : index + 1]
        alike = [one for one in same_response if key_of(one.arguments) == arguments]
        unanswered = [one for one in same_response if not one.executions]
        return min(alike, key=_executions) if alike else next(iter(unanswered), latest)

    def _alike(self, tool: ToolEvent) -> _Request | None:
        unanswered = self._unanswered.get(tool.name)
        if not unanswered:
            return None
        first = next(iter(unanswered))
        if len(unanswered) == 1:
            return first if first.order < tool.order else None
        if not self._by_key:
            for request in (request for requests in self._unanswered.values() for request in requests):
                self._by_key[request.name, key_of(request.arguments)].append(request)
        same = self._by_key[tool.name, key_of(tool.arguments)]
        while same and same[0].executions:
            same.popleft()
        if same and same[0].order < tool.order:
            return same.popleft()
        return first if first.order < tool.order else None


def _is_attempt(request: _Request, tool: ToolEvent) -> bool:
    """Whether `tool` is another try at it: a person may have edited what a model asked for, but nothing else changes arguments."""
    return request.index != _UNSEEN or key_of(request.arguments) == key_of(tool.arguments)


def _order(request: _Request) -> int:
    return request.order


def _executions(request: _Request) -> int:
    return request.executions


def key_of(arguments: Any) -> str:
    """A text that is the same for the same arguments, parsed or not.

    Example:
        >>> key_of('{"b": 1, "a": 2}') == key_of({"a": 2, "b": 1})
        True
    """
    parsed = parsed_arguments(arguments)
    try:
        return json.dumps(parsed, sort_keys=True, default=repr)
    except Exception:  # a hostile object in the arguments: they are told from others by their kind alone
        return repr(type(parsed))
