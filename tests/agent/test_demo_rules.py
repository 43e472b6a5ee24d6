"""How the demo model understands requests and console output."""

from __future__ import annotations

import pytest
from demo_consoles import IOS_LOST

from copilot_ws.agent.demo.changes import (
    AddLink,
    AddNode,
    Change,
    ClearAddress,
    DeleteLink,
    DeleteNode,
    Describe,
    End,
    Hostname,
    HowTo,
    Ospf,
    PortState,
    Power,
    Rename,
    Save,
    SetAddress,
    StaticRoute,
    Templates,
)
from copilot_ws.agent.demo.console import addresses, hops, ping_count
from copilot_ws.agent.demo.intents import (
    Declined,
    Help,
    Intent,
    Overview,
    Probe,
    Several,
    Show,
    Status,
    Thanks,
    Unknown,
)
from copilot_ws.agent.demo.understand import understand

# ------------------------------------------------------------------ understanding


@pytest.mark.parametrize(
    ("requests", "intent"),
    [
        (["thanks!"], Thanks()),
        (["Hello, can you help?"], Help()),
        (["show me the topology please"], Overview()),
        (["how are things connected?"], Overview()),
        (["list all links"], Overview("links")),
        (["which devices are there"], Overview("nodes")),
        (["status of R1"], Status(None, "R1")),
        (["which nodes are stopped?"], Status("stopped")),
        (["show ip route on R1 and R2"], Show(("show ip route",), "R1 and R2")),
        (["show version on all of the routers in this lab"], Show(("show version",), "all routers")),
        (["run “show ip interface brief” on R1"], Show(("show ip interface brief",), "R1")),
        (["R1, R2: sh clock"], Show(("show clock",), "R1, R2")),
        (["on R1, show version and show clock"], Show(("show version", "show clock"), "R1")),
        (["show running-config | include ospf on R1"], Show(("show running-config | include ospf",), "R1")),
        (["Show me the routing table of R1."], Show((), "R1", "routes")),
        (["show the running config of R1"], Show((), "R1", "running configuration")),
        (["interfaces of R1"], Show((), "R1", "interfaces")),
        (["what’s the IP of PC1?"], Show((), "PC1", "addresses")),
        (["which ip address does PC2 have?"], Show((), "PC2", "addresses")),
        (["PC1's ip address"], Show((), "PC1", "addresses")),
        (
            ["show ip route on R1 and show version on R2"],
            Several((Show(("show ip route",), "R1"), Show(("show version",), "R2"))),
        ),
        (
            ["ping 10.0.99.9 from PC1, ping R2 from PC2"],
            Several((Probe("ping", "PC1", "10.0.99.9"), Probe("ping", "PC2", "R2"))),
        ),
        (["start R2 and stop R1"], Several((Power("start", "R2"), Power("stop", "R1")))),
        (["ping from PC1 to PC2"], Probe("ping", "PC1", "PC2")),
        (["please ping PC2 from PC1"], Probe("ping", "PC1", "PC2")),
        (["PC1: ping 10.0.2.10"], Probe("ping", "PC1", "10.0.2.10")),
        (["run 'ping 10.0.2.10' on PC1"], Probe("ping", "PC1", "10.0.2.10")),
        (["can PC1 and PC2 reach each other?"], Probe("ping", "PC1", "PC2")),
        (["is PC2 reachable from PC1"], Probe("ping", "PC1", "PC2")),
        (["check the connection from R1 to PC2"], Probe("ping", "R1", "PC2")),
        (["traceroute to PC2 from PC1"], Probe("trace", "PC1", "PC2")),
        (["which path do packets take from PC1 to PC2?"], Probe("trace", "PC1", "PC2")),
        (["how do I configure OSPF?"], HowTo()),
        (["configure BGP on R1"], Change("BGP")),
        (["restart R2"], Change()),
        (["why is my ping failing?"], Unknown()),
        (["show version on R1", "and R2?", "what about PC1"], Show(("show version",), "PC1")),
        (["show version on R1", "and the routing table?"], Show((), "R1", "routes")),
        (["ping PC2 from PC1", "and R2?"], Probe("ping", "PC1", "R2")),
        (["ping PC2 from PC1", "and from R1?"], Probe("ping", "R1", "PC2")),
        (["the weather?", "and R2?"], Unknown()),
        ([], Unknown()),
    ],
)
def test_understanding(requests: list[str], intent: Intent) -> None:
    assert understand(requests) == intent


