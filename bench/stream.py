"""Streams answers through a started server and prints what a token costs it.

    python bench/stream.py [--sessions 16] [--tokens 500] [--delay 0] [--turns 2] [--codec msgpack]

The provider (bench/provider.py) and the server are processes of their own; CPU is the server process's clock.
It sends to loopback only and stops by itself.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import aiohttp
import msgpack

HERE = Path(__file__).resolve().parent
LONGEST = 120.0


def start_provider() -> tuple[subprocess.Popen[str], str]:
    process = subprocess.Popen(
        [sys.executable, str(HERE / "provider.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


def start_server(data_dir: Path, base_url: str) -> tuple[subprocess.Popen[bytes], dict[str, Any]]:
    settings = {"LLM_PROVIDER": "openai", "LLM_BASE_URL": base_url, "LLM_MODEL": "bench", "TITLE": "off"}
    settings |= {"MAX_RUNS_PER_USER": "1000", "LOG_LEVEL": "warning"}
    env = {**os.environ, **{f"COPILOT_WS_{name}": value for name, value in settings.items()}}
    command = [sys.executable, "-m", "copilot_ws", "serve", "--port", "0", "--data-dir", str(data_dir)]
    process = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL)
    ready, end = data_dir / "server.json", time.monotonic() + 30
    while time.monotonic() < end:
        if ready.exists():
            return process, json.loads(ready.read_text())
        time.sleep(0.05)
    process.kill()
    raise SystemExit("the server did not start")


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mib(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


class Socket:
    """One socket, over which all sessions go, as they do in a browser."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse, codec: str) -> None:
        self._socket, self._binary = socket, codec == "msgpack"
        self._results: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._runs: dict[str, asyncio.Queue[str]] = {}
        self._last_id = 0

    async def read(self) -> None:
        async for message in self._socket:
            frame = msgpack.unpackb(message.data) if self._binary else json.loads(message.data)
            if frame["type"] == "result":
                self._results.pop(frame["id"]).set_result(frame)
            elif frame["type"] in ("content", "done"):
                run = self._runs.setdefault(frame["run_id"], asyncio.Queue())
                run.put_nowait(frame["type"])

    async def turn(self, message: str, session_id: str | None) -> tuple[str, float]:
        """Sends a message, waits for its end: the session's id, and seconds to the first token."""
        self._last_id += 1
        command = {"id": self._last_id, "type": "chat.send", "message": message}
        command |= {"session_id": session_id} if session_id else {}
        answered = self._results[self._last_id] = asyncio.get_running_loop().create_future()
        begun, first = time.monotonic(), float("nan")
        if self._binary:
            await self._socket.send_bytes(msgpack.packb(command))
        else:
            await self._socket.send_json(command)
        frame = await answered
        if not frame["ok"]:
            raise SystemExit(f"refused: {frame['error']}")
        run = self._runs.setdefault(frame["result"]["run_id"], asyncio.Queue())
        while (kind := await run.get()) != "done":
            if kind == "content" and first != first:
                first = time.monotonic() - begun
        return frame["result"]["session_id"], first


async def one_session(socket: Socket, message: str, turns: int) -> list[float]:
    firsts, session_id = [], None
    for _ in range(turns):
        session_id, first = await socket.turn(message, session_id)
        firsts.append(first)
    return firsts


async def measure(options: argparse.Namespace, pid: int, info: dict[str, Any]) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {info['token']}"}
    async with aiohttp.ClientSession(headers=headers) as http:
        async with http.get(f"{info['url']}/v3/projects") as answer:
            project = (await answer.json())[0]["project_id"]
        url, protocol = f"{info['url']}/v3/projects/{project}/chat/ws", f"copilot.v1+{options.codec}"
        async with http.ws_connect(url, protocols=(protocol,), max_msg_size=0) as connection:
            socket = Socket(connection, options.codec)
            reader = asyncio.create_task(socket.read())
            await one_session(socket, "n=5 d=0", 1)
            cpu, begun, message = cpu_seconds(pid), time.monotonic(), f"n={options.tokens} d={options.delay}"
            runs = [one_session(socket, message, options.turns) for _ in range(options.sessions)]
            firsts = await asyncio.gather(*runs)
            cpu, wall = cpu_seconds(pid) - cpu, time.monotonic() - begun
            reader.cancel()
    tokens = options.sessions * options.turns * options.tokens
    flat = sorted(first for of_session in firsts for first in of_session)
    return {
        "tokens": tokens,
        "wall_s": round(wall, 2),
        "tokens_per_s": round(tokens / wall),
        "cpu_s_per_1000_tokens": round(cpu / tokens * 1000, 4),
        "first_token_ms_p50": round(statistics.median(flat) * 1000, 1),
        "first_token_ms_max": round(flat[-1] * 1000, 1),
        "resident_mib": round(resident_mib(pid), 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=16)
    parser.add_argument("--tokens", type=int, default=500)
    parser.add_argument("--delay", type=float, default=0.0)
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--codec", choices=["json", "msgpack"], default="msgpack")
    options = parser.parse_args()
    provider, base_url = start_provider()
    with tempfile.TemporaryDirectory() as folder:
        server, info = start_server(Path(folder) / "data", base_url)
        try:
            found = asyncio.run(asyncio.wait_for(measure(options, server.pid, info), LONGEST))
            print(json.dumps({**vars(options), **found}, indent=2))
        finally:
            server.terminate()
            server.wait(15)
            assert provider.stdin is not None
            provider.stdin.close()
            provider.wait(15)


if __name__ == "__main__":
    main()
