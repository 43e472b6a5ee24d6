"""What was asked, decided and done can be read later, and nobody can change it unnoticed."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from kit.database import rows
from kit.hitl import CONFIGURE, arguments, ask, configure, describe, repeated, told, verified
from kit.scripted_llm import ScriptedLlm, say, show
from kit.server import Server, Start, User
from kit.socket import Socket

Json = dict[str, Any]


# history


async def test_history_tells_a_whole_story(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    confirmed, rejected, direct = describe("R1", "yes"), describe("R2", "no"), describe("R1", "old")
    wanted = describe("R1", "new")
    question = await ask(llm, socket, confirmed, rejected, direct, show("R1", "show version"))
    (waiting,) = await told(me, question.session_id)
    assert waiting["resolved_at"] is None
    assert [(c["decision"], c["status"], c["final_args"]) for c in waiting["calls"]] == [(None, "waiting", None)] * 3
    await question.confirm(confirmed)
    await question.reject(rejected, reason="not there")
    await question.modify(direct, wanted, apply="direct")
    await question.end()
    (story,) = await told(me, question.session_id)
    assert story == (await socket.command("hitl.history", session_id=question.session_id))[0]
    assert story["hitl_session_id"] == question.id
    assert {"hitl_session_id", "asked_at", "resolved_at", "calls"} <= story.keys()
    shape = {"tool_call_id", "tool_name", "tool_args", "danger_level", "decision", "by", "decided_at", "reason"}
    assert all(call.keys() == shape | {"final_args", "status"} for call in story["calls"])
    told_of = [(c["tool_call_id"], c["decision"], c["reason"], c["status"]) for c in story["calls"]]
    assert told_of == [
        (confirmed.id, "confirmed", None, "success"),
        (rejected.id, "rejected", "not there", "rejected"),
        (direct.id, "modified", None, "success"),
    ]
    first, _, changed = story["calls"]
    assert (first["tool_name"], first["danger_level"], first["by"]) == (CONFIGURE, "medium", "local")
    assert first["tool_args"] == first["final_args"] == arguments(confirmed)
    assert (changed["tool_args"], changed["final_args"]) == (arguments(direct), arguments(wanted))
    times = [story["asked_at"], *(c["decided_at"] for c in story["calls"])]
    assert times == sorted(times)
    assert story["resolved_at"] == times[-1]
    assert {datetime.fromisoformat(time).utcoffset() for time in times} == {timedelta(0)}


async def test_history_has_every_prompt_of_every_run(llm: ScriptedLlm, me: User, socket: Socket) -> None:
    failing, wanted = configure("R1", "no such line"), describe("R1", "wanted")
    asked, used = describe("R1", "asked"), repeated(wanted)
    first = await ask(llm, socket, failing, then=[say(asked), say(used), say("Done.")])
    await first.confirm()
    second = await first.again()
    await second.modify(asked, wanted)
    await second.end()
    third = await ask(llm, socket, describe("R1", "stopped"), session_id=first.session_id)
    await socket.command("chat.stop", session_id=first.session_id)
    await third.end()
    stories = await told(me, first.session_id)
    assert [story["hitl_session_id"] for story in stories] == [first.id, second.id, third.id]
    assert [(s["calls"][0]["decision"], s["calls"][0]["status"]) for s in stories] == [
        ("confirmed", "error"),
        ("modified", "success"),
        ("cancelled", "stopped"),
    ]


async def test_history_of_a_session_that_never_asked(socket: Socket, me: User) -> None:
    turn = await socket.turn("Hello")
    assert await told(me, turn.session_id) == []
    assert (await me.chat("GET", "/sessions/unknown/hitl/history")).status == 404


# the chain


async def a_few_stories(llm: ScriptedLlm, socket: Socket) -> None:
    for session_id in ("first", "second"):
        made, other = describe("R1", session_id), describe("R2", session_id)
        question = await ask(llm, socket, made, other, session_id=session_id)
        await question.confirm(made)
        await question.reject(other)
        await question.end()


@pytest.fixture
async def kept(llm: ScriptedLlm, server: Server) -> Server:
    """A stopped server that has asked in two sessions."""
    async with server.user().socket() as socket:
        await a_few_stories(llm, socket)
    await server.stop()
    return server


def tamper(database: Path, *statements: str) -> None:
    """What somebody with a hand on the file can do."""
    with closing(sqlite3.connect(database)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


async def test_every_step_is_in_the_log(kept: Server) -> None:
    found = rows(kept.database, "SELECT kind FROM audit_log WHERE thread_id = 'first' ORDER BY position")
    assert [kind for (kind,) in found] == ["asked", "decided", "decided", "started", "ended"]
    state = await verified(kept.settings.data_dir)
    assert (state.sessions, state.rows, state.deletions, state.faults) == (2, 10, 0, [])


async def test_the_log_refuses_changes(kept: Server) -> None:
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        tamper(kept.database, "UPDATE audit_log SET at = 'x'")


MIDDLE = "(SELECT position FROM audit_log WHERE thread_id = 'first' ORDER BY position LIMIT 1 OFFSET 2)"
LAST = "(SELECT MAX(position) FROM audit_log WHERE thread_id = 'first')"
NO_TRIGGER = "DROP TRIGGER audit_log_is_append_only"
TAMPERED = {
    "who": (NO_TRIGGER, f"UPDATE audit_log SET data = replace(data, 'local', 'alice') WHERE position = {MIDDLE}"),
    "when": (NO_TRIGGER, f"UPDATE audit_log SET at = '2020-01-01T00:00:00+00:00' WHERE position = {MIDDLE}"),
    "what": (
        NO_TRIGGER,
        f"UPDATE audit_log SET data = replace(data, 'rejected', 'confirmed') WHERE position = {MIDDLE}",
    ),
    "which call": (NO_TRIGGER, f"UPDATE audit_log SET tool_call_id = 'other' WHERE position = {MIDDLE}"),
    "which session": (NO_TRIGGER, f"UPDATE audit_log SET thread_id = 'second' WHERE position = {LAST}"),
    "its hash": (NO_TRIGGER, f"UPDATE audit_log SET hash = '{'0' * 64}' WHERE position = {LAST}"),
    "a row in the middle": (f"DELETE FROM audit_log WHERE position = {MIDDLE}",),
    "the first row": ("DELETE FROM audit_log WHERE position = (SELECT MIN(position) FROM audit_log)",),
    "the last row": (f"DELETE FROM audit_log WHERE position = {LAST}",),
    "all rows": ("DELETE FROM audit_log WHERE thread_id = 'first'",),
    "a row more": (
        "INSERT INTO audit_log (thread_id, kind, run_id, at, data, hash)"
        f" SELECT thread_id, kind, run_id, at, data, hash FROM audit_log WHERE position = {LAST}",
    ),
    "the head's hash": ("UPDATE audit_heads SET hash = 'x' WHERE thread_id = 'first'",),
    "the head's count": ("UPDATE audit_heads SET rows = rows - 1 WHERE thread_id = 'first'",),
    "the head": ("DELETE FROM audit_heads WHERE thread_id = 'first'",),
    "the last row and the count": (
        f"DELETE FROM audit_log WHERE position = {LAST}",
        "UPDATE audit_heads SET rows = rows - 1 WHERE thread_id = 'first'",
    ),
}


@pytest.mark.parametrize("what", TAMPERED)
async def test_a_change_is_found(kept: Server, what: str) -> None:
    tamper(kept.database, *TAMPERED[what])
    faults = (await verified(kept.settings.data_dir)).faults
    assert any(fault.startswith("first: ") for fault in faults)


async def test_the_other_session_is_still_whole(kept: Server) -> None:
    tamper(kept.database, *TAMPERED["a row in the middle"])
    (fault,) = (await verified(kept.settings.data_dir)).faults
    assert fault.startswith("first: row ")


async def test_deleting_a_session_leaves_one_record(llm: ScriptedLlm, server: Server, me: User, socket: Socket) -> None:
    await a_few_stories(llm, socket)
    ((head,),) = rows(server.database, "SELECT hash FROM audit_heads WHERE thread_id = 'first'")
    assert (await me.chat("DELETE", "/sessions/first")).status == 204
    for table in ("audit_log", "audit_heads"):
        assert rows(server.database, f"SELECT * FROM {table} WHERE thread_id = 'first'") == []
    record = rows(server.database, "SELECT session_id, deleted_by, audit_rows, audit_hash FROM deleted_sessions")
    assert record == [("first", "local", 5, head)]
    state = await verified(server.settings.data_dir)
    assert (state.sessions, state.rows, state.deletions, state.faults) == (1, 5, 1, [])


async def test_the_chain_goes_on_after_a_restart(llm: ScriptedLlm, kept: Server, start: Start) -> None:
    again = await start()
    async with again.user().socket() as socket:
        question = await ask(llm, socket, describe("R1", "later"), session_id="first")
        await question.confirm()
        await question.end()
    await again.stop()
    state = await verified(again.settings.data_dir)
    assert (state.rows, state.faults) == (14, [])


# the command


def verify(where: Path, option: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "copilot_ws", "audit", "verify", option, str(where)],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


async def run_verify(where: Path, option: str = "--data-dir") -> subprocess.CompletedProcess[str]:
    return await asyncio.to_thread(verify, where, option)


def damage(database: Path) -> None:
    database.write_bytes(b"no database at all" * 1000)


BROKEN: dict[str, Callable[[Path], None]] = {
    "a changed row": lambda database: tamper(database, *TAMPERED["who"]),
    "missing rows": lambda database: tamper(database, *TAMPERED["all rows"]),
    "a damaged file": damage,
    "no such table": lambda database: tamper(database, "DROP TABLE audit_log"),
}


async def test_the_command_says_that_all_is_well(kept: Server) -> None:
    done = await run_verify(kept.settings.data_dir)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{kept.project_id}: whole (sessions: 2, rows: 10, deleted sessions: 0)\n"


async def test_the_command_works_while_the_server_runs(llm: ScriptedLlm, server: Server, socket: Socket) -> None:
    await a_few_stories(llm, socket)
    done = await run_verify(server.settings.data_dir)
    assert (done.returncode, done.stderr) == (0, "")
    assert "whole (sessions: 2, rows: 10" in done.stdout


@pytest.mark.parametrize("what", BROKEN)
async def test_the_command_finds_what_is_broken(kept: Server, what: str) -> None:
    BROKEN[what](kept.database)
    done = await run_verify(kept.settings.data_dir)
    assert done.returncode == 1
    assert kept.project_id in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


async def test_the_command_knows_where_nothing_is(tmp_path: Path) -> None:
    """A mistyped directory is not a clean bill of health."""
    done = await run_verify(tmp_path / "no" / "such")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("COPILOT_WS_DATA_DIR: ")


async def test_the_command_checks_what_lies_beside_a_labs_projects(kept: Server) -> None:
    """As GNS3's: their conversations are not in the data directory."""
    done = await run_verify(kept.settings.projects_dir, "--projects")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"{kept.project_id}: whole (sessions: 2" in done.stdout
    mistyped = await run_verify(kept.settings.projects_dir / "no", "--projects")
    assert mistyped.returncode == 2
    assert mistyped.stderr.startswith("--projects: ")


async def test_the_command_says_that_there_was_nothing_to_check(tmp_path: Path) -> None:
    (tmp_path / "projects").mkdir()
    done = await run_verify(tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert str(tmp_path / "projects") in done.stdout
    assert "--projects" in done.stdout
