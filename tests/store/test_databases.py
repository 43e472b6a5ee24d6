"""Opening a chat database of any age: upgraded in place, also twice and at once; a damaged one is set aside."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Awaitable, Callable
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from kit.database import columns, rows, tables
from kit.server import Start

from copilot_ws.store.database import NAME, Database
from copilot_ws.store.migrations import migrate
from copilot_ws.store.sessions import SessionStore

# The seed's table as versions before `pinned` made it; times are SQLite's own.
OLD_SCHEMA = """
    CREATE TABLE chat_sessions (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        thread_id TEXT UNIQUE NOT NULL,
        user_id TEXT NOT NULL,
        project_id TEXT NOT NULL,
        title TEXT NOT NULL DEFAULT 'New Conversation',
        message_count INTEGER DEFAULT 0,
        llm_calls_count INTEGER DEFAULT 0,
        input_tokens INTEGER DEFAULT 0,
        output_tokens INTEGER DEFAULT 0,
        total_tokens INTEGER DEFAULT 0,
        last_message_at TIMESTAMP,
        created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
        updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
        metadata TEXT DEFAULT '{}',
        stats TEXT DEFAULT '{}'
    );
    INSERT INTO chat_sessions (thread_id, user_id, project_id, title, message_count, last_message_at)
    VALUES ('old', 'local', 'P', 'From before', 7, CURRENT_TIMESTAMP);
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "gns3-copilot"
    folder.mkdir()
    return folder


@pytest.fixture
def old(folder: Path) -> Path:
    """A database that an older version made."""
    with closing(sqlite3.connect(folder / NAME)) as connection:
        connection.executescript(OLD_SCHEMA)
    return folder / NAME


async def opened(folder: Path, use: Callable[[Database], Awaitable[object]]) -> object:
    database = await Database.open(folder)
    try:
        return await use(database)
    finally:
        await database.close()


async def nothing(_: Database) -> None:
    pass


def schema(path: Path) -> list[tuple[str, ...]]:
    return rows(path, "SELECT name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY name")


class TestUpgrading:
    async def test_keeps_old_sessions_and_adds_what_is_missing(self, old: Path) -> None:
        async def read(database: Database) -> dict[str, object]:
            return await SessionStore(database, "P").get("local", "old")

        session = await opened(old.parent, read)
        assert isinstance(session, dict)
        assert (session["title"], session["message_count"], session["pinned"]) == ("From before", 7, False)
        assert (session["metadata"], session["stats"]) == ({}, {})
        for name in ("created_at", "updated_at", "last_message_at"):
            when = datetime.fromisoformat(session[name])
            assert when.utcoffset() == timedelta(0)
            assert abs(when - datetime.now(when.tzinfo)) < timedelta(minutes=1)

    async def test_old_sessions_sort_among_new_ones(self, old: Path) -> None:
        async def read(database: Database) -> list[str]:
            store = SessionStore(database, "P")
            await store.pin("local", "old", True)
            found, _ = await store.page("local", 10, None)
            return [session["session_id"] for session in found]

        assert await opened(old.parent, read) == ["old"]

    async def test_again_changes_nothing(self, old: Path) -> None:
        await opened(old.parent, nothing)
        first = schema(old)
        await opened(old.parent, nothing)
        assert schema(old) == first

    def test_by_many_openers_at_once(self, old: Path) -> None:
        faults: list[BaseException] = []
        barrier = threading.Barrier(8)

        def work() -> None:
            try:
                barrier.wait(10)
                migrate(old, 10)
            except BaseException as fault:
                faults.append(fault)

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        assert faults == []
        assert "pinned" in columns(old, "chat_sessions")
        assert rows(old, "SELECT thread_id, title FROM chat_sessions") == [("old", "From before")]

    async def test_keeps_what_a_newer_version_added(self, folder: Path) -> None:
        await opened(folder, nothing)
        with closing(sqlite3.connect(folder / NAME)) as newer:
            newer.executescript(
                """ALTER TABLE chat_sessions ADD COLUMN colour TEXT DEFAULT 'green';
                   CREATE TABLE from_the_future (x);
                   INSERT INTO from_the_future VALUES (1);
                   INSERT INTO chat_sessions (thread_id, colour) VALUES ('s', 'red');"""
            )
        await opened(folder, nothing)
        assert rows(folder / NAME, "SELECT colour FROM chat_sessions") == [("red",)]
        assert rows(folder / NAME, "SELECT x FROM from_the_future") == [(1,)]

    async def test_a_new_file_is_in_wal_mode_with_the_seeds_indexes(self, folder: Path) -> None:
        await opened(folder, nothing)
        assert rows(folder / NAME, "PRAGMA journal_mode") == [("wal",)]
        indexes = {name for (name,) in rows(folder / NAME, "SELECT name FROM sqlite_master WHERE type = 'index'")}
        assert {"idx_thread_id", "idx_user_project", "idx_pinned_updated"} <= indexes

    async def test_a_server_works_with_an_old_file(self, start: Start) -> None:
        server = await start()
        await server.stop()
        server.database.parent.mkdir(exist_ok=True)
        server.database.unlink(missing_ok=True)
        with closing(sqlite3.connect(server.database)) as connection:
            connection.executescript(OLD_SCHEMA.replace("'P'", f"'{server.project_id}'"))
        me = (await start()).user()
        assert (await me.session("old"))["title"] == "From before"
        assert await me.messages("old") == []
        async with me.socket() as socket:
            assert (await socket.turn("Hello", session_id="old")).outcome == "completed"
        assert (await me.session("old"))["message_count"] == 9
        assert {"checkpoints", "writes", "chat_sessions"} <= set(tables(server.database))