R1_ADDRESS = SetAddress("R1", "Gi0/2", "10.9.9.1/24")


@pytest.mark.parametrize(
    ("request_", "intent"),
    [
        ("set the address of R1 Gi0/2 to 10.9.9.1/24", R1_ADDRESS),
        ("Please assign 10.9.9.1/24 to R1's Gi0/2", R1_ADDRESS),
        ("On R1, set the ip address of interface Gi0/2 to 10.9.9.1/24 and bring it up", R1_ADDRESS),
        (
            "configure 10.9.9.1 255.255.255.0 on R1 GigabitEthernet0/2",
            SetAddress("R1", "GigabitEthernet0/2", "10.9.9.1/255.255.255.0"),
        ),
        (
            "set Gi0/2 on R1 to 10.9.9.1 with the mask 255.255.255.0",
            SetAddress("R1", "Gi0/2", "10.9.9.1/255.255.255.0"),
        ),
        ("set the ip address of PC1 to 10.0.0.1", SetAddress("PC1", "", "10.0.0.1")),
        ("set the gateway of PC1 to 10.0.1.1", SetAddress("PC1", "", "", "10.0.1.1")),
        (
            "give PC1 the address 10.0.1.20/24 with gateway 10.0.1.1",
            SetAddress("PC1", "", "10.0.1.20/24", "10.0.1.1"),
        ),
        ("create loopback 10 with 1.1.1.1/32 on R1", SetAddress("R1", "loopback10", "1.1.1.1/32")),
        ("remove the ip address from R1 Gi0/2", ClearAddress("R1", "Gi0/2")),
        (
            "add a static route to 10.0.9.0/24 via 10.0.12.2 on R1",
            StaticRoute("R1", "10.0.9.0/24", "10.0.12.2"),
        ),
        ("ip route 10.0.9.0/24 10.0.12.2 on R1", StaticRoute("R1", "10.0.9.0/24", "10.0.12.2")),
        ("default route on R2 via 10.0.12.1", StaticRoute("R2", "0.0.0.0/0", "10.0.12.1")),
        ("remove the static route to 10.0.9.0/24 on R1", StaticRoute("R1", "10.0.9.0/24", "", True)),
        ("configure OSPF on R1 and R2", Ospf("R1 and R2")),
        ("set up OSPF on all routers area 0", Ospf("all routers")),
        ("enable ospf between R1 and R2 in area 1", Ospf("R1 and R2", "1")),
        ("shut down interface Gi0/2 on R1", PortState(False, "R1", "Gi0/2")),
        ("bring up R1 Gi0/2", PortState(True, "R1", "Gi0/2")),
        ("no shutdown on R1 Gi0/2", PortState(True, "R1", "Gi0/2")),
        ("R1: turn Gi0/2 off", PortState(False, "R1", "Gi0/2")),
        ("set the hostname of R1 to Core1", Hostname("R1", "Core1")),
        ("set description of R1 Gi0/1 to 'to R2'", Describe("R1", "Gi0/1", "to R2")),
        ("set the description of R1 Gi0/1 to link to R2", Describe("R1", "Gi0/1", "link to R2")),
        ("save the configuration of R1", Save("R1")),
        ("write memory on all routers", Save("all routers")),
        ("start R2", Power("start", "R2")),
        ("turn R2 off", Power("stop", "R2")),
        ("shut down R2", Power("stop", "R2")),
        ("suspend R1", Power("suspend", "R1")),
        ("rename PC1 to HostA", Rename("PC1", "HostA")),
        ("change the name of PC1 to HostA", Rename("PC1", "HostA")),
        ("add a router", AddNode("router")),
        ("add a VPCS named PC3", AddNode("VPCS", "PC3")),
        ("link PC3 e0 to R1 Gi0/2", AddLink(End("PC3", "e0"), End("R1", "Gi0/2"))),
        ("create a link between PC3 and R1 Gi0/2", AddLink(End("PC3"), End("R1", "Gi0/2"))),
        ("can you delete PC3 from the lab?", DeleteNode("PC3")),
        ("remove the link between PC3 and R1", DeleteLink(End("PC3"), End("R1"))),
        ("disconnect PC3 from R1 Gi0/2", DeleteLink(End("PC3"), End("R1", "Gi0/2"))),
        ("what templates are there", Templates()),
        ("give me the ip address of PC1", Show((), "PC1", "addresses")),
        ("no problem", Declined()),
    ],
)
def test_understanding_changes(request_: str, intent: Intent) -> None:
    assert understand([request_]) == intent


