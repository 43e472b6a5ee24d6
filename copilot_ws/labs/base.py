"""What every lab offers: projects, nodes, links and where their consoles are (GNS3's names and shapes)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from pydantic import BaseModel, ConfigDict

Platform = Literal["ios", "vpcs", "linux", "generic"]
ProjectStatus = Literal["opened", "closed"]
NodeStatus = Literal["started", "stopped", "suspended"]


@dataclass(frozen=True, slots=True)
class Caller:
    """On whose behalf a lab is asked. `token` is a secret: it is never stored, logged or shown."""

    user_id: str
    token: str = ""

    def __repr__(self) -> str:
        return f"Caller({self.user_id!r})"


class Shape(BaseModel):
    model_config = ConfigDict(frozen=True, extra="allow")


class Project(Shape):
    """`path` is the project's folder on the lab's host; `creator` the user who made it, None: everyone's."""

    project_id: str
    name: str
    status: ProjectStatus
    path: str
    creator: str | None = None


class Port(Shape):
    """A port of a node. `name` is the long form (`GigabitEthernet0/0`), `short_name` the label (`Gi0/0`)."""

    name: str
    short_name: str
    adapter_number: int
    port_number: int


class Node(Shape):
    """`console_host` and `console` are where its telnet console listens (console None: it has none)."""

    node_id: str
    project_id: str
    name: str
    node_type: str
    platform: Platform
    status: NodeStatus
    console_type: str = "telnet"
    console_host: str = "127.0.0.1"
    console: int | None = None
    ports: list[Port] = []
    x: int = 0
    y: int = 0
    symbol: str = ""


class Label(Shape):
    text: str


class LinkEnd(Shape):
    node_id: str
    adapter_number: int
    port_number: int
    label: Label


class Link(Shape):
    link_id: str
    project_id: str
    link_type: str = "ethernet"
    nodes: list[LinkEnd]


class Template(Shape):
    """What a node can be made of."""

    template_id: str
    name: str
    template_type: str
    category: str
    builtin: bool = True


class Snapshot(Shape):
    """A project as it was; its lab can go back to it. `created_at` in seconds since the epoch."""

    snapshot_id: str
    project_id: str
    name: str
    created_at: int


@dataclass(frozen=True, slots=True)
class Plug:
    """One end of a link to be made. `port` in any form that people use (`Gi0/0`, `gigabitethernet0/0`, `e0`)."""

    node_id: str
    port: str


@dataclass(frozen=True, slots=True)
class ProjectChanged:
    """A project was created, opened, closed (`project.status`) or deleted."""

    project: Project
    deleted: bool = False


@dataclass(frozen=True, slots=True)
class TopologyChanged:
    """Nodes and links of a project as they are now, and the ids of those that have gone."""

    project_id: str
    nodes: tuple[Node, ...] = ()
    links: tuple[Link, ...] = ()
    gone: tuple[str, ...] = ()


Listener = Callable[[ProjectChanged | TopologyChanged], None]


class Lab(Protocol):
    """A lab. An unknown project or node raises `NotFound`; what the caller may not do, `Forbidden`.

    A project_id is whatever the caller sent: a lab validates it before it touches a path.
    """

    async def start(self) -> None: ...

    async def close(self) -> None: ...

    def listen(self, listener: Listener) -> None:
        """`listener` is called on the loop, after each change of a project or of its topology."""

    def attend(self, caller: Caller, project: Project) -> None:
        """The opened project is in use, by this caller among others: what changes in it is told until it closes."""

    def console_host(self, node: Node) -> str:
        """Where the node's console is reached from here."""

    def saw_prompt(self, node: Node, prompt: str) -> None:
        """What the node's console shows at a prompt, which may tell more about its platform."""

    async def projects(self, caller: Caller) -> list[Project]: ...

    async def project(self, caller: Caller, project_id: str) -> Project: ...

    async def create_project(self, caller: Caller, name: str) -> Project: ...

    async def open_project(self, caller: Caller, project_id: str) -> Project: ...

    async def close_project(self, caller: Caller, project_id: str) -> Project: ...

    async def delete_project(self, caller: Caller, project_id: str) -> None: ...

    async def nodes(self, caller: Caller, project_id: str) -> list[Node]: ...

    async def links(self, caller: Caller, project_id: str) -> list[Link]: ...

    async def configuration(self, caller: Caller, project_id: str, node_id: str) -> str | None:
        """A node's running configuration if the lab knows it by itself; None: its console has to be asked."""

    # Changing a project. It has to be opened, else `ProjectNotOpened`; what cannot be done raises `Conflict`
    # or `InvalidArgument` with words for a person, what the lab fails at `LabError`.

    async def templates(self, caller: Caller) -> list[Template]: ...

    async def create_node(
        self, caller: Caller, project_id: str, template_id: str, name: str | None, x: int, y: int
    ) -> Node:
        """A stopped node. Without a name, or if it is taken, the lab finds one (`R3`)."""

    async def start_node(self, caller: Caller, project_id: str, node_id: str) -> Node:
        """Returns when its console listens. One that runs is left alone."""

    async def stop_node(self, caller: Caller, project_id: str, node_id: str) -> Node: ...

    async def suspend_node(self, caller: Caller, project_id: str, node_id: str) -> Node: ...

    async def rename_node(self, caller: Caller, project_id: str, node_id: str, name: str) -> Node: ...

    async def delete_node(self, caller: Caller, project_id: str, node_id: str) -> None:
        """Its links go with it."""

    async def create_link(self, caller: Caller, project_id: str, ends: tuple[Plug, Plug]) -> Link: ...

    async def delete_link(self, caller: Caller, project_id: str, link_id: str) -> None: ...

    async def snapshot(self, caller: Caller, project_id: str, name: str) -> Snapshot:
        """Keeps the whole project as it is. Raises `Conflict` where the lab cannot, or not while a node runs."""
