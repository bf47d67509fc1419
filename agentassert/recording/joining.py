"""Which request of the model a tool execution answers.

Providers repeat ids (every response may begin with `call_0`) and hand-written loops pass none on, so an id alone decides nothing:
an execution answers the latest request of its id before it started, and without an id the first unanswered request of its name,
with its arguments if there is such a one. The results that a loop over a raw SDK sent back (`inferring.py`) say until when that can
be, and that something ran, or may have, for the requests that are left.
"""

from __future__ import annotations

import bisect
import heapq
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from agentassert.recording.events import ApprovalEvent, ModelCallEvent, ToolEvent
from agentassert.recording.requests import Place, Request, key_of, loose_key, parsed_arguments
from agentassert.records import ToolExecutionRequest

if TYPE_CHECKING:
    from agentassert.recording.exchanges import Answer

_UNSEEN: Final = -1
"""The index of a request that is known only by the executions that name its id."""


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


class Requested:
    """The requests of one invocation's own chat calls, and the executions that answer them."""

    def __init__(self, call_ids: CallIds) -> None:
        self._call_ids = call_ids
        self._of_call: dict[ModelCallEvent, list[Request]] = {}
        self._by_id: dict[tuple[str, str], list[Request]] = defaultdict(list)
        self._repeated: dict[tuple[str, str, int], _Repeated] = {}
        self._joined: dict[ToolEvent, tuple[Request, int]] = {}

    def add(self, call: ModelCallEvent, answers: Mapping[int, Answer]) -> None:
        """Take the requests of a response, in the order listed, and the results that were sent back for them."""
        requests = []
        for index, asked in enumerate(call.requests):
            name, arguments, provider_id = str(asked.get("name")), asked.get("arguments"), asked.get("call_id")
            call_id = self._call_ids.unique(provider_id)
            of_loop = call.exchange is not None
            request = Request(name, arguments, call_id, call.ended_order or 0, index, of_loop, answers.get(index))
            requests.append(request)
            if provider_id is not None:
                self._by_id[provider_id, name].append(request)
        self._of_call[call] = requests

    def join(self, tools: Iterable[ToolEvent]) -> None:
        """Find the requests that `tools` answer, once all requests are known; they come in the order started."""
        nameless = []
        for tool in tools:
            if tool.call_id is None:
                nameless.append(tool)
            else:
                self._answer(tool, self._of_id(tool, tool.call_id))
        if not nameless:
            return
        every = self._every
        several = {name for name, count in Counter(request.name for request in every).items() if count > 1}
        for key, names in ((key_of, several), (loose_key, several), (None, None)):
            waiting = _Waiting(every, key, names)
            nameless = [tool for tool in nameless if not self._answer(tool, waiting.first_for(tool))]
        with_room = {request.name for request in every if request.of_loop and not request.executions}
        nameless = [tool for tool in nameless if tool.name not in with_room or not self._make_room(tool, every)]
        late = _Waiting(every, key_of, with_room, late=True)
        for tool in nameless:
            self._answer(tool, late.first_for(tool))

    def _make_room(self, tool: ToolEvent, every: Iterable[Request]) -> bool:
        """Give `tool` the request that another execution has, if that may have answered a free one as well, and so on."""
        requests = [request for request in every if request.of_loop and request.name == tool.name]
        holders = {request: holder for holder, (request, _) in self._joined.items() if holder.call_id is None}
        takers: dict[Request, ToolEvent] = {}
        looking = deque([tool])
        while looking:
            taker = looking.popleft()
            for request in requests:
                if request in takers or not request.is_open(taker.order):
                    continue
                takers[request] = taker
                if not request.executions:
                    self._move_up(request, takers)
                    return True
                if request in holders:
                    looking.append(holders[request])
        return False

    def _move_up(self, free: Request, takers: Mapping[Request, ToolEvent]) -> None:
        free.executions = 1
        request: Request | None = free
        while request is not None:
            taker = takers[request]
            left = self._joined.get(taker)
            self._joined[taker] = request, 1
            request = None if left is None else left[0]

    def decide(self, approvals: Iterable[ApprovalEvent]) -> None:
        """Take what people decided, once executions have been joined: of requests without one it says that they never ran."""
        alike: dict[tuple[str, str], list[Request]] | None = None
        for approval in approvals:
            if approval.call_id is not None:
                request = self._latest(approval.call_id, approval.tool, approval.order)
            else:
                alike = self._alike() if alike is None else alike
                same = alike.get((approval.tool, key_of(approval.arguments)), ())
                request = next((one for one in same if not one.executions and one.is_open(approval.order)), None)
            if request is not None:
                request.decision = approval.decision

    def _alike(self) -> dict[tuple[str, str], list[Request]]:
        """The requests that ask for the same."""
        alike: defaultdict[tuple[str, str], list[Request]] = defaultdict(list)
        for request in self._every:
            alike[request.name, request.key].append(request)
        return alike

    @property
    def _every(self) -> list[Request]:
        return [request for requests in self._of_call.values() for request in requests]

    def _of_id(self, tool: ToolEvent, call_id: str) -> Request:
        request = self._latest(call_id, tool.name, tool.order, tool)
        if request is None or not _is_attempt(request, tool):
            request = Request(tool.name, tool.arguments, self._call_ids.unique(call_id), tool.order, _UNSEEN)
            self._by_id[call_id, tool.name].append(request)
        return request

    def _answer(self, tool: ToolEvent, request: Request | None) -> bool:
        if request is None:
            return False
        request.executions += 1
        self._joined[tool] = request, request.executions
        return True

    def of(self, tool: ToolEvent) -> tuple[str | None, int]:
        """The call id of an execution, and which attempt it is."""
        joined = self._joined.get(tool)
        return (None, 1) if joined is None else (joined[0].call_id, joined[1])

    def arguments_for(self, tool: ToolEvent) -> Any:
        """What the model asked the tool to run with; `None` when its request was not seen."""
        joined = self._joined.get(tool)
        return None if joined is None else joined[0].arguments

    def place(self, tool: ToolEvent) -> Place:
        """Where an execution stands in the model's order: by the place of its request, without one by its own start."""
        joined = self._joined.get(tool)
        return (tool.order, -1, tool.order) if joined is None else (joined[0].order, joined[0].index, tool.order)

    @property
    def says_order(self) -> bool:
        """Whether executions answer requests, so that their own starts do not say in which order they stand."""
        return bool(self._joined)

    def unseen(self) -> list[tuple[ModelCallEvent, Request]]:
        """The requests of a loop over a raw SDK that no execution answers: what ran for them, if anything, went unseen."""
        return [
            (call, request)
            for call, requests in self._of_call.items()
            for request in requests
            if request.of_loop and not request.executions and not request.is_held_back
        ]

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
                Request(str(asked.get("name")), asked.get("arguments"), self._call_ids.unique(asked.get("call_id")), 0, 0)
                for asked in call.requests
            ]
        return tuple(
            ToolExecutionRequest(
                name=request.name,
                arguments=parsed_arguments(request.arguments),
                raw_arguments=request.arguments,
                call_id=request.call_id,
                answered=request.answered,
            )
            for request in requests
        )

    def _latest(self, provider_id: str, name: str, order: int, tool: ToolEvent | None = None) -> Request | None:
        requests = self._by_id.get((provider_id, name))
        if not requests:
            return None
        # A framework may run tools while the response still streams: then the first request of that id is complete only later.
        index = max(bisect.bisect_left(requests, order, key=_order) - 1, 0)
        latest = requests[index]
        first = bisect.bisect_left(requests, latest.order, key=_order)
        if tool is None or first == index:
            return latest
        key = provider_id, name, latest.order
        if key not in self._repeated:
            self._repeated[key] = _Repeated(requests[first : index + 1])
        return self._repeated[key].meant_by(tool)


