"""What one client got, as actions of the page's reducer: a page that had got the same would have done just these."""

from __future__ import annotations

import asyncio
import itertools
from typing import TYPE_CHECKING, Any

from kit import reading
from kit.reading import Unreadable

if TYPE_CHECKING:
    from kit.server import User

Json = dict[str, Any]
BLANK = {"type": "hello", "recovered": None, "user_id": None, "runs": [], "pending_hitl": []}
"""What a client that got no hello would have been told before anything had happened."""
TRIES = 20
HEADS = ("session_created", "session_deleted")
"""A conversation whose first event is one of these is whole without its history."""


class Recording:
    """Takes down what its client gets. Where that begins in the middle, history is read at once, as a page does."""

    def __init__(self, project_id: str, user: User | None, *, one_session: bool = False) -> None:
        """`user`: None as long as nobody can read for this client; `one_session`: a stream without a hello."""
        self.project_id, self.user = project_id, user
        self.actions: list[Json] = []
        self.epoch, self.seq = "", 0
        self._one_session = one_session
        self._listens = True
        self._whole: dict[str, bool] = {}
        """The sessions of the events, and whether their conversation is here."""
        self._deleted: set[str] = set()
        self._asked: dict[str, int] = {}
        """The requests for history that wait for an answer."""
        self._requests = itertools.count(1)
        self._reading: list[asyncio.Task[None]] = []

    @property
    def sessions(self) -> list[str]:
        return list(self._whole)

    @property
    def place(self) -> str:
        return f"{self.epoch}:{self.seq}"

    @property
    def user_id(self) -> str | None:
        """None where nobody said."""
        return next((id for action in self.actions if "hello" in action if (id := action["hello"]["user_id"])), None)

    def ends(self) -> None:
        """The client goes: what it gets from now on is not taken down."""
        self._listens = False

    def drop(self) -> None:
        """Nobody wants to know any more."""
        self.ends()
        for task in self._reading:
            task.cancel()

    # what the client gets

    def hello(self, hello: Json, resumed_at: int | None = None) -> None:
        if self._listens:
            if hello["recovered"] is True and not self.actions:
                self._greet({**BLANK, "epoch": hello["epoch"], "seq": resumed_at})
            self._greet(hello)

    def event(self, event: Json, epoch: str | None = None) -> None:
        """`epoch`: of a stream without a hello."""
        if self._listens:
            if not self.actions:
                self._greet({**BLANK, "epoch": epoch, "seq": event["seq"] - 1})
            self._take(event)

    def _greet(self, hello: Json) -> None:
        self.actions.append({"type": "hello", "hello": hello})
        if hello["recovered"] is not True:
            self.epoch, self.seq = hello["epoch"], hello["seq"]
            self._whole = {session_id: session_id in self._deleted for session_id in self._whole}
            self._asked.clear()
            self._read_missing()

    def _take(self, event: Json) -> None:
        self.seq = max(self.seq, event["seq"])
        session_id = event.get("session_id")
        if self._one_session and self._whole and session_id not in self._whole:
            return
        self.actions.append({"type": "event", "event": event})
        if event["type"] == "session_deleted":
            self._deleted.add(session_id)
        if session_id and session_id not in self._whole:
            self._whole[session_id] = event["type"] in HEADS
            self._read_missing()

    # what a page reads by itself

    def asks(self, session_id: str) -> int:
        """The client requests the newest page of a history; the number of the request."""
        request = self._asked[session_id] = next(self._requests)
        self.actions.append({"type": "history_requested", "sessionId": session_id, "request": request})
        return request

    def gets(self, session_id: str, request: int, history: Json) -> None:
        action = {"type": "history_loaded", "sessionId": session_id, "request": request, "history": history}
        self._answered(session_id, request, action)

    def gets_older(self, session_id: str, history: Json) -> None:
        self.actions.append({"type": "history_older", "sessionId": session_id, "history": history})

    def recalls(self, session_id: str, prompts: list[Json]) -> None:
        """What hitl/history says."""
        self.actions.append({"type": "asked_before", "sessionId": session_id, "history": prompts})

    def lists(self, sessions: list[Json], *, more: bool) -> None:
        """The first page of the sessions, or one `more`."""
        self.actions.append({"type": "sessions", "sessions": sessions, "cursor": None, "more": more})

    def _answered(self, session_id: str, request: int, action: Json) -> None:
        self.actions.append(action)
        if self._asked.get(session_id) == request:
            del self._asked[session_id]
            self._whole[session_id] = True

    def _read_missing(self) -> None:
        if self.user is None:
            return
        for session_id in [one for one, whole in self._whole.items() if not whole and one not in self._asked]:
            request = self.asks(session_id)
            self._reading.append(asyncio.create_task(self._read(self.user, session_id, request)))

    async def _read(self, user: User, session_id: str, request: int) -> None:
        """An answer that does not come is asked for again in the end."""
        try:
            session = await reading.session(user, session_id)
            found = await reading.conversation(user, session_id)
            if self._one_session:
                await self._learn_runs(user)
        except Unreadable:
            return
        if session is None or found is None:
            error = {"code": "not_found", "message": "There is no such session."}
            failed = {"type": "history_failed", "sessionId": session_id, "request": request, "error": error}
            self._answered(session_id, request, failed)
            return
        newest, *older = found["pages"]
        self.gets(session_id, request, newest)
        for page in older:
            self.gets_older(session_id, page)
        self.recalls(session_id, found["prompts"])
        self.actions.append({"type": "session", "session": session})

    async def _learn_runs(self, user: User) -> None:
        """A stream that begins in the middle of a run has not been told of it."""
        async with reading.joined(user) as socket:
            told = {name: socket.hello[name] for name in ("runs", "pending_hitl")}
        self.actions[0] = {"type": "hello", "hello": {**self.actions[0]["hello"], **told}}

    # the end

    async def caught_up(self) -> Json:
        """What REST says (`reading.everything`), and a `hello` of the same moment. Raises `Unreadable`.

        The client comes back as a page does, until the feed has nothing new: so nothing changed while REST was read.
        """
        if self.user is None:
            raise Unreadable("its browser is closed")
        for _ in range(TRIES):
            await self._read_all()
            rest = await reading.everything(self.user, self.sessions)
            async with reading.joined(self.user, self.place) as socket:
                hello = socket.hello
                if hello["recovered"] is True and hello["seq"] == self.seq:
                    return {"hello": hello, **rest}
                await socket.reaches(hello["seq"])
                self._greet(hello)
                for event in socket.events:
                    self._take(event)
        raise AssertionError(f"the feed never rests: {self.sessions}")

    async def _read_all(self) -> None:
        await asyncio.gather(*self._reading)
        self._asked.clear()
        self._read_missing()
        await asyncio.gather(*self._reading)
