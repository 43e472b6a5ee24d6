"""`copilot-ws rotate-key`: every stored key under a new one, alone, at once, and safe against a crash at any point."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest
from kit.database import rows
from kit.model_configs import KEY, Configs
from kit.process import ServerProcess, scripted
from kit.scripted_llm import ScriptedLlm
from kit.server import Server, Start

from copilot_ws.__main__ import main
from copilot_ws.settings import Settings, WrongSetting
from copilot_ws.store import keys

OLD, NEW = "the old key of this operator", "the new key of this operator"


async def stored(llm: ScriptedLlm, start: Start, **settings: str) -> Path:
    """A data directory with two stored keys; its server has stopped."""
    server = await start(**settings)
    await Configs(server.user()).post("one", base_url=llm.base_url)
    await Configs(server.user()).post("two", base_url=llm.base_url)
    await Configs(server.user()).post("none", api_key="", base_url=llm.base_url)
    await server.stop()
    return server.settings.data_dir


async def rotate(data_dir: Path, **settings: str) -> int:
    return await asyncio.to_thread(keys.rotate, Settings(data_dir=data_dir, **settings))


def sealed(data_dir: Path) -> list[bytes | None]:
    return [key for (key,) in rows(data_dir / "server.db", "SELECT api_key FROM llm_model_configs ORDER BY position")]


async def assert_usable(llm: ScriptedLlm, start: Start, **settings: str) -> None:
    """A server starts there, and each configuration is called with its key."""
    server: Server = await start(llm_allowed_hosts=("127.0.0.1",), **settings)
    mine = Configs(server.user())
    for config in await mine.all():
        await mine.tried(config["config_id"])
    assert [asked.authorization for asked in llm.asked] == [f"Bearer {KEY}", f"Bearer {KEY}", "Bearer none"]
    await server.stop()


async def test_a_new_key_takes_the_place_of_the_old(llm: ScriptedLlm, start: Start) -> None:
    data_dir = await stored(llm, start)
    key_file, before = data_dir / "secret.key", sealed(data_dir)
    old = key_file.read_text()
    assert await rotate(data_dir) == 2
    assert key_file.read_text() != old
    assert key_file.stat().st_mode & 0o777 == 0o600
    after = sealed(data_dir)
    assert after[2] is None
    assert set(after).isdisjoint(before[:2])
    everything = b"".join(path.read_bytes() for path in data_dir.glob("server.db*"))
    assert not any(one in everything for one in before if one), "free pages keep nothing of the old key"
    assert not list(data_dir.glob("secret.key.*"))
    await assert_usable(llm, start)


async def test_from_the_key_file_to_an_operators_key_and_back(llm: ScriptedLlm, start: Start) -> None:
    data_dir = await stored(llm, start)
    assert await rotate(data_dir, secret_key=NEW) == 2
    assert not (data_dir / "secret.key").exists()
    assert await rotate(data_dir, old_secret_key=NEW) == 2
    assert (data_dir / "secret.key").exists()
    await assert_usable(llm, start)


async def test_from_one_operators_key_to_another(llm: ScriptedLlm, start: Start) -> None:
    data_dir = await stored(llm, start, secret_key=OLD)
    with pytest.raises(WrongSetting, match="OLD_SECRET_KEY: give the key used so far"):
        await rotate(data_dir, secret_key=NEW)
    with pytest.raises(WrongSetting, match="SECRET_KEY: this key does not open"):
        await rotate(data_dir, secret_key=NEW, old_secret_key="some other key altogether")
    assert await rotate(data_dir, secret_key=NEW, old_secret_key=OLD) == 2
    assert await rotate(data_dir, secret_key=NEW, old_secret_key=OLD) == 2, "again, after a crash: it is done"
    await assert_usable(llm, start, secret_key=NEW)


async def killed(data_dir: Path, step: str) -> None:
    """A rotation in a process that dies where `step` would begin."""
    die = f"import os; from copilot_ws.store import keys; keys.{step} = lambda *_: os._exit(9)"
    run = f"from copilot_ws.settings import Settings; keys.rotate(Settings(data_dir={str(data_dir)!r}))"
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", f"{die}; {run}")
    assert await process.wait() == 9


@pytest.mark.parametrize("step", ["_encrypt_anew", "_set_meta", "move"])
async def test_a_kill_leaves_what_starts(llm: ScriptedLlm, start: Start, step: str) -> None:
    """Before the transaction, within it, and after its commit."""
    data_dir = await stored(llm, start)
    before = sealed(data_dir)
    await killed(data_dir, step)
    assert (sealed(data_dir) == before) == (step != "move")
    assert (data_dir / "secret.key.new").exists()
    await assert_usable(llm, start)
    assert not (data_dir / "secret.key.new").exists()


async def test_after_a_kill_the_next_rotation_goes_on(llm: ScriptedLlm, start: Start) -> None:
    data_dir = await stored(llm, start)
    await killed(data_dir, "move")
    assert await rotate(data_dir) == 2
    await assert_usable(llm, start)


async def test_a_key_that_cannot_be_read_changes_nothing(llm: ScriptedLlm, start: Start) -> None:
    data_dir = await stored(llm, start)
    with closing(sqlite3.connect(data_dir / "server.db")) as connection, connection:
        connection.execute("UPDATE llm_model_configs SET api_key = x'0102' WHERE name = 'two'")
    before, old = sealed(data_dir), (data_dir / "secret.key").read_text()
    with pytest.raises(WrongSetting, match="cannot be read"):
        await rotate(data_dir)
    assert sealed(data_dir) == before
    assert (data_dir / "secret.key").read_text() == old


async def test_not_while_a_server_runs(llm: ScriptedLlm, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    process = await (await ServerProcess.spawn(tmp_path, env=scripted(llm))).ready()
    try:
        assert await asyncio.to_thread(main, ["rotate-key", "--data-dir", str(tmp_path)]) == 2
    finally:
        assert await process.stop() == 0
    assert "a server uses" in capsys.readouterr().err
    assert await asyncio.to_thread(main, ["rotate-key", "--data-dir", str(tmp_path)]) == 0
    assert "0 stored API keys are now encrypted with a new key" in capsys.readouterr().out


async def test_not_while_an_embedded_server_runs(start: Start) -> None:
    server = await start()
    with pytest.raises(WrongSetting, match="a server uses"):
        await rotate(server.settings.data_dir)


def test_a_wrong_start_of_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rotate-key", "--data-dir", str(tmp_path / "nothing")]) == 2
    assert "COPILOT_WS_DATA_DIR" in capsys.readouterr().err
    (tmp_path / "server.db").write_bytes(b"not a database, but long enough to look like a damaged one" * 20)
    assert main(["rotate-key", "--data-dir", str(tmp_path)]) == 2
    assert "cannot be used" in capsys.readouterr().err


async def test_a_wrong_key_ends_a_server_with_one_line(llm: ScriptedLlm, start: Start, tmp_path: Path) -> None:
    data_dir = await stored(llm, start, secret_key=OLD)
    process = await ServerProcess.spawn(data_dir, env=scripted(llm, secret_key=NEW))
    assert await process.exit_code() == 2
    assert process.log.count("COPILOT_WS_SECRET_KEY: this key does not open") == 1
    assert "Traceback" not in process.log