class _Repeated:
    """The requests of one response that have one id, for executions that name it.

    Args:
        requests: as listed, of one tool.
    """

    def __init__(self, requests: list[Request]) -> None:
        self._latest = requests[-1]
        self._waiting = deque(requests)
        self._alike: dict[str, list[tuple[int, int, Request]]] = defaultdict(list)
        """Heaps by the same arguments: the one that was executed least comes first, then as listed."""
        for number, request in enumerate(requests):
            heapq.heappush(self._alike[request.key], (request.executions, number, request))

    def meant_by(self, tool: ToolEvent) -> Request:
        """The one with the arguments of `tool` that was executed least; without such a one the first unanswered, else the latest."""
        alike = self._alike.get(key_of(tool.arguments))
        if alike:
            while alike[0][0] != alike[0][2].executions:
                _, number, request = alike[0]
                heapq.heapreplace(alike, (request.executions, number, request))
            return alike[0][2]
        while self._waiting and self._waiting[0].executions:
            self._waiting.popleft()
        return self._waiting[0] if self._waiting else self._latest


class _Waiting:
    """Requests that nothing has answered, under a key of their arguments, for executions that come in the order started.

    Args:
        requests: in the order in which they were made.
        key: when arguments are the same; `None` for any.
        names: the tools whose requests to take; `None` for every one.
        late: whether to take those, too, whose result had been sent back when the execution started: it had been put off.
    """

    def __init__(
        self,
        requests: Iterable[Request],
        key: Callable[[Any], str] | None,
        names: Collection[str] | None = None,
        *,
        late: bool = False,
    ) -> None:
        self._key = key
        self._names = names
        self._late = late
        self._same: dict[tuple[str, str], deque[Request]] = defaultdict(deque)
        for request in requests:
            if names is None or request.name in names:
                self._same[self._key_of(request)].append(request)

    def first_for(self, tool: ToolEvent) -> Request | None:
        """The first one that `tool` may answer."""
        if self._names is not None and tool.name not in self._names:
            return None
        same = self._same.get(self._key_of(tool), deque())
        while same and same[0].order < tool.order:
            if not same[0].executions and (self._late or same[0].is_open(tool.order)):
                return same[0]
            same.popleft()
        return None

    def _key_of(self, one: Request | ToolEvent) -> tuple[str, str]:
        return one.name, "" if self._key is None else self._key(one.arguments)


def _is_attempt(request: Request, tool: ToolEvent) -> bool:
    """Whether `tool` is another try at it: a person may have edited what a model asked for, but nothing else changes arguments."""
    return request.index != _UNSEEN or request.key == key_of(tool.arguments)


def _order(request: Request) -> int:
    return request.order
