"""The users' model configurations: every look-up is by owner, and API keys are kept encrypted."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import uuid
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import aiosqlite

from copilot_ws.core.ports import StoredModel
from copilot_ws.store.database import Database
from copilot_ws.store.keys import place_of, unlock
from copilot_ws.store.server_schema import NAME, SERVER
from copilot_ws.store.vault import Vault, WrongKey
from copilot_ws.wire.errors import Conflict, InvalidArgument, LlmError, NotFound
from copilot_ws.wire.times import utcnow

_OWN = "config_id = ? AND user_id = ?"


class ModelConfigStore:
    """Usable from `open` to `close`. A configuration has GNS3's shape, and its `api_key` there is always null.

    `version` counts the edits of a configuration; which one is the default is not part of it.
    """

    _db: Database
    _vault: Vault

    def __init__(self, data_dir: Path, secret_key: str) -> None:
        self._data_dir, self._secret_key = data_dir, secret_key

    async def open(self) -> None:
        """Raises `WrongSetting` if the stored keys are encrypted with another key."""
        self._db = await Database.open(self._data_dir, NAME, SERVER)
        try:
            self._vault = await asyncio.to_thread(unlock, self._data_dir, self._secret_key)
        except BaseException:
            await self._db.close()
            raise

    async def close(self) -> None:
        await self._db.close()

    async def all(self, user_id: str) -> list[dict[str, Any]]:
        """Oldest first."""
        rows = await self._db.all("SELECT * FROM llm_model_configs WHERE user_id = ? ORDER BY position", (user_id,))
        return [_shape(row) for row in rows]

    async def get(self, user_id: str, config_id: str) -> dict[str, Any]:
        """Raises `NotFound`, also for somebody else's."""
        return _shape(_found(await self._row(user_id, config_id)))

    async def default(self, user_id: str) -> dict[str, Any]:
        """Raises `NotFound` if the user has none."""
        row = await self._default_row(user_id)
        if row is None:
            raise NotFound("You have no model configuration; the server's own model is used.")
        return _shape(row)

    async def default_of(self, user_id: str) -> StoredModel | None:
        """See `core.ports.StoredModels`."""
        row = await self._default_row(user_id)
        return None if row is None else self._opened(row)

    async def stored(self, user_id: str, config_id: str) -> StoredModel:
        """A configuration with its key. Raises `NotFound`, and `LlmError` if the key cannot be read."""
        return self._opened(_found(await self._row(user_id, config_id)))

    async def create(
        self, user_id: str, name: str, model_type: str, config: dict[str, Any], api_key: str, is_default: bool
    ) -> dict[str, Any]:
        """A user's first one is the default. Raises `Conflict` for a name that is taken."""
        config_id, now = str(uuid.uuid4()), utcnow()
        sealed = self._sealed(user_id, config_id, api_key)
        async with self._db.transaction() as connection:
            await _assert_free(connection, user_id, name, config_id)
            others = await connection.execute_fetchall(
                "SELECT 1 FROM llm_model_configs WHERE user_id = ? LIMIT 1", (user_id,)
            )
            await connection.execute(
                """INSERT INTO llm_model_configs
                   (config_id, user_id, name, model_type, config, api_key, created_at, updated_at)
                   VALUES (?, ?, ?, ?, ?, ?, ?, ?)""",
                (config_id, user_id, name, model_type, json.dumps(config), sealed, now, now),
            )
            if is_default or not others:
                await _make_default(connection, user_id, config_id)
        return await self.get(user_id, config_id)

    async def update(
        self, user_id: str, config_id: str, changes: dict[str, Any], expected_version: int | None
    ) -> dict[str, Any]:
        """Changes what is given: `name`, `model_type`, `is_default`, and any field of `config`, `api_key` included.

        An empty key removes the stored one. Raises `NotFound`, `Conflict` for another version or a taken name,
        `InvalidArgument` for a default that would leave the user without one.
        """
        changes = dict(changes)
        async with self._db.transaction() as connection:
            rows = list(
                await connection.execute_fetchall(f"SELECT * FROM llm_model_configs WHERE {_OWN}", (config_id, user_id))
            )
            row = _found(rows[0] if rows else None)
            _assert_version(row, expected_version)
            name = changes.pop("name", row["name"])
            await _assert_free(connection, user_id, name, config_id)
            model_type, is_default = changes.pop("model_type", row["model_type"]), changes.pop("is_default", None)
            sealed, before = row["api_key"], json.loads(row["config"])
            if "api_key" in changes:
                sealed = self._sealed(user_id, config_id, changes.pop("api_key"))
            elif sealed is not None:
                _assert_same_server(before, {**before, **changes})
            config = {**before, **changes}
            await connection.execute(
                f"""UPDATE llm_model_configs SET name = ?, model_type = ?, config = ?, api_key = ?,
                    version = version + 1, updated_at = ? WHERE {_OWN}""",
                (name, model_type, json.dumps(config), sealed, utcnow(), config_id, user_id),
            )
            if is_default:
                await _make_default(connection, user_id, config_id)
            elif is_default is False and row["is_default"]:
                message = "one is always the default: make another one the default instead"
                raise InvalidArgument(f"is_default: {message}", [{"field": "is_default", "message": message}])
        return await self.get(user_id, config_id)

    async def make_default(self, user_id: str, config_id: str) -> dict[str, Any]:
        """Raises `NotFound`."""
        async with self._db.transaction() as connection:
            await _make_default(connection, user_id, config_id)
        return await self.get(user_id, config_id)

    async def delete(self, user_id: str, config_id: str) -> None:
        """The newest other one takes the place of a default. Raises `NotFound`."""
        async with self._db.transaction() as connection:
            gone = await connection.execute(f"DELETE FROM llm_model_configs WHERE {_OWN}", (config_id, user_id))
            if gone.rowcount == 0:
                raise NotFound("There is no such model configuration.")
            await connection.execute(
                """UPDATE llm_model_configs SET is_default = TRUE
                   WHERE position = (SELECT MAX(position) FROM llm_model_configs WHERE user_id = :user)
                   AND NOT EXISTS (SELECT 1 FROM llm_model_configs WHERE user_id = :user AND is_default)""",
                {"user": user_id},
            )

    async def _row(self, user_id: str, config_id: str) -> sqlite3.Row | None:
        return await self._db.one(f"SELECT * FROM llm_model_configs WHERE {_OWN}", (config_id, user_id))

    async def _default_row(self, user_id: str) -> sqlite3.Row | None:
        return await self._db.one("SELECT * FROM llm_model_configs WHERE user_id = ? AND is_default", (user_id,))

    def _sealed(self, user_id: str, config_id: str, api_key: str) -> bytes | None:
        return self._vault.seal(api_key, *place_of(user_id, config_id)) if api_key else None

    def _opened(self, row: sqlite3.Row) -> StoredModel:
        sealed, api_key = row["api_key"], ""
        if sealed is not None:
            try:
                api_key = self._vault.open(sealed, *place_of(row["user_id"], row["config_id"]))
            except WrongKey:
                message = f"The API key of your configuration {row['name']!r} cannot be read any more. Enter it again."
                raise LlmError("llm_not_configured", message) from None
        return StoredModel(json.loads(row["config"]), api_key)


