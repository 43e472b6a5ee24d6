"""The runs and messages of a project: what was said, by which run, and what it cost."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import Any

import aiosqlite

from copilot_ws.core.ports import AlreadyThere, Counts, Ending, RunRow
from copilot_ws.store.database import Database
from copilot_ws.store.sessions import NEW_TITLE, add_counts
from copilot_ws.wire.errors import InvalidArgument, NotFound
from copilot_ws.wire.models import Message
from copilot_ws.wire.text import folded
from copilot_ws.wire.times import utcnow


def _run(row: sqlite3.Row) -> RunRow:
    return RunRow(
        row["run_id"],
        row["thread_id"],
        row["user_id"],
        row["client_message_id"],
        json.loads(row["request"]),
        row["message_id"],
        row["status"],
        row["created_at"],
        json.loads(row["limits"]),
    )


class RunStore:
    """See `core.ports.Runs`."""

    def __init__(self, database: Database, project_id: str) -> None:
        self._db = database
        self._project_id = project_id

    async def accept(self, run: RunRow, message: Message | None, replaces: str | None) -> bool:
        """Commits a new run, its session if it is new, and its message (None: it is queued).

        The user's message `replaces` leaves the conversation with all that follows it. Returns whether the session
        is new. Raises `AlreadyThere` for a client_message_id used before, `NotFound` and `InvalidArgument` for
        what cannot be replaced.
        """
        try:
            async with self._db.transaction() as connection:
                made = await connection.execute(
                    """INSERT OR IGNORE INTO chat_sessions
                           (thread_id, user_id, project_id, title, created_at, updated_at, last_message_at)
                       VALUES (?, ?, ?, ?, ?, ?, ?)""",
                    (run.session_id, run.user_id, self._project_id, NEW_TITLE, *[run.created_at] * 3),
                )
                await connection.execute(
                    """INSERT INTO runs (run_id, thread_id, user_id, client_message_id, request, message_id, status,
                                         created_at, limits) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)""",
                    (
                        run.run_id,
                        run.session_id,
                        run.user_id,
                        run.client_message_id,
                        json.dumps(run.request),
                        run.message_id,
                        run.status,
                        run.created_at,
                        json.dumps(run.limits),
                    ),
                )
                if replaces is not None:
                    await _cut_back(connection, run.session_id, replaces)
                if message is not None:
                    await _put(connection, run.session_id, run.run_id, [message])
        except sqlite3.IntegrityError as fault:
            raise AlreadyThere from fault
        return made.rowcount == 1

    async def begin(self, run_id: str, session_id: str, message: Message) -> None:
        """A queued run starts: its message enters the conversation now."""
        async with self._db.transaction() as connection:
            await connection.execute("UPDATE runs SET status = 'running' WHERE run_id = ?", (run_id,))
            await _put(connection, session_id, run_id, [message])

    async def set_limits(self, run_id: str, limits: dict[str, Any]) -> None:
        async with self._db.transaction() as connection:
            await connection.execute("UPDATE runs SET limits = ? WHERE run_id = ?", (json.dumps(limits), run_id))

    async def put(self, session_id: str, run_id: str, messages: Sequence[Message]) -> None:
        """Writes messages in order; one that is there already is replaced in its place."""
        async with self._db.transaction() as connection:
            await _put(connection, session_id, run_id, messages)

    async def end(self, run: RunRow, messages: Sequence[Message], ending: Ending, counts: Counts) -> None:
        """The run's last messages, its end and its counts, once: a second call changes no count.

        How it ended stands in the user's message as well, so that a history tells it.
        """
        async with self._db.transaction() as connection:
            await _put(connection, run.session_id, run.run_id, messages)
            ended = await connection.execute(
                """UPDATE runs SET status = 'ended', outcome = ?, usage = ?, error = ?, ended_at = ?
                   WHERE run_id = ? AND status != 'ended'""",
                (ending.outcome, json.dumps(ending.usage), json.dumps(ending.error), utcnow(), run.run_id),
            )
            await _note(connection, run, ending)
            if ended.rowcount == 1:
                await add_counts(connection, run.session_id, counts)
            await _drop_checkpoints(connection, run.session_id)

    async def find(self, user_id: str, run_id: str) -> RunRow:
        row = await self._db.one("SELECT * FROM runs WHERE run_id = ? AND user_id = ?", (run_id, user_id))
        if row is None:
            raise NotFound("There is no such run.")
        return _run(row)

    async def result(self, run_id: str) -> Ending | None:
        row = await self._db.one("SELECT * FROM runs WHERE run_id = ? AND status = 'ended'", (run_id,))
        return Ending(row["outcome"], json.loads(row["usage"]), json.loads(row["error"])) if row else None

    async def of_client_message(self, user_id: str, client_message_id: str) -> RunRow | None:
        row = await self._db.one(
            "SELECT * FROM runs WHERE user_id = ? AND client_message_id = ?", (user_id, client_message_id)
        )
        return _run(row) if row is not None else None

    async def only_in_checkpoints(self) -> list[str]:
        rows = await self._db.all(
            """SELECT thread_id FROM chat_sessions AS s WHERE project_id IN (?, '')
               AND EXISTS (SELECT 1 FROM checkpoints WHERE thread_id = s.thread_id)
               AND NOT EXISTS (SELECT 1 FROM messages WHERE thread_id = s.thread_id)""",
            (self._project_id,),
        )
        return [row["thread_id"] for row in rows]

    async def unfinished(self) -> list[RunRow]:
        """Runs that a crash left behind, oldest first. Those in a copy of another project's file are left alone."""
        rows = await self._db.all(
            """SELECT runs.* FROM runs JOIN chat_sessions USING (thread_id)
               WHERE status != 'ended' AND project_id = ? ORDER BY runs.rowid""",
            (self._project_id,),
        )
        return [_run(row) for row in rows]

    async def messages(self, session_id: str, without_run: str | None = None) -> list[Message]:
        """The whole conversation, oldest first."""
        rows = await self._db.all(
            "SELECT shape, native FROM messages WHERE thread_id = ? AND run_id IS NOT ? ORDER BY position",
            (session_id, without_run),
        )
        return [_message(row) for row in rows]

    async def messages_of_run(self, run_id: str) -> list[Message]:
        rows = await self._db.all("SELECT shape, native FROM messages WHERE run_id = ? ORDER BY position", (run_id,))
        return [_message(row) for row in rows]

    async def page(
        self, session_id: str, limit: int | None, before: str | None, without_run: str | None
    ) -> tuple[list[Message], bool] | None:
        """The last `limit` (None: all) messages before message `before`, oldest first, and whether there are older.

        None if there is no message `before`.
        """
        edge = None
        if before is not None:
            row = await self._db.one(
                "SELECT position FROM messages WHERE thread_id = ? AND message_id = ?", (session_id, before)
            )
            if row is None:
                return None
            edge = row["position"]
        rows = await self._db.all(
            """SELECT shape, native FROM messages
               WHERE thread_id = ? AND run_id IS NOT ? AND (? IS NULL OR position < ?)
               ORDER BY position DESC LIMIT ?""",
            (session_id, without_run, edge, edge, -1 if limit is None else limit + 1),
        )
        shown = rows[:limit]
        return [_message(row) for row in reversed(shown)], len(shown) < len(rows)


