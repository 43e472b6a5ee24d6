"""A project of the embedded lab: its record, its devices, and the network between them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from copilot_ws.labs import base
from copilot_ws.labs.base import Label, Link, LinkEnd, Node, Project, TopologyChanged
from copilot_ws.labs.local import topology
from copilot_ws.labs.local.device import RELOAD_SECONDS, Device, factory_startup, remove_startup, save_startup
from copilot_ws.labs.local.network import Network, Plug
from copilot_ws.labs.local.platforms import KINDS
from copilot_ws.labs.local.records import LinkRecord, NodeRecord, ProjectRecord, write_record
from copilot_ws.wire.errors import Conflict, LabError, NotFound

Tell = Callable[[TopologyChanged], None]


class LocalProject:
    """Whoever changes a project holds its `lock`. `deleted`: its folder is gone, for those who waited.

    A change is in the project's file before anyone sees it, and is told to `tell`. What cannot be written
    raises `LabError` and has not happened. No change may be cancelled halfway.
    """

    def __init__(
        self,
        project_id: str,
        folder: Path,
        record: ProjectRecord,
        tell: Tell,
        reload_seconds: float = RELOAD_SECONDS,
    ) -> None:
        self.project_id = project_id
        self.folder = folder
        self.record = record
        self.lock = asyncio.Lock()
        self.deleted = False
        self._tell = tell
        self._reload_seconds = reload_seconds
        self._network = Network()
        self._devices: dict[str, Device] = {}
        for node in record.nodes:
            self._add_device(node)
        for link in record.links:
            self._network.connect(*self._plugs(link))

    @property
    def opened(self) -> bool:
        return self.record.status == "opened"

    async def save(self) -> None:
        """Raises `LabError`."""
        await self._commit(self.record)

    async def power_on(self) -> None:
        """Starts each node that was started when the project was last open; all, or raises `LabError`."""
        try:
            for device in self._devices.values():
                if device.node.status == "started":
                    await device.power_on()
        except OSError as fault:
            await self.power_off()
            raise LabError("The project's devices could not be started.") from fault
        except asyncio.CancelledError:
            await self.power_off()
            raise

    async def power_off(self) -> None:
        """Stops every device; which nodes count as started stays as it is."""
        await asyncio.gather(*(device.power_off() for device in self._devices.values()))

    async def start_node(self, node_id: str) -> Node:
        """Powers a node on, or resumes it. Raises `NotFound` or `LabError`."""
        device = self._device(node_id)
        if device.status == "started":
            return self._shape(device)
        suspended = device.status == "suspended"
        try:
            await device.power_on()
        except OSError as fault:
            raise LabError(f"{device.node.name} could not be started.") from fault
        try:
            await self._commit_node(device, device.node.model_copy(update={"status": "started"}))
        except LabError:
            await (device.suspend() if suspended else device.power_off())
            raise
        return self._told(device)

    async def stop_node(self, node_id: str) -> Node:
        """Cuts a node's power: what it did not save is lost. Raises `NotFound` or `LabError`."""
        device = self._device(node_id)
        if device.status == device.node.status == "stopped":
            return self._shape(device)
        await self._commit_node(device, device.node.model_copy(update={"status": "stopped"}))
        await device.power_off()
        return self._told(device)

    async def suspend_node(self, node_id: str) -> Node:
        """It keeps its memory until the server stops. Raises `NotFound`, `Conflict` or `LabError`."""
        device = self._device(node_id)
        if device.status == "suspended":
            return self._shape(device)
        if device.status == "stopped":
            raise Conflict(f"{device.node.name} is stopped: only a started node can be suspended.")
        await self._commit_node(device, device.node.model_copy(update={"status": "stopped"}))
        await device.suspend()
        return self._told(device)

    async def rename_node(self, node_id: str, name: str) -> Node:
        """Raises `NotFound`, `InvalidArgument`, `Conflict` or `LabError`."""
        device = self._device(node_id)
        if device.node.name == name:
            return self._shape(device)
        changed = topology.renamed(self.record, device.node, name)
        try:
            await device.rename(changed, lambda: self._commit(topology.with_node(self.record, changed)))
        except OSError as fault:
            raise LabError(f"{device.node.name} could not be renamed.") from fault
        return self._told(device)

    async def create_node(self, template_id: str, name: str | None, x: int, y: int) -> Node:
        """Raises `NotFound`, `InvalidArgument`, `Conflict` or `LabError`."""
        node = topology.new_node(self.record, template_id, name, x, y)
        try:
            await save_startup(self.folder, node, factory_startup(node))
        except OSError as fault:
            raise LabError("The node could not be created.") from fault
        await self._commit(topology.with_node(self.record, node))
        return self._told(self._add_device(node))

    async def delete_node(self, node_id: str) -> None:
        """Its links go with it. Raises `NotFound` or `LabError`."""
        device = self._device(node_id)
        links = topology.links_of(self.record, node_id)
        await self._commit(topology.without(self.record, device.node, links))
        for link in links:
            self._network.disconnect(*self._plugs(link))
        del self._devices[node_id]
        await device.power_off()
        await remove_startup(self.folder, device.node)
        self._changed(gone=(node_id, *(link.link_id for link in links)))

    async def create_link(self, ends: tuple[base.Plug, base.Plug]) -> Link:
        """Raises `NotFound`, `InvalidArgument`, `Conflict` or `LabError`."""
        link = topology.new_link(self.record, ends)
        await self._commit(self.record.model_copy(update={"links": [*self.record.links, link]}))
        self._network.connect(*self._plugs(link))
        shape = self._link(link)
        self._changed(links=(shape,))
        return shape

    async def delete_link(self, link_id: str) -> None:
        """Raises `NotFound` or `LabError`."""
        link = topology.find_link(self.record, link_id)
        await self._commit(topology.without(self.record, None, [link]))
        self._network.disconnect(*self._plugs(link))
        self._changed(gone=(link_id,))

    def shape(self) -> Project:
        return Project(
            project_id=self.project_id,
            name=self.record.name,
            status=self.record.status,
            path=str(self.folder),
            creator=self.record.creator,
        )

    def nodes(self) -> list[Node]:
        return [self._shape(device) for device in self._devices.values()]

    def configuration(self, node_id: str) -> str | None:
        """What a device would show as its running configuration; None if it shows none."""
        return self._device(node_id).configuration()

    def links(self) -> list[Link]:
        return [self._link(link) for link in self.record.links]

    async def _commit(self, record: ProjectRecord) -> None:
        try:
            await asyncio.to_thread(write_record, self.folder, record.model_dump_json(indent=2))
        except OSError as fault:
            raise LabError("The project could not be saved.") from fault
        self.record = record

    async def _commit_node(self, device: Device, changed: NodeRecord) -> None:
        await self._commit(topology.with_node(self.record, changed))
        device.node = changed

    def _add_device(self, node: NodeRecord) -> Device:
        device = Device(node, self.folder, self._network, self._reload_seconds)
        self._devices[node.node_id] = device
        return device

    def _device(self, node_id: str) -> Device:
        device = self._devices.get(node_id)
        if device is None:
            raise NotFound("No such node.")
        return device

    def _told(self, device: Device) -> Node:
        shape = self._shape(device)
        self._changed(nodes=(shape,))
        return shape

    def _changed(self, nodes: tuple[Node, ...] = (), links: tuple[Link, ...] = (), gone: tuple[str, ...] = ()) -> None:
        self._tell(TopologyChanged(self.project_id, nodes, links, gone))

    def _shape(self, device: Device) -> Node:
        node, kind = device.node, KINDS[device.node.platform]
        return Node(
            node_id=node.node_id,
            project_id=self.project_id,
            name=node.name,
            node_type=kind.node_type,
            platform=node.platform,
            status=device.status,
            console=device.port,
            ports=kind.port_shapes(),
            x=node.x,
            y=node.y,
            symbol=kind.symbol,
        )

    def _link(self, link: LinkRecord) -> Link:
        return Link(
            link_id=link.link_id,
            project_id=self.project_id,
            nodes=[
                LinkEnd(
                    node_id=end.node_id,
                    adapter_number=0,
                    port_number=end.port_number,
                    label=Label(text=self._port(end.node_id, end.port_number)[1]),
                )
                for end in link.ends
            ],
        )

    def _plugs(self, link: LinkRecord) -> tuple[Plug, Plug]:
        one, other = (Plug(end.node_id, self._port(end.node_id, end.port_number)[0]) for end in link.ends)
        return one, other

    def _port(self, node_id: str, number: int) -> tuple[str, str]:
        return KINDS[self._devices[node_id].node.platform].ports[number]
