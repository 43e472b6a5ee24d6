"""Sends one message and follows its run to the end, over a connection that may break at any time."""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from typing import Any

from copilot_ws.terminal.asking import Asking
from copilot_ws.terminal.client import Dialer, Frame, Link, Lost
from copilot_ws.terminal.keyboard import Typist
from copilot_ws.terminal.server import Problem
from copilot_ws.terminal.transcript import Transcript
from copilot_ws.terminal.turn import Message, is_whole, newest_question, turn_of
from copilot_ws.terminal.view import View
from copilot_ws.wire.peer import Resume

PAGE = 100
WAITING = "waiting"


class LeftWaiting(Exception):
    """The person leaves what is asked to somebody else, or to later."""


class Conversation:
    """One message of one session, or the way back of its run `undo`, and how far the answer has been followed.

    Without either it follows the session's present run; so it does first if that run waits for a person.
    `elsewhere` says how to decide in another place.
    """

    def __init__(
        self,
        dialer: Dialer,
        view: View,
        message: str | None,
        session_id: str,
        typist: Typist | None,
        elsewhere: str,
        undo: str | None = None,
    ) -> None:
        self.session_id = session_id
        self.left_waiting = False
        self.undoable: str | None = None
        """The run, if what it changed can be undone."""
        self._dialer, self._view = dialer, view
        self._opening: tuple[str, Frame] | None = None
        if undo is not None:
            self._opening = ("run.undo", {"run_id": undo})
        elif message is not None:
            ids = {"session_id": session_id, "client_message_id": uuid.uuid4().hex}
            self._opening = ("chat.send", {"message": message, **ids})
        self._asking = Asking(view, typist, self._request, self._leave_waiting, elsewhere)
        self._link: Link | None = None
        self._online = asyncio.Event()
        self._run: dict[str, str] | None = None
        self._sent = self._stopping = self._postponed = False
        self._place = Resume("", 0)
        self._behind = False
        self._held = 0
        self._transcript = Transcript(view)

    @property
    def began(self) -> bool:
        """Whether the server has taken the message."""
        return self._run is not None

    async def run(self) -> str:
        """The run's outcome, `unfinished` if nobody knows any more, `waiting` if it was left to others.

        Raises `Problem`, `Refused`.
        """
        try:
            return await self._keep_following()
        except LeftWaiting:
            self.left_waiting = True
            return WAITING
        finally:
            await self._asking.dismiss()

    async def stop(self) -> None:
        """Asks for the end of the run, now or as soon as there is one on a connection."""
        self._stopping = True
        await self._asking.dismiss()
        self._view.note("Stopping the run ... (Ctrl-C leaves at once)")
        if self._link is not None and self._run is not None:
            with contextlib.suppress(Lost):
                await self._link.send("chat.stop", session_id=self.session_id)

    async def _keep_following(self) -> str:
        try:
            link = await self._dialer.dial()
        except Lost as lost:
            raise Problem(f"Cannot connect: {lost}.") from None
        self._place = Resume(link.hello["epoch"], link.hello["seq"])
        while True:
            try:
                return await self._follow(link)
            except Lost as lost:
                await self._asking.free()
                self._view.warning(f"The connection was lost ({lost}). Connecting again ...")
            finally:
                self._link = None
                self._online.clear()
                await link.close()
            link = await self._dialer.redial(self._place)
            self._view.note("Connected again.")
            if link.hello.get("recovered") is not True:
                self._place = Resume(link.hello["epoch"], link.hello["seq"])
                self._behind = True

    async def _follow(self, link: Link) -> str:
        self._link = link
        self._online.set()
        if self._stopping and not self._sent:
            return "stopped"
        self._sent = True
        self._view.waiting()
        while True:
            if self._run is None:
                self._run = await self._begin(link)
            outcome = await self._follow_run(link)
            if not self._postponed or self._stopping or self._opening is None:
                return outcome
            self._run, self._postponed = None, False
            self._run = await self._open(link, *self._opening)

    async def _begin(self, link: Link) -> dict[str, str]:
        """Sends the message, unless the session's present run has to be followed first."""
        pending = self._pending(link)
        if self._opening is None or (pending is not None and self._asking.possible):
            self._behind, self._postponed = True, self._opening is not None
            return await self._present_run(link)
        if pending is not None:
            await self._asking.required(pending)
        return await self._open(link, *self._opening)

    async def _open(self, link: Link, command: str, arguments: Frame) -> dict[str, str]:
        run: dict[str, str] = await link.call(command, **arguments)
        self.session_id = run["session_id"]
        return run

    async def _present_run(self, link: Link) -> dict[str, str]:
        runs = [run for run in link.hello.get("runs") or () if run["session_id"] == self.session_id]
        if not runs:
            raise Problem("Nothing runs or waits in this conversation. To go on with it, give a MESSAGE.")
        page = await link.call("sessions.history", session_id=self.session_id, limit=PAGE)
        return {"run_id": runs[0]["run_id"], "message_id": newest_question(page["messages"])}

    def _pending(self, link: Link) -> Frame | None:
        """What waits for a person in this session, as `hello` has it."""
        waiting = link.hello.get("pending_hitl") or ()
        return next((status for status in waiting if status["session_id"] == self.session_id), None)

    async def _follow_run(self, link: Link) -> str:
        if self._stopping:
            await link.send("chat.stop", session_id=self.session_id)
        if self._behind:
            if (outcome := await self._catch_up(link)) is not None:
                return outcome
            await self._ask_again(link)
        outcome = None
        while outcome is None:
            event = await link.event()
            await self._asking.free()
            outcome = await self._take(event)
        await self._asking.dismiss()
        return outcome

    async def _ask_again(self, link: Link) -> None:
        """After a gap what is asked is what `hello` says; events that come after it tell the rest."""
        pending = self._pending(link)
        if pending is None or self._stopping:
            await self._asking.dismiss()
        else:
            await self._asking.required(pending, postponed=self._postponed)

    async def _request(self, name: str, **arguments: Any) -> Any:
        """A command's result, from the connection that there is or the next one."""
        while True:
            await self._online.wait()
            link = self._link
            assert link is not None
            try:
                return await link.call(name, **arguments)
            except Lost:
                if self._link is link:
                    self._online.clear()

    def _leave_waiting(self) -> None:
        if self._link is not None:
            self._link.end(LeftWaiting())

    # live

    async def _take(self, event: Frame) -> str | None:
        """Shows an event of our run, each number once; the outcome if it was the last one."""
        if (seq := event.get("seq")) is not None:
            if seq <= self._place.seq:
                return None
            self._place = Resume(self._place.epoch, seq)
        elif event["type"] == "error":
            self._view.error(event["error"])
        if event.get("session_id") != self.session_id:
            return None
        if event["type"] == "session_deleted":
            self._view.error("The conversation has been deleted.")
            return "stopped"
        if self._run is None or event.get("run_id") != self._run["run_id"]:
            return None
        return await self._take_ours(event, known=seq is not None and seq <= self._held)

    async def _take_ours(self, event: Frame, *, known: bool) -> str | None:
        """`known`: the history that was read already holds it, except what is asked and how the run ends."""
        match event["type"]:
            case "done":
                self.undoable = event["run_id"] if event.get("undoable") else None
                return str(event["outcome"])
            case "error":
                self._view.error(event["error"])
            case "hitl_required" if not self._stopping:
                await self._asking.required(event, postponed=self._postponed)
            case "hitl_resolved":
                self._asking.resolved(event)
            case kind if not known:
                self._transcript.show(kind, event)
        return None

    # after a gap

    async def _catch_up(self, link: Link) -> str | None:
        """Shows what the history has and the view has not; the outcome if the run is over.

        The session's state is asked for first: what was idle then is complete in the history after it.
        """
        session = await link.call("sessions.get", session_id=self.session_id)
        messages, self._held = await self._history(link)
        assert self._run is not None
        turn, followed = turn_of(messages, self._run["message_id"])
        for message in turn:
            self._transcript.recall(message)
        self._behind = False
        if session["status"] != "idle" and not followed:
            return None
        return "completed" if is_whole(turn) else "unfinished"

    async def _history(self, link: Link) -> tuple[list[Message], int]:
        """The newest messages, back to ours, and the number of the last event that they hold."""
        assert self._run is not None
        page = await link.call("sessions.history", session_id=self.session_id, limit=PAGE)
        messages, seq = page["messages"], int(page["seq"])
        while page["has_more"] and all(message["id"] != self._run["message_id"] for message in messages):
            before = messages[0]["id"]
            page = await link.call("sessions.history", session_id=self.session_id, limit=PAGE, before=before)
            messages = page["messages"] + messages
        return messages, seq
