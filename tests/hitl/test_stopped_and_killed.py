"""A person stops a run and the server is killed before the run has ended: it stays stopped."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from kit.database import rows
from kit.hitl import Question, ask, describe, marks_sent, results, verified
from kit.process import KillableServer
from kit.scripted_llm import ScriptedLlm, say, show
from kit.server import User
from kit.socket import Socket
from kit.waiting import eventually

from copilot_ws.core.ports import AuditRow
from copilot_ws.store.audit import AuditStore
from copilot_ws.store.database import Database


@pytest.fixture
async def server(tmp_path: Path, llm: ScriptedLlm) -> AsyncIterator[KillableServer]:
    async with KillableServer.running(tmp_path / "data", llm) as server:
        yield server


@pytest.fixture
def me(server: KillableServer) -> User:
    return server.user()


async def assert_stopped(server: KillableServer, question: Question) -> None:
    """After the next start no line has gone to a device, and the calls say so."""
    me = server.user()
    await me.idle(question.session_id)
    assert (marks_sent(server.project, "R1"), marks_sent(server.project, "R2")) == ([], [])
    found = await results(me, question.session_id)
    assert {message["metadata"]["status"] for message in found.values()} == {"stopped"}
    assert (await verified(server.data_dir)).faults == []


async def test_while_it_asked(llm: ScriptedLlm, server: KillableServer, socket: Socket) -> None:
    """Not even the call runs that had been confirmed before the stop, and no model is called."""
    confirmed, undecided = describe("R1", "confirmed"), describe("R2", "undecided")
    question = await ask(llm, socket, confirmed, undecided, then=[say("I go on all the same.")])
    await question.confirm(confirmed)
    await socket.begin("chat.stop", session_id=question.session_id)
    await question.resolved(2)
    await server.kill()
    asked = len(llm.turns)
    await server.start()
    await assert_stopped(server, question)
    assert len(llm.turns) == asked


async def test_while_a_call_read_before_the_confirmed_one(
    llm: ScriptedLlm, server: KillableServer, socket: Socket
) -> None:
    look, late = show("R1", "ping 203.0.113.1 repeat 1"), describe("R1", "late")
    question = await ask(llm, socket, look, late)
    await question.confirm(late)
    await socket.frame("tool_start", tool_call_id=look.id)
    await asyncio.sleep(0.5)  # the decision is in the checkpoint
    await server.kill()
    await stopped_before(server, question)
    await server.start()
    await assert_stopped(server, question)


async def stopped_before(server: KillableServer, question: Question) -> None:
    """As if the stop had been taken just before the server was killed."""
    database = await Database.open(server.database.parent)
    row = AuditRow("stopped", question.run_id, None, None, "2026-01-01T00:00:00.000000+00:00", {"by": "local"})
    await AuditStore(database).append(question.session_id, [row])
    await database.close()


async def test_a_stop_is_kept_before_it_is_answered(llm: ScriptedLlm, server: KillableServer, socket: Socket) -> None:
    question = await ask(llm, socket, describe("R1", "unwanted"))
    await socket.command("chat.stop", session_id=question.session_id)
    kept = await asyncio.to_thread(rows, server.database, "SELECT run_id FROM audit_log WHERE kind = 'stopped'")
    assert kept == [(question.run_id,)]
    await question.end()


async def test_by_a_message_that_interrupts(llm: ScriptedLlm, server: KillableServer, socket: Socket) -> None:
    """The question does not come back: the person has said something else instead."""
    question = await ask(llm, socket, describe("R1", "unwanted"))
    await socket.begin("chat.send", message="Something else", session_id=question.session_id, on_busy="interrupt")
    await eventually(lambda: rows(server.database, "SELECT 1 FROM runs WHERE request LIKE '%else%'"), "it is taken")
    await server.kill()
    await server.start()
    async with server.user().socket() as again:
        assert again.hello["pending_hitl"] == []
    await assert_stopped(server, question)


async def test_a_message_that_interrupted_may_ask_as_well(
    llm: ScriptedLlm, server: KillableServer, socket: Socket
) -> None:
    """Its own question is open again."""
    question = await ask(llm, socket, describe("R1", "wanted"), on_busy="interrupt")
    await server.kill()
    await server.start()
    async with server.user().socket() as again:
        assert [prompt["hitl_session_id"] for prompt in again.hello["pending_hitl"]] == [question.id]
