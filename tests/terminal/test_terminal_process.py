"""The command as a process: signals, standard input, and a reader that goes away."""

from __future__ import annotations

import asyncio
import signal
import sys
from asyncio.subprocess import PIPE, Process
from pathlib import Path
from typing import Any

import pytest
from canned_server import CannedServer, Line, content, done

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sends POSIX signals")


async def start(data_dir: Path, *words: str, out: int = PIPE) -> Process:
    program = (sys.executable, "-m", "copilot_ws", "chat", "--data-dir", str(data_dir))
    return await asyncio.create_subprocess_exec(*program, *words, stdin=PIPE, stdout=out, stderr=PIPE)


def until_stopped(*, obeys: bool = True) -> Any:
    async def script(line: Line) -> None:
        await line.hello()
        await line.accept()
        await line.events(content("working"))
        command = await line.command("chat.stop")
        if obeys:
            await line.answer(command, {"session_id": line.session_id, "stopped": True})
            await line.events(done("stopped"))
        else:
            await asyncio.sleep(1.0)

    return script


async def read_until(process: Process, text: bytes) -> None:
    assert process.stdout is not None
    seen = b""
    async with asyncio.timeout(10):
        while text not in seen:
            seen += await process.stdout.read(100)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
async def test_a_signal_stops_the_run(server: CannedServer, tmp_path: Path, number: signal.Signals, code: int) -> None:
    server.scripts = [until_stopped()]
    process = await start(tmp_path, "go", "on")
    await read_until(process, b"working")
    process.send_signal(number)
    _, err = await process.communicate()
    assert process.returncode == code
    assert [command["type"] for command in server.commands] == ["chat.send", "chat.stop"]
    assert server.commands[0]["message"] == "go on"
    assert b"The run was stopped." in err
    assert b"Traceback" not in err


async def test_a_second_ctrl_c_leaves_at_once(server: CannedServer, tmp_path: Path) -> None:
    server.scripts = [until_stopped(obeys=False)]
    process = await start(tmp_path, "go")
    await read_until(process, b"working")
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    await process.stderr.readuntil(b"leaves at once)\n")
    begun = asyncio.get_running_loop().time()
    process.send_signal(signal.SIGINT)
    _, err = await process.communicate()
    assert process.returncode == 130
    assert asyncio.get_running_loop().time() - begun < 1.0
    assert b"Traceback" not in err


async def test_a_reader_that_goes_away_stops_the_run(server: CannedServer, tmp_path: Path) -> None:
    async def script(line: Line) -> None:
        await line.hello()
        await line.accept()
        stopped = asyncio.create_task(line.command("chat.stop"))
        while not stopped.done():
            await line.events(content("word " * 1000))
            await asyncio.sleep(0.01)
        await line.events(done("stopped"))

    server.scripts = [script]
    command = f"{sys.executable} -m copilot_ws chat --data-dir {tmp_path} x | head -c 100; echo ${{PIPESTATUS[0]}}"
    shell = await asyncio.create_subprocess_exec("bash", "-c", command, stdout=PIPE, stderr=PIPE)
    out, err = await shell.communicate()
    assert out.endswith(b"141\n")
    assert b"BrokenPipe" not in err


async def test_the_message_comes_from_standard_input(server: CannedServer, tmp_path: Path) -> None:
    async def script(line: Line) -> None:
        await line.hello()
        await line.accept()
        await line.events(content("ok"), done())

    server.scripts = [script]
    process = await start(tmp_path, "-")
    out, _ = await process.communicate("zwei\nZeilen 路由\n".encode())
    assert (process.returncode, out) == (0, b"ok\n")
    assert server.commands[0]["message"] == "zwei\nZeilen 路由\n"
