"""chat.send, chat.stop and ping."""

from __future__ import annotations

from typing import Any

from pydantic import ConfigDict

from copilot_ws.commands.registry import Answered, ChatCommand, ChatContext, Route
from copilot_ws.commands.sessions import ONE, OneSession
from copilot_ws.wire.models import ChatRequest, Request


class Ping(Request):
    model_config = ConfigDict(extra="allow")


async def send(context: ChatContext, arguments: ChatRequest) -> dict[str, str]:
    return await context.workspace.runs.send(context.caller, arguments)


async def stop(context: ChatContext, arguments: OneSession) -> Answered:
    session_id = arguments.session_id
    await context.workspace.session(context.user_id, session_id)
    stopped = context.workspace.runs.stop(session_id, "user")
    return Answered({"session_id": session_id, "stopped": stopped}, {"status": "ok", "session_id": session_id})


async def ping(_: ChatContext, arguments: Ping) -> dict[str, Any]:
    return arguments.model_dump()


COMMANDS = (
    ChatCommand("chat.send", ChatRequest, send),
    ChatCommand("chat.stop", OneSession, stop, (Route("POST", f"{ONE}/abort"), Route("POST", f"{ONE}/stop"))),
    ChatCommand("ping", Ping, ping),
)
