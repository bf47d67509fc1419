"""A model that answers by a script: a server on this machine which speaks the protocols of OpenAI and of Anthropic.

What is tested talks to it over the client that it uses in earnest, in whatever language it is written.

Example:
    >>> import json, urllib.request
    >>> from agentassert.scripted import call_tool, reply, scripted_model
    >>> def ask(address):  # in the place of the client of any framework
    ...     body = {"model": "any", "messages": [{"role": "user", "content": "MS-777?"}]}
    ...     with urllib.request.urlopen(f"{address}/chat/completions", json.dumps(body).encode()) as response:
    ...         return json.load(response)["choices"][0]["message"]
    >>> with scripted_model([call_tool("get_booking", {"number": "MS-777"}), reply("It is confirmed.")]) as model:
    ...     asked, said = ask(model.base_url), ask(model.base_url)
    >>> asked["tool_calls"][0]["function"]["name"], said["content"]
    ('get_booking', 'It is confirmed.')
"""

from __future__ import annotations

from agentassert.scripted.faults import Fault, disconnect, fail, malformed, time_out
from agentassert.scripted.lines import Line
from agentassert.scripted.model import ScriptedModel, scripted_model
from agentassert.scripted.problems import ScriptError
from agentassert.scripted.requests import Api, ScriptedRequest, ToolResult
from agentassert.scripted.scripts import Script, script
from agentassert.scripted.steps import Reply, Step, ToolRequest, call_tool, refuse, reply

__all__ = [
    "Api",
    "Fault",
    "Line",
    "Reply",
    "Script",
    "ScriptError",
    "ScriptedModel",
    "ScriptedRequest",
    "Step",
    "ToolRequest",
    "ToolResult",
    "call_tool",
    "disconnect",
    "fail",
    "malformed",
    "refuse",
    "reply",
    "script",
    "scripted_model",
    "time_out",
]
