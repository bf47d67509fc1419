"""Resources that are read from servers of MCP: sources."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("mcp")

from agentassert import NOT_RECORDED, Source, assert_that, record
from tests.adapters.scenarios.parts import arecording
from tests.scripted.mcp import HAS_CLIENT, connected

MANUAL = {"manual://refunds": "Refunds take a week.", "manual://logo": b"\x89PNG"}
REFUNDS = Source(text="Refunds take a week.", metadata={"uri": "manual://refunds", "mime_type": "text/plain"})


def read(*addresses, inside=None):
    """The capture of an agent that reads these."""

    async def run():
        async with connected(resources=MANUAL) as client, arecording() as cap:
            with record.invocation("support"):
                for address in addresses:
                    await client.read_resource(address)
        return cap

    return asyncio.run(run())


def test_a_resource_is_a_source_with_its_address():
    cap = read("manual://refunds")

    assert cap.invocation.sources == (REFUNDS,)
    assert_that(cap).has_retrieved_source_containing("a week")


def test_each_reading_is_one_whether_or_not_the_client_has_it_at_hand():
    assert read("manual://refunds", "manual://refunds").invocation.sources == (REFUNDS, REFUNDS)


def test_a_resource_that_is_no_text_is_no_source():
    cap = read("manual://logo")

    assert cap.invocation.sources == ()
    assert_that(cap).has_no_retrieved_sources()


def test_where_none_is_read_nothing_is_known_of_sources():
    assert read().invocation.sources is NOT_RECORDED


def test_a_resource_that_cannot_be_read_raises_as_ever_and_gives_no_source():
    async def run():
        async with connected(resources=MANUAL) as client, arecording() as cap:
            with record.invocation("support"):
                with pytest.raises(Exception, match=r"manual://nowhere") as caught:
                    await client.read_resource("manual://nowhere")
        return cap, caught.value

    cap, error = asyncio.run(run())
    assert cap.invocation.sources == ()
    assert type(error).__name__ in ("MCPError", "McpError")


@pytest.mark.skipif(not HAS_CLIENT, reason="only mcp 2 has a client above its session")
def test_what_is_read_on_the_session_is_recorded_too():
    async def run():
        async with connected(resources=MANUAL) as client, arecording() as cap:
            with record.invocation("support"):
                await client.session.read_resource("manual://refunds")
        return cap

    assert asyncio.run(run()).invocation.sources == (REFUNDS,)
