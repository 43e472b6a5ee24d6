"""The lines that bring a configuration back: any two states of a router, and what single devices need to be told."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copilot_ws.labs.cli.tree import Fault
from copilot_ws.labs.local.ios_configure import Configurator
from copilot_ws.labs.local.render import configuration
from copilot_ws.labs.local.router import Refused, Router, bare_router
from copilot_ws.labs.way_back import way_back

Part = st.SearchStrategy[list[str]]


# any configuration of the embedded router


def one_of(*lines: str) -> st.SearchStrategy[str]:
    return st.sampled_from(lines)


def filled(text: str, **values: st.SearchStrategy[object]) -> st.SearchStrategy[str]:
    return st.fixed_dictionaries(values).map(lambda found: text.format(**found))


FEW = st.integers(0, 3)
NO = one_of("", "no ")
PORT = one_of(*(f"GigabitEthernet0/{n}" for n in range(3)), *(f"Loopback{n}" for n in range(3)))
MASK = one_of("255.255.255.0", "255.255.255.128", "255.255.255.240", "255.255.255.255")
GATEWAY = filled("10.0.{net}.{host}", net=FEW, host=st.integers(101, 104))
"""Never an address of the router: it refuses such a route, or else the address, whichever comes second."""

OF_INTERFACE = st.one_of(
    filled("ip address 10.0.{net}.{host} {mask}", net=FEW, host=st.integers(1, 30), mask=MASK),
    filled("description text {n}", n=FEW),
    filled("ip ospf cost {n}", n=st.integers(1, 3)),
    one_of("no ip address", "shutdown", "no shutdown", "no description", "no ip ospf cost"),
)
OF_OSPF = st.one_of(
    filled("{no}network 10.0.{net}.0 0.0.0.{wild} area {area}", no=NO, net=FEW, wild=one_of("255", "127"), area=FEW),
    filled("{no}router-id 1.1.1.{n}", no=NO, n=st.integers(1, 3)),
    filled("{no}passive-interface {port}", no=NO, port=PORT),
    filled("{no}passive-interface default", no=NO),
)
OF_LINE = one_of(
    *("login", "no login", "login local", "password one", "password two", "no password", "exec-timeout 0 0"),
    *("exec-timeout 5", "no exec-timeout", "logging synchronous", "no logging synchronous", "privilege level 15"),
    *("no privilege level", "transport input ssh telnet", "transport input none", "no transport input"),
)
VTY = st.tuples(st.integers(0, 8), st.integers(0, 8)).map(lambda ends: f"line vty {min(ends)} {max(ends)}")


def section(header: st.SearchStrategy[str], line: st.SearchStrategy[str]) -> Part:
    return st.tuples(header, st.lists(line, max_size=4)).map(lambda parts: [parts[0], *parts[1]])


def alone(line: st.SearchStrategy[str]) -> Part:
    return line.map(lambda text: [text])


PART = st.one_of(
    section(filled("interface {port}", port=PORT), OF_INTERFACE),
    section(filled("router ospf {n}", n=st.integers(1, 2)), OF_OSPF),
    section(st.one_of(VTY, one_of("line console 0", "line aux 0")), OF_LINE),
    alone(
        filled(
            "{no}ip route 192.168.{net}.0 255.255.255.0 {way}{distance}",
            no=NO,
            net=FEW,
            way=st.one_of(GATEWAY, PORT, filled("{port} {gateway}", port=PORT, gateway=GATEWAY)),
            distance=one_of("", " 5", " 200"),
        )
    ),
    alone(filled("{no}ip host h{n} 10.9.9.{n}", no=NO, n=FEW)),
    alone(filled("default interface {port}", port=PORT)),
    alone(
        one_of(
            *("hostname Alpha", "hostname Beta", "ip routing", "no ip routing", "no router ospf 1", "no line vty 6"),
            *("banner motd #hello#", "banner motd ^C# hash#^C", "no banner motd", "no interface Loopback1"),
        )
    ),
)
CONFIGURATION = st.lists(PART, max_size=12)


def type_in(router: Router, lines: Sequence[str]) -> list[str]:
    """What the router says to lines that it does not take."""
    session, refused = Configurator(router), []
    for line in lines:
        try:
            session.apply(line)
        except (Fault, Refused) as fault:
            refused.append(f"{line}: {fault}")
    return refused


@settings(max_examples=300)
@given(CONFIGURATION, CONFIGURATION)
def test_any_change_of_a_router_is_taken_back(first: list[list[str]], then: list[list[str]]) -> None:
    router = bare_router("node", 1)
    type_in(router, [*chain.from_iterable(first)])
    before = configuration(router)
    type_in(router, [*chain.from_iterable(then)])
    back = way_back("ios", configuration(router), before)
    assert back.left_out == []
    assert type_in(router, back.lines) == []
    assert configuration(router) == before
    assert way_back("ios", configuration(router), before).lines == []


# what devices need


def test_addresses_change_places() -> None:
    present = """
