"""The nodes and links of one project in use, as GNS3 tells them; what changed is passed on in batches."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any, Final, Literal

from copilot_ws.labs.base import Node, TopologyChanged
from copilot_ws.labs.gns3.http import Gns3Http
from copilot_ws.labs.gns3.shapes import Json, link_of, made
from copilot_ws.wire.errors import CopilotError, LabError

BATCH_SECONDS: Final = 0.1
"""Starting a lab makes GNS3 tell of each node several times."""

log = logging.getLogger(__name__)

Kind = Literal["node", "link"]
_IDS: Final[dict[Kind, str]] = {"node": "node_id", "link": "link_id"}


class Topology:
    def __init__(
        self,
        project_id: str,
        http: Gns3Http,
        node_of: Callable[[Json], Node],
        tell: Callable[[TopologyChanged], None],
    ) -> None:
        self._project_id, self._http = project_id, http
        self._node_of, self._tell = node_of, tell
        self._known: dict[Kind, dict[str, Json]] | None = None
        self._changed: dict[tuple[Kind, str], Json | None] = {}
        self._timer: asyncio.TimerHandle | None = None

    def close(self) -> None:
        """What has not been told yet is not told any more."""
        if self._timer is not None:
            self._timer.cancel()

    async def catch_up(self, token: str) -> None:
        """What differs from what was known before; the first time nothing was."""
        first, path = self._known is None, f"projects/{self._project_id}"
        before = self._known or {"node": {}, "link": {}}
        self._known = {"node": {}, "link": {}}
        for kind in _IDS:
            now = _by_id(kind, await self._http.json("GET", f"{path}/{kind}s", token))
            self._known[kind] = now
            if not first:
                self._note(kind, {key: raw for key, raw in now.items() if raw != before[kind].get(key)})
                self._note(kind, dict.fromkeys(before[kind].keys() - now.keys()))

    def hear(self, message: Json) -> None:
        """A message of the project's notifications."""
        what, _, verb = str(message.get("action")).partition(".")
        if what not in ("node", "link") or verb not in ("created", "updated", "deleted") or self._known is None:
            return
        kind: Kind = "node" if what == "node" else "link"
        raw: Json = message["event"]
        key = str(raw.get(_IDS[kind]))
        if verb == "deleted":
            self._known[kind].pop(key, None)
            self._note(kind, {key: None})
        elif self._known[kind].get(key) != raw:
            self._known[kind][key] = raw
            self._note(kind, {key: raw})

    def _note(self, kind: Kind, changed: dict[str, Any]) -> None:
        self._changed |= {(kind, key): raw for key, raw in changed.items()}
        if self._changed and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(BATCH_SECONDS, self._flush)

    def _flush(self) -> None:
        changed, self._changed, self._timer = self._changed, {}, None
        try:
            nodes = tuple(made(self._node_of, raw) for (kind, _), raw in changed.items() if raw and kind == "node")
            links = tuple(made(link_of, raw) for (kind, _), raw in changed.items() if raw and kind == "link")
        except CopilotError as fault:
            log.warning("what changed in a project cannot be read: %s", fault.message)
            return
        gone = tuple(key for (_, key), raw in changed.items() if raw is None)
        self._tell(TopologyChanged(self._project_id, nodes, links, gone))


def _by_id(kind: Kind, raw: Any) -> dict[str, Json]:
    if not isinstance(raw, list) or not all(isinstance(item, dict) for item in raw):
        raise LabError("GNS3's answer cannot be read: is it a version that speaks API v3?")
    return {str(item.get(_IDS[kind])): item for item in raw}
