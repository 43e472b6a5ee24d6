"""Another process holds the database for longer than a write waits."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from kit.database import rows, written_by_another
from kit.hitl import Question, ask, describe, marks_sent
from kit.scripted_llm import Gate, ScriptedLlm, say
from kit.server import Server, Start, User
from kit.waiting import eventually

from copilot_ws.core import drive
from copilot_ws.store import database


@pytest.fixture
async def server(start: Start, monkeypatch: pytest.MonkeyPatch) -> Server:
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.1)
    monkeypatch.setattr(drive, "SAVE_PARTIAL_SECONDS", 0.05)
    return await start()


async def test_what_streams_is_kept_again_afterwards(
    llm: ScriptedLlm, server: Server, me: User, caplog: pytest.LogCaptureFixture
) -> None:
    llm.answer(say("Before. ", first := Gate(), "After.", second := Gate()))
    async with me.socket() as socket:
        sent = await socket.chat("Go")
        await first.reached()
        await socket.frame("content", run_id=sent["run_id"])
        async with written_by_another(server.database):
            first.open()
            await second.reached()
            await eventually(lambda: "locked" in caplog.text, "a write was in vain")
        kept = "SELECT shape FROM messages WHERE role = 'assistant'"
        await eventually(lambda: any("After." in shape for (shape,) in rows(server.database, kept)), "it is kept")
        second.open()
        assert (await socket.end_of(sent)).outcome == "completed"


async def test_a_run_whose_end_was_not_written_leaves_the_question_of_the_next_alone(
    llm: ScriptedLlm, server: Server, start: Start
) -> None:
    async with server.user().socket() as socket:
        turn = await socket.turn("One", session_id="s")
        question = await ask(llm, socket, describe("R1", "wanted"), then=[say("Done.")], session_id="s")
    await server.stop()
    with closing(sqlite3.connect(server.database)) as connection, connection:
        connection.execute("UPDATE runs SET status = 'running' WHERE run_id = ?", (turn.run_id,))
    again = await start()
    async with again.user().socket() as socket:
        (prompt,) = socket.hello["pending_hitl"]
        found = Question(socket, question.sent, prompt)
        await found.confirm()
        assert (await found.end()).outcome == "completed"
    assert marks_sent(again.project, "R1") == ["wanted"]