interface GigabitEthernet0/0
 ip address 10.0.1.1 255.255.255.0
interface GigabitEthernet0/1
 ip address 10.0.2.1 255.255.255.0
"""
    before = present.replace("10.0.1.1", "x").replace("10.0.2.1", "10.0.1.1").replace("x", "10.0.2.1")
    assert way_back("ios", present, before).lines == [
        *("interface GigabitEthernet0/0", "no ip address", "exit"),
        *("interface GigabitEthernet0/1", "no ip address", "exit"),
        *("interface GigabitEthernet0/0", "ip address 10.0.2.1 255.255.255.0", "exit"),
        *("interface GigabitEthernet0/1", "ip address 10.0.1.1 255.255.255.0", "exit"),
    ]


def test_an_access_list_is_made_anew_in_its_order() -> None:
    before = "ip access-list extended WEB\n permit tcp any any eq 80\n deny ip any any\naccess-list 1 permit any\n"
    present = before.replace(" deny", " permit udp any any\n deny").replace("permit any\n", "deny any\n")
    assert way_back("ios", present, before).lines == [
        *("no ip access-list extended WEB", "no access-list 1"),
        *("ip access-list extended WEB", "permit tcp any any eq 80", "deny ip any any", "exit"),
        "access-list 1 permit any",
    ]


def test_an_interface_that_leaves_a_vrf_gets_its_address_again() -> None:
    before = "interface Serial0/0\n ip address 10.0.0.1 255.255.255.0\n"
    present = before.replace(" ip", " vrf forwarding BLUE\n ip")
    assert way_back("ios", present, before).lines == [
        *("interface Serial0/0", "no vrf forwarding BLUE", "exit"),
        *("interface Serial0/0", "ip address 10.0.0.1 255.255.255.0", "exit"),
    ]


def test_what_is_used_is_removed_after_what_uses_it() -> None:
    present = """
class-map match-all WEB
 match access-group 10
policy-map SLOW
 class WEB
  police 8000
interface GigabitEthernet0/0
 service-policy output SLOW
"""
    before = "interface GigabitEthernet0/0\n"
    assert way_back("ios", present, before).lines == [
        *("interface GigabitEthernet0/0", "no service-policy output SLOW", "exit"),
        *("no policy-map SLOW", "no class-map match-all WEB"),
    ]
    assert way_back("ios", before, present).lines == [
        *("class-map match-all WEB", "match access-group 10", "exit"),
        *("policy-map SLOW", "class WEB", "police 8000", "exit", "exit"),
        *("interface GigabitEthernet0/0", "service-policy output SLOW", "exit"),
    ]


FRR = """
Building configuration...

Current configuration:
!
frr version 8.4.4
frr defaults traditional
hostname R1
no ipv6 forwarding
!
interface eth1
 ip address 10.0.12.1/30
exit
!
end
"""
FRR_LATER = """
Building configuration...

Current configuration:
!
frr version 8.4.4
frr defaults traditional
hostname Core
!
ip route 10.9.0.0/16 10.0.12.2
!
interface eth0
 ip address 10.0.0.1/24
 ip ospf cost 5
exit
!
interface eth1
 ip address 10.0.12.5/30
exit
!
router bgp 65000
 neighbor 10.0.12.2 remote-as 65001
 !
 address-family ipv4 unicast
  network 10.0.0.0/24
 exit-address-family
exit
!
router ospf
 network 10.0.0.0/24 area 0
