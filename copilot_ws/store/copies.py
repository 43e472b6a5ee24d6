"""Copies of devices' configurations around the calls that change them, compressed."""

from __future__ import annotations

import sqlite3
import zlib

from copilot_ws.core.ports import DeviceCopy
from copilot_ws.store.database import Database


def _packed(text: str | None) -> bytes | None:
    return None if text is None else zlib.compress(text.encode())


def _text(packed: bytes | None) -> str | None:
    return None if packed is None else zlib.decompress(packed).decode()


def _copy(row: sqlite3.Row) -> DeviceCopy:
    return DeviceCopy(
        row["run_id"],
        row["tool_call_id"],
        row["node_id"],
        row["device_name"],
        row["platform"],
        _text(row["before"]),
        _text(row["after"]),
        row["missing"],
    )


class CopyStore:
    """See `core.ports.Copies`."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def put(self, session_id: str, copy: DeviceCopy) -> None:
        """A session that has been deleted does not come back by it."""
        async with self._db.transaction() as connection:
            await connection.execute(
                """INSERT INTO device_copies (thread_id, run_id, tool_call_id, node_id, device_name, platform,
                                              before, after, missing)
                   SELECT :thread, :run, :call, :node, :name, :platform, :before, :after, :missing
                   WHERE EXISTS (SELECT 1 FROM chat_sessions WHERE thread_id = :thread)
                   ON CONFLICT (run_id, tool_call_id, node_id) DO UPDATE
                   SET before = excluded.before, after = excluded.after, missing = excluded.missing""",
                {
                    "thread": session_id,
                    "run": copy.run_id,
                    "call": copy.tool_call_id,
                    "node": copy.node_id,
                    "name": copy.device_name,
                    "platform": copy.platform,
                    "before": _packed(copy.before),
                    "after": _packed(copy.after),
                    "missing": copy.missing,
                },
            )

    async def of_run(self, run_id: str) -> list[DeviceCopy]:
        rows = await self._db.all("SELECT * FROM device_copies WHERE run_id = ? ORDER BY position", (run_id,))
        return [_copy(row) for row in rows]

    async def of_session(self, session_id: str) -> list[DeviceCopy]:
        rows = await self._db.all("SELECT * FROM device_copies WHERE thread_id = ? ORDER BY position", (session_id,))
        return [_copy(row) for row in rows]

    async def changed(self, run_id: str) -> bool:
        found = await self._db.one(
            "SELECT 1 FROM device_copies WHERE run_id = ? AND before IS NOT NULL AND before IS NOT after", (run_id,)
        )
        return found is not None
