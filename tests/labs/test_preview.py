"""What lines would make of a configuration, shown before they are sent."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copilot_ws.labs.base import Platform
from copilot_ws.labs.local.demo import demo_startups
from copilot_ws.labs.local.ios_boot import power_on_state
from copilot_ws.labs.local.ios_configure import Configurator
from copilot_ws.labs.local.render import configuration
from copilot_ws.labs.preview import preview

HEAD = "Building configuration...\n\nCurrent configuration : 1061 bytes\n"
STARTUP = demo_startups()["R1"]
RUNNING = """\
Building configuration...

Current configuration : 1061 bytes
!
version 15.7
service timestamps log datetime msec
!
hostname R1
!
no ip domain lookup
ip cef
!
interface Loopback0
 ip address 1.1.1.1 255.255.255.255
!
interface GigabitEthernet0/0
 description to PC1
 ip address 10.0.1.1 255.255.255.0
 duplex auto
 speed auto
!
interface GigabitEthernet0/1
 description to R2
 ip address 10.0.12.1 255.255.255.252
 duplex auto
 speed auto
!
interface GigabitEthernet0/2
 no ip address
 shutdown
 duplex auto
 speed auto
!
ip forward-protocol nd
!
ip route 2.2.2.2 255.255.255.255 10.0.12.2
ip route 10.0.2.0 255.255.255.0 10.0.12.2
!
control-plane
!
line con 0
line aux 0
line vty 0 4
 login
!
end
"""

FRR = """\
Building configuration...

Current configuration:
!
frr version 8.4.4
frr defaults traditional
hostname R1
no ipv6 forwarding
service integrated-vtysh-config
!
interface eth0
 ip address 10.0.1.1/24
exit
!
router bgp 65001
 neighbor 10.0.12.2 remote-as 65002
 !
 address-family ipv4 unicast
  network 10.0.1.0/24
 exit-address-family
exit
!
end
"""

SWITCH = """\
version 15.2
hostname SW1
!
vlan 10
 name USERS
!
interface Vlan10
 ip address 10.0.10.1 255.255.255.0
 ip address 10.0.11.1 255.255.255.0 secondary
!
router bgp 65000
 neighbor 10.0.0.2 remote-as 65001
 address-family ipv4
  neighbor 10.0.0.2 activate
 exit-address-family
!
banner motd ^C
interface Bogus1
 keep out