def _found(row: sqlite3.Row | None) -> sqlite3.Row:
    if row is None:
        raise NotFound("There is no such model configuration.")
    return row


def _assert_same_server(before: dict[str, Any], after: dict[str, Any]) -> None:
    """A stored key goes to no other server than the one that it was given for."""
    if _server(before) != _server(after):
        message = "the configuration names another server now: give the key again"
        raise InvalidArgument(f"api_key: {message}", [{"field": "api_key", "message": message}])


def _server(config: dict[str, Any]) -> tuple[str, str, str]:
    url = urlsplit(config.get("base_url") or "")
    return str(config.get("provider")), url.scheme, url.netloc.lower()


def _assert_version(row: sqlite3.Row, expected: int | None) -> None:
    if expected is not None and expected != row["version"]:
        raise Conflict(
            f"The configuration has been changed: it is at version {row['version']}, not {expected}. Read it again.",
            {"version": row["version"]},
        )


async def _assert_free(connection: aiosqlite.Connection, user_id: str, name: str, config_id: str) -> None:
    if await connection.execute_fetchall(
        "SELECT 1 FROM llm_model_configs WHERE user_id = ? AND name = ? AND config_id != ?", (user_id, name, config_id)
    ):
        raise Conflict(f"You have another model configuration with the name {name!r}.")


async def _make_default(connection: aiosqlite.Connection, user_id: str, config_id: str) -> None:
    """One loses its place before the other takes it: two defaults are at no time allowed. Raises `NotFound`."""
    await connection.execute(
        "UPDATE llm_model_configs SET is_default = FALSE WHERE user_id = ? AND is_default AND config_id != ?",
        (user_id, config_id),
    )
    changed = await connection.execute(
        f"UPDATE llm_model_configs SET is_default = TRUE WHERE {_OWN}", (config_id, user_id)
    )
    if changed.rowcount == 0:
        raise NotFound("There is no such model configuration.")


def _shape(row: sqlite3.Row) -> dict[str, Any]:
    return {
        "config_id": row["config_id"],
        "name": row["name"],
        "model_type": row["model_type"],
        "config": {**json.loads(row["config"]), "api_key": None},
        "user_id": row["user_id"],
        "group_id": None,
        "is_default": bool(row["is_default"]),
        "version": row["version"],
        "created_at": row["created_at"],
        "updated_at": row["updated_at"],
    }
