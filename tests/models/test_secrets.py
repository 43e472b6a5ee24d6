"""API keys at rest: encrypted, bound to their row, and in no answer, log, error or file."""

from __future__ import annotations

import base64
import logging
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from kit.database import rows
from kit.model_configs import KEY, Configs, new
from kit.scripted_llm import ScriptedLlm, fail
from kit.server import Server, Start, User

from copilot_ws.agent.models import ModelConfig
from copilot_ws.core.ports import StoredModel
from copilot_ws.settings import WrongSetting
from copilot_ws.store.vault import Vault, WrongKey, key_bytes, new_key


def database(server: Server) -> Path:
    return server.settings.data_dir / "server.db"


def change(server: Server, sql: str) -> None:
    with closing(sqlite3.connect(database(server))) as connection, connection:
        connection.execute(sql)


def bytes_everywhere(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


async def test_a_key_is_nowhere_to_be_seen(llm: ScriptedLlm, start: Start, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    server = await start(llm_allowed_hosts=("127.0.0.1",))
    me, mine = server.user(), Configs(server.user())
    llm.answer(fail(401, f"Incorrect API key provided: {KEY}."), fail(400, f"no: Bearer {KEY} {KEY}"))
    config_id = (await mine.post(base_url=llm.base_url))["config_id"]
    answers = [
        await mine.call("POST", f"/{config_id}/test"),
        await mine.call("POST", f"/{config_id}/test"),
        await mine.call("GET"),
        await mine.call("GET", "/default"),
        await mine.call("PUT", f"/{config_id}", {"api_key": KEY, "name": " "}),
        await mine.call("POST", "", new("other", api_key=f"{KEY} {KEY}")),
        await me.chat("POST", "/stream", {"message": "hello", "stream": False}),
    ]
    assert llm.turns[-1].authorization == f"Bearer {KEY}"
    assert not any(KEY in answer.text for answer in answers)
    assert KEY not in caplog.text
    assert KEY.encode() not in bytes_everywhere(server.settings.data_dir)
    assert rows(database(server), "SELECT api_key IS NULL FROM llm_model_configs") == [(0,)]


def test_no_repr_shows_it() -> None:
    assert KEY not in repr((StoredModel({}, KEY), ModelConfig(api_key=KEY), Vault(os.urandom(32))))


@pytest.mark.parametrize(("change", "sent"), [({}, KEY), ({"api_key": None}, KEY), ({"api_key": "new-key"}, "new-key")])
async def test_an_edit_keeps_the_key_or_changes_it(
    llm: ScriptedLlm, start: Start, change: dict[str, str | None], sent: str
) -> None:
    server = await start(llm_allowed_hosts=("127.0.0.1",))
    mine = Configs(server.user())
    config_id = (await mine.post(base_url=llm.base_url))["config_id"]
    await mine.put(config_id, model="other", **change)
    assert (await mine.tried(config_id))["ok"]
    assert llm.asked[-1].authorization == f"Bearer {sent}"


async def test_an_empty_key_removes_the_stored_one(llm: ScriptedLlm, start: Start) -> None:
    server = await start(llm_allowed_hosts=("127.0.0.1",))
    mine = Configs(server.user())
    config_id = (await mine.post(base_url=llm.base_url))["config_id"]
    await mine.put(config_id, api_key="")
    assert rows(database(server), "SELECT api_key FROM llm_model_configs") == [(None,)]
    await mine.tried(config_id)
    assert KEY not in llm.asked[-1].authorization
    assert server.settings.llm_api_key.get_secret_value() not in llm.asked[-1].authorization


# the vault


def test_a_secret_opens_in_its_own_place_only() -> None:
    vault = Vault(key_bytes(new_key(), b""))
    sealed = vault.seal(KEY, "configs", "alice", "c1")
    assert vault.open(sealed, "configs", "alice", "c1") == KEY
    assert vault.seal(KEY, "configs", "alice", "c1") != sealed
    for place in (("configs", "bob", "c1"), ("configs", "alice", "c2"), ("configs", "alice"), ("configs", "alicec1")):
        with pytest.raises(WrongKey):
            vault.open(sealed, *place)


def test_a_changed_secret_does_not_open() -> None:
    vault = Vault(os.urandom(32))
    sealed = vault.seal(KEY, "here")
    for broken in (b"", sealed[:5], sealed[:-1], b"\x02" + sealed[1:], sealed[:-1] + bytes([sealed[-1] ^ 1])):
        with pytest.raises(WrongKey):
            vault.open(broken, "here")
    with pytest.raises(WrongKey):
        Vault(os.urandom(32)).open(sealed, "here")


def test_a_key_is_base64_of_32_bytes_or_stretched() -> None:
    raw = os.urandom(32)
    assert key_bytes(f" {base64.b64encode(raw).decode()}\n", b"salt") == raw
    stretched = key_bytes("correct horse battery staple", b"salt")
    assert len(stretched) == 32
    assert stretched == key_bytes("correct horse battery staple", b"salt")
    assert stretched != key_bytes("correct horse battery staple", b"pepper")
    assert len(key_bytes(base64.b64encode(raw[:16]).decode(), b"salt")) == 32


# the rows


async def test_a_key_that_is_moved_to_another_row_does_not_open(start: Start) -> None:
    """Somebody with the database, but without the key, gives Alice's key to Bob."""
    server = await start(auth="jwt")
    alice, bob = Configs(server.user("alice"), "alice"), Configs(server.user("bob"), "bob")
    await alice.post()
    his = (await bob.post(api_key="bobs-own-key"))["config_id"]
    hers = "(SELECT api_key FROM llm_model_configs WHERE user_id = 'alice')"
    change(server, f"UPDATE llm_model_configs SET api_key = {hers} WHERE user_id = 'bob'")
    tried = await bob.tried(his)
    assert (tried["ok"], tried["code"]) == (False, "llm_not_configured")
    assert "Enter it again" in tried["message"]
    answer = await server.user("bob").chat("POST", "/stream", {"message": "hello", "stream": False})
    assert answer.json["error"]["code"] == "llm_not_configured"


async def test_the_key_file_is_its_owners_alone(server: Server) -> None:
    path = server.settings.data_dir / "secret.key"
    assert path.stat().st_mode & 0o777 == 0o600
    assert len(base64.b64decode(path.read_text(), validate=True)) == 32


async def test_another_key_ends_the_start_where_keys_are_stored(start: Start) -> None:
    server = await start(secret_key="the first of two secrets")
    await Configs(server.user()).post()
    await server.stop()
    with pytest.raises(WrongSetting, match="COPILOT_WS_SECRET_KEY: this key does not open") as wrong:
        await start(secret_key="the second of two secrets")
    assert "second of" not in str(wrong.value)
    with pytest.raises(WrongSetting, match="COPILOT_WS_SECRET_KEY: it is not set"):
        await start()
    assert not (server.settings.data_dir / "secret.key").exists()
    assert len(await Configs((await start(secret_key="the first of two secrets")).user()).all()) == 1


async def test_another_key_is_fine_while_none_is_stored(start: Start) -> None:
    server = await start(secret_key="the first of two secrets")
    await Configs(server.user()).post(api_key="")
    await server.stop()
    assert len(await Configs((await start(secret_key="the second of two secrets")).user()).all()) == 1


async def test_a_stored_key_goes_to_no_other_server_than_its_own(me: User) -> None:
    mine = Configs(me)
    config_id = (await mine.post())["config_id"]
    for elsewhere in ({"base_url": "https://evil.example.org/v1"}, {"provider": "anthropic"}):
        answer = await mine.call("PUT", f"/{config_id}", elsewhere)
        assert (answer.status, answer.json["details"][0]["field"]) == (422, "api_key")
    await mine.put(config_id, base_url="https://llm.example.org/v2")
    await mine.put(config_id, base_url="https://other.example.org/v1", api_key=KEY)