^C
!
end
"""


def changes(text: str | None) -> list[str]:
    """Removed and added lines, without the headers."""
    assert text is not None
    return [line for line in text.splitlines() if line[:1] in "+-" and not line.startswith(("---", "+++"))]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["hostname R9"], ["-hostname R1", "+hostname R9"]),
        (
            ["interface Loopback50", "ip address 5.5.5.5 255.255.255.255"],
            ["+interface Loopback50", "+ ip address 5.5.5.5 255.255.255.255"],
        ),
        (["int lo 50\ndesc kit"], ["+interface Loopback50", "+ description kit"]),
        (
            ["int g0/2", "ip add 10.9.9.1 255.255.255.0", "no shut"],
            ["- no ip address", "- shutdown", "+ ip address 10.9.9.1 255.255.255.0"],
        ),
        (
            ["interface GigabitEthernet0/0", "no ip address"],
            ["- ip address 10.0.1.1 255.255.255.0", "+ no ip address"],
        ),
        (["interface gi 0/0", "no description"], ["- description to PC1"]),
        (["interface gi0/0", "shutdown"], ["+ shutdown"]),
        (["interface gi0/0", "shutdown", "no shutdown"], []),
        (["interface gi0/0", "no shutdown"], []),
        (["no int lo0"], ["-interface Loopback0", "- ip address 1.1.1.1 255.255.255.255"]),
        (["no ip route 2.2.2.2 255.255.255.255"], ["-ip route 2.2.2.2 255.255.255.255 10.0.12.2"]),
        (["int lo0", "ip route 9.0.0.0 255.0.0.0 g0/1"], ["+ip route 9.0.0.0 255.0.0.0 GigabitEthernet0/1"]),
        (["ip route 9.0.0.0 255.0.0.0 10.0.12.2"], ["+ip route 9.0.0.0 255.0.0.0 10.0.12.2"]),
        (["no ip routing"], ["+no ip routing"]),
        (["no ip routing", "ip routing"], []),
        (
            ["router ospf 1", "net 10.0.0.0 0.0.0.255 area 0", "passive-interface g0/0", "exit", "hostname X"],
            [
                "-hostname R1",
                "+hostname X",
                "+router ospf 1",
                "+ network 10.0.0.0 0.0.0.255 area 0",
                "+ passive-interface GigabitEthernet0/0",
            ],
        ),
        (["router ospf 1", "router-id 1.1.1.1", "no router ospf 1"], []),
        (["line console 0", "exec-timeout 0 0", "exec-timeout 5"], ["+ exec-timeout 5"]),
        (["banner motd #hello#"], ["+banner motd ^Chello^C"]),
        (["do write", "! hostname A", "do reload"], []),
        (["end", "hostname A", "reload"], []),
        (["end", "conf t", "hostname A"], ["-hostname R1", "+hostname A"]),
        (["exit", "hostname A"], []),
        (["no router rip", "no ip host nobody"], []),
        (["interface gi0/0", "description für Büro"], ["- description to PC1", "+ description für Büro"]),
    ],
    ids=repr,
)
def test_changes(lines: list[str], expected: list[str]) -> None:
    assert sorted(changes(preview("ios", RUNNING, lines))) == sorted(expected)


def test_it_is_a_unified_diff() -> None:
    text = preview("ios", RUNNING, ["interface GigabitEthernet0/1", "no ip address"])
    assert text is not None
    assert text.splitlines() == [
        "--- running-config",
        "+++ running-config with these lines",
        "@@ -12,7 +12,7 @@ interface GigabitEthernet0/0",
        "  speed auto",
        " interface GigabitEthernet0/1",
        "  description to R2",
        "- ip address 10.0.12.1 255.255.255.252",
        "+ no ip address",
        "  duplex auto",
        "  speed auto",
        " interface GigabitEthernet0/2",
    ]


def test_default_interface_empties_it() -> None:
    found = changes(preview("ios", RUNNING, ["default interface g0/0"]))
    assert "- ip address 10.0.1.1 255.255.255.0" in found
    assert "-interface GigabitEthernet0/0" not in found


def test_a_section_that_is_made_anew_is_empty() -> None:
    lines = ["no interface lo0", "interface lo0", "description new"]
    assert changes(preview("ios", RUNNING, lines)) == [
        "- ip address 1.1.1.1 255.255.255.255",
        "+ description new",
    ]


def test_nothing_changes() -> None:
    assert preview("ios", RUNNING, ["hostname R1", "interface lo0", "ip address 1.1.1.1 255.255.255.255"]) == ""
    assert preview("ios", RUNNING, []) == ""


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["vlan 10", "name GUESTS"], ["- name USERS", "+ name GUESTS"]),
        (
            ["int vl 10", "ip address 10.0.12.1 255.255.255.0 secondary"],
            ["+ ip address 10.0.12.1 255.255.255.0 secondary"],
        ),
        (
            ["int vl 10", "ip address 10.0.10.2 255.255.255.0"],
            ["- ip address 10.0.10.1 255.255.255.0", "+ ip address 10.0.10.2 255.255.255.0"],
        ),
        (
            [
                "router bgp 65000",
                "address-family ipv4",
                "network 10.0.0.0",
                "exit-address-family",
                "bgp router-id 1.1.1.1",
            ],
            ["+  network 10.0.0.0", "+ bgp router-id 1.1.1.1"],
        ),
        (["banner motd #", "new", "#"], ["-interface Bogus1", "- keep out", "+new"]),
    ],
    ids=repr,
)
def test_other_sections(lines: list[str], expected: list[str]) -> None:
    assert sorted(changes(preview("ios", SWITCH, lines))) == sorted(expected)


def test_frr() -> None:
    lines = [
        "interface eth0",
        "ip address 10.0.2.1/24",
        "exit",
        "router bgp 65001",
        "neighbor 10.0.13.2 remote-as 65003",
    ]
    assert changes(preview("generic", FRR, lines)) == [
        "+ ip address 10.0.2.1/24",
        "+ neighbor 10.0.13.2 remote-as 65003",
    ]


FRESH = "frr version 8.4.4\nfrr defaults traditional\nhostname R1\n"


@pytest.mark.parametrize("name", ["eth0", "eth1.10", "lo", "tun0", "vlan10", "wlan0", "ens3", "gre1", "br0", "po1"])
@pytest.mark.parametrize("running", [FRESH, FRR])
def test_names_of_linux_are_no_abbreviations(name: str, running: str) -> None:
    lines = [f"interface {name}", "description new", "exit", "router ospf", f"passive-interface {name}", "exit"]
    lines.append(f"ip route 10.9.0.0/16 {name}")
    shown = changes(preview("generic", running, lines))
    assert {f"+ passive-interface {name}", f"+ip route 10.9.0.0/16 {name}", "+ description new"} <= set(shown)
    assert (f"+interface {name}" in shown) is (f"interface {name}\n" not in running)


def test_another_makers_router_takes_short_names() -> None:
    running = "hostname R1\ninterface Ethernet1\n ip address 10.0.0.1/24\n"
    assert changes(preview("generic", running, ["int et1", "description new"])) == ["+ description new"]
    assert "+interface Loopback0" in changes(preview("generic", running, ["int lo0", "description new"]))


@pytest.mark.parametrize(
    ("platform", "running", "lines"),
    [
        ("vpcs", "NAME : PC1", ["ip 10.0.0.1/24"]),
        ("linux", RUNNING, ["hostname x"]),
        ("ios", "", ["hostname x"]),
        ("ios", "% Invalid input detected at '^' marker.", ["hostname x"]),
        ("ios", RUNNING, ["interface range g0/0 - 2", "shutdown"]),
        ("ios", RUNNING, ["hоstname x"]),
        ("ios", RUNNING * 1000, ["hostname x"]),
        ("ios", RUNNING, ["hostname x"] * 1000),
    ],
    ids=["vpcs", "linux", "empty", "refused", "range", "look-alike", "large", "many lines"],
)
def test_what_cannot_be_worked_out(platform: Platform, running: str, lines: list[str]) -> None:
    assert preview(platform, running, lines) is None


BUSY = ["ip host a 10.0.0.1", "no ip host a"]


@pytest.mark.parametrize("lines", [[f"ip host g{n} 1.1.1.1" for n in range(200)], BUSY * 100], ids=["many", "undone"])
def test_it_takes_no_time(lines: list[str]) -> None:
    running = "hostname R1\n" + "".join(f"ip host h{n} 10.0.0.1\n" for n in range(3500))
    start = time.process_time()
    preview("ios", running, lines)
    assert time.process_time() - start < 3


# ------------------------------------------------------------------ as the embedded router does it

LINES = [
    ["hostname R9"],
    ["interface Loopback7", "ip address 7.7.7.7 255.255.255.255", "description seven"],
    ["interface g0/0", "shutdown"],
    ["interface g0/2", "ip address 10.9.9.1 255.255.255.0", "no shutdown", "description new"],
    ["interface g0/1", "no ip address", "ip address 10.0.13.1 255.255.255.252"],
    ["no interface Loopback0"],
    ["ip route 9.0.0.0 255.0.0.0 10.0.12.2", "no ip route 2.2.2.2 255.255.255.255 10.0.12.2"],
    ["interface g0/0", "no description", "exit", "hostname X"],
]


@pytest.mark.parametrize("lines", LINES, ids=repr)
def test_the_embedded_router_agrees(lines: list[str]) -> None:
    assert Counter(changes(preview("ios", HEAD + STARTUP, lines))) == Counter(real_changes(lines))


def real_changes(lines: Sequence[str]) -> list[str]:
    router, _ = power_on_state("", 0, STARTUP)
    before = Counter(configuration(router).splitlines())
    editor = Configurator(router)
    for line in lines:
        editor.apply(line)
    after = Counter(configuration(router).splitlines())
    gone, new = before - after, after - before
    return [f"-{line}" for line in gone.elements() if line != "!"] + [
        f"+{line}" for line in new.elements() if line != "!"
    ]


WORDS = st.sampled_from(
    ["no", "default", "interface", "g0/0", "Loopback0", "ip", "address", "route", "router", "ospf", "1", "exit", "end",
     "shutdown", "banner motd #x", "#", "do", "description", "line", "vty", "0", "vlan", "address-family", "!", "\n"]
)  # fmt: skip
ANY_LINES = st.lists(st.one_of(st.text(max_size=20), st.lists(WORDS, max_size=6).map(" ".join)), max_size=10)


@settings(max_examples=300)
@given(ANY_LINES, st.one_of(st.just(RUNNING), st.just(SWITCH), st.text(max_size=80).map("hostname R1\n{}".format)))
def test_it_never_fails(lines: list[str], running: str) -> None:
    text = preview("ios", running, lines)
    assert text is None or text == "" or text.startswith("--- running-config\n+++ ")
