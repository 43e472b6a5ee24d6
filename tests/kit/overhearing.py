"""What the page in a browser gets over its WebSockets, so that it is compared as any client's feed is."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import msgpack
from playwright.async_api import BrowserContext, Page, Request, WebSocket
from yarl import URL

from kit.golden import Golden
from kit.recording import Recording

Json = dict[str, Any]
NOT_HEARD = "an event stream in a browser, which cannot be overheard"


def overhear(browser: BrowserContext, golden: Golden) -> None:
    """The pages are compared when their server is settled: only then it is known who may read for them."""
    browser.on("page", lambda page: Tab(page, golden))


class Tab:
    """A load of the page goes on over many WebSockets; the first hello of the next one asks for nothing that was."""

    def __init__(self, page: Page, golden: Golden) -> None:
        self._golden = golden
        self._recording: Recording | None = None
        page.on("websocket", self._listen)
        page.on("request", self._count_streams)

    def _count_streams(self, request: Request) -> None:
        if request.url.endswith("/chat/events"):
            self._golden.tally[NOT_HEARD] += 1

    def _listen(self, socket: WebSocket) -> None:
        url = URL(socket.url)
        if url.path.endswith("/chat/ws"):
            resumed_at = int(url.query.get("resume", ":0").rpartition(":")[2])
            line = Line(self, url.parts[3], resumed_at)
            socket.on("framesent", line.sends)
            socket.on("framereceived", line.gets)

    def recording(self, hello: Json, project_id: str) -> Recording:
        if self._recording is None or hello["recovered"] is None:
            self._recording = Recording(project_id, None)
            self._golden.wait(self._recording, "its browser is closed, and its server too")
        return self._recording


class Line:
    """One WebSocket of a page: its events, and what it reads."""

    def __init__(self, tab: Tab, project_id: str, resumed_at: int) -> None:
        self._tab, self._project_id, self._resumed_at = tab, project_id, resumed_at
        self._recording: Recording | None = None
        self._asked: dict[int, Callable[[Any], None]] = {}

    def sends(self, payload: str | bytes) -> None:
        frame = decoded(payload)
        take = self._recording and taking(self._recording, frame)
        if take:
            self._asked[frame["id"]] = take

    def gets(self, payload: str | bytes) -> None:
        frame = decoded(payload)
        if frame["type"] == "hello":
            self._recording = self._tab.recording(frame, self._project_id)
            self._recording.hello(frame, self._resumed_at)
        elif frame["type"] == "result":
            take = self._asked.pop(frame["id"], None)
            if take is not None and frame["ok"]:
                take(frame["result"])
        elif self._recording is not None and "seq" in frame and frame["type"] != "heartbeat":
            self._recording.event(frame)


def taking(recording: Recording, command: Json) -> Callable[[Any], None] | None:
    """What the page does with the result of this command, if it is one that reads."""
    match command:
        case {"type": "sessions.history", "session_id": session_id, "before": _}:
            return lambda history: recording.gets_older(session_id, history)
        case {"type": "sessions.history", "session_id": session_id}:
            request = recording.asks(session_id)
            return lambda history: recording.gets(session_id, request, history)
        case {"type": "hitl.history", "session_id": session_id}:
            return lambda prompts: recording.recalls(session_id, prompts)
        case {"type": "sessions.list"} if "q" not in command:
            return lambda found: recording.lists(found["sessions"], more="cursor" in command)
    return None


def decoded(payload: str | bytes) -> Json:
    return json.loads(payload) if isinstance(payload, str) else msgpack.unpackb(payload)
