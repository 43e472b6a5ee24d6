"""What REST says of a user's conversations, page by page as the web page reads it, and where the feed stands."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import aiohttp
from yarl import URL

if TYPE_CHECKING:
    from kit.server import Reply, User
    from kit.socket import Socket

Json = dict[str, Any]
PAGE = 100
"""Messages of one page of history, as in the page (`static/js/app/history.js`)."""

GONE = "its server is gone"
REFUSED = {
    401: "its token is not valid any more",
    403: "its project is closed",
    404: "its project is deleted",
    502: "its lab is gone, which knows who may read",
    503: GONE,  # it is stopping
}


class Unreadable(Exception):
    """Nobody can read what the server has; the text says why."""


async def everything(user: User, session_ids: Iterable[str]) -> Json:
    """`{sessions, conversations}`: all sessions in the server's order, and what these ones hold."""
    listed = await sessions(user)
    waiting = {session["session_id"] for session in listed if session["status"] == "waiting"}
    found: Json = {}
    for session_id in session_ids:
        found[session_id] = await conversation(user, session_id)
        if found[session_id] is not None and session_id in waiting:
            found[session_id]["prompt"] = await _of_session(user, session_id, "/hitl-status")
    return {"sessions": listed, "conversations": found}


async def conversation(user: User, session_id: str) -> Json | None:
    """`{pages, prompts}`: the newest page of history first, and hitl/history; None for a session that is deleted."""
    newest = await _of_session(user, session_id, "/history", limit=PAGE)
    if newest is None:
        return None
    pages = [newest]
    while pages[-1]["has_more"]:
        oldest = pages[-1]["messages"][0]["id"]
        older = await _of_session(user, session_id, "/history", limit=PAGE, before=oldest)
        if older is None:
            return None
        pages.append(older)
    prompts = await _of_session(user, session_id, "/hitl/history")
    return None if prompts is None else {"pages": pages, "prompts": prompts}


async def sessions(user: User) -> list[Json]:
    """All of them, in the server's order."""
    found: list[Json] = []
    cursor: str | None = None
    while True:
        answer = await _answer(user, "/sessions", limit=1000, **({"cursor": cursor} if cursor else {}))
        found += answer.json
        cursor = answer.headers.get("X-Next-Cursor")
        if cursor is None:
            return found


async def session(user: User, session_id: str) -> Json | None:
    """A ChatSession; None for one that is deleted."""
    return await _of_session(user, session_id)


@asynccontextmanager
async def joined(user: User, resume: str | None = None) -> AsyncIterator[Socket]:
    """A page's connection that nobody takes down. Raises `Unreadable`."""
    if user.http.closed:
        raise Unreadable(GONE)
    try:
        connecting = user.socket(resume=resume, recorded=False)
        socket = await connecting.__aenter__()
    except aiohttp.WSServerHandshakeError as fault:
        raise Unreadable(REFUSED[fault.status]) from fault
    except aiohttp.ClientError as fault:
        raise Unreadable(GONE) from fault
    try:
        yield socket
    finally:
        await connecting.__aexit__(None, None, None)


async def _of_session(user: User, session_id: str, what: str = "", **query: Any) -> Any:
    """None for one that is not there."""
    answer = await _answer(user, f"/sessions/{session_id}{what}", **query)
    return None if answer.status == 404 else answer.json


async def _answer(user: User, path: str, **query: Any) -> Reply:
    """Raises `Unreadable`; a 404 is an answer where the path names a session."""
    if user.http.closed:
        raise Unreadable(GONE)
    try:
        answer = await user.chat("GET", str(URL(path).with_query(query)))
    except aiohttp.ClientError as fault:
        raise Unreadable(GONE) from fault
    if answer.status in REFUSED and not (answer.status == 404 and path != "/sessions"):
        raise Unreadable(REFUSED[answer.status])
    assert answer.status in (200, 404), answer.text
    return answer
