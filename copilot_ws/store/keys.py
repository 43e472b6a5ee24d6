"""The key that stored secrets are encrypted with: where it comes from, and how it is exchanged."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import filelock

from copilot_ws.settings import Settings, WrongSetting
from copilot_ws.store.database import BUSY_SECONDS, lock_of
from copilot_ws.store.files import move, write_secret
from copilot_ws.store.migrations import migrate
from copilot_ws.store.server_schema import NAME, SERVER
from copilot_ws.store.vault import Vault, WrongKey, key_bytes, new_key

KEY_FILE = "secret.key"
NEXT_FILE = "secret.key.new"
_CHECK = "key-check"


def unlock(data_dir: Path, given: str) -> Vault:
    """The vault of `<data_dir>/server.db`, under the key `given`, else that of the key file, which is made at first.

    Raises `WrongSetting` if what is stored is encrypted with another key.
    """
    with _connected(data_dir) as connection:
        return _unlock(connection, data_dir, given)


def place_of(user_id: str, config_id: str) -> tuple[str, ...]:
    """What a configuration's key is bound to: it opens in its own row only."""
    return ("llm_model_configs", "api_key", user_id, config_id)


def rotate(settings: Settings) -> int:
    """Encrypts every stored key anew, in one transaction; how many there are.

    The new key is SECRET_KEY, else one that is made and replaces the key file. The old one is OLD_SECRET_KEY,
    else the key file's. Raises `WrongSetting`, and has changed nothing then. A crash at any point leaves a
    data directory that starts: the new key's file is written before, and takes its place after the commit.
    """
    data_dir, new_text = settings.data_dir, settings.secret_key.get_secret_value()
    with _alone(settings), _connected(data_dir) as connection:
        old_text = _old_key(settings)
        if new_text and _opens_check(connection, new_text):
            (data_dir / KEY_FILE).unlink(missing_ok=True)  # a rotation that was cut off after its commit
            return _secrets(connection)
        old = _unlock(connection, data_dir, old_text)
        if not new_text:
            write_secret(data_dir / NEXT_FILE, new_key())
        new = _vault(connection, new_text or _read(data_dir / NEXT_FILE))
        _encrypt_anew(connection, old, new)
        if new_text:
            (data_dir / KEY_FILE).unlink(missing_ok=True)
        else:
            move(data_dir / NEXT_FILE, data_dir / KEY_FILE)
        connection.execute("VACUUM")  # what was encrypted with the old key is in no free page either
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return _secrets(connection)


def _old_key(settings: Settings) -> str:
    """Empty: that of the key file."""
    old, data_dir = settings.old_secret_key.get_secret_value(), settings.data_dir
    if not old and settings.secret_key.get_secret_value() and not (data_dir / KEY_FILE).exists():
        raise WrongSetting("COPILOT_WS_OLD_SECRET_KEY: give the key used so far; COPILOT_WS_SECRET_KEY is the new one")
    return old


@contextlib.contextmanager
def _alone(settings: Settings) -> Iterator[None]:
    """While no server uses the data directory, be it one that `serve` started or one embedded elsewhere."""
    if not settings.data_dir.is_dir():
        raise WrongSetting(f"COPILOT_WS_DATA_DIR: no server has kept anything in {settings.data_dir}")
    try:
        with (
            filelock.FileLock(settings.lock_file).acquire(blocking=False),
            lock_of(settings.data_dir / NAME).acquire(blocking=False),
        ):
            yield
    except filelock.Timeout:
        raise WrongSetting(f"COPILOT_WS_DATA_DIR: a server uses {settings.data_dir}; stop it first") from None


@contextlib.contextmanager
def _connected(data_dir: Path) -> Iterator[sqlite3.Connection]:
    path = data_dir / NAME
    try:
        migrate(path, BUSY_SECONDS, SERVER)
        with contextlib.closing(sqlite3.connect(path, isolation_level=None, timeout=BUSY_SECONDS)) as connection:
            yield connection
    except sqlite3.DatabaseError as fault:
        raise WrongSetting(f"COPILOT_WS_DATA_DIR: {path} cannot be used: {fault}") from None


def _unlock(connection: sqlite3.Connection, data_dir: Path, given: str) -> Vault:
    text = given or _kept(connection, data_dir)
    if _opens_check(connection, text):
        return _vault(connection, text)
    if _meta(connection, _CHECK) is not None and _secrets(connection):
        raise WrongSetting(
            f"COPILOT_WS_{'SECRET_KEY' if given else 'DATA_DIR'}: {'this key' if given else KEY_FILE} does not open"
            f" the API keys stored in {data_dir / NAME}. Use the key that they were stored with, or move that file away"
        )
    vault = _vault(connection, text)
    _set_meta(connection, _CHECK, vault.seal(_CHECK, _CHECK))
    return vault


def _kept(connection: sqlite3.Connection, data_dir: Path) -> str:
    """The key file's text. Ends a rotation that a crash cut off: the check says whether it was committed."""
    current, following = data_dir / KEY_FILE, data_dir / NEXT_FILE
    if following.exists():
        if _opens_check(connection, _read(following)):
            move(following, current)
        elif current.exists() and _opens_check(connection, _read(current)):
            following.unlink()
    if not current.exists() and not _secrets(connection):
        write_secret(current, new_key())
    return _read(current)


def _read(path: Path) -> str:
    try:
        text = path.read_text().strip()
    except (OSError, UnicodeDecodeError):
        text = ""
    if not text:
        raise WrongSetting(f"COPILOT_WS_SECRET_KEY: it is not set, and there is no key in {path}")
    return text


def _encrypt_anew(connection: sqlite3.Connection, old: Vault, new: Vault) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        rows = connection.execute(
            "SELECT config_id, user_id, api_key FROM llm_model_configs WHERE api_key IS NOT NULL"
        ).fetchall()
        for config_id, user_id, sealed in rows:
            place = place_of(user_id, config_id)
            again = new.seal(old.open(sealed, *place), *place)
            connection.execute("UPDATE llm_model_configs SET api_key = ? WHERE config_id = ?", (again, config_id))
        _set_meta(connection, _CHECK, new.seal(_CHECK, _CHECK))
        connection.execute("COMMIT")
    except BaseException as fault:
        with contextlib.suppress(sqlite3.OperationalError):
            connection.execute("ROLLBACK")
        if isinstance(fault, WrongKey):
            raise WrongSetting(f"COPILOT_WS_DATA_DIR: the key of configuration {config_id} cannot be read") from None
        raise


def _vault(connection: sqlite3.Connection, text: str) -> Vault:
    salt = _meta(connection, "salt")
    if salt is None:
        salt = os.urandom(16)
        _set_meta(connection, "salt", salt)
    return Vault(key_bytes(text, salt))


def _opens_check(connection: sqlite3.Connection, text: str) -> bool:
    check = _meta(connection, _CHECK)
    if check is None:
        return False
    try:
        return _vault(connection, text).open(check, _CHECK) == _CHECK
    except WrongKey:
        return False


def _secrets(connection: sqlite3.Connection) -> int:
    count: int = connection.execute("SELECT COUNT(api_key) FROM llm_model_configs").fetchone()[0]
    return count


def _meta(connection: sqlite3.Connection, name: str) -> bytes | None:
    row = connection.execute("SELECT value FROM secrets_meta WHERE name = ?", (name,)).fetchone()
    return row[0] if row is not None else None


def _set_meta(connection: sqlite3.Connection, name: str, value: bytes) -> None:
    connection.execute("INSERT OR REPLACE INTO secrets_meta (name, value) VALUES (?, ?)", (name, value))
