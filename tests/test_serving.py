"""The server as a process: its files, its signals, its death and its return, and what it keeps to itself."""

from __future__ import annotations

import asyncio
import json
import re
import stat
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from kit.conversation import assert_valid
from kit.database import rows, tables_with_thread
from kit.process import ServerProcess, scripted
from kit.scripted_llm import TOPOLOGY, Gate, ScriptedLlm, call, fail, say, sleep
from kit.server import API_KEY
from kit.waiting import eventually

Run = Callable[..., Awaitable[ServerProcess]]


@pytest.fixture
async def run(llm: ScriptedLlm, tmp_path: Path) -> AsyncIterator[Run]:
    """Starts a server on the test's data directory; none outlives the test."""
    started: list[ServerProcess] = []

    async def run(*options: str, **settings: str) -> ServerProcess:
        process = await ServerProcess.spawn(tmp_path / "data", *options, env=scripted(llm, **settings))
        started.append(process)
        return process

    yield run
    for process in started:
        await process.settled()
        await process.kill()


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


class TestStarting:
    async def test_tells_where_it_is(self, run: Run) -> None:
        server = await (await run()).ready()
        info = server.info
        assert info.keys() == {"url", "token", "pid", "version"}
        assert info["pid"] == server.pid
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+", info["url"])
        assert server.printed == f"{info['url']}/?token={info['token']}\n"
        assert mode(server.data_dir / "server.json") == mode(server.data_dir / "token") == 0o600
        async with server.user() as me:
            assert (await me.rest("GET", "/healthz")).json["version"] == info["version"]

    async def test_a_token_outlives_a_restart(self, run: Run) -> None:
        first = await (await run()).ready()
        token = first.info["token"]
        await first.stop()
        assert not (first.data_dir / "server.json").exists()
        assert (await (await run()).ready()).info["token"] == token

    async def test_a_second_one_on_the_same_data_is_refused(self, run: Run) -> None:
        first = await (await run()).ready()
        second = await run()
        assert await second.exit_code() == 2
        assert second.log.count("\n") == 1
        assert "COPILOT_WS_DATA_DIR" in second.log
        assert first.info["url"] in second.log
        assert first.info["pid"] == first.pid

    @pytest.mark.parametrize(
        ("options", "settings", "name"),
        [
            ((), {"heartbeat": "often"}, "COPILOT_WS_HEARTBEAT"),
            (("--auth", "jwt"), {"jwt_secret": "hunter2"}, "COPILOT_WS_JWT_SECRET"),
            (("--host", "203.0.113.7"), {}, "203.0.113.7"),
            (("--data-dir", "/dev/null/x"), {}, "COPILOT_WS_DATA_DIR"),
        ],
        ids=["environment", "secret", "host", "data directory"],
    )
    async def test_a_wrong_setting_is_one_line(
        self, run: Run, options: tuple[str, ...], settings: dict[str, str], name: str
    ) -> None:
        server = await run(*options, **settings)
        assert await server.exit_code() == 2
        assert server.printed == ""
        assert name in server.log
        assert server.log.count("\n") == 1
        assert "hunter2" not in server.log


class TestStopping:
    async def test_closes_sockets_with_1001_and_exits_0(self, run: Run) -> None:
        server = await (await run()).ready()
        async with server.user() as me, me.socket() as socket:
            server.terminate()
            assert await socket.closed() == 1001
            assert await server.exit_code() == 0
        assert not (server.data_dir / "server.json").exists()
        assert "Traceback" not in server.log

    async def test_stops_what_runs_and_keeps_it(self, run: Run, llm: ScriptedLlm) -> None:
        server = await (await run(shutdown_grace="0.5")).ready()
        llm.answer(say("Half of it", gate := Gate()), say(asked := sleep(60)))
        async with server.user() as me, me.socket() as socket:
            await socket.chat("One", session_id="text")
            await gate.reached()
            await socket.frame("content")
            await socket.chat("Two", session_id="tool")
            await socket.frame("tool_start", tool_call_id=asked.id)
            assert await server.stop() == 0
        await llm.disconnected()
        again = await (await run()).ready()
        async with again.user() as me:
            assert [m["content"] for m in await me.messages("text")] == ["One", "Half of it"]
            assert [m["role"] for m in await me.messages("tool")] == ["user", "assistant", "tool"]
            assert (await me.session("tool"))["status"] == "idle"

    async def test_lets_a_short_run_end(self, run: Run, llm: ScriptedLlm) -> None:
        server = await (await run(shutdown_grace="8")).ready()
        llm.answer(say("First. ", gate := Gate(), "Last."))
        async with server.user() as me, me.socket() as socket:
            await socket.chat("Go", session_id="s")
            await gate.reached()
            server.terminate()
            assert await socket.closed() == 1001
        gate.open()
        assert await server.exit_code() == 0
        async with (await (await run()).ready()).user() as me:
            assert (await me.messages("s"))[-1]["content"] == "First. Last."

    async def test_ends_streams(self, run: Run, llm: ScriptedLlm) -> None:
        server = await (await run(shutdown_grace="0.5")).ready()
        llm.answer(say("First. ", Gate()))
        async with server.user() as me, me.sse("POST", "/stream", {"message": "Go"}) as stream:
            await stream.until("content")
            server.terminate()
            await stream.rest()
        assert await server.exit_code() == 0


