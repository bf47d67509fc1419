"""Takes requests in: reads each, has it answered, and keeps it."""

from __future__ import annotations

import hashlib
import itertools
import json
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from agentassert.scripted.faults import Fault
from agentassert.scripted.playing import Player
from agentassert.scripted.problems import Problem
from agentassert.scripted.reading import ADDRESSES, api_of, complaint_about, conversation_in
from agentassert.scripted.requests import Api, ScriptedRequest, shown_headers
from agentassert.scripted.scripts import Script
from agentassert.scripted.serving import Sending, failing, plain, sending
from agentassert.scripted.steps import Answer
from agentassert.scripted.wire import auxiliary
from agentassert.scripted.wire.auxiliary import Embed, Moderate
from agentassert.scripted.wire.protocol import UnsayableError


@attrs.frozen
class Taken:
    """A request that was taken in: what is sent, and what to do when the client has gone before that."""

    sending: Sending
    request: ScriptedRequest | None = None
    key: tuple[str, bytes] | None = None
    answer: Answer | None = None


class Desk:
    """Answers what clients ask.

    Args:
        scripts: what chats are answered from.
        embeddings: gives the vector of a text, or is how embeddings fail; `None`: vectors made of the words.
        moderations: gives the categories that a text is flagged for, or is how moderations fail; `None`: never any.
    """

    def __init__(self, scripts: Sequence[Script], embeddings: Embed | Fault | None, moderations: Moderate | Fault | None) -> None:
        self.player = Player(scripts)
        self.requests: list[ScriptedRequest] = []
        self._embeddings = embeddings
        self._moderations = moderations
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()

    def take(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> Taken:
        """Answer a request.

        Args:
            method: GET or POST; `path`: the address.
            headers: by their names in lower case.
            body: as it came.
        """
        if method == "GET" and path.partition("?")[0].rstrip("/").endswith("/models"):
            return Taken(plain(auxiliary.models(anthropic="anthropic-version" in headers)))
        api = api_of(path) if method == "POST" else None
        if api is None:
            return self.refuse(404, f"{method} {path} is no address of a scripted model, which knows {ADDRESSES}")
        try:
            parsed = json.loads(body)
        except (ValueError, RecursionError) as error:
            return self.refuse(400, f"the body of POST {path} is no JSON: {error}")
        complaint = complaint_about(api, parsed)
        if complaint is not None:
            return self.refuse(400, f"the body of POST {path} is refused: {complaint}")
        return self._answered(api, path, dict(headers), parsed, body)

    def refuse(self, status: int, words: str) -> Taken:
        """Answer what could not be read with an error, and keep that as a problem."""
        return Taken(failing(self.player.object_to(Problem(words), status)))

    def undelivered(self, taken: Taken) -> None:
        """The client had gone before its answer came."""
        if taken.request is not None and taken.answer is not None:
            self.player.undelivered(taken.request, taken.key, taken.answer)

    def _answered(self, api: Api, path: str, headers: dict[str, str], parsed: dict[str, Any], body: bytes) -> Taken:
        key = (path, hashlib.blake2b(body).digest())
        conversation = conversation_in(api, parsed)
        with self._lock:
            request = ScriptedRequest(
                number=len(self.requests) + 1,
                api=api,
                path=path,
                body=parsed,
                headers=shown_headers(headers),
                messages=conversation.messages,
                tools=conversation.tools,
                attempt=self.player.attempt(key, headers),
            )
            self.requests.append(request)
        if api in (Api.EMBEDDINGS, Api.MODERATIONS, Api.TOKEN_COUNT):
            return Taken(self._beside(request))
        answer = self.player.answer(request, key)
        try:
            return Taken(sending(answer, request, self._numbers), request, key, answer)
        except UnsayableError as error:
            words = f"request {request.number} cannot be answered: {error}"
            return Taken(failing(self.player.object_to(Problem(words, request))))

    def _beside(self, request: ScriptedRequest) -> Sending:
        """What is answered without the script: it is about what chat models say."""
        if request.api is Api.TOKEN_COUNT:
            return plain(auxiliary.token_count(request))
        given = self._embeddings if request.api is Api.EMBEDDINGS else self._moderations
        if isinstance(given, Fault):
            return failing(given)
        try:
            if request.api is Api.EMBEDDINGS:
                return plain(auxiliary.embeddings(request, self._embeddings))  # type: ignore[arg-type]  # it is no fault
            return plain(auxiliary.moderations(request, self._moderations))  # type: ignore[arg-type]  # it is no fault
        except BaseException as error:  # the user's, raised again where the block is left
            return failing(self.player.failed(error, f"{request.api}=..."))