exit
!
end
"""


def test_frr_has_many_addresses_and_interfaces_that_stay() -> None:
    assert way_back("generic", FRR_LATER, FRR).lines == [
        *("interface eth1", "no ip address 10.0.12.5/30", "exit"),
        *("interface eth0", "no ip ospf cost 5", "no ip address 10.0.0.1/24", "exit"),
        *("no ip route 10.9.0.0/16 10.0.12.2", "no router ospf", "no router bgp 65000"),
        *("hostname R1", "no ipv6 forwarding"),
        *("interface eth1", "ip address 10.0.12.1/30", "exit"),
    ]
    assert way_back("generic", FRR, FRR_LATER).lines == [
        *("interface eth1", "no ip address 10.0.12.1/30", "exit"),
        *("ipv6 forwarding", "hostname Core", "ip route 10.9.0.0/16 10.0.12.2"),
        *("interface eth0", "ip address 10.0.0.1/24", "ip ospf cost 5", "exit"),
        *("interface eth1", "ip address 10.0.12.5/30", "exit"),
        *("router bgp 65000", "neighbor 10.0.12.2 remote-as 65001"),
        *("address-family ipv4 unicast", "network 10.0.0.0/24", "exit", "exit"),
        *("router ospf", "network 10.0.0.0/24 area 0", "exit"),
    ]


@pytest.mark.parametrize(
    ("present", "before", "lines"),
    [
        ("ip ospf passive", "ip ospf cost 5", ["ip ospf cost 5", "no ip ospf passive"]),
        ("no ip ospf passive", "ip ospf cost 5", ["ip ospf cost 5", "ip ospf passive"]),
        ("ip ospf passive", "no ip ospf passive", ["no ip ospf passive"] * 2),
        ("no ip ospf passive", "ip ospf passive", ["ip ospf passive"] * 2),
        ("ip ospf cost 5", "no ip ospf passive", ["no ip ospf cost 5", "no ip ospf passive"]),
    ],
)
def test_a_passive_interface_of_frr_is_turned_at_once(present: str, before: str, lines: list[str]) -> None:
    texts = [f"frr version 8.4.4\ninterface eth1\n {line}\nexit\n" for line in (present, before)]
    back = [line for line in way_back("generic", *texts).lines if "ospf" in line]
    assert sorted(back) == sorted(lines)


def test_an_address_family_of_frr_is_emptied() -> None:
    before = "router bgp 65000\n neighbor 10.0.0.2 remote-as 65001\n"
    present = before + " !\n address-family ipv4 unicast\n  network 10.0.0.0/24\n exit-address-family\nexit\n"
    assert way_back("generic", present, before).lines == [
        *("router bgp 65000", "address-family ipv4 unicast", "no network 10.0.0.0/24", "exit", "exit"),
    ]


def test_what_no_line_can_say_is_left_out() -> None:
    before = "hostname R1\nbanner motd ^CFirst\nsecond^C\ninterface Loopback0\n description why?\n"
    back = way_back("ios", "hostname R2\ninterface Loopback0\n", before)
    assert back.lines == ["hostname R1", "interface Loopback0", "exit"]
    assert back.left_out == ["banner motd ^CFirst", "description why?"]


# VPCS, as version 0.5b2 shows itself

BARE = """
NAME        : PC1[1]
IP/MASK     : 0.0.0.0/0
GATEWAY     : 0.0.0.0
DNS         :
MAC         : 00:50:79:66:68:00
RHOST:PORT  : 127.0.0.1:30000
MTU:        : 0
NAME              : PC1[1]
LINK-LOCAL SCOPE  : fe80::250:79ff:fe66:6800/64
GLOBAL SCOPE      :
"""
FULL = """
NAME        : Web[1]
IP/MASK     : 10.0.0.5/24
GATEWAY     : 10.0.0.1
DNS         : 8.8.8.8  1.1.1.1
DOMAIN NAME : lab.example
MAC         : 00:50:79:66:68:00
RHOST:PORT  : 127.0.0.1:30000
MTU:        : 1400
NAME              : Web[1]
LINK-LOCAL SCOPE  : fe80::250:79ff:fe66:6800/64
GLOBAL SCOPE      : 2001:db8::5/64
"""


@pytest.mark.parametrize(
    ("present", "before", "lines"),
    [
        (BARE, BARE, []),
        (FULL, BARE, ["set pcname PC1", "clear ip", "clear ipv6"]),
        (
            BARE,
            FULL,
            [
                *("set pcname Web", "ip 10.0.0.5/24 10.0.0.1", "ip dns 8.8.8.8 1.1.1.1", "ip domain lab.example"),
                *("ip mtu 1400", "ip 2001:db8::5/64"),
            ],
        ),
        (FULL.replace("10.0.0.5", "10.0.0.7"), FULL, ["ip 10.0.0.5/24 10.0.0.1"]),
        (FULL, FULL.replace("GATEWAY     : 10.0.0.1", "GATEWAY     : 0.0.0.0"), ["ip 10.0.0.5/24"]),
        (
            FULL,
            FULL.replace("DOMAIN NAME : lab.example\n", ""),
            ["clear ip", "ip 10.0.0.5/24 10.0.0.1", "ip dns 8.8.8.8 1.1.1.1", "ip mtu 1400"],
        ),
        (FULL, FULL.replace("DNS         : 8.8.8.8  1.1.1.1", "DHCP SERVER : 10.0.0.1"), ["clear ip", "ip dhcp"]),
    ],
)
def test_a_host_gets_its_settings_back(present: str, before: str, lines: list[str]) -> None:
    assert way_back("vpcs", present, before).lines == lines
