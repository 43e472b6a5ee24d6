"""The project that a first start creates: PC1 - R1 - R2 - PC2, where everyone reaches everyone."""

from __future__ import annotations

from copilot_ws.labs.local.ios_boot import power_on_state
from copilot_ws.labs.local.records import EndRecord, LinkRecord, NodeRecord, ProjectRecord
from copilot_ws.labs.local.render import configuration

NAME = "demo"

_R1 = """\
hostname R1
interface Loopback0
 ip address 1.1.1.1 255.255.255.255
interface GigabitEthernet0/0
 description to PC1
 ip address 10.0.1.1 255.255.255.0
interface GigabitEthernet0/1
 description to R2
 ip address 10.0.12.1 255.255.255.252
ip route 2.2.2.2 255.255.255.255 10.0.12.2
ip route 10.0.2.0 255.255.255.0 10.0.12.2
"""

_R2 = """\
hostname R2
interface Loopback0
 ip address 2.2.2.2 255.255.255.255
interface GigabitEthernet0/0
 description to PC2
 ip address 10.0.2.1 255.255.255.0
interface GigabitEthernet0/1
 description to R1
 ip address 10.0.12.2 255.255.255.252
ip route 1.1.1.1 255.255.255.255 10.0.12.1
ip route 10.0.1.0 255.255.255.0 10.0.12.1
"""

_PC1 = """\
set pcname PC1
ip 10.0.1.10/24 10.0.1.1
"""

_PC2 = """\
set pcname PC2
ip 10.0.2.10/24 10.0.2.1
"""


def demo_record() -> ProjectRecord:
    pc1 = NodeRecord(name="PC1", platform="vpcs", number=0, status="started", x=-300)
    r1 = NodeRecord(name="R1", platform="ios", number=1, status="started", x=-100)
    r2 = NodeRecord(name="R2", platform="ios", number=2, status="started", x=100)
    pc2 = NodeRecord(name="PC2", platform="vpcs", number=3, status="started", x=300)
    links = [_link(pc1, 0, r1, 0), _link(r1, 1, r2, 1), _link(r2, 0, pc2, 0)]
    return ProjectRecord(name=NAME, nodes=[pc1, r1, r2, pc2], links=links)


def demo_startups() -> dict[str, str]:
    """The saved configurations, by node name."""
    return {"R1": _rendered(_R1), "R2": _rendered(_R2), "PC1": _PC1, "PC2": _PC2}


def _rendered(lines: str) -> str:
    """The text as the router itself would save it."""
    router, _ = power_on_state("", 0, lines)
    return configuration(router)


def _link(one: NodeRecord, one_port: int, other: NodeRecord, other_port: int) -> LinkRecord:
    return LinkRecord(
        ends=(
            EndRecord(node_id=one.node_id, port_number=one_port),
            EndRecord(node_id=other.node_id, port_number=other_port),
        )
    )
