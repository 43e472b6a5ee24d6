"""Opens a database: checks it, migrates it, and gives transactions and reads."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sqlite3
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import aiosqlite
import filelock

from copilot_ws.store.migrations import CHAT, Schema, migrate
from copilot_ws.wire.text import folded

log = logging.getLogger(__name__)

NAME = "copilot_checkpoints.db"
BUSY_SECONDS = 15.0
WAL_LIMIT = 8 * 1024 * 1024


class Database:
    """One SQLite file in WAL mode: writes one at a time on one connection, reads on another.

    A read sees what was committed before it began, and has the SQL function `fold` (`wire.text.folded`).
    """

    def __init__(
        self, path: Path, writer: aiosqlite.Connection, reader: aiosqlite.Connection, lock: filelock.FileLock
    ) -> None:
        self.path = path
        self._lock = lock
        self._writer, self._reader = writer, reader
        self._writing = asyncio.Lock()

    @classmethod
    async def open(cls, folder: Path, name: str = NAME, schema: Schema = CHAT) -> Database:
        """Opens (or makes) the database in `folder`; a damaged file is set aside and reported."""
        path = folder / name
        lock = await asyncio.to_thread(_prepare, path, schema)
        async with contextlib.AsyncExitStack() as undo:
            undo.callback(lock.release)
            writer = await connect(path)
            undo.push_async_callback(writer.close)
            await writer.execute("PRAGMA synchronous = FULL")
            reader = await connect(path)
            undo.push_async_callback(reader.close)
            await reader.create_function("fold", 1, folded, deterministic=True)
            undo.pop_all()
            return cls(path, writer, reader, lock)

    @property
    def owned(self) -> bool:
        """Whether this is the only server that has the file open."""
        return self._lock.is_locked

    async def close(self) -> None:
        """Closes both connections and folds the WAL into the file."""
        async with self._writing:
            await self._reader.close()
            with contextlib.suppress(sqlite3.OperationalError):  # another process reads: it will fold it
                await self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            await self._writer.close()
            self._lock.release()

    @contextlib.asynccontextmanager
    async def transaction(self) -> AsyncIterator[aiosqlite.Connection]:
        """All or nothing; transactions wait for one another."""
        async with self._writing:
            try:
                await self._writer.execute("BEGIN IMMEDIATE")
                yield self._writer
                await self._writer.execute("COMMIT")
            except BaseException:
                # Also when it was cancelled before it knew that it had begun: then there may be nothing to undo.
                with contextlib.suppress(sqlite3.OperationalError):
                    await self._writer.execute("ROLLBACK")
                raise

    async def all(self, sql: str, arguments: Any = ()) -> list[sqlite3.Row]:
        return list(await self._reader.execute_fetchall(sql, arguments))

    async def one(self, sql: str, arguments: Any = ()) -> sqlite3.Row | None:
        rows = await self.all(sql, arguments)
        return rows[0] if rows else None


async def connect(path: Path) -> aiosqlite.Connection:
    """A connection in autocommit mode, with the pragmas that every connection here has."""
    connection = await aiosqlite.connect(path, isolation_level=None, timeout=BUSY_SECONDS)
    try:
        connection.row_factory = sqlite3.Row
        await connection.execute(f"PRAGMA journal_size_limit = {WAL_LIMIT}")
        await connection.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        await connection.close()
        raise
    return connection


def lock_of(path: Path) -> filelock.FileLock:
    """Held by whoever has the database open first."""
    return filelock.FileLock(path.with_name(f"{path.name}.lock"), thread_local=False)


def _prepare(path: Path, schema: Schema) -> filelock.FileLock:
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = lock_of(path)
    with contextlib.suppress(filelock.Timeout):
        lock.acquire(blocking=False)
    if path.exists() and (fault := _damage(path)) is not None:
        _set_aside(path, fault)
    migrate(path, BUSY_SECONDS, schema)
    return lock


def _damage(path: Path) -> str | None:
    """What is wrong with the file, found without writing to it; None: nothing."""
    if path.stat().st_size == 0:
        return None
    uri = f"{path.absolute().as_uri()}?mode=ro"
    try:
        with contextlib.closing(sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS)) as connection:
            found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    except sqlite3.DatabaseError as fault:
        # No descriptors, no rights, a busy disk: those say nothing about the file.
        if fault.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise
        return str(fault)
    return None if found == "ok" else str(found)


def _set_aside(path: Path, fault: str) -> None:
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
    for suffix in ("", "-wal", "-shm"):
        part = path.with_name(path.name + suffix)
        if part.exists():
            part.rename(path.with_name(f"{path.name}.damaged-{stamp}{suffix}"))
    log.error("a damaged database was set aside as %s.damaged-%s: %s", path.name, stamp, fault)
