"""The golden test: what a client saw, folded by the page's reducer under node, equals what REST history says."""

from __future__ import annotations

import difflib
import json
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import aiohttp

if TYPE_CHECKING:
    from kit.server import User
    from kit.socket import Socket

Json = dict[str, Any]
NODE = shutil.which("node", path=sysconfig.get_path("scripts")) or shutil.which("node")
PAGE = Path(__file__).parent.parent / "page"
MOST = 5  # sessions of one socket: tests of many sessions are about something else


class Golden:
    """Node with the page's reducer; one for all tests of a process."""

    def __init__(self, node: subprocess.Popen[str]) -> None:
        self._node = node
        self.folded = 0

    def check(self, transcript: Json) -> None:
        """Raises AssertionError with both sides where they differ."""
        stdin, stdout = pipes(self._node)
        stdin.write(json.dumps(transcript) + "\n")
        stdin.flush()
        verdict = stdout.readline().strip()
        self.folded += 1
        if verdict != "same":
            assert verdict, "the page's reducer has failed: its fault stands above"
            folded, read = (json.dumps(json.loads(verdict)[side], indent=1).splitlines() for side in ("folded", "read"))
            raise AssertionError("\n".join(difflib.unified_diff(folded, read, "folded events", "history", lineterm="")))


def pipes(node: subprocess.Popen[str]) -> tuple[IO[str], IO[str]]:
    assert node.stdin is not None
    assert node.stdout is not None
    return node.stdin, node.stdout


@contextmanager
def folding() -> Iterator[Golden | None]:
    """None where there is no node."""
    if NODE is None:
        yield None
        return
    command = [NODE, "--import", str(PAGE / "importmap.mjs"), str(PAGE / "golden.mjs")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as node:
        yield Golden(node)
        pipes(node)[0].close()


async def compare(golden: Golden, user: User, socket: Socket) -> None:
    """Each whole conversation that this socket saw from its beginning."""
    seen = [event["session_id"] for event in socket.events if event["type"] == "session_created"]
    for session_id in dict.fromkeys(seen[:MOST]):
        transcript = await recorded(user, socket, session_id)
        if transcript is not None:
            golden.check(transcript)


async def recorded(user: User, socket: Socket, session_id: str) -> Json | None:
    """The events up to what history holds, and that history; None for a session that is gone, or a feed that is."""
    for _ in range(20):
        if socket.close_code is not None or user.http.closed:
            return None  # the server is stopped
        try:
            answer = await user.chat("GET", f"/sessions/{session_id}/history?limit=1000")
        except aiohttp.ClientError:
            return None  # a server that a test has killed
        if answer.status != 200:
            return None
        history = answer.json
        if history["epoch"] != socket.hello["epoch"] or history["has_more"]:
            return None
        await socket.reaches(history["seq"])
        events = [
            event for event in socket.events if event["session_id"] == session_id and begins(event) <= history["seq"]
        ]
        if not events or events[-1]["seq"] <= history["seq"]:
            return {"session_id": session_id, "hello": socket.hello, "events": events, "history": history}
    raise AssertionError(f"no history of {session_id} ended where a frame ends")


def begins(event: Json) -> int:
    return int(event.get("first_seq", event["seq"]))