class TestDying:
    """kill -9: what a person saw stays, histories are whole, and the next message works."""

    async def test_in_the_middle_of_an_answer(self, run: Run, llm: ScriptedLlm) -> None:
        server = await (await run()).ready()
        words = [f"word{number} " for number in range(100)]
        llm.answer(say(*words, gate := Gate(), chunk=64, delay=0.02))
        async with server.user() as me, me.socket() as socket:
            await socket.chat("Go", session_id="s", client_message_id="c-1")
            await gate.reached()
            database = await server.database()
            sql = "SELECT json_extract(shape, '$.content') FROM messages WHERE role = 'assistant'"
            await eventually(lambda: rows(database, sql) == [("".join(words),)], "the text is saved")
            await server.kill()
        again = await (await run()).ready()
        async with again.user() as me:
            user, partial = await me.messages("s")
            assert user["content"] == "Go"
            assert partial["content"] == "".join(words)
            session = await me.session("s")
            assert (session["status"], session["message_count"]) == ("idle", 1)
            async with me.socket() as socket:
                assert (await socket.turn("Again", session_id="s")).outcome == "completed"
                sent = await socket.chat("Go", session_id="s", client_message_id="c-1")
                assert sent["message_id"] == user["id"]
        assert tables_with_thread(database, "s")["runs"] == 2

    async def test_loses_at_most_the_last_moment_of_a_stream(self, run: Run, llm: ScriptedLlm) -> None:
        server = await (await run()).ready()
        llm.answer(say("word " * 2000, chunk=5, delay=0.01))
        async with server.user() as me, me.socket() as socket:
            await socket.chat("Go", session_id="s")
            await socket.frame("content")
            await asyncio.sleep(0.5)
            old = "".join(event["content"] for event in socket.of("content"))
            await asyncio.sleep(1.6)  # time is the subject: what is older than a second or so is on disk
            await server.kill()
        async with (await (await run()).ready()).user() as me:
            assert (await me.messages("s"))[-1]["content"].startswith(old)

    async def test_while_a_tool_runs_and_a_message_waits(self, run: Run, llm: ScriptedLlm) -> None:
        server = await (await run()).ready()
        done, long = call(TOPOLOGY, {}), sleep(60)
        llm.answer(say("I look. ", done, long))
        async with server.user() as me, me.socket() as socket:
            await socket.chat("Go", session_id="s")
            await socket.frame("tool_end", tool_call_id=done.id)
            await socket.chat("Then this", session_id="s", on_busy="enqueue")
            await server.kill()
        asked_before = len(llm.turns)
        async with (await (await run()).ready()).user() as me:
            messages = await me.messages("s")
            assert_valid(messages)
            assert [m["role"] for m in messages] == ["user", "assistant", "tool", "tool", "user"]
            assert len(llm.turns) == asked_before
            async with me.socket() as socket:
                assert (await socket.turn("Again", session_id="s")).outcome == "completed"

    async def test_again_and_again_keeps_the_database_whole(self, run: Run, llm: ScriptedLlm) -> None:
        for number in range(2):
            server = await (await run()).ready()
            llm.answer(say("I look. ", call(TOPOLOGY, {})), say("Half of it", gate := Gate()))
            async with server.user() as me, me.socket() as socket:
                await socket.chat(f"Go {number}", session_id="s")
                await gate.reached()
                database = await server.database()
                await server.kill()
            assert rows(database, "PRAGMA integrity_check") == [("ok",)]
        async with (await (await run()).ready()).user() as me:
            said = [m["content"] for m in await me.messages("s") if m["role"] == "user"]
            assert said == [f"Go {number}" for number in range(2)]


class TestSecrets:
    async def test_are_nowhere(self, run: Run, llm: ScriptedLlm) -> None:
        server = await (await run(title="llm")).ready()
        token = server.info["token"]
        llm.answer(say(call(TOPOLOGY, {})), say("Done."), fail(401, f"Wrong key {API_KEY}"))
        async with server.user() as me:
            stranger = me.but(token=None)
            async with stranger.socket() as socket:
                await socket.send({"type": "hello", "token": token})
                await socket.frame("hello")
                turn = await socket.turn("Go", session_id="s")
                await socket.turn("Fail", session_id="s")
                seen = json.dumps(socket.frames)
            async with stranger.sse("GET", f"/sessions/s/stream?token={token}") as stream:
                await stream.rest()
            await stranger.rest("GET", f"/?token={token}")
            await stranger.rest("POST", "/v3/access/users/authenticate", {"password": token})
            await stranger.rest("GET", f"/v3/nothing?token={token}")
            seen += json.dumps(await me.conversation("s")) + json.dumps(await me.session("s"))
        assert turn.outcome == "completed"
        assert await server.stop() == 0
        for secret in (token, API_KEY):
            assert secret not in seen
            assert secret not in server.log
            assert files_with(server.data_dir, secret) == (["token"] if secret == token else [])


def files_with(folder: Path, secret: str) -> list[str]:
    needle = secret.encode()
    return [path.name for path in folder.rglob("*") if path.is_file() and needle in path.read_bytes()]
