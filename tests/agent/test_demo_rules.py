"""How the demo model understands requests and console output."""

from __future__ import annotations

import pytest
from demo_world import IOS_LOST

from copilot_ws.agent.demo.console import addresses, hops, ping_count
from copilot_ws.agent.demo.intents import Change, Help, Intent, Overview, Probe, Show, Status, Thanks, Unknown
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
        (["show ip route on R1 and show version on R2"], Unknown()),
        (["ping from PC1 to PC2"], Probe("ping", "PC1", "PC2")),
        (["please ping PC2 from PC1"], Probe("ping", "PC1", "PC2")),
        (["PC1: ping 10.0.2.10"], Probe("ping", "PC1", "10.0.2.10")),
        (["run 'ping 10.0.2.10' on PC1"], Probe("ping", "PC1", "10.0.2.10")),
        (["can PC1 and PC2 reach each other?"], Probe("ping", "PC1", "PC2")),
        (["is PC2 reachable from PC1"], Probe("ping", "PC1", "PC2")),
        (["check the connection from R1 to PC2"], Probe("ping", "R1", "PC2")),
        (["traceroute to PC2 from PC1"], Probe("trace", "PC1", "PC2")),
        (["which path do packets take from PC1 to PC2?"], Probe("trace", "PC1", "PC2")),
        (["set the ip address of PC1 to 10.0.0.1"], Change()),
        (["how do I configure OSPF?"], Change()),
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


@pytest.mark.timeout(5)
@pytest.mark.parametrize(
    "piece", ["? ", "show ", "ping from ", "a to ", "on ", "all ", "and ", "what is the ip of ", ","]
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