@pytest.mark.parametrize(
    ("requests", "intent"),
    [
        (["set the address of R1 to 10.9.9.1/24", "Gi0/2"], R1_ADDRESS),
        (["set the address of R1", "on Gi0/2", "10.9.9.1/24"], R1_ADDRESS),
        (["add a static route on R2", "to 10.0.9.0/24 via 10.0.12.1"], StaticRoute("R2", "10.0.9.0/24", "10.0.12.1")),
        (["configure OSPF", "on R1 and R2"], Ospf("R1 and R2")),
        (["link PC3 to R1", "Gi0/2"], AddLink(End("PC3"), End("R1", "Gi0/2"))),
        (["configure OSPF", "no"], Declined()),
        (["start R2", "R1"], Unknown()),
        (["stop R2", "and R1?"], Unknown()),
        (["set the address of R1", "show version on R1", "Gi0/2"], Unknown()),
    ],
)
def test_a_change_is_completed_by_an_answer(requests: list[str], intent: Intent) -> None:
    assert understand(requests) == intent


@pytest.mark.timeout(5)
@pytest.mark.parametrize(
    "piece",
    [
        "set ",
        "set address ",
        "1.1.1.1 ",
        "255.255.255.0",
        "Gi0/0 ",
        "and show ",
        ", start ",
        "no route via ",
        "? ",
        "show ",
        "ping from ",
        "a to ",
        "on ",
        "all ",
        "and ",
        "what is the ip of ",
        ",",
    ],
)
def test_no_request_takes_long(piece: str) -> None:
    for _ in range(20):
        understand([(piece * 500)[:499] + "!x"] * 5)


# ------------------------------------------------------------------ console output


def test_addresses_of_other_systems() -> None:
    frr = "Interface  Status  VRF      Addresses\neth0       up      default  10.0.0.254/24\nlo up default\n"
    linux = "2: eth0: <UP> mtu 1500\n    inet 10.0.0.5/24 brd 10.0.0.255 scope global eth0\n"
    assert [(found.text, found.port) for found in addresses(frr)] == [("10.0.0.254/24", "eth0")]
    assert [(found.text, found.port) for found in addresses(linux)] == [("10.0.0.5/24", "eth0")]
    assert addresses("no such command") == []


def test_linux_ping_and_trace() -> None:
    counts = "5 packets transmitted, 5 received, 0% packet loss, time 4005ms\n"
    count = ping_count(f"{counts}rtt min/avg/max/mdev = 0.040/0.061/0.083/0.010 ms")
    assert count is not None
    assert (count.sent, count.received, count.average) == (5, 5, 0.061)
    assert hops(" 1  gw (10.0.0.1)  0.3 ms\n 2  * * *\n 3  10.0.2.10  1 ms\n") == [
        "10.0.0.1",
        "*",
        "10.0.2.10",
    ]


def test_lost_ping_on_ios() -> None:
    count = ping_count(IOS_LOST)
    assert count is not None
    assert (count.sent, count.received, count.complaint) == (5, 0, "")


@pytest.mark.timeout(5)
@pytest.mark.parametrize(
    "piece",
    [
        "\n",
        " ",
        "1",
        "1.1.1.1 ",
        "a ",
        "a",
        " inet 1.1.1.1/1 a ",
        "%",
        "*",
        "1 1.1.1.1",
        "`",
        "Success rate is 0 percent (0/5)",
    ],
)
def test_no_output_takes_long(piece: str) -> None:
    text = piece * (65536 // len(piece))
    for output in (text, f"   inet 1.1.1.1/24 {text} ", f" 1 {text}"):
        addresses(output)
        ping_count(output)
        hops(output)
