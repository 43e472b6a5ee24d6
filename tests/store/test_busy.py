"""Another process holds the database for longer than a write waits."""

from __future__ import annotations

import pytest
from kit.database import rows, written_by_another
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
