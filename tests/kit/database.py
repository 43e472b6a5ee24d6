"""Looking into a project's chat database from outside."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any


def rows(path: Path, sql: str, arguments: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path, timeout=5)) as connection:
        return connection.execute(sql, arguments).fetchall()


@asynccontextmanager
async def written_by_another(path: Path) -> AsyncIterator[None]:
    """For this time whoever else wants to write has to wait."""
    with closing(sqlite3.connect(path, timeout=5, isolation_level=None, check_same_thread=False)) as connection:
        await asyncio.to_thread(connection.execute, "BEGIN IMMEDIATE")  # the server in this loop may be writing
        yield
        connection.execute("ROLLBACK")


def tables(path: Path) -> list[str]:
    return [name for (name,) in rows(path, "SELECT name FROM sqlite_master WHERE type = 'table'")]


def columns(path: Path, table: str) -> list[str]:
    return [row[1] for row in rows(path, f"PRAGMA table_info({table})")]


def tables_with_thread(path: Path, session_id: str) -> dict[str, int]:
    """How many rows each table has of a conversation; tables without any are left out."""
    found = {}
    for table in tables(path):
        if "thread_id" in columns(path, table):
            ((count,),) = rows(path, f"SELECT COUNT(*) FROM {table} WHERE thread_id = ?", (session_id,))
            if count:
                found[table] = count
    return found


def bytes_of(path: Path) -> int:
    """The file and its WAL."""
    return sum(part.stat().st_size for part in path.parent.glob(f"{path.name}*"))
