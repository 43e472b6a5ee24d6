"""A client that goes in the moment in which it has said something: what it asked for is done all the same."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from kit.hitl import ask, describe, marks_sent, told
from kit.scripted_llm import Gate, ScriptedLlm, say
from kit.server import Server, User, http_session
from kit.socket import JSON, MSGPACK, Socket
from kit.waiting import eventually


@pytest.fixture(params=[JSON, MSGPACK])
async def leaving(me: User, request: pytest.FixtureRequest) -> AsyncIterator[Socket]:
    """A second tab of the same user, which will not be there for the answers."""
    async with http_session() as http, me.but(http=http).socket(offers=(request.param,), read=False) as socket:
        yield socket


@asynccontextmanager
async def gone_after(socket: Socket, *commands: tuple[str, dict[str, Any]]) -> AsyncIterator[None]:
    for kind, arguments in commands:
        await socket.begin(kind, **arguments)
    await socket.raw.close()
    yield


async def test_a_stop(llm: ScriptedLlm, me: User, socket: Socket, leaving: Socket) -> None:
    llm.answer(say("It begins", gate := Gate()))
    sent = await socket.chat("Go")
    await gate.reached()
    async with gone_after(leaving, ("chat.stop", {"session_id": sent["session_id"]})):
        assert (await socket.end_of(sent)).outcome == "stopped"


async def test_a_rejection(llm: ScriptedLlm, server: Server, me: User, socket: Socket, leaving: Socket) -> None:
    question = await ask(llm, socket, describe("R1", "unwanted"), then=[say("As you like.")])
    no = {"session_id": question.session_id, "reject_all": True, "reason": "not today"}
    async with gone_after(leaving, ("hitl.reject", no)):
        await question.end()
    assert marks_sent(server.project, "R1") == []
    ((story,),) = [entry["calls"] for entry in await told(me, question.session_id)]
    assert (story["decision"], story["reason"]) == ("rejected", "not today")


async def test_a_message(me: User, socket: Socket, leaving: Socket) -> None:
    async with gone_after(leaving, ("chat.send", {"message": "Hello", "session_id": "said"})):
        await socket.frame("done", session_id="said")
    assert [message["role"] for message in await me.messages("said")] == ["user", "assistant"]


async def test_more_than_is_done_side_by_side(socket: Socket, leaving: Socket) -> None:
    await socket.turn("Hello", session_id="kept")
    names = {f"Name {number}" for number in range(20)}

    def named() -> set[str]:
        return {event["session"]["title"] for event in socket.of("session_updated")}

    renames = [("sessions.rename", {"session_id": "kept", "title": name}) for name in sorted(names)]
    async with gone_after(leaving, *renames):
        await eventually(lambda: names <= named(), "every change is told")
