"""A client that does not read is closed and may come back; nobody else notices."""

from __future__ import annotations

from collections.abc import AsyncIterator

import aiohttp
import pytest
from kit.conversation import Json, Turn
from kit.scripted_llm import ScriptedLlm, say
from kit.server import Server, User, http_session
from kit.socket import Socket

from copilot_ws.core import feed
from copilot_ws.transport import websocket

# More than the kernel's buffers take between a server and a client that does not read.
FLOOD = say("x" * 16_000_000, chunk=64_000)


@pytest.fixture(autouse=True)
def strict(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "SLOW_SECONDS", 0.01)
    monkeypatch.setattr(feed, "SLOW_EVENTS", 8)


@pytest.fixture
async def stuck(server: Server) -> AsyncIterator[User]:
    """A client whose machine takes little that it does not read."""
    async with http_session(receive_buffer=4096) as http:
        yield server.user(http=http)


def said(*events: Json) -> str:
    return "".join(event["content"] for event in events if event["type"] == "content")


async def flood(llm: ScriptedLlm, socket: Socket, session_id: str = "s") -> Turn:
    llm.answer(FLOOD)
    return await socket.turn("Flood", session_id=session_id)


async def test_is_told_4408_while_others_get_everything(llm: ScriptedLlm, socket: Socket, stuck: User) -> None:
    async with stuck.socket(read=False) as slow:
        turn = await flood(llm, socket)
        assert (turn.outcome, turn.text) == ("completed", FLOOD.text)
        slow.start_reading()
        assert await slow.closed() == 4408
        assert slow.seq < socket.seq


async def test_may_resume(llm: ScriptedLlm, me: User, socket: Socket, stuck: User) -> None:
    async with stuck.socket(read=False) as slow:
        turn = await flood(llm, socket)
        slow.start_reading()
        await slow.closed()
    async with me.socket(resume=slow.place) as back:
        assert back.hello["recovered"] is True
        await back.frame("done", run_id=turn.run_id)
        assert said(*slow.events, *back.events) == turn.text


async def test_that_never_reads_again_is_cut_off(
    llm: ScriptedLlm, socket: Socket, stuck: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(websocket, "CLOSE_SECONDS", 0)
    async with stuck.socket(read=False) as slow:
        await flood(llm, socket)
        slow.start_reading()
        assert await slow.closed() == 1006


async def test_by_sse_is_cut_off_and_may_attach_again(llm: ScriptedLlm, me: User, socket: Socket, stuck: User) -> None:
    llm.answer(FLOOD)
    async with stuck.sse("POST", "/stream", {"message": "Flood", "session_id": "s"}) as slow:
        await socket.frame("done")
        with pytest.raises(aiohttp.ClientPayloadError):
            await slow.rest()
    last = slow.ids[-1] if slow.ids else f"{socket.hello['epoch']}:0"
    async with me.sse("GET", "/sessions/s/stream", headers={"Last-Event-ID": last}) as back:
        await back.rest()
    assert said(*slow.events, *back.events) == FLOOD.text


async def test_of_all_events_is_cut_off_and_may_come_back(
    llm: ScriptedLlm, me: User, socket: Socket, stuck: User
) -> None:
    async with stuck.sse("GET", "/events") as slow:
        turn = await flood(llm, socket)
        with pytest.raises(aiohttp.ClientPayloadError):
            await slow.rest()
    async with me.sse("GET", "/events", headers={"Last-Event-ID": slow.ids[-1]}) as back:
        await back.until("done")
    assert back.hello["recovered"] is True
    assert said(*slow.events, *back.events) == turn.text
