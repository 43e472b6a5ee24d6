"""A project of the embedded lab: its record, its devices, and the network between them."""

from __future__ import annotations

import asyncio
from pathlib import Path

from copilot_ws.labs.base import Label, Link, LinkEnd, Node, Port, Project
from copilot_ws.labs.local.device import Device
from copilot_ws.labs.local.network import Network, Plug
from copilot_ws.labs.local.platforms import KINDS
from copilot_ws.labs.local.records import LinkRecord, NodeRecord, ProjectRecord, write_record
from copilot_ws.wire.errors import LabError, NotFound


class LocalProject:
    """Whoever changes a project holds its `lock`. `deleted`: its folder is gone, for those who waited."""

    def __init__(self, project_id: str, folder: Path, record: ProjectRecord) -> None:
        self.project_id = project_id
        self.folder = folder
        self.record = record
        self.lock = asyncio.Lock()
        self.deleted = False
        self._nodes = {node.node_id: node for node in record.nodes}
        network = Network((self._plug(link, 0), self._plug(link, 1)) for link in record.links)
        self._devices = {node.node_id: Device(node, folder, network) for node in record.nodes}

    @property
    def opened(self) -> bool:
        return self.record.status == "opened"

    async def save(self) -> None:
        """Raises `LabError`."""
        try:
            await asyncio.to_thread(write_record, self.folder, self.record.model_dump_json(indent=2))
        except OSError as fault:
            raise LabError("The project could not be saved.") from fault

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
        """Powers a node on and remembers it. Raises `NotFound` or `LabError`."""
        device = self._device(node_id)
        try:
            await device.power_on()
        except OSError as fault:
            raise LabError(f"{device.node.name} could not be started.") from fault
        device.node.status = "started"
        await self.save()
        return self._shape(device)

    async def stop_node(self, node_id: str) -> Node:
        """Cuts a node's power and remembers it. Raises `NotFound` or `LabError`."""
        device = self._device(node_id)
        await device.power_off()
        device.node.status = "stopped"
        await self.save()
        return self._shape(device)

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

    def links(self) -> list[Link]:
        return [self._link(link) for link in self.record.links]

    def _device(self, node_id: str) -> Device:
        device = self._devices.get(node_id)
        if device is None:
            raise NotFound("No such node.")
        return device

    def _shape(self, device: Device) -> Node:
        node, kind = device.node, KINDS[device.node.platform]
        return Node(
            node_id=node.node_id,
            project_id=self.project_id,
            name=node.name,
            node_type=kind.node_type,
            platform=node.platform,
            status="started" if device.powered else "stopped",
            console=device.port,
            ports=[
                Port(name=name, short_name=short, adapter_number=0, port_number=number)
                for number, (name, short) in enumerate(kind.ports)
            ],
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
                    label=Label(text=self._port(self._nodes[end.node_id], end.port_number)[1]),
                )
                for end in link.ends
            ],
        )

    def _plug(self, link: LinkRecord, end: int) -> Plug:
        at = link.ends[end]
        return Plug(at.node_id, self._port(self._nodes[at.node_id], at.port_number)[0])

    def _port(self, node: NodeRecord, number: int) -> tuple[str, str]:
        return KINDS[node.platform].ports[number]
