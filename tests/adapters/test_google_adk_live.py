"""Live runs of ADK: their tools are recorded, and that their model calls are not is said."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager

import pytest

pytest.importorskip("google.adk")

from google.adk.agents import LiveRequestQueue
from google.adk.agents.run_config import RunConfig
from google.adk.models import LlmResponse
from google.adk.models.base_llm_connection import BaseLlmConnection
from google.adk.runners import InMemoryRunner

from agentassert import CaptureWarning, NotRecordedError, Status, assert_that, capture
from tests.adapters.google_adk_parts import agent, experimental, get_booking, text
from tests.scripted.google_adk import ScriptedModel, asks_for, says

pytestmark = [experimental, pytest.mark.filterwarnings("ignore:Pydantic serializer warnings:UserWarning")]


class Connection(BaseLlmConnection):
    """Says one thing each time that it is told something, and then that it is the user's turn."""

    def __init__(self, steps):
        self._steps = list(steps)
        self._told = asyncio.Event()

    async def send_history(self, history):
        self._told.set()

    async def send_content(self, content):
        self._told.set()

    async def send_realtime(self, blob):
        raise NotImplementedError

    async def close(self):
        pass

    async def receive(self):
        while self._steps:
            await self._told.wait()
            self._told.clear()
            yield self._steps.pop(0)
        yield LlmResponse(turn_complete=True)
        await asyncio.Event().wait()


class LiveModel(ScriptedModel):
    """A model that is talked to over a connection."""

    @asynccontextmanager
    async def connect(self, llm_request):
        yield Connection(self._steps)


async def one_turn():
    support = agent(tools=[get_booking])
    support.model = LiveModel(asks_for(("get_booking", {"number": "1"}, "c1")), says("done"))
    runner = InMemoryRunner(agent=support, app_name="tests")
    session = await runner.session_service.create_session(app_name="tests", user_id="ann")
    queue = LiveRequestQueue()
    queue.send_content(text("hi"))
    config = RunConfig(response_modalities=["TEXT"])
    events = runner.run_live(user_id="ann", session_id=session.id, live_request_queue=queue, run_config=config)
    async for event in events:
        if event.turn_complete:
            break
    await events.aclose()


def test_tools_of_a_live_run_are_recorded_and_that_its_model_calls_are_not_is_said():
    async def run():
        with pytest.warns(CaptureWarning, match="ADK's live runs"):
            async with capture() as cap:
                await one_turn()
        return cap

    cap = asyncio.run(run())
    assert (cap.invocation.name, cap.invocation.status) == ("support", Status.COMPLETED)
    assert_that(cap).has_tool_executed_with("get_booking", {"number": "1"})
    with pytest.raises(NotRecordedError, match="the 'google-adk' adapter cannot see chat model calls"):
        assert_that(cap).has_own_chat_model_call_count(0)
