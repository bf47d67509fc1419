"""Which result that a request sends back answers which tool execution request of an earlier response.

A loop over a raw SDK runs its tools between two requests, where nobody sees it. A later request tells: it sends the response back
as part of its history, and the results after it. Ids alone decide nothing, since every response may begin with `call_0`, histories
are sent again and again, and fixtures hold pairs that never ran. What decides is the place: a response stands where the history that
it answered ends.
"""

from __future__ import annotations

import bisect
import operator
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

import attrs

from agentassert.recording.events import ModelCallEvent
from agentassert.recording.exchanges import Answer, Exchange, Sent, SentResult
from agentassert.recording.requests import key_of

Answers: TypeAlias = Mapping[ModelCallEvent, Mapping[int, Answer]]
_Key: TypeAlias = tuple[str, str, str | None]
_History: TypeAlias = Sequence[Sent]
_Waiting: TypeAlias = "defaultdict[str | None, deque[int]]"
"""The indexes of requests by their ids; under `None` all of them."""


def answers_in(calls: Iterable[tuple[ModelCallEvent, Exchange]], end: float) -> Answers:
    """For each response, the answers to its requests under their indexes, as far as they were sent before `end`.

    Args:
        calls: chat calls, each with its exchange.
        end: the place in the recorder's sequence at which the recording ended.
    """
    inference = _Inference()
    moments: list[tuple[int, Callable[[ModelCallEvent, Exchange], None], ModelCallEvent, Exchange]] = []
    for call, exchange in calls:
        moments.append((call.order, inference.send, call, exchange))
        if call.requests and call.ended_order is not None and call.ended_order < end:
            moments.append((call.ended_order, inference.respond, call, exchange))
    for _, happens, call, exchange in sorted(moments, key=operator.itemgetter(0)):
        happens(call, exchange)
    return inference.answers


@attrs.define(eq=False)
class Response:
    """A response that asked for tools, and what answered it so far."""

    history: _History
    requests: Sequence[_Key]
    answers: dict[int, Answer]
    _waiting: dict[range, _Waiting] = attrs.field(factory=dict, init=False)

    @property
    def is_answered(self) -> bool:
        """Whether every one of its requests is."""
        return len(self.answers) >= len(self.requests)

    def awaits(self, ids: set[str | None]) -> bool:
        """Whether one of its requests can still be answered by a result that has one of these ids."""
        waiting = (call_id for index, (_, _, call_id) in enumerate(self.requests) if index not in self.answers)
        return any(call_id in ids or None in ids for call_id in waiting)

    def take(self, results: Iterable[SentResult], indexes: range, order: int) -> list[SentResult]:
        """Join results to requests by id, and by position where ids repeat or are missing; gives those that answer none."""
        left: list[SentResult] = []
        waiting = self._waiting_at(indexes)
        for result in results:
            answered = next(self._open(waiting[result.call_id]), None)
            if answered is None:
                left.append(result)
            else:
                self.answers[answered] = Answer(result, order)
        return left

    def _waiting_at(self, indexes: range) -> _Waiting:
        """What waited there when it was first asked for: results come one by one, and what is answered meanwhile is passed over."""
        waiting = self._waiting.get(indexes)
        if waiting is None:
            waiting = self._waiting[indexes] = defaultdict(deque)
            for index in indexes:
                for call_id in {self.requests[index][2], None}:
                    waiting[call_id].append(index)
        return waiting

    def _open(self, indexes: deque[int]) -> Iterator[int]:
        while indexes:
            index = indexes.popleft()
            if index not in self.answers:
                yield index


@attrs.frozen
class _Block:
    """A response as it stands in what is sent: requests from `first` to `last` there, which are those from `index` in it."""

    response: Response
    index: int
    first: int
    last: int

    @property
    def indexes(self) -> range:
        return range(self.index, self.index + self.last - self.first + 1)


