"""Follows GNS3's notifications: projects that open, close and go, and what changes in those that are in use."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from copilot_ws.labs.base import Caller, Listener, Node, Project, ProjectChanged, TopologyChanged
from copilot_ws.labs.gns3.http import Gns3Http
from copilot_ws.labs.gns3.shapes import Json, made, project_of
from copilot_ws.labs.gns3.topology import Topology
from copilot_ws.labs.gns3.watch_tokens import WatchTokens
from copilot_ws.wire.errors import CopilotError, Forbidden, NotFound, Unauthorized
from copilot_ws.wire.tasks import TaskSet

PAUSES: Final = (0.2, 0.5, 1.0, 2.0, 5.0)
"""Seconds between attempts to hear GNS3 again; the last one repeats."""

log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Attended:
    """A project in use: as it was last heard of, what is in it, and who follows that."""

    project: Project
    topology: Topology
    follower: asyncio.Task[None] | None = None

    def leave(self) -> None:
        self.topology.close()
        if self.follower is not None:
            self.follower.cancel()


class Watch:
    """A socket for all projects, and one for each project in use, which also keeps GNS3 from closing it.

    Each socket that breaks is opened again, and what has changed meanwhile is told then.
    """

    def __init__(
        self, http: Gns3Http, tokens: WatchTokens, node_of: Callable[[Json], Node], changed: Callable[[str], None]
    ) -> None:
        """`changed` hears the id of a project before the listeners do."""
        self._http, self._tokens = http, tokens
        self._node_of, self._changed = node_of, changed
        self._listeners: list[Listener] = []
        self._attended: dict[str, _Attended] = {}
        self._tasks = TaskSet()
        self._away = False

    def start(self) -> None:
        self._tasks.spawn(self._persist(None, self._hear_all), name="gns3 notifications")

    async def close(self) -> None:
        for attended in self._attended.values():
            attended.leave()
        await self._tasks.cancel_all()

    def listen(self, listener: Listener) -> None:
        self._listeners.append(listener)

    def attended(self, project_id: str) -> Project | None:
        """A project in use, as it was last heard of."""
        found = self._attended.get(project_id)
        return found.project if found is not None else None

    def attend(self, caller: Caller, project: Project) -> None:
        """The project is in use, by this caller among others, until it is closed."""
        project_id = project.project_id
        self._tokens.offer(caller, project_id)
        if project_id not in self._attended:
            topology = Topology(project_id, self._http, self._node_of, self._tell)
            self._attended[project_id] = _Attended(project, topology)
            self._follow(project_id)

    def tell_project(self, project: Project, *, deleted: bool = False) -> None:
        """Tells the listeners, unless this is what they know already."""
        project_id = project.project_id
        self._changed(project_id)
        known = self._attended.get(project_id)
        if known is not None:
            before, known.project = known.project, project
            if not deleted and (before.status, before.name) == (project.status, project.name):
                return
        if known is not None and (deleted or project.status != "opened"):
            del self._attended[project_id]
            self._tokens.drop(project_id)
            known.leave()
        self._tell(ProjectChanged(project, deleted))

    def _tell(self, change: ProjectChanged | TopologyChanged) -> None:
        """A listener that fails is logged: the change has happened, and the others must learn of it."""
        for listener in self._listeners:
            try:
                listener(change)
            except Exception:
                log.exception("a listener failed")

    # all projects

    async def _hear_all(self, token: str) -> bool:
        await self._http.json("GET", "access/users/me", token)  # a socket does not say that its token is refused
        async with self._http.notifications("notifications/ws", token) as events:
            if self._away:
                self._came_back()
            async for message in events:
                self._hear_project(message)
        return True

    def _came_back(self) -> None:
        """What GNS3 did to the projects in use while it was not heard is found out."""
        self._away = False
        log.info("GNS3 is heard again")
        for project_id in list(self._attended):
            self._follow(project_id)

    def _hear_project(self, message: Json) -> None:
        kind, _, verb = str(message.get("action")).partition(".")
        if kind != "project":
            return
        try:
            self.tell_project(made(project_of, message["event"]), deleted=verb == "deleted")
        except CopilotError as fault:
            log.warning("an event of GNS3 about a project cannot be read: %s", fault.message)

    # one project

    def _follow(self, project_id: str) -> None:
        attended = self._attended[project_id]
        if attended.follower is not None:
            attended.follower.cancel()

        async def hear(token: str) -> bool:
            return await self._hear_one(project_id, attended.topology, token)

        work = self._persist(project_id, hear)
        attended.follower = self._tasks.spawn(work, name=f"gns3 notifications of {project_id}")

    async def _hear_one(self, project_id: str, topology: Topology, token: str) -> bool:
        """False: the project is not open any more, which has been told."""
        try:
            project = made(project_of, await self._http.json("GET", f"projects/{project_id}", token))
        except NotFound:
            self._gone(project_id)
            return False
        self.tell_project(project)
        if project.status != "opened":
            return False
        async with self._http.notifications(f"projects/{project_id}/notifications/ws", token) as events:
            await topology.catch_up(token)
            async for message in events:
                topology.hear(message)
        return True

    def _gone(self, project_id: str) -> None:
        """GNS3 does not know it any more. Its chats stay: only who deletes a project means them too."""
        known = self._attended.get(project_id)
        if known is not None:
            self.tell_project(known.project.model_copy(update={"status": "closed"}))

    # going on

    async def _persist(self, project_id: str | None, hear: Callable[[str], Awaitable[bool]]) -> None:
        """Hears until that makes no sense any more; pauses grow as long as it fails at once."""
        clock, failed = asyncio.get_running_loop().time, 0
        while True:
            begun = clock()
            if not await self._heard(project_id, hear):
                return
            failed = 0 if clock() - begun > PAUSES[-1] else failed + 1
            await asyncio.sleep(PAUSES[min(failed, len(PAUSES) - 1)])

    async def _heard(self, project_id: str | None, hear: Callable[[str], Awaitable[bool]]) -> bool:
        token = ""
        try:
            token = await self._tokens.take(project_id)
            goes_on = await hear(token)
            why = "it closed the connection"
        except (Unauthorized, Forbidden) as fault:
            goes_on, why = True, fault.message
            await self._refuse(token)
        except CopilotError as fault:
            goes_on, why = True, fault.message
        if project_id is None and not self._away:
            self._away = True
            log.warning("GNS3 is not heard: %s", why)
        return goes_on

    async def _refuse(self, token: str) -> None:
        try:
            await self._tokens.refuse(token)
        except CopilotError as fault:
            log.warning("GNS3 is not heard: %s", fault.message)
