"""An adapter that knows of agentassert what docs/how-to/own-adapter.md tells."""

from __future__ import annotations

from tinycrew.crews import Crew

from agentassert import recorder
from agentassert.adapters.base import CHAT, REQUESTS, TOOL_FAILURES, Adapter, guarded
from agentassert.adapters.patching import wrap_method


class TinyCrewAdapter(Adapter):
    """Wraps what every crew goes through."""

    name = "tinycrew"
    distribution = "tinycrew"
    tested = ("1.0", "1.2")
    sees = frozenset({CHAT, REQUESTS, TOOL_FAILURES})

    def install(self):
        wrap_method(Crew, "work", _wrapped(_start_work, lambda event, text: event.complete(text)))
        wrap_method(Crew, "ask", _wrapped(_start_ask, _answer))
        wrap_method(Crew, "execute", _wrapped(_start_execute, lambda event, result: event.succeed(result)))


def _wrapped(start, finish):
    start, finish = guarded("tinycrew")(start), guarded("tinycrew")(finish)

    def make(original):
        async def recorded(self, given):
            event = start(self, given) if recorder.listening() else None
            if event is None:
                return await original(self, given)
            token = recorder.enter(event)
            try:
                result = await original(self, given)
            except BaseException as error:
                _stop(event, error)
                raise
            finally:
                recorder.leave(token)
            finish(event, result)
            return result

        return recorded

    return make


def _start_work(crew, task):
    return recorder.start_invocation(crew.name, adapter="tinycrew", input=task)


def _start_ask(crew, messages):
    return recorder.start_model_call(adapter="tinycrew", inputs=messages, tools_offered=list(crew.tools))


def _start_execute(crew, wish):
    return recorder.start_tool(wish.tool, wish.arguments, adapter="tinycrew", call_id=wish.id)


def _answer(event, answer):
    requests = [{"name": wish.tool, "arguments": wish.arguments, "call_id": wish.id} for wish in answer.wishes]
    event.respond(text=answer.text, requests=requests)


@guarded("tinycrew")
def _stop(event, error):
    if isinstance(error, Exception) or not hasattr(event, "cancel"):
        event.fail(error)
    else:
        event.cancel(error)
