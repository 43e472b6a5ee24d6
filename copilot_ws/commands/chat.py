"""chat.send, chat.stop, run.* and ping."""

from __future__ import annotations

from typing import Any

from pydantic import ConfigDict

from copilot_ws.commands.registry import Answered, ChatCommand, ChatContext, Route
from copilot_ws.commands.sessions import ONE, OneSession
from copilot_ws.wire.limits import Controls
from copilot_ws.wire.models import ChatRequest, Request, SessionId


class Ping(Request):
    model_config = ConfigDict(extra="allow")


async def send(context: ChatContext, arguments: ChatRequest) -> dict[str, str]:
    return await context.workspace.runs.send(context.caller, arguments)


async def stop(context: ChatContext, arguments: OneSession) -> Answered:
    session_id = arguments.session_id
    stopped = await context.workspace.runs.stop(context.user_id, session_id)
    return Answered({"session_id": session_id, "stopped": stopped}, {"status": "ok", "session_id": session_id})


class SetLimits(Controls):
    """Any field of a run's limits."""

    session_id: SessionId


async def set_limits(context: ChatContext, arguments: SetLimits) -> dict[str, Any]:
    await context.workspace.session(context.user_id, arguments.session_id)
    given = arguments.model_dump(exclude={"session_id"}, exclude_none=True)
    return await context.workspace.runs.set_limits(arguments.session_id, Controls(**given))


class Undo(Request):
    run_id: str


async def undo(context: ChatContext, arguments: Undo) -> dict[str, str]:
    return await context.workspace.runs.undo(context.caller, arguments.run_id)


async def ping(_: ChatContext, arguments: Ping) -> dict[str, Any]:
    return arguments.model_dump()


COMMANDS = (
    ChatCommand("chat.send", ChatRequest, send),
    ChatCommand("chat.stop", OneSession, stop, (Route("POST", f"{ONE}/abort"), Route("POST", f"{ONE}/stop"))),
    ChatCommand("run.limits", SetLimits, set_limits, (Route("POST", f"{ONE}/limits"),)),
    ChatCommand("run.undo", Undo, undo, (Route("POST", "/runs/{run_id}/undo"),)),
    ChatCommand("ping", Ping, ping),
)
