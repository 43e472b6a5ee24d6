"""One socket: negotiation, hello, commands, bad frames, heartbeats and the ways in which it closes."""

from __future__ import annotations

import json
from typing import Any

import aiohttp
import msgpack
import pytest
from kit.scripted_llm import Gate, ScriptedLlm, say
from kit.server import Start, User
from kit.socket import JSON, MSGPACK, Refused, Socket

from copilot_ws.transport import websocket

UNKNOWN = "copilot.v9+xml"


class TestNegotiation:
    @pytest.mark.parametrize(
        ("offers", "chosen", "codec"),
        [
            ((JSON,), JSON, "json"),
            ((MSGPACK,), MSGPACK, "msgpack"),
            ((MSGPACK, JSON), MSGPACK, "msgpack"),
            ((JSON, MSGPACK), JSON, "json"),
            ((UNKNOWN, MSGPACK), MSGPACK, "msgpack"),
            ((), None, "json"),
        ],
    )
    async def test_the_first_known_offer_wins(
        self, me: User, offers: tuple[str, ...], chosen: str | None, codec: str
    ) -> None:
        async with me.socket(offers=offers) as socket:
            assert socket.raw.protocol == chosen
            assert socket.hello["codec"] == codec

    async def test_only_unknown_offers_are_refused_before_the_upgrade(self, me: User) -> None:
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            async with me.socket(offers=(UNKNOWN,)):
                pass
        assert refused.value.status == 400

    async def test_nothing_is_ever_compressed(self, me: User) -> None:
        async with me.socket(compress=15) as socket:
            assert socket.raw.compress == 0

    async def test_a_plain_request_is_a_bad_one(self, me: User) -> None:
        assert (await me.chat("GET", "/ws")).status == 400

    async def test_the_other_prefix_is_the_same(self, me: User) -> None:
        me.chat_path = lambda path: f"/v3/copilot/projects/{me.project_id}/chat{path}"  # type: ignore[method-assign]
        async with me.socket() as socket:
            assert socket.hello["project"]["project_id"] == me.project_id


class TestHello:
    async def test_says_who_where_and_what(self, me: User) -> None:
        async with me.socket() as socket:
            hello = dict(socket.hello)
        assert hello.pop("connection_id")
        assert hello.pop("epoch")
        assert isinstance(hello.pop("features"), list)
        assert hello.pop("server").startswith("copilot-ws/")
        assert hello.pop("limits").items() >= {"max_frame": 1048576, "max_message": 65536}.items()
        project = hello.pop("project")
        assert project == {"project_id": me.project_id, "name": "demo", "status": "opened"}
        assert hello == {
            "type": "hello",
            "protocol": "copilot.v1",
            "transport": "websocket",
            "codec": "json",
            "user_id": "local",
            "seq": 0,
            "recovered": None,
            "heartbeat": 15,
            "runs": [],
            "pending_hitl": [],
        }

    async def test_names_the_runs_that_go_on(self, llm: ScriptedLlm, me: User, socket: Socket) -> None:
        llm.answer(say(gate := Gate()))
        sent = await socket.chat("Go")
        await gate.reached()
        async with me.socket() as late:
            (run,) = late.hello["runs"]
        assert run.pop("started_at")
        assert run == {"run_id": sent["run_id"], "session_id": sent["session_id"], "status": "running"}

    async def test_comes_before_any_event(self, me: User, socket: Socket) -> None:
        await socket.turn("Hello")
        async with me.socket() as late:
            assert late.hello["seq"] == socket.seq
            assert late.events == []


