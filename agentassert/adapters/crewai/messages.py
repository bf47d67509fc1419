"""What goes to CrewAI's models, and what comes from them, in the recorder's terms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from crewai.agents.parser import AgentAction, OutputParserError, parse
from crewai.utilities.agent_utils import extract_tool_call_info
from pydantic import BaseModel

from agentassert.token_usage import TokenUsage

_READ: Final = ("prompt_tokens", "prompt_token_count", "input_tokens", "inputTokens")
_WRITTEN: Final = ("completion_tokens", "candidates_token_count", "output_tokens", "outputTokens")
_NOT_SAID: Final = ("files", "raw_tool_call_parts")
"""What messages hold beside what they say, for the provider."""


def messages_sent(given: Any) -> list[Any]:
    """A request's messages as mappings; a text is what the user says."""
    if isinstance(given, str):
        return [{"role": "user", "content": given}]
    return [{name: value for name, value in message.items() if name not in _NOT_SAID} for message in given or ()]


def names_of(schemas: Any) -> list[str] | None:
    """The names of the tools that a request offers by their schemas; `None` where none are: then they may stand in the prompt."""
    if not schemas:
        return None
    return [str((schema.get("function") or schema).get("name")) for schema in schemas]


def requests_in(answer: Any) -> list[dict[str, Any]]:
    """The tools that an answer asks for, in any provider's form."""
    if not isinstance(answer, list):
        return []
    asked = [extract_tool_call_info(one) for one in answer]
    return [{"call_id": info[0], "name": info[1], "arguments": info[2]} for info in asked if info is not None]


def request_in_text(answer: Any) -> dict[str, Any] | None:
    """The tool that a text asks for, where the model is told to ask in words: an action, and its input."""
    if not isinstance(answer, str) or "Action:" not in answer:
        return None
    try:
        action = parse(answer)
    except OutputParserError:
        return None
    return {"name": action.tool, "arguments": action.tool_input} if isinstance(action, AgentAction) else None


def text_of(answer: Any) -> str | None:
    """What an answer says; a structured one as its JSON text."""
    if isinstance(answer, BaseModel):
        return answer.model_dump_json()
    return answer if answer is None or isinstance(answer, str) else str(answer)


def usage_of(reported: Any) -> TokenUsage | None:
    """The tokens that a provider reported, under its own names."""
    if not isinstance(reported, Mapping):
        return None
    read, written = next(_counts(reported, _READ), None), next(_counts(reported, _WRITTEN), None)
    if read is None and written is None:
        return None
    return TokenUsage(input_tokens=read, output_tokens=written, total_tokens=next(_counts(reported, ("total_tokens",)), None))


def _counts(reported: Mapping[str, Any], names: tuple[str, ...]) -> Iterator[int]:
    return (reported[name] for name in names if isinstance(reported.get(name), int))
