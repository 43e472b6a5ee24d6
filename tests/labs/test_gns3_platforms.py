"""Which command line a GNS3 node speaks, and which port a name means."""

from __future__ import annotations

from typing import Any

import pytest
from kit.gns3 import node

from copilot_ws.labs.base import Port
from copilot_ws.labs.gns3.platforms import platform_of
from copilot_ws.labs.ports import find_port, free_port
from copilot_ws.wire.errors import Conflict, InvalidArgument


@pytest.mark.parametrize(
    ("node_type", "fields", "template", "prompt", "platform"),
    [
        ("vpcs", {}, "", "", "vpcs"),
        ("dynamips", {}, "", "", "ios"),
        ("iou", {}, "", "", "ios"),
        ("docker", {}, "", "", "linux"),
        ("qemu", {}, "", "", "generic"),
        ("ethernet_switch", {}, "", "", "generic"),
        # what it is made of
        ("qemu", {}, "Cisco IOSv 15.9(3)M6", "", "ios"),
        ("qemu", {"properties": {"hda_disk_image": "vios-adventerprisek9-m.spa.159-3.m6.qcow2"}}, "", "", "ios"),
        ("qemu", {}, "Cisco CSR1000v", "", "ios"),
        ("qemu", {"properties": {"kernel_image": "frr-vmlinuz"}}, "", "", "generic"),
        ("docker", {}, "FRR 8.2", "", "generic"),
        ("qemu", {}, "Alpine Linux", "", "linux"),
        ("qemu", {}, "Arista vEOS", "", "generic"),
        # a tag of GNS3 3.1 wins
        ("qemu", {"tags": ["vendor:cisco", "device_type:cisco_ios_telnet"]}, "Alpine Linux", "", "ios"),
        ("qemu", {"tags": ["device_type:cisco_xe"]}, "", "", "ios"),
        ("docker", {"tags": ["device_type:huawei_telnet"]}, "", "", "generic"),
        ("qemu", {"netmiko_device_type": "linux_telnet"}, "", "", "linux"),
        ("qemu", {"tags": None, "netmiko_device_type": None}, "", "", "generic"),
        ("qemu", {"tags": ["device_type:cisco_ios"]}, "", "root@x:~#", "ios"),
        # but a VPCS process is one
        ("vpcs", {"tags": ["device_type:linux"]}, "Linux", "$", "vpcs"),
        # the prompt that was seen decides what is only guessed
        ("qemu", {}, "", "root@alpine:~#", "linux"),
        ("qemu", {}, "", "~ #", "linux"),
        ("docker", {}, "", "frr#", "generic"),
        ("docker", {}, "", "R1(config-if)#", "generic"),
        ("dynamips", {}, "", "Router>", "ios"),
    ],
)
def test_platform(node_type: str, fields: dict[str, Any], template: str, prompt: str, platform: str) -> None:
    assert platform_of(node("X", node_type, **fields), template, prompt) == platform


def ports(*names: tuple[str, str]) -> list[Port]:
    return [
        Port(name=name, short_name=short, adapter_number=number, port_number=0)
        for number, (name, short) in enumerate(names)
    ]


QEMU = ports(("Ethernet0", "e0"), ("Ethernet1", "e1"), ("Ethernet10", "e10"))
ROUTER = ports(("FastEthernet0/0", "f0/0"), ("GigabitEthernet1/0", "g1/0"), ("Serial2/0", "s2/0"))
DOCKER = ports(("eth0", "eth0"), ("eth1", "eth1"))
IOSV = ports(("Gi0/0", "Gi0/0"), ("Gi0/1", "Gi0/1"))


@pytest.mark.parametrize(
    ("among", "wanted", "place"),
    [
        (QEMU, "e0", 0),
        (QEMU, "Ethernet1", 1),
        (QEMU, "ethernet 1", 1),
        (QEMU, "eth1", 1),
        (QEMU, "Eth10", 2),
        (QEMU, "1", 1),
        (QEMU, "port 1", 1),
        (ROUTER, "Fa0/0", 0),
        (ROUTER, "fastethernet0/0", 0),
        (ROUTER, "Gi1/0", 1),
        (ROUTER, "ge1/0", 1),
        (ROUTER, "se2/0", 2),
        (ROUTER, "1/0", 1),
        (DOCKER, "e1", 1),
        (DOCKER, "Ethernet1", 1),
        (IOSV, "GigabitEthernet0/1", 1),
        (IOSV, "gig0/0", 0),
        (QEMU, "e2", None),
        (QEMU, "Gi0/0", None),
        (QEMU, "", None),
        (QEMU, "eth", None),
        (ROUTER, "e0/0", None),
    ],
)
def test_port_names(among: list[Port], wanted: str, place: int | None) -> None:
    found = find_port(among, wanted)
    assert (among.index(found) if found else None) == place


def test_a_port_that_is_none_or_taken_is_told_with_the_free_ones() -> None:
    with pytest.raises(InvalidArgument, match=r"R1 has no port 'e7'\. Free ports: e1, e10\."):
        free_port("R1", QEMU, {(0, 0)}, "e7")
    with pytest.raises(Conflict, match=r"e0 of R1 is linked already\. Free ports: e1, e10\."):
        free_port("R1", QEMU, {(0, 0)}, "eth0")
    with pytest.raises(Conflict, match=r"It has no free port\."):
        free_port("R1", QEMU, {(0, 0), (1, 0), (2, 0)}, "eth0")
