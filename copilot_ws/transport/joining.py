"""How a client joins a project's feed, whatever carries it: where it goes on, and what it is told first."""

from __future__ import annotations

import uuid
from typing import Any, Literal

from copilot_ws import __version__
from copilot_ws.commands.registry import ChatContext
from copilot_ws.core.feed import Feed
from copilot_ws.wire.codecs import Codec
from copilot_ws.wire.peer import Resume

FEATURES = ("resume", "merge", "queue", "hitl", "undo")


def place(feed: Feed, resume: Any) -> tuple[bool | None, int]:
    """What came of a resume (None: there was none), and the number after which this client's events follow."""
    if resume is None:
        return None, feed.seq
    found = Resume.parse(resume)
    if found is not None and found.epoch == feed.epoch and feed.keeps(found.seq):
        return True, found.seq
    return False, feed.seq


def hello(
    context: ChatContext, transport: Literal["websocket", "sse"], codec: Codec, recovered: bool | None
) -> dict[str, Any]:
    """The first frame. It belongs to the moment at which the client's cursor is made."""
    settings, workspace, user_id = context.system.settings, context.workspace, context.user_id
    feed, project, heartbeat = workspace.feed(user_id), workspace.project, settings.heartbeat
    return {
        "type": "hello",
        "protocol": "copilot.v1",
        "transport": transport,
        "codec": codec.name,
        "server": f"copilot-ws/{__version__}",
        "features": list(FEATURES),
        "connection_id": uuid.uuid4().hex,
        "user_id": user_id,
        "project": {"project_id": project.project_id, "name": project.name, "status": project.status},
        "epoch": feed.epoch,
        "seq": feed.seq,
        "recovered": recovered,
        "heartbeat": int(heartbeat) if heartbeat == int(heartbeat) else heartbeat,
        "limits": {
            "max_frame": settings.max_frame,
            "max_message": settings.max_message,
            "max_runs_per_user": settings.max_runs_per_user,
        },
        "runs": workspace.runs.of_user(user_id),
        "pending_hitl": workspace.desk.of_user(user_id),
    }
