"""An adapter that knows of agentassert what docs/how-to/own-adapter.md tells."""

from __future__ import annotations

from tinycrew.crews import Crew

from agentassert import recorder
from agentassert.adapters.base import CHAT, REQUESTS, TOOL_FAILURES, Adapter
from agentassert.adapters.hooks import recorded
from agentassert.adapters.patching import wrap_method


class TinyCrewAdapter(Adapter):
    """Wraps what every crew goes through."""

    name = "tinycrew"
    distribution = "tinycrew"
    tested = ("1.0", "1.2")
    sees = frozenset({CHAT, REQUESTS, TOOL_FAILURES})

    def install(self):
        wrap_method(Crew, "work", recorded("tinycrew", _start_work, _complete))
        wrap_method(Crew, "ask", recorded("tinycrew", _start_ask, _answer))
        wrap_method(Crew, "execute", recorded("tinycrew", _start_execute, _succeed))


def _start_work(crew, task):
    return recorder.start_invocation(crew.name, adapter="tinycrew", input=task)


def _start_ask(crew, messages):
    return recorder.start_model_call(adapter="tinycrew", inputs=messages, tools_offered=list(crew.tools))


def _start_execute(crew, wish):
    return recorder.start_tool(wish.tool, wish.arguments, adapter="tinycrew", call_id=wish.id)


def _answer(event, answer):
    requests = [{"name": wish.tool, "arguments": wish.arguments, "call_id": wish.id} for wish in answer.wishes]
    event.respond(text=answer.text, requests=requests)


def _complete(event, text):
    event.complete(text)


def _succeed(event, result):
    event.succeed(result)