async def _put(connection: aiosqlite.Connection, session_id: str, run_id: str, messages: Sequence[Message]) -> None:
    await connection.executemany(
        """INSERT INTO messages (thread_id, message_id, run_id, role, shape, native, folded)
           SELECT :thread, :id, :run, :role, :shape, :native, :folded
           WHERE EXISTS (SELECT 1 FROM chat_sessions WHERE thread_id = :thread)
           ON CONFLICT (thread_id, message_id)
           DO UPDATE SET shape = excluded.shape, native = excluded.native, folded = excluded.folded""",
        [
            {
                "thread": session_id,
                "id": message.id,
                "run": run_id,
                "role": message.role,
                "shape": json.dumps(message.shape),
                "native": json.dumps(message.native),
                "folded": folded(message.shape["content"]),
            }
            for message in messages
        ],
    )


async def _note(connection: aiosqlite.Connection, run: RunRow, ending: Ending) -> None:
    found = await connection.execute_fetchall(
        "SELECT shape, native FROM messages WHERE thread_id = ? AND message_id = ?", (run.session_id, run.message_id)
    )
    await _put(connection, run.session_id, run.run_id, [_message(row).noting(**ending.facts()) for row in found])


async def _cut_back(connection: aiosqlite.Connection, session_id: str, message_id: str) -> None:
    """A user's message and all after it leave the conversation. What they cost stays counted, the messages do not."""
    found = await connection.execute_fetchall(
        "SELECT position, role FROM messages WHERE thread_id = ? AND message_id = ?", (session_id, message_id)
    )
    replaced = next(iter(found), None)
    if replaced is None:
        raise NotFound("The message to be replaced is not in this conversation.")
    if replaced["role"] != "user":
        fault = "only a user's message can be replaced"
        raise InvalidArgument(f"replaces_message_id: {fault}", [{"field": "replaces_message_id", "message": fault}])
    place = (session_id, replaced["position"])
    gone = await connection.execute_fetchall(
        "SELECT shape, native FROM messages WHERE thread_id = ? AND position >= ?", place
    )
    await connection.execute("DELETE FROM messages WHERE thread_id = ? AND position >= ?", place)
    counted = sum(_message(row).counts for row in gone)
    await connection.execute(
        "UPDATE chat_sessions SET message_count = MAX(0, message_count - ?) WHERE thread_id = ?", (counted, session_id)
    )


async def _drop_checkpoints(connection: aiosqlite.Connection, session_id: str) -> None:
    """A run that has ended needs no way back, and the conversation stands in `messages`.

    While another run of the thread has not ended they are that one's: the end of this one could not be written before.
    """
    for table in ("checkpoints", "writes"):
        await connection.execute(
            f"""DELETE FROM {table} WHERE thread_id = :thread
                AND NOT EXISTS (SELECT 1 FROM runs WHERE thread_id = :thread AND status = 'running')""",
            {"thread": session_id},
        )


def _message(row: sqlite3.Row) -> Message:
    return Message(json.loads(row["shape"]), json.loads(row["native"]))
