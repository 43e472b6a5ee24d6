"""GET /events: what a WebSocket gets, for those who have none."""

from __future__ import annotations

import pytest
from kit.conversation import Json
from kit.scripted_llm import TOPOLOGY, Gate, ScriptedLlm, Think, call, say
from kit.server import Start, User, http_session, jwt_token
from kit.socket import Socket
from kit.sse import Sse


async def joined(stream: Sse) -> Json:
    return await stream.until("hello")


async def test_hello_is_the_sockets(me: User, socket: Socket) -> None:
    await socket.turn("Hello")
    async with me.sse("GET", "/events") as stream:
        hello = await joined(stream)
    own = {"transport": "sse", "connection_id": hello["connection_id"], "seq": socket.seq}
    assert hello == {**socket.hello, **own}
    assert socket.hello["transport"] == "websocket"


async def test_hello_tells_what_runs(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    llm.answer(say(gate := Gate()))
    sent = await socket.chat("Go")
    await gate.reached()
    async with me.sse("GET", "/events") as stream:
        assert [run["run_id"] for run in (await joined(stream))["runs"]] == [sent["run_id"]]


async def test_gives_the_events_of_all_sessions(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    llm.answer(say(Think("Hm."), "Look: ", call(TOPOLOGY, {})), say("Done."))
    async with me.sse("GET", "/events") as stream:
        await joined(stream)
        for session_id in ("one", "two"):
            await socket.turn("Go", session_id=session_id)
            await stream.until("done")
        assert stream.events == socket.events
        assert stream.ids[1:] == [f"{socket.hello['epoch']}:{event['seq']}" for event in socket.events]


async def test_headers_keep_proxies_from_holding_it_back(me: User) -> None:
    async with me.sse("GET", "/events", headers={"Accept-Encoding": "gzip, deflate"}) as stream:
        assert stream.headers["Content-Type"] == "text/event-stream"
        assert stream.headers["Cache-Control"] == "no-cache, no-transform"
        assert stream.headers["X-Accel-Buffering"] == "no"
        assert "Content-Encoding" not in stream.headers


async def test_heartbeats_are_the_sockets(start: Start) -> None:
    me = (await start(heartbeat=0.05)).user()
    async with me.sse("GET", "/events") as stream:
        beat = await stream.until("heartbeat")
        assert beat.keys() == {"type", "seq", "ts"}
        assert stream.unnumbered == [beat], "a heartbeat moves nobody's place"


class TestComingBack:
    async def test_over_several_drops_each_event_comes_once(self, llm: ScriptedLlm, me: User, socket: Socket) -> None:
        gates = [Gate() for _ in range(3)]
        llm.answer(say(*[part for n, gate in enumerate(gates) for part in (f"<{n}> ", gate)], "<end>"))
        got, last = [], f"{socket.hello['epoch']}:0"
        sent = await socket.chat("Go")
        for number, gate in enumerate(gates):
            async with me.sse("GET", "/events", headers={"Last-Event-ID": last}) as stream:
                assert (await joined(stream))["recovered"] is True
                await gate.reached()
                while f"<{number}> " not in said(stream.events):
                    await stream.until("content")
                stream.leave()
            got, last = got + stream.events, stream.ids[-1]
            gate.open()
        async with me.sse("GET", "/events", headers={"Last-Event-ID": last}) as stream:
            await stream.until("done")
        await socket.end_of(sent)
        assert got + stream.events == socket.events

    async def test_before_the_first_event_nothing_is_missed(self, me: User, socket: Socket) -> None:
        async with me.sse("GET", "/events") as stream:
            assert (await joined(stream))["recovered"] is None
        await socket.turn("Hello")
        async with me.sse("GET", "/events", headers={"Last-Event-ID": stream.ids[-1]}) as back:
            assert (await joined(back))["recovered"] is True
        assert back.ids == stream.ids, "also if it goes before anything was replayed"
        async with me.sse("GET", "/events", headers={"Last-Event-ID": back.ids[-1]}) as again:
            await again.until("done")
        assert again.events == socket.events

    async def test_with_a_place_in_the_address(self, me: User, socket: Socket) -> None:
        turn = await socket.turn("Hello")
        async with me.sse("GET", f"/events?resume={socket.hello['epoch']}:3") as stream:
            await stream.until("done")
        assert stream.hello["recovered"] is True
        assert stream.events == socket.events[3:]
        assert stream.events[-1]["run_id"] == turn.run_id

    async def test_what_an_event_source_remembers_is_newer_than_its_address(self, me: User, socket: Socket) -> None:
        await socket.turn("Hello")
        headers = {"Last-Event-ID": f"{socket.hello['epoch']}:{socket.seq - 1}"}
        async with me.sse("GET", f"/events?resume={socket.hello['epoch']}:0", headers=headers) as stream:
            await stream.until("done")
        assert stream.events == socket.events[-1:]

    @pytest.mark.parametrize("place", ["another:1", "rubbish", "", "{epoch}:999", "{epoch}:-1"])
    async def test_at_a_lost_place_starts_anew(self, me: User, socket: Socket, place: str) -> None:
        await socket.turn("Hello")
        headers = {"Last-Event-ID": place.format(epoch=socket.hello["epoch"])}
        async with me.sse("GET", "/events", headers=headers) as stream:
            hello = await joined(stream)
            assert (hello["recovered"], hello["seq"]) == (False, socket.seq)
            await socket.turn("Again")
            await stream.until("done")
        assert stream.events == [event for event in socket.events if event["seq"] > hello["seq"]]

    async def test_to_events_that_are_no_longer_kept_starts_anew(self, start: Start) -> None:
        me = (await start(feed_events=4)).user()
        async with me.socket() as socket:
            await socket.turn("Hello")
            async with me.sse("GET", "/events", headers={"Last-Event-ID": f"{socket.hello['epoch']}:1"}) as stream:
                assert (await joined(stream))["recovered"] is False


def said(events: list[Json]) -> str:
    return "".join(event["content"] for event in events if event["type"] == "content")


class TestTheEnd:
    """An EventSource sees no status when a stream ends: the last event says why it did."""

    async def test_of_the_token(self, llm: ScriptedLlm, start: Start) -> None:
        server = await start(auth="jwt")
        ann, short = server.user("ann"), server.user("ann").but(token=jwt_token("ann", seconds=1.2))
        llm.answer(say("First. ", gate := Gate(), "Last."))
        async with short.sse("GET", "/events") as stream, short.sse("POST", "/stream", {"message": "Go"}) as of_run:
            await gate.reached()
            for one in (stream, of_run):
                await one.rest()
                assert one.unnumbered == [
                    {"type": "error", "error": "Your token has expired.", "code": "token_expired"}
                ]
        gate.open()
        (session,) = await ann.got("/sessions")
        await ann.idle(session["session_id"])
        assert (await ann.messages(session["session_id"]))[-1]["content"] == "First. Last."
        assert (await short.chat("GET", "/events")).status == 401

    async def test_of_the_project(self, me: User) -> None:
        async with me.sse("GET", "/events") as stream:
            await joined(stream)
            await me.rest("POST", f"/v3/projects/{me.project_id}/close")
            (updated,) = await stream.rest()
        assert (updated["type"], updated["project"]["status"]) == ("project_updated", "closed")
        assert stream.unnumbered == [
            {"type": "error", "error": "The project was closed.", "code": "project_not_opened"}
        ]

    async def test_of_the_server(self, start: Start) -> None:
        server = await start()
        async with http_session() as http, server.user(http=http).sse("GET", "/events") as stream:
            await joined(stream)
            await server.stop()
            await stream.rest()
        assert stream.unnumbered == [{"type": "error", "error": "The server is stopping.", "code": "shutting_down"}]


class TestRefusals:
    async def test_come_in_the_order_of_all_routes(self, me: User) -> None:
        stranger = me.but(token=None, project_id="nothing")
        assert (await stranger.chat("GET", "/events")).status == 401
        assert (await me.but(project_id="nothing").chat("GET", "/events")).status == 404
        await me.rest("POST", f"/v3/projects/{me.project_id}/close")
        answer = await me.chat("GET", "/events")
        assert (answer.status, answer.code) == (403, "project_not_opened")

    async def test_head_is_none_of_its_methods(self, me: User) -> None:
        for path in ("/events", "/sessions/s/stream"):
            assert (await me.chat("HEAD", path)).status == 405


async def test_a_feed_is_each_users_own(start: Start) -> None:
    server = await start(auth="jwt")
    ann, bob = server.user("ann"), server.user("bob")
    async with ann.socket() as socket, bob.sse("GET", "/events") as stream:
        epoch = (await joined(stream))["epoch"]
        assert epoch != socket.hello["epoch"]
        await socket.turn("Secret")
        async with bob.socket() as other:
            await other.turn("Hello", session_id="of-bob")
        await stream.until("done")
        assert {event["session_id"] for event in stream.events} == {"of-bob"}
        async with bob.sse("GET", f"/events?resume={socket.hello['epoch']}:0") as again:
            assert (await joined(again))["recovered"] is False


async def test_an_event_source_brings_its_cookie(me: User) -> None:
    headers = {"Cookie": f"copilot_token={me.token}", "Origin": me.url}
    async with me.but(token=None).sse("GET", "/events", headers=headers) as stream:
        assert (await joined(stream))["user_id"] == "local"
