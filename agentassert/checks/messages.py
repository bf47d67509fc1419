"""What was sent to a chat model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from agentassert import render
from agentassert.errors import NotRecordedError
from agentassert.failures import Failure, shortened
from agentassert.records import ChatModelCall

_ROLES: Final[Mapping[str, str]] = {"human": "user", "developer": "system", "ai": "assistant"}


def text_of(message: Mapping[str, Any]) -> str:
    """The text of a message, its text parts joined where it has several.

    Example:
        >>> text_of({"role": "user", "content": [{"type": "text", "text": "Hi"}, {"type": "image"}]})
        'Hi'
    """
    content = message.get("content")
    if isinstance(content, list):
        return "".join(_part(part) for part in content)
    return content if isinstance(content, str) else ""


def said_by_user(given: Any) -> str | None:
    """What the user said last, where an invocation's input is a text or messages; else `None`.

    Messages may be mappings, pairs of role and content, or a framework's objects, by themselves or under `messages`.

    Example:
        >>> said_by_user({"messages": [("user", "Cancel MS-777"), ("assistant", "Sure?"), ("user", "Yes")]})
        'Yes'
        >>> said_by_user({"amount": 5}) is None
        True
    """
    if isinstance(given, str):
        return given
    messages = given.get("messages") if isinstance(given, Mapping) else given
    if isinstance(messages, str):
        return messages
    if not isinstance(messages, (list, tuple)):
        return None
    said = [text_of(one) for one in map(_as_mapping, messages) if _role(one) == "user"]
    return said[-1] if said else None


def message_containing(call: ChatModelCall, role: str, text: str, *, last: bool) -> Failure | None:
    """A message of that role contains the text, or the last one of them does."""
    which = f"last {role} message" if last else f"{role} message"
    expected = f"to have a {which} containing {text!r}"
    if not call.messages:  # a request without any there is not
        return Failure(expected=expected, found="but the messages were not recorded", kind=NotRecordedError)
    texts = [text_of(message) for message in call.messages if _role(message) == role]
    if any(text in one for one in (texts[-1:] if last else texts)):
        return None
    found = f"but there is no {role} message"
    if texts:
        found = "but it is not in it" if last or len(texts) == 1 else f"but none of {len(texts)} does"
    details = shortened(call.messages, lambda message: f"{_role(message)}: {render.value(text_of(message))}")
    return Failure(expected=expected, found=found, details=details, wanted=text)


def tool_offered(call: ChatModelCall, name: str) -> Failure | None:
    """The request offered the tool to the model."""
    expected = f"to have offered the tool {name!r}"
    if call.tools_offered is None:
        return Failure(expected=expected, found="but the tools offered were not recorded", kind=NotRecordedError)
    if name in call.tools_offered:
        return None
    return Failure(
        expected=expected, found=f"but it offered {_listed(call.tools_offered)}", wanted=name, actual=call.tools_offered
    )


def response_containing(call: ChatModelCall, text: str) -> Failure | None:
    """The response's text contains the text."""
    expected = f"to have a response containing {text!r}"
    if call.response_text is not None and text in call.response_text:
        return None
    if call.error is not None:
        return Failure(expected=expected, found=f"but it failed with {render.error(call.error)}")
    if call.response_text is None and not (call.completed and call.messages):
        return Failure(expected=expected, found="but what it answered was not recorded", kind=NotRecordedError)
    return Failure(
        expected=expected, found=f"but it was {render.value(call.response_text)}", wanted=text, actual=call.response_text
    )


def _as_mapping(message: Any) -> Mapping[str, Any]:
    if isinstance(message, Mapping):
        return message
    if isinstance(message, str):
        return {"role": "user", "content": message}
    if isinstance(message, (list, tuple)) and len(message) == 2:  # noqa: PLR2004  # a role and what it says
        return {"role": message[0], "content": message[1]}
    role = getattr(message, "role", None) or getattr(message, "type", None)
    return {"role": role, "content": getattr(message, "content", None)}


def _role(message: Mapping[str, Any]) -> str:
    role = message.get("role") or message.get("type")
    return _ROLES.get(str(role), str(role))


def _part(part: Any) -> str:
    if isinstance(part, str):
        return part
    return str(part["text"]) if isinstance(part, Mapping) and isinstance(part.get("text"), str) else ""


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names)) or "no tool"
