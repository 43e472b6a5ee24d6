"""The audit log of a project: append-only rows, each chained by hash to its session's row before."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from copilot_ws.core.ports import AlreadyThere, AuditRow
from copilot_ws.store.database import Database

FIRST = "0" * 64
_COLUMNS = "kind, run_id, hitl_session_id, tool_call_id, at, data"


def digest(previous: str, session_id: str, row: AuditRow) -> str:
    """SHA-256 over the hash before and everything that the row says."""
    said = [previous, session_id, row.kind, row.run_id, row.hitl_session_id, row.tool_call_id, row.at, row.data]
    return hashlib.sha256(json.dumps(said, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _row(row: sqlite3.Row) -> AuditRow:
    return AuditRow(
        row["kind"],
        row["run_id"],
        row["hitl_session_id"],
        row["tool_call_id"],
        row["at"],
        json.loads(row["data"]),
    )


class AuditStore:
    """See `core.ports.Audit`."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def append(self, session_id: str, rows: Sequence[AuditRow]) -> None:
        try:
            async with self._db.transaction() as connection:
                last = await connection.execute_fetchall(
                    "SELECT hash FROM audit_log WHERE thread_id = ? ORDER BY position DESC LIMIT 1", (session_id,)
                )
                previous = next((found["hash"] for found in last), FIRST)
                for row in rows:
                    previous = digest(previous, session_id, row)
                    await connection.execute(
                        f"INSERT INTO audit_log (thread_id, {_COLUMNS}, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                        (
                            session_id,
                            row.kind,
                            row.run_id,
                            row.hitl_session_id,
                            row.tool_call_id,
                            row.at,
                            json.dumps(row.data),
                            previous,
                        ),
                    )
                await connection.execute(
                    """INSERT INTO audit_heads (thread_id, hash, rows) VALUES (?, ?, ?)
                       ON CONFLICT (thread_id) DO UPDATE SET hash = excluded.hash, rows = rows + excluded.rows""",
                    (session_id, previous, len(rows)),
                )
        except sqlite3.IntegrityError as fault:
            raise AlreadyThere from fault

    async def rows(self, session_id: str) -> list[AuditRow]:
        found = await self._db.all(
            f"SELECT {_COLUMNS} FROM audit_log WHERE thread_id = ? ORDER BY position", (session_id,)
        )
        return [_row(row) for row in found]


@dataclass(frozen=True, slots=True)
class Verified:
    """What checking a database's chains found. `faults` name a session and its first wrong row."""

    sessions: int
    rows: int
    deletions: int
    faults: list[str]


def verify(connection: sqlite3.Connection) -> Verified:
    """Follows every session's chain; a changed, removed or added row breaks it."""
    connection.row_factory = sqlite3.Row
    chains: dict[str, list[sqlite3.Row]] = {}
    for row in connection.execute("SELECT * FROM audit_log ORDER BY position"):
        chains.setdefault(row["thread_id"], []).append(row)
    heads = {row["thread_id"]: row for row in connection.execute("SELECT * FROM audit_heads")}
    faults = [fault for session in chains if (fault := _fault(session, chains[session], heads.get(session)))]
    faults += [f"{session}: its rows are gone" for session in heads if session not in chains]
    deletions = connection.execute("SELECT COUNT(*) FROM deleted_sessions").fetchone()[0]
    return Verified(len(chains), sum(map(len, chains.values())), deletions, faults)


def _fault(session_id: str, rows: Iterable[sqlite3.Row], head: Any) -> str | None:
    previous, count = FIRST, 0
    for row in rows:
        count += 1
        previous = digest(previous, session_id, _row(row))
        if previous != row["hash"]:
            return f"{session_id}: row {row['position']} ({row['kind']}, {row['at']}) was changed"
    if head is None or (head["hash"], head["rows"]) != (previous, count):
        return f"{session_id}: rows are missing at the end"
    return None