class TestDamage:
    @pytest.fixture
    async def damaged(self, folder: Path) -> bytes:
        """The bytes of a database whose middle is rubbish."""
        await opened(folder, nothing)
        path = folder / NAME
        content = bytearray(path.read_bytes())
        content[4096 : 4096 * 3] = b"\xa5" * (4096 * 2)
        path.write_bytes(content)
        return bytes(content)

    @staticmethod
    def set_aside(folder: Path) -> list[Path]:
        return [
            path for path in folder.iterdir() if "damaged" in path.name and not path.name.endswith(("-wal", "-shm"))
        ]

    async def test_is_set_aside_byte_for_byte(
        self, folder: Path, damaged: bytes, caplog: pytest.LogCaptureFixture
    ) -> None:
        await opened(folder, nothing)
        (aside,) = self.set_aside(folder)
        assert aside.read_bytes() == damaged
        assert rows(folder / NAME, "PRAGMA integrity_check") == [("ok",)]
        assert any("damaged" in record.message for record in caplog.records)

    @pytest.mark.parametrize("content", [b"this is no database at all" * 400, b"SQLite format 3\x00" + b"\x00" * 200])
    async def test_what_is_no_database(self, folder: Path, content: bytes) -> None:
        (folder / NAME).write_bytes(content)
        await opened(folder, nothing)
        (aside,) = self.set_aside(folder)
        assert aside.read_bytes() == content

    async def test_an_empty_file_is_a_new_one(self, folder: Path) -> None:
        (folder / NAME).touch()
        await opened(folder, nothing)
        assert self.set_aside(folder) == []

    async def test_a_file_in_use_is_not_taken_for_damaged(self, folder: Path) -> None:
        await opened(folder, nothing)
        with closing(sqlite3.connect(folder / NAME, isolation_level=None, check_same_thread=False)) as other:
            other.execute("BEGIN EXCLUSIVE")
            release = threading.Timer(0.2, other.execute, ["COMMIT"])
            release.start()
            await opened(folder, nothing)
            release.join()
        assert self.set_aside(folder) == []

    async def test_a_server_goes_on_with_an_empty_one(self, start: Start) -> None:
        server = await start()
        async with server.user().socket() as socket:
            await socket.turn("Hello", session_id="lost")
        await server.stop()
        content = bytearray(server.database.read_bytes())
        content[4096:] = b"\xa5" * (len(content) - 4096)
        server.database.write_bytes(content)
        me = (await start()).user()
        assert await me.got("/sessions") == []
        async with me.socket() as socket:
            assert (await socket.turn("Hello")).outcome == "completed"


class TestTransactions:
    async def test_are_all_or_nothing(self, folder: Path) -> None:
        async def use(database: Database) -> None:
            async def insert(*threads: str | None) -> None:
                async with database.transaction() as connection:
                    for thread in threads:
                        await connection.execute("INSERT INTO chat_sessions (thread_id) VALUES (?)", (thread,))

            with pytest.raises(sqlite3.IntegrityError):
                await insert("x", None)
            assert await database.all("SELECT * FROM chat_sessions") == []
            await insert("y")
            assert len(await database.all("SELECT * FROM chat_sessions")) == 1

        await opened(folder, use)
