"""The routes of server-sent events: a message and its events, a session's run, and the whole feed."""

from __future__ import annotations

from aiohttp import web

from copilot_ws.commands.registry import ChatContext
from copilot_ws.core.feed import Feed
from copilot_ws.transport.joining import place
from copilot_ws.transport.rest import CHAT_PREFIXES, body_of, chat_context, json_response
from copilot_ws.transport.streams import HEADERS, FeedStream, SessionStream, unnumbered
from copilot_ws.wire.models import ChatRequest, validated


async def post_stream(request: web.Request) -> web.StreamResponse:
    """POST /stream: a message; its events, or with `stream: false` its result when it has ended."""
    context = await chat_context(request)
    most = context.system.settings.max_message
    asked = validated(ChatRequest, await body_of(request), max_message=most)
    sent = await context.workspace.runs.send(context.caller, asked)
    session_id, run_id = sent["session_id"], sent["run_id"]
    if not asked.stream:
        await context.workspace.runs.answered(session_id, run_id)
        return json_response(await context.workspace.result(session_id, run_id))
    after, names = _before_run(context, sent), _names(sent)
    if after is None:
        return _replay_lost(session_id, names)
    return await SessionStream(request, context, session_id, run_id).send(after, headers=names)


def _names(sent: dict[str, str]) -> dict[str, str]:
    """The result of chat.send as headers: they go out at once, also while the message waits."""
    return {
        "X-Run-Id": sent["run_id"],
        "X-Session-Id": sent["session_id"],
        "X-Message-Id": sent["message_id"],
        "X-Run-Status": sent["status"],
    }


def _before_run(context: ChatContext, sent: dict[str, str]) -> int | None:
    """The number after which the run's events come; None for one that ended and is no longer in the feed."""
    feed = context.workspace.feed(context.user_id)
    live = context.workspace.runs.live(sent["session_id"])
    if live is not None and live.run_id == sent["run_id"]:
        return live.first_seq - 1 if feed.keeps(live.first_seq - 1) else None
    if any(run["run_id"] == sent["run_id"] for run in context.workspace.runs.of_user(context.user_id)):
        return feed.seq  # it is queued
    for event in feed.events_after(0):
        if event["type"] == "run_started" and event["run_id"] == sent["run_id"]:
            return int(event["seq"]) - 1
    return None


async def get_stream(request: web.Request) -> web.StreamResponse:
    """GET /sessions/{session_id}/stream: the session's run, from its start or after Last-Event-ID."""
    context = await chat_context(request)
    session_id = request.match_info["session_id"]
    await context.workspace.session(context.user_id, session_id)
    feed = context.workspace.feed(context.user_id)
    live = context.workspace.runs.live(session_id)
    found, after = place(feed, request.headers.get("Last-Event-ID"))
    if found is None and live is not None:
        after = live.first_seq - 1
    if found is False or not feed.keeps(after):
        return _replay_lost(session_id)
    run_id = _next_run(feed, session_id, after) or (live.run_id if live is not None else None)
    if run_id is None:
        return web.Response(status=204)
    return await SessionStream(request, context, session_id, run_id).send(after)


def _next_run(feed: Feed, session_id: str, after: int) -> str | None:
    for event in feed.events_after(after):
        if event.get("session_id") == session_id and "run_id" in event:
            return str(event["run_id"])
    return None


def _replay_lost(session_id: str, headers: dict[str, str] | None = None) -> web.Response:
    lost = unnumbered({"type": "replay_lost", "session_id": session_id})
    return web.Response(body=lost, headers={**HEADERS, **(headers or {})})


async def get_events(request: web.Request) -> web.StreamResponse:
    """GET /events: the whole feed, from now on, or after `Last-Event-ID`, or else after `?resume=`."""
    context = await chat_context(request)
    resume = request.headers.get("Last-Event-ID", request.query.get("resume"))
    return await FeedStream(request, context).join(resume)


def add_routes(app: web.Application) -> None:
    for prefix in CHAT_PREFIXES:
        app.router.add_post(f"{prefix}/stream", post_stream)
        app.router.add_get(f"{prefix}/sessions/{{session_id}}/stream", get_stream, allow_head=False)
        app.router.add_get(f"{prefix}/events", get_events, allow_head=False)
