"""sessions.*: list, read, rename, pin and delete conversations."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, StringConstraints

from copilot_ws.commands.registry import Answered, ChatCommand, ChatContext, Route
from copilot_ws.wire.models import Request, SessionId


class ListSessions(Request):
    limit: int = Field(100, ge=1, le=1000)
    cursor: str | None = None
    q: Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)] | None = None


class OneSession(Request):
    session_id: SessionId


class History(OneSession):
    limit: int = Field(100, ge=1, le=1000)
    before: str | None = None


class Rename(OneSession):
    title: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=255)]


async def list_sessions(context: ChatContext, arguments: ListSessions) -> Answered:
    limit, query = arguments.limit, arguments.q or None
    sessions, cursor = await context.workspace.list_sessions(context.user_id, limit, arguments.cursor, query)
    headers = {"X-Next-Cursor": cursor} if cursor else {}
    return Answered({"sessions": sessions, "next_cursor": cursor}, sessions, headers)


async def get(context: ChatContext, arguments: OneSession) -> dict[str, Any]:
    return await context.workspace.session(context.user_id, arguments.session_id)


async def history(context: ChatContext, arguments: History) -> dict[str, Any]:
    return await context.workspace.history(context.user_id, arguments.session_id, arguments.limit, arguments.before)


async def rename(context: ChatContext, arguments: Rename) -> dict[str, Any]:
    return await context.workspace.rename(context.user_id, arguments.session_id, arguments.title)


async def pin(context: ChatContext, arguments: OneSession) -> dict[str, Any]:
    return await context.workspace.pin(context.user_id, arguments.session_id, pinned=True)


async def unpin(context: ChatContext, arguments: OneSession) -> dict[str, Any]:
    return await context.workspace.pin(context.user_id, arguments.session_id, pinned=False)


async def delete(context: ChatContext, arguments: OneSession) -> dict[str, Any]:
    await context.workspace.runs.delete(context.user_id, arguments.session_id)
    return {}


ONE = "/sessions/{session_id}"
COMMANDS = (
    ChatCommand("sessions.list", ListSessions, list_sessions, (Route("GET", "/sessions"),)),
    ChatCommand("sessions.get", OneSession, get, (Route("GET", ONE),)),
    ChatCommand("sessions.history", History, history, (Route("GET", f"{ONE}/history"),)),
    ChatCommand("sessions.rename", Rename, rename, (Route("PATCH", ONE),)),
    ChatCommand("sessions.pin", OneSession, pin, (Route("PUT", f"{ONE}/pin"),)),
    ChatCommand("sessions.unpin", OneSession, unpin, (Route("DELETE", f"{ONE}/pin"),)),
    ChatCommand("sessions.delete", OneSession, delete, (Route("DELETE", ONE, 204),)),
)
