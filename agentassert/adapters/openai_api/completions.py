"""Completions of a text, which came before chats."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentassert.adapters.openai_api.chat import usage_in
from agentassert.adapters.stainless.fields import field, id_of, listed
from agentassert.adapters.stainless.routes import Answer, Collector, Opening


def opening(body: Mapping[str, Any]) -> Opening:
    """What a request asks, as what a user says."""
    prompt = body.get("prompt")
    prompts = prompt if isinstance(prompt, list) and all(isinstance(one, str) for one in prompt) else [prompt]
    return Opening(inputs=[{"role": "user", "content": one} for one in prompts], tools_offered=())


def answer(response: Any) -> Answer:
    """What a response says in its first choice."""
    choices = listed(response, "choices")
    first = choices[0] if choices else None
    return Answer(
        text=field(first, "text"),
        finish_reason=field(first, "finish_reason"),
        usage=usage_in(response),
        response_id=id_of(response, "id"),
    )


class Chunks(Collector):
    """The chunks of a streamed response."""

    def __init__(self, body: Mapping[str, Any]) -> None:
        self._texts: list[str] = []
        self._last: dict[str, Any] = {}

    def add(self, event: Any) -> Answer | None:
        """Take a chunk. The usage, where it is sent at all, comes after the last text."""
        told = {name: field(event, name) for name in ("id", "usage") if field(event, name) is not None}
        for choice in listed(event, "choices"):
            if not field(choice, "index"):
                self._texts.append(field(choice, "text") or "")
                told["finish_reason"] = field(choice, "finish_reason")
        self._last |= {name: value for name, value in told.items() if value is not None}
        ends = "usage" in told or told.get("finish_reason")
        return self._whole() if ends and "finish_reason" in self._last else None

    def answer(self, *, exhausted: bool) -> Answer:
        """What has come by now."""
        said = self._whole()
        if "finish_reason" in self._last or (exhausted and self._texts):
            return said
        return Answer(text=said.text, response_id=said.response_id, complete=False)

    def _whole(self) -> Answer:
        choice = {"text": "".join(self._texts), "finish_reason": self._last.get("finish_reason")}
        return answer({**self._last, "choices": [choice]})
