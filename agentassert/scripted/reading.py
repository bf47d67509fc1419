"""Reading a request: which protocol it speaks, and whether its body is what that asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import attrs

from agentassert.scripted.requests import Api

_ROUTES: Final[Mapping[str, Api]] = {
    "/chat/completions": Api.CHAT_COMPLETIONS,
    "/responses": Api.RESPONSES,
    "/messages": Api.MESSAGES,
    "/messages/count_tokens": Api.TOKEN_COUNT,
    "/embeddings": Api.EMBEDDINGS,
    "/moderations": Api.MODERATIONS,
}
_MOST_DIMENSIONS: Final = 16_384
"""More than any model has: what is asked for is made."""

_MOST_TEXTS: Final = 2_048
"""As OpenAI has it."""

ADDRESSES: Final = ", ".join(f"POST …{ending}" for ending in _ROUTES) + " and GET …/models"


@attrs.frozen
class Conversation:
    """The part of a body that models read."""

    messages: tuple[Mapping[str, Any], ...] = ()
    tools: tuple[str, ...] = ()


def api_of(path: str) -> Api | None:
    """What is asked for at an address, whatever it begins with: gateways and Azure have prefixes of their own.

    Example:
        >>> api_of("/openai/deployments/gpt/chat/completions?api-version=1"), api_of("/v1/files")
        (<Api.CHAT_COMPLETIONS: 'chat completions'>, None)
    """
    plain = path.partition("?")[0].rstrip("/")
    return next((api for ending, api in _ROUTES.items() if plain.endswith(ending)), None)


def complaint_about(api: Api, body: Any) -> str | None:
    """Why the provider would refuse a body; `None` where it would not.

    Example:
        >>> complaint_about(Api.CHAT_COMPLETIONS, {"model": "m", "messages": []})
        "'messages' must be a list of messages, at least one, but was []"
    """
    if not isinstance(body, Mapping):
        return f"the body must be a JSON object, but was {_shown(body)}"
    if api is not Api.MODERATIONS and not (isinstance(body.get("model"), str) and body["model"]):
        return f"'model' must be the name of a model, but was {_shown(body.get('model'))}"
    return _COMPLAINTS[api](body)


def conversation_in(api: Api, body: Mapping[str, Any]) -> Conversation:
    """The messages of a body and the tools that it offers.

    Example:
        >>> conversation_in(Api.RESPONSES, {"input": "Hi", "instructions": "Be brief."}).messages[0]
        {'role': 'system', 'content': 'Be brief.'}
    """
    from agentassert.adapters.anthropic_sdk import messages
    from agentassert.adapters.openai_api import chat, responses

    readers = {
        Api.CHAT_COMPLETIONS: chat.opening,
        Api.RESPONSES: responses.opening,
        Api.MESSAGES: messages.opening,
        Api.TOKEN_COUNT: messages.opening,
    }
    if api not in readers:
        return Conversation()
    opening = readers[api](body)
    return Conversation(tuple(opening.inputs), tuple(opening.tools_offered or ()))


def _conversing(body: Mapping[str, Any]) -> str | None:
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        return f"'messages' must be a list of messages, at least one, but was {_shown(messages)}"
    for index, message in enumerate(messages):
        if not isinstance(message, Mapping) or not isinstance(message.get("role"), str):
            return f"'messages[{index}]' must be an object with a 'role', but was {_shown(message)}"
    return _tools(body)


def _limited(body: Mapping[str, Any]) -> str | None:
    limit = body.get("max_tokens")
    if type(limit) is not int or limit < 1:
        return f"'max_tokens' must be a whole number, 1 or more, but was {_shown(limit)}"
    return _conversing(body)


def _responding(body: Mapping[str, Any]) -> str | None:
    given = body.get("input")
    if isinstance(given, list):
        for index, item in enumerate(given):
            if not isinstance(item, Mapping) or not isinstance(item.get("type", "message"), str):
                return f"'input[{index}]' must be an object, and its 'type' a text, but was {_shown(item)}"
    elif not isinstance(given, str) and "prompt" not in body:
        return f"'input' must be a text or a list of items, but was {_shown(given)}"
    return _tools(body)


def _tools(body: Mapping[str, Any]) -> str | None:
    tools = body.get("tools")
    if tools is not None and not (isinstance(tools, list) and all(isinstance(tool, Mapping) for tool in tools)):
        return f"'tools' must be a list of objects, but was {_shown(tools)}"
    return None


def _given(body: Mapping[str, Any]) -> str | None:
    given = body.get("input")
    if not isinstance(given, (str, list)) or not given:
        return f"'input' must be a text or a list, and not be empty, but was {_shown(given)}"
    return None


def _embedded(body: Mapping[str, Any]) -> str | None:
    size, given = body.get("dimensions"), body.get("input")
    if size is not None and (type(size) is not int or not 1 <= size <= _MOST_DIMENSIONS):
        return f"'dimensions' must be a whole number from 1 to {_MOST_DIMENSIONS:,}, but was {_shown(size)}"
    if isinstance(given, list) and len(given) > _MOST_TEXTS and not isinstance(given[0], int):
        return f"'input' must have {_MOST_TEXTS:,} texts at most, but has {len(given):,}"
    return _given(body)


def _shown(value: Any) -> str:
    from agentassert.render import value as shown

    return shown(value)


_COMPLAINTS: Final[Mapping[Api, Callable[[Mapping[str, Any]], str | None]]] = {
    Api.CHAT_COMPLETIONS: _conversing,
    Api.RESPONSES: _responding,
    Api.MESSAGES: _limited,
    Api.TOKEN_COUNT: _conversing,
    Api.EMBEDDINGS: _embedded,
    Api.MODERATIONS: _given,
}
