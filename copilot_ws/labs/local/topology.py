"""What a project's nodes and links may become: names, ports and links, checked without changing anything."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count

from copilot_ws.labs.base import Plug
from copilot_ws.labs.local.platforms import KINDS, EmbeddedPlatform
from copilot_ws.labs.local.records import EndRecord, LinkRecord, NodeRecord, ProjectRecord, is_node_name
from copilot_ws.labs.ports import free_port
from copilot_ws.wire.errors import Conflict, InvalidArgument, NotFound

NUMBERS = 0x10000

_NAME_RULE = (
    "A node's name has 1 to 63 letters, digits, hyphens, underscores or dots, "
    "begins with a letter or a digit, and is none that Windows reserves."
)


def find_node(record: ProjectRecord, node_id: str) -> NodeRecord:
    """Raises `NotFound`."""
    for node in record.nodes:
        if node.node_id == node_id:
            return node
    raise NotFound("No such node.")


def find_link(record: ProjectRecord, link_id: str) -> LinkRecord:
    """Raises `NotFound`."""
    for link in record.links:
        if link.link_id == link_id:
            return link
    raise NotFound("No such link.")


def links_of(record: ProjectRecord, node_id: str) -> list[LinkRecord]:
    return [link for link in record.links if any(end.node_id == node_id for end in link.ends)]


def with_node(record: ProjectRecord, changed: NodeRecord) -> ProjectRecord:
    """`changed` in the place of the node with its id, or after all others."""
    nodes = [changed if node.node_id == changed.node_id else node for node in record.nodes]
    return record.model_copy(update={"nodes": nodes if changed in nodes else [*nodes, changed]})


def without(record: ProjectRecord, node: NodeRecord | None, links: Iterable[LinkRecord]) -> ProjectRecord:
    gone = {link.link_id for link in links}
    return record.model_copy(
        update={
            "nodes": [other for other in record.nodes if node is None or other.node_id != node.node_id],
            "links": [link for link in record.links if link.link_id not in gone],
        }
    )


def new_node(record: ProjectRecord, template_id: str, name: str | None, x: int, y: int) -> NodeRecord:
    """A stopped node. Raises `NotFound`, `InvalidArgument`, `Conflict`."""
    platform = _platform(template_id)
    if name is not None:
        _check_name(name)
    numbers = {node.number for node in record.nodes}
    number = next((number for number in range(NUMBERS) if number not in numbers), None)
    if number is None:
        raise Conflict("The project is full.")
    free = _free_name(record, name or "", KINDS[platform].prefix)
    return NodeRecord(name=free, platform=platform, number=number, x=x, y=y)


def renamed(record: ProjectRecord, node: NodeRecord, name: str) -> NodeRecord:
    """Raises `InvalidArgument`, or `Conflict` for a name in use."""
    _check_name(name)
    if name.casefold() in _names(record, but=node):
        raise Conflict(f"The name {name!r} is in use in this project.", {"field": "name"})
    return node.model_copy(update={"name": name})


def new_link(record: ProjectRecord, ends: tuple[Plug, Plug]) -> LinkRecord:
    """Raises `NotFound`, `InvalidArgument` for a port that is none, `Conflict` for one in use."""
    one, other = (_end(record, end) for end in ends)
    if one.node_id == other.node_id:
        raise Conflict("A node cannot be linked to itself.")
    return LinkRecord(ends=(one, other))


def _platform(template_id: str) -> EmbeddedPlatform:
    for platform, kind in KINDS.items():
        if kind.template.template_id == template_id:
            return platform
    raise NotFound("No such template.")


def _check_name(name: str) -> None:
    if not is_node_name(name):
        raise InvalidArgument(_NAME_RULE, {"field": "name"})


def _names(record: ProjectRecord, but: NodeRecord | None = None) -> set[str]:
    return {node.name.casefold() for node in record.nodes if but is None or node.node_id != but.node_id}


def _free_name(record: ProjectRecord, wanted: str, prefix: str) -> str:
    taken = _names(record)
    if wanted and wanted.casefold() not in taken:
        return wanted
    stem = (wanted.rstrip("0123456789") or prefix)[:58]
    names = (f"{stem}{number}" for number in count(1))
    return next(name for name in names if name.casefold() not in taken and is_node_name(name))


def _end(record: ProjectRecord, plug: Plug) -> EndRecord:
    node = find_node(record, plug.node_id)
    used = {
        (0, end.port_number)
        for link in links_of(record, node.node_id)
        for end in link.ends
        if end.node_id == node.node_id
    }
    port = free_port(node.name, KINDS[node.platform].port_shapes(), used, plug.port)
    return EndRecord(node_id=node.node_id, port_number=port.port_number)
