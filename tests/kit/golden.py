"""The golden test: what a client got, folded by the page's reducer under node, equals what REST says.

Each conversation of each client is compared when the client goes: messages, how turns ended, prompts and decisions, and
the session as the list has it. Who cannot read then (a server that was stopped or killed, a token that has expired, a
browser, whose token nobody knows) is compared when the test ends, by whatever server has the project then. What is left
out is counted with its reason, and pytest's last words tell the counts.
"""

from __future__ import annotations

import difflib
import json
import shutil
import subprocess
import sysconfig
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from kit.reading import Unreadable
from kit.recording import Recording

if TYPE_CHECKING:
    from kit.server import User

Json = dict[str, Any]
NODE = shutil.which("node", path=sysconfig.get_path("scripts")) or shutil.which("node")
PAGE = Path(__file__).parent.parent / "page"
COMPARED, AGAIN = "compared", "compared, read again after a merged frame"


class Golden:
    """Node with the page's reducer; one for all tests of a process."""

    def __init__(self, node: subprocess.Popen[str]) -> None:
        self._node = node
        self._waiting: list[tuple[Recording, str]] = []
        self.tally: Counter[str] = Counter()
        """Conversations of one test: `COMPARED`, or why they could not be."""

    async def finish(self, recording: Recording) -> None:
        """Compares each conversation of a client that has gone, or has it wait (`settle`). Raises AssertionError."""
        recording.ends()
        if not recording.sessions:
            return
        try:
            rest = await recording.caught_up()
        except Unreadable as why:
            self.wait(recording, str(why))
            return
        self.check({"actions": recording.actions, **rest})

    @property
    def waits(self) -> bool:
        """Somebody could not be compared yet."""
        return bool(self._waiting)

    def wait(self, recording: Recording, why: str) -> None:
        """It is compared when its project's server is settled."""
        self._waiting.append((recording, why))

    async def settle(self, project_id: str, login: Callable[[str | None], User]) -> None:
        """The server that has the project now: what waits is compared with that. `login`: a user by the id."""
        mine = [recording for recording, _ in self._waiting if recording.project_id == project_id]
        self._waiting = [one for one in self._waiting if one[0] not in mine]
        for recording in mine:
            recording.user = login(recording.user_id)
            await self.finish(recording)

    def tallied(self) -> Counter[str]:
        """The counts of a test that has ended: what still waits is left out."""
        for recording, why in self._waiting:
            self.tally[why] += len(recording.sessions)
        self._waiting = []
        tally, self.tally = self.tally, Counter()
        return tally

    def check(self, recorded: Json) -> None:
        """Raises AssertionError with both sides where the page shows something else than REST says."""
        stdin, stdout = pipes(self._node)
        stdin.write(json.dumps(recorded) + "\n")
        stdin.flush()
        line = stdout.readline()
        assert line, "the page's reducer has failed: its fault stands above"
        verdict = json.loads(line)
        self.tally[COMPARED] += len(recorded["conversations"])
        self.tally[AGAIN] += len(verdict["again"])
        if verdict["differences"]:
            raise AssertionError("\n".join(told(difference) for difference in verdict["differences"]))


def told(difference: Json) -> str:
    page, rest = (json.dumps(difference[side], indent=1).splitlines() for side in ("page", "rest"))
    return "\n".join(difflib.unified_diff(page, rest, f"the page: {difference['what']}", "REST", lineterm=""))


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