class TestFirstFrame:
    """A client that cannot set headers sends its token in its first frame."""

    @pytest.fixture
    def stranger(self, me: User) -> User:
        return me.but(token=None)

    @pytest.mark.parametrize("codec", [JSON, MSGPACK])
    async def test_authenticates(self, me: User, stranger: User, codec: str) -> None:
        async with stranger.socket(offers=[codec]) as socket:
            await socket.send({"type": "hello", "token": me.token})
            assert (await socket.frame("hello"))["user_id"] == "local"
            assert await socket.command("ping", text="x") == {"text": "x"}

    async def test_resumes(self, me: User, socket: Socket, stranger: User) -> None:
        turn = await socket.turn("Hello")
        async with stranger.socket() as late:
            late._last_seq = 0
            await late.send({"type": "hello", "token": me.token, "resume": {"epoch": socket.hello["epoch"], "seq": 0}})
            await late.frame("done", run_id=turn.run_id)
            assert late.hello["recovered"] is True
            assert late.events == socket.events

    @pytest.mark.parametrize(
        "frame",
        [
            {"type": "hello", "token": "wrong"},
            {"type": "hello"},
            {"type": "ping", "id": 1},
            {"type": "hello", "token": 5},
            [],
        ],
    )
    async def test_that_is_no_good_closes_with_4401(self, stranger: User, frame: Any) -> None:
        async with stranger.socket() as socket:
            await socket.send(frame)
            assert await socket.closed() == 4401
            assert socket.frames == []

    async def test_that_never_comes_closes_with_4401(self, stranger: User, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(websocket, "HELLO_SECONDS", 0.1)
        async with stranger.socket() as socket:
            assert await socket.closed() == 4401
            assert socket.frames == []

    async def test_a_wrong_token_in_the_request_is_401(self, me: User) -> None:
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            async with me.but(token="wrong").socket():
                pass
        assert refused.value.status == 401


class TestCommands:
    async def test_ping_gives_back_what_it_got(self, socket: Socket) -> None:
        payload = {"text": "ü🙂", "number": 1.5, "nested": [{"a": None}]}
        assert await socket.command("ping", **payload) == payload

    async def test_an_unknown_one_is_answered(self, socket: Socket) -> None:
        with pytest.raises(Refused, match="unknown_command"):
            await socket.command("make.coffee")

    async def test_an_id_that_does_not_grow_is_answered(self, socket: Socket) -> None:
        await socket.command("ping")
        await socket.command("ping")
        await socket.send({"id": 1, "type": "ping"})
        answer = await socket.frame("result", id=1, ok=False)
        assert answer["error"]["code"] == "id_reuse"

    @pytest.mark.parametrize(
        ("kind", "arguments", "field"),
        [
            ("chat.send", {}, "message"),
            ("chat.send", {"message": " \n"}, "message"),
            ("chat.send", {"message": "x" * 65537}, "message"),
            ("chat.send", {"message": "x", "session_id": "a/b"}, "session_id"),
            ("chat.send", {"message": "x", "session_id": "x" * 65}, "session_id"),
            ("chat.send", {"message": "x", "temperature": 2.1}, "temperature"),
            ("chat.send", {"message": "x", "max_iterations": 0}, "max_iterations"),
            ("chat.send", {"message": "x", "max_iterations": 101}, "max_iterations"),
            ("chat.send", {"message": "x", "max_tokens": 0}, "max_tokens"),
            ("chat.send", {"message": "x", "on_busy": "maybe"}, "on_busy"),
            ("chat.send", {"message": "x", "mode": "voice"}, "mode"),
            ("chat.send", {"message": "x", "colour": "red"}, "colour"),
            ("chat.send", {"message": 5}, "message"),
            ("sessions.history", {"session_id": "x", "limit": 0}, "limit"),
            ("sessions.rename", {"session_id": "x", "title": ""}, "title"),
            ("sessions.rename", {"session_id": "x", "title": "x" * 256}, "title"),
        ],
    )
    async def test_a_wrong_argument_is_named(self, socket: Socket, kind: str, arguments: Any, field: str) -> None:
        with pytest.raises(Refused, match="invalid_argument") as refused:
            await socket.command(kind, **arguments)
        assert field in json.dumps(refused.value.error["details"])

    async def test_do_not_wait_for_one_another(self, llm: ScriptedLlm, socket: Socket) -> None:
        ids = [await socket.begin("ping", number=number) for number in range(200)]
        assert [await socket.result(one) for one in ids] == [{"number": number} for number in range(200)]

    async def test_sessions_by_the_socket(self, me: User, socket: Socket) -> None:
        turn = await socket.turn("Hello", session_id="s")
        assert await socket.command("sessions.get", session_id="s") == await me.session("s")
        history = await socket.command("sessions.history", session_id="s")
        assert history == await me.conversation("s")
        assert len(history["messages"]) == 2
        renamed = await socket.command("sessions.rename", session_id="s", title="Mine")
        pinned = await socket.command("sessions.pin", session_id="s")
        assert (renamed["title"], pinned["pinned"], pinned["updated_at"]) == ("Mine", True, renamed["updated_at"])
        assert (await socket.command("sessions.unpin", session_id="s"))["pinned"] is False
        listed = await socket.command("sessions.list")
        assert ([s["session_id"] for s in listed["sessions"]], listed["next_cursor"]) == (["s"], None)
        told = [event["session"]["title"] for event in socket.of("session_updated", session_id="s")]
        assert told[-1] == "Mine"
        assert turn.outcome == "completed"


class TestBadFrames:
    @pytest.mark.parametrize(
        "text",
        [
            "",
            "{",
            "[]",
            "5",
            '"x"',
            "null",
            "{}",
            '{"id": 1}',
            '{"id": 1, "type": 5}',
            '{"type": "ping"}',
            '{"id": 0, "type": "ping"}',
            '{"id": 1, "type": "ping", "a": ' + "[" * 40 + "]" * 40 + "}",
            "[" * 50,
        ],
    )
    async def test_are_told_and_the_connection_lives(self, socket: Socket, text: str) -> None:
        await socket.raw.send_str(text)
        told = await socket.frame("error")
        assert (told["code"], "seq" in told) == ("bad_frame", False)
        assert await socket.command("ping") == {}

    async def test_text_that_is_no_utf8(self, socket: Socket) -> None:
        await socket.raw._writer.send_frame(b'{"id": 1, "type": "\xff"}', aiohttp.WSMsgType.TEXT)
        await socket.frame("error", code="bad_frame")
        assert await socket.command("ping") == {}

    async def test_a_frame_of_the_other_kind(self, me: User) -> None:
        async with me.socket(offers=[JSON]) as json_socket, me.socket(offers=[MSGPACK]) as binary_socket:
            await json_socket.raw.send_bytes(msgpack.packb({"id": 1, "type": "ping"}))
            await binary_socket.raw.send_str('{"id": 1, "type": "ping"}')
            for socket in (json_socket, binary_socket):
                await socket.frame("error", code="bad_frame")
                assert await socket.command("ping") == {}

    async def test_five_in_a_row_are_forgiven_six_are_not(self, socket: Socket) -> None:
        for _ in range(5):
            await socket.raw.send_str("[]")
        assert await socket.command("ping") == {}
        for _ in range(6):
            await socket.raw.send_str("[]")
        assert await socket.closed() == 1008

    async def test_one_that_is_too_large_closes_with_1009(self, start: Start) -> None:
        me = (await start(max_frame=2048)).user()
        async with me.socket() as socket:
            assert len((await socket.command("ping", text="x" * 1500))["text"]) == 1500
            await socket.send({"id": 9, "type": "ping", "text": "x" * 3000})
            assert await socket.closed() == 1009


class TestHeartbeats:
    @pytest.fixture
    async def me(self, start: Start) -> User:
        return (await start(heartbeat=0.1)).user()

    async def test_come_when_nothing_else_does(self, me: User, socket: Socket) -> None:
        await socket.turn("Hello")
        before = sum(frame["type"] == "heartbeat" for frame in socket.frames)  # the run may have been silent as well
        beats = [await socket.frame("heartbeat", before + number) for number in (1, 2)]
        assert all(beat.keys() == {"type", "seq", "ts"} for beat in beats)
        assert beats[-1]["seq"] == socket.seq

    async def test_come_while_a_run_is_silent(self, llm: ScriptedLlm, socket: Socket) -> None:
        llm.answer(say(gate := Gate(), "Done."))
        sent = await socket.chat("Go")
        await gate.reached()
        await socket.frame("heartbeat")
        gate.open()
        assert (await socket.end_of(sent)).text == "Done."

    async def test_say_what_hello_said(self, socket: Socket) -> None:
        assert socket.hello["heartbeat"] == 0.1


async def test_two_codecs_get_the_same_events_with_the_same_numbers(llm: ScriptedLlm, me: User) -> None:
    llm.answer(say("ü🙂 " * 50, chunk=2))
    async with me.socket(offers=[JSON]) as one, me.socket(offers=[MSGPACK]) as other:
        turn = await one.turn("Hello")
        await other.frame("done", run_id=turn.run_id)
        assert one.events == other.events


async def test_a_stopping_server_closes_with_1001(start: Start) -> None:
    server = await start()
    async with server.user().socket() as socket:
        await server._listening.close()
        assert await socket.closed() == 1001
