"""Brings a database of any age to its present schema; safe to run twice and at the same time."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from dataclasses import dataclass
from pathlib import Path

from copilot_ws.wire.text import folded

# Column by column, so that a table made by an older version gets what it lacks.
TABLES = {
    "chat_sessions": {
        "id": "INTEGER PRIMARY KEY AUTOINCREMENT",
        "thread_id": "TEXT NOT NULL",
        "user_id": "TEXT NOT NULL DEFAULT ''",
        "project_id": "TEXT NOT NULL DEFAULT ''",
        "title": "TEXT NOT NULL DEFAULT 'New Conversation'",
        "message_count": "INTEGER NOT NULL DEFAULT 0",
        "llm_calls_count": "INTEGER NOT NULL DEFAULT 0",
        "input_tokens": "INTEGER NOT NULL DEFAULT 0",
        "output_tokens": "INTEGER NOT NULL DEFAULT 0",
        "total_tokens": "INTEGER NOT NULL DEFAULT 0",
        "last_message_at": "TIMESTAMP",
        "created_at": "TIMESTAMP",
        "updated_at": "TIMESTAMP",
        "metadata": "TEXT NOT NULL DEFAULT '{}'",
        "stats": "TEXT NOT NULL DEFAULT '{}'",
        "pinned": "BOOLEAN NOT NULL DEFAULT FALSE",
        "title_by": "TEXT NOT NULL DEFAULT 'nobody'",
    },
    "messages": {
        "position": "INTEGER PRIMARY KEY AUTOINCREMENT",
        "thread_id": "TEXT NOT NULL",
        "message_id": "TEXT NOT NULL",
        "run_id": "TEXT NOT NULL",
        "role": "TEXT NOT NULL",
        "shape": "TEXT NOT NULL",
        "native": "TEXT NOT NULL DEFAULT '{}'",
        "folded": "TEXT",
    },
    "runs": {
        "run_id": "TEXT PRIMARY KEY",
        "thread_id": "TEXT NOT NULL",
        "user_id": "TEXT NOT NULL",
        "client_message_id": "TEXT",
        "request": "TEXT NOT NULL",
        "message_id": "TEXT NOT NULL",
        "status": "TEXT NOT NULL",
        "outcome": "TEXT",
        "usage": "TEXT NOT NULL DEFAULT '{}'",
        "error": "TEXT NOT NULL DEFAULT 'null'",
        "limits": "TEXT NOT NULL DEFAULT '{}'",
        "created_at": "TIMESTAMP NOT NULL DEFAULT ''",
        "ended_at": "TIMESTAMP",
    },
    "deleted_sessions": {
        "session_id": "TEXT PRIMARY KEY",
        "deleted_at": "TIMESTAMP NOT NULL DEFAULT ''",
        "deleted_by": "TEXT NOT NULL DEFAULT ''",
        "audit_rows": "INTEGER NOT NULL DEFAULT 0",
        "audit_hash": "TEXT NOT NULL DEFAULT ''",
    },
    "audit_log": {
        "position": "INTEGER PRIMARY KEY AUTOINCREMENT",
        "thread_id": "TEXT NOT NULL",
        "kind": "TEXT NOT NULL",
        "run_id": "TEXT NOT NULL",
        "hitl_session_id": "TEXT",
        "tool_call_id": "TEXT",
        "at": "TIMESTAMP NOT NULL DEFAULT ''",
        "data": "TEXT NOT NULL",
        "hash": "TEXT NOT NULL",
    },
    # Where each chain ends, so that rows missing at the end are found too.
    "audit_heads": {
        "thread_id": "TEXT PRIMARY KEY",
        "hash": "TEXT NOT NULL DEFAULT ''",
        "rows": "INTEGER NOT NULL DEFAULT 0",
    },
    "device_copies": {
        "position": "INTEGER PRIMARY KEY AUTOINCREMENT",
        "thread_id": "TEXT NOT NULL",
        "run_id": "TEXT NOT NULL",
        "tool_call_id": "TEXT NOT NULL",
        "node_id": "TEXT NOT NULL",
        "device_name": "TEXT NOT NULL",
        "platform": "TEXT NOT NULL",
        "before": "BLOB",
        "after": "BLOB",
        "missing": "TEXT NOT NULL DEFAULT ''",
    },
}

RULES = (
    "CREATE UNIQUE INDEX IF NOT EXISTS idx_thread_id ON chat_sessions (thread_id)",
    "CREATE INDEX IF NOT EXISTS idx_user_project ON chat_sessions (user_id, project_id)",
    "CREATE INDEX IF NOT EXISTS idx_pinned_updated ON chat_sessions (pinned DESC, updated_at DESC)",
    "CREATE UNIQUE INDEX IF NOT EXISTS idx_messages_id ON messages (thread_id, message_id)",
    "CREATE INDEX IF NOT EXISTS idx_messages_thread ON messages (thread_id, position)",
    "CREATE INDEX IF NOT EXISTS idx_messages_run ON messages (run_id, position)",
    # What an older version wrote cannot be searched yet; the index makes finding none of it cost nothing.
    "CREATE INDEX IF NOT EXISTS idx_messages_unfolded ON messages (position) WHERE folded IS NULL",
    "UPDATE messages SET folded = fold(COALESCE(json_extract(shape, '$.content'), '')) WHERE folded IS NULL",
    "CREATE INDEX IF NOT EXISTS idx_runs_thread ON runs (thread_id)",
    "CREATE INDEX IF NOT EXISTS idx_runs_open ON runs (status) WHERE status != 'ended'",
    """CREATE UNIQUE INDEX IF NOT EXISTS idx_runs_client_message ON runs (user_id, client_message_id)
       WHERE client_message_id IS NOT NULL""",
    "CREATE INDEX IF NOT EXISTS idx_audit_thread ON audit_log (thread_id, position)",
    """CREATE UNIQUE INDEX IF NOT EXISTS idx_audit_decided ON audit_log (thread_id, hitl_session_id, tool_call_id)
       WHERE kind = 'decided'""",
    """CREATE UNIQUE INDEX IF NOT EXISTS idx_audit_started ON audit_log (thread_id, run_id, tool_call_id)
       WHERE kind = 'started'""",
    "CREATE UNIQUE INDEX IF NOT EXISTS idx_copies ON device_copies (run_id, tool_call_id, node_id)",
    "CREATE INDEX IF NOT EXISTS idx_copies_thread ON device_copies (thread_id, position)",
    """CREATE TRIGGER IF NOT EXISTS audit_log_is_append_only BEFORE UPDATE ON audit_log
       BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END""",
)


@dataclass(frozen=True, slots=True)
class Schema:
    """What a database holds: tables by name, their columns by name, and statements that may run at each opening."""

    tables: dict[str, dict[str, str]]
    rules: tuple[str, ...]


CHAT = Schema(TABLES, RULES)


def migrate(path: Path, busy_seconds: float, schema: Schema = CHAT) -> None:
    """Each step looks at what is there, so an older file, a newer one and a second opener are all fine."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None, timeout=busy_seconds)) as connection:
        _use_wal(connection, busy_seconds)
        connection.create_function("fold", 1, folded, deterministic=True)
        connection.execute("BEGIN IMMEDIATE")
        try:
            for table, columns in schema.tables.items():
                _bring_up(connection, table, columns)
            for rule in schema.rules:
                connection.execute(rule)
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")


def _use_wal(connection: sqlite3.Connection, busy_seconds: float) -> None:
    """SQLite does not wait for a lock when the journal mode changes, so this does."""
    end = time.monotonic() + busy_seconds
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:
            if time.monotonic() > end:
                raise
            time.sleep(0.02)
        else:
            return


def _bring_up(connection: sqlite3.Connection, table: str, columns: dict[str, str]) -> None:
    every = ", ".join(f"{name} {kind}" for name, kind in columns.items())
    connection.execute(f"CREATE TABLE IF NOT EXISTS {table} ({every})")
    present = {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
    for name, kind in columns.items():
        if name not in present:
            connection.execute(f"ALTER TABLE {table} ADD COLUMN {name} {kind}")
