"""Takes requests in: reads each, has it answered, and keeps it."""

from __future__ import annotations

import hashlib
import itertools
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from agentassert.scripted.faults import Fault
from agentassert.scripted.playing import Player
from agentassert.scripted.problems import Problem
from agentassert.scripted.reading import ADDRESSES, api_of, complaint_about, conversation_in
from agentassert.scripted.requests import Api, ScriptedRequest, shown_headers
from agentassert.scripted.scripts import Script
from agentassert.scripted.serving import Sending, failing, plain, sending
from agentassert.scripted.wire import auxiliary
from agentassert.scripted.wire.auxiliary import Embed, Moderate
from agentassert.scripted.wire.protocol import UnsayableError
from agentassert.text.masking import masked

_LONGEST: Final = 1_000
"""Characters of what is wrong with a request, of which a part is out of the request."""

Send: TypeAlias = Callable[[Sending], bool]
"""Sends an answer; gives `False` when the client had gone before it began."""


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

    def take(self, method: str, path: str, headers: Mapping[str, str], body: bytes, send: Send) -> None:
        """Answer a request.

        Args:
            method: GET or POST; `path`: the address.
            headers: by their names in lower case.
            body: as it came; `send`: sends the answer.
        """
        if method == "GET" and path.partition("?")[0].rstrip("/").endswith("/models"):
            send(plain(auxiliary.models(anthropic="anthropic-version" in headers)))
            return
        api = api_of(path) if method == "POST" else None
        if api is None:
            send(self.refuse(404, f"{method} {path} is no address of a scripted model, which knows {ADDRESSES}"))
            return
        try:
            parsed = json.loads(body)
        except (ValueError, RecursionError) as error:
            send(self.refuse(400, f"the body of POST {path} is no JSON: {error}"))
            return
        complaint = complaint_about(api, parsed)
        if complaint is not None:
            send(self.refuse(400, f"the body of POST {path} is refused: {complaint}"))
        elif api in (Api.EMBEDDINGS, Api.MODERATIONS, Api.TOKEN_COUNT):
            send(self._beside(self._kept(api, path, headers, parsed)))
        else:
            self._chat(api, path, headers, parsed, hashlib.blake2b(body).digest(), send)

    def refuse(self, status: int, words: str) -> Sending:
        """Answer what could not be read with an error, and keep that as a problem."""
        from agentassert import render

        return failing(self.player.object_to(Problem(render.words(words, _LONGEST)), status))

    def _chat(self, api: Api, path: str, headers: Mapping[str, str], parsed: dict[str, Any], digest: bytes, send: Send) -> None:
        with self.player.asking((path, digest), headers) as asking:
            request = self._kept(api, path, headers, parsed, asking.attempt)
            played = self.player.answer(request, asking)
            try:
                sent = sending(played.answer, request, self._numbers)
            except UnsayableError as error:
                words = f"request {request.number} cannot be answered: {error}"
                sent = failing(self.player.object_to(Problem(words, request)))
            if not send(sent):
                self.player.undelivered(request, asking, played)

    def _kept(self, api: Api, path: str, headers: Mapping[str, str], parsed: dict[str, Any], attempt: int = 1) -> ScriptedRequest:
        conversation = conversation_in(api, parsed)
        with self._lock:
            request = ScriptedRequest(
                number=len(self.requests) + 1,
                api=api,
                path="".join(masked(path)),
                body=parsed,
                headers=shown_headers(headers),
                messages=conversation.messages,
                tools=conversation.tools,
                attempt=attempt,
            )
            self.requests.append(request)
        return request

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