class _Request:
    """What one request sends: its items, and the requests of earlier responses in them."""

    def __init__(self, exchange: Exchange, known_keys: dict[str, Sequence[_Key]]) -> None:
        self.sent = exchange.sent
        self.places: list[int] = []
        self.keys: list[_Key] = []
        self.digests = [hash((exchange.continues, exchange.conversation))]
        self.last_without_result = -1
        for place, item in enumerate(self.sent):
            self.digests.append(hash((self.digests[-1], item.key)))
            if item.requests:
                if item.key not in known_keys:
                    known_keys[item.key] = [key_of_request(one.name, one.arguments, one.call_id) for one in item.requests]
                self.keys += known_keys[item.key]
                self.places += [place] * len(item.requests)
            if not item.results:
                self.last_without_result = place

    def place(self, number: int) -> int:
        """Where a request stands; the end, where there is no such request."""
        return self.places[number] if number < len(self.places) else len(self.sent)

    def results(self, start: int, stop: int) -> list[SentResult]:
        """The results between two places."""
        return [result for item in self.sent[start:stop] for result in item.results]


class _Inference:
    def __init__(self) -> None:
        self.answers: dict[ModelCallEvent, dict[int, Answer]] = {}
        self._keys: dict[str, Sequence[_Key]] = {}
        self._digests: dict[ModelCallEvent, int] = {}
        self._histories: set[int] = set()
        self._tails: dict[int, tuple[_History, int]] = {}
        self._whole: defaultdict[int, deque[Response]] = defaultdict(deque)
        self._begun: defaultdict[int, deque[Response]] = defaultdict(deque)
        self._asking: defaultdict[_Key, deque[tuple[Response, int]]] = defaultdict(deque)
        self._kept: defaultdict[str, list[Response]] = defaultdict(list)
        self._partly: defaultdict[int, list[Response]] = defaultdict(list)
        """By a history that was sent, the responses whose requests its end has answered in part."""

    def respond(self, call: ModelCallEvent, exchange: Exchange) -> None:
        """A response arrives that asks for tools."""
        keys = [key_of_request(str(one.get("name")), one.get("arguments"), one.get("call_id")) for one in call.requests]
        answers = self.answers[call] = dict(exchange.answers)
        response = Response(exchange.sent, keys, answers)
        digest = self._digests[call]
        for index, key in enumerate(keys):
            digest = hash((digest, key))
            self._begun[digest].append(response)
            self._asking[key].append((response, index))
        self._whole[digest].append(response)
        for kept in (exchange.response_id, exchange.conversation):
            if kept is not None:
                self._kept[kept].append(response)

    def send(self, call: ModelCallEvent, exchange: Exchange) -> None:
        """A request is sent, which may hold results."""
        request = _Request(exchange, self._keys)
        self._go_on(request, exchange, call.order)
        start = max((size for size in range(len(request.sent)) if request.digests[size] in self._histories), default=0)
        first = bisect.bisect_left(request.places, start)
        expected = self._expected(request, start, first)
        unexpected = first if expected is None else expected.last + 1
        last = self._search(request, unexpected, call.order)
        if expected is not None:
            results = request.results(request.place(first), request.place(unexpected))
            expected.response.take(results, expected.indexes, call.order)
            last = last or expected
        put_off = self._put_off(request, start, first, call.order)
        self._remember(call, request, put_off if last is None else last.response)

    def _go_on(self, request: _Request, exchange: Exchange, order: int) -> None:
        """Join the results that stand before any response: they answer one that the provider keeps."""
        results = request.results(0, request.place(0))
        ids = {result.call_id for result in results}
        kept = self._kept.get(exchange.continues or exchange.conversation or "", ())
        response = next((one for one in reversed(kept) if one.awaits(ids)), None)
        if response is not None:
            response.take(results, range(len(response.requests)), order)

    def _put_off(self, request: _Request, start: int, first: int, order: int) -> Response | None:
        """Join the results that follow on a history which was sent before, and whose last response had been answered in part."""
        results = request.results(start, request.place(first))
        ids = {result.call_id for result in results}
        partly = (one for one in self._partly.get(request.digests[start], ()) if not one.is_answered)
        response = next((one for one in partly if not results or one.awaits(ids)), None)
        if response is not None:
            response.take(results, range(len(response.requests)), order)
        return response if first == len(request.keys) else None

    def _expected(self, request: _Request, start: int, first: int) -> _Block | None:
        """The response that stands where the longest history that was sent before ends."""
        if first == len(request.keys) or request.results(start, request.places[first]):
            return None
        found: _Block | None = None
        digest = request.digests[start]
        for number in range(first, len(request.keys)):
            digest = hash((digest, request.keys[number]))
            response = self._first_unanswered(self._whole, digest) or self._first_unanswered(self._begun, digest)
            if response is not None:
                found = _Block(response, 0, first, number)
            elif digest not in self._begun:
                break
        return found

    def _first_unanswered(self, responses: Mapping[int, deque[Response]], digest: int) -> Response | None:
        waiting = responses.get(digest)
        while waiting and 0 in waiting[0].answers:
            waiting.popleft()
        return waiting[0] if waiting else None

    def _search(self, request: _Request, lowest: int, order: int) -> _Block | None:
        """Find responses, the latest first, in a history that is not as it was sent before: cut off, summed up, begun with other words.

        Returns:
            The one that made the last request of all, if that is among them.
        """
        last = None
        number, end = len(request.keys) - 1, len(request.sent)
        sent_before: set[str] = set()
        while number >= lowest:
            place = request.places[number]
            block = None if request.sent[place].key in sent_before else self._likeliest(request, number, lowest)
            if block is not None:
                place = request.places[block.first]
                block.response.take(request.results(place, end), block.indexes, order)
                sent_before.update(item.key for item in block.response.history)
                last = block if block.last == len(request.keys) - 1 else last
                number = block.first
            if number == lowest or request.places[number - 1] != place:
                end = place
            number -= 1
        return last

    def _likeliest(self, request: _Request, last: int, lowest: int) -> _Block | None:
        """The unanswered response that made this request, after a history that has the most in common with what stands before."""
        found, most = None, -1
        for response, asked in self._unanswered(request.keys[last]):
            first, index = last, asked
            while index > 0 and first > lowest and request.keys[first - 1] == response.requests[index - 1]:
                first, index = first - 1, index - 1
            common = _common(response.history, len(response.history), request.sent, request.places[first])
            if common > most:
                found, most = _Block(response, index, first, last), common
            if most == request.places[first]:
                break
        if found is None or request.places[last] == request.last_without_result:
            return found
        # Something follows the results: most likely they were sent before.
        return None if most == 0 or self._was_sent(request, found, most) else found

    def _unanswered(self, key: _Key) -> Iterator[tuple[Response, int]]:
        asking = self._asking[key]
        while asking and asking[0][1] in asking[0][0].answers:
            asking.popleft()
        return ((response, index) for response, index in asking if index not in response.answers)

    def _was_sent(self, request: _Request, block: _Block, common: int) -> bool:
        """Whether an earlier request ended with what stands from the block on, after at least as much that is the same."""
        place = request.places[block.last]
        common += place - request.places[block.first]
        digest = 0
        for item in request.sent[place:-1]:
            digest = hash((digest, item.key))
            if digest in self._tails and _common(*self._tails[digest], request.sent, place) >= common:
                return True
        return False

    def _remember(self, call: ModelCallEvent, request: _Request, last: Response | None) -> None:
        if last is not None and not last.is_answered:
            self._partly[request.digests[-1]].append(last)
        self._digests[call] = request.digests[-1]
        self._histories.add(request.digests[-1])
        if request.places:
            place, digest = request.places[-1], 0
            for item in request.sent[place:]:
                digest = hash((digest, item.key))
            self._tails[digest] = request.sent, place


def key_of_request(name: str, arguments: object, call_id: str | None) -> _Key:
    return name, key_of(arguments), call_id


def _common(one: _History, one_end: int, other: _History, other_end: int) -> int:
    """How many items before the two places are the same, but for a text or a thought that came with a response in the other."""
    most = 0
    while True:
        same = 0
        while same < min(one_end, other_end) and one[one_end - same - 1].key == other[other_end - same - 1].key:
            same += 1
        most = max(most, same)
        if other_end == 0 or other[other_end - 1].requests or other[other_end - 1].results:
            return most
        other_end -= 1
