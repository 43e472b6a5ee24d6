"""A long conversation: what a turn writes does not grow with what was said before it."""

from __future__ import annotations

from kit.database import rows
from kit.scripted_llm import TOPOLOGY, ScriptedLlm, call, say
from kit.server import Server, User
from kit.socket import Socket

TURNS = 40
ANSWER = "It says a good deal about the lab. " * 60


def count(server: Server, table: str) -> int:
    return int(rows(server.database, f"SELECT COUNT(*) FROM {table}")[0][0])


def checkpoint_bytes(server: Server) -> int:
    sql = "SELECT COALESCE(SUM(LENGTH(checkpoint) + LENGTH(metadata)), 0) FROM checkpoints"
    return int(rows(server.database, sql)[0][0])


async def test_checkpoints_and_wal_stay_small(llm: ScriptedLlm, server: Server, me: User, socket: Socket) -> None:
    checkpoints = []
    for number in range(TURNS):
        llm.answer(say("I look. ", call(TOPOLOGY, {})), say(ANSWER))
        await socket.turn(f"Question {number}", session_id="long")
        checkpoints.append(checkpoint_bytes(server))
        assert count(server, "checkpoints") <= 1
        assert count(server, "writes") <= 8
    assert count(server, "messages") == 4 * TURNS
    assert max(checkpoints) <= 2 * checkpoints[0]
    said = sum(len(str(message)) for message in (await me.conversation("long", limit=1000))["messages"])
    wal = server.database.with_name(server.database.name + "-wal")
    assert wal.stat().st_size < 10 * 1024 * 1024
    assert server.database.stat().st_size < 6 * said
    await server.stop()
    assert not wal.exists() or wal.stat().st_size == 0


async def test_a_run_with_many_calls_leaves_one_checkpoint(llm: ScriptedLlm, server: Server, socket: Socket) -> None:
    llm.answer(*[say(call(TOPOLOGY, {})) for _ in range(10)], say("Done."))
    await socket.turn("Go")
    assert count(server, "checkpoints") <= 1
    assert count(server, "writes") <= 8
