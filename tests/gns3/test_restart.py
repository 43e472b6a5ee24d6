"""GNS3 is killed in the middle of a run, and comes back with its project closed, as it does."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import aiohttp
from kit.conversation import assert_valid
from kit.real_lab import RealLab
from kit.scripted_llm import Gate, ScriptedLlm, call, say, sleep
from kit.server import User, http_session
from kit.waiting import eventually


class Program:
    """The lab's gns3-server as start-lab.sh runs it."""

    def __init__(self, home: Path) -> None:
        self._home, self._state = home, home / "server.json"

    def kill(self) -> None:
        os.kill(json.loads(self._state.read_text())["pid"], signal.SIGKILL)

    def end_devices(self) -> None:
        """What the devices of a server that was killed leave running keeps their ports."""
        for pid in self._devices():
            os.kill(pid, signal.SIGKILL)

    def _devices(self) -> Iterator[int]:
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and (entry / "cwd").readlink().is_relative_to(self._home / "projects"):
                    yield int(entry.name)
            except OSError:
                continue

    async def start(self) -> None:
        state = json.loads(self._state.read_text())
        with (self._home / "server.log").open("ab") as log:
            process = await asyncio.create_subprocess_exec(
                *(str(self._home / "venv/bin/gns3server"), "--config", str(self._home / "gns3_server.conf")),
                env={**os.environ, "HOME": str(self._home / "home"), "LC_ALL": "C.UTF-8"},
                **{"stdin": asyncio.subprocess.DEVNULL, "stdout": log, "stderr": log},
                cwd=self._home,
                start_new_session=True,
            )
        self._state.write_text(json.dumps({**state, "pid": process.pid}))
        async with http_session() as http:
            await eventually(lambda: self._answers(http, state["url"]), "GNS3 is back", 80)

    @staticmethod
    async def _answers(http: aiohttp.ClientSession, url: str) -> bool:
        try:
            async with http.get(f"{url}/v3/version") as answer:
                return answer.status == 200
        except aiohttp.ClientError:
            return False


async def test_what_the_user_sees(lab: RealLab, llm: ScriptedLlm, me: User) -> None:
    program = Program(Path((await lab.api("GET", f"/projects/{lab.project_id}"))["path"]).parents[1])
    session_id = os.urandom(8).hex()
    llm.answer(
        say("I wait. ", waiting := sleep(60)),
        say("I look. ", looking := call("gns3_topology_reader", {})),
        say("GNS3 does not answer.", gate := Gate()),
    )
    async with me.socket() as socket:
        await socket.chat("Go", session_id=session_id)
        await socket.frame("tool_progress", device_name="PC1", message="sleep 60")
        program.kill()
        program.end_devices()
        first = await socket.frame("tool_end", tool_call_id=waiting.id, seconds=30)
        assert "PC1 closed its console" in first["tool_output"]
        second = await socket.frame("tool_end", tool_call_id=looking.id, seconds=30)
        assert "GNS3 cannot be reached" in second["tool_output"]
        await gate.reached()
        assert (await me.chat("GET", "/sessions")).status == 200, "history is readable while GNS3 is away"
        await program.start()
        assert (await socket.frame("project_updated", seconds=30))["project"]["status"] == "closed"
        assert await socket.closed(30) == 4403
    assert (await me.chat("GET", "/sessions")).code == "project_not_opened"
    await lab.api("POST", f"/projects/{lab.project_id}/open", {})
    await lab.api("POST", f"/projects/{lab.project_id}/nodes/start", {})
    messages = await me.messages(session_id)
    assert_valid(messages)
    assert messages[-1]["content"] == "GNS3 does not answer."
    async with me.socket() as socket:
        llm.answer(say(again := call("gns3_topology_reader", {})), say("It is back."))
        turn = await socket.turn("And now?", session_id=session_id)
    assert turn.results[again.id]["status"] == "success"
    assert turn.text == "It is back."
