"""Sends one message and follows its run to the end, over a connection that may break at any time."""

from __future__ import annotations

import contextlib
import uuid
from typing import Any

from copilot_ws.terminal.client import Dialer, Frame, Link, Lost
from copilot_ws.terminal.server import Problem
from copilot_ws.terminal.turn import Message, is_whole, missing, turn_of
from copilot_ws.terminal.view import View
from copilot_ws.wire.peer import Resume

PAGE = 100


class Conversation:
    """One message of one session, and what the view has shown of the answer.

    The session's id is made here, so that the run can be named before the server has answered.
    """

    def __init__(self, dialer: Dialer, view: View, message: str, session_id: str | None) -> None:
        self.session_id = session_id or uuid.uuid4().hex
        self._dialer, self._view = dialer, view
        self._message = {
            "message": message,
            "session_id": self.session_id,
            "client_message_id": uuid.uuid4().hex,
        }
        self._link: Link | None = None
        self._run: dict[str, str] | None = None
        self._sent = self._stopping = False
        self._place = Resume("", 0)
        self._behind = False
        self._held = 0
        self._shown: dict[str, str] = {}
        self._called: set[str] = set()
        self._ended: set[str] = set()

    @property
    def began(self) -> bool:
        """Whether the server has taken the message."""
        return self._run is not None

    async def run(self) -> str:
        """The run's outcome, `unfinished` if nobody knows any more. Raises `Problem`, `Refused`."""
        try:
            link = await self._dialer.dial()
        except Lost as lost:
            raise Problem(f"Cannot connect: {lost}.") from None
        self._place = Resume(link.hello["epoch"], link.hello["seq"])
        while True:
            try:
                return await self._follow(link)
            except Lost as lost:
                self._view.warning(f"The connection was lost ({lost}). Connecting again ...")
            finally:
                self._link = None
                await link.close()
            link = await self._dialer.redial(self._place)
            self._view.note("Connected again.")
            if link.hello.get("recovered") is not True:
                self._place = Resume(link.hello["epoch"], link.hello["seq"])
                self._behind = True

    async def stop(self) -> None:
        """Asks for the end of the run, now or as soon as there is one on a connection."""
        self._stopping = True
        self._view.note("Stopping the run ... (Ctrl-C leaves at once)")
        if self._link is not None and self._run is not None:
            with contextlib.suppress(Lost):
                await self._link.send("chat.stop", session_id=self.session_id)

    async def _follow(self, link: Link) -> str:
        self._link = link
        if self._stopping and not self._sent:
            return "stopped"
        self._sent = True
        self._view.waiting()
        if self._run is None:
            self._run = await link.call("chat.send", **self._message)
        if self._stopping:
            await link.send("chat.stop", session_id=self.session_id)
        if self._behind and (outcome := await self._catch_up(link)) is not None:
            return outcome
        while (outcome := self._take(await link.event())) is None:
            pass
        return outcome

    # live

    def _take(self, event: Frame) -> str | None:
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
        return self._take_ours(event, known=seq is not None and seq <= self._held)

    def _take_ours(self, event: Frame, *, known: bool) -> str | None:
        """`known`: the history that was read already holds it, only how the run ends is not in there."""
        kind = event["type"]
        if kind == "done":
            return str(event["outcome"])
        if kind == "error":
            self._view.error(event["error"])
        elif not known:
            self._show(kind, event)
        return None

    def _show(self, kind: str, event: Frame) -> None:
        match kind:
            case "content":
                self._say(event["message_id"], event["content"])
            case "reasoning":
                self._view.thought(event["content"])
            case "tool_call" if event["tool_call"]["function"].get("complete"):
                self._call(event["tool_call"])
            case "tool_start":
                self._view.tool_started(event["tool_call_id"], event["tool_name"])
            case "tool_progress":
                device = event.get("device_name") or ""
                self._view.tool_progress(event["tool_call_id"], device, event["done"], event["total"], event["message"])
            case "tool_end":
                self._end(event["tool_call_id"], event["status"], event["duration_ms"], event["tool_output"])
            case "hitl_required":
                self._view.asked(event)
            case "limit_reached":
                self._view.warning(event["message"])

    def _say(self, message_id: str, text: str) -> None:
        self._shown[message_id] = self._shown.get(message_id, "") + text
        self._view.answer(message_id, text)

    def _call(self, call: dict[str, Any]) -> None:
        if call["id"] not in self._called:
            self._called.add(call["id"])
            self._view.tool_called(call["id"], call["function"]["name"], call["function"]["arguments"])

    def _end(self, call_id: str, status: str, milliseconds: int | None, output: str) -> None:
        if call_id not in self._ended:
            self._ended.add(call_id)
            self._view.tool_ended(call_id, status, milliseconds, output)

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
            self._recall(message)
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

    def _recall(self, message: Message) -> None:
        metadata = message.get("metadata") or {}
        if message["role"] == "assistant":
            rest = missing(message["content"], self._shown.get(message["id"], ""))
            if rest:
                self._say(message["id"], rest)
            for call in message.get("tool_calls") or ():
                self._call(call)
        elif message["role"] == "tool" and not metadata.get("partial"):
            status, took = metadata.get("status", "unknown"), metadata.get("duration_ms")
            self._end(message["tool_call_id"], status, took, message["content"])
