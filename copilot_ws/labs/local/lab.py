"""The embedded lab: projects in folders, devices inside the server."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar
from uuid import uuid4

from copilot_ws.labs.base import (
    Caller,
    Link,
    Listener,
    Node,
    Plug,
    Project,
    ProjectChanged,
    Snapshot,
    Template,
    TopologyChanged,
)
from copilot_ws.labs.local import folders
from copilot_ws.labs.local.demo import demo_record, demo_startups
from copilot_ws.labs.local.device import RELOAD_SECONDS, save_startup
from copilot_ws.labs.local.platforms import KINDS
from copilot_ws.labs.local.project import LocalProject
from copilot_ws.labs.local.records import ProjectRecord
from copilot_ws.wire.errors import (
    Conflict,
    Forbidden,
    InvalidArgument,
    LabError,
    NotFound,
    ProjectNotOpened,
    ShuttingDown,
)
from copilot_ws.wire.tasks import TaskSet

NAME_MAX = 255
CLOSE_SECONDS = 5.0
LOCAL_USER = "local"
"""The user of `--auth local`, who owns what has no creator."""

log = logging.getLogger(__name__)

T = TypeVar("T")


class LocalLab:
    """Implements `Lab` in `data_dir`/projects. One instance per data directory."""

    def __init__(self, data_dir: Path, reload_seconds: float = RELOAD_SECONDS) -> None:
        """`reload_seconds`: how long a router's console is away when it reloads."""
        self._folder = data_dir.absolute() / "projects"
        self._reload_seconds = reload_seconds
        self._projects: dict[str, LocalProject] = {}
        self._listeners: list[Listener] = []
        self._creating = asyncio.Lock()
        self._closing = False
        self._changes = TaskSet()

    async def start(self) -> None:
        """Reads all projects and opens those that were open. The first start makes the demo."""
        records, first = await asyncio.to_thread(folders.scan, self._folder)
        for project_id, record in records.items():
            self._projects[project_id] = self._project(project_id, record)
        if first and not records:
            await self._create_demo()
        if first:
            await asyncio.to_thread(folders.mark_started, self._folder)
        for project in list(self._projects.values()):
            if project.opened:
                await self._reopen(project)

    async def close(self) -> None:
        """Stops every device; open projects are opened again by the next start."""
        self._closing = True
        for project in list(self._projects.values()):
            async with project.lock:
                await project.power_off()
        await self._changes.drain(CLOSE_SECONDS)

    def listen(self, listener: Listener) -> None:
        self._listeners.append(listener)

    def attend(self, caller: Caller, project: Project) -> None:
        """Every change is told anyway."""

    def console_host(self, node: Node) -> str:
        return node.console_host

    def saw_prompt(self, node: Node, prompt: str) -> None:
        """The platform of an embedded device is known."""

    async def projects(self, caller: Caller) -> list[Project]:
        return [project.shape() for project in self._projects.values()]

    async def project(self, caller: Caller, project_id: str) -> Project:
        return self._find(project_id).shape()

    async def create_project(self, caller: Caller, name: str) -> Project:
        """A new, empty, open project. Raises `InvalidArgument`, or `Conflict` for a name in use."""
        _check_name(name)
        async with self._creating:
            if any(project.record.name == name for project in self._projects.values()):
                raise Conflict(f"Project {name!r} already exists.")
            project = await self._create(ProjectRecord(name=name, creator=caller.user_id))
        return self._changed(project)

    async def open_project(self, caller: Caller, project_id: str) -> Project:
        async with self._locked(project_id) as project:
            if project.opened:
                return project.shape()
            await project.power_on()
            await self._set_status(project, opened=True)
            return self._changed(project)

    async def close_project(self, caller: Caller, project_id: str) -> Project:
        async with self._locked(project_id) as project:
            _check_owner(project, caller)
            if not project.opened:
                return project.shape()
            await project.power_off()
            await self._set_status(project, opened=False)
            return self._changed(project)

    async def delete_project(self, caller: Caller, project_id: str) -> None:
        """Stops the devices and removes the folder with all that is in it."""
        async with self._locked(project_id) as project:
            _check_owner(project, caller)
            await project.power_off()
            trash = self._folder / f"{folders.TRASH}{project_id}"
            try:
                await asyncio.to_thread(project.folder.rename, trash)
            except OSError as fault:
                raise LabError("The project could not be deleted.") from fault
            project.deleted = True
            del self._projects[project_id]
            self._notify(ProjectChanged(project.shape(), deleted=True))
            await asyncio.to_thread(folders.remove, trash)

    async def nodes(self, caller: Caller, project_id: str) -> list[Node]:
        return self._find(project_id).nodes()

    async def links(self, caller: Caller, project_id: str) -> list[Link]:
        return self._find(project_id).links()

    async def configuration(self, caller: Caller, project_id: str, node_id: str) -> str | None:
        return self._find(project_id).configuration(node_id)

    async def templates(self, caller: Caller) -> list[Template]:
        return [kind.template for kind in KINDS.values()]

    async def create_node(
        self, caller: Caller, project_id: str, template_id: str, name: str | None, x: int, y: int
    ) -> Node:
        return await self._change(project_id, lambda project: project.create_node(template_id, name, x, y))

    async def start_node(self, caller: Caller, project_id: str, node_id: str) -> Node:
        return await self._change(project_id, lambda project: project.start_node(node_id))

    async def stop_node(self, caller: Caller, project_id: str, node_id: str) -> Node:
        return await self._change(project_id, lambda project: project.stop_node(node_id))

    async def suspend_node(self, caller: Caller, project_id: str, node_id: str) -> Node:
        return await self._change(project_id, lambda project: project.suspend_node(node_id))

    async def rename_node(self, caller: Caller, project_id: str, node_id: str, name: str) -> Node:
        return await self._change(project_id, lambda project: project.rename_node(node_id, name))

    async def delete_node(self, caller: Caller, project_id: str, node_id: str) -> None:
        await self._change(project_id, lambda project: project.delete_node(node_id))

    async def create_link(self, caller: Caller, project_id: str, ends: tuple[Plug, Plug]) -> Link:
        return await self._change(project_id, lambda project: project.create_link(ends))

    async def delete_link(self, caller: Caller, project_id: str, link_id: str) -> None:
        await self._change(project_id, lambda project: project.delete_link(link_id))

    async def snapshot(self, caller: Caller, project_id: str, name: str) -> Snapshot:
        """Its devices run in this process, and a power cycle gives them what they have saved: there is none."""
        await self.project(caller, project_id)
        raise Conflict("The embedded lab takes no snapshots; what a run changes on its devices can be undone.")

    async def _change(self, project_id: str, change: Callable[[LocalProject], Awaitable[T]]) -> T:
        """A change of an opened project goes to its end, also when its caller is cancelled."""
        return await self._changes.carry(self._change_opened(project_id, change), name=f"change:{project_id}")

    async def _change_opened(self, project_id: str, change: Callable[[LocalProject], Awaitable[T]]) -> T:
        async with self._locked(project_id) as project:
            _check_opened(project)
            return await change(project)

    def _find(self, project_id: str) -> LocalProject:
        """No path is built from what a caller sends: only ids that are already known are found."""
        project = self._projects.get(project_id)
        if project is None:
            raise NotFound("No such project.")
        return project

    @asynccontextmanager
    async def _locked(self, project_id: str) -> AsyncIterator[LocalProject]:
        project = self._find(project_id)
        async with project.lock:
            if project.deleted:
                raise NotFound("No such project.")
            if self._closing:
                raise ShuttingDown("The server is shutting down.")
            yield project

    def _project(self, project_id: str, record: ProjectRecord) -> LocalProject:
        folder = self._folder / project_id
        return LocalProject(project_id, folder, record, self._notify, self._reload_seconds)

    async def _create(self, record: ProjectRecord) -> LocalProject:
        project = self._project(str(uuid4()), record)
        await project.save()
        self._projects[project.project_id] = project
        return project

    async def _create_demo(self) -> None:
        """The record comes last: a start that dies before it starts over."""
        project = self._project(str(uuid4()), demo_record())
        startups = demo_startups()
        for node in project.record.nodes:
            await save_startup(project.folder, node, startups[node.name])
        await project.save()
        self._projects[project.project_id] = project

    async def _reopen(self, project: LocalProject) -> None:
        """One project that cannot be opened leaves the others alone."""
        try:
            await project.power_on()
        except LabError:
            log.exception("project %s cannot be opened", project.project_id)
            project.record.status = "closed"

    async def _set_status(self, project: LocalProject, opened: bool) -> None:
        before = project.record.status
        project.record.status = "opened" if opened else "closed"
        try:
            await project.save()
        except BaseException:
            project.record.status = before
            if opened:
                await project.power_off()
            raise

    def _changed(self, project: LocalProject) -> Project:
        shape = project.shape()
        self._notify(ProjectChanged(shape))
        return shape

    def _notify(self, change: ProjectChanged | TopologyChanged) -> None:
        """A listener that fails is logged: the change has happened, and the others must learn of it."""
        for listener in self._listeners:
            try:
                listener(change)
            except Exception:
                log.exception("a listener failed")


def _check_name(name: str) -> None:
    if not name.strip() or len(name) > NAME_MAX or not name.isprintable():
        message = f"A project's name has 1 to {NAME_MAX} printable characters."
        raise InvalidArgument(message, {"field": "name"})


def _check_owner(project: LocalProject, caller: Caller) -> None:
    if caller.user_id != (project.record.creator or LOCAL_USER):
        raise Forbidden("Only the creator of a project may close or delete it.")


def _check_opened(project: LocalProject) -> None:
    if not project.opened:
        raise ProjectNotOpened(f"Project must be opened. Current status: {project.record.status}")
