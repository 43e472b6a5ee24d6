"""GET /sessions/{session_id}/export: a whole conversation as a file."""

from __future__ import annotations

import asyncio
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import quote

from aiohttp import web

from copilot_ws.commands.sessions import ONE, OneSession
from copilot_ws.transport.rest import CHAT_PREFIXES, chat_context
from copilot_ws.wire import markdown
from copilot_ws.wire.codecs import to_json
from copilot_ws.wire.models import validated

NAME_CHARACTERS = 80
UNNAMED = "conversation"


class Export(OneSession):
    format: Literal["json", "markdown"] = "json"


@dataclass(frozen=True, slots=True)
class Format:
    media_type: str
    extension: str
    write: Callable[[dict[str, Any]], bytes]


def _markdown(found: dict[str, Any]) -> bytes:
    return markdown.conversation(found["session"], found["messages"]).encode()


FORMATS = {
    "json": Format("application/json", "json", to_json),
    "markdown": Format("text/markdown", "md", _markdown),
}


async def export(request: web.Request) -> web.StreamResponse:
    context = await chat_context(request)
    query = {key: value for key, value in request.query.items() if key != "token"}
    asked = validated(Export, {**query, "session_id": request.match_info["session_id"]})
    found = await context.workspace.conversation(context.user_id, asked.session_id)
    chosen = FORMATS[asked.format]
    body = await asyncio.to_thread(chosen.write, found)
    headers = {
        "Content-Disposition": disposition(found["title"], chosen.extension),
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "no-store",
    }
    return web.Response(body=body, content_type=chosen.media_type, charset="utf-8", headers=headers)


def disposition(title: str, extension: str) -> str:
    """A download under the title's name (RFC 6266), in ASCII for clients that know no better."""
    name = file_name(title)
    plain = re.sub(r"[^A-Za-z0-9 ._()-]", "_", name)
    if not re.search(r"[A-Za-z0-9]", plain):
        plain = UNNAMED
    return f"attachment; filename=\"{plain}.{extension}\"; filename*=UTF-8''{quote(f'{name}.{extension}', safe='')}"


def file_name(title: str) -> str:
    """`title` without what file systems, or people who read a name, would take for something else."""
    visible = "".join(" " if unicodedata.category(c)[0] == "C" or c in '/\\:*?"<>|' else c for c in title)
    return " ".join(visible.split())[:NAME_CHARACTERS].strip(" .") or UNNAMED


def add_routes(app: web.Application) -> None:
    for prefix in CHAT_PREFIXES:
        app.router.add_get(f"{prefix}{ONE}/export", export)
