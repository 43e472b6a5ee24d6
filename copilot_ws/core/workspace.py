"""An open project: its conversations, its runs, and a feed for each of its users."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any

from copilot_ws.core.callers import Callers
from copilot_ws.core.feed import Feed
from copilot_ws.core.hitl import Desk
from copilot_ws.core.ledger import Ledger
from copilot_ws.core.parts import Parts
from copilot_ws.core.ports import StopReason
from copilot_ws.core.quota import Quota
from copilot_ws.core.runs import RunManager
from copilot_ws.labs.base import Project
from copilot_ws.wire.errors import NotFound

log = logging.getLogger(__name__)

IMPORTED = "imported"


@dataclass(frozen=True, slots=True)
class Limits:
    """What one server allows (settings of the same names)."""

    feed_events: int
    feed_bytes: int
    max_runs_per_user: int
    hitl_timeout: float
    titles: bool


class Workspace:
    def __init__(self, project: Project, parts: Parts, limits: Limits, callers: Callers, quota: Quota) -> None:
        self.project = project
        self.sessions = parts.sessions
        self._runs = parts.runs
        self._parts, self._limits = parts, limits
        self._feeds: dict[str, Feed] = {}
        self.ledger = Ledger(parts.audit, parts.copies)
        self.desk = Desk(parts.agent, self.ledger, limits.hitl_timeout)
        self.runs = RunManager(project, parts, self.desk, self.feed, callers, quota, limits.titles)

    def feed(self, user_id: str) -> Feed:
        feed = self._feeds.get(user_id)
        if feed is None:
            feed = self._feeds[user_id] = Feed(self._limits.feed_events, self._limits.feed_bytes)
        return feed

    def feeds(self) -> list[Feed]:
        return list(self._feeds.values())

    async def take_up(self) -> None:
        """What an older version or a crash left: conversations are imported, runs go on or are ended."""
        for session_id in await self._runs.only_in_checkpoints():
            messages = await self._parts.agent.older_messages(session_id)
            await self._runs.put(session_id, IMPORTED, messages)
        if self._parts.owned:
            await self.runs.recover()
        else:
            log.warning("another server uses this project's chats: what it runs is left to it")

    async def close(self, reason: StopReason, grace: float = 0) -> None:
        """Ends every run, then frees the database."""
        await self.desk.close()
        await self.runs.close(reason, grace)
        await self._parts.close()

    # sessions

    async def session(self, user_id: str, session_id: str) -> dict[str, Any]:
        """A ChatSession. Raises `NotFound`."""
        return self._with_status(await self.sessions.get(user_id, session_id))

    async def list_sessions(
        self, user_id: str, limit: int, cursor: str | None, query: str | None
    ) -> tuple[list[dict[str, Any]], str | None]:
        found, more = await self.sessions.page(user_id, limit, cursor, query)
        return [self._with_status(session) for session in found], more

    async def rename(self, user_id: str, session_id: str, title: str) -> dict[str, Any]:
        return self._changed(user_id, await self.sessions.rename(user_id, session_id, title))

    async def pin(self, user_id: str, session_id: str, pinned: bool) -> dict[str, Any]:
        return self._changed(user_id, await self.sessions.pin(user_id, session_id, pinned))

    def _with_status(self, session: dict[str, Any]) -> dict[str, Any]:
        return {**session, "status": self.runs.status(session["session_id"])}

    def _changed(self, user_id: str, session: dict[str, Any]) -> dict[str, Any]:
        """Tells all of the user's clients."""
        shown = self._with_status(session)
        event = {"type": "session_updated", "session_id": session["session_id"], "session": shown}
        self.feed(user_id).publish(event)
        return shown

    async def history(self, user_id: str, session_id: str, limit: int, before: str | None) -> dict[str, Any]:
        """A ConversationHistory. Its `epoch` and `seq` say which events its messages already hold."""
        return self._history_shape(*await self._read(user_id, session_id, limit, before))

    async def conversation(self, user_id: str, session_id: str) -> dict[str, Any]:
        """The whole ConversationHistory, with its `session` (a ChatSession)."""
        session, messages, more = await self._read(user_id, session_id, None, None)
        return {"session": self._with_status(session), **self._history_shape(session, messages, more)}

    async def _read(
        self, user_id: str, session_id: str, limit: int | None, before: str | None
    ) -> tuple[dict[str, Any], list[dict[str, Any]], bool]:
        """The session, its last `limit` messages and whether there are older ones, as of the present moment.

        What changes while the rows are read makes it read again: rows, the running turn and the feed's number
        belong to one moment.
        """
        with self.runs.watch(session_id) as slot:
            while True:
                live, revision = slot.live, slot.revision
                session = await self.sessions.get(user_id, session_id)
                running = live.run_id if live is not None else slot.accepting
                without = running if before is None else None
                page = await self._runs.page(session_id, limit, before, without)
                if page is None:
                    raise NotFound("There is no such message.")
                if (slot.live, slot.revision) == (live, revision):
                    break
        messages, more = [message.shape for message in page[0]], page[1]
        if live is not None and before is None:
            messages += live.history()
        shown = messages if limit is None else messages[-limit:]
        return session, shown, more or len(shown) < len(messages)

    def _history_shape(self, session: dict[str, Any], messages: list[dict[str, Any]], more: bool) -> dict[str, Any]:
        feed = self.feed(session["user_id"])
        return {
            "thread_id": session["session_id"],
            "title": session["title"],
            "messages": messages,
            "created_at": session["created_at"],
            "updated_at": session["updated_at"],
            "llm_calls": session["llm_calls_count"],
            "has_more": more,
            "epoch": feed.epoch,
            "seq": feed.seq,
        }

    async def result(self, session_id: str, run_id: str) -> dict[str, Any]:
        """A ChatResult of a run that has ended, or waits for a person."""
        live = self.runs.live(session_id)
        ended = await self._runs.result(run_id)
        if ended is not None:
            ending = {"outcome": ended.outcome, "usage": ended.usage, "error": ended.error}
        elif live is not None and live.run_id == run_id:
            status = self.desk.status(session_id)
            ending = {"outcome": "waiting", "usage": live.usage_so_far.shape(), "error": None, "hitl": status}
        else:
            raise NotFound("This conversation has been deleted.")
        messages = [message.shape for message in await self._runs.messages_of_run(run_id)]
        answers = [message for message in messages if message["role"] == "assistant"]
        message = answers[-1] if answers else None
        return {"session_id": session_id, "run_id": run_id, "message": message, "messages": messages, **ending}
