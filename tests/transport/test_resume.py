"""Coming back after a broken line: every event once and in order, or a plain "read history again"."""

from __future__ import annotations

from kit.conversation import told
from kit.scripted_llm import TOPOLOGY, Gate, ScriptedLlm, call, say
from kit.server import Start, User
from kit.socket import JSON, MSGPACK, Socket


async def test_over_several_drops_each_event_comes_once(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    gates = [Gate() for _ in range(4)]
    parts = [part for number, gate in enumerate(gates) for part in (f"<{number}> ", gate)]
    llm.answer(say(*parts, "<end>", call(TOPOLOGY, {})), say("Done."))
    sent = await socket.chat("Go")
    got, place = [], f"{socket.hello['epoch']}:0"
    for number, gate in enumerate(gates):
        async with me.socket(resume=place, offers=[(JSON, MSGPACK)[number % 2]]) as unlucky:
            assert unlucky.hello["recovered"] is True
            await gate.reached()
            await unlucky.frame("content", content=f"<{number}> ")
            await unlucky.drop()
            got += unlucky.events
            place = unlucky.place
        gate.open()
    async with me.socket(resume=place) as lucky:
        await lucky.frame("done", run_id=sent["run_id"])
        got += lucky.events
    await socket.end_of(sent)
    assert got == socket.events
    said = "".join(event["content"] for event in got if event["type"] == "content")
    assert said == "<0> <1> <2> <3> <end>Done."


async def test_after_the_run_has_ended(me: User, socket: Socket) -> None:
    place = socket.place
    await socket.turn("Hello")
    async with me.socket(resume=place) as late:
        await late.frame("done")
        assert late.events == socket.events


async def test_at_the_end_gives_nothing(me: User, socket: Socket) -> None:
    await socket.turn("Hello")
    async with me.socket(resume=socket.place) as late:
        assert (late.hello["recovered"], late.hello["seq"]) == (True, socket.seq)
        await late.command("ping")
        assert late.events == []


async def test_then_live_events_follow_without_a_gap(me: User, socket: Socket) -> None:
    await socket.turn("One")
    async with me.socket(resume=f"{socket.hello['epoch']}:3") as late:
        turn = await socket.turn("Two")
        await late.frame("done", run_id=turn.run_id)
        assert late.events == socket.events[3:]


async def assert_not_recovered(me: User, resume: str) -> None:
    async with me.socket(resume=resume) as socket:
        assert socket.hello["recovered"] is False
        await socket.command("ping")
        assert socket.events == []


async def test_of_another_epoch_replays_nothing(me: User, socket: Socket) -> None:
    await socket.turn("Hello")
    await assert_not_recovered(me, "another:0")


async def test_from_the_future_replays_nothing(me: User, socket: Socket) -> None:
    await assert_not_recovered(me, f"{socket.hello['epoch']}:99")


async def test_of_a_place_that_is_none_replays_nothing(me: User) -> None:
    await assert_not_recovered(me, "x:0")


async def test_of_events_that_are_no_longer_kept_replays_nothing(llm: ScriptedLlm, start: Start) -> None:
    me = (await start(feed_events=5)).user()
    async with me.socket() as socket:
        await socket.turn("Hello")
        await socket.turn("Again")
        await assert_not_recovered(me, f"{socket.hello['epoch']}:1")
        async with me.socket(resume=f"{socket.hello['epoch']}:{socket.seq - 5}") as late:
            await late.frame("done")
            assert late.events == socket.events[-5:]


async def test_after_a_restart_replays_nothing_and_history_has_it_all(start: Start) -> None:
    server = await start()
    async with server.user().socket() as socket:
        turn = await socket.turn("Hello")
        before = await server.user().messages(turn.session_id)
        place = socket.place
    await server.stop()
    me = (await start()).user()
    await assert_not_recovered(me, place)
    assert told(await me.messages(turn.session_id)) == told(before)
