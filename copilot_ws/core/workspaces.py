"""The workspaces of the projects that are in use: opened at the first request, closed with their project."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from copilot_ws.core.callers import Callers
from copilot_ws.core.parts import Parts
from copilot_ws.core.ports import StopReason
from copilot_ws.core.quota import Quota
from copilot_ws.core.workspace import Limits, Workspace
from copilot_ws.labs.base import Caller, Lab, Link, Node, Project, ProjectChanged, TopologyChanged
from copilot_ws.wire.errors import ProjectNotOpened, ShuttingDown
from copilot_ws.wire.tasks import TaskSet

log = logging.getLogger(__name__)

NODE_FIELDS, LINK_FIELDS = set(Node.model_fields), set(Link.model_fields)
"""What an event tells: not the images, command lines and passwords that GNS3 knows of a node."""

Assemble = Callable[[Project], Awaitable[Parts]]
Discard = Callable[[Project], Awaitable[None]]
Watcher = Callable[[ProjectChanged], None]


class Workspaces:
    """One workspace a project. `assemble` makes its parts, `discard` removes the chat data of a deleted one."""

    def __init__(self, lab: Lab, assemble: Assemble, discard: Discard, limits: Limits, callers: Callers) -> None:
        self._lab = lab
        self._assemble, self._discard = assemble, discard
        self._limits, self._callers = limits, callers
        self._quota = Quota(limits.max_runs_per_user)
        self._open: dict[str, Workspace] = {}
        self._locks: dict[str, asyncio.Lock] = {}
        self._closing = False
        self._tasks = TaskSet()
        self._putting_away: dict[str, asyncio.Task[None]] = {}
        self._watchers: list[Watcher] = []
        lab.listen(self._changed)

    def watch(self, watcher: Watcher) -> None:
        """`watcher` hears of each change of a project, before its workspace closes."""
        self._watchers.append(watcher)

    async def of(self, caller: Caller, project_id: str) -> Workspace:
        """The workspace of an opened project that the caller may see.

        Raises `NotFound`, `ProjectNotOpened`, `ShuttingDown`.
        """
        project = await self._lab.project(caller, project_id)
        if project.status != "opened":
            raise ProjectNotOpened(f"Project must be opened. Current status: {project.status}")
        self._lab.attend(caller, project)
        found = self._open.get(project.project_id)
        return found if found is not None else await self._make(caller, project)

    async def _make(self, caller: Caller, project: Project) -> Workspace:
        await self.settled(project.project_id)
        async with self._locks.setdefault(project.project_id, asyncio.Lock()):
            if self._closing:
                raise ShuttingDown("The server is stopping.")
            found = self._open.get(project.project_id)
            if found is not None:
                return found
            parts = await self._assemble(project)
            workspace = Workspace(project, parts, self._limits, self._callers, self._quota)
            try:
                await workspace.take_up()
                now = await self._lab.project(caller, project.project_id)
                if now.status != "opened":
                    raise ProjectNotOpened(f"Project must be opened. Current status: {now.status}")
                if self._closing:
                    raise ShuttingDown("The server is stopping.")
            except BaseException:
                await workspace.close("shutdown")
                raise
            self._open[project.project_id] = workspace
            return workspace

    async def recover(self, caller: Caller, has_chat: Callable[[Project], Awaitable[bool]]) -> None:
        """Opens what may hold unfinished runs, so that prompts expire and decided calls run without a client."""
        for project in await self._lab.projects(caller):
            if project.status == "opened" and await has_chat(project):
                try:
                    await self.of(caller, project.project_id)
                except Exception:  # the other projects and the server itself do not depend on it
                    log.exception("project %s could not be taken up", project.project_id)

    def _changed(self, change: ProjectChanged | TopologyChanged) -> None:
        if isinstance(change, TopologyChanged):
            self._tell_topology(change)
        else:
            self._project_changed(change)

    def _tell_topology(self, change: TopologyChanged) -> None:
        workspace = self._open.get(change.project_id)
        for feed in workspace.feeds() if workspace is not None else ():
            feed.publish(
                {
                    "type": "topology_updated",
                    "session_id": "",
                    "nodes": [node.model_dump(mode="json", include=NODE_FIELDS) for node in change.nodes],
                    "links": [link.model_dump(mode="json", include=LINK_FIELDS) for link in change.links],
                    "gone": list(change.gone),
                }
            )

    def _project_changed(self, change: ProjectChanged) -> None:
        for watcher in self._watchers:
            watcher(change)
        project_id = change.project.project_id
        workspace = self._open.get(project_id)
        if workspace is not None:
            workspace.project = change.project
            for feed in workspace.feeds():
                feed.publish({"type": "project_updated", "session_id": "", "project": _shape(change.project)})
        if change.deleted or change.project.status != "opened":
            workspace = self._open.pop(project_id, None)
            if not self._closing:
                before = self._putting_away.get(project_id)
                work = self._put_away(workspace, change, before)
                self._putting_away[project_id] = self._tasks.spawn(work, name=f"close {project_id}")

    async def _put_away(
        self, workspace: Workspace | None, change: ProjectChanged, before: asyncio.Task[None] | None
    ) -> None:
        if before is not None:
            await asyncio.wait([before])
        project_id = change.project.project_id
        try:
            if workspace is not None:
                await workspace.close("project_closed")
            if change.deleted:
                await self._discard(change.project)
                self._locks.pop(project_id, None)
        finally:
            if self._putting_away.get(project_id) is asyncio.current_task():
                del self._putting_away[project_id]

    async def settled(self, project_id: str) -> None:
        """Returns once nothing of a project that was closed or deleted is in use any more."""
        while (task := self._putting_away.get(project_id)) is not None:
            await asyncio.wait([task])

    async def close(self, reason: StopReason, grace: float) -> None:
        """Ends everything: runs drain for `grace` seconds, then are stopped."""
        self._closing = True
        closing = [workspace.close(reason, grace) for workspace in self._open.values()]
        for fault in await asyncio.gather(*closing, return_exceptions=True):
            if isinstance(fault, BaseException):
                log.error("a project could not be closed", exc_info=fault)
        self._open.clear()
        await self._tasks.drain(grace)


def _shape(project: Project) -> dict[str, str]:
    return {"project_id": project.project_id, "name": project.name, "status": project.status}
