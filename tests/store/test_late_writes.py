"""A conversation that has been deleted: what is written late does not bring a row of it back."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from kit.database import tables_with_thread
from kit.server import Server, User

from copilot_ws.agent.history import user_message
from copilot_ws.core.ports import Counts, DeviceCopy, Ending, RunRow
from copilot_ws.store.copies import CopyStore
from copilot_ws.store.database import Database
from copilot_ws.store.runs import RunStore
from copilot_ws.wire.models import Usage
from copilot_ws.wire.times import utcnow

SESSION = "doomed"
SAID = user_message("Go", {})
RUN = RunRow("run", SESSION, "local", None, {}, SAID.id, "running", utcnow())


@pytest.fixture
async def database(server: Server, me: User) -> AsyncIterator[Database]:
    """One in which a session has been deleted."""
    async with me.socket() as socket:
        await socket.turn("Go", session_id=SESSION)
    assert (await me.chat("DELETE", f"/sessions/{SESSION}")).status == 204
    await server.stop()
    database = await Database.open(server.database.parent)
    try:
        yield database
    finally:
        await database.close()


async def test_a_message(database: Database) -> None:
    await RunStore(database, "P").put(SESSION, RUN.run_id, [SAID])
    assert tables_with_thread(database.path, SESSION) == {}


async def test_the_end_of_a_run(database: Database) -> None:
    await RunStore(database, "P").end(RUN, [SAID], Ending("stopped", Usage().shape(), None), Counts())
    assert tables_with_thread(database.path, SESSION) == {}


async def test_a_copy_of_a_configuration(database: Database) -> None:
    await CopyStore(database).put(SESSION, DeviceCopy(RUN.run_id, "call", "node", "R1", "ios", "hostname R1", None))
    assert tables_with_thread(database.path, SESSION) == {}
