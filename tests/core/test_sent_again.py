"""client_message_id: a message that is sent again is one message, whenever and wherever it is sent again."""

from __future__ import annotations

from typing import Any

import pytest
from kit.scripted_llm import Gate, ScriptedLlm, say
from kit.server import Start, User, gather_all
from kit.socket import Refused, Socket

MESSAGE: dict[str, Any] = {"message": "Hello", "session_id": "once", "client_message_id": "c-1"}


async def send(socket: Socket, **changes: Any) -> dict[str, str]:
    return await socket.command("chat.send", **{**MESSAGE, **changes})


async def assert_once(llm: ScriptedLlm, me: User) -> None:
    assert [message["role"] for message in await me.messages("once")] == ["user", "assistant"]
    assert len(llm.turns) == 1


async def test_while_the_run_goes_on(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    llm.answer(say(gate := Gate(), "Hi."))
    first = await send(socket)
    await gate.reached()
    assert await send(socket) == first
    gate.open()
    await socket.end_of(first)
    await assert_once(llm, me)


async def test_after_its_end(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    first = await send(socket)
    await socket.end_of(first)
    assert await send(socket) == first
    await assert_once(llm, me)


async def test_by_many_tabs_at_once(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    async with me.socket() as other:
        answers = await gather_all(*[send(tab) for tab in (socket, other) * 5])
        assert all(answer == answers[0] for answer in answers)
        await socket.end_of(answers[0])
    await assert_once(llm, me)


async def test_after_a_restart(llm: ScriptedLlm, start: Start) -> None:
    server = await start()
    async with server.user().socket() as socket:
        first = await send(socket)
        await socket.end_of(first)
    await server.stop()
    me = (await start()).user()
    async with me.socket() as socket:
        assert await send(socket) == first
    await assert_once(llm, me)


async def test_queued_then_sent_again(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    llm.answer(say(gate := Gate()))
    await socket.chat("first", session_id="once")
    await gate.reached()
    queued = await send(socket, on_busy="enqueue")
    assert queued["status"] == "queued"
    assert await send(socket, on_busy="enqueue") == queued
    gate.open()
    await socket.end_of(queued)
    assert [m["content"] for m in await me.messages("once") if m["role"] == "user"] == ["first", "Hello"]


async def test_by_rest_gives_the_same_result(llm: ScriptedLlm, me: User) -> None:
    answers = [await me.chat("POST", "/stream", {**MESSAGE, "stream": False}) for _ in range(2)]
    assert answers[0].json == answers[1].json
    await assert_once(llm, me)


async def test_by_sse_replays_the_events(llm: ScriptedLlm, me: User) -> None:
    streams = []
    for _ in range(2):
        async with me.sse("POST", "/stream", MESSAGE) as stream:
            streams.append([event for event in await stream.rest() if event.get("run_id")])
    assert streams[0] == streams[1]
    await assert_once(llm, me)


@pytest.mark.parametrize("change", [{"message": "Goodbye"}, {"session_id": "another"}, {"temperature": 0.5}])
async def test_with_another_body_is_a_conflict(socket: Socket, change: dict[str, Any]) -> None:
    await socket.end_of(await send(socket))
    with pytest.raises(Refused, match="conflict"):
        await send(socket, **change)


async def test_is_each_users_own(llm: ScriptedLlm, start: Start) -> None:
    server = await start(auth="jwt")
    for user_id in ("ann", "bob"):
        async with server.user(user_id).socket() as socket:
            await socket.end_of(await send(socket, session_id=f"of-{user_id}"))
    assert len(llm.turns) == 2
